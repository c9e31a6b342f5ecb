#include "backend/cpu/blocks/make_region_loops.h"

#include "backend/cpu/blocks/active_groups.h"
#include "backend/cpu/blocks/barrier_counts.h"
#include "backend/cpu/blocks/block_context.h"
#include "backend/cpu/blocks/block_function.h"
#include "backend/cpu/blocks/block_runs.h"
#include "backend/cpu/blocks/region_frames.h"
#include "backend/cpu/blocks/regions.h"
#include "backend/cpu/prepare/thread_context.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/ops.h"
#include "simt/ir/remarks.h"
#include "simt/ir/source_positions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

class RegionLoops {
public:
  RegionLoops(Function &kernel, Regions regions, BlockRuns runs)
      : kernel_(kernel), regions_(std::move(regions)), runs_(runs), layout_(kernel, regions_),
        used_(usedParameters(kernel)), f_(*makeThreadsFunction(kernel, used_)),
        b_(kernel.getContext()) {
    b_.SetCurrentDebugLocation(simt::locationIn(f_));
  }

  void make() {
    BasicBlock *entry = block("entry");
    exit_ = block("exit");
    b_.SetInsertPoint(exit_);
    b_.CreateRetVoid();
    b_.SetInsertPoint(entry);
    counts_ = loadThreadCounts(b_, f_);
    if (any_of(regions_.all, counts))
      publishCounts(b_, f_.getArg(0)); // what an earlier block left
    makeFrames();
    if (regions_.mayEndEarly)
      next_ = b_.CreateAlloca(b_.getInt32Ty(), nullptr, "next.region");
    for (const Region &region : regions_.all)
      for (Instruction *v : region.liveIn)
        if (!layout_.has(*v) && !kept_.contains(v))
          kept_[v] = b_.CreateAlloca(v->getType(), nullptr, v->getName() + ".kept");
    for (Instruction &i : instructions(kernel_))
      if (isa<AllocaInst>(i) && !layout_.has(i)) {
        Instruction *copy = i.clone();
        copy->insertBefore(entry->begin());
        copy->setName(i.getName());
        scratch_[&i] = copy;
        if (none_of(i.users(), [](User *u) { return isa<LifetimeIntrinsic>(u); }))
          unmarked_.push_back(copy);
      }
    for (const Region &region : regions_.all)
      starts_.push_back(region.barrier ? block("barrier") : entry);
    for (unsigned number = 0; number < regions_.all.size(); ++number)
      makeLoop(number);
    makeBlockFunction(kernel_, f_, used_);
    kernel_.eraseFromParent();
  }

private:
  BasicBlock *block(const Twine &name) {
    return BasicBlock::Create(kernel_.getContext(), name, &f_);
  }

  /// Whether the barrier before a region has a predicate.
  static bool counts(const Region &region) {
    return region.barrier && !region.barrier->getType()->isVoidTy();
  }

  void makeFrames() {
    if (!layout_.bytes())
      return;
    uint64_t width = widthOf(f_);
    Value *row = b_.CreateNUWAdd(counts_.along[0], b_.getInt32(uint32_t(width - 1)));
    groupsInRow_ = b_.CreateUDiv(row, b_.getInt32(uint32_t(width)), "groups.x");
    Value *groups =
        b_.CreateNUWMul(b_.CreateNUWMul(groupsInRow_, counts_.along[1]), counts_.along[2]);
    Value *bytes =
        b_.CreateNUWMul(b_.CreateZExt(groups, b_.getInt64Ty()), b_.getInt64(layout_.bytes()));
    CallInst *call =
        allocateFrame(b_, f_.getArg(0), bytes, b_.getInt64(layout_.alignment().value()));
    call->setName("frames");
    call->addRetAttr(Attribute::NoAlias);
    call->addRetAttr(Attribute::getWithAlignment(b_.getContext(), layout_.alignment()));
    frames_ = call;
  }

