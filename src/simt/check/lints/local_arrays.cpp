#include "simt/check/lints/local_arrays.h"

#include "simt/ir/inline_assembly.h"
#include "simt/ir/source_positions.h"
#include "simt/passes/unroll_array_loops.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// The accesses of a variable.
struct VariableAccesses {
  Instruction *first = nullptr; ///< a load or store
  bool isArgument = false; ///< a copy of a kernel's argument, which GPUs read from constant memory
};

VariableAccesses analyzeVariableAccesses(AllocaInst &variable) {
  VariableAccesses found;
  SmallSetVector<Instruction *, 16> addresses;
  addresses.insert(&variable);
  for (unsigned n = 0; n < addresses.size(); ++n)
    for (User *user : addresses[n]->users()) {
      auto &i = *cast<Instruction>(user);
      if (auto *copy = dyn_cast<MemTransferInst>(&i);
          copy && isa<Argument>(getUnderlyingObject(copy->getRawSource())))
        found.isArgument = true;
      if (getLoadStorePointerOperand(&i) == addresses[n])
        found.first = found.first ? found.first : &i;
      else if (i.getType()->isPointerTy() && !isa<CallInst, LoadInst>(i))
        addresses.insert(&i);
    }
  return found;
}

/// The name of a variable in the source; empty if the compiler has made it up.
StringRef nameInSource(const AllocaInst &variable) {
  StringRef name = variable.getName().split('.').first;
  return name.consume_back("addr") ? "" : name;
}

} // namespace

void addLocalArrayLints(Function &f, FunctionAnalysisManager &am, std::vector<StaticLint> &lints) {
  for (const ArrayInMemory &kept : findArraysInMemory(f, am)) {
    VariableAccesses found = analyzeVariableAccesses(*kept.array);
    bool isAccess = kept.at && isa<LoadInst, StoreInst>(kept.at);
    const Instruction *access = isAccess ? kept.at : found.first;
    // On a GPU, a matrix instruction is far shorter than the code that stands for it here.
    bool mayBeTooLong = !kept.at && f.getParent()->getNamedMetadata(emulatedMatrices);
    if (!access || found.isArgument || mayBeTooLong)
      continue;
    SourcePosition at = sourcePositionOf(*access);
    lints.push_back(
        {StaticLint::LocalArray,
         {{"", nameInSource(*kept.array).str(), at.function, at.file, at.line, at.column}},
         kept.array->getAllocationSize(f.getDataLayout())->getFixedValue(),
         isa<StoreInst>(access)});
  }
}

} // namespace heddle::simt
