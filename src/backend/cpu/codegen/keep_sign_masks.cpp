#include "backend/cpu/codegen/keep_sign_masks.h"

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

bool isUsedElsewhere(const Instruction &i) {
  return any_of(i.users(), [&](const User *u) {
    return isa<PHINode>(u) || cast<Instruction>(u)->getParent() != i.getParent();
  });
}

class SignMasks {
public:
  explicit SignMasks(Function &f) : b(f.getContext()) {
    for (Instruction &i : instructions(f))
      if (isMask(i) && (isa<PHINode>(i) || isUsedElsewhere(i)))
        crossing.push_back(&i);
  }

  bool run() {
    for (Instruction *i : crossing)
      if (auto *phi = dyn_cast<PHINode>(i)) {
        b.SetInsertPoint(phi);
        signs[phi] = b.CreatePHI(signType(*phi), phi->getNumIncomingValues());
      }
    for (Instruction *i : crossing)
      useSigns(*i);
    for (Instruction *i : crossing)
      if (auto *phi = dyn_cast<PHINode>(i))
        moveInto(*cast<PHINode>(signs[phi]), *phi);
    for (Instruction *i : crossing)
      if (isa<PHINode>(i)) { // what is left uses phis of masks, which go, too
        i->replaceAllUsesWith(PoisonValue::get(i->getType()));
        i->eraseFromParent();
      }
    return !crossing.empty();
  }

private:
  Type *signType(const Value &mask) {
    return VectorType::get(b.getInt32Ty(), cast<VectorType>(mask.getType()));
  }

  Value *signOf(Value &mask) {
    if (Value *known = signs.lookup(&mask))
      return known;
    auto *i = dyn_cast<Instruction>(&mask);
    if (!i)
      return b.CreateSExt(&mask, signType(mask));
    b.SetInsertPoint(*i->getInsertionPointAfterDef());
    return signs[&mask] = made(mask);
  }

  /// The first lane of a vector, where it is known as a scalar.
  Value *firstLane(Value *v) {
    Value *inner = nullptr;
    if (match(v, m_InsertElt(m_Value(), m_Value(inner), m_Zero())))
      return inner;
    if (!match(v, m_Not(m_Value(inner))))
      return nullptr;
    Value *first = firstLane(inner);
    return first ? b.CreateNot(first) : nullptr;
  }

  /// What is the same in all lanes is extended once.
  Value *made(Value &mask) {
    Value *one = nullptr;
    Value *same =
        match(&mask, m_Shuffle(m_Value(one), m_Value(), m_ZeroMask())) ? firstLane(one) : nullptr;
    if (!same)
      return b.CreateSExt(&mask, signType(mask));
    ElementCount lanes = cast<VectorType>(mask.getType())->getElementCount();
    return b.CreateVectorSplat(lanes, b.CreateSExt(same, b.getInt32Ty()));
  }

  /// In each other block (a phi: in all) the mask is a compare of the sign.
  void useSigns(Instruction &mask) {
    DenseMap<BasicBlock *, Value *> compares;
    for (Use &use : make_early_inc_range(mask.uses())) {
      auto *user = cast<Instruction>(use.getUser());
      BasicBlock *block = user->getParent();
      if (isa<PHINode>(user) || (!isa<PHINode>(mask) && block == mask.getParent()))
        continue;
      Value *sign = signOf(mask);
      Value *&compare = compares[block];
      if (!compare) {
        b.SetInsertPoint(block->getFirstInsertionPt());
        compare = b.CreateICmpSLT(sign, Constant::getNullValue(sign->getType()));
      }
      use.set(compare);
    }
  }

  void moveInto(PHINode &sign, PHINode &mask) {
    for (auto [block, v] : zip(mask.blocks(), mask.incoming_values())) {
      b.SetInsertPoint(block->getTerminator());
      sign.addIncoming(signOf(*v), block);
    }
  }

  IRBuilder<> b;
  SmallVector<Instruction *> crossing;
  DenseMap<Value *, Value *> signs;
};

} // namespace

PreservedAnalyses KeepSignMasks::run(Function &f, FunctionAnalysisManager &am) {
  Type *mask = FixedVectorType::get(Type::getInt1Ty(f.getContext()), 8);
  if (am.getResult<TargetIRAnalysis>(f).isTypeLegal(mask))
    return PreservedAnalyses::all();
  return SignMasks(f).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
