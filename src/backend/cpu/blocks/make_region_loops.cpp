#include "backend/cpu/blocks/make_region_loops.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/blocks/active_groups.h"
#include "backend/cpu/blocks/barrier_counts.h"
#include "backend/cpu/blocks/block_function.h"
#include "backend/cpu/blocks/block_runs.h"
#include "backend/cpu/blocks/region_frames.h"
#include "backend/cpu/blocks/regions.h"
#include "simt/analysis/divergence.h"
#include "simt/ir/ops.h"
#include "simt/ir/source_positions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

class RegionLoops {
public:
  RegionLoops(Function &kernel, Regions regions)
      : kernel_(kernel), plan_(planOf(kernel)), regions_(std::move(regions)),
        layout_(kernel, regions_), used_(findUsedParameters(kernel)),
        f_(*declareThreadsFunction(kernel, used_)), b_(kernel.getContext()) {
    b_.SetCurrentDebugLocation(simt::artificialLocation(f_));
  }

  void emit() {
    BasicBlock *entry = createBlock("entry");
    exit_ = createBlock("exit");
    b_.SetInsertPoint(exit_);
    b_.CreateRetVoid();
    b_.SetInsertPoint(entry);
    counts_ = loadThreadCounts(b_, f_);
    if (any_of(regions_.all, followsPredicateBarrier))
      emitPublishAndResetCounts(b_, f_.getArg(0)); // reset the counters of an earlier block
    allocateFrames();
    if (regions_.mayReturnEarly)
      nextRegion_ = b_.CreateAlloca(b_.getInt32Ty(), nullptr, "next.region");
    for (const Region &region : regions_.all)
      for (Instruction *v : region.liveIn)
        if (!layout_.has(*v) && !uniformSlots_.contains(v))
          uniformSlots_[v] = b_.CreateAlloca(v->getType(), nullptr, v->getName() + ".kept");
    for (Instruction &i : instructions(kernel_))
      if (isa<AllocaInst>(i) && !layout_.has(i)) {
        Instruction *copy = i.clone();
        copy->insertBefore(entry->begin());
        copy->setName(i.getName());
        scratch_[&i] = copy;
        if (none_of(i.users(), [](User *u) { return isa<LifetimeIntrinsic>(u); }))
          withoutLifetime_.push_back(copy);
      }
    for (const Region &region : regions_.all)
      starts_.push_back(region.barrier ? createBlock("barrier") : entry);
    for (unsigned number = 0; number < regions_.all.size(); ++number)
      emitRegionLoop(number);
    makeBlockFunction(kernel_, f_, used_);
    kernel_.eraseFromParent();
  }

private:
  BasicBlock *createBlock(const Twine &name) {
    return BasicBlock::Create(kernel_.getContext(), name, &f_);
  }

  /// Returns true if the barrier before the region has a predicate.
  static bool followsPredicateBarrier(const Region &region) {
    return region.barrier && !region.barrier->getType()->isVoidTy();
  }

  void allocateFrames() {
    if (!layout_.bytes())
      return;
    uint64_t width = plan_.groups.width;
    Value *row = b_.CreateNUWAdd(counts_.along[0], b_.getInt32(uint32_t(width - 1)));
    groupsInRow_ = b_.CreateUDiv(row, b_.getInt32(uint32_t(width)), "groups.x");
    Value *groups =
        b_.CreateNUWMul(b_.CreateNUWMul(groupsInRow_, counts_.along[1]), counts_.along[2]);
    Value *bytes =
        b_.CreateNUWMul(b_.CreateZExt(groups, b_.getInt64Ty()), b_.getInt64(layout_.bytes()));
    CallInst *call =
        emitFrameAllocation(b_, f_.getArg(0), bytes, b_.getInt64(layout_.alignment().value()));
    call->setName("frames");
    call->addRetAttr(Attribute::NoAlias);
    call->addRetAttr(Attribute::getWithAlignment(b_.getContext(), layout_.alignment()));
    frames_ = call;
  }

