// CUDA's libraries of headers, CUB, Thrust and libcu++, which programs may include where they are installed.
#pragma once

#include "support/diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>

namespace heddle::cudacpp {

/// Whether "cub/block/block_reduce.cuh", as a program includes it, would be one of their headers.
bool isLibraryHeader(llvm::StringRef path);

/// The header that a file of theirs is, as a program includes it; empty for other files.
///
///     /usr/local/cuda/include/cccl/cub/device/device_reduce.cuh  ->  cub/device/device_reduce.cuh
llvm::StringRef libraryHeader(llvm::StringRef file);

/// A program includes one of them, and was compiled without their folder.
struct LibrariesMissing : CompileError {
  using CompileError::CompileError;
};

/// The folder with `cub`, `cuda`, `nv` and `thrust`; empty if there is none. The finder knows it, or it is that of the
/// toolkit, which $CUDA_PATH or $CUDA_HOME names, or which is in /usr/local/cuda.
std::string librariesFolder();

/// Whether a folder has NVIDIA's own headers: a toolkit's, or these libraries. Programs name it for compilers that
/// bring none; here ours are read, and the libraries that `librariesFolder` finds.
bool isFolderOfNvidias(llvm::StringRef folder);

/// Sets the finder, which returns the folder or an empty text. Any thread may call it.
void setLibrariesFinder(std::function<std::string()> find);

/// The standard library's headers that are libcu++'s in a program that uses these libraries: they bring their own parts
/// of namespace std, which ours would be declared beside. Those that libcu++ lacks are empty.
llvm::ArrayRef<llvm::StringRef> headersOfLibcu();

} // namespace heddle::cudacpp
