// Formats Clang's diagnostics, and adds hints for known mistakes.
#pragma once

#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace clang {
class LangOptions;
}

namespace heddle::cudacpp {

/// Collects Clang's messages in the form
///
///     add.cu:3:14: use of undeclared identifier 'n'
///        3 |   if (i < n)
///          |           ^
///       hint: ...
class DiagnosticCollector : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override;

  bool failed() const { return !errors_.empty(); }
  const std::string &errors() const { return errors_; }
  const std::string &warnings() const { return warnings_; }
  /// The name of a missing header, as the program spells it; empty if no header is missing.
  const std::string &missingHeader() const { return missingHeader_; }

private:
  bool explainLibraryMistake(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info,
                             llvm::StringRef message);

  std::string errors_, warnings_, missingHeader_;
  unsigned warningCount_ = 0;
  bool afterWarning_ = false; ///< the next notes belong to a warning
  unsigned notes_ = 0;        ///< of the last error or warning
  std::string lastError_;     ///< its message, while notes may follow
  size_t endOfLastError_ = 0; ///< in errors_
  bool skipsNotes_ = false;   ///< drop notes of the last error, because it has an explanation
  bool isFull_ = false;       ///< drop further messages, because earlier errors cause them
};

} // namespace heddle::cudacpp