  /// The frame of the group that a loop has come to.
  Value *frameOf(const ThreadLoops &loops) {
    if (!frames_)
      return nullptr;
    Value *row = b_.CreateNUWAdd(b_.CreateNUWMul(loops.index[2], counts_.along[1]), loops.index[1]);
    Value *inRow = b_.CreateUDiv(loops.index[0], b_.getInt32(widthOf(f_)));
    Value *group = b_.CreateNUWAdd(b_.CreateNUWMul(row, groupsInRow_), inRow);
    Value *place =
        b_.CreateNUWMul(b_.CreateZExt(group, b_.getInt64Ty()), b_.getInt64(layout_.bytes()));
    return b_.CreateInBoundsPtrAdd(frames_, place, "frame");
  }

  /// Whether a lifetime's mark is of memory that is not in frames.
  bool isOfScratch(Instruction &mark) const {
    return scratch_.contains(cast<Instruction>(mark.getOperand(mark.getNumOperands() - 2)));
  }

  /// Scratch memory is dead between two threads.
  void endScratch(const ThreadLoops &loops) {
    for (Instruction *scratch : unmarked_) {
      IRBuilder<>(loops.header, loops.header->getFirstInsertionPt()).CreateLifetimeStart(scratch);
      IRBuilder<>(loops.latch, loops.latch->getFirstInsertionPt()).CreateLifetimeEnd(scratch);
    }
  }

  Value *endedIn(Value *frame) {
    return b_.CreateInBoundsPtrAdd(frame, b_.getInt64(layout_.endedPlace()));
  }

  Value *inFrame(Value *frame, const Instruction &v) {
    return b_.CreateInBoundsPtrAdd(frame, b_.getInt64(layout_.placeOf(v)));
  }

  /// The value of `v` at the builder's position, from what a region finds there.
  Value *repeat(Value *v, ValueToValueMapTy &repeated) {
    if (isa<Constant>(v))
      return v;
    if (Value *known = repeated.lookup(v))
      return known;
    Instruction *clone = cast<Instruction>(v)->clone();
    for (Use &operand : clone->operands())
      operand.set(repeat(operand, repeated));
    b_.Insert(clone, v->getName());
    repeated[v] = clone;
    return clone;
  }

  /// One region, with the loops that run it.
  void makeLoop(unsigned number) {
    const Region &region = regions_.all[number];
    b_.SetInsertPoint(starts_[number]);
    if (counts(region))
      publishCounts(b_, f_.getArg(0));
    DenseMap<Instruction *, Value *> found; // what the region begins with
    for (Instruction *v : region.liveIn)
      if (AllocaInst *place = kept_.lookup(v))
        found[v] = b_.CreateLoad(v->getType(), place, v->getName());
    if (next_)
      b_.CreateStore(b_.getInt32(0), next_);
    BasicBlock *end = block("region.end");
    DebugLoc location = b_.getCurrentDebugLocation();
    std::optional<ActiveGroups> active = activeIn(region);
    AllocaInst *activeThreads = active ? placeOfActive() : nullptr;
    Value *blocks = nullptr;
    if (runs_ != BlockRuns::No)
      blocks = loadConstantField(b_, f_.getArg(0), offsetof(BlockContext, blocks), b_.getInt32Ty(),
                                 1, uint64_t(1) << 31);
    ThreadLoops loops = makeThreadLoops(f_, counts_, starts_[number], end, location, blocks);
    endScratch(loops);
    if (active)
      endBehind(*activeThreads, loops);

    ValueToValueMapTy known;
    known[kernel_.getArg(ContextArgument)] = f_.getArg(0);
    for (unsigned axis = 0; axis < 3; ++axis)
      known[kernel_.getArg(ThreadXArgument + axis)] = loops.index[axis];
    for (auto [i, a] : enumerate(used_))
      known[a] = movedParameter(f_, unsigned(i));
    b_.SetInsertPoint(loops.header);
    Value *frame = frameOf(loops);
    if (next_ && region.barrier) { // who has returned does not go on
      Value *ended = b_.CreateLoad(b_.getInt8Ty(), endedIn(frame), "ended");
      BasicBlock *goesOn = block("goes.on");
      b_.CreateCondBr(b_.CreateIsNotNull(ended), loops.latch, goesOn);
      loops.header = goesOn;
      b_.SetInsertPoint(goesOn);
    }
    for (Instruction &i : instructions(kernel_))
      if (auto *a = dyn_cast<AllocaInst>(&i))
        known[a] = scratch_.contains(a) ? scratch_[a] : inFrame(frame, *a);
    if (loops.block)
      indexBlocks(*loops.block, known);
    ValueToValueMapTy repeated;
    for (const auto &[from, to] : known)
      repeated[from] = static_cast<Value *>(to);
    for (auto [v, value] : found)
      repeated[v] = value;
    for (Instruction *v : region.repeated)
      repeat(v, repeated);
    for (Instruction *v : region.liveIn)
      if (layout_.has(*v))
        found[v] = b_.CreateLoad(v->getType(), inFrame(frame, *v), v->getName());
    SmallVector<Instruction *, 8> both = fill(region, loops, frame, known, repeated, found, *end);
    if (active) {
      b_.SetInsertPoint(cast<BasicBlock>(known[active->branch])->getTerminator());
      b_.CreateStore(countOf(b_, *active, known, counts_.along[0]), activeThreads);
    }
    for (Instruction *v : both)
      merge(*cast<Instruction>(known[v]), *found.lookup(v), *loops.header);
  }

