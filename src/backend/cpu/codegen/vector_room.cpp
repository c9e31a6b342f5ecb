#include "backend/cpu/codegen/vector_room.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

using namespace llvm;

AllocaInst *roomFor(Type &type, Function &f) {
  IRBuilder<> b(&f.getEntryBlock(), f.getEntryBlock().begin());
  AllocaInst *room = b.CreateAlloca(&type);
  room->setAlignment(vectorRoomAlign);
  return room;
}

} // namespace heddle::cpu
