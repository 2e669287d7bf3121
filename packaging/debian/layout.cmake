# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Run by cpack on the files of the package: links from where the system looks into /usr/lib/rsan.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
set(usr "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr")
set(tree "${usr}/lib/rsan")

# dpkg-shlibdeps asks what each shared library needs, and knows those of this system alone: shared runtimes
# for other processors (RSAN_TARGETS) are left out. The static ones, which are the default, are there.
set(processor_amd64 x86_64)
set(processor_arm64 aarch64)
file(GLOB runtimes "${tree}/lib/clang/*/lib/linux/libclang_rt.rsan-*.so")
list(FILTER runtimes EXCLUDE REGEX "rsan-${processor_${CPACK_DEBIAN_PACKAGE_ARCHITECTURE}}[.]so$")
if(runtimes)
  file(REMOVE ${runtimes})
endif()

# Makes the link usr/NAME to TARGET, which is relative to the link's folder.
function(rsan_link name target)
  get_filename_component(folder "${usr}/${name}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  if(NOT EXISTS "${folder}/${target}")
    message(FATAL_ERROR "/usr/${name} would be a link to nothing: ${target}")
  endif()
  file(CREATE_LINK "${target}" "${usr}/${name}" SYMBOLIC)
endfunction()

# The archive tools and the scanner of modules for CMake, which looks beside the compiler by the compiler's own link.
foreach(program rsan rsan-clang rsan-clang++ rsan-edit rsan-replay rsan-symbolize rsan-llvm-ar rsan-llvm-ranlib
        rsan-clang-scan-deps cargo-rsan rsan-gcc rsan-g++ rsan-gcc-ar rsan-gcc-ranlib)
  rsan_link(bin/${program} ../lib/rsan/bin/${program})
  if(NOT program MATCHES "llvm|scan-deps|rsan-g|cargo")
    set(bash share/bash-completion/completions/${program})
    rsan_link(${bash} ../../../lib/rsan/${bash})
    set(fish share/fish/vendor_completions.d/${program}.fish)
    rsan_link(${fish} ../../../lib/rsan/${fish})
  endif()
endforeach()
rsan_link(share/zsh/vendor-completions/_rsan ../../../lib/rsan/share/zsh/vendor-completions/_rsan)
file(GLOB headers RELATIVE "${tree}/include" "${tree}/include/*.h")
foreach(header IN LISTS headers)
  rsan_link(include/${header} ../lib/rsan/include/${header})
endforeach()
rsan_link(share/rsan/rsan.rs ../../lib/rsan/share/rsan/rsan.rs)
rsan_link(lib/cmake/RSan ../rsan/lib/cmake/RSan)
# clang looks for `--config=rsan.cfg` in the folder that it is in. The file there is no link, because <CFGDIR> would then be
# that folder.
file(COPY "${CPACK_RSAN_DEBIAN}/rsan.cfg" DESTINATION "${usr}/lib/llvm-${CPACK_RSAN_LLVM}/bin" NO_SOURCE_PERMISSIONS)

# pkg-config does not follow links when it says where a file is. It looks in share/ when it builds for other machines, too.
file(READ "${tree}/lib/pkgconfig/rsan.pc" text)
string(REPLACE "\${pcfiledir}/../.." "/usr/lib/rsan" text "${text}")
file(WRITE "${usr}/share/pkgconfig/rsan.pc" "${text}")

# Manual pages are packed in a Debian package, and the same page must not be there twice.
file(GLOB pages RELATIVE "${tree}/share/man/man1" "${tree}/share/man/man1/*.1")
file(MAKE_DIRECTORY "${usr}/share/man/man1")
foreach(page IN LISTS pages)
  file(RENAME "${tree}/share/man/man1/${page}" "${usr}/share/man/man1/${page}")
  execute_process(COMMAND gzip -9n "${usr}/share/man/man1/${page}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(REMOVE_RECURSE "${tree}/share/man")

file(MAKE_DIRECTORY "${usr}/share/doc")
file(RENAME "${tree}/share/doc/rsan" "${usr}/share/doc/rsan")
file(REMOVE_RECURSE "${tree}/share/doc")
# Debian's name for it.
file(RENAME "${usr}/share/doc/rsan/CHANGELOG.md" "${usr}/share/doc/rsan/changelog")
execute_process(COMMAND gzip -9n "${usr}/share/doc/rsan/changelog" COMMAND_ERROR_IS_FATAL ANY)
file(COPY_FILE "${CPACK_RSAN_DEBIAN}/copyright" "${usr}/share/doc/rsan/copyright")
file(MAKE_DIRECTORY "${usr}/share/lintian/overrides")
configure_file("${CPACK_RSAN_DEBIAN}/lintian-overrides" "${usr}/share/lintian/overrides/rsan" @ONLY)

# One entry, of this version; its time is the package's (SOURCE_DATE_EPOCH).
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${usr}/share/doc/rsan/changelog.Debian"
  "rsan (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) stable; urgency=medium\n\n"
  "  * See CHANGELOG.md.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
execute_process(COMMAND gzip -9n "${usr}/share/doc/rsan/changelog.Debian" COMMAND_ERROR_IS_FATAL ANY)
