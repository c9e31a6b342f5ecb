#include "backend/nvptx/tune/privatize_counters.h"

#include "simt/ir/ops.h"
#include "simt/ir/remarks.h"
#include "simt/ir/source_positions.h"
#include "simt/ir/verifier.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// Number of elements counted in shared memory: 4 or 8 KiB per block.
constexpr uint64_t counters = 1024;
/// Largest static shared memory that leaves room for the counters (PTX allows 48 KiB).
constexpr uint64_t maxSharedBytes = 32 << 10;

using Sums = SmallVector<CallInst *, 4>;

/// True if `i` atomically adds an integer to an array element and its result is unused.
bool isAtomicAddWithoutResult(const Instruction &i) {
  return simt::calledOp(&i) == simt::Op::AtomicAdd && i.use_empty() && i.getType()->isIntegerTy() &&
         i.getOperand(0)->getType()->getPointerAddressSpace() == simt::Global;
}

/// The element's address as base and index; null for other addresses.
GetElementPtrInst *elementAddressOf(const CallInst &sum) {
  auto *element = dyn_cast<GetElementPtrInst>(sum.getArgOperand(0));
  if (!element || element->getNumIndices() != 1 ||
      sum.getDataLayout().getTypeAllocSize(element->getSourceElementType()) !=
          sum.getDataLayout().getTypeAllocSize(sum.getType()) ||
      !element->getOperand(1)->getType()->isIntegerTy(64))
    return nullptr;
  return element;
}

/// The additions to the array at `base`; empty if the kernel uses the array in any other way.
Sums findAdditionsIfOnlyUses(Argument &base) {
  Sums sums;
  for (User *user : base.users()) {
    auto *element = dyn_cast<GetElementPtrInst>(user);
    if (!element)
      return {};
    for (User *use : element->users()) {
      auto *sum = dyn_cast<CallInst>(use);
      if (!sum || !isAtomicAddWithoutResult(*sum) || elementAddressOf(*sum) != element ||
          (!sums.empty() && sums[0]->getType() != sum->getType()))
        return {};
      sums.push_back(sum);
    }
  }
  return sums;
}

/// True if other operations could reveal the progress of the additions to other threads, or if an added barrier could
/// pair with a barrier of the kernel after an early return.
bool mayRevealProgress(Function &kernel) {
  for (Instruction &i : instructions(kernel)) {
    auto op = simt::calledOp(&i);
    if (!op) {
      if (isa<CallBase>(i) && !isa<IntrinsicInst>(i))
        return true;
      continue;
    }
    if (is_contained({simt::Op::FenceBlock, simt::Op::FenceDevice, simt::Op::FenceSystem,
                      simt::Op::DynamicShared, simt::Op::Sleep},
                     *op) ||
        simt::info(*op).has(simt::Convergent) || simt::info(*op).has(simt::NoReturn))
      return true;
  }
  return false;
}

uint64_t sharedBytes(const Module &m) {
  uint64_t bytes = 0;
  for (const GlobalVariable &g : m.globals())
    if (g.getAddressSpace() == simt::Shared)
      bytes += m.getDataLayout().getTypeAllocSize(g.getValueType());
  return bytes;
}

/// The arrays of `kernel` to privatize, with the additions to them.
SmallVector<Sums, 2> findArraysToPrivatize(Function &kernel) {
  SmallVector<Sums, 2> found;
  if (mayRevealProgress(kernel))
    return found;
  DominatorTree dominators(kernel);
  LoopInfo loops(dominators);
  for (Argument &a : kernel.args()) {
    if (!a.getType()->isPointerTy() || !a.hasNoAliasAttr())
      continue;
    Sums sums = findAdditionsIfOnlyUses(a);
    if (any_of(sums, [&](CallInst *sum) { return loops.getLoopFor(sum->getParent()); }))
      found.push_back(std::move(sums));
  }
  return found;
}

/// Rewrites one kernel for one array.
class Privatization {
public:
  Privatization(Function &kernel, ArrayRef<CallInst *> sums)
      : kernel_(kernel), sums_(sums), type_(sums[0]->getType()),
        base_(elementAddressOf(*sums[0])->getPointerOperand()), b_(kernel.getContext()) {}

  void run() {
    auto *array = ArrayType::get(type_, counters);
    mine_ = new GlobalVariable(*kernel_.getParent(), array, /*isConstant=*/false,
                               GlobalValue::InternalLinkage, PoisonValue::get(array), "counters",
                               nullptr, GlobalValue::NotThreadLocal, simt::Shared);
    mine_->setAlignment(Align(16));
    for (CallInst *sum : sums_)
      redirectToSharedCounter(*sum);
    emitAddToArray(mergeReturns());
    emitClearCounters();
  }

private:
  void redirectToSharedCounter(CallInst &sum) {
    Value *number = elementAddressOf(sum)->getOperand(1);
    b_.SetInsertPoint(&sum);
    Value *few = b_.CreateICmpULT(number, b_.getInt64(counters));
    Instruction *then, *otherwise;
    SplitBlockAndInsertIfThenElse(few, &sum, &then, &otherwise);
    sum.moveBefore(otherwise->getIterator());
    b_.SetInsertPoint(then);
    b_.SetCurrentDebugLocation(sum.getDebugLoc());
    simt::call(b_, simt::Op::AtomicAdd,
               {emitCounterAddress(number), sum.getArgOperand(1),
                b_.getInt32(unsigned(simt::Scope::Block))});
  }

