#include "frontend/python/emit/parallel/partial_results.h"

#include "simt/ir/host_memory.h"

namespace heddle::python {

PartialResults::PartialResults(Emitter &e, llvm::Value *chunks, llvm::Value *bytes, Span span)
    : e_(e), owner_(e.makeTemporary(arrayType(int64Type(), 1), span)),
      shared_(e.makeTemporary(tupleType({int64Type(), int64Type()}), span)), chunks_(chunks),
      bytes_(bytes) {
  llvm::Value *owner = allocateMemory(e, e.b.CreateMul(chunks, bytes), /*zeroed=*/false);
  e.owners().takeOverReferences(owner_, {owner});
  llvm::Value *first = e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), owner, simt::ownerBytes);
  e.bind(shared_, {e.b.CreatePtrToInt(first, e.b.getInt64Ty()), bytes});
}

llvm::Value *PartialResults::addressOf(Emitter &e, llvm::Value *chunk) const {
  Parts parts = e.parts(shared_);
  llvm::Value *first = e.b.CreateIntToPtr(parts[0], e.b.getPtrTy());
  llvm::Value *bytes = llvm::isa<llvm::Constant>(bytes_) ? bytes_ : parts[1];
  return e.b.CreatePtrAdd(first, e.b.CreateMul(chunk, bytes));
}

void PartialResults::forEach(llvm::function_ref<void(llvm::Value *address)> combine) const {
  e_.emitLoop(chunks_, [&](llvm::Value *chunk) { combine(addressOf(e_, chunk)); });
}

void PartialResults::free() {
  e_.owners().takeOverReferences(owner_, {llvm::ConstantPointerNull::get(e_.b.getPtrTy())});
}

} // namespace heddle::python
