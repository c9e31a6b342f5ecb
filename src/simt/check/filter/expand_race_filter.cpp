#include "simt/check/filter/expand_race_filter.h"

#include "simt/analysis/sync_points.h"
#include "simt/check/checked_access.h"
#include "simt/check/emit_stop.h"
#include "simt/check/filter/filter_plan.h"
#include "simt/check/filter/object_offsets.h"
#include "simt/ir/ops.h"
#include "simt/ir/thread_indices.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr unsigned codeBits = 11;
/// The codes of cells that more than one thread has read, or that threads have updated by atomics. Indices of threads
/// are less.
constexpr uint64_t manyReaders = (1 << codeBits) - 1, atomicAccess = manyReaders - 1;

/// Operands of simt.filter.access.
struct Mark {
  Value *address, *pointer;
  uint64_t bytes;
  MarkKind kind;
  unsigned object;

  explicit Mark(const CallInst &call)
      : address(call.getArgOperand(0)->stripPointerCasts()),
        pointer(call.getArgOperand(1)->stripPointerCasts()), bytes(readNumberOperand(call, 2)),
        kind(MarkKind(readNumberOperand(call, 3))), object(unsigned(readNumberOperand(call, 4))) {}

private:
  static uint64_t readNumberOperand(const CallInst &call, unsigned operand) {
    return cast<ConstantInt>(call.getArgOperand(operand))->getZExtValue();
  }
};

class FilterExpansion {
public:
  FilterExpansion(Function &f, FilterPlan plan)
      : f_(f), plan_(std::move(plan)), b_(f.getContext()) {
    for (Instruction &i : instructions(f)) {
      if (calledOp(&i) == Op::FilterAccess)
        marks_.push_back(cast<CallInst>(&i));
      else if (isBlockBarrier(i))
        barriers_.push_back(&i);
    }
  }

  bool run() {
    if (marks_.empty())
      return false;
    firstParameter_ =
        unsigned(f_.arg_size()) - (plan_.cellsParameter(plan_.objects.size()) - plan_.parameters);
    emitThreadAndBlockNumbers();
    expandMarks();
    if (epoch_) {
      DominatorTree dominators(f_);
      PromoteMemToReg(epoch_, dominators);
    }
    return true;
  }

private:
  /// The numbers that the running thread's accesses compare with cells of one size.
  struct Own {
    Type *type;
    Value *epoch; ///< of the block and epoch, without code
    Value *number;
    Value *block = nullptr; ///< the block's smallest number; null for shared memory
  };

  Argument *filterParameter(unsigned index) { return f_.getArg(firstParameter_ + index); }
  ConstantInt *i64(uint64_t v) { return b_.getInt64(v); }

