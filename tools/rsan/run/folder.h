// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FOLDER_H
#define FOLDER_H

// The absolute path of a folder for runs: OUTPUT, made if need be, which must not hold runs
// already, or a new temporary one if it is NULL. In static memory; NULL after a message by NAME.
const char *run_folder_make(const char *name, const char *output);

#endif
