#include "frontend/cuda/explain.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallString.h"

namespace heddle::cudacpp {

using namespace clang;
using llvm::StringRef;

namespace {

/// A sentence for mistakes that programs written for nvcc, or for a host, often have.
const char *hintFor(StringRef message) {
  struct Known {
    const char *part, *hint;
  };
  static constexpr Known table[] = {
      {"reference to __host__ function", "mark it __device__ to call it from a kernel"},
      {"'threadIdx'", "threadIdx, blockIdx, blockDim and gridDim are there in __global__ and __device__ functions only"},
      {"file not found", "headers come from the folders that -I names, and from CUDA's device headers; those of the host are not there"},
      {"cannot use 'throw'", "kernels have no exceptions: write an error code to an array, or use assert"},
      {"cannot use 'try'", "kernels have no exceptions"},
      {"must have void return type", "a kernel writes its results to memory that its pointers name"},
      {"kernel call", "launch kernels from Python; a kernel starts no others"},
      {"variable length array", "an array in a kernel has a constant size: use extern __shared__, or pass memory in"},
      {"dynamic initialization is not supported", "set it in a kernel, or from Python through get_global()"},
      {"initialization is not supported for __shared__", "assign to it in the kernel, then call __syncthreads()"},
  };
  for (const Known &known : table)
    if (message.contains(known.part))
      return known.hint;
  return nullptr;
}

/// The source line at `where` with a caret below; empty when there is none.
std::string excerpt(const SourceManager &sources, SourceLocation where) {
  PresumedLoc place = sources.getPresumedLoc(where);
  auto [file, offset] = sources.getDecomposedLoc(where);
  bool invalid = false;
  StringRef text = sources.getBufferData(file, &invalid);
  if (place.isInvalid() || invalid)
    return {};
  size_t begin = text.rfind('\n', offset ? offset - 1 : 0);
  begin = begin == StringRef::npos || offset == 0 ? 0 : begin + 1;
  if (offset < begin)
    begin = offset;
  StringRef line = text.slice(begin, text.find('\n', begin));
  constexpr size_t longest = 200;
  if (line.size() > longest)
    return {};
  std::string number = std::to_string(place.getLine());
  std::string caret;
  for (size_t i = begin; i < offset; ++i)
    caret += text[i] == '\t' ? '\t' : ' ';
  std::string out = "   " + number + " | " + line.str() + "\n";
  return out + "   " + std::string(number.size(), ' ') + " | " + caret + "^\n";
}

} // namespace

void DiagnosticCollector::HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  if (level == DiagnosticsEngine::Ignored || level == DiagnosticsEngine::Remark)
    return;
  llvm::SmallString<200> message;
  info.FormatDiagnostic(message);
  std::string text;
  if (info.hasSourceManager() && info.getLocation().isValid()) {
    const SourceManager &sources = info.getSourceManager();
    SourceLocation where = sources.getFileLoc(info.getLocation());
    PresumedLoc place = sources.getPresumedLoc(where);
    if (place.isValid())
      text += std::string(place.getFilename()) + ":" + std::to_string(place.getLine()) + ":" +
              std::to_string(place.getColumn()) + ": ";
    bool isError = level >= DiagnosticsEngine::Error;
    text += (isError ? "" : level == DiagnosticsEngine::Note ? "note: " : "warning: ") +
            message.str().str() + "\n" + excerpt(sources, where);
  } else {
    text = message.str().str() + "\n";
  }
  if (level >= DiagnosticsEngine::Error)
    if (const char *hint = hintFor(message))
      text += std::string("  hint: ") + hint + "\n";
  if (level != DiagnosticsEngine::Note)
    afterWarning_ = level == DiagnosticsEngine::Warning;
  (afterWarning_ ? warnings_ : errors_) += text;
}

} // namespace heddle::cudacpp
