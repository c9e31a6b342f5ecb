#include "frontend/python/infer/live_edges.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

/// True for a literal number, including Python's constant-folded expressions.
bool isLiteral(const Value &v) {
  return v.opcode == Opcode::Constant ||
         ((v.opcode == Opcode::Unary || v.opcode == Opcode::Binary) &&
          llvm::all_of(v.operands, [](const Value *operand) { return isLiteral(*operand); }));
}

/// True if a constant condition depends on a computed or converted number. Unlike literals, names and type questions,
/// it does not select the branch to compile: numba evaluates it at run time, and variables get the common type of both
/// branches.
bool dependsOnComputedNumber(const Value &v) {
  switch (v.opcode) {
  case Opcode::Truth:
  case Opcode::Compare:
    return llvm::any_of(v.operands,
                        [](const Value *operand) { return dependsOnComputedNumber(*operand); });
  case Opcode::Unary:
    if (UnaryOp(v.op) == UnaryOp::Not)
      return dependsOnComputedNumber(*v.operands[0]);
    [[fallthrough]];
  case Opcode::Binary:
    return v.constant && v.type.isScalar() && !isLiteral(v);
  case Opcode::Phi:
    return v.constant && v.type.isScalar();
  case Opcode::Call: {
    const std::optional<Constant> &callee = v.operands[0]->constant;
    return v.constant && callee && callee->kind == ConstantKind::Type;
  }
  default:
    return false;
  }
}

} // namespace

bool hasKnownBranch(const Value &condition) {
  return condition.constant && !dependsOnComputedNumber(condition);
}

bool isLiveEdge(const Block &from, const Block &to) {
  const Value &end = *from.values.back();
  if (end.opcode != Opcode::Branch || !hasKnownBranch(*end.operands[0]))
    return true;
  return from.successors[end.operands[0]->constant->integer ? 0 : 1] == &to;
}

} // namespace heddle::python
