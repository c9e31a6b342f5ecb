#include "codegen/vector_slots.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

using namespace llvm;

AllocaInst *createVectorSlot(Type &type, Function &f) {
  IRBuilder<> b(&f.getEntryBlock(), f.getEntryBlock().begin());
  AllocaInst *slot = b.CreateAlloca(&type);
  slot->setAlignment(vectorSlotAlign);
  return slot;
}

} // namespace heddle::cpu