  /// The frame of the group in the current iteration.
  Value *emitGroupFrameAddress(const ThreadLoops &loops) {
    if (!frames_)
      return nullptr;
    Value *row = b_.CreateNUWAdd(b_.CreateNUWMul(loops.index[2], counts_.along[1]), loops.index[1]);
    Value *inRow = b_.CreateUDiv(loops.index[0], b_.getInt32(plan_.groups.width));
    Value *group = b_.CreateNUWAdd(b_.CreateNUWMul(row, groupsInRow_), inRow);
    Value *slot =
        b_.CreateNUWMul(b_.CreateZExt(group, b_.getInt64Ty()), b_.getInt64(layout_.bytes()));
    return b_.CreateInBoundsPtrAdd(frames_, slot, "frame");
  }

  /// Returns true if a lifetime intrinsic refers to memory outside frames.
  bool isScratchLifetime(Instruction &mark) const {
    return scratch_.contains(cast<Instruction>(mark.getOperand(mark.getNumOperands() - 2)));
  }

  /// Marks scratch memory as dead between threads.
  void markScratchLifetimes(const ThreadLoops &loops) {
    for (Instruction *scratch : withoutLifetime_) {
      IRBuilder<>(loops.header, loops.header->getFirstInsertionPt()).CreateLifetimeStart(scratch);
      IRBuilder<>(loops.latch, loops.latch->getFirstInsertionPt()).CreateLifetimeEnd(scratch);
    }
  }

  Value *emitEndedFlagAddress(Value *frame) {
    return b_.CreateInBoundsPtrAdd(frame, b_.getInt64(layout_.endedOffset()));
  }

  Value *emitFrameSlotAddress(Value *frame, const Instruction &v) {
    return b_.CreateInBoundsPtrAdd(frame, b_.getInt64(layout_.offsetOf(v)));
  }

  /// Recomputes `v` at the builder's position from the region's incoming values.
  Value *recomputeFromIncomingValues(Value *v, ValueToValueMapTy &recomputed) {
    if (isa<Constant>(v))
      return v;
    if (Value *known = recomputed.lookup(v))
      return known;
    Instruction *clone = cast<Instruction>(v)->clone();
    for (Use &operand : clone->operands())
      operand.set(recomputeFromIncomingValues(operand, recomputed));
    b_.Insert(clone, v->getName());
    recomputed[v] = clone;
    return clone;
  }

