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

/// The standard that the parsed prelude is made for.
inline constexpr const char *preludeStandard = "c++17";
/// Clang's own file of heddle/read_ahead.h already parsed, which saves most of a compilation's time; empty in the tool
/// that makes it.
llvm::StringRef parsedPrelude();

} // namespace heddle::cudacpp
