#include "backend/cpu/blocks/block_function.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/prepare/kernel_arguments.h"
#include "simt/ir/ops.h"
#include "simt/ir/verifier.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

constexpr const char *axes[] = {"x", "y", "z"};
constexpr const char *threadLoopMetadata = "heddle.threads"; // in a loop's metadata

MDNode *createThreadLoopMetadata(LLVMContext &c) {
  MDNode *mark =
      MDNode::getDistinct(c, {nullptr, MDNode::get(c, MDString::get(c, threadLoopMetadata))});
  mark->replaceOperandWith(0, mark);
  return mark;
}

} // namespace

SmallVector<Argument *, 16> findUsedParameters(Function &kernel) {
  SmallVector<Argument *, 16> used;
  for (Argument &a : drop_begin(kernel.args(), kernelContextParameters))
    if (!a.use_empty())
      used.push_back(&a);
  return used;
}

Function *declareThreadsFunction(Function &kernel, ArrayRef<Argument *> used) {
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
  addContextAttributes(*f, 0);
  f->addParamAttr(0, Attribute::NoAlias);
  f->getArg(0)->setName("context");
  for (auto [i, a] : enumerate(used))
    parameterOfThreadsFunction(*f, unsigned(i))->setName(a->getName());
  f->setSubprogram(kernel.getSubprogram());
  kernel.setSubprogram(nullptr);
  return f;
}

Argument *parameterOfThreadsFunction(Function &threads, unsigned number) {
  return threads.getArg(number + 1);
}

void makeBlockFunction(Function &kernel, Function &threads, ArrayRef<Argument *> used) {
  LLVMContext &c = kernel.getContext();
  Type *ptr = PointerType::get(c, 0);
  Function *f = Function::Create(FunctionType::get(Type::getVoidTy(c), {ptr, ptr}, false),
                                 GlobalValue::InternalLinkage, kernel.getAddressSpace());
  kernel.getParent()->getFunctionList().insert(kernel.getIterator(), f);
  f->takeName(&kernel);
  f->setAttributes(
      AttributeList().addFnAttributes(c, AttrBuilder(c, kernel.getAttributes().getFnAttrs())));
  addContextAttributes(*f, 0);
  f->getArg(0)->setName("context");
  f->getArg(1)->setName("arguments");

  IRBuilder<> b(BasicBlock::Create(c, "entry", f));
  SmallVector<Value *, 16> arguments{f->getArg(0)};
  append_range(arguments, loadParameters(b, kernel, used, f->getArg(1)));
  b.CreateCall(&threads, arguments);
  b.CreateRetVoid();
}

ThreadCounts loadThreadCounts(IRBuilderBase &b, Function &threads) {
  constexpr simt::Op extents[] = {simt::Op::BlockDimX, simt::Op::BlockDimY, simt::Op::BlockDimZ};
  ThreadCounts counts{};
  Plan plan = planOf(threads);
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (plan.block) {
      counts.along[axis] = b.getInt32((*plan.block)[axis]);
      continue;
    }
    counts.along[axis] =
        loadConstantField(b, threads.getArg(0), offsetof(BlockContext, blockDim) + 4 * axis,
                          b.getInt32Ty(), 1, simt::info(extents[axis]).bound);
    counts.along[axis]->setName(Twine("ntid.") + axes[axis]);
  }
  if (plan.groups.linear) {
    counts.along[0] =
        b.CreateNUWMul(b.CreateNUWMul(counts.along[0], counts.along[1]), counts.along[2]);
    counts.along[1] = counts.along[2] = b.getInt32(1);
  }
  return counts;
}

bool isThreadLoop(const Loop &loop) { return findOptionMDForLoop(&loop, threadLoopMetadata); }

ThreadLoops makeThreadLoops(Function &threads, const ThreadCounts &counts, BasicBlock *before,
                            BasicBlock *after, DebugLoc location, Value *blocks) {
  LLVMContext &c = threads.getContext();
  IRBuilder<> b(c);
  b.SetCurrentDebugLocation(location);
  ThreadLoops loops{};
  // Outermost first: a header branches to the next inner header, a finished latch to the next outer latch.
  auto loop = [&](const Twine &name, const Twine &index, Value *count, unsigned step) {
    loops.header = BasicBlock::Create(c, name, &threads);
    loops.latch = BasicBlock::Create(c, name + ".next", &threads);
    b.SetInsertPoint(before);
    b.CreateBr(loops.header);
    b.SetInsertPoint(loops.header);
    PHINode *at = b.CreatePHI(b.getInt32Ty(), 2, index);
    b.SetInsertPoint(loops.latch);
    Value *next = b.CreateAdd(at, b.getInt32(step), "", /*HasNUW=*/true, /*HasNSW=*/true);
    b.CreateCondBr(b.CreateICmpULT(next, count), loops.header, after)
        ->setMetadata(LLVMContext::MD_loop, createThreadLoopMetadata(c));
    at->addIncoming(b.getInt32(0), before);
    at->addIncoming(next, loops.latch);
    before = loops.header;
    after = loops.latch;
    return at;
  };
  Plan plan = planOf(threads);
  bool byColumns = plan.walksRows && !blocks;
  for (unsigned axis : byColumns ? std::array{2u, 0u, 1u} : std::array{2u, 1u, 0u}) {
    if (axis == 0 && blocks)
      loops.block = loop("block", "block", blocks, 1);
    loops.index[axis] = loop(axes[axis], Twine("tid.") + axes[axis], counts.along[axis],
                             axis == 0 ? plan.groups.width : 1);
  }
  return loops;
}

} // namespace heddle::cpu
