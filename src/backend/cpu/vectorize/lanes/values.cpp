#include "backend/cpu/vectorize/lanes/values.h"

#include "backend/cpu/vectorize/can_widen.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

Type *LaneValues::vectorType(Type *type) const {
  return VectorType::get(type, width, /*Scalable=*/false);
}

bool dependsOnLowHalvesOnly(const BinaryOperator &i) {
  switch (i.getOpcode()) {
  case Instruction::Shl: {
    const APInt *by;
    return match(i.getOperand(1), m_APInt(by)) && by->ult(32);
  }
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return true;
  default:
    return false;
  }
}

void LaneValues::setInsertPointAfter(Value &v) {
  auto *i = dyn_cast<Instruction>(&v);
  b.SetCurrentDebugLocation(i ? i->getDebugLoc() : DebugLoc());
  if (!i || isa<AllocaInst>(i))
    b.SetInsertPoint(f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  else
    b.SetInsertPoint(*i->getInsertionPointAfterDef());
}

Value *LaneValues::laneOffsets(int64_t stride, Type *number) const {
  SmallVector<Constant *, 32> lanes;
  for (unsigned lane = 0; lane < width; ++lane)
    lanes.push_back(ConstantInt::get(number, uint64_t(stride) * lane, /*IsSigned=*/true,
                                     /*ImplicitTrunc=*/true));
  return ConstantVector::get(lanes);
}

Value *LaneValues::vector(Value *v) {
  if (auto found = vectors.find(v); found != vectors.end())
    return found->second;
  if (auto *constant = dyn_cast<Constant>(v); constant && !isa<GlobalValue>(v))
    return ConstantVector::getSplat(ElementCount::getFixed(width), constant);
  IRBuilderBase::InsertPointGuard guard(b);
  setInsertPointAfter(*v);
  Value *made = b.CreateVectorSplat(width, v);
  if (int64_t stride = shapes.shapeOf(*v).stride) {
    bool address = v->getType()->isPointerTy();
    Value *offsets = laneOffsets(stride, address ? b.getInt64Ty() : v->getType());
    made = address ? b.CreateGEP(b.getInt8Ty(), v, offsets) : b.CreateAdd(made, offsets);
  }
  vectors[v] = made;
  return made;
}

Value *LaneValues::scalarOrVector(Value *v) {
  return shapes.shapeOf(*v).isUniform() ? v : vector(v);
}

/// Shared memory is small: 32-bit offsets reach all of it, and take half the registers. An address becomes a uniform
/// base and a vector of 32-bit byte offsets.
Value *LaneValues::emitSharedAddressWith32BitOffsets(GetElementPtrInst &address) {
  const DataLayout &layout = f.getDataLayout();
  unsigned bits = layout.getIndexTypeSizeInBits(address.getType());
  SmallMapVector<Value *, APInt, 4> variable;
  APInt constant(bits, 0);
  Value *base = &address;
  while (auto *outer = dyn_cast<GetElementPtrInst>(base)) {
    if (shapes.shapeOf(*base).isUniform() ||
        !outer->collectOffset(layout, bits, variable, constant))
      break;
    base = outer->getPointerOperand();
  }
  if (base == &address)
    return nullptr;
  Type *type = vectorType(b.getInt32Ty());
  Value *bytes = ConstantInt::get(type, constant.trunc(32));
  for (const auto &[index, scale] : variable) {
    Value *part = b.CreateMul(emitLow32(*index), ConstantInt::get(type, scale.trunc(32)));
    bytes = match(bytes, m_Zero()) ? part : b.CreateAdd(part, bytes);
  }
  return b.CreateGEP(b.getInt8Ty(), scalarOrVector(base), bytes);
}

Value *LaneValues::emitLow32(Value &v, unsigned depth) {
  if (auto found = low32Vectors.find(&v); found != low32Vectors.end())
    return found->second;
  IRBuilderBase::InsertPointGuard guard(b);
  setInsertPointAfter(v);
  Value *made = emitLow32WithoutLookup(v, depth);
  low32Vectors[&v] = made;
  return made;
}

Value *LaneValues::emitLow32WithoutLookup(Value &v, unsigned depth) {
  constexpr unsigned maxDepth = 6; // maximum expression depth
  Type *number = b.getInt32Ty(), *type = vectorType(number);
  auto wholeVector = [&] { // for a phi, the vector may be defined by selects after it
    Value *all = vector(&v);
    setInsertPointAfter(*all);
    return all;
  };
  if (v.getType()->getIntegerBitWidth() <= 32)
    return b.CreateSExt(wholeVector(), type);
  if (auto *constant = dyn_cast<ConstantInt>(&v))
    return ConstantInt::get(type, constant->getValue().trunc(32));
  if (LaneShape shape = shapes.shapeOf(v); !shape.isVarying()) {
    Value *same = b.CreateVectorSplat(width, b.CreateTrunc(&v, number));
    return shape.isUniform() ? same : b.CreateAdd(same, laneOffsets(shape.stride, number));
  }
  if (auto *extension = dyn_cast<CastInst>(&v); extension && isa<SExtInst, ZExtInst>(v))
    return b.CreateCast(extension->getOpcode(), vector(extension->getOperand(0)), type);
  if (auto *operation = dyn_cast<BinaryOperator>(&v);
      operation && depth < maxDepth && dependsOnLowHalvesOnly(*operation)) {
    auto operand = [&](unsigned n) { return emitLow32(*operation->getOperand(n), depth + 1); };
    return b.CreateBinOp(operation->getOpcode(), operand(0), operand(1));
  }
  return b.CreateTrunc(wholeVector(), type);
}

Value *LaneValues::emitVector(Instruction &i, Value *mask) {
  Instruction *made;
  if (auto *compare = dyn_cast<ICmpInst>(&i))
    if (Value *lanes = emitCompareByCount(*compare))
      return lanes;
  if (i.isIntDivRem() && i.getType()->getIntegerBitWidth() <= 32 &&
      !isa<ConstantInt>(i.getOperand(1)))
    return emitDivisionInDouble(cast<BinaryOperator>(i));
  if (auto *operation = dyn_cast<BinaryOperator>(&i)) {
    auto [x, y] = emitNonTrappingOperands(*operation, mask);
    made = BinaryOperator::Create(operation->getOpcode(), x, y);
  } else if (auto *unary = dyn_cast<UnaryOperator>(&i)) {
    made = UnaryOperator::Create(unary->getOpcode(), vector(i.getOperand(0)));
  } else if (auto *conversion = dyn_cast<CastInst>(&i)) {
    made =
        CastInst::Create(conversion->getOpcode(), vector(i.getOperand(0)), vectorType(i.getType()));
  } else if (auto *compare = dyn_cast<CmpInst>(&i)) {
    made = CmpInst::Create(compare->getOpcode(), compare->getPredicate(), vector(i.getOperand(0)),
                           vector(i.getOperand(1)));
  } else if (isa<SelectInst>(i)) {
    made = SelectInst::Create(scalarOrVector(i.getOperand(0)), vector(i.getOperand(1)),
                              vector(i.getOperand(2)));
  } else if (isa<FreezeInst>(i)) {
    made = new FreezeInst(vector(i.getOperand(0)));
  } else if (auto *address = dyn_cast<GetElementPtrInst>(&i)) {
    if (Value *shared = address->getPointerAddressSpace() == simt::Shared
                            ? emitSharedAddressWith32BitOffsets(*address)
                            : nullptr)
      return shared;
    SmallVector<Value *, 4> indices;
    for (Value *index : address->indices())
      indices.push_back(scalarOrVector(index));
    Value *base = scalarOrVector(address->getPointerOperand());
    made = GetElementPtrInst::Create(address->getSourceElementType(), base, indices);
  } else {
    return b.CreateExtractValue(vector(i.getOperand(0)), cast<ExtractValueInst>(i).getIndices());
  }
  made->copyIRFlags(&i);
  made->copyMetadata(i);
  b.Insert(made);
  made->setDebugLoc(i.getDebugLoc());
  return made;
}

/// Compares by the number of lanes below the bound, because vectors of 64-bit integers take several registers. Returns
/// null if that does not help.
Value *LaneValues::emitCompareByCount(ICmpInst &compare) {
  std::optional<IncreasingCompare> compared = shapes.matchIncreasingCompare(compare);
  if (!compared || !compared->bound->getType()->isIntegerTy(64) ||
      shapes.shapeOf(*compared->increasing).stride != 1)
    return nullptr;
  auto [predicate, increasing, bound] = *compared;
  // A prefix of the lanes that is less (or equal), or the single lane that is equal.
  bool inverted =
      ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate) || predicate == ICmpInst::ICMP_NE;
  if (inverted)
    predicate = ICmpInst::getInversePredicate(predicate);
  bool equal = predicate == ICmpInst::ICMP_EQ;
  Value *distance = b.CreateSub(bound, increasing);
  if (ICmpInst::isLE(predicate))
    distance = b.CreateAdd(b.CreateBinaryIntrinsic(Intrinsic::umin, distance, b.getInt64(width)),
                           b.getInt64(1));
  Value *first = b.CreateBinaryIntrinsic(Intrinsic::umin, distance, b.getInt64(width));
  if (!equal)
    first = b.CreateSelect(b.CreateICmp(predicate, increasing, bound), first, b.getInt64(0));
  Type *narrow = width > 8 ? b.getInt8Ty() : b.getInt32Ty();
  SmallVector<Constant *, 32> numbers;
  for (unsigned lane = 0; lane < width; ++lane)
    numbers.push_back(ConstantInt::get(narrow, lane));
  Value *limit = b.CreateVectorSplat(width, b.CreateTrunc(first, narrow));
  ICmpInst::Predicate asks = equal ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_ULT;
  return b.CreateICmp(inverted ? ICmpInst::getInversePredicate(asks) : asks,
                      ConstantVector::get(numbers), limit);
}

