# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tests/tsan-suite as it is. Each program is called once, and while calls are recorded the tools find
# everything right.
import os

lit_config.load_config(config, config.source_dir + "/tests/tsan-suite/lit.cfg.py")
config.substitutions.insert(0, ("%deflake ", "" if config.arm_tools else config.test_source_root + "/deflake.bash 1 "))
if config.arm_tools:
    config.environment["PATH"] = config.arm_tools + os.pathsep + config.environment["PATH"]
