#include "backend/nvptx/codegen/avoid_ptxas_errors.h"

#include "backend/nvptx/operations/device_code.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>

namespace heddle::nvptx {

using namespace llvm;
using namespace PatternMatch;

namespace {

Value *emitAbsoluteValue(IRBuilder<> &b, Value *x) {
  bool wide = x->getType()->isIntegerTy(64);
  Value *sign = emitPtxInstruction(b, wide ? "shr.s64 $0, $1, 63;" : "shr.s32 $0, $1, 31;", {x});
  return b.CreateSub(b.CreateXor(x, sign), sign);
}

/// A 32-bit replacement for a 16-bit instruction that ptxas miscompiles.
struct ShortOperation {
  const char *text; ///< the PTX instruction
  bool isSigned;
  SmallVector<Value *, 2> operands;
};

/// Matches a minimum or a maximum; nullopt for other operations.
std::optional<ShortOperation> matchMinMax(const Instruction &i) {
  const auto *call = dyn_cast<MinMaxIntrinsic>(&i);
  if (!call)
    return std::nullopt;
  SmallVector<Value *, 2> operands{call->getLHS(), call->getRHS()};
  bool isSigned = call->isSigned();
  bool isMin = ICmpInst::isLT(call->getPredicate());
  const char *text = isMin      ? isSigned ? "min.s32 $0, $1, $2;" : "min.u32 $0, $1, $2;"
                     : isSigned ? "max.s32 $0, $1, $2;"
                                : "max.u32 $0, $1, $2;";
  return ShortOperation{text, isSigned, operands};
}

std::optional<ShortOperation> matchNegAbsMinMax(const Instruction &i) {
  Value *x;
  if (match(&i, m_Neg(m_Value(x))))
    return ShortOperation{"neg.s32 $0, $1;", true, {x}};
  if (match(&i, m_Intrinsic<Intrinsic::abs>(m_Value(x), m_Zero())))
    return ShortOperation{"abs.s32 $0, $1;", true, {x}};
  return matchMinMax(i);
}

/// The operation in 32 bits, which cannot overflow, for each element of a vector.
Value *emitIn32Bits(IRBuilder<> &b, const ShortOperation &operation, Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  unsigned lanes = vector ? vector->getNumElements() : 1;
  Value *result = PoisonValue::get(type);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    SmallVector<Value *, 2> operands;
    for (Value *x : operation.operands) {
      Value *element = vector ? b.CreateExtractElement(x, lane) : x;
      operands.push_back(b.CreateIntCast(element, b.getInt32Ty(), operation.isSigned));
    }
    Value *element =
        b.CreateTrunc(emitPtxInstruction(b, operation.text, operands), type->getScalarType());
    result = vector ? b.CreateInsertElement(result, element, lane) : element;
  }
  return result;
}

/// True if the bits may be those of a float that an instruction has computed.
bool mayBeFloat(const Value *bits, unsigned depth = 0) {
  if (const auto *cast = dyn_cast<BitCastInst>(bits))
    return cast->getSrcTy()->isFloatingPointTy();
  constexpr unsigned deepest = 4;
  if (!isa<PHINode, SelectInst, FreezeInst>(bits))
    return false;
  return depth == deepest || any_of(cast<Instruction>(bits)->operands(),
                                    [depth](const Use &u) { return mayBeFloat(u, depth + 1); });
}

/// Extracts the low 8, 16 or 32 bits of a 32- or 64-bit value with an integer instruction.
Value *emitLowBits(IRBuilder<> &b, Value *bits, Type *type) {
  const char *operation = bits->getType()->isIntegerTy(64) ? "and.b64" : "and.b32";
  std::string mask = std::to_string((uint64_t(1) << type->getIntegerBitWidth()) - 1) + ";";
  return b.CreateTrunc(emitPtxInstruction(b, Twine(operation) + " $0, $1, " + mask, {bits}), type);
}

/// Replaces a truncation of a float's bits; null for other instructions.
Value *emitTruncatedFloatBits(IRBuilder<> &b, const Instruction &i) {
  const auto *trunc = dyn_cast<TruncInst>(&i);
  if (!trunc || !(i.getType()->isIntegerTy(8) || i.getType()->isIntegerTy(16) ||
                  i.getType()->isIntegerTy(32)))
    return nullptr;
  Value *bits = trunc->getOperand(0);
  bool isNative = bits->getType()->isIntegerTy(32) || bits->getType()->isIntegerTy(64);
  return isNative && mayBeFloat(bits) ? emitLowBits(b, bits, i.getType()) : nullptr;
}

/// True if LLVM would split the store because of its alignment.
bool isUnderalignedFloatStore(const StoreInst &store) {
  Type *type = store.getValueOperand()->getType();
  return type->isFloatingPointTy() && store.getAlign().value() < type->getPrimitiveSizeInBits() / 8;
}

/// Splits the store of a float into pieces of its alignment.
void storeInPieces(IRBuilder<> &b, StoreInst &store) {
  unsigned size = store.getValueOperand()->getType()->getPrimitiveSizeInBits() / 8;
  unsigned piece = store.getAlign().value();
  Type *type = b.getIntNTy(8 * piece);
  Value *bits = b.CreateBitCast(store.getValueOperand(), b.getIntNTy(8 * size));
  if (size < 4)
    bits = b.CreateZExt(bits, b.getInt32Ty());
  for (unsigned at = 0; at < size; at += piece) {
    Value *part = at ? b.CreateTrunc(b.CreateLShr(bits, 8 * at), type) : emitLowBits(b, bits, type);
    Value *place = b.CreateConstGEP1_32(b.getInt8Ty(), store.getPointerOperand(), at);
    b.CreateAlignedStore(part, place, Align(piece), store.isVolatile());
  }
}

/// Splits a comparison that is true for all non-negative numbers in two: not a NaN, and not below. Null for other
/// comparisons, and if the operand is not computed by an arithmetic instruction.
Value *splitNonNegativeCompare(IRBuilder<> &b, const Instruction &i) {
  const auto *compare = dyn_cast<FCmpInst>(&i);
  if (!compare || compare->hasNoNaNs() ||
      !compare->getOperand(0)->getType()->getScalarType()->isFloatTy())
    return nullptr;
  Value *x = compare->getOperand(0), *y = compare->getOperand(1);
  FCmpInst::Predicate predicate = compare->getPredicate();
  if (isa<Constant>(x)) {
    std::swap(x, y);
    predicate = compare->getSwappedPredicate();
  }
  const APFloat *limit = nullptr;
  if (!match(y, m_APFloat(limit)) || !isa<Instruction>(x) || isa<LoadInst>(x))
    return nullptr;
  bool isBelow = limit->isNegative() && !limit->isZero();
  if (!(predicate == FCmpInst::FCMP_OGE && (isBelow || limit->isZero())) &&
      !(predicate == FCmpInst::FCMP_OGT && isBelow))
    return nullptr;
  Value *isNumber = b.CreateFCmpORD(x, x);
  return b.CreateAnd(isNumber, b.CreateFCmp(FCmpInst::getUnorderedPredicate(predicate), x, y));
}

Value *stripFreeze(Value *v) {
  Value *frozen;
  return match(v, m_Freeze(m_Value(frozen))) ? frozen : v;
}

/// `x * factor`, where the factor is 2^bits or -2^bits.
struct ShiftedValue {
  Value *x;
  APInt factor;

