// Mistakes with CUB and Thrust that Clang reports inside their headers, in the words of the program that includes them.
#pragma once

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle::cudacpp {

struct LibraryMistake {
  clang::SourceLocation where; ///< in the program
  std::string message, hint;
};

/// A header that only programs of the host can use, such as cub/device/device_reduce.cuh: an error of Clang in it, or in
/// what it includes.
std::optional<LibraryMistake> headerOfTheHost(const clang::SourceManager &sources,
                                              clang::SourceLocation where, llvm::StringRef message);

/// What a call in a kernel lacks, of which Clang said that nothing matches it, where the candidate at `candidate` is one of
/// Thrust's functions for the host: the execution policy. Empty where that is not the reason.
std::string missingPolicy(const clang::SourceManager &sources, clang::SourceLocation candidate,
                          llvm::StringRef message, llvm::StringRef note);

} // namespace heddle::cudacpp
