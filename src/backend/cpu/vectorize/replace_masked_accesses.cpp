#include "backend/cpu/vectorize/replace_masked_accesses.h"

#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/vectorize/masked_access.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

bool isLegalMaskedAccess(const MaskedAccess &a, const TargetTransformInfo &target) {
  Type *type = a.type();
  unsigned space = a.pointer->getType()->getScalarType()->getPointerAddressSpace();
  if (a.consecutive)
    return a.loads ? target.isLegalMaskedLoad(type, a.alignment(), space)
                   : target.isLegalMaskedStore(type, a.alignment(), space);
  return a.loads ? target.isLegalMaskedGather(type, a.alignment()) &&
                       !target.forceScalarizeMaskedGather(cast<VectorType>(type), a.alignment())
                 : target.isLegalMaskedScatter(type, a.alignment()) &&
                       !target.forceScalarizeMaskedScatter(cast<VectorType>(type), a.alignment());
}

SmallVector<Instruction *> collectMaskedAccesses(Function &f) {
  SmallVector<Instruction *> accesses;
  for (Instruction &i : instructions(f))
    if (std::optional<MaskedAccess> access = matchMaskedAccess(i)) {
      auto *mask = dyn_cast<Constant>(access->mask);
      if (!mask || !mask->isAllOnesValue())
        accesses.push_back(&i);
    }
  return accesses;
}

class MaskedAccessReplacer {
public:
  explicit MaskedAccessReplacer(Function &f) : f(f), b(f.getContext()) {}

  void replace(const MaskedAccess &a) {
    b.SetInsertPoint(a.call);
    Value *loaded = a.consecutive ? accessWithBranch(a) : accessWithSpareSlot(a, a.pointer);
    if (loaded)
      a.call->replaceAllUsesWith(loaded);
    a.call->eraseFromParent();
  }

private:
  /// Accesses memory in all lanes; inactive lanes access the spare slot.
  Value *accessWithSpareSlot(const MaskedAccess &a, Value *addresses) {
    Value *other =
        b.CreateAddrSpaceCast(getOrCreateSpareSlot(), addresses->getType()->getScalarType());
    unsigned width = a.type()->getNumElements();
    Value *own = b.CreateSelect(a.mask, addresses, b.CreateVectorSplat(width, other));
    const DataLayout &layout = f.getDataLayout();
    Align alignment = commonAlignment(
        a.alignment(), layout.getTypeAllocSize(a.type()->getElementType()).getFixedValue());
    CallInst *made = a.loads ? b.CreateMaskedGather(a.type(), own, alignment)
                             : b.CreateMaskedScatter(a.value, own, alignment);
    made->copyMetadata(*a.call);
    return a.loads ? made : nullptr;
  }

  Value *elementAddresses(const MaskedAccess &a) {
    SmallVector<Constant *, 32> lanes;
    for (unsigned lane = 0; lane < a.type()->getNumElements(); ++lane)
      lanes.push_back(b.getInt64(lane));
    return b.CreateGEP(a.type()->getElementType(), a.pointer, ConstantVector::get(lanes));
  }

  Value *accessWholeVector(const MaskedAccess &a) {
    Instruction *made =
        a.loads
            ? static_cast<Instruction *>(b.CreateAlignedLoad(a.type(), a.pointer, a.alignment()))
            : b.CreateAlignedStore(a.value, a.pointer, a.alignment());
    made->copyMetadata(*a.call);
    return a.loads ? made : nullptr;
  }

  Value *accessWithBranch(const MaskedAccess &a) {
    Value *bits = b.CreateBitCast(a.mask, b.getIntNTy(a.type()->getNumElements()));
    Value *all = b.CreateICmpEQ(bits, Constant::getAllOnesValue(bits->getType()));
    Instruction *thenEnd, *elseEnd;
    SplitBlockAndInsertIfThenElse(all, a.call->getIterator(), &thenEnd, &elseEnd);
    b.SetInsertPoint(thenEnd);
    Value *wholeVector = accessWholeVector(a);
    b.SetInsertPoint(elseEnd);
    Value *gathered = accessWithSpareSlot(a, elementAddresses(a));
    if (!a.loads)
      return nullptr;
    b.SetInsertPoint(a.call);
    PHINode *loaded = b.CreatePHI(a.type(), 2);
    loaded->addIncoming(wholeVector, thenEnd->getParent());
    loaded->addIncoming(gathered, elseEnd->getParent());
    return loaded;
  }

  /// A stack slot as large as any element.
  Value *getOrCreateSpareSlot() {
    if (!spare_) {
      IRBuilder<> entry(&f.getEntryBlock(), f.getEntryBlock().begin());
      spare_ = entry.CreateAlloca(entry.getInt64Ty(), nullptr, "spare");
    }
    return spare_;
  }

  Function &f;
  IRBuilder<> b;
  AllocaInst *spare_ = nullptr;
};

} // namespace

PreservedAnalyses ReplaceMaskedAccesses::run(Function &f, FunctionAnalysisManager &am) {
  if (!planOf(f).isVectorized())
    return PreservedAnalyses::all();
  auto &target = am.getResult<TargetIRAnalysis>(f);
  MaskedAccessReplacer replacer(f);
  bool changed = false;
  for (Instruction *i : collectMaskedAccesses(f)) {
    MaskedAccess access =
        *matchMaskedAccess(*i); // an earlier access may have replaced its stored value
    if (isLegalMaskedAccess(access, target))
      continue;
    replacer.replace(access);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
