#include "simt/analysis/lane_shapes.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// Excludes i1, which alternates from lane to lane: a branch on it is divergent.
bool isStridableType(Type *type) {
  return (type->isIntegerTy() && !type->isIntegerTy(1)) || type->isPointerTy();
}

LaneShape addShapes(LaneShape a, LaneShape b) {
  if (a.kind == LaneShape::Varying || b.kind == LaneShape::Varying)
    return LaneShape::varying();
  int64_t sum;
  if (a.hasRuntimeStride() || b.hasRuntimeStride() || AddOverflow(a.stride, b.stride, sum))
    return LaneShape::runtimeStride();
  return LaneShape::strided(sum);
}

} // namespace

LaneShape ShapeRules::merge(LaneShape a, LaneShape b) const {
  if (a == b || b.kind == LaneShape::Unknown || (isEstimate() && b.isUniform()))
    return a;
  return a.kind == LaneShape::Unknown || (isEstimate() && a.isUniform()) ? b : LaneShape::varying();
}

LaneShape ShapeRules::shapeOfResult(const Instruction &i) const {
  if (all_of(i.operands(), [&](const Use &operand) { return shapeOf(*operand).isUniform(); }))
    return LaneShape::uniform();
  if (!isStridableType(i.getType()))
    return LaneShape::varying();
  if (std::optional<Terms> terms = termsOf(i)) {
    LaneShape sum = LaneShape::uniform();
    for (const Term &term : *terms)
      sum = addShapes(sum, shapeOfProduct(term));
    return sum;
  }
  if (isEstimate())
    if (std::optional<LaneShape> shape = shapeOfClamp(i))
      return *shape;
  auto shape = [&](unsigned operand) { return shapeOf(*i.getOperand(operand)); };
  switch (i.getOpcode()) {
  case Instruction::Shl: // by a uniform number of bits
    return shape(1).isUniform() ? addShapes(shape(0), LaneShape::runtimeStride())
                                : LaneShape::varying();
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::And:
  case Instruction::Xor:
    return shapeOfMaskOrShift(i);
  case Instruction::Select:
    return shape(0).isUniform() ? merge(shape(1), shape(2)) : LaneShape::varying();
  default:
    return LaneShape::varying();
  }
}

std::optional<Terms> ShapeRules::termsOf(const Value &v) const {
  std::optional<Terms> terms = simt::termsOf(v, view_, layout_);
  if (!terms)
    return std::nullopt;
  for (Term &term : *terms) {
    if (term.variableFactor && !shapeOf(*term.variableFactor).isUniform())
      std::swap(term.value, term.variableFactor);
    auto *index = dyn_cast<IntegerType>(term.value->getType());
    bool isExtended = isa<GEPOperator>(v) && index &&
                      index->getBitWidth() < layout_.getIndexTypeSizeInBits(v.getType());
    if ((term.variableFactor && !shapeOf(*term.variableFactor).isUniform()) ||
        (isExtended && !shapeOf(*term.value).isUniform() && !keepsShapeWhenExtended(*term.value)))
      return std::nullopt;
  }
  const auto *i = dyn_cast<Instruction>(&v);
  if ((isa_and_present<PossiblyDisjointInst>(i) && !canTreatOrAsSum(*i)) ||
      (isa_and_present<ZExtInst, SExtInst>(i) && !keepsShapeWhenExtended(*i->getOperand(0))))
    return std::nullopt;
  return terms;
}

/// Returns true if computing with the value in wider integers gives the same stride.
bool ShapeRules::keepsShapeWhenExtended(const Value &v) const {
  LaneShape shape = shapeOf(v);
  return isEstimate() || (shape.isStrided() && hasNoWrapAcrossLanes(v, shape.stride));
}

/// Returns true for a sum of lane bits and uniform ones, which share no bit.
bool ShapeRules::canTreatOrAsSum(const Instruction &either) const {
  bool first = shapeOf(*either.getOperand(1)).isUniform();
  return isEstimate() || (keepsShapeWhenExtended(*either.getOperand(first ? 0 : 1)) &&
                          shapeOf(*either.getOperand(first ? 1 : 0)).isUniform());
}

LaneShape ShapeRules::shapeOfProduct(const Term &term) const {
  LaneShape shape = shapeOf(*term.value);
  int64_t stride;
  if (shape.isUniform() || shape.isVarying())
    return shape;
  return term.variableFactor || MulOverflow(shape.stride, term.factor, stride)
             ? LaneShape::runtimeStride()
             : LaneShape::strided(stride);
}

/// Computes warp and lane indices from bits: in lanes that do not wrap, the upper bits are uniform and the lower bits
/// are strided.
LaneShape ShapeRules::shapeOfMaskOrShift(const Instruction &i) const {
  const Value &v = *i.getOperand(0);
  const auto *number = dyn_cast<ConstantInt>(i.getOperand(1));
  LaneShape shape = shapeOf(v);
  if (!lanes_ || !number || number->getBitWidth() > 64 || !shape.isStrided() || shape.stride < 0 ||
      shape.stride >= int64_t(1) << 32 || !hasNoWrapAcrossLanes(v, shape.stride))
    return LaneShape::varying();
  uint64_t span = lanes_ * PowerOf2Ceil(uint64_t(shape.stride)), bits = number->getZExtValue();
  switch (i.getOpcode()) {
  case Instruction::LShr:
  case Instruction::AShr:
    return bits >= Log2_64(span) ? LaneShape::uniform() : LaneShape::varying();
  case Instruction::Xor:
    return bits % span == 0 ? shape : LaneShape::varying();
  default:
    if (bits % span == 0)
      return LaneShape::uniform();
    return isMask_64(bits) && bits + 1 >= span ? shape : LaneShape::varying();
  }
}

std::optional<LaneShape> ShapeRules::shapeOfClamp(const Instruction &i) const {
  auto shape = [&](unsigned operand) { return shapeOf(*i.getOperand(operand)); };
  switch (i.getOpcode()) {
  case Instruction::Select:
    return merge(shape(1), shape(2));
  case Instruction::Call:
    return isa<MinMaxIntrinsic>(i) ? std::optional(merge(shape(0), shape(1))) : std::nullopt;
  case Instruction::URem:
  case Instruction::SRem: // by an extent: most threads of a row do not reach its end
    return !isa<llvm::Constant>(i.getOperand(1)) && shape(1).isUniform() ? std::optional(shape(0))
                                                                         : std::nullopt;
  default:
    return std::nullopt;
  }
}

} // namespace heddle::simt
