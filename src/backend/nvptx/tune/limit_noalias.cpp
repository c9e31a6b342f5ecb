#include "backend/nvptx/tune/limit_noalias.h"

#include "simt/analysis/spin_loops.h"
#include "simt/ir/kernel_parameters.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"

#include <algorithm>

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// The writers whose stores may become visible at an instruction.
enum class Writers { None, ThreadsOfTheKernel, Anyone };

Writers findPossibleWriters(const CallInst &call, simt::Op op, bool isInLoop) {
  switch (op) {
  case simt::Op::FenceDevice: // in a loop, it may be between the loads of a flag
    return isInLoop ? Writers::Anyone : Writers::ThreadsOfTheKernel;
  case simt::Op::FenceSystem:
  case simt::Op::LoadCached:
    return Writers::Anyone;
  case simt::Op::FenceBlock:
  case simt::Op::AtomicCas:
  case simt::Op::AtomicExch:
    return Writers::ThreadsOfTheKernel;
  default:
    bool receives = simt::info(op).has(simt::ArgMemory) && !call.use_empty();
    return receives || simt::info(op).has(simt::Convergent) ? Writers::ThreadsOfTheKernel
                                                            : Writers::None;
  }
}

Writers findPossibleWriters(const Instruction &i, const LoopInfo &loops) {
  if (i.isAtomic())
    return Writers::Anyone;
  if (i.isVolatile()) {
    const Value *pointer = getLoadStorePointerOperand(&i);
    bool isShared = pointer && pointer->getType()->getPointerAddressSpace() == simt::Shared;
    return isShared ? Writers::ThreadsOfTheKernel : Writers::Anyone;
  }
  const auto *call = dyn_cast<CallInst>(&i);
  if (!call || isa<IntrinsicInst>(call) || call->doesNotAccessMemory())
    return Writers::None;
  std::optional<simt::Op> op = simt::calledOp(call);
  return op ? findPossibleWriters(*call, *op, loops.getLoopFor(i.getParent())) : Writers::Anyone;
}

Writers findPossibleWriters(const Function &f, const LoopInfo &loops) {
  Writers writers = Writers::None;
  for (const Instruction &i : instructions(f))
    writers = std::max(writers, findPossibleWriters(i, loops));
  for (const Loop *loop : loops.getLoopsInPreorder())
    if (writers != Writers::Anyone && simt::findSpinPathEnd(*loop))
      writers = Writers::Anyone;
  return writers;
}

/// Returns false if the function may write memory at the parameter or lets its address escape.
bool isOnlyRead(const Argument &parameter) {
  SmallVector<const Value *> pointers{&parameter};
  SmallPtrSet<const Value *, 16> seen{&parameter};
  while (!pointers.empty()) {
    for (const User *user : pointers.pop_back_val()->users()) {
      if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst, FreezeInst>(user) &&
          user->getType()->isPointerTy()) {
        if (seen.insert(user).second)
          pointers.push_back(user);
      } else if (!isa<LoadInst, ICmpInst>(user)) {
        return false;
      }
    }
  }
  return true;
}

/// The arrays that no longer have `noalias`, each with a scope, and the scopes of the loads and stores.
class Scopes {
public:
  Scopes(Function &f, ArrayRef<Argument *> arrays) : builder_(f.getContext()), arrays_(arrays) {
    MDNode *domain = builder_.createAnonymousAliasScopeDomain(f.getName());
    for (Argument *array : arrays)
      scopes_.push_back(builder_.createAnonymousAliasScope(domain, array->getName()));
  }

  void addScopesToAccess(Instruction &access) const {
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(getLoadStorePointerOperand(&access), objects, nullptr, /*MaxLookup=*/0);
    // An address from elsewhere may be in any array.
    if (!all_of(objects, [](const Value *object) { return isa<Argument>(object); }))
      return;
    SmallVector<Metadata *, 4> own, others;
    for (auto [array, scope] : zip_equal(arrays_, scopes_))
      (is_contained(objects, array) ? own : others).push_back(scope);
    if (own.size() == objects.size()) // no parameter that may overlap others
      appendScopesToMetadata(access, LLVMContext::MD_alias_scope, own);
    appendScopesToMetadata(access, LLVMContext::MD_noalias, others);
  }

private:
  static void appendScopesToMetadata(Instruction &access, unsigned kind,
                                     ArrayRef<Metadata *> scopes) {
    if (scopes.empty())
      return;
    MDNode *added = MDNode::get(access.getContext(), scopes);
    access.setMetadata(kind, MDNode::concatenate(access.getMetadata(kind), added));
  }

  MDBuilder builder_;
  ArrayRef<Argument *> arrays_;
  SmallVector<MDNode *, 4> scopes_;
};

} // namespace

PreservedAnalyses LimitNoAlias::run(Function &f, FunctionAnalysisManager &am) {
  const LoopInfo &loops = am.getResult<LoopAnalysis>(f);
  Writers writers = findPossibleWriters(f, loops);
  if (writers == Writers::None)
    return PreservedAnalyses::all();
  SmallVector<Argument *, 4> arrays;
  for (Argument &a : f.args())
    if (a.hasNoAliasAttr() && !simt::structureBytesOf(a) &&
        (writers == Writers::Anyone || !isOnlyRead(a)))
      arrays.push_back(&a);
  Scopes scopes(f, arrays);
  for (Instruction &i : instructions(f)) {
    if (isa<LoadInst, StoreInst>(i) && arrays.size() > 1)
      scopes.addScopesToAccess(i);
    else if (isa<CallInst>(i) &&
             findPossibleWriters(i, loops) != Writers::None) // inlining also annotates calls
      i.setMetadata(LLVMContext::MD_noalias, nullptr);
  }
  for (Argument *array : arrays)
    array->removeAttr(Attribute::NoAlias);
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
