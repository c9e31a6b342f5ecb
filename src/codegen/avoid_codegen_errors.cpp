#include "codegen/avoid_codegen_errors.h"

#include "codegen/divide_vectors.h"
#include "codegen/vector_slots.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;
using namespace PatternMatch;

namespace {

/// Matches a truncation to 16 bits of a product shifted right by more than 16.
bool extractsHighProductBits(const TruncInst &i) {
  auto *to = dyn_cast<FixedVectorType>(i.getType());
  const APInt *amount = nullptr;
  return to && to->getElementType()->isIntegerTy(16) &&
         match(i.getOperand(0), m_Shr(m_Mul(m_Value(), m_Value()), m_APInt(amount))) &&
         amount->ugt(16);
}

/// Matches a truncation from an SVE register to half a NEON register.
bool truncatesToHalfRegister(const TruncInst &i) {
  constexpr unsigned neonBits = 128;
  auto *to = dyn_cast<FixedVectorType>(i.getType());
  return to && i.getFunction()->hasFnAttribute(Attribute::VScaleRange) &&
         to->getScalarSizeInBits() >= 8 && to->getPrimitiveSizeInBits() == neonBits / 2 &&
         i.getSrcTy()->getPrimitiveSizeInBits() > neonBits;
}

/// Truncates by a shuffle.
Value *extractLowParts(IRBuilder<> &b, Value *wide, FixedVectorType *to) {
  unsigned count = to->getNumElements();
  unsigned parts = wide->getType()->getScalarSizeInBits() / to->getScalarSizeInBits();
  Value *all = b.CreateBitCast(wide, FixedVectorType::get(to->getElementType(), count * parts));
  SmallVector<int, 16> indices(count);
  for (unsigned k = 0; k < count; ++k)
    indices[k] = int(k * parts);
  return b.CreateShuffleVector(all, indices);
}

/// The same truncation without instructions that LLVM gets wrong, or null for another one.
Value *replaceMiscompiledTruncation(TruncInst &i) {
  IRBuilder<> b(&i);
  Value *wide = i.getOperand(0);
  if (truncatesToHalfRegister(i))
    wide = b.CreateTrunc(wide,
                         VectorType::getExtendedElementVectorType(cast<VectorType>(i.getType())));
  else if (!extractsHighProductBits(i))
    return nullptr;
  return extractLowParts(b, wide, cast<FixedVectorType>(i.getType()));
}

/// Divides by a divisor that is not a select: inactive lanes have their lowest bit set.
Value *emitGuardedDivision(IRBuilder<> &b, BinaryOperator &i, Value *lanes, Value *divisor) {
  Value *x = i.getOperand(0);
  Type *type = i.getType();
  Value *y = b.CreateOr(b.CreateFreeze(divisor), b.CreateZExt(b.CreateNot(lanes), type));
  // Inactive lanes might divide INT_MIN by -1.
  Value *dividend = b.CreateAnd(b.CreateFreeze(x), b.CreateSExt(lanes, type));
  Value *result = b.CreateBinOp(i.getOpcode(), dividend, y);
  bool isQuotient = i.getOpcode() == Instruction::UDiv || i.getOpcode() == Instruction::SDiv;
  return b.CreateSelect(lanes, result, isQuotient ? x : Constant::getNullValue(type));
}

/// Returns true for a sum of permuted vectors.
bool isSumOfPermutations(const Value *v, unsigned depth = 0) {
  constexpr unsigned maxDepth = 6;
  if (isa<ShuffleVectorInst>(v))
    return getSplatValue(v) == nullptr;
  auto *sum = dyn_cast<BinaryOperator>(v);
  return sum && depth < maxDepth &&
         any_of(
             sum->operands(),
             [&](const Use &u) { return isSumOfPermutations(u.get(), depth + 1); });
}

bool dividesSumOfPermutations(const BinaryOperator &i) {
  return i.isIntDivRem() && i.getType()->isVectorTy() && i.getType()->getScalarSizeInBits() == 64 &&
         isa<Constant>(i.getOperand(1)) && isSumOfPermutations(i.getOperand(0));
}

/// Hides the dividend's computation: a volatile load is not forwarded.
void passDividendThroughMemory(BinaryOperator &i) {
  AllocaInst *slot = createVectorSlot(*i.getType(), *i.getFunction());
  IRBuilder<> b(&i);
  b.CreateAlignedStore(i.getOperand(0), slot, vectorSlotAlign);
  i.setOperand(0, b.CreateAlignedLoad(i.getType(), slot, vectorSlotAlign, /*isVolatile=*/true));
}

/// The single lane that a masked store writes; nullopt if unknown or if elements are not whole bytes.
std::optional<unsigned> findSingleStoredLane(const IntrinsicInst &store) {
  constexpr unsigned stored = 0, mask = 2;
  auto *lanes = store.getIntrinsicID() == Intrinsic::masked_store
                    ? dyn_cast<ConstantVector>(store.getArgOperand(mask))
                    : nullptr;
  if (!lanes)
    return std::nullopt;
  Type *element = store.getArgOperand(stored)->getType()->getScalarType();
  if (store.getDataLayout().getTypeSizeInBits(element).getFixedValue() % 8 != 0)
    return std::nullopt;
  std::optional<unsigned> only;
  for (unsigned lane = 0; lane < lanes->getNumOperands(); ++lane) {
    auto *isStored = dyn_cast<ConstantInt>(lanes->getOperand(lane));
    if (!isStored || (isStored->isOne() && only))
      return std::nullopt;
    if (isStored->isOne())
      only = lane;
  }
  return only;
}

void storeOnlyLane(IntrinsicInst &store, unsigned lane) {
  constexpr unsigned pointerOperand = 1;
  IRBuilder<> b(&store);
  Value *element = b.CreateExtractElement(store.getArgOperand(0), lane);
  uint64_t bytes = lane * store.getDataLayout().getTypeStoreSize(element->getType());
  Value *to = store.getArgOperand(pointerOperand);
  if (bytes)
    to = b.CreatePtrAdd(to, b.getInt64(bytes));
  b.CreateAlignedStore(element, to,
                       commonAlignment(store.getParamAlign(pointerOperand).valueOrOne(), bytes));
  store.eraseFromParent();
}

/// Replaces undefined lanes of a constant by its first defined lane. Returns null if there is nothing to replace.
Constant *replaceUndefLanes(const Value &v) {
  const auto *lanes = dyn_cast<ConstantVector>(&v);
  if (!lanes || !lanes->containsUndefOrPoisonElement())
    return nullptr;
  const auto *known =
      find_if(lanes->operands(), [](const Use &lane) { return !isa<UndefValue>(lane); });
  if (known == lanes->op_end()) // a mix of undef and poison
    return nullptr;
  SmallVector<Constant *, 32> defined;
  for (const Use &lane : lanes->operands())
    defined.push_back(cast<Constant>(isa<UndefValue>(lane) ? *known : lane));
  return ConstantVector::get(defined);
}

bool replaceUndefLanesOfOperands(Instruction &i) {
  bool changed = false;
  if (isa<BinaryOperator, SelectInst>(i))
    for (Use &operand : i.operands())
      if (Constant *defined = replaceUndefLanes(*operand)) {
        operand.set(defined);
        changed = true;
      }
  return changed;
}

} // namespace

PreservedAnalyses AvoidCodegenErrors::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &i : instructions(f))
    changed |= replaceUndefLanesOfOperands(i);
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (auto *trunc = dyn_cast<TruncInst>(&i)) {
      if (Value *rewritten = replaceMiscompiledTruncation(*trunc)) {
        trunc->replaceAllUsesWith(rewritten);
        trunc->eraseFromParent();
        changed = true;
      }
    } else if (auto *call = dyn_cast<IntrinsicInst>(&i)) {
      if (std::optional<unsigned> lane = findSingleStoredLane(*call)) {
        storeOnlyLane(*call, *lane);
        changed = true;
      }
    } else if (auto *division = dyn_cast<BinaryOperator>(&i)) {
      Value *lanes, *divisor;
      if (dividesSumOfPermutations(*division)) {
        passDividendThroughMemory(*division);
        changed = true;
        continue;
      }
      if (!matchGuardedDivisor(*division, lanes, divisor))
        continue;
      IRBuilder<> b(division);
      division->replaceAllUsesWith(emitGuardedDivision(b, *division, lanes, divisor));
      division->eraseFromParent();
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
