// Explains mistakes in uses of CUB and Thrust that Clang reports inside their headers.
#pragma once

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle::cudacpp {

struct LibraryMistake {
  clang::SourceLocation where; ///< location in the program
  std::string message, hint;
};

/// Detects a host-only header, such as cub/device/device_reduce.cuh, from an error that Clang reports in it or in a
/// header that it includes. Returns nothing if the error has another cause.
std::optional<LibraryMistake> explainHostOnlyHeader(const clang::SourceManager &sources,
                                                    clang::SourceLocation where,
                                                    llvm::StringRef message);

/// Explains a "no matching function" error in a kernel for which Clang's `note` names `candidate`, a Thrust host
/// algorithm: the call lacks an execution policy. Returns an empty string if that is not the cause.
std::string explainMissingPolicy(const clang::SourceManager &sources,
                                 clang::SourceLocation candidate, llvm::StringRef message,
                                 llvm::StringRef note);

} // namespace heddle::cudacpp