  Value *emitCounterAddress(Value *number) { return b_.CreateInBoundsGEP(type_, mine_, number); }

  BasicBlock *mergeReturns() {
    auto *exit = BasicBlock::Create(kernel_.getContext(), "counted", &kernel_);
    for (BasicBlock &block : kernel_)
      if (isa_and_nonnull<ReturnInst>(block.getTerminator()))
        ReplaceInstWithInst(block.getTerminator(), BranchInst::Create(exit));
    b_.SetInsertPoint(exit);
    b_.SetCurrentDebugLocation(simt::artificialLocation(kernel_));
    b_.CreateRetVoid();
    return exit;
  }

  void emitBarrier() { simt::call(b_, simt::Op::Barrier, {b_.getInt32(0)}); }

  Value *emitIndex64(simt::Op op) { return b_.CreateZExt(simt::call(b_, op, {}), b_.getInt64Ty()); }

  /// Inserts a loop before `before` in which the block's threads share the counters. `each` emits the code of an
  /// iteration for a counter index. It may branch, and leaves the builder at its end.
  template <typename Each> void emitLoopOverCounters(Instruction *before, Each each) {
    Value *x = emitIndex64(simt::Op::ThreadIdX), *y = emitIndex64(simt::Op::ThreadIdY),
          *z = emitIndex64(simt::Op::ThreadIdZ);
    Value *nx = emitIndex64(simt::Op::BlockDimX), *ny = emitIndex64(simt::Op::BlockDimY),
          *nz = emitIndex64(simt::Op::BlockDimZ);
    Value *first = b_.CreateAdd(x, b_.CreateMul(nx, b_.CreateAdd(y, b_.CreateMul(ny, z))));
    Value *threads = b_.CreateMul(nx, b_.CreateMul(ny, nz));
    BasicBlock *entry = before->getParent();
    BasicBlock *after = SplitBlock(entry, before->getIterator());
    auto *header = BasicBlock::Create(kernel_.getContext(), "counters", &kernel_, after);
    auto *body = BasicBlock::Create(kernel_.getContext(), "counter", &kernel_, after);
    entry->getTerminator()->setSuccessor(0, header);
    b_.SetInsertPoint(header);
    PHINode *number = b_.CreatePHI(b_.getInt64Ty(), 2);
    number->addIncoming(first, entry);
    b_.CreateCondBr(b_.CreateICmpULT(number, b_.getInt64(counters)), body, after);
    b_.SetInsertPoint(body);
    each(number, after);
    number->addIncoming(b_.CreateAdd(number, threads, "", true, true), b_.GetInsertBlock());
    disableUnrolling(*b_.CreateBr(header));
  }

  /// Disables unrolling: the loop has few iterations, so its setup code would cost more than it gains.
  void disableUnrolling(BranchInst &latch) {
    LLVMContext &c = kernel_.getContext();
    MDNode *hint = MDNode::get(c, MDString::get(c, "llvm.loop.unroll.disable"));
    MDNode *loop = MDNode::getDistinct(c, {nullptr, hint});
    loop->replaceOperandWith(0, loop);
    latch.setMetadata(LLVMContext::MD_loop, loop);
  }

  void emitClearCounters() {
    Instruction *first = &*kernel_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    b_.SetInsertPoint(first);
    b_.SetCurrentDebugLocation(simt::artificialLocation(kernel_));
    emitLoopOverCounters(first, [&](Value *number, BasicBlock *) {
      b_.CreateStore(ConstantInt::get(type_, 0), emitCounterAddress(number));
    });
    b_.SetInsertPoint(first);
    emitBarrier();
  }

  void emitAddToArray(BasicBlock *exit) {
    Instruction *end = exit->getTerminator();
    b_.SetInsertPoint(end);
    emitBarrier();
    emitLoopOverCounters(end, [&](Value *number, BasicBlock *after) {
      Value *sum = b_.CreateLoad(type_, emitCounterAddress(number));
      auto *add = BasicBlock::Create(kernel_.getContext(), "add", &kernel_, after);
      auto *next = BasicBlock::Create(kernel_.getContext(), "next", &kernel_, after);
      b_.CreateCondBr(b_.CreateIsNotNull(sum), add, next);
      b_.SetInsertPoint(add);
      simt::call(b_, simt::Op::AtomicAdd,
                 {b_.CreateInBoundsGEP(type_, base_, number), sum,
                  b_.getInt32(unsigned(simt::Scope::Device))});
      b_.CreateBr(next);
      b_.SetInsertPoint(next);
    });
  }

  Function &kernel_;
  ArrayRef<CallInst *> sums_;
  Type *type_;
  Value *base_;
  IRBuilder<> b_;
  GlobalVariable *mine_ = nullptr;
};

} // namespace

PreservedAnalyses PrivatizeCounters::run(Module &m, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &f : make_early_inc_range(m)) {
    if (f.isDeclaration() || !f.hasFnAttribute(simt::kernelAttribute))
      continue;
    for (const Sums &sums : findArraysToPrivatize(f))
      if (sharedBytes(m) <= maxSharedBytes) {
        simt::addRemark(f, "each block counts in shared memory what it adds to the first " +
                               std::to_string(counters) + " elements of array " +
                               elementAddressOf(*sums[0])->getPointerOperand()->getName().str());
        Privatization(f, sums).run();
        changed = true;
      }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
