#include "frontend/python/ir.h"

#include "frontend/python/library.h"
#include "frontend/python/syntax.h"

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

/// Edits (insert, delete, replace, swap neighbours) between two words.
size_t distance(const std::string &a, const std::string &b) {
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

std::string nearest(const std::string &wrong, const std::vector<std::string> &candidates) {
  std::string best;
  size_t least = std::min<size_t>(3, wrong.size() / 3 + 1) + 1;
  if (wrong.size() > 64)
    return best;
  for (const std::string &candidate : candidates) {
    if (candidate.size() > wrong.size() + 3 || wrong.size() > candidate.size() + 3)
      continue;
    if (candidate == wrong)
      continue;
    if (llvm::StringRef(candidate).equals_insensitive(wrong))
      return candidate;
    size_t d = distance(wrong, candidate);
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

namespace {

std::string_view nameOf(Opcode opcode) {
  static constexpr std::string_view names[] = {
      "parameter", "constant", "global",    "undefined", "phi",        "unary", "binary",
      "compare",   "truth",    "attribute", "index",     "storeindex", "call",  "tuple",
      "unpack",    "starred",  "closure",   "unwrap",    "slice",      "count", "item",
      "advance",   "more",     "raise",     "jump",      "branch",     "return"};
  return names[unsigned(opcode)];
}

std::string detailOf(const Value &v) {
  switch (v.opcode) {
  case Opcode::Unary:
    return std::string(symbolOf(UnaryOp(v.op)));
  case Opcode::Binary:
    return std::string(symbolOf(BinaryOp(v.op)));
  case Opcode::Compare:
    return std::string(symbolOf(CompareOp(v.op)));
  case Opcode::Unpack:
    return std::to_string(v.index);
  default:
    return v.callee           ? v.callee->symbol
           : v.library        ? v.library->name
           : v.name[0] == '.' ? ""
                              : v.name;
  }
}

} // namespace

std::string print(const TypedFunction &f) {
  std::map<const Value *, unsigned> numbers;
  for (auto &block : f.blocks)
    for (const Value *v : block->values)
      numbers.emplace(v, numbers.size());
  std::string out = f.symbol + "(";
  for (size_t i = 0; i < f.parameters.size(); ++i)
    out += (i ? ", " : "") + f.source->parameters[i].name + ": " + f.parameters[i].name();
  out += ") -> " + f.result.name() + "\n";
  for (auto &block : f.blocks) {
    if (!block->reachable)
      continue;
    out += "block " + std::to_string(block->number) + ":\n";
    for (const Value *v : block->values) {
      out += "  %" + std::to_string(numbers[v]) + " = " + std::string(nameOf(v->opcode));
      std::string detail = detailOf(*v);
      out += detail.empty() ? "" : " " + detail;
      for (const Value *operand : v->operands)
        out += " %" + std::to_string(numbers[operand]);
      if (v->constant)
        out += " " + v->constant->describe();
      for (const Block *s : block->successors)
        if (v == block->values.back())
          out += " block " + std::to_string(s->number);
      out += "  :: " + v->type.name() + "  # line " + std::to_string(v->span.line) + "\n";
    }
  }
  return out;
}

} // namespace heddle::python
