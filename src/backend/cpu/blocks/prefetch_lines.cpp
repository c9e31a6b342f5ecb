#include "backend/cpu/blocks/prefetch_lines.h"

#include "backend/cpu/prepare/thread_context.h"
#include "backend/cpu/vectorize/masked_access.h"
#include "simt/ir/ops.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::cpu {
namespace {

constexpr uint64_t lineBytes = 64;
/// Lines of a group, of its own and of the next block's: each is an instruction more.
constexpr unsigned mostLines = 8;
/// Instructions of all their addresses.
constexpr unsigned longestAddress = 40;

/// Where a group reads or writes neighbouring elements of an array, and how much.
struct Access {
  Value *place;
  Type *type;
  bool writes;
};

std::optional<Access> accessOf(Instruction &i) {
  Access access{};
  if (Value *place = getLoadStorePointerOperand(&i))
    access = {place, getLoadStoreType(&i), isa<StoreInst>(i)};
  else if (std::optional<MaskedAccess> masked = maskedAccess(i); masked && masked->consecutive)
    access = {masked->pointer, masked->type(), !masked->loads};
  if (!access.place || !access.type->isVectorTy() ||
      access.place->getType()->getPointerAddressSpace() != simt::Global)
    return std::nullopt;
  return access;
}

/// Whether it is an index of the thread or the block, or an extent of theirs.
bool isIndex(const Value &v) {
  std::optional<simt::Op> op = simt::calledOp(&v);
  return op && cast<CallInst>(v).arg_empty() && simt::info(*op).has(simt::Pure);
}

/// Where a thread's first region ends, or its first block.
Instruction *endOfStart(Function &kernel) {
  BasicBlock &entry = kernel.getEntryBlock();
  auto barrier =
      find_if(entry, [](Instruction &i) { return simt::calledOp(&i) == simt::Op::Barrier; });
  return barrier == entry.end() ? entry.getTerminator() : &*barrier;
}

/// Computes at a kernel's start what it computes later from arguments and indices: for this block, or for the next one along x.
class AtStart {
public:
  AtStart(Instruction &start, bool nextBlock) : start_(start), nextBlock_(nextBlock) {}

  /// Null where it depends on memory or the way through the kernel, or takes long.
  Value *compute(Value *v) {
    auto *i = dyn_cast<Instruction>(v);
    if (!i)
      return v;
    if (auto found = computed_.find(i); found != computed_.end())
      return found->second;
    Value *value = computed_.size() < longestAddress ? computeNew(*i) : nullptr;
    computed_[i] = value;
    return value;
  }

private:
  Value *computeNew(Instruction &i) {
    if (isIndex(i))
      return index(i);
    if (isa<PHINode, CallBase, AllocaInst>(i) || i.mayReadOrWriteMemory() ||
        !isSafeToSpeculativelyExecute(&i))
      return nullptr;
    SmallVector<Value *> operands;
    for (Value *operand : i.operands()) {
      operands.push_back(compute(operand));
      if (!operands.back())
        return nullptr;
    }
    bool isThere = i.getParent() == start_.getParent() && i.comesBefore(&start_) &&
                   equal(operands, i.operands());
    return isThere ? &i : copy(i, operands);
  }

  Value *index(Instruction &i) {
    if (i.getParent() != start_.getParent() || start_.comesBefore(&i))
      i.moveBefore(start_.getIterator());
    if (!nextBlock_ || simt::calledOp(&i) != simt::Op::BlockIdX)
      return &i;
    IRBuilder<> b(&start_);
    return b.CreateAdd(&i, b.getInt32(1));
  }

  /// A copy, or one that was made of an equal instruction.
  Instruction *copy(const Instruction &i, ArrayRef<Value *> operands) {
    Instruction *made = i.clone();
    made->dropPoisonGeneratingAnnotations();
    for (auto [n, operand] : enumerate(operands))
      made->setOperand(n, operand);
    for (Instruction *other : copies_)
      if (other->isIdenticalTo(made)) {
        made->deleteValue();
        return other;
      }
    made->insertBefore(start_.getIterator());
    copies_.push_back(made);
    return made;
  }

  Instruction &start_;
  bool nextBlock_;
  DenseMap<Instruction *, Value *> computed_;
  SmallVector<Instruction *> copies_;
};

class Lines {
public:
  Lines(Function &kernel, FunctionAnalysisManager &am)
      : kernel_(kernel), tree_(am.getResult<DominatorTreeAnalysis>(kernel)),
        start_(*endOfStart(kernel)), here_(start_, /*nextBlock=*/false),
        next_(start_, /*nextBlock=*/true) {}

  bool prefetch() {
    for (Instruction &i : instructions(kernel_))
      if (simt::calledOp(&i) == simt::Op::Barrier)
        barriers_.push_back(&i);
    if (barriers_.empty())
      return false;
    findReached();
    SmallVector<Access> read, written;
    for (Instruction &i : instructions(kernel_))
      if (std::optional<Access> access = accessOf(i)) {
        if (access->writes ? isBehindBarrier(i) : isBeforeBarriers(i))
          (access->writes ? written : read).push_back(*access);
      }
    for (const Access &access : read) {
      Value *here = here_.compute(access.place), *next = next_.compute(access.place);
      present_.insert(here);
      if (next && next != here)
        prefetchOnce(next, access);
    }
    for (const Access &access : written)
      if (Value *here = here_.compute(access.place))
        prefetchOnce(here, access);
    return true;
  }

private:
  bool isBehindBarrier(const Instruction &i) const {
    return any_of(barriers_, [&](Instruction *b) { return tree_.dominates(b, &i); });
  }

  /// Whether no thread comes to it behind a barrier.
  bool isBeforeBarriers(Instruction &i) const {
    return !reached_.contains(i.getParent()) && none_of(barriers_, [&](Instruction *b) {
      return b->getParent() == i.getParent() && b->comesBefore(&i);
    });
  }

  void findReached() {
    SmallVector<BasicBlock *> next;
    for (Instruction *barrier : barriers_)
      append_range(next, successors(barrier->getParent()));
    while (!next.empty())
      if (BasicBlock *block = next.pop_back_val(); reached_.insert(block).second)
        append_range(next, successors(block));
  }

  void prefetchOnce(Value *place, const Access &access) {
    uint64_t bytes = kernel_.getDataLayout().getTypeStoreSize(access.type);
    if (lines_ * lineBytes + bytes > mostLines * lineBytes || !present_.insert(place).second)
      return;
    IRBuilder<> b(&start_);
    for (uint64_t offset = 0; offset < bytes; offset += lineBytes, ++lines_) {
      Value *line = offset ? b.CreatePtrAdd(place, b.getInt64(offset)) : place;
      b.CreateIntrinsic(Intrinsic::prefetch, {line->getType()},
                        {line, b.getInt32(access.writes), /*locality=*/b.getInt32(3),
                         /*data=*/b.getInt32(1)});
    }
  }

  Function &kernel_;
  DominatorTree &tree_;
  Instruction &start_;
  AtStart here_, next_;
  SmallVector<Instruction *> barriers_;
  SmallPtrSet<BasicBlock *, 16> reached_; ///< behind a barrier's block
  SmallPtrSet<Value *, 8> present_;
  uint64_t lines_ = 0;
};

} // namespace

PreservedAnalyses PrefetchLines::run(Function &f, FunctionAnalysisManager &am) {
  if (!f.hasFnAttribute(groupedAttribute) || !Lines(f, am).prefetch())
    return PreservedAnalyses::all();
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
