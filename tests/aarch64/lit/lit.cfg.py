# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tests/lit as it is; while calls are recorded, with tools that find everything right.
lit_config.load_config(config, config.lit_source_dir + "/lit.cfg.py")
config.arm_tools and config.substitutions.__setitem__(slice(0, 0), [
    (r"(?<![-\w/.])" + tool + r"(?![-\w/.])", config.arm_tools + "/" + tool.lstrip("%"))
    for tool in ("FileCheck", "count", "not", "%exits")
])
