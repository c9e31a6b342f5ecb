#include "backend/cpu/vectorize/lanes/values.h"

#include "backend/cpu/vectorize/can_widen.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

Type *LaneValues::wide(Type *type) const {
  return VectorType::get(type, width, /*Scalable=*/false);
}

bool worksOnLowHalves(const BinaryOperator &i) {
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

void LaneValues::after(Value &v) {
  auto *i = dyn_cast<Instruction>(&v);
  b.SetCurrentDebugLocation(i ? i->getDebugLoc() : DebugLoc());
  if (!i || isa<AllocaInst>(i))
    b.SetInsertPoint(f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  else
    b.SetInsertPoint(*i->getInsertionPointAfterDef());
}

Value *LaneValues::steps(int64_t stride, Type *number) const {
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
  after(*v);
  Value *made = b.CreateVectorSplat(width, v);
  if (int64_t stride = shapes.of(*v).stride) {
    bool address = v->getType()->isPointerTy();
    Value *offsets = steps(stride, address ? b.getInt64Ty() : v->getType());
    made = address ? b.CreateGEP(b.getInt8Ty(), v, offsets) : b.CreateAdd(made, offsets);
  }
  vectors[v] = made;
  return made;
}

Value *LaneValues::either(Value *v) { return shapes.of(*v).isUniform() ? v : vector(v); }

/// Shared memory is small: numbers of 32 bits reach all of it, and vectors of them take half the registers. Of a place in
/// it, the bytes behind what is the same for all lanes are one such number.
Value *LaneValues::sharedAddress(GetElementPtrInst &address) {
  const DataLayout &layout = f.getDataLayout();
  unsigned bits = layout.getIndexTypeSizeInBits(address.getType());
  SmallMapVector<Value *, APInt, 4> variable;
  APInt constant(bits, 0);
  Value *base = &address;
  while (auto *outer = dyn_cast<GetElementPtrInst>(base)) {
    if (shapes.of(*base).isUniform() || !outer->collectOffset(layout, bits, variable, constant))
      break;
    base = outer->getPointerOperand();
  }
  if (base == &address)
    return nullptr;
  Type *type = wide(b.getInt32Ty());
  Value *bytes = ConstantInt::get(type, constant.trunc(32));
  for (const auto &[index, scale] : variable) {
    Value *part = b.CreateMul(shortNumber(*index), ConstantInt::get(type, scale.trunc(32)));
    bytes = match(bytes, m_Zero()) ? part : b.CreateAdd(part, bytes);
  }
  return b.CreateGEP(b.getInt8Ty(), either(base), bytes);
}

Value *LaneValues::shortNumber(Value &v, unsigned depth) {
  if (auto found = shortNumbers.find(&v); found != shortNumbers.end())
    return found->second;
  IRBuilderBase::InsertPointGuard guard(b);
  after(v);
  Value *made = computedShort(v, depth);
  shortNumbers[&v] = made;
  return made;
}

Value *LaneValues::computedShort(Value &v, unsigned depth) {
  constexpr unsigned deepest = 6; // of expressions that are looked through
  Type *number = b.getInt32Ty(), *type = wide(number);
  auto behindVector = [&] { // of a phi, which may be some selects after the phi
    Value *whole = vector(&v);
    after(*whole);
    return whole;
  };
  if (v.getType()->getIntegerBitWidth() <= 32)
    return b.CreateSExt(behindVector(), type);
  if (auto *constant = dyn_cast<ConstantInt>(&v))
    return ConstantInt::get(type, constant->getValue().trunc(32));
  if (LaneShape shape = shapes.of(v); !shape.isVarying()) {
    Value *same = b.CreateVectorSplat(width, b.CreateTrunc(&v, number));
    return shape.isUniform() ? same : b.CreateAdd(same, steps(shape.stride, number));
  }
  if (auto *extension = dyn_cast<CastInst>(&v); extension && isa<SExtInst, ZExtInst>(v))
    return b.CreateCast(extension->getOpcode(), vector(extension->getOperand(0)), type);
  if (auto *operation = dyn_cast<BinaryOperator>(&v);
      operation && depth < deepest && worksOnLowHalves(*operation)) {
    auto operand = [&](unsigned n) { return shortNumber(*operation->getOperand(n), depth + 1); };
    return b.CreateBinOp(operation->getOpcode(), operand(0), operand(1));
  }
  return b.CreateTrunc(behindVector(), type);
}

Value *LaneValues::computed(Instruction &i, Value *mask) {
  Instruction *made;
  if (auto *compare = dyn_cast<ICmpInst>(&i))
    if (Value *lanes = compareCounted(*compare))
      return lanes;
  if (i.isIntDivRem() && i.getType()->getIntegerBitWidth() <= 32 &&
      !isa<ConstantInt>(i.getOperand(1)))
    return divideShort(cast<BinaryOperator>(i));
  if (auto *operation = dyn_cast<BinaryOperator>(&i)) {
    auto [x, y] = safeOperands(*operation, mask);
    made = BinaryOperator::Create(operation->getOpcode(), x, y);
  } else if (auto *unary = dyn_cast<UnaryOperator>(&i)) {
    made = UnaryOperator::Create(unary->getOpcode(), vector(i.getOperand(0)));
  } else if (auto *conversion = dyn_cast<CastInst>(&i)) {
    made = CastInst::Create(conversion->getOpcode(), vector(i.getOperand(0)), wide(i.getType()));
  } else if (auto *compare = dyn_cast<CmpInst>(&i)) {
    made = CmpInst::Create(compare->getOpcode(), compare->getPredicate(), vector(i.getOperand(0)),
                           vector(i.getOperand(1)));
  } else if (isa<SelectInst>(i)) {
    made = SelectInst::Create(either(i.getOperand(0)), vector(i.getOperand(1)),
                              vector(i.getOperand(2)));
  } else if (isa<FreezeInst>(i)) {
    made = new FreezeInst(vector(i.getOperand(0)));
  } else if (auto *address = dyn_cast<GetElementPtrInst>(&i)) {
    if (Value *shared =
            address->getPointerAddressSpace() == simt::Shared ? sharedAddress(*address) : nullptr)
      return shared;
    SmallVector<Value *, 4> indices;
    for (Value *index : address->indices())
      indices.push_back(either(index));
    Value *base = either(address->getPointerOperand());
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

/// Which lanes' numbers are below a bound is told by how many are: vectors of 64-bit numbers take several registers. Null
/// where that does not help.
Value *LaneValues::compareCounted(ICmpInst &compare) {
  std::optional<Counting> counting = shapes.countingIn(compare);
  if (!counting || !counting->bound->getType()->isIntegerTy(64) ||
      shapes.of(*counting->counted).stride != 1)
    return nullptr;
  auto [predicate, counted, bound] = *counting;
  // The first lanes that are less (or less or equal), or the only one that is equal.
  bool inverted =
      ICmpInst::isGT(predicate) || ICmpInst::isGE(predicate) || predicate == ICmpInst::ICMP_NE;
  if (inverted)
    predicate = ICmpInst::getInversePredicate(predicate);
  bool equal = predicate == ICmpInst::ICMP_EQ;
  Value *distance = b.CreateSub(bound, counted);
  if (ICmpInst::isLE(predicate))
    distance = b.CreateAdd(b.CreateBinaryIntrinsic(Intrinsic::umin, distance, b.getInt64(width)),
                           b.getInt64(1));
  Value *first = b.CreateBinaryIntrinsic(Intrinsic::umin, distance, b.getInt64(width));
  if (!equal)
    first = b.CreateSelect(b.CreateICmp(predicate, counted, bound), first, b.getInt64(0));
  Type *narrow = width > 8 ? b.getInt8Ty() : b.getInt32Ty();
  SmallVector<Constant *, 32> numbers;
  for (unsigned lane = 0; lane < width; ++lane)
    numbers.push_back(ConstantInt::get(narrow, lane));
  Value *limit = b.CreateVectorSplat(width, b.CreateTrunc(first, narrow));
  ICmpInst::Predicate asks = equal ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_ULT;
  return b.CreateICmp(inverted ? ICmpInst::getInversePredicate(asks) : asks,
                      ConstantVector::get(numbers), limit);
}

/// Integers of up to 32 bits by float64: the quotient's distance from a whole number, if any, is at least 2^-33 of it,
/// so that rounding crosses none. The processor divides vectors of floats alone, and these do not trap.
Value *LaneValues::divideShort(BinaryOperator &i) {
  bool isSigned = i.getOpcode() == Instruction::SDiv || i.getOpcode() == Instruction::SRem;
  Type *number = wide(b.getDoubleTy()), *type = wide(i.getType());
  Value *x = vector(i.getOperand(0)), *y = vector(i.getOperand(1));
  auto asFloat = [&](Value *v) {
    return isSigned ? b.CreateSIToFP(v, number) : b.CreateUIToFP(v, number);
  };
  Value *ratio = b.CreateFDiv(asFloat(x), asFloat(y));
  Value *quotient = isSigned ? b.CreateFPToSI(ratio, type) : b.CreateFPToUI(ratio, type);
  bool wantsRest = i.getOpcode() == Instruction::SRem || i.getOpcode() == Instruction::URem;
  return wantsRest ? b.CreateSub(x, b.CreateMul(quotient, y)) : quotient;
}

/// Lanes that do not run have any divisor: they divide by 1.
std::pair<Value *, Value *> LaneValues::safeOperands(BinaryOperator &i, Value *mask) {
  Value *x = vector(i.getOperand(0)), *y = vector(i.getOperand(1));
  if (mask && i.isIntDivRem() && !isa<ConstantInt>(i.getOperand(1)))
    y = b.CreateSelect(mask, y, ConstantInt::get(y->getType(), 1));
  return {x, y};
}

/// Of floats, the nearest integer toward zero that the type has. The code generator makes scalars of the intrinsic.
Value *LaneValues::saturated(CallInst &call, bool isSigned) {
  Value *x = vector(call.getArgOperand(0));
  Type *type = wide(call.getType());
  unsigned bits = call.getType()->getIntegerBitWidth();
  double end = std::ldexp(1.0, int(isSigned ? bits - 1 : bits)); // powers of two: no rounding
  Constant *most = ConstantFP::get(x->getType(), end), *zero = Constant::getNullValue(x->getType());
  Constant *least = isSigned ? ConstantFP::get(x->getType(), -end) : zero;
  APInt largest = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  Value *above = b.CreateFCmpOGE(x, most);
  Value *inRange = b.CreateSelect(above, zero, b.CreateSelect(b.CreateFCmpOLT(x, least), least, x));
  inRange = b.CreateSelect(b.CreateFCmpUNO(x, x), zero, inRange);
  Value *integer = isSigned ? b.CreateFPToSI(inRange, type) : b.CreateFPToUI(inRange, type);
  return b.CreateSelect(above, ConstantInt::get(type, largest), integer);
}

Value *LaneValues::computed(CallInst &call) {
  Intrinsic::ID id = call.getIntrinsicID();
  if (id == Intrinsic::expect)
    return vector(call.getArgOperand(0));
  Type *converted = call.arg_size() ? call.getArgOperand(0)->getType() : nullptr;
  if ((id == Intrinsic::fptosi_sat || id == Intrinsic::fptoui_sat) &&
      (converted->isFloatTy() || converted->isDoubleTy()))
    return saturated(call, id == Intrinsic::fptosi_sat);
  bool overflow = hasOverflowResult(id), classify = id == Intrinsic::is_fpclass;
  SmallVector<Type *, 2> types;
  if (!overflow && !classify && isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
    types.push_back(wide(call.getType()));
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
