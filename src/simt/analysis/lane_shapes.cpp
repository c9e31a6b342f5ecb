#include "simt/analysis/lane_shapes.h"

#include "simt/ir/checks.h"
#include "simt/thresholds.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Excludes i1, which alternates from lane to lane: a branch on it is divergent.
bool canHaveStride(Type *type) {
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

/// Matches `x < bound ? index + extent : index` with index == x - bound, and the same with swapped operands. Returns
/// `index`.
Value *matchIndexFromEnd(const Instruction &i) {
  CmpPredicate predicate;
  Value *x, *yes, *no;
  const APInt *bound, *added;
  if (!match(&i,
             m_Select(m_ICmp(predicate, m_Value(x), m_APInt(bound)), m_Value(yes), m_Value(no))) ||
      (predicate != ICmpInst::ICMP_SLT && predicate != ICmpInst::ICMP_SGT))
    return nullptr;
  Value *index = predicate == ICmpInst::ICMP_SLT ? no : yes;
  APInt start = predicate == ICmpInst::ICMP_SLT ? *bound : *bound + 1;
  if (!match(index, m_AddLike(m_Specific(x), m_APInt(added))))
    return index == x && start.isZero() ? index : nullptr;
  return added->getBitWidth() == start.getBitWidth() && *added == -start ? index : nullptr;
}

/// Matches the sign bit of an integer, possibly shifted: the extent that a negative index adds, if it is constant.
bool isSignBit(const Instruction &i) {
  const APInt *bits, *bit;
  unsigned width = i.getType()->getScalarSizeInBits();
  return match(&i, m_LShr(m_Value(), m_SpecificInt(width - 1))) ||
         (match(&i, m_And(m_LShr(m_Value(), m_APInt(bits)), m_Power2(bit))) &&
          *bits + bit->logBase2() == width - 1);
}

/// The terms of an index that counts from the end if negative, as if it never were; nullopt for other values.
std::optional<Terms> termsFromStart(const Instruction &i) {
  if (isWrap(i)) // few threads count from the end
    return Terms{{i.getOperand(0)}};
  if (isSignBit(i))
    return Terms{};
  Value *index = matchIndexFromEnd(i);
  return index ? std::optional(Terms{{index}}) : std::nullopt;
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
  if (!canHaveStride(i.getType()))
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
    return shapeOfBits(i);
  case Instruction::ZExt:
  case Instruction::SExt: {
    bool isSigned = isa<SExtInst>(i) || i.hasNonNeg();
    return shape(0).kind != LaneShape::Varying && neverWraps(*i.getOperand(0), isSigned)
               ? LaneShape::runtimeStride()
               : LaneShape::varying();
  }
  case Instruction::Select:
    return shape(0).isUniform() ? merge(shape(1), shape(2)) : LaneShape::varying();
  default:
    return LaneShape::varying();
  }
}

std::optional<Terms> ShapeRules::termsOf(const Value &v) const {
  if (const auto *address = dyn_cast<GEPOperator>(&v))
    return termsOfAddress(*address);
  if (!isa<Instruction>(v))
    return std::nullopt;
  const auto &i = cast<Instruction>(v);
  if (isEstimate())
    if (std::optional<Terms> terms = termsFromStart(i))
      return terms;
  auto sum = [&](int64_t second) { return Terms{{i.getOperand(0)}, {i.getOperand(1), second}}; };
  const APInt *constant;
  switch (i.getOpcode()) {
  case Instruction::Add:
    return sum(1);
  case Instruction::Sub:
    return sum(-1);
  case Instruction::Or:
    return canTreatOrAsSum(cast<PossiblyDisjointInst>(i)) ? std::optional(sum(1)) : std::nullopt;
  case Instruction::Mul:
    for (unsigned n : {1, 0}) {
      Value *value = i.getOperand(1 - n), *factor = i.getOperand(n);
      if (match(factor, m_APInt(constant)) && constant->isSignedIntN(64))
        return Terms{{value, constant->getSExtValue()}};
      if (shapeOf(*factor).isUniform())
        return Terms{{value, 1, factor}};
    }
    return std::nullopt;
  case Instruction::Xor: // ~x is -x - 1
    if (match(i.getOperand(1), m_AllOnes()))
      return Terms{{i.getOperand(0), -1}, {i.getOperand(1)}};
    return std::nullopt;
  case Instruction::Shl:
    if (match(i.getOperand(1), m_APInt(constant)) && constant->ult(32))
      return Terms{{i.getOperand(0), int64_t(1) << constant->getZExtValue()}};
    return std::nullopt;
  case Instruction::ZExt:
  case Instruction::SExt:
    return canBeExtended(*i.getOperand(0)) ? std::optional(Terms{{i.getOperand(0)}}) : std::nullopt;
  default:
    return isa<CastInst, FreezeInst>(i) ? std::optional(Terms{{i.getOperand(0)}}) : std::nullopt;
  }
}