  /// Where a run has come to is the index of the block that a thread asks for.
  void indexBlocks(PHINode &inRun, ValueToValueMapTy &known) {
    unsigned axis = axisOf(runs_);
    Value *index = nullptr;
    for (Instruction &i : instructions(kernel_)) {
      if (!readsBlockIndex(i, *kernel_.getArg(ContextArgument), axis))
        continue;
      if (!index) {
        Instruction *first = i.clone();
        first->setOperand(0,
                          fieldAddress(b_, f_.getArg(0), offsetof(BlockContext, block) + 4 * axis));
        b_.Insert(first, "first");
        index = b_.CreateAdd(first, &inRun, "ctaid", /*HasNUW=*/true, /*HasNSW=*/true);
      }
      known[&i] = index;
    }
  }

  std::optional<ActiveGroups> activeIn(const Region &region) {
    if (next_ || !region.barrier)
      return std::nullopt;
    return activeGroupsIn(region, regions_, kernel_,
                          [&](const Instruction &v) { return layout_.has(v); });
  }

  /// Where a region's loop along x keeps how many threads work: until the first group has told, all.
  AllocaInst *placeOfActive() {
    BasicBlock &entry = f_.getEntryBlock();
    AllocaInst *place = IRBuilder<>(&entry, entry.begin()).CreateAlloca(b_.getInt32Ty());
    place->setName("active");
    b_.CreateStore(counts_.along[0], place);
    return place;
  }

  void endBehind(AllocaInst &activeThreads, const ThreadLoops &loops) {
    auto *goesOn = cast<ICmpInst>(cast<BranchInst>(loops.latch->getTerminator())->getCondition());
    IRBuilder<> b(goesOn);
    goesOn->setOperand(1, b.CreateLoad(b.getInt32Ty(), &activeThreads));
  }

