#include "frontend/python/ssa/ir.h"

#include "frontend/python/syntax/syntax.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <map>

namespace heddle::python {

void fail(const FunctionSource &source, Span span, ErrorKind kind, std::string message,
          std::string underlined, std::string hint, std::vector<std::string> notes) {
  throw CompileError(Diagnostic{.kind = kind,
                                .message = std::move(message),
                                .file = source.text.file,
                                .span = span,
                                .sourceLine = source.text.line(span.line),
                                .underlined = std::move(underlined),
                                .notes = std::move(notes),
                                .hint = std::move(hint)});
}

namespace {

/// The edit distance (insert, delete, replace, swap neighbors) of two words.
size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (!i || !j) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

} // namespace

std::string findClosestName(const std::string &wrong, const std::vector<std::string> &candidates) {
  std::string best;
  size_t least = std::min<size_t>(3, (wrong.size() + 1) / 3) + 1; // of one letter, only the case
  if (wrong.size() > 64)
    return best;
  for (const std::string &candidate : candidates) {
    if (candidate.size() > wrong.size() + 3 || wrong.size() > candidate.size() + 3)
      continue;
    if (candidate == wrong)
      continue;
    if (llvm::StringRef(candidate).equals_insensitive(wrong))
      return candidate;
    size_t d = editDistance(wrong, candidate);
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

} // namespace heddle::python