std::optional<Terms> ShapeRules::termsOfAddress(const GEPOperator &address) const {
  unsigned bits = layout_.getIndexTypeSizeInBits(address.getType());
  SmallMapVector<Value *, APInt, 4> indices;
  APInt constant(bits, 0);
  if (address.getType()->isVectorTy() || !address.collectOffset(layout_, bits, indices, constant))
    return std::nullopt;
  Terms terms{{const_cast<Value *>(address.getPointerOperand())},
              {ConstantInt::get(address.getContext(), constant)}};
  for (const auto &[index, scale] : indices) {
    bool isExtended = index->getType()->getIntegerBitWidth() < bits;
    if (isExtended && !shapeOf(*index).isUniform() && !canBeExtended(*index))
      return std::nullopt;
    terms.push_back({index, scale.getSExtValue()});
  }
  return terms;
}

/// Returns true if computing with the value in wider integers gives the same stride.
bool ShapeRules::canBeExtended(const Value &v) const {
  LaneShape shape = shapeOf(v);
  return isEstimate() || (shape.isStrided() && hasNoWrapAcrossLanes(v, shape.stride));
}

/// Returns true for a sum of lane bits and uniform ones.
bool ShapeRules::canTreatOrAsSum(const PossiblyDisjointInst &either) const {
  bool first = shapeOf(*either.getOperand(1)).isUniform();
  return either.isDisjoint() &&
         (isEstimate() || (canBeExtended(*either.getOperand(first ? 0 : 1)) &&
                           shapeOf(*either.getOperand(first ? 1 : 0)).isUniform()));
}

/// Returns true if computing the value in wider integers gives the same result (signed or unsigned): no active lane has
/// wrapped around.
bool ShapeRules::neverWraps(const Value &v, bool isSigned, unsigned depth) const {
  if (shapeOf(v).isUniform() || canBeExtended(v))
    return true;
  const auto *i = dyn_cast<OverflowingBinaryOperator>(&v);
  return i && depth < thresholds::maxExpressionDepth &&
         (isSigned ? i->hasNoSignedWrap() : i->hasNoUnsignedWrap()) &&
         all_of(
             i->operands(),
             [&](const Use &operand) { return neverWraps(*operand, isSigned, depth + 1); });
}

AffineForm ShapeRules::formOf(const Value &v) const {
  assert(isEstimate());
  AffineForm form;
  form.add(v, 1);
  for (unsigned step = 0; step < thresholds::maxExpressionSize; ++step) {
    std::optional<Terms> terms;
    auto *sum = find_if(form.factors, [&](const auto &part) {
      terms = termsOf(*part.first);
      return terms && none_of(*terms, [](const Term &term) { return term.uniformFactor; });
    });
    if (sum == form.factors.end())
      break;
    int64_t factor = sum->second;
    form.factors.erase(sum);
    for (const Term &term : *terms)
      form.add(*term.value, multiplyModulo(factor, term.factor));
  }
  return form;
}

LaneShape ShapeRules::shapeOfProduct(const Term &term) const {
  LaneShape shape = shapeOf(*term.value);
  int64_t stride;
  if (shape.isUniform() || shape.isVarying())
    return shape;
  return term.uniformFactor || MulOverflow(shape.stride, term.factor, stride)
             ? LaneShape::runtimeStride()
             : LaneShape::strided(stride);
}

/// Computes warp and lane indices from bits: in lanes that do not wrap, the upper bits are uniform and the lower bits
/// are strided.
LaneShape ShapeRules::shapeOfBits(const Instruction &i) const {
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
