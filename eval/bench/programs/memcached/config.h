// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memcached's configure would find on Debian 12, x86-64.

#ifndef MEMCACHED_CONFIG_H
#define MEMCACHED_CONFIG_H

#define _GNU_SOURCE 1
#define PACKAGE     "memcached"
#define VERSION     "1.6.18"

#define ENDIAN_LITTLE      1
#define HAVE_ACCEPT4       1
#define HAVE_CLOCK_GETTIME 1
#define HAVE_EVENTFD       1
#define HAVE_GCC_64ATOMICS 1
#define HAVE_GCC_ATOMICS   1
#define HAVE_GETOPT_LONG   1
#define HAVE_SIGIGNORE     1

#include <inttypes.h>
#include <stdbool.h>
#include <sys/types.h>

#endif
