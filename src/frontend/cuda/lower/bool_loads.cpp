#include "frontend/cuda/lower/bool_loads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

bool loadsBool(const Instruction &i) {
  const MDNode *range = i.getMetadata(LLVMContext::MD_range);
  return range && isa<LoadInst>(i) && i.getType()->isIntegerTy(8) &&
         getConstantRangeFromMetadata(*range) == ConstantRange(APInt(8, 0), APInt(8, 2));
}

void compareByteWithZero(Instruction &byte) {
  byte.setMetadata(LLVMContext::MD_range, nullptr);
  byte.setMetadata(LLVMContext::MD_noundef, nullptr);
  for (User *user : make_early_inc_range(byte.users())) {
    auto *lowestBit = dyn_cast<TruncInst>(user);
    if (!lowestBit || !lowestBit->getType()->isIntegerTy(1))
      continue;
    IRBuilder<> b(lowestBit);
    Value *isTrue = b.CreateICmpNE(&byte, b.getInt8(0));
    isTrue->takeName(lowestBit);
    lowestBit->replaceAllUsesWith(isTrue);
    lowestBit->eraseFromParent();
  }
}

} // namespace

void lowerBoolLoads(Module &m) {
  SmallVector<Instruction *> bytes;
  for (Function &f : m)
    for (Instruction &i : instructions(f))
      if (loadsBool(i))
        bytes.push_back(&i);
  for (Instruction *byte : bytes)
    compareByteWithZero(*byte);
}

} // namespace heddle::cudacpp