  void emitThreadAndBlockNumbers() {
    BasicBlock &entry = f_.getEntryBlock();
    b_.SetInsertPoint(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    thread_ = emitThreadInBlock(b_);
    auto wide = [&](Op which) { return b_.CreateZExt(call(b_, which, {}), b_.getInt64Ty()); };
    Value *block = b_.CreateAdd(
        wide(Op::BlockIdX),
        b_.CreateMul(wide(Op::GridDimX),
                     b_.CreateAdd(wide(Op::BlockIdY),
                                  b_.CreateMul(wide(Op::GridDimY), wide(Op::BlockIdZ)))));
    Value *first = filterParameter(0);
    block_ = b_.CreateAdd(first, b_.CreateShl(block, FilterPlan::blockShift));
    Value *blocks =
        b_.CreateMul(wide(Op::GridDimX), b_.CreateMul(wide(Op::GridDimY), wide(Op::GridDimZ)));
    otherBlocks_ = b_.CreateAdd(first, b_.CreateShl(blocks, FilterPlan::blockShift));
    if (barriers_.empty())
      return;
    epoch_ = b_.CreateAlloca(b_.getInt32Ty());
    epoch_->moveBefore(entry, entry.begin());
    b_.CreateStore(b_.getInt32(1 << codeBits), epoch_);
    for (Instruction *barrier : barriers_) {
      b_.SetInsertPoint(barrier->getNextNode());
      Value *before = b_.CreateLoad(b_.getInt32Ty(), epoch_);
      b_.CreateStore(b_.CreateAdd(before, b_.getInt32(1 << codeBits)), epoch_);
    }
  }

  Own emitCellValuesOfThread(bool isShared) {
    Value *epoch = epoch_ ? static_cast<Value *>(b_.CreateLoad(b_.getInt32Ty(), epoch_))
                          : b_.getInt32(1 << codeBits);
    if (isShared)
      return {b_.getInt32Ty(), epoch, b_.CreateOr(epoch, thread_)};
    Type *type = b_.getInt64Ty();
    Value *start = b_.CreateOr(block_, b_.CreateZExt(epoch, type));
    return {type, start, b_.CreateOr(start, b_.CreateZExt(thread_, type)), block_};
  }

  static llvm::Constant *makeCellConstant(const Own &own, uint64_t value) {
    return ConstantInt::get(own.type, value);
  }

  /// Emits a test for a cell of an earlier launch, or of an earlier epoch of the block.
  Value *emitIsFromEarlierLaunchOrEpoch(const Own &own, Value *cell) {
    if (!own.block)
      return b_.CreateICmpULT(cell, own.epoch);
    Value *isOld = b_.CreateICmpULT(cell, filterParameter(0));
    if (!epoch_)
      return isOld;
    Value *isOwn =
        b_.CreateICmpULT(b_.CreateSub(cell, own.block), b_.CreateSub(own.epoch, own.block));
    return b_.CreateOr(isOld, isOwn);
  }

  Value *emitMayRace(const Own &own, Value *cell) {
    return b_.CreateAnd(b_.CreateNot(emitIsFromEarlierLaunchOrEpoch(own, cell)),
                        b_.CreateICmpNE(cell, own.number));
  }

  /// The number with a code that stands for several threads: of the block's epoch, or of all blocks. isFirst: no other
  /// thread of this launch is in the cell, or only ordered ones.
  Value *emitManyThreadsCellValue(const Own &own, Value *cell, Value *isFirst, uint64_t what) {
    Value *inBlock = b_.CreateOr(own.epoch, makeCellConstant(own, what));
    if (!own.block)
      return inBlock;
    Value *all = b_.CreateOr(otherBlocks_, makeCellConstant(own, what));
    if (!epoch_) // nothing orders threads of the same block either
      return all;
    Value *isOwnBlock =
        b_.CreateICmpULT(b_.CreateSub(cell, own.block), i64(uint64_t(1) << FilterPlan::blockShift));
    return b_.CreateSelect(b_.CreateOr(isFirst, isOwnBlock), inBlock, all);
  }

  LoadInst *loadCell(const Own &own, Value *cell) { return b_.CreateLoad(own.type, cell); }

  Value *emitReadTestAndUpdate(const Own &own, Value *writes, Value *reads) {
    Value *mayRace = emitMayRace(own, loadCell(own, writes));
    Value *before = loadCell(own, reads);
    Value *isFirst = b_.CreateOr(emitIsFromEarlierLaunchOrEpoch(own, before),
                                 b_.CreateICmpEQ(before, own.number));
    Value *several = emitManyThreadsCellValue(own, before, isFirst, manyReaders);
    Value *now = b_.CreateSelect(isFirst, own.number, several);
    b_.CreateStore(now, reads);
    // Lanes with the same address: the last one's number is stored.
    Value *lost = b_.CreateICmpNE(loadCell(own, reads), now);
    Instruction *then =
        SplitBlockAndInsertIfThen(lost, &*b_.GetInsertPoint(), false,
                                  MDBuilder(f_.getContext()).createUnlikelyBranchWeights());
    IRBuilder<>(then).CreateStore(several, reads);
    b_.SetInsertPoint(then->getSuccessor(0), then->getSuccessor(0)->begin());
    return mayRace;
  }

  Value *emitWriteTestAndUpdate(const Own &own, Value *writes, Value *reads) {
    Value *mayRace = emitMayRace(own, loadCell(own, writes));
    if (reads)
      mayRace = b_.CreateOr(mayRace, emitMayRace(own, loadCell(own, reads)));
    b_.CreateStore(own.number, writes);
    return b_.CreateOr(mayRace, b_.CreateICmpNE(loadCell(own, writes), own.number));
  }

  Value *emitAtomicTestAndUpdate(const Own &own, Value *writes, Value *reads) {
    Value *before = loadCell(own, writes);
    Value *isAtomic = b_.CreateICmpEQ(b_.CreateAnd(before, makeCellConstant(own, manyReaders)),
                                      makeCellConstant(own, atomicAccess));
    Value *mayRace = b_.CreateAnd(emitMayRace(own, before), b_.CreateNot(isAtomic));
    if (reads)
      mayRace = b_.CreateOr(mayRace, emitMayRace(own, loadCell(own, reads)));
    b_.CreateStore(emitManyThreadsCellValue(
                       own, before, emitIsFromEarlierLaunchOrEpoch(own, before), atomicAccess),
                   writes);
    return mayRace;
  }

  /// Emits a test that is true if the access may race, and updates the cells. reads: null if the object has none.
  Value *emitRaceTestAndUpdate(MarkKind kind, const Own &own, Value *writes, Value *reads) {
    switch (kind) {
    case MarkKind::Read:
      return emitReadTestAndUpdate(own, writes, reads);
    case MarkKind::Write:
      return emitWriteTestAndUpdate(own, writes, reads);
    case MarkKind::Atomic:
      return emitAtomicTestAndUpdate(own, writes, reads);
    case MarkKind::Define:
      b_.CreateStore(own.number, writes);
      return b_.getFalse();
    case MarkKind::Use:
      return b_.getFalse();
    }
    llvm_unreachable("no such mark");
  }

  /// Copies the value of a cell's bytes before the launch writes them for the first time.
  void emitSaveBeforeFirstWrite(const FilteredObject &object, const Own &own, Value *writes,
                                Value *address, unsigned parameterIndex, Value *offset,
                                uint64_t cell) {
    Value *isFirst = b_.CreateICmpULT(loadCell(own, writes), filterParameter(0));
    Instruction *then = SplitBlockAndInsertIfThen(isFirst, &*b_.GetInsertPoint(), false);
    IRBuilder<> first(then);
    Type *bits = b_.getIntNTy(unsigned(object.cellBytes * 8));
    Value *step = first.getInt64(cell * object.cellBytes);
    Value *from = first.CreateGEP(first.getInt8Ty(), address, step);
    Value *to = first.CreateGEP(first.getInt8Ty(), filterParameter(parameterIndex + 2),
                                first.CreateAdd(offset, step));
    Align alignment(object.cellBytes);
    first.CreateAlignedStore(first.CreateAlignedLoad(bits, from, alignment), to, alignment);
    b_.SetInsertPoint(then->getSuccessor(0), then->getSuccessor(0)->begin());
  }

  void expandMark(CallInst &call) {
    Mark mark(call);
    const FilteredObject &object = plan_.objects[mark.object];
    b_.SetInsertPoint(&call);
    b_.SetCurrentDebugLocation(call.getDebugLoc());
    Value *offset = emitOffset(b_, *mark.address, *mark.pointer);
    unsigned cell = FilterPlan::bytesOf(object);
    Value *first = object.cellBytes > cell
                       ? b_.CreateAShr(offset, i64(object.cellBytes / cell / 2), "", true)
                       : b_.CreateMul(offset, i64(cell / object.cellBytes));
    unsigned parameterIndex = plan_.cellsParameter(mark.object) - plan_.parameters;
    auto cellOf = [&](unsigned plane, uint64_t i) {
      return b_.CreateGEP(b_.getInt8Ty(), filterParameter(parameterIndex + plane),
                          b_.CreateAdd(first, i64(i * cell)));
    };
    Value *stops = b_.getFalse();
    for (uint64_t i = 0; i < mark.bytes / object.cellBytes; ++i) {
      Own own = emitCellValuesOfThread(object.isShared());
      Value *writes = cellOf(0, i);
      Value *reads = object.needsReadCells ? cellOf(1, i) : nullptr;
      bool isWrite = mark.kind == MarkKind::Write || mark.kind == MarkKind::Define;
      if (object.tracksUndefined && !isWrite)
        stops = b_.CreateOr(stops, b_.CreateIsNull(loadCell(own, writes)));
      if (object.mustBeRestored() && (isWrite || mark.kind == MarkKind::Atomic))
        emitSaveBeforeFirstWrite(object, own, writes, mark.address, parameterIndex, offset, i);
      stops = b_.CreateOr(stops, emitRaceTestAndUpdate(mark.kind, own, writes, reads));
    }
    pending_ = pending_ ? b_.CreateOr(pending_, stops) : stops;
    call.eraseFromParent();
  }

  /// One check serves all accesses of a basic block up to a synchronization point.
  void expandMarks() {
    SmallVector<SmallVector<Instruction *, 8>> blocks; // expanding divides blocks
    for (BasicBlock &block : f_) {
      auto &points = blocks.emplace_back();
      for (Instruction &i : block)
        if (calledOp(&i) == Op::FilterAccess || isSyncPoint(i) || i.isTerminator())
          points.push_back(&i);
    }
    for (ArrayRef<Instruction *> points : blocks)
      for (Instruction *i : points) {
        if (calledOp(i) == Op::FilterAccess)
          expandMark(cast<CallInst>(*i));
        else
          emitStopIfPendingRace(*i);
      }
  }

  /// Stops the kernel before `at` if an access since the last call may race.
  void emitStopIfPendingRace(Instruction &at) {
    if (!pending_)
      return;
    b_.SetInsertPoint(&at);
    emitStopIf(b_, std::exchange(pending_, nullptr), "threads may race", at);
  }

  Function &f_;
  const FilterPlan plan_;
  IRBuilder<> b_;
  SmallVector<CallInst *> marks_;
  SmallVector<Instruction *> barriers_;
  unsigned firstParameter_ = 0;
  AllocaInst *epoch_ = nullptr; ///< null without barriers
  Value *pending_ = nullptr;    ///< true if an access since the last check may race; may be null
  Value *thread_ = nullptr, *block_ = nullptr, *otherBlocks_ = nullptr;
};

} // namespace

bool expandRaceFilter(Function &f) {
  std::optional<FilterPlan> plan = filterPlanOf(*f.getParent());
  return plan && plan->covers() && FilterExpansion(f, std::move(*plan)).run();
}

PreservedAnalyses ExpandRaceFilter::run(Function &f, FunctionAnalysisManager &) {
  return expandRaceFilter(f) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
