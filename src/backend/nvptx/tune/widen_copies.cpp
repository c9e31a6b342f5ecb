#include "backend/nvptx/tune/widen_copies.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr uint64_t vectorBytes = 16; ///< of the widest access
constexpr uint64_t maxVectors = 8;   ///< of a copy; LLVM copies larger ones in a loop

/// The number of vectors that the copy consists of; 0 if it must stay.
uint64_t countVectors(const MemCpyInst &copy) {
  const auto *length = dyn_cast<ConstantInt>(copy.getLength());
  Align align =
      std::min(copy.getDestAlign().valueOrOne(), copy.getSourceAlign().valueOrOne());
  if (!length || copy.isVolatile() || align < Align(vectorBytes) ||
      length->getValue().urem(vectorBytes) != 0 ||
      length->getValue().ugt(maxVectors * vectorBytes))
    return 0;
  return length->getZExtValue() / vectorBytes;
}

void widen(MemCpyInst &copy, uint64_t vectors) {
  IRBuilder<> b(&copy);
  Type *type = FixedVectorType::get(b.getInt32Ty(), vectorBytes / 4);
  SmallVector<Value *, maxVectors> values;
  for (uint64_t i = 0; i < vectors; ++i)
    values.push_back(b.CreateAlignedLoad(
        type, b.CreateConstInBoundsGEP1_64(type, copy.getRawSource(), i), Align(vectorBytes)));
  for (uint64_t i = 0; i < vectors; ++i)
    b.CreateAlignedStore(values[i], b.CreateConstInBoundsGEP1_64(type, copy.getRawDest(), i),
                         Align(vectorBytes));
  copy.eraseFromParent();
}

} // namespace

PreservedAnalyses WidenCopies::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (auto *copy = dyn_cast<MemCpyInst>(&i))
      if (uint64_t vectors = countVectors(*copy)) {
        widen(*copy, vectors);
        changed = true;
      }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace heddle::nvptx
