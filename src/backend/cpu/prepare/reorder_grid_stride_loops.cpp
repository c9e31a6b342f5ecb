#include "backend/cpu/prepare/reorder_grid_stride_loops.h"

#include "backend/cpu/prepare/grid_stride_loops.h"
#include "simt/analysis/grid_indices.h"
#include "simt/analysis/independent_iterations.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/checks.h"
#include "simt/ir/remarks.h"
#include "simt/passes/lowering.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Maximum group size: 32-bit elements of the group fill a cache line.
constexpr unsigned maxGroupSize = 16;

/// The threads that exchange iterations.
enum class SharedBy { Grid, Block };

/// Returns true if the operation's result is the same in all of these threads.
bool isUniformAmong(simt::Op op, SharedBy sharedBy) {
  bool ofBlock = op == simt::Op::BlockIdX || op == simt::Op::BlockIdY || op == simt::Op::BlockIdZ;
  return op == simt::Op::BlockDimX || op == simt::Op::GridDimX ||
         (ofBlock && sharedBy == SharedBy::Block);
}

/// Returns true if `v` is the same in all of these threads.
bool isUniformAmong(const Value *v, SharedBy sharedBy, unsigned depth = 0) {
  if (isa<Constant, Argument>(v))
    return sharedBy == SharedBy::Block || !v->getType()->isPointerTy() ||
           v->getType()->getPointerAddressSpace() != simt::Shared;
  const auto *i = dyn_cast<Instruction>(v);
  if (!i || depth == thresholds::maxExpressionDepth)
    return false;
  if (!simt::computesFromOperands(*i)) {
    std::optional<simt::Op> op = simt::calledOp(i);
    return op && isUniformAmong(*op, sharedBy);
  }
  const auto *call = dyn_cast<CallInst>(i);
  return all_of(call ? call->args() : i->operands(),
                [&](const Use &u) { return isUniformAmong(u.get(), sharedBy, depth + 1); });
}

/// Decides if other threads may run a loop's iterations.
class IterationEffects {
public:
  IterationEffects(const GridStrideLoop &g, SharedBy sharedBy) : g(g), sharedBy(sharedBy) {}

  /// The bounds of arrays whose checked index is i.
  ArrayRef<Value *> boundsOfCheckedIndices() const { return ends_; }
  /// Returns true if the thread that runs each iteration is unobservable.
  bool checkReorderableAndCollectBounds() {
    return isUniformAmong(g.end, sharedBy) && all_of(g.loop->blocks(), [&](BasicBlock *block) {
             return all_of(*block, [&](Instruction &i) { return isReorderable(i); });
           });
  }

private:
  bool isReorderable(Instruction &i) {
    for (Value *operand : i.operands()) {
      if (isa<Constant>(operand) && !isUniformAmong(operand, sharedBy))
        return false;
      if (auto *from = dyn_cast<Instruction>(operand); from && !g.loop->contains(from))
        if (!isLoopControl(i) && !isUniformAmong(operand, sharedBy))
          return false;
    }
    for (User *user : i.users())
      if (!g.loop->contains(cast<Instruction>(user)))
        return false;
    if (auto *call = dyn_cast<CallInst>(&i))
      return isReorderableCall(*call);
    return !i.mayReadOrWriteMemory() ||
           (isa<LoadInst, StoreInst>(i) && !i.isVolatile() && !i.isAtomic());
  }

  /// Returns true for arithmetic that the rewrite replaces.
  bool isLoopControl(const Instruction &i) const {
    if (&i == g.phi || &i == g.next || &i == g.index || &i == g.condition)
      return true;
    return !i.use_empty() &&
           all_of(i.users(), [&](const User *u) { return u == g.condition || u == g.index; });
  }

  /// A check cannot fail if the whole range is in bounds.
  bool collectBoundIfReorderableCheck(CallInst &call) {
    simt::IndexCheck check = simt::IndexCheck::of(call);
    ends_.push_back(check.high);
    return check.isSingleIndex() &&
           (check.first == g.index || simt::stripExtensions(check.first) == g.index) &&
           isUniformAmong(check.low, sharedBy) && isUniformAmong(check.high, sharedBy);
  }

  bool isReorderableCall(CallInst &call) {
    if (simt::isCheck(call))
      return collectBoundIfReorderableCheck(call);
    std::optional<simt::Op> op = simt::calledOp(&call);
    if (!op)
      return !call.mayReadOrWriteMemory() || call.getIntrinsicID() == Intrinsic::assume;
    return simt::info(*op).has(simt::ArgMemory) ||
           (simt::info(*op).has(simt::Pure) &&
            (isUniformAmong(*op, sharedBy) || simt::info(*op).has(simt::Arithmetic) ||
             simt::info(*op).name.starts_with("simt.math.")));
  }

  const GridStrideLoop &g;
  SharedBy sharedBy;
  SmallVector<Value *> ends_;
};

/// Hoists the bounds and the step. Returns false if that is impossible.
bool hoistLoopBounds(GridStrideLoop &g, ScalarEvolution &evolution) {
  bool changed = false;
  return all_of(std::array{g.first, g.step, g.end}, [&](Value *v) {
    return g.loop->makeLoopInvariant(v, changed, nullptr, nullptr, &evolution);
  });
}

