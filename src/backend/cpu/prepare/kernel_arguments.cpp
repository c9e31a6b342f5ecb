#include "backend/cpu/prepare/kernel_arguments.h"

#include "backend/cpu/abi/thread_context.h"

#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/MDBuilder.h"

namespace heddle::cpu {

using namespace llvm;

LoadInst *loadKernelArgument(IRBuilderBase &b, Argument &parameter, Value *slots) {
  constexpr unsigned slotBytes = 8;
  unsigned slot = parameter.getArgNo() - kernelContextParameters;
  Value *address =
      slot ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slots, slotBytes * slot) : slots;
  LoadInst *load = b.CreateAlignedLoad(parameter.getType(), address, Align(slotBytes));
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

void loadKernelArguments(IRBuilderBase &b, Function &kernel, Value *slots) {
  for (Argument &a : drop_begin(kernel.args(), kernelContextParameters)) {
    if (a.use_empty())
      continue;
    LoadInst *load = loadKernelArgument(b, a, slots);
    a.replaceAllUsesWith(load);
    load->takeName(&a);
  }
}

} // namespace heddle::cpu
