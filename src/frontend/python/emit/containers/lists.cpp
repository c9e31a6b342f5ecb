#include "frontend/python/emit/containers/lists.h"

#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/kept_values.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {
namespace {

llvm::Value *listFieldAddress(Emitter &e, llvm::Value *list, uint64_t offset) {
  return e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), list, offset);
}

unsigned countElementSlots(Emitter &e, Type list) {
  return unsigned(partTypes(e.b.getContext(), list->element).size() +
                  countHostOwners(list->element));
}

void storeListSize(Emitter &e, llvm::Value *list, llvm::Value *size) {
  e.b.CreateStore(size, listFieldAddress(e, list, simt::listSize));
}

/// Stores an item in the list, which gets a reference to the item's memory.
void storeItem(Emitter &e, Type list, llvm::Value *owner, llvm::Value *index, Value &item) {
  Type element = list->element;
  Kept value = list.isShared() ? convertAndOwnForStorage(e, item, element)
                               : Kept{convert(e, e.parts(item), item.type, element),
                                      e.owners().convertedOwners(item, element)};
  e.owners().retain(value.owners);
  listItem(e, list, owner, index).store(value.parts, value.owners);
}

/// The index of `v`, wrapped around if negative. Raises IndexError if it is out of bounds.
llvm::Value *checkedListIndex(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *size = loadListSize(e, e.parts(*v.operands[0])[0]);
  llvm::Value *index = e.scalar(*v.operands[1], int64Type());
  if (!e.isNonNegative(*v.operands[1]))
    index = e.wrapNegativeIndex(index, size);
  e.trapIf(b.CreateICmpUGE(index, size), v.span, "IndexError", "list index out of range");
  return index;
}

llvm::FunctionCallee declareListFunction(Emitter &e, const char *name, llvm::Type *result,
                                         llvm::ArrayRef<llvm::Type *> parameters) {
  return e.module().module().getOrInsertFunction(
      name, llvm::FunctionType::get(result, parameters, false));
}

} // namespace

llvm::Value *allocateList(Emitter &e, Type element, int64_t size, int64_t room) {
  auto owners = int64_t(countHostOwners(element));
  int64_t slots = int64_t(partTypes(e.b.getContext(), element).size()) + owners;
  llvm::FunctionCallee make =
      declareListFunction(e, simt::newListFunction, e.b.getPtrTy(),
                          {e.b.getInt64Ty(), e.b.getInt32Ty(), e.b.getInt32Ty()});
  int64_t elements = slots ? std::max(size, room / slots) : size;
  llvm::Value *bytes = e.int64(elements * slots * slotBytes);
  llvm::Value *owner = e.b.CreateCall(make, {bytes, e.int32(slots), e.int32(owners)});
  storeListSize(e, owner, e.int64(size));
  return owner;
}

Parts emitList(Emitter &e, Value &v) {
  llvm::Value *owner = allocateList(e, v.type->element, int64_t(v.operands.size()));
  for (size_t i = 0; i < v.operands.size(); ++i)
    storeItem(e, v.type, owner, e.int64(int64_t(i)), *v.operands[i]);
  e.owners().takeOverReferences(v, {owner});
  return {owner};
}

llvm::Value *loadListSize(Emitter &e, llvm::Value *list) {
  return e.b.CreateLoad(e.b.getInt64Ty(), listFieldAddress(e, list, simt::listSize));
}

StoredValue listItem(Emitter &e, Type list, llvm::Value *owner, llvm::Value *index) {
  llvm::Value *elements =
      e.b.CreateLoad(e.b.getPtrTy(), listFieldAddress(e, owner, simt::listElements));
  llvm::Value *offset = e.b.CreateNSWMul(index, e.int64(slotBytes * countElementSlots(e, list)));
  return {e.b, list->element, e.b.CreateInBoundsGEP(e.b.getInt8Ty(), elements, offset)};
}

Parts emitListIndex(Emitter &e, Value &v) {
  llvm::Value *index = checkedListIndex(e, v), *list = e.parts(*v.operands[0])[0];
  StoredValue item = listItem(e, v.operands[0]->type, list, index);
  Parts parts = item.parts();
  e.owners().retainUnlessBorrowed(v, item.owners());
  return parts;
}

void emitListStore(Emitter &e, Value &v) {
  Value &list = *v.operands[0], &value = *v.operands[2];
  llvm::Value *index = checkedListIndex(e, v);
  llvm::Value *owner = e.parts(list)[0];
  OwnerList before = listItem(e, list.type, owner, index).owners();
  storeItem(e, list.type, owner, index, value);
  e.owners().release(before);
}

void appendToList(Emitter &e, Value &list, Value &item) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *owner = e.parts(list)[0], *size = loadListSize(e, owner);
  llvm::Value *bytes = e.int64(slotBytes * countElementSlots(e, list.type));
  llvm::Value *needed = b.CreateMul(b.CreateAdd(size, e.int64(1)), bytes);
  llvm::Value *capacity = b.CreateLoad(b.getInt64Ty(), listFieldAddress(e, owner, simt::listBytes));
  auto *grow = llvm::BasicBlock::Create(b.getContext(), "grow", &e.llvmFunction());
  auto *store = llvm::BasicBlock::Create(b.getContext(), "append", &e.llvmFunction());
  b.CreateCondBr(b.CreateICmpSGT(needed, capacity), grow, store);
  b.SetInsertPoint(grow);
  b.CreateCall(
      declareListFunction(e, simt::growListFunction, b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty()}),
      {owner, needed});
  b.CreateBr(store);
  b.SetInsertPoint(store);
  storeItem(e, list.type, owner, size, item);
  storeListSize(e, owner, b.CreateAdd(size, e.int64(1)));
}

Parts popFromList(Emitter &e, Value &list, const Value &v) {
  llvm::Value *owner = e.parts(list)[0], *size = loadListSize(e, owner);
  e.trapIf(e.b.CreateICmpEQ(size, e.int64(0)), v.span, "IndexError", "pop from empty list");
  llvm::Value *last = e.b.CreateSub(size, e.int64(1));
  StoredValue item = listItem(e, list.type, owner, last);
  Parts parts = item.parts();
  OwnerList owners = item.owners();
  storeListSize(e, owner, last);
  e.owners().takeOverReferences(v, std::move(owners)); // the list's reference
  return parts;
}

} // namespace heddle::python
