# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Substitutions: %rsan_clang %rsan_clangxx %stock_clang %stock_clangxx %resource_dir %stock_resource_dir %source_dir
# %build_dir %libcxx %llvm_major %llvm_prefix %llvm_source_dir %cmake %opt (with the pass plugin), and FileCheck, count, not, split-file by
# their names.

import os
import shutil

import lit.formats

config.name = "rsan"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cpp", ".ll", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = config.lit_source_dir
config.test_exec_root = config.lit_binary_dir

# lit hands few variables on, but among them the sanitizers' options: a test says itself which it needs. Nothing may
# depend on the user's library path (rpaths are under test) or locale (error messages are).
for name in list(config.environment):
    if name.endswith("SAN_OPTIONS") or name in ("LD_LIBRARY_PATH", "LD_PRELOAD"):
        del config.environment[name]
config.environment["LC_ALL"] = "C"
config.environment["LLVM_SYMBOLIZER_OPTS"] = "--debug-file-directory=/nonexistent"  # as in ../environment.cmake

if shutil.which("git", path=config.environment["PATH"]):
    config.available_features.add("git")
# This release has variants of patches (cmake/patch-series).
if os.path.isdir(os.path.join(config.source_dir, "compiler", "driver", "patches", config.llvm_major)):
    config.available_features.add("variants")

# A clang of another release, if there is one: %other_clang
others = [path for release in ("19", "22") if release != config.llvm_major for path in [shutil.which("clang-" + release)] if path]
if others:
    config.available_features.add("other-clang")
    config.substitutions.append((r"%other_clang\b", others[0]))

# libc++ is no package that the build needs. It may be unpacked elsewhere: lit --param libcxx=/x/usr/lib/llvm-N
libcxx = lit_config.params.get("libcxx", config.llvm_prefix)
if os.path.exists(libcxx + "/include/c++/v1/barrier") and os.path.exists(libcxx + "/lib/libc++experimental.a"):
    config.available_features.add("libcxx")

for name, value in [
    (
        "libcxx",
        "-stdlib=libc++ -fexperimental-library -nostdinc++ -isystem {0}/include/c++/v1 -L{0}/lib -Wl,-rpath,{0}/lib".format(
            libcxx
        ),
    ),
    ("rsan_clangxx", config.rsan_clangxx),
    ("rsan_clang", config.rsan_clang),
    ("stock_clangxx", config.stock_clangxx),
    ("stock_clang", config.stock_clang),
    # As the driver prints it: it resolves links.
    ("resource_dir", os.path.realpath(config.resource_dir)),
    ("stock_resource_dir", config.llvm_prefix + "/lib/clang/" + config.llvm_major),
    ("source_dir", config.source_dir),
    ("build_dir", config.build_dir),
    ("llvm_major", config.llvm_major),
    ("llvm_prefix", config.llvm_prefix),
    ("llvm_source_dir", config.llvm_source_dir),
    ("cmake", config.cmake),
    # -load as well: options are parsed before pass plugins are loaded.
    (
        "opt",
        "{0}/bin/opt -load={1}/lib/librsan-pass.so -load-pass-plugin={1}/lib/librsan-pass.so".format(
            config.llvm_prefix, config.resource_dir
        ),
    ),
]:
    config.substitutions.append((r"%" + name + r"\b", value))
for tool in ["FileCheck", "count", "not", "split-file"]:
    config.substitutions.append((r"(?<![-\w/.%])" + tool + r"(?![-\w/.])", config.llvm_prefix + "/bin/" + tool))

# For %build and %buildxx of the folders' own configurations: Debian's default linker takes twice lld's time for a small
# program and the runtime. The driver's own link line is the business of driver/ and of all tests outside of lit's.
config.lld = " --start-no-unused-arguments -fuse-ld=lld --end-no-unused-arguments"
