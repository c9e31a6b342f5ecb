// The embedded headers for CUDA C++ programs.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace heddle::cudacpp {

struct Header {
  llvm::StringRef path; ///< as programs include it: "cuda_fp16.h", "cupy/complex.cuh"
  llvm::StringRef text; ///< followed by a NUL
};

llvm::ArrayRef<Header> embeddedHeaders();

/// The folder of these headers for Clang: a prefix of their file names in source locations.
inline constexpr const char *headerFolder = "/heddle/include/";

/// True if a file is an embedded header.
inline bool isDeviceHeader(llvm::StringRef file) { return file.starts_with(headerFolder); }

/// The precompiled form of heddle/read_ahead.h for a standard ("c++17"), which saves most of the compile time. Empty
/// for other standards, and in the tool that creates it.
llvm::StringRef parsedPrelude(llvm::StringRef standard);

} // namespace heddle::cudacpp
