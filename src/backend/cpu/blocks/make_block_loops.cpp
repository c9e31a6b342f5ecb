#include "backend/cpu/blocks/make_block_loops.h"

#include "backend/cpu/blocks/block_context.h"
#include "backend/cpu/blocks/split_thread_loops.h"
#include "backend/cpu/prepare/kernel_arguments.h"
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

/// (context, the user's parameters that are used), with the kernel's attributes; still without a body.
Function *makeThreadsFunction(Function &kernel, ArrayRef<Argument *> used) {
  LLVMContext &c = kernel.getContext();
  SmallVector<Type *, 16> types{kernel.getArg(ContextArgument)->getType()};
  SmallVector<AttributeSet, 16> attributes(1);
  for (Argument *a : used) {
    types.push_back(a->getType());
    attributes.push_back(kernel.getAttributes().getParamAttrs(a->getArgNo()));
  }
  Function *f = Function::Create(FunctionType::get(Type::getVoidTy(c), types, false),
                                 GlobalValue::InternalLinkage, kernel.getAddressSpace(),
                                 kernel.getName() + ".threads");
  kernel.getParent()->getFunctionList().insert(kernel.getIterator(), f);
  f->setAttributes(
      AttributeList::get(c, kernel.getAttributes().getFnAttrs(), AttributeSet(), attributes));
  f->removeFnAttr(simt::kernelAttribute);
  f->addFnAttr(Attribute::NoInline);
  describeContext(*f, 0);
  f->addParamAttr(0, Attribute::NoAlias);
  f->getArg(0)->setName("context");
  f->setSubprogram(kernel.getSubprogram());
  kernel.setSubprogram(nullptr);
  return f;
}

/// The loops over a block's threads. An iteration of the innermost runs from `header` to `latch`.
struct ThreadLoops {
  PHINode *index[3];
  BasicBlock *header;
  BasicBlock *latch;
};

/// Makes the loops in `f`, without anything between the innermost header and latch.
ThreadLoops makeLoops(Function &f, DebugLoc location) {
  LLVMContext &c = f.getContext();
  IRBuilder<> b(c);
  b.SetCurrentDebugLocation(location);
  constexpr const char *axes[] = {"x", "y", "z"};
  constexpr simt::Op extents[] = {simt::Op::BlockDimX, simt::Op::BlockDimY, simt::Op::BlockDimZ};
  auto block = [&](const Twine &name) { return BasicBlock::Create(c, name, &f); };

  BasicBlock *entry = block("entry");
  b.SetInsertPoint(entry);
  Value *counts[3];
  for (unsigned axis = 0; axis < 3; ++axis) {
    counts[axis] = loadConstantField(b, f.getArg(0), offsetof(BlockContext, blockDim) + 4 * axis,
                                     b.getInt32Ty(), 1, simt::info(extents[axis]).bound);
    counts[axis]->setName(Twine("ntid.") + axes[axis]);
  }
  if (f.hasFnAttribute(linearAttribute)) {
    counts[0] = b.CreateNUWMul(b.CreateNUWMul(counts[0], counts[1]), counts[2]);
    counts[1] = counts[2] = b.getInt32(1);
  }
  BasicBlock *exit = block("exit");
  b.SetInsertPoint(exit);
  b.CreateRetVoid();

  // From the outside in: a header leads to the next header, a latch that is done to the latch around it.
  ThreadLoops loops{};
  BasicBlock *before = entry;
  BasicBlock *after = exit;
  for (unsigned axis = 3; axis-- > 0;) {
    loops.header = block(axes[axis]);
    loops.latch = block(Twine(axes[axis]) + ".next");
    b.SetInsertPoint(before);
    b.CreateBr(loops.header);
    b.SetInsertPoint(loops.header);
    PHINode *index = b.CreatePHI(b.getInt32Ty(), 2, Twine("tid.") + axes[axis]);
    b.SetInsertPoint(loops.latch);
    Value *step = b.getInt32(axis == 0 ? widthOf(f) : 1);
    Value *next = b.CreateAdd(index, step, "", /*HasNUW=*/true, /*HasNSW=*/true);
    b.CreateCondBr(b.CreateICmpULT(next, counts[axis]), loops.header, after);
    index->addIncoming(b.getInt32(0), before);
    index->addIncoming(next, loops.latch);
    loops.index[axis] = index;
    before = loops.header;
    after = loops.latch;
  }
  return loops;
}

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

  ThreadLoops loops = makeLoops(f, location);
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
  for (auto [i, a] : enumerate(used)) {
    Argument *moved = f.getArg(unsigned(i) + 1);
    moved->takeName(a);
    a->replaceAllUsesWith(moved);
  }
  hoistAllocas(f, *body.front(), *loops.latch);
  if (!f.hasFnAttribute(widthAttribute))
    markThreadLoop(f, body, *loops.latch);
}

/// The function (context, arguments) under the kernel's name, which calls `threads`.
void makeBlockFunction(Function &kernel, Function &threads, ArrayRef<Argument *> used) {
  LLVMContext &c = kernel.getContext();
  Type *ptr = PointerType::get(c, 0);
  Function *f = Function::Create(FunctionType::get(Type::getVoidTy(c), {ptr, ptr}, false),
                                 GlobalValue::InternalLinkage, kernel.getAddressSpace());
  kernel.getParent()->getFunctionList().insert(kernel.getIterator(), f);
  f->takeName(&kernel);
  f->setAttributes(
      AttributeList().addFnAttributes(c, AttrBuilder(c, kernel.getAttributes().getFnAttrs())));
  f->addFnAttr(entryAttribute, "block");
  describeContext(*f, 0);
  f->getArg(0)->setName("context");
  f->getArg(1)->setName("arguments");

  IRBuilder<> b(BasicBlock::Create(c, "entry", f));
  SmallVector<Value *, 16> arguments{f->getArg(0)};
  for (Argument *a : used)
    arguments.push_back(loadKernelArgument(b, *a, f->getArg(1)));
  b.CreateCall(&threads, arguments);
  b.CreateRetVoid();
}

void makeLoopsFrom(Function &kernel) {
  SmallVector<Argument *, 16> used;
  for (Argument &a : drop_begin(kernel.args(), kernelContextParameters))
    if (!a.use_empty())
      used.push_back(&a);
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