/// Rewrites the loop so that each group of threads traverses a chunk.
class LoopRewriter {
public:
  LoopRewriter(const GridStrideLoop &g, SharedBy sharedBy, unsigned groupSize,
               ArrayRef<Value *> ends, ScalarEvolution &evolution)
      : g(g), sharedBy(sharedBy), groupSize(groupSize), ends(ends), evolution(evolution),
        b(g.loop->getLoopPreheader()) {}

  /// Returns false if the loop cannot be rewritten.
  bool rewrite() {
    BasicBlock *before = g.loop->getLoopPreheader();
    bool moved = false;
    for (Value *v : ends)
      if (!g.loop->makeLoopInvariant(v, moved, before->getTerminator(), nullptr, &evolution))
        return false;
    b.SetInsertPoint(before->getTerminator());
    b.SetCurrentDebugLocation(g.condition->getDebugLoc());
    emitRangeOfBlock();
    if (sharedBy == SharedBy::Grid)
      assignChunksToGroups();
    else
      assignPartsToGroups();
    if (sharedBy == SharedBy::Block)
      prefetchNextIteration();
    replaceLoopControl(*before);
    return true;
  }

private:
  Value *constant(uint64_t n) { return ConstantInt::get(b.getInt64Ty(), n); }
  Value *emitIndexOpAs64Bits(simt::Op op) {
    return b.CreateZExt(simt::call(b, op, {}), b.getInt64Ty());
  }
  Value *selectReorderedIfFits(Value *own, Value *usual) {
    return b.CreateSelect(fits, b.CreateTruncOrBitCast(own, usual->getType()), usual);
  }

  void emitRangeOfBlock() {
    extent = emitIndexOpAs64Bits(simt::Op::BlockDimX),
    thread = emitIndexOpAs64Bits(simt::Op::ThreadIdX);
    threads = b.CreateNUWMul(emitIndexOpAs64Bits(simt::Op::GridDimX), extent);
    start = b.CreateNUWMul(emitIndexOpAs64Bits(simt::Op::BlockIdX), extent);
    end = g.isSigned ? b.CreateBinaryIntrinsic(Intrinsic::smax, b.CreateSExt(g.end, b.getInt64Ty()),
                                               constant(0))
                     : b.CreateZExt(g.end, b.getInt64Ty());
    // The rewritten loop runs only if the range is small enough to avoid overflow; otherwise the original bounds are
    // selected.
    uint64_t maxEnd = uint64_t(1) << (g.index->getType()->getIntegerBitWidth() > 32 ? 36 : 30);
    fits = b.CreateICmpEQ(b.CreateURem(extent, constant(groupSize)), constant(0));
    fits = b.CreateAnd(fits, b.CreateICmpULT(threads, constant(maxEnd / (4 * groupSize))));
    fits = b.CreateAnd(fits, b.CreateICmpULT(end, constant(maxEnd)));
    // On an error, the reported thread must be the one that CUDA would use, so the whole range must be in bounds.
    for (Value *v : ends)
      fits = b.CreateAnd(fits, b.CreateICmpSLE(end, v));
    lane = b.CreateAnd(thread, constant(groupSize - 1));
  }

