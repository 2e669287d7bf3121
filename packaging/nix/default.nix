# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# RSan for Nix: `nix-build packaging/nix` in a checkout. Its syntax, the names of its options and what it takes from nixpkgs are
# tested (packaging-recipe); it has not been built.
{
  pkgs ? import <nixpkgs> { },
  release ? 19, # one of cmake/llvm-releases.txt
}:

let
  inherit (pkgs) lib;
  llvm = pkgs."llvmPackages_${toString release}";

  # CMake looks for all of LLVM below one prefix, which is that of llvm-config; nixpkgs has a folder for each part.
  tree = pkgs.symlinkJoin {
    name = "llvm-${toString release}-for-rsan";
    paths = [
      llvm.llvm
      (lib.getDev llvm.llvm)
      (lib.getLib llvm.llvm)
      llvm.clang-unwrapped
      (lib.getDev llvm.clang-unwrapped)
      (lib.getLib llvm.clang-unwrapped)
      llvm.compiler-rt
      llvm.lld
    ];
    postBuild = ''
      rm "$out/bin/llvm-config"
      cat >"$out/bin/llvm-config" <<END
      #!${pkgs.runtimeShell}
      if [ "\$1" = --prefix ]; then
        echo "$out"
      else
        exec ${lib.getDev llvm.llvm}/bin/llvm-config "\$@"
      fi
      END
      chmod +x "$out/bin/llvm-config"
    '';
  };

  project = builtins.readFile ../../CMakeLists.txt;
in
llvm.stdenv.mkDerivation {
  pname = "rsan";
  version = builtins.elemAt (builtins.match ".*project\\(RSan VERSION ([0-9.]+).*" project) 0;
  src = lib.cleanSource ../..;

  nativeBuildInputs = [
    pkgs.cmake
    pkgs.ninja
    pkgs.python3
  ];
  buildInputs = [
    pkgs.cjson
    pkgs.elfutils
    pkgs.libarchive
    pkgs.libmd
    pkgs.tomlplusplus
    pkgs.zlib
    pkgs.zstd
  ];
  cmakeFlags = [
    "-DRSAN_LLVM=${toString release}"
    "-DRSAN_LLVM_CONFIG=${tree}/bin/llvm-config"
    "-DRSAN_LLVM_SOURCE_DIR=${llvm.llvm.monorepoSrc}"
  ];

  meta = {
    description = "Robustness sanitizer for C and C++ atomics";
    license = [
      lib.licenses.asl20
      lib.licenses.llvm-exception
    ];
    platforms = [ "x86_64-linux" ];
    mainProgram = "rsan";
  };
}
