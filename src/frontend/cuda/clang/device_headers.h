// The headers of CUDA C++ programs, embedded.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace heddle::cudacpp {

struct Header {
  llvm::StringRef path; ///< as programs include it: "cuda_fp16.h", "cupy/complex.cuh"
  llvm::StringRef text; ///< followed by a NUL
};

llvm::ArrayRef<Header> embeddedHeaders();

/// Where Clang finds them, and so what the names of their files in locations begin with.
inline constexpr const char *headerFolder = "/heddle/include/";

/// Whether a file is one of them.
inline bool isDeviceHeader(llvm::StringRef file) { return file.starts_with(headerFolder); }

/// Clang's own file of heddle/read_ahead.h already parsed by a standard, "c++17", which saves most of a compilation's
/// time. Empty for a standard that has none, and in the tool that makes it.
llvm::StringRef parsedPrelude(llvm::StringRef standard);

} // namespace heddle::cudacpp
