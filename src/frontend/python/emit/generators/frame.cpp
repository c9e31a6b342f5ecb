#include "frontend/python/emit/generators/frame.h"

#include "simt/ir/host_memory.h"

namespace heddle::python {

namespace {

unsigned countParts(llvm::LLVMContext &context, Type type) {
  return unsigned(partTypes(context, type).size());
}

/// The first slot after a value that starts at slot `first`.
unsigned firstSlotAfterValue(llvm::LLVMContext &context, Type type, unsigned first) {
  return first + countParts(context, type) + unsigned(countHostOwners(type));
}

unsigned firstArgumentSlot(llvm::LLVMContext &context, Type generator) {
  return firstSlotAfterValue(context, generator->element, simt::YieldedSlot);
}

Type argumentTupleType(const TypedFunction &f) { return tupleType(f.parameters); }

} // namespace

StoredValue yieldedValue(llvm::IRBuilder<> &b, Type generator, llvm::Value *frame) {
  return {b, generator->element, frameSlot(b, frame, simt::YieldedSlot)};
}

StoredValue generatorArguments(llvm::IRBuilder<> &b, const TypedFunction &f, llvm::Value *frame) {
  return {b, argumentTupleType(f),
          frameSlot(b, frame, firstArgumentSlot(b.getContext(), f.result))};
}

unsigned firstSlotAfterArguments(llvm::LLVMContext &context, const TypedFunction &f) {
  return firstSlotAfterValue(context, argumentTupleType(f), firstArgumentSlot(context, f.result));
}

llvm::Value *frameSlot(llvm::IRBuilder<> &b, llvm::Value *frame, unsigned number) {
  return slotAt(b, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, simt::ownerBytes), number);
}

std::vector<uint64_t> frameOwnerOffsets(llvm::LLVMContext &context, const TypedFunction &f) {
  std::vector<uint64_t> offsets;
  auto add = [&](Type type, unsigned first) {
    for (unsigned slot = first + countParts(context, type);
         slot < firstSlotAfterValue(context, type, first); ++slot)
      offsets.push_back(simt::ownerBytes + uint64_t(slot) * slotBytes);
  };
  add(f.result->element, simt::YieldedSlot);
  add(argumentTupleType(f), firstArgumentSlot(context, f.result));
  return offsets;
}

} // namespace heddle::python
