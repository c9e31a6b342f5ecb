#include "backend/cpu/prepare/kernel_arguments.h"

#include "backend/cpu/abi/thread_context.h"
#include "simt/ir/kernel_parameters.h"

#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/MDBuilder.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// The slot of each parameter.
DenseMap<const Argument *, uint64_t> findSlots(Function &kernel) {
  DenseMap<const Argument *, uint64_t> slots;
  uint64_t next = 0;
  for (const Argument &a : drop_begin(kernel.args(), kernelContextParameters)) {
    slots[&a] = next;
    next += simt::countSlots(a);
  }
  return slots;
}

Value *loadFromSlot(IRBuilderBase &b, const Argument &parameter, Value *slots, uint64_t slot) {
  Value *address =
      slot ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slots, simt::slotBytes * slot) : slots;
  if (simt::structureBytesOf(parameter))
    return address;
  LoadInst *load = b.CreateAlignedLoad(parameter.getType(), address, Align(simt::slotBytes));
  markInvariantLoad(*load);
  LLVMContext &c = b.getContext();
  if (MaybeAlign alignment = parameter.getParamAlign())
    load->setMetadata(LLVMContext::MD_align,
                      MDNode::get(c, ConstantAsMetadata::get(b.getInt64(alignment->value()))));
  if (std::optional<ConstantRange> range = parameter.getRange(); range && !range->isFullSet())
    load->setMetadata(LLVMContext::MD_range,
                      MDBuilder(c).createRange(range->getLower(), range->getUpper()));
  return load;
}

} // namespace

void loadKernelArguments(IRBuilderBase &b, Function &kernel, Value *slots) {
  DenseMap<const Argument *, uint64_t> slotOf = findSlots(kernel);
  for (Argument &a : drop_begin(kernel.args(), kernelContextParameters)) {
    if (a.use_empty())
      continue;
    Value *value = loadFromSlot(b, a, slots, slotOf[&a]);
    a.replaceAllUsesWith(value);
    if (value != slots)
      value->takeName(&a);
  }
}

SmallVector<Value *, 16> loadParameters(IRBuilderBase &b, Function &kernel,
                                        ArrayRef<Argument *> parameters, Value *slots) {
  DenseMap<const Argument *, uint64_t> slotOf = findSlots(kernel);
  SmallVector<Value *, 16> values;
  for (const Argument *a : parameters)
    values.push_back(loadFromSlot(b, *a, slots, slotOf[a]));
  return values;
}

} // namespace heddle::cpu
