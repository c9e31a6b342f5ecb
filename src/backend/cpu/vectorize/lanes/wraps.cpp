#include "backend/cpu/vectorize/lanes/wraps.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Returns true if an operation on an increasing value and `uniform` is uniform except where it steps, and false if it
/// is strided except where it wraps; nullopt for other operations.
std::optional<bool> classifyStepOrWrap(const BinaryOperator &number, Value &uniform) {
  switch (number.getOpcode()) {
  case Instruction::And:
    return match(&uniform, m_CombineOr(m_Neg(m_Value()), m_Not(m_Value())));
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::LShr:
  case Instruction::AShr:
    return true;
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::URem:
  case Instruction::SRem:
    return false;
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<Wrap> matchStepOrWrap(Instruction &i, const LaneShapes &shapes) {
  auto *number = dyn_cast<BinaryOperator>(&i);
  if (!number || !number->getType()->isIntegerTy() || !shapes.shapeOf(i).isVarying())
    return std::nullopt;
  for (unsigned increasing : {0u, 1u}) {
    Value &operand = *number->getOperand(increasing), &other = *number->getOperand(1 - increasing);
    bool isInOrder = increasing == 0 || number->isCommutative();
    if (!isInOrder || !shapes.isIncreasing(operand) || !shapes.shapeOf(other).isUniform())
      continue;
    if (std::optional<bool> isStepping = classifyStepOrWrap(*number, other))
      return Wrap{number, increasing, *isStepping ? 0 : shapes.shapeOf(operand).stride};
  }
  return std::nullopt;
}

LinearizedWrap linearizeStepOrWrap(const Wrap &wrap, const LaneShapes &shapes, unsigned width) {
  Value *increasing = wrap.number->getOperand(wrap.increasing);
  auto *type = cast<IntegerType>(wrap.number->getType());
  uint64_t groupSpan =
      width * uint64_t(shapes.shapeOf(*increasing).stride); // divides the first lane's value
  IRBuilder<> b(wrap.number->getNextNode());
  auto numberOf = [&](Value *of) {
    Instruction *made = wrap.number->clone();
    made->setOperand(wrap.increasing, of);
    return b.Insert(made);
  };
  Value *start = b.CreateAnd(increasing, ConstantInt::getSigned(type, -int64_t(groupSpan)));
  Value *end = b.CreateOr(start, ConstantInt::get(type, groupSpan - groupSpan / width), "",
                          /*IsDisjoint=*/true);
  Value *first = numberOf(start), *last = numberOf(end);
  if (wrap.stride == 0) // It is monotonic, so equal ends mean a uniform value.
    return {b.CreateICmpEQ(first, last), first};
  // From lane to lane, it increases by at most the stride.
  Value *span = ConstantInt::get(type, uint64_t(wrap.stride) * (width - 1));
  Value *holds =
      b.CreateAnd(b.CreateICmpEQ(b.CreateSub(last, first), span),
                  b.CreateAnd(b.CreateICmpSLE(first, last), b.CreateICmpULE(first, last)));
  Value *beyondFirst = b.CreateAnd(increasing, ConstantInt::get(type, groupSpan - 1));
  return {holds, b.CreateAdd(first, beyondFirst, "", /*HasNUW=*/true, /*HasNSW=*/true)};
}

} // namespace heddle::cpu
