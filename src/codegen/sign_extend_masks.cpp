#include "codegen/sign_extend_masks.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

bool isMask(const Value &v) {
  return isa<FixedVectorType>(v.getType()) && v.getType()->getScalarType()->isIntegerTy(1);
}

bool isUsedByPhiOrOtherBlock(const Instruction &i) {
  return any_of(i.users(), [&](const User *u) {
    return isa<PHINode>(u) || cast<Instruction>(u)->getParent() != i.getParent();
  });
}

/// Returns the integer, loaded or computed, whose bits are the mask; null for other masks.
Value *matchOrLoadMaskBits(Instruction &mask, unsigned lanes, IRBuilderBase &b) {
  if (auto *load = dyn_cast<LoadInst>(&mask); load && load->isSimple())
    return b.CreateAlignedLoad(b.getIntNTy(std::max(lanes, 8u)), load->getPointerOperand(),
                               load->getAlign());
  auto *cast = dyn_cast<BitCastInst>(&mask);
  return cast && cast->getSrcTy()->isIntegerTy() ? cast->getOperand(0) : nullptr;
}

/// Turns integers into masks by a single compare. Instruction selection would extract bit by bit.
bool expandIntegersToMasks(Function &f) {
  constexpr unsigned maxMaskLanes = 32;
  bool changed = false;
  IRBuilder<> b(f.getContext());
  for (Instruction &mask : make_early_inc_range(instructions(f))) {
    unsigned lanes = isMask(mask) ? cast<FixedVectorType>(mask.getType())->getNumElements() : 0;
    if (lanes == 0 || lanes > maxMaskLanes)
      continue;
    b.SetInsertPoint(&mask);
    Value *bits = matchOrLoadMaskBits(mask, lanes, b);
    if (!bits)
      continue;
    SmallVector<Constant *, maxMaskLanes> laneBits;
    for (unsigned lane = 0; lane < lanes; ++lane)
      laneBits.push_back(b.getInt32(1u << lane));
    Value *all = b.CreateVectorSplat(lanes, b.CreateZExt(bits, b.getInt32Ty()));
    Value *laneBit = ConstantVector::get(laneBits);
    mask.replaceAllUsesWith(b.CreateICmpEQ(b.CreateAnd(all, laneBit), laneBit));
    mask.eraseFromParent();
    changed = true;
  }
  return changed;
}

class MaskExtension {
public:
  explicit MaskExtension(Function &f) : b(f.getContext()) {
    for (Instruction &i : instructions(f))
      if (isMask(i) && (isa<PHINode>(i) || isUsedByPhiOrOtherBlock(i)))
        crossBlock.push_back(&i);
  }

  bool run() {
    for (Instruction *i : crossBlock)
      if (auto *phi = dyn_cast<PHINode>(i)) {
        b.SetInsertPoint(phi);
        signs[phi] = b.CreatePHI(signType(*phi), phi->getNumIncomingValues());
      }
    for (Instruction *i : crossBlock)
      rewriteUsesToSignCompares(*i);
    for (Instruction *i : crossBlock)
      if (auto *phi = dyn_cast<PHINode>(i))
        addIncomingSigns(*cast<PHINode>(signs[phi]), *phi);
    for (Instruction *i : crossBlock)
      if (isa<PHINode>(i)) { // remaining uses are in phis that are also erased
        i->replaceAllUsesWith(PoisonValue::get(i->getType()));
        i->eraseFromParent();
      }
    return !crossBlock.empty();
  }

private:
  Type *signType(const Value &mask) {
    return VectorType::get(b.getInt32Ty(), cast<VectorType>(mask.getType()));
  }

  Value *getOrCreateSignExtension(Value &mask) {
    if (Value *known = signs.lookup(&mask))
      return known;
    auto *i = dyn_cast<Instruction>(&mask);
    if (!i)
      return b.CreateSExt(&mask, signType(mask));
    b.SetInsertPoint(*i->getInsertionPointAfterDef());
    return signs[&mask] = createSignExtension(mask);
  }

  /// The first lane of a vector if it is available as a scalar.
  Value *scalarOfFirstLane(Value *v) {
    Value *inner = nullptr;
    if (match(v, m_InsertElt(m_Value(), m_Value(inner), m_Zero())))
      return inner;
    if (!match(v, m_Not(m_Value(inner))))
      return nullptr;
    Value *first = scalarOfFirstLane(inner);
    return first ? b.CreateNot(first) : nullptr;
  }

  /// Extends uniform values as scalars.
  Value *createSignExtension(Value &mask) {
    Value *one = nullptr;
    Value *same = match(&mask, m_Shuffle(m_Value(one), m_Value(), m_ZeroMask()))
                      ? scalarOfFirstLane(one)
                      : nullptr;
    if (!same)
      return b.CreateSExt(&mask, signType(mask));
    ElementCount lanes = cast<VectorType>(mask.getType())->getElementCount();
    return b.CreateVectorSplat(lanes, b.CreateSExt(same, b.getInt32Ty()));
  }

  /// Rewrites uses in other blocks (for a phi, in all blocks) to a sign compare in the using block.
  void rewriteUsesToSignCompares(Instruction &mask) {
    DenseMap<BasicBlock *, Value *> compares;
    for (Use &use : make_early_inc_range(mask.uses())) {
      auto *user = cast<Instruction>(use.getUser());
      BasicBlock *block = user->getParent();
      if (isa<PHINode>(user) || (!isa<PHINode>(mask) && block == mask.getParent()))
        continue;
      Value *sign = getOrCreateSignExtension(mask);
      Value *&compare = compares[block];
      if (!compare) {
        b.SetInsertPoint(block->getFirstInsertionPt());
        compare = b.CreateICmpSLT(sign, Constant::getNullValue(sign->getType()));
      }
      use.set(compare);
    }
  }

  void addIncomingSigns(PHINode &sign, PHINode &mask) {
    for (auto [block, v] : zip(mask.blocks(), mask.incoming_values())) {
      b.SetInsertPoint(block->getTerminator());
      sign.addIncoming(getOrCreateSignExtension(*v), block);
    }
  }

  IRBuilder<> b;
  SmallVector<Instruction *> crossBlock;
  DenseMap<Value *, Value *> signs;
};

} // namespace

PreservedAnalyses SignExtendMasks::run(Function &f, FunctionAnalysisManager &am) {
  Type *mask = FixedVectorType::get(Type::getInt1Ty(f.getContext()), 8);
  if (am.getResult<TargetIRAnalysis>(f).isTypeLegal(mask))
    return PreservedAnalyses::all();
  bool changed = expandIntegersToMasks(f);
  changed |= MaskExtension(f).run();
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
