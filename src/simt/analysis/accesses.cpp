#include "simt/analysis/accesses.h"

#include "simt/ir/ops.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// Also for dynamic shared memory, and for accesses through generic addresses.
bool isSharedObject(const Value &object) {
  return object.getType()->getPointerAddressSpace() == Shared ||
         calledOp(&object) == Op::DynamicShared;
}

/// Returns the object that an address is derived from; if there are several, the first one in shared memory.
const Value *findUnderlyingObject(const Value &address) {
  const Value *object = getUnderlyingObjectAggressive(&address);
  if (!isa<PHINode, SelectInst>(object))
    return object;
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(object, objects);
  auto shared = find_if(objects, [](const Value *o) { return isSharedObject(*o); });
  return shared == objects.end() ? object : *shared;
}

} // namespace

bool Access::isShared() const { return isSharedObject(*object); }

int64_t Access::bytes() const {
  return int64_t(
      instruction->getDataLayout().getTypeStoreSize(getLoadStoreType(instruction)).getFixedValue());
}

bool loadsOrStoresShared(const Instruction &i) {
  const Value *pointer = getLoadStorePointerOperand(&i);
  return pointer && isSharedObject(*findUnderlyingObject(*pointer));
}

Accesses::Accesses(Function &f, const LoopInfo &loops)
    : layout_(f.getDataLayout()),
      strides_{ThreadStrides(f, Axis::X), ThreadStrides(f, Axis::Y), ThreadStrides(f, Axis::Z)} {
  for (Instruction &i : instructions(f))
    if (const Value *pointer = getLoadStorePointerOperand(&i)) {
      auto along = [&](Axis axis) { return strides(axis).of(*pointer); };
      all_.push_back({&i,
                      findUnderlyingObject(*pointer),
                      loops.getLoopFor(i.getParent()),
                      {along(Axis::X), along(Axis::Y), along(Axis::Z)}});
    }
}

AnalysisKey AccessAnalysis::Key;

Accesses AccessAnalysis::run(Function &f, FunctionAnalysisManager &am) {
  return Accesses(f, am.getResult<LoopAnalysis>(f));
}

} // namespace heddle::simt
