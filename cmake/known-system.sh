# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2034 # for the scripts that read this
#
# find_system FOLDER: sets $system, the distribution's name and version, and $packages, the file in FOLDER
# (cmake/packages) that has its packages. If there is none, $packages is empty.
#
# Environment: RSAN_OS_RELEASE   read in place of /etc/os-release (for the tests)

os_field() { # NAME
  sed -n "s/^$1=//p" "${RSAN_OS_RELEASE:-/etc/os-release}" 2>/dev/null | tr -d "\"'" || true
}

find_system() {
  local id version
  id=$(os_field ID)
  version=$(os_field VERSION_ID)
  system=${id:-unknown}${version:+ $version}
  packages=$1/$id-$version.txt
  [ -n "$version" ] && [[ $id$version != */* ]] && [ -f "$packages" ] || packages=''
}

# The systems that FOLDER has, as a user knows them: Debian 12, Debian 13, Ubuntu 24.04 (untried).
known_systems() { # FOLDER
  local file names='' untried
  for file in "$1"/*.txt; do
    untried=$(grep -q '^# Untried' "$file" && echo ' (untried)' || true)
    names+=", $(sed -n '3s/^# \(.*\) packages .*/\1/p' "$file")$untried"
  done
  echo "${names#, }"
}