  /// Returns what is computed in the region and found at its begin, too.
  SmallVector<Instruction *, 8> fill(const Region &region, const ThreadLoops &loops, Value *frame,
                                     ValueToValueMapTy &known, ValueToValueMapTy &repeated,
                                     const DenseMap<Instruction *, Value *> &found,
                                     BasicBlock &end) {
    SmallVector<BasicBlock *, 16> clones;
    for (BasicBlock *original : region.blocks) {
      BasicBlock *clone = BasicBlock::Create(kernel_.getContext(), original->getName(), &f_);
      for (Instruction &i : *original) {
        if (isa<AllocaInst>(i) || (isa<LifetimeIntrinsic>(i) && !isOfScratch(i)) ||
            (runs_ != BlockRuns::No && known.count(&i)))
          continue;
        Instruction *copy = i.clone();
        copy->insertInto(clone, clone->end());
        copy->setName(i.getName());
        known[&i] = copy;
      }
      known[original] = clone;
      clones.push_back(clone);
    }
    SmallVector<Instruction *, 8> both;
    for (Instruction *v : region.liveIn) {
      if (region.blocks.contains(v->getParent()))
        both.push_back(v);
      else
        known[v] = found.lookup(v);
    }
    for (Instruction *v : region.repeated)
      known[v] = static_cast<Value *>(repeated[v]);
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
    leave(region, loops, frame, known, found, both, end);
    return both;
  }

  /// Ends each way through a region with the latch: what the regions behind it begin with is kept.
  void leave(const Region &region, const ThreadLoops &loops, Value *frame, ValueToValueMapTy &known,
             const DenseMap<Instruction *, Value *> &found, ArrayRef<Instruction *> both,
             BasicBlock &end) {
    // First every way out ends at the latch, so that values are looked for along the ways that are left.
    for (BasicBlock *original : region.blocks)
      if (barrierAtEnd(*original) || isa<ReturnInst>(original->getTerminator())) {
        auto *clone = cast<BasicBlock>(known[original]);
        clone->getTerminator()->eraseFromParent();
        b_.SetInsertPoint(clone);
        b_.CreateBr(loops.latch);
      }
    SmallVector<std::pair<BasicBlock *, unsigned>, 4> exits; // and the region that follows, 0: none
    for (BasicBlock *original : region.blocks) {
      auto *clone = cast<BasicBlock>(known[original]);
      unsigned next = 0;
      if (CallInst *barrier = barrierAtEnd(*original)) {
        auto *copy = cast<CallInst>(known[barrier]);
        b_.SetInsertPoint(copy);
        countArrival(b_, f_.getArg(0), *copy);
        next = regions_.after(*barrier);
        for (Instruction *v : regions_.all[next].liveIn)
          if (region.blocks.contains(v->getParent()))
            keep(*v,
                 is_contained(both, v) ? valueAt(*v, *clone, known, found, loops)
                                       : static_cast<Value *>(known[v]),
                 frame);
        copy->eraseFromParent();
      } else if (!isa<ReturnInst>(original->getTerminator()))
        continue;
      b_.SetInsertPoint(clone->getTerminator());
      if (next_) {
        b_.CreateStore(b_.getInt8(!next), endedIn(frame));
        if (next)
          b_.CreateStore(b_.getInt32(next), next_);
      }
      exits.push_back({clone, next});
    }
    b_.SetInsertPoint(&end);
    if (exits.empty()) { // an endless loop
      b_.CreateUnreachable();
      return;
    }
    auto target = [&](unsigned next) { return next ? starts_[next] : exit_; };
    unsigned first = exits.front().second;
    if (all_of(exits, [&](const auto &exit) { return exit.second == first; })) {
      b_.CreateBr(target(first));
      return;
    }
    Value *which = next_ ? b_.CreateLoad(b_.getInt32Ty(), next_) : nullptr;
    PHINode *ofLast = nullptr;
    if (!which)
      which = ofLast = PHINode::Create(b_.getInt32Ty(), unsigned(exits.size()), "next.region",
                                       loops.latch->begin());
    SwitchInst *go = b_.CreateSwitch(which, target(first));
    for (auto [block, next] : exits) {
      if (ofLast)
        ofLast->addIncoming(b_.getInt32(next), block);
      if (next != first && go->findCaseValue(b_.getInt32(next)) == go->case_default())
        go->addCase(b_.getInt32(next), target(next));
    }
  }