  /// Emits a region and the loops that run it.
  void emitRegionLoop(unsigned number) {
    const Region &region = regions_.all[number];
    b_.SetInsertPoint(starts_[number]);
    if (followsPredicateBarrier(region))
      emitPublishAndResetCounts(b_, f_.getArg(0));
    DenseMap<Instruction *, Value *> incoming; // live-in values of the region
    for (Instruction *v : region.liveIn)
      if (AllocaInst *slot = uniformSlots_.lookup(v))
        incoming[v] = b_.CreateLoad(v->getType(), slot, v->getName());
    if (nextRegion_)
      b_.CreateStore(b_.getInt32(0), nextRegion_);
    BasicBlock *end = createBlock("region.end");
    DebugLoc location = b_.getCurrentDebugLocation();
    std::optional<ActiveGroups> active = findActiveGroupsOf(region);
    AllocaInst *activeThreads = active ? createActiveCountSlot() : nullptr;
    Value *blocks = nullptr;
    if (plan_.runs != BlockRuns::No)
      blocks = loadConstantField(b_, f_.getArg(0), offsetof(BlockContext, blocks), b_.getInt32Ty(),
                                 1, uint64_t(1) << 31);
    ThreadLoops loops = makeThreadLoops(f_, counts_, starts_[number], end, location, blocks);
    markScratchLifetimes(loops);
    if (active)
      limitLoopToActiveThreads(*activeThreads, loops);

    ValueToValueMapTy known;
    known[kernel_.getArg(ContextArgument)] = f_.getArg(0);
    for (unsigned axis = 0; axis < 3; ++axis)
      known[kernel_.getArg(ThreadXArgument + axis)] = loops.index[axis];
    for (auto [i, a] : enumerate(used_))
      known[a] = parameterOfThreadsFunction(f_, unsigned(i));
    b_.SetInsertPoint(loops.header);
    Value *frame = emitGroupFrameAddress(loops);
    if (nextRegion_ && region.barrier) { // skip threads that have returned
      Value *ended = b_.CreateLoad(b_.getInt8Ty(), emitEndedFlagAddress(frame), "ended");
      BasicBlock *goesOn = createBlock("goes.on");
      b_.CreateCondBr(b_.CreateIsNotNull(ended), loops.latch, goesOn);
      loops.header = goesOn;
      b_.SetInsertPoint(goesOn);
    }
    for (Instruction &i : instructions(kernel_))
      if (auto *a = dyn_cast<AllocaInst>(&i))
        known[a] = scratch_.contains(a) ? scratch_[a] : emitFrameSlotAddress(frame, *a);
    if (loops.block)
      emitBlockIndices(*loops.block, known);
    ValueToValueMapTy recomputed;
    for (const auto &[from, to] : known)
      recomputed[from] = static_cast<Value *>(to);
    for (auto [v, value] : incoming)
      recomputed[v] = value;
    for (Instruction *v : region.recomputed)
      recomputeFromIncomingValues(v, recomputed);
    for (Instruction *v : region.liveIn)
      if (layout_.has(*v))
        incoming[v] = b_.CreateLoad(v->getType(), emitFrameSlotAddress(frame, *v), v->getName());
    SmallVector<Instruction *, 8> redefined =
        cloneRegion(region, loops, frame, known, recomputed, incoming, *end);
    if (active) {
      b_.SetInsertPoint(cast<BasicBlock>(known[active->branch])->getTerminator());
      b_.CreateStore(emitActiveThreadCount(b_, *active, known, counts_.along[0]), activeThreads);
    }
    for (Instruction *v : redefined)
      rewriteEarlierUses(*cast<Instruction>(known[v]), *incoming.lookup(v), *loops.header);
  }

  /// Computes the block index from the position in the run of blocks.
  void emitBlockIndices(PHINode &inRun, ValueToValueMapTy &known) {
    unsigned axis = gridAxisOf(plan_.runs);
    Value *index = nullptr;
    for (Instruction &i : instructions(kernel_)) {
      if (!readsBlockIndex(i, *kernel_.getArg(ContextArgument), axis))
        continue;
      if (!index) {
        Instruction *first = i.clone();
        first->setOperand(
            0, emitFieldAddress(b_, f_.getArg(0), offsetof(BlockContext, block) + 4 * axis));
        b_.Insert(first, "first");
        index = b_.CreateAdd(first, &inRun, "ctaid", /*HasNUW=*/true, /*HasNSW=*/true);
      }
      known[&i] = index;
    }
  }

  std::optional<ActiveGroups> findActiveGroupsOf(const Region &region) {
    if (nextRegion_ || !region.barrier)
      return std::nullopt;
    return findActiveGroups(region, regions_, kernel_,
                            [&](const Instruction &v) { return layout_.has(v); });
  }

  /// Creates the slot with the number of active threads for a region's loop along x: all, until the first group has set
  /// it.
  AllocaInst *createActiveCountSlot() {
    BasicBlock &entry = f_.getEntryBlock();
    AllocaInst *slot = IRBuilder<>(&entry, entry.begin()).CreateAlloca(b_.getInt32Ty());
    slot->setName("active");
    b_.CreateStore(counts_.along[0], slot);
    return slot;
  }

  void limitLoopToActiveThreads(AllocaInst &activeThreads, const ThreadLoops &loops) {
    auto *goesOn = cast<ICmpInst>(cast<BranchInst>(loops.latch->getTerminator())->getCondition());
    IRBuilder<> b(goesOn);
    goesOn->setOperand(1, b.CreateLoad(b.getInt32Ty(), &activeThreads));
  }

