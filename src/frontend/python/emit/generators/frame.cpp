#include "frontend/python/emit/generators/frame.h"

#include "frontend/python/emit/slots.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {

namespace {

size_t countSlots(llvm::LLVMContext &context, Type type) { return partTypes(context, type).size(); }

} // namespace

FrameSlots::FrameSlots(llvm::LLVMContext &context, Type generator)
    : yielded(simt::YieldedSlot),
      ownersOfYielded(yielded + countSlots(context, generator->element)),
      arguments(ownersOfYielded + countMemories(generator->element)) {}

unsigned argumentsEnd(llvm::LLVMContext &context, const TypedFunction &f) {
  unsigned end = FrameSlots(context, f.result).arguments;
  for (Type type : f.parameters)
    end += countSlots(context, type) + countMemories(type);
  return end;
}

llvm::Value *frameSlot(llvm::IRBuilder<> &b, llvm::Value *frame, unsigned number) {
  return slotAt(b, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, simt::ownerBytes), number);
}

Parts loadParts(llvm::IRBuilder<> &b, llvm::Value *frame, Type type, unsigned &slot) {
  Parts parts;
  for (llvm::Type *part : partTypes(b.getContext(), type)) {
    bool isExtent = type.isArray() && !parts.empty() && parts.size() <= type->ndim;
    parts.push_back(loadSlot(b, frameSlot(b, frame, slot++), part, isExtent));
  }
  return parts;
}

OwnerList loadOwners(llvm::IRBuilder<> &b, llvm::Value *frame, size_t count, unsigned &slot) {
  OwnerList owners;
  while (owners.size() < count)
    owners.push_back(b.CreateLoad(b.getPtrTy(), frameSlot(b, frame, slot++)));
  return owners;
}

std::vector<uint64_t> frameOwnerOffsets(llvm::LLVMContext &context, const TypedFunction &f) {
  FrameSlots slots(context, f.result);
  std::vector<uint64_t> offsets;
  auto add = [&](unsigned first, unsigned end) {
    for (unsigned slot = first; slot < end; ++slot)
      offsets.push_back(simt::ownerBytes + uint64_t(slot) * slotBytes);
  };
  add(slots.ownersOfYielded, slots.arguments);
  unsigned ownersOfArguments = slots.arguments;
  for (Type type : f.parameters)
    ownersOfArguments += countSlots(context, type);
  add(ownersOfArguments, argumentsEnd(context, f));
  return offsets;
}

} // namespace heddle::python
