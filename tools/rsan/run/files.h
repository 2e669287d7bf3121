// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef RUN_FILES_H
#define RUN_FILES_H

// Removes all folders of runs in the folder, and the folder if nothing else is in it.
void run_folders_remove(const char *folder);

#endif