/// Divides integers of up to 32 bits as float64: the quotient differs from an integer by 0 or at least 2^-33 of its
/// value, so rounding never reaches the next integer. Vectors have only floating-point division, which does not trap.
Value *LaneValues::emitDivisionInDouble(BinaryOperator &i) {
  bool isSigned = i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
  Type *number = vectorType(b.getDoubleTy()), *type = vectorType(i.getType());
  Value *x = vector(i.getOperand(0)), *y = vector(i.getOperand(1));
  auto asFloat = [&](Value *v) {
    return isSigned ? b.CreateSIToFP(v, number) : b.CreateUIToFP(v, number);
  };
  Value *ratio = b.CreateFDiv(asFloat(x), asFloat(y));
  Value *quotient = isSigned ? b.CreateFPToSI(ratio, type) : b.CreateFPToUI(ratio, type);
  bool wantsRest = i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
  return wantsRest ? b.CreateSub(x, b.CreateMul(quotient, y)) : quotient;
}

/// Inactive lanes divide by 1, because their divisor is arbitrary.
std::pair<Value *, Value *> LaneValues::emitNonTrappingOperands(BinaryOperator &i, Value *mask) {
  Value *x = vector(i.getOperand(0)), *y = vector(i.getOperand(1));
  if (mask && i.isIntDivRem() && !isa<ConstantInt>(i.getOperand(1)))
    y = b.CreateSelect(mask, y, ConstantInt::get(y->getType(), 1));
  return {x, y};
}

