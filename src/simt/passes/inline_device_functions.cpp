#include "simt/passes/inline_device_functions.h"

#include "simt/ir/verifier.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// Lists inlinable functions, callers before callees. A callee is then inlined after its caller has been, so a chain of
/// calls is copied once instead of once per link, and all uses are known.
std::vector<Function *> functionsCallersFirst(Module &m) {
  std::vector<Function *> order;
  CallGraph graph(m);
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
    for (const CallGraphNode *node : *component)
      if (Function *f = node->getFunction();
          f && !f->isDeclaration() && !f->hasFnAttribute(kernelAttribute))
        order.push_back(f);
  std::reverse(order.begin(), order.end());
  return order;
}

/// Returns true if the address flows into the function's return value or memory passed by the caller.
bool escapesToCaller(Instruction &start) {
  SmallVector<Value *, 16> left{&start};
  SmallPtrSet<Value *, 16> seen;
  while (!left.empty()) {
    Value *address = left.pop_back_val();
    if (!seen.insert(address).second)
      continue;
    for (User *user : address->users()) {
      if (isa<ReturnInst>(user))
        return true;
      auto *store = dyn_cast<StoreInst>(user);
      if (store && store->getValueOperand() == address &&
          isa<Argument>(getUnderlyingObject(store->getPointerOperand())))
        return true;
      if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst, InsertValueInst, ExtractValueInst>(
              user))
        left.push_back(user);
    }
  }
  return false;
}

/// The functions that return stack memory to their callers, as program-building code may do. The memory must outlive
/// the call.
SmallPtrSet<Function *, 4> functionsReturningStackMemory(Module &m) {
  SmallPtrSet<Function *, 4> found;
  auto makesMemory = [&](Instruction &i) {
    auto *call = dyn_cast<CallBase>(&i);
    return isa<AllocaInst>(i) || (call && found.contains(call->getCalledFunction()));
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (Function &f : m)
      if (!f.isDeclaration() && !f.hasFnAttribute(kernelAttribute) && !found.contains(&f) &&
          any_of(instructions(f),
                 [&](Instruction &i) { return makesMemory(i) && escapesToCaller(i); }))
        changed = found.insert(&f).second;
  }
  return found;
}

SmallVector<IntrinsicInst *, 4> collectStackSaves(Function &f) {
  SmallVector<IntrinsicInst *, 4> found;
  for (Instruction &i : instructions(f))
    if (auto *call = dyn_cast<IntrinsicInst>(&i);
        call && call->getIntrinsicID() == Intrinsic::stacksave)
      found.push_back(call);
  return found;
}

/// Inlines a function that returns stack memory, without a stackrestore that would free it before the caller returns.
void inlineKeepingStack(CallBase &call) {
  Function &caller = *call.getFunction();
  SmallVector<IntrinsicInst *, 4> before = collectStackSaves(caller);
  InlineFunctionInfo info;
  InlineFunction(call, info, /*MergeAttributes=*/true, /*CalleeAAR=*/nullptr,
                 /*InsertLifetime=*/false);
  for (IntrinsicInst *save : collectStackSaves(caller)) {
    if (is_contained(before, save))
      continue;
    for (User *restore : make_early_inc_range(save->users()))
      cast<Instruction>(restore)->eraseFromParent();
    save->eraseFromParent();
  }
}

void inlineIntoCallers(Function &f, bool returnsStackMemory) {
  if (!isInlineViable(f).isSuccess())
    return;
  SmallVector<CallBase *, 16> calls;
  for (User *user : f.users())
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == &f)
      calls.push_back(call);
  for (CallBase *call : calls) {
    if (returnsStackMemory) {
      inlineKeepingStack(*call);
      continue;
    }
    InlineFunctionInfo info;
    InlineFunction(*call, info, /*MergeAttributes=*/true, /*CalleeAAR=*/nullptr,
                   /*InsertLifetime=*/true);
  }
  if (f.use_empty() && f.hasLocalLinkage())
    f.eraseFromParent();
}

void removeUnusedFunctions(Module &m) {
  for (bool changed = true; changed;) {
    changed = false;
    for (Function &f : make_early_inc_range(m)) {
      if (!f.hasLocalLinkage() || f.isDeclaration() || !f.use_empty())
        continue;
      f.eraseFromParent();
      changed = true;
    }
  }
}

} // namespace

PreservedAnalyses InlineDeviceFunctions::run(Module &m, ModuleAnalysisManager &) {
  bool any = false;
  SmallPtrSet<Function *, 4> returning = functionsReturningStackMemory(m);
  for (Function &f : m) {
    if (f.isDeclaration() || f.hasFnAttribute(kernelAttribute))
      continue;
    any = true;
    f.removeFnAttr(Attribute::NoInline);
    f.removeFnAttr(Attribute::OptimizeNone);
    f.removeFnAttr(Attribute::AlwaysInline);
  }
  if (!any)
    return PreservedAnalyses::all();
  for (Function *f : functionsCallersFirst(m)) {
    bool returnsStack = returning.contains(f);
    uint64_t size = f->getInstructionCount(), copies = f->getNumUses();
    bool isSmall =
        size <= maxInlinedInstructions_ && size * copies <= uint64_t(maxInlinedInstructions_) * 100;
    bool isInlined = f->hasOneUse() || returnsStack || isSmall;
    if (isInlined && !f->hasFnAttribute(outOfLineAttribute)) {
      f->addFnAttr(Attribute::AlwaysInline);
      inlineIntoCallers(*f, returnsStack);
    } else {
      f->addFnAttr(Attribute::NoInline);
    }
  }
  removeUnusedFunctions(m);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