  /// Assigns each group of the grid a contiguous chunk of the range.
  void assignChunksToGroups() {
    Value *groups = b.CreateBinaryIntrinsic(
        Intrinsic::umax, b.CreateUDiv(threads, constant(groupSize)), constant(1));
    Value *chunk = b.CreateUDiv(b.CreateAdd(end, b.CreateSub(groups, constant(1))), groups);
    chunk = b.CreateAnd(b.CreateAdd(chunk, constant(groupSize - 1)),
                        b.CreateNot(constant(groupSize - 1)));
    Value *group = b.CreateLShr(b.CreateNUWAdd(start, thread), Log2_32(groupSize));
    Value *begin = b.CreateMul(group, chunk);
    first = b.CreateAdd(begin, lane);
    last = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateAdd(begin, chunk), end);
  }

  /// Splits the block's iterations into parts of one element per thread of a group, and assigns each group as many
  /// parts as there are iterations.
  void assignPartsToGroups() {
    partsPerIteration = b.CreateBinaryIntrinsic(
        Intrinsic::umax, b.CreateUDiv(extent, constant(groupSize)), constant(1));
    Value *left = b.CreateBinaryIntrinsic(Intrinsic::umax, end, start);
    Value *iterations = b.CreateUDiv(
        b.CreateAdd(b.CreateSub(left, start), b.CreateSub(threads, constant(1))), threads);
    Value *begin = b.CreateMul(b.CreateLShr(thread, Log2_32(groupSize)), iterations);
    first = emitElementIndex(begin);
    last = b.CreateBinaryIntrinsic(Intrinsic::smin,
                                   emitElementIndex(b.CreateAdd(begin, iterations)), end);
    firstPart = b.CreateURem(begin, partsPerIteration);
  }

  Value *emitElementIndex(Value *part) {
    Value *iteration = b.CreateMul(b.CreateUDiv(part, partsPerIteration), threads);
    Value *inIteration = b.CreateMul(b.CreateURem(part, partsPerIteration), constant(groupSize));
    return b.CreateAdd(b.CreateAdd(start, lane), b.CreateAdd(iteration, inIteration));
  }

  void replaceLoopControl(BasicBlock &before) {
    first = selectReorderedIfFits(first, g.first);
    last = selectReorderedIfFits(last, g.end);
    Value *step = selectReorderedIfFits(constant(groupSize), g.step), *toNextIteration = nullptr;
    if (firstPart)
      toNextIteration = selectReorderedIfFits(
          b.CreateAdd(b.CreateSub(threads, extent), constant(groupSize)), g.step);
    BasicBlock *header = g.loop->getHeader(), *latch = g.loop->getLoopLatch();
    b.SetInsertPoint(header, header->begin());
    PHINode *i = b.CreatePHI(g.index->getType(), 2);
    PHINode *part = firstPart ? b.CreatePHI(b.getInt64Ty(), 2) : nullptr;
    b.SetInsertPoint(latch->getTerminator());
    if (part) {
      Value *next = b.CreateNUWAdd(part, constant(1));
      Value *isLast = b.CreateICmpUGE(next, partsPerIteration);
      step = b.CreateSelect(isLast, toNextIteration, step);
      part->addIncoming(firstPart, &before);
      part->addIncoming(b.CreateSelect(isLast, constant(0), next), latch);
    }
    i->addIncoming(first, &before);
    i->addIncoming(b.CreateAdd(i, step), latch);
    b.SetInsertPoint(header->getTerminator());
    auto *branch = cast<BranchInst>(header->getTerminator());
    Value *below = g.isSigned ? b.CreateICmpSLT(i, last) : b.CreateICmpULT(i, last);
    branch->setCondition(g.continuesIf ? below : b.CreateNot(below));
    g.index->replaceAllUsesWith(i);
  }

  /// A block's iterations are far apart, and may be too short for the hardware prefetcher to detect the stream.
  void prefetchNextIteration() {
    IRBuilderBase::InsertPointGuard guard(b);
    SmallVector<std::pair<LoadInst *, int64_t>> loads; // and their strides
    for (BasicBlock *block : g.loop->blocks())
      for (Instruction &i : *block)
        if (auto *load = dyn_cast<LoadInst>(&i))
          if (int64_t stride =
                  simt::strideOf(*load->getPointerOperand(), *g.loop, *g.index).value_or(0))
            loads.push_back({load, stride});
    for (auto [load, stride] : loads) {
      b.SetInsertPoint(load);
      Value *next = b.CreateGEP(b.getInt8Ty(), load->getPointerOperand(),
                                b.CreateMul(threads, constant(uint64_t(stride))));
      b.CreateIntrinsic(b.getVoidTy(), Intrinsic::prefetch,
                        {next, b.getInt32(0), b.getInt32(3), b.getInt32(1)});
    }
  }

  const GridStrideLoop &g;
  SharedBy sharedBy;
  unsigned groupSize;     ///< threads that share a chunk, a power of two
  ArrayRef<Value *> ends; ///< of arrays with checked indices
  ScalarEvolution &evolution;
  IRBuilder<> b;
  Value *extent, *thread, *threads; ///< block extent, thread index, threads in the grid
  Value *start;                     ///< grid index of the block's first thread
  Value *lane, *end, *fits;
  Value *first, *last;
  Value *partsPerIteration = nullptr, *firstPart = nullptr;
};

} // namespace

PreservedAnalyses ReorderGridStrideLoops::run(Function &f, FunctionAnalysisManager &am) {
  if (!simt::isKernel(f))
    return PreservedAnalyses::all();
  bool changed = false;
  bool hasWarps = simt::hasWarpOperations(f); // which have more lanes than a register
  unsigned groupSize = hasWarps ? maxGroupSize : std::min(lanes, maxGroupSize);
  for (Loop *loop : am.getResult<LoopAnalysis>(f)) {
    std::optional<GridStrideLoop> g = matchGridStrideLoop(*loop);
    if (!g)
      continue;
    changed = true; // matching and hoisting change the loop
    auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
    if (!hoistLoopBounds(*g, evolution) ||
        !simt::areIterationsIndependent(*loop, *g->index, am.getResult<DominatorTreeAnalysis>(f),
                                        am.getResult<AAManager>(f)))
      continue;
    for (SharedBy sharedBy : {SharedBy::Grid, SharedBy::Block})
      if (IterationEffects iterations(*g, sharedBy);
          iterations.checkReorderableAndCollectBounds() &&
          LoopRewriter(*g, sharedBy, groupSize, iterations.boundsOfCheckedIndices(), evolution)
              .rewrite()) {
        simt::addRemark(f, sharedBy == SharedBy::Grid
                               ? "threads share contiguous chunks of a grid-stride loop's range"
                               : "a block's threads share the iterations of a grid-stride loop");
        evolution.forgetLoop(loop);
        break;
      }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