  unsigned shiftAmount() const { return factor.abs().logBase2(); }
};

std::optional<ShiftedValue> matchShiftedValue(Value *v) {
  Value *x;
  const APInt *number;
  if (match(v, m_Neg(m_Value(x)))) {
    std::optional<ShiftedValue> shifted = matchShiftedValue(x);
    return shifted ? std::optional(ShiftedValue{shifted->x, -shifted->factor}) : std::nullopt;
  }
  if (match(v, m_Add(m_Value(x), m_Deferred(x))))
    return ShiftedValue{stripFreeze(x), APInt(64, 2)};
  if (match(v, m_Shl(m_Value(x), m_APInt(number))) && number->ult(64))
    return ShiftedValue{stripFreeze(x), APInt::getOneBitSet(64, unsigned(number->getZExtValue()))};
  if (match(v, m_Mul(m_Value(x), m_APInt(number))) && number->abs().isPowerOf2())
    return ShiftedValue{stripFreeze(x), *number};
  return std::nullopt;
}

/// True if LLVM may compute `v` by a right shift of `x` by `bits`. A right shift by 63 may also be a comparison with
/// zero.
bool mayBeRightShift(Value *v, const Value *x, unsigned bits) {
  Value *inner, *condition;
  if (match(v, m_Neg(m_Value(inner))) || match(v, m_Freeze(m_Value(inner))) ||
      match(v, m_ZExtOrSExt(m_Value(inner))) || match(v, m_Trunc(m_Value(inner))) ||
      match(v, m_Not(m_Value(inner))))
    return mayBeRightShift(inner, x, bits);
  if (match(v, m_Select(m_Value(condition), m_ImmConstant(), m_ImmConstant())))
    return mayBeRightShift(condition, x, bits);
  if (match(v, m_Shr(m_Value(inner), m_SpecificInt(bits))) ||
      (bits == 63 && match(v, m_ICmp(m_Value(inner), m_ImmConstant()))))
    return stripFreeze(inner) == x;
  return false;
}

/// Replaces a sum or difference of `x << k` and `x >> (64 - k)`; null for other instructions.
Value *emitSumOfShiftsByMultiplying(IRBuilder<> &b, const Instruction &i) {
  bool isDifference = i.getOpcode() == Instruction::Sub;
  if (!i.getType()->isIntegerTy(64) ||
      !(isDifference || match(&i, m_AddLike(m_Value(), m_Value()))))
    return nullptr;
  for (unsigned n : {0, 1}) {
    std::optional<ShiftedValue> shifted = matchShiftedValue(i.getOperand(n));
    if (!shifted || shifted->shiftAmount() == 0 ||
        !mayBeRightShift(i.getOperand(1 - n), shifted->x, 64 - shifted->shiftAmount()))
      continue;
    std::string factor = std::to_string(shifted->factor.getSExtValue()) + ";";
    Value *operands[2] = {i.getOperand(0), i.getOperand(1)};
    operands[n] = emitPtxInstruction(b, "mul.lo.s64 $0, $1, " + factor, {shifted->x});
    return isDifference ? b.CreateSub(operands[0], operands[1])
                        : b.CreateAdd(operands[0], operands[1]);
  }
  return nullptr;
}

/// Emits the replacement of `i`; returns null if ptxas compiles `i` correctly.
Value *emitReplacementIfNeeded(IRBuilder<> &b, Instruction &i) {
  Type *type = i.getType();
  if (!type->isIntOrIntVectorTy())
    return nullptr;
  if (Value *bits = emitTruncatedFloatBits(b, i))
    return bits;
  if (Value *both = splitNonNegativeCompare(b, i))
    return both;
  if (Value *sum = emitSumOfShiftsByMultiplying(b, i))
    return sum;
  // LLVM widens 8-bit integers to 16 bits.
  if (type->getScalarSizeInBits() <= 16)
    if (std::optional<ShortOperation> operation = matchNegAbsMinMax(i))
      return emitIn32Bits(b, *operation, type);
  Value *x;
  bool isAbsolute = match(&i, m_Intrinsic<Intrinsic::abs>(m_Value(x), m_Zero()));
  bool isNative = type->isIntegerTy(32) || type->isIntegerTy(64);
  return isAbsolute && isNative ? emitAbsoluteValue(b, x) : nullptr;
}

} // namespace

PreservedAnalyses AvoidPtxasErrors::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    IRBuilder<> b(&i);
    if (auto *store = dyn_cast<StoreInst>(&i); store && isUnderalignedFloatStore(*store)) {
      storeInPieces(b, *store);
      store->eraseFromParent();
      changed = true;
    } else if (Value *v = emitReplacementIfNeeded(b, i)) {
      i.replaceAllUsesWith(v);
      i.eraseFromParent();
      changed = true;
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
