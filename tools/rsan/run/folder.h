// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef FOLDER_H
#define FOLDER_H

// Both lock the folder until the process ends: what two processes write there would be mixed up.

// The absolute path of a folder for runs: OUTPUT, made if need be, which must not hold runs
// already, or a new temporary one if it is NULL. In static memory; NULL after a message by NAME.
const char *run_folder_make(const char *name, const char *output);

// The absolute path of a folder in which runs go on that were begun before, of which it has the
// file KEPT. In static memory; NULL after a message by NAME,
// as that there is MISSING ("nothing") to go on with.
const char *run_folder_resume(const char *name, const char *folder, const char *kept,
                              const char *missing);

#endif
