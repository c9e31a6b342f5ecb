// CUDA's header libraries (CUB, Thrust and libcu++). Programs may include them if they are installed.
#pragma once

#include "support/diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>

namespace heddle::cudacpp {

/// True if an include path such as "cub/block/block_reduce.cuh" names a library header.
bool isLibraryHeader(llvm::StringRef path);

/// The include path of a library's file on disk; empty for other files.
///
///     /usr/local/cuda/include/cccl/cub/device/device_reduce.cuh  ->  cub/device/device_reduce.cuh
llvm::StringRef libraryIncludePath(llvm::StringRef file);

/// Thrown if a program includes a library header and was compiled without the libraries' folder.
struct LibrariesMissing : CompileError {
  using CompileError::CompileError;
};

/// The folder that contains `cub`, `cuda`, `nv` and `thrust`; empty if there is none. Asks the finder first, then looks
/// in the CUDA toolkit at $CUDA_PATH, $CUDA_HOME or /usr/local/cuda.
std::string findLibrariesFolder();

/// True if a folder contains NVIDIA's headers: those of a toolkit, or these libraries. Programs pass its path for
/// compilers that bundle no headers. Heddle ignores the folder: it bundles headers, and finds the libraries in
/// `librariesFolder`.
bool isNvidiaFolder(llvm::StringRef folder);

/// Sets the finder, a thread-safe function that returns the folder or an empty string.
void setLibrariesFinder(std::function<std::string()> find);

/// The standard headers that libcu++ replaces in programs that use these libraries, because its definitions in
/// namespace std would conflict with those of Heddle's headers. Headers that libcu++ lacks are empty.
llvm::ArrayRef<llvm::StringRef> libcuHeaderNames();

} // namespace heddle::cudacpp
