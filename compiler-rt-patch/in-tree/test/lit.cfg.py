# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os

config.name = "RobustnessSanitizer" + config.name_suffix
config.test_source_root = os.path.dirname(__file__)
config.environment["TSAN_OPTIONS"] = "atexit_sleep_ms=0"
config.suffixes = [".c", ".cpp"]

# TSan's instrumentation calls what this runtime defines. Its library takes the place of TSan's.
library = os.path.join(config.compiler_rt_libdir, "libclang_rt.rsan%s-" + config.target_arch + ".a")
if not os.path.exists(library % ""):
    library = os.path.join(config.compiler_rt_libdir, "libclang_rt.rsan%s.a")
flags = ["-fsanitize=thread", "-fno-sanitize-link-runtime", "-g", "-O1", "-Wall", config.target_cflags]
link = ["-Wl,--whole-archive", library % "", library % "_cxx", "-Wl,--no-whole-archive"]
link += ["-Wl,--dynamic-list=" + library % "" + ".syms", "-Wl,--export-dynamic", "-lpthread", "-lrt", "-lm", "-ldl", "-lresolv"]
for name, mode in (("%clang_rsan ", []), ("%clangxx_rsan ", config.cxx_mode_flags)):
    config.substitutions.append((name, " ".join(["", config.clang, *mode, *flags, *link, ""])))

if not config.parallelism_group:
    config.parallelism_group = "shadow-memory"
