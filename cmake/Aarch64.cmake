# Toolchain: cross-compiles for AArch64 Linux with the machine's own Clang, and with Debian's arm64 packages, which
# scripts/aarch64/make_root.sh unpacks in build/roots/aarch64. qemu-user runs the programs that the build needs.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/roots/aarch64 REALPATH)

set(llvm /usr/lib/llvm-22)
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET ${CMAKE_LIBRARY_ARCHITECTURE})
endforeach()
set(CMAKE_C_COMPILER ${llvm}/bin/clang)
set(CMAKE_CXX_COMPILER ${llvm}/bin/clang++)
foreach(tool AR NM RANLIB STRIP OBJCOPY)
  string(TOLOWER ${tool} name)
  set(CMAKE_${tool} ${llvm}/bin/llvm-${name})
endforeach()
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -fuse-ld=lld)
endforeach()

# Libraries and headers are the target's, programs the machine's.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(LLVM_DIR ${CMAKE_SYSROOT}/usr/lib/llvm-22/lib/cmake/llvm)

find_program(HEDDLE_QEMU NAMES qemu-aarch64 qemu-aarch64-static REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${HEDDLE_QEMU} -L ${CMAKE_SYSROOT})
