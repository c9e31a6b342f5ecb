#include "frontend/python/emit/generators/frame.h"

#include "frontend/python/emit/slots.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {

namespace {

size_t slotsOf(llvm::LLVMContext &context, Type type) { return partTypes(context, type).size(); }

} // namespace

FrameSlots::FrameSlots(llvm::LLVMContext &context, Type generator)
    : yielded(simt::YieldedSlot), ownersOfYielded(yielded + slotsOf(context, generator->element)),
      arguments(ownersOfYielded + memoriesIn(generator->element)) {}

unsigned endOfArguments(llvm::LLVMContext &context, const TypedFunction &f) {
  unsigned end = FrameSlots(context, f.result).arguments;
  for (Type type : f.parameters)
    end += slotsOf(context, type) + memoriesIn(type);
  return end;
}

llvm::Value *slotOfFrame(llvm::IRBuilder<> &b, llvm::Value *frame, unsigned number) {
  return slotAt(b, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, simt::ownerBytes), number);
}

Parts loadParts(llvm::IRBuilder<> &b, llvm::Value *frame, Type type, unsigned &slot) {
  Parts parts;
  for (llvm::Type *part : partTypes(b.getContext(), type)) {
    bool isExtent = type.isArray() && !parts.empty() && parts.size() <= type->ndim;
    parts.push_back(loadSlot(b, slotOfFrame(b, frame, slot++), part, isExtent));
  }
  return parts;
}

OwnerList loadOwners(llvm::IRBuilder<> &b, llvm::Value *frame, size_t count, unsigned &slot) {
  OwnerList owners;
  while (owners.size() < count)
    owners.push_back(b.CreateLoad(b.getPtrTy(), slotOfFrame(b, frame, slot++)));
  return owners;
}

std::vector<uint64_t> ownersInFrame(llvm::LLVMContext &context, const TypedFunction &f) {
  FrameSlots slots(context, f.result);
  std::vector<uint64_t> offsets;
  auto add = [&](unsigned first, unsigned end) {
    for (unsigned slot = first; slot < end; ++slot)
      offsets.push_back(simt::ownerBytes + uint64_t(slot) * slotBytes);
  };
  add(slots.ownersOfYielded, slots.arguments);
  unsigned ownersOfArguments = slots.arguments;
  for (Type type : f.parameters)
    ownersOfArguments += slotsOf(context, type);
  add(ownersOfArguments, endOfArguments(context, f));
  return offsets;
}

} // namespace heddle::python
