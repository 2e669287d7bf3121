// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PREFIX_H
#define PREFIX_H

// Where this program is installed: the folder that has bin/ in it. Never ends in a slash.
const char *install_prefix(void);

#endif
