#include "backend/cpu/blocks/prefetch_lines.h"

#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/vectorize/masked_access.h"
#include "simt/ir/ops.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::cpu {
namespace {

/// A contiguous vector access of a group.
struct Access {
  Value *address;
  Type *type;
  bool writes;
};

std::optional<Access> matchGlobalVectorAccess(Instruction &i) {
  Access access{};
  if (Value *address = getLoadStorePointerOperand(&i))
    access = {address, getLoadStoreType(&i), isa<StoreInst>(i)};
  else if (std::optional<MaskedAccess> masked = matchMaskedAccess(i); masked && masked->consecutive)
    access = {masked->pointer, masked->type(), !masked->loads};
  if (!access.address || !access.type->isVectorTy() ||
      access.address->getType()->getPointerAddressSpace() != simt::Global)
    return std::nullopt;
  return access;
}

/// Returns true for a thread or block index or extent.
bool isIndexOrExtent(const Value &v) {
  std::optional<simt::Op> op = simt::calledOp(&v);
  return op && cast<CallInst>(v).arg_empty() && simt::info(*op).has(simt::Pure);
}

/// The end of the thread's first region or of its first block.
Instruction *findPrefetchPoint(Function &kernel) {
  BasicBlock &entry = kernel.getEntryBlock();
  auto barrier =
      find_if(entry, [](Instruction &i) { return simt::calledOp(&i) == simt::Op::Barrier; });
  return barrier == entry.end() ? entry.getTerminator() : &*barrier;
}

/// Computes addresses at the kernel's start from arguments and indices, for this block or for the next one along x.
class AddressesAtStart {
public:
  AddressesAtStart(Instruction &start, bool nextBlock) : start_(start), nextBlock_(nextBlock) {}

  /// Returns null if the value depends on memory or control flow, or takes too many instructions.
  Value *emitAddressAtStart(Value *v) {
    auto *i = dyn_cast<Instruction>(v);
    if (!i)
      return v;
    if (auto found = emitted_.find(i); found != emitted_.end())
      return found->second;
    Value *value =
        emitted_.size() < thresholds::maxExpressionSize ? emitUncachedAddressAtStart(*i) : nullptr;
    emitted_[i] = value;
    return value;
  }

private:
  Value *emitUncachedAddressAtStart(Instruction &i) {
    if (isIndexOrExtent(i))
      return emitIndexAtStart(i);
    if (isa<PHINode, CallBase, AllocaInst>(i) || i.mayReadOrWriteMemory() ||
        !isSafeToSpeculativelyExecute(&i))
      return nullptr;
    SmallVector<Value *> operands;
    for (Value *operand : i.operands()) {
      operands.push_back(emitAddressAtStart(operand));
      if (!operands.back())
        return nullptr;
    }
    bool isAlreadyAtStart = i.getParent() == start_.getParent() && i.comesBefore(&start_) &&
                            equal(operands, i.operands());
    return isAlreadyAtStart ? &i : cloneAtStart(i, operands);
  }

  Value *emitIndexAtStart(Instruction &i) {
    if (i.getParent() != start_.getParent() || start_.comesBefore(&i))
      i.moveBefore(start_.getIterator());
    if (!nextBlock_ || simt::calledOp(&i) != simt::Op::BlockIdX)
      return &i;
    IRBuilder<> b(&start_);
    return b.CreateAdd(&i, b.getInt32(1));
  }

  /// Returns a copy, or an existing copy of an identical instruction.
  Instruction *cloneAtStart(const Instruction &i, ArrayRef<Value *> operands) {
    Instruction *clone = i.clone();
    clone->dropPoisonGeneratingAnnotations();
    for (auto [n, operand] : enumerate(operands))
      clone->setOperand(n, operand);
    for (Instruction *other : copies_)
      if (other->isIdenticalTo(clone)) {
        clone->deleteValue();
        return other;
      }
    clone->insertBefore(start_.getIterator());
    copies_.push_back(clone);
    return clone;
  }

  Instruction &start_;
  bool nextBlock_;
  DenseMap<Instruction *, Value *> emitted_;
  SmallVector<Instruction *> copies_;
};

class LinePrefetcher {
public:
  LinePrefetcher(Function &kernel, FunctionAnalysisManager &am)
      : kernel_(kernel), tree_(am.getResult<DominatorTreeAnalysis>(kernel)),
        start_(*findPrefetchPoint(kernel)), here_(start_, /*nextBlock=*/false),
        next_(start_, /*nextBlock=*/true) {}

  bool insertPrefetches() {
    for (Instruction &i : instructions(kernel_))
      if (simt::calledOp(&i) == simt::Op::Barrier)
        barriers_.push_back(&i);
    if (barriers_.empty())
      return false;
    findBlocksAfterBarriers();
    SmallVector<Access> read, written;
    for (Instruction &i : instructions(kernel_))
      if (std::optional<Access> access = matchGlobalVectorAccess(i)) {
        if (access->writes ? isAfterBarrier(i) : isBeforeBarriers(i))
          (access->writes ? written : read).push_back(*access);
      }
    for (const Access &access : read) {
      Value *here = here_.emitAddressAtStart(access.address),
            *next = next_.emitAddressAtStart(access.address);
      present_.insert(here);
      if (next && next != here)
        prefetchOnce(next, access);
    }
    for (const Access &access : written)
      if (Value *here = here_.emitAddressAtStart(access.address))
        prefetchOnce(here, access);
    return true;
  }

private:
  bool isAfterBarrier(const Instruction &i) const {
    return any_of(barriers_, [&](Instruction *b) { return tree_.dominates(b, &i); });
  }

  /// Returns true if no thread reaches the instruction after a barrier.
  bool isBeforeBarriers(Instruction &i) const {
    return !reached_.contains(i.getParent()) && none_of(barriers_, [&](Instruction *b) {
      return b->getParent() == i.getParent() && b->comesBefore(&i);
    });
  }

  void findBlocksAfterBarriers() {
    SmallVector<BasicBlock *> next;
    for (Instruction *barrier : barriers_)
      append_range(next, successors(barrier->getParent()));
    while (!next.empty())
      if (BasicBlock *block = next.pop_back_val(); reached_.insert(block).second)
        append_range(next, successors(block));
  }

  void prefetchOnce(Value *address, const Access &access) {
    uint64_t bytes = kernel_.getDataLayout().getTypeStoreSize(access.type);
    if (lines_ * cacheLineBytes + bytes > thresholds::maxPrefetchedLines * cacheLineBytes ||
        !present_.insert(address).second)
      return;
    IRBuilder<> b(&start_);
    for (uint64_t offset = 0; offset < bytes; offset += cacheLineBytes, ++lines_) {
      Value *line = offset ? b.CreatePtrAdd(address, b.getInt64(offset)) : address;
      b.CreateIntrinsic(Intrinsic::prefetch, {line->getType()},
                        {line, b.getInt32(access.writes), /*locality=*/b.getInt32(3),
                         /*data=*/b.getInt32(1)});
    }
  }

  Function &kernel_;
  DominatorTree &tree_;
  Instruction &start_;
  AddressesAtStart here_, next_;
  SmallVector<Instruction *> barriers_;
  SmallPtrSet<BasicBlock *, 16> reached_; ///< blocks reachable from a barrier's block
  SmallPtrSet<Value *, 8> present_;
  uint64_t lines_ = 0;
};

} // namespace

PreservedAnalyses PrefetchLines::run(Function &f, FunctionAnalysisManager &am) {
  if (planOf(f).grouped == Grouped::No || !LinePrefetcher(f, am).insertPrefetches())
    return PreservedAnalyses::all();
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
