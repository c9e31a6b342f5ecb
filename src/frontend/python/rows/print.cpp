#include "frontend/python/rows/print.h"

#include "frontend/python/rows/row.h"
#include "frontend/python/syntax/syntax.h"

#include <map>

namespace heddle::python {

namespace {

std::string_view nameOfOpcode(Opcode opcode) {
  static constexpr std::string_view names[] = {
      "parameter", "constant",  "global",  "undefined",  "phi",     "unary",  "binary",  "compare",
      "truth",     "attribute", "index",   "storeindex", "call",    "tuple",  "list",    "dict",
      "set",       "unpack",    "starred", "closure",    "choose",  "unwrap", "slice",   "count",
      "item",      "advance",   "more",    "parallel",   "assigns", "caught", "catches", "raise",
      "protect",   "jump",      "branch",  "return",     "yield"};
  static_assert(std::size(names) == size_t(Opcode::Yield) + 1);
  return names[unsigned(opcode)];
}

std::string formatOperatorOrCallee(const Value &v) {
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

std::string formatTypedFunction(const TypedFunction &f) {
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
      out += "  %" + std::to_string(numbers[v]) + " = " + std::string(nameOfOpcode(v->opcode));
      std::string detail = formatOperatorOrCallee(*v);
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
