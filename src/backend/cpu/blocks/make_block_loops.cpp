#include "backend/cpu/blocks/make_block_loops.h"

#include "backend/cpu/blocks/block_function.h"
#include "backend/cpu/blocks/split_thread_loops.h"
#include "backend/cpu/prepare/thread_context.h"
#include "simt/ir/ops.h"
#include "simt/ir/places.h"
#include "simt/ir/verifier.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// The thread's stack: moved out of the loops, and dead between two threads.
void hoistAllocas(Function &f, BasicBlock &bodyEntry, BasicBlock &latch) {
  SmallVector<AllocaInst *> allocas;
  for (Instruction &i : bodyEntry)
    if (auto *a = dyn_cast<AllocaInst>(&i))
      allocas.push_back(a);
  BasicBlock &entry = f.getEntryBlock();
  for (AllocaInst *a : allocas) {
    a->moveBefore(entry, entry.begin());
    bool marked = any_of(a->users(), [](User *u) { return isa<LifetimeIntrinsic>(u); });
    if (marked)
      continue;
    IRBuilder<>(&bodyEntry, bodyEntry.getFirstInsertionPt()).CreateLifetimeStart(a);
    IRBuilder<>(&latch, latch.getFirstInsertionPt()).CreateLifetimeEnd(a);
  }
}

/// Whether an access is to memory that threads share, so that other threads' iterations cannot depend on it.
bool independentOfOtherThreads(const Instruction &i, const Value *context) {
  const Value *pointer = getLoadStorePointerOperand(&i);
  if (!pointer || i.isAtomic() || i.isVolatile())
    return false;
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, 0);
  return all_of(objects, [&](const Value *object) {
    if (isa<GlobalVariable>(object))
      return true;
    if (isa<Argument>(object))
      return object != context || isa<LoadInst>(i);
    // The context's own pointers lead to shared memory; any other loaded pointer may lead to the thread's stack.
    const auto *load = dyn_cast<LoadInst>(object);
    return load && load->hasMetadata(LLVMContext::MD_invariant_load);
  });
}

/// The loop's metadata: that its iterations are threads, and which accesses they make independently.
void markThreadLoop(Function &f, ArrayRef<BasicBlock *> body, BasicBlock &latch) {
  LLVMContext &c = f.getContext();
  MDNode *group = MDNode::getDistinct(c, {});
  bool any = false;
  for (BasicBlock *block : body)
    for (Instruction &i : *block)
      if (independentOfOtherThreads(i, f.getArg(0))) {
        i.setMetadata(LLVMContext::MD_access_group, group);
        any = true;
      }
  SmallVector<Metadata *, 3> properties{nullptr, MDNode::get(c, MDString::get(c, threadLoopMark))};
  if (any)
    properties.push_back(MDNode::get(c, {MDString::get(c, "llvm.loop.parallel_accesses"), group}));
  MDNode *id = MDNode::getDistinct(c, properties);
  id->replaceOperandWith(0, id);
  latch.getTerminator()->setMetadata(LLVMContext::MD_loop, id);
}

/// Moves the kernel's body into loops in `f`.
void fillLoops(Function &kernel, Function &f, ArrayRef<Argument *> used) {
  DebugLoc location = simt::locationIn(f);
  SmallVector<BasicBlock *> body;
  for (BasicBlock &block : kernel)
    body.push_back(&block);

  LLVMContext &c = f.getContext();
  BasicBlock *entry = BasicBlock::Create(c, "entry", &f), *exit = BasicBlock::Create(c, "exit", &f);
  IRBuilder<> b(exit);
  b.SetCurrentDebugLocation(location);
  b.CreateRetVoid();
  b.SetInsertPoint(entry);
  ThreadCounts counts = loadThreadCounts(b, f);
  ThreadLoops loops = makeThreadLoops(f, counts, entry, exit, location);
  f.splice(loops.latch->getIterator(), &kernel);
  BranchInst::Create(body.front(), loops.header)->setDebugLoc(location);
  for (BasicBlock *block : body)
    if (auto *ret = dyn_cast<ReturnInst>(block->getTerminator())) {
      BranchInst::Create(loops.latch, block)->setDebugLoc(ret->getDebugLoc());
      ret->eraseFromParent();
    }

  kernel.getArg(ContextArgument)->replaceAllUsesWith(f.getArg(0));
  for (unsigned axis = 0; axis < 3; ++axis)
    kernel.getArg(ThreadXArgument + axis)->replaceAllUsesWith(loops.index[axis]);
  for (auto [i, a] : enumerate(used))
    a->replaceAllUsesWith(movedParameter(f, unsigned(i)));
  hoistAllocas(f, *body.front(), *loops.latch);
  if (!f.hasFnAttribute(widthAttribute))
    markThreadLoop(f, body, *loops.latch);
}

void makeLoopsFrom(Function &kernel) {
  SmallVector<Argument *, 16> used = usedParameters(kernel);
  Function *threads = makeThreadsFunction(kernel, used);
  fillLoops(kernel, *threads, used);
  makeBlockFunction(kernel, *threads, used);
  kernel.eraseFromParent();
}

} // namespace

PreservedAnalyses MakeBlockLoops::run(Module &m, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &f : make_early_inc_range(m)) {
    if (!isKernel(f) || f.hasFnAttribute(entryAttribute))
      continue;
    makeLoopsFrom(f);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
