#include "runtime/cuda/code/inline_ptx_errors.h"

#include "backend/nvptx/operations/name_inline_ptx.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace heddle::cuda {

using llvm::StringRef;

namespace {

/// The source location of the inline PTX at line `number`, counted from 0; empty for other lines. If the PTX lacks its
/// last semicolon, the assembler reports the line after it.
StringRef sourceLocationOf(llvm::ArrayRef<StringRef> lines, size_t number) {
  for (size_t at = std::min(number, lines.size() - 1) + 1; at-- > 0;) {
    StringRef line = lines[at].trim();
    if (line == "// end inline asm" && at + 1 < number)
      return {};
    if (line.consume_front(nvptx::inlinePtxMark))
      return line;
  }
  return {};
}

} // namespace

std::string findInlinePtxError(const std::string &ptx, const std::string &log) {
  llvm::SmallVector<StringRef> lines, messages;
  StringRef(ptx).split(lines, '\n');
  StringRef(log).split(messages, '\n');
  for (StringRef message : messages) { // "ptxas application ptx input, line 34; error   : ..."
    StringRef rest = message.split(", line ").second;
    size_t number = 0;
    if (rest.consumeInteger(10, number) || number == 0 || number > lines.size())
      continue;
    StringRef place = sourceLocationOf(lines, number - 1);
    if (!place.empty())
      return place.str() + ": inline PTX: " + rest.split(':').second.trim().str() + "\n   | " +
             lines[number - 1].trim().str();
  }
  return {};
}

} // namespace heddle::cuda