/// Emits a saturating conversion to the nearest integer toward zero. Code generation would scalarize the intrinsic.
Value *LaneValues::emitSaturatingConversion(CallInst &call, bool isSigned) {
  Value *x = vector(call.getArgOperand(0));
  Type *type = vectorType(call.getType());
  unsigned bits = call.getType()->getIntegerBitWidth();
  double end = std::ldexp(1.0, int(isSigned ? bits - 1 : bits)); // a power of two, so exact
  Constant *upper = ConstantFP::get(x->getType(), end),
           *zero = Constant::getNullValue(x->getType());
  Constant *lower = isSigned ? ConstantFP::get(x->getType(), -end) : zero;
  APInt largest = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  Value *above = b.CreateFCmpOGE(x, upper);
  Value *inRange = b.CreateSelect(above, zero, b.CreateSelect(b.CreateFCmpOLT(x, lower), lower, x));
  inRange = b.CreateSelect(b.CreateFCmpUNO(x, x), zero, inRange);
  Value *integer = isSigned ? b.CreateFPToSI(inRange, type) : b.CreateFPToUI(inRange, type);
  return b.CreateSelect(above, ConstantInt::get(type, largest), integer);
}

Value *LaneValues::emitVector(CallInst &call) {
  Intrinsic::ID id = call.getIntrinsicID();
  if (id == Intrinsic::expect)
    return vector(call.getArgOperand(0));
  Type *converted = call.arg_size() ? call.getArgOperand(0)->getType() : nullptr;
  if ((id == Intrinsic::fptosi_sat || id == Intrinsic::fptoui_sat) &&
      (converted->isFloatTy() || converted->isDoubleTy()))
    return emitSaturatingConversion(call, id == Intrinsic::fptosi_sat);
  bool overflow = hasOverflowResult(id), classify = id == Intrinsic::is_fpclass;
  SmallVector<Type *, 2> types;
  if (!overflow && !classify && isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
    types.push_back(vectorType(call.getType()));
  SmallVector<Value *, 4> operands;
  for (auto [i, v] : enumerate(call.args())) {
    bool scalar = classify ? i == 1 : isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr);
    operands.push_back(scalar ? v.get() : vector(v));
    if ((overflow || classify) ? i == 0
                               : isVectorIntrinsicWithOverloadTypeAtArg(id, int(i), nullptr))
      types.push_back(operands.back()->getType());
  }
  CallInst *made = b.CreateIntrinsic(id, types, operands);
  if (isa<FPMathOperator>(made))
    made->setFastMathFlags(call.getFastMathFlags());
  made->copyMetadata(call);
  made->setDebugLoc(call.getDebugLoc());
  return made;
}

} // namespace heddle::cpu
