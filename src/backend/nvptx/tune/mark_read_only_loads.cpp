#include "backend/nvptx/tune/mark_read_only_loads.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/ops.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

bool isReadOnlyNoAliasArgument(const Value *object) {
  const auto *a = dyn_cast<Argument>(object);
  return a && a->hasNoAliasAttr() && a->onlyReadsMemory();
}

bool readsReadOnlyArguments(const LoadInst &load) {
  if (load.getPointerAddressSpace() != simt::Global || load.isVolatile() || load.isAtomic())
    return false;
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(load.getPointerOperand(), objects, nullptr, /*MaxLookup=*/0);
  return all_of(objects, isReadOnlyNoAliasArgument);
}

} // namespace

PreservedAnalyses MarkReadOnlyLoads::run(Function &f, FunctionAnalysisManager &) {
  // Memory of a device function's parameter may be written after the function returns.
  if (!isKernel(f))
    return PreservedAnalyses::all();
  bool changed = false;
  for (Instruction &i : instructions(f)) {
    auto *load = dyn_cast<LoadInst>(&i);
    if (!load || !readsReadOnlyArguments(*load))
      continue;
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(f.getContext(), {}));
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
