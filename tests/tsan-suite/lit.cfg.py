# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Upstream's own configuration of the suite, loaded from LLVM's source, with what its CMake files would have told it.
# Afterwards the tool under test takes the place of -fsanitize=thread, programs get a time limit, and nothing else is
# changed.

target = getattr(config, "rsan_target", "x86_64")
config.name_suffix = "-" + config.rsan_tool
config.test_exec_root = config.rsan_exec_root

for name, value in {
    # The machine.
    "target_triple": target + "-pc-linux-gnu",
    "host_triple": target + "-pc-linux-gnu",
    "host_arch": target,
    "host_os": "Linux",
    "target_os": "Linux",  # its name in LLVM 22
    "target_arch": target,
    "target_suffix": "-" + target,
    "target_cflags": {"x86_64": "-m64 -msse4.2", "aarch64": ""}[target],
    # The tools: Debian's, but for the compiler.
    "compiler_id": "Clang",
    "llvm_tools_dir": config.llvm_prefix + "/bin",
    "llvm_shlib_dir": config.llvm_prefix + "/lib",
    "gnu_ld_executable": "ld",
    "gold_executable": "ld.gold",
    "llvm_src_root": config.llvm_source_dir + "/llvm",
    "compiler_rt_src_root": config.llvm_source_dir + "/compiler-rt",
    "compiler_rt_output_dir": config.resource_dir,
    "compiler_rt_libdir": config.resource_dir + "/lib/linux",
    "has_no_default_config_flag": True,
    "can_symbolize": True,
    # As upstream builds: the C++ library and unwinder are the system's, and not instrumented.
    "has_libcxx": False,
    "sanitizer_can_use_cxxabi": True,
    "sanitizer_uses_static_cxxabi": False,
    "sanitizer_uses_static_unwind": False,
    # How often %deflake runs a program that may hide its race; upstream's default.
    "deflake_threshold": "10",
    # What this build does not have, or the suite does not ask for.
    "android": False,
    "apple_platform": "osx",
    "apple_target_is_host": True,
    "asan_shadow_scale": "",
    "memprof_shadow_scale": "",
    "enable_per_target_runtime_dir": False,
    "test_standalone_build_libs": False,
    "have_zlib": False,
    "zlib_include_dir": "",
    "zlib_library": "",
    "have_disable_symbolizer_path_search": False,
    "have_internal_symbolizer": False,
    "have_rpc_xdr_h": False,
    "has_compiler_rt_libatomic": False,
    "expensive_checks": False,
    "gwp_asan": False,
    "aarch64_sme": False,
    "has_lld": True,
    "use_lld": True,
    "use_lto": False,
    "use_thinlto": False,
}.items():
    setattr(config, name, value)

config.available_features.add("target-is-" + target)
for path in ("lit.common.cfg.py", "tsan/lit.cfg.py"):
    lit_config.load_config(config, config.compiler_rt_src_root + "/test/" + path)

def adapt(name, value):
    if name == "%run":
        # A program that hangs is a failure of its test. run_with: another command that runs it (eval/schedules/hold).
        value = lit_config.params.get("run_with", "timeout --signal=KILL 300")
    return name, value.replace("-fsanitize=thread", "-fsanitize=" + config.sanitizer)


config.substitutions = [adapt(*substitution) for substitution in config.substitutions]
config.substitutions.append(("-fsanitize=thread", "-fsanitize=" + config.sanitizer))  # where a test names it
# The user's own options are not part of the test. TSAN_OPTIONS is set by upstream's configuration.
config.environment["RSAN_OPTIONS"] = lit_config.params.get("rsan_options", config.rsan_options)
config.environment["LC_ALL"] = "C"
config.environment["LLVM_SYMBOLIZER_OPTS"] = "--debug-file-directory=/nonexistent"  # as in ../environment.cmake