  /// Returns the live-in values that the region redefines.
  SmallVector<Instruction *, 8> cloneRegion(const Region &region, const ThreadLoops &loops,
                                            Value *frame, ValueToValueMapTy &known,
                                            ValueToValueMapTy &recomputed,
                                            const DenseMap<Instruction *, Value *> &incoming,
                                            BasicBlock &end) {
    SmallVector<BasicBlock *, 16> clones;
    for (BasicBlock *original : region.blocks) {
      BasicBlock *clone = BasicBlock::Create(kernel_.getContext(), original->getName(), &f_);
      for (Instruction &i : *original) {
        if (isa<AllocaInst>(i) || (isa<LifetimeIntrinsic>(i) && !isScratchLifetime(i)) ||
            (plan_.runs != BlockRuns::No && known.count(&i)))
          continue;
        Instruction *copy = i.clone();
        copy->insertInto(clone, clone->end());
        copy->setName(i.getName());
        known[&i] = copy;
      }
      known[original] = clone;
      clones.push_back(clone);
    }
    SmallVector<Instruction *, 8> redefined;
    for (Instruction *v : region.liveIn) {
      if (region.blocks.contains(v->getParent()))
        redefined.push_back(v);
      else
        known[v] = incoming.lookup(v);
    }
    for (Instruction *v : region.recomputed)
      known[v] = static_cast<Value *>(recomputed[v]);
    for (BasicBlock *clone : clones)
      for (Instruction &i : *clone) {
        if (auto *phi = dyn_cast<PHINode>(&i))
          phi->removeIncomingValueIf(
              [&](unsigned n) { return !region.blocks.contains(phi->getIncomingBlock(n)); },
              /*DeletePHIIfEmpty=*/false);
        RemapInstruction(&i, known, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      }
    b_.SetInsertPoint(loops.header);
    b_.CreateBr(cast<BasicBlock>(known[region.entry]));
    emitExits(region, loops, frame, known, incoming, redefined, end);
    return redefined;
  }

  /// Ends each path through a region at the latch, after storing the live-in values of the next regions.
  void emitExits(const Region &region, const ThreadLoops &loops, Value *frame,
                 ValueToValueMapTy &known, const DenseMap<Instruction *, Value *> &incoming,
                 ArrayRef<Instruction *> redefined, BasicBlock &end) {
    // First branch from all exits to the latch, so that values are looked up along the remaining paths.
    for (BasicBlock *original : region.blocks)
      if (barrierAtEnd(*original) || isa<ReturnInst>(original->getTerminator())) {
        auto *clone = cast<BasicBlock>(known[original]);
        clone->getTerminator()->eraseFromParent();
        b_.SetInsertPoint(clone);
        b_.CreateBr(loops.latch);
      }
    SmallVector<std::pair<BasicBlock *, unsigned>, 4> exits; // with the next region, 0 for none
    for (BasicBlock *original : region.blocks) {
      auto *clone = cast<BasicBlock>(known[original]);
      unsigned next = 0;
      if (CallInst *barrier = barrierAtEnd(*original)) {
        auto *copy = cast<CallInst>(known[barrier]);
        b_.SetInsertPoint(copy);
        emitCountArrival(b_, f_.getArg(0), *copy);
        next = regions_.regionIndexAfter(*barrier);
        for (Instruction *v : regions_.all[next].liveIn)
          if (region.blocks.contains(v->getParent()))
            storeLiveOut(*v,
                         is_contained(redefined, v)
                             ? emitValueAtEnd(*v, *clone, known, incoming, loops)
                             : static_cast<Value *>(known[v]),
                         frame);
        copy->eraseFromParent();
      } else if (!isa<ReturnInst>(original->getTerminator()))
        continue;
      b_.SetInsertPoint(clone->getTerminator());
      if (nextRegion_) {
        b_.CreateStore(b_.getInt8(!next), emitEndedFlagAddress(frame));
        if (next)
          b_.CreateStore(b_.getInt32(next), nextRegion_);
      }
      exits.push_back({clone, next});
    }
    b_.SetInsertPoint(&end);
    if (exits.empty()) { // an infinite loop
      b_.CreateUnreachable();
      return;
    }
    auto target = [&](unsigned next) { return next ? starts_[next] : exit_; };
    unsigned first = exits.front().second;
    if (all_of(exits, [&](const auto &exit) { return exit.second == first; })) {
      b_.CreateBr(target(first));
      return;
    }
    Value *which = nextRegion_ ? b_.CreateLoad(b_.getInt32Ty(), nextRegion_) : nullptr;
    PHINode *nextPhi = nullptr;
    if (!which)
      which = nextPhi = PHINode::Create(b_.getInt32Ty(), unsigned(exits.size()), "next.region",
                                        loops.latch->begin());
    SwitchInst *go = b_.CreateSwitch(which, target(first));
    for (auto [block, next] : exits) {
      if (nextPhi)
        nextPhi->addIncoming(b_.getInt32(next), block);
      if (next != first && go->findCaseValue(b_.getInt32(next)) == go->case_default())
        go->addCase(b_.getInt32(next), target(next));
    }
  }

  void storeLiveOut(Instruction &v, Value *value, Value *frame) {
    AllocaInst *slot = uniformSlots_.lookup(&v);
    b_.CreateStore(value, slot ? slot : emitFrameSlotAddress(frame, v));
  }

  /// Registers two definitions of a value: the incoming one, until the region computes it.
  static void initializeSsaUpdater(SSAUpdater &values, Instruction &computed, Value &incoming,
                                   BasicBlock &header) {
    values.Initialize(computed.getType(), computed.getName());
    values.AddAvailableValue(&header, &incoming);
    values.AddAvailableValue(computed.getParent(), &computed);
  }

  Value *emitValueAtEnd(Instruction &v, BasicBlock &end, ValueToValueMapTy &known,
                        const DenseMap<Instruction *, Value *> &incoming,
                        const ThreadLoops &loops) {
    SSAUpdater values;
    initializeSsaUpdater(values, *cast<Instruction>(known[&v]), *incoming.lookup(&v),
                         *loops.header);
    return values.GetValueAtEndOfBlock(&end);
  }

  /// Rewrites uses of `computed` that may precede it to use the incoming value.
  void rewriteEarlierUses(Instruction &computed, Value &incoming, BasicBlock &header) {
    SSAUpdater values;
    initializeSsaUpdater(values, computed, incoming, header);
    for (Use &use : make_early_inc_range(computed.uses())) {
      auto *user = cast<Instruction>(use.getUser());
      if (isa<PHINode>(user) || user->getParent() != computed.getParent())
        values.RewriteUse(use);
    }
  }

  Function &kernel_;
  Plan plan_;
  Regions regions_;
  RegionFrames layout_;
  SmallVector<Argument *, 16> used_;
  Function &f_;
  IRBuilder<> b_;
  ThreadCounts counts_{};
  Value *groupsInRow_ = nullptr;
  Value *frames_ = nullptr;
  /// The next region of the block; null if the last thread selects it.
  AllocaInst *nextRegion_ = nullptr;
  BasicBlock *exit_ = nullptr;
  SmallVector<BasicBlock *, 8> starts_;            ///< of each region
  DenseMap<const Instruction *, Value *> scratch_; ///< shared by all threads
  SmallVector<Instruction *, 4> withoutLifetime_;  ///< scratch memory without lifetime intrinsics
  DenseMap<const Instruction *, AllocaInst *>
      uniformSlots_; ///< one slot per block for each uniform value
};

} // namespace

PreservedAnalyses MakeRegionLoops::run(Module &m, ModuleAnalysisManager &) {
  simt::DivergenceAnalyses known(uniformityInBlock);
  auto split = [&](Function &kernel) {
    Regions regions = splitIntoRegions(kernel, known.functionAnalyses());
    known.functionAnalyses().clear(kernel, kernel.getName());
    return regions;
  };
  bool changed = false;
  for (Function &kernel : make_early_inc_range(m)) {
    if (!isKernel(kernel))
      continue;
    BarrierForm form = planOf(kernel).barriers;
    if (form == BarrierForm::Coroutines)
      continue;
    RegionLoops(kernel, form == BarrierForm::Regions ? split(kernel) : makeSingleRegion(kernel))
        .emit();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