  void keep(Instruction &v, Value *value, Value *frame) {
    AllocaInst *place = kept_.lookup(&v);
    b_.CreateStore(value, place ? place : inFrame(frame, v));
  }

  /// A value that a region finds at its begin, until it is computed.
  static void initialize(SSAUpdater &values, Instruction &computed, Value &found,
                         BasicBlock &header) {
    values.Initialize(computed.getType(), computed.getName());
    values.AddAvailableValue(&header, &found);
    values.AddAvailableValue(computed.getParent(), &computed);
  }

  Value *valueAt(Instruction &v, BasicBlock &end, ValueToValueMapTy &known,
                 const DenseMap<Instruction *, Value *> &found, const ThreadLoops &loops) {
    SSAUpdater values;
    initialize(values, *cast<Instruction>(known[&v]), *found.lookup(&v), *loops.header);
    return values.GetValueAtEndOfBlock(&end);
  }

  /// Makes the uses of `computed` that may come before it use what the region has found.
  void merge(Instruction &computed, Value &found, BasicBlock &header) {
    SSAUpdater values;
    initialize(values, computed, found, header);
    for (Use &use : make_early_inc_range(computed.uses())) {
      auto *user = cast<Instruction>(use.getUser());
      if (isa<PHINode>(user) || user->getParent() != computed.getParent())
        values.RewriteUse(use);
    }
  }

  Function &kernel_;
  Regions regions_;
  BlockRuns runs_;
  RegionFrames layout_;
  SmallVector<Argument *, 16> used_;
  Function &f_;
  IRBuilder<> b_;
  ThreadCounts counts_{};
  Value *groupsInRow_ = nullptr;
  Value *frames_ = nullptr;
  /// The region that the block comes to; null where its last thread says so.
  AllocaInst *next_ = nullptr;
  BasicBlock *exit_ = nullptr;
  SmallVector<BasicBlock *, 8> starts_;              ///< of each region
  DenseMap<const Instruction *, Value *> scratch_;   ///< one for all threads
  SmallVector<Instruction *, 4> unmarked_;           ///< scratch that no marks end
  DenseMap<const Instruction *, AllocaInst *> kept_; ///< once a block: what is uniform
};

} // namespace

PreservedAnalyses MakeRegionLoops::run(Module &m, ModuleAnalysisManager &) {
  SmallVector<Function *> kernels;
  bool changed = false;
  for (Function &f : make_early_inc_range(m)) {
    if (!isKernel(f) || f.hasFnAttribute(entryAttribute))
      continue;
    if (simt::hasSyncPoints(f)) {
      kernels.push_back(&f);
      continue;
    }
    BlockRuns runs = barriers ? runsOf(f) : BlockRuns::No;
    if (runs != BlockRuns::No)
      setNumberAttribute(f, runsAttribute, uint64_t(runs));
    RegionLoops(f, wholeKernel(f), runs).make();
    changed = true;
  }
  if (!barriers || kernels.empty())
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  simt::DivergenceAnalyses known(uniformityInBlock);
  FunctionAnalysisManager &analyses = known.functions();
  FunctionPassManager loopForm; // a loop's result is a value of its own
  loopForm.addPass(LoopSimplifyPass());
  loopForm.addPass(LCSSAPass());
  for (Function *each : kernels) {
    Function &kernel = *each;
    analyses.invalidate(kernel, loopForm.run(kernel, analyses));
    std::optional<std::string> reason = whyNoRegions(kernel, analyses);
    simt::addRemark(kernel, reason ? "its threads pass barriers as coroutines: " + *reason
                                   : "its threads pass barriers together");
    if (reason)
      continue;
    Regions regions = splitIntoRegions(kernel, analyses);
    analyses.clear(kernel, kernel.getName());
    RegionLoops(kernel, std::move(regions), BlockRuns::No).make();
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
