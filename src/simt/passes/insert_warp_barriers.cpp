#include "simt/passes/insert_warp_barriers.h"

#include "simt/analysis/sync_points.h"
#include "simt/analysis/warp_exchanges.h"
#include "simt/check/memory_accesses.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/passes/lowering.h"
#include "simt/thresholds.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace heddle::simt {

using namespace llvm;

namespace {

bool hasVolatileSharedAccesses(const Function &f) {
  return any_of(instructions(f), [](const Instruction &i) {
    return i.isVolatile() && loadsOrStoresShared(i) && !isMarkedAtomic(i);
  });
}

/// Returns the blocks with shared accesses or synchronization points.
Blocks findRelevantBlocks(const Function &f) {
  Blocks found;
  for (const Instruction &i : instructions(f))
    if (isSyncPoint(i) || loadsOrStoresShared(i))
      found.insert(i.getParent());
  return found;
}

/// A pair of accesses through which lanes exchange values: the second one must follow the first one of another lane.
struct Exchange {
  const SharedAccess *first, *second;
  bool isNearby; ///< the other lane is at a constant distance, or one that a loop halves or doubles
  BasicBlock::const_iterator begin; ///< a barrier is needed from here to the second access
};

/// An order of blocks in which those of a loop come in a row, the others after it and a loop's latch last, except for
/// headers of loops, as if there were no back edges.
class BlockOrder {
public:
  BlockOrder(const Function &f, const LoopInfo &loops) : loops_(loops) { visit(f.getEntryBlock()); }

  unsigned of(const BasicBlock &block) const {
    return unsigned(finished_.size()) - finished_.lookup(&block);
  }

private:
  /// Numbers the blocks after all that follow them; a loop's exits are visited before its body.
  void visit(const BasicBlock &block) {
    if (!visited_.insert(&block).second)
      return;
    if (const Loop *loop = loops_.getLoopFor(&block); loop && loop->getHeader() == &block) {
      SmallVector<BasicBlock *, 4> exits;
      loop->getUniqueExitBlocks(exits);
      for (const BasicBlock *exit : exits)
        visit(*exit);
    }
    for (const BasicBlock *next : successors(&block))
      visit(*next);
    finished_.try_emplace(&block, unsigned(finished_.size()));
  }

  const LoopInfo &loops_;
  Blocks visited_;
  DenseMap<const BasicBlock *, unsigned> finished_;
};

class WarpBarrierInsertion {
public:
  WarpBarrierInsertion(Function &f, const Accesses &accesses, ScalarEvolution &evolution,
                       const DominatorTree &dominators, const LoopInfo &loops, bool serialThreads,
                       bool hasVolatile)
      : function_(f), serialThreads_(serialThreads), dominators_(dominators), loops_(loops),
        guards_(f, dominators, loops, accesses, findRelevantBlocks(f),
                /*considersRows=*/serialThreads && hasVolatile),
        exchanges_(evolution, dominators, accesses, guards_),
        accesses_(collectSharedAccesses(accesses)) {}

  bool run() {
    bool changed = false;
    erase_if(accesses_, [](const SharedAccess &a) { return isMarkedAtomic(*a.instruction); });
    if (serialThreads_)
      changed = makeVolatileAccessesPlain();
    else
      erase_if(accesses_, [](const SharedAccess &a) { return a.instruction->isVolatile(); });
    if (size_t(count_if(accesses_, [](const SharedAccess &a) { return a.stride().has_value(); })) >
        thresholds::maxAnalysisSteps)
      return changed;
    collectExchanges();
    if (serialThreads_) {
      for (const SharedAccess &load : accesses_)
        if (load.isLoad() && mayBeOverwritten(load))
          barrierPoints_.insert(load.instruction->getNextNode());
      addBarriersAtConvergedPoints();
    }
    addBarriersInDivergentCode();
    insertBarriers();
    return changed || !barrierPoints_.empty();
  }

private:
  using OrderKey = std::vector<unsigned>;

  /// Makes volatile accesses plain, unless there are too many to add the barriers that keep their order.
  bool makeVolatileAccessesPlain() {
    if (accesses_.size() > thresholds::maxAnalysisSteps)
      return false;
    for (const SharedAccess &access : accesses_) {
      if (!access.instruction->isVolatile())
        continue;
      volatileObjects_.insert(access.object);
      if (auto *load = dyn_cast<LoadInst>(access.instruction))
        load->setVolatile(false);
      else
        cast<StoreInst>(access.instruction)->setVolatile(false);
    }
    return !volatileObjects_.empty();
  }

  /// Collects the exchanges through volatile objects, and objects of which a thread reads what another one wrote.
  void collectExchanges() {
    SmallPtrSet<const Value *, 4> objects;
    bool findsAll = serialThreads_ && accesses_.size() <= thresholds::maxAnalysisSteps;
    for (const SharedAccess &first : accesses_)
      for (BasicBlock::const_iterator begin : collectBegins(first)) {
        ReachableWithoutBarrier next(begin);
        for (const SharedAccess &second : accesses_) {
          if ((first.isLoad() && second.isLoad()) || !next.accesses.contains(second.instruction))
            continue;
          bool isNearby = (serialThreads_ || first.isLoad() != second.isLoad()) &&
                          !hasSingleThread(second) &&
                          exchanges_.accessesNearbyThread(first, second);
          if (!isNearby && !(findsAll && isExchange(first, second)))
            continue;
          found_.push_back({&first, &second, isNearby, begin});
          if (second.isLoad())
            objects.insert(first.object);
        }
      }
    erase_if(found_, [&](const Exchange &e) {
      return !objects.contains(e.first->object) && !isVolatile(*e.first);
    });
  }

  /// Returns the places from which lanes may reach a second access that must wait for the first one: after it, and if it was
  /// volatile, where lanes skip a branch around it, or have left a loop.
  SmallVector<BasicBlock::const_iterator, 4> collectBegins(const SharedAccess &first) {
    SmallVector<BasicBlock::const_iterator, 4> begins{std::next(first.instruction->getIterator())};
    if (!isVolatile(first))
      return begins;
    SmallSetVector<const BasicBlock *, 8> blocks;
    const DivergentRegions &regions = regionsAt(first.block());
    for (const BasicBlock &block : function_)
      if (regions.branches.contains(&block))
        for (const BasicBlock *side : successors(&block))
          if (!dominators_.dominates(side, &first.block()))
            blocks.insert(side);
    for (const Loop *loop = first.loop; loop; loop = loop->getParentLoop()) {
      if (!regions.loops.contains(loop))
        continue;
      SmallVector<BasicBlock *, 4> exits;
      loop->getUniqueExitBlocks(exits);
      blocks.insert_range(exits);
    }
    for (const BasicBlock *block : blocks)
      begins.push_back(block->begin());
    return begins;
  }

  bool isExchange(const SharedAccess &first, const SharedAccess &second) const {
    return isVolatile(first) ? exchanges_.mayShareElement(first, second)
                             : exchanges_.mayAliasOtherLane(first, second);
  }

  /// Returns true if a barrier right before the access would be reached by a single thread.
  bool hasSingleThread(const SharedAccess &access) const {
    return serialThreads_ && guards_.singleThreadAt(access.block());
  }

  /// Returns true if all threads load an address that one of them may overwrite before the others have loaded it.
  bool mayBeOverwritten(const SharedAccess &load) const {
    if (load.stride() != 0 || !guards_.allThreadsReach(load.block()))
      return false;
    ReachableWithoutBarrier next(*load.instruction);
    return any_of(accesses_, [&](const SharedAccess &access) {
      return !access.isLoad() && access.stride() == 0 && access.object == load.object &&
             access.form == load.form && next.accesses.contains(access.instruction);
    });
  }

  /// Adds barriers at points between the accesses of exchanges where the warp is converged. Exchanges remain that need
  /// a barrier in divergent code.
  void addBarriersAtConvergedPoints() {
    erase_if(found_, [&](const Exchange &exchange) {
      return addPoint(exchange, /*mustBeConverged=*/true) ||
             !(exchange.isNearby || mayAddInDivergentCode(exchange));
    });
  }

  bool mayAddInDivergentCode(const Exchange &exchange) {
    const SharedAccess &second = *exchange.second;
    return isVolatile(second) && !hasSingleThread(second) &&
           !hasBarrierBefore(second, {exchange.begin, {second.instruction}});
  }

  void addBarriersInDivergentCode() {
    for (const Exchange &exchange : found_) {
      auto [first, second, isNearby, begin] = exchange;
      if (exchanges_.isTreeReductionStep(*first, *second, barrierPoints_.getArrayRef()))
        continue;
      if (!isVolatile(*second))
        barrierPoints_.insert(second->instruction);
      else
        addPoint(exchange, /*mustBeConverged=*/false);
    }
    if (!volatileObjects_.empty())
      for (const Loop *loop : loops_)
        addBarriersAtLoopEnds(*loop);
  }

  /// Adds a barrier at the end of loops in which lanes that skip a barrier could begin the next iteration while others
  /// wait there, or from which LLVM could move the last loads to the exit: lanes that leave early load before the others
  /// store.
  void addBarriersAtLoopEnds(const Loop &loop) {
    for (const Loop *inner : loop)
      addBarriersAtLoopEnds(*inner);
    SmallVector<const BasicBlock *, 8> blocks;
    for (const Instruction *point : barrierPoints_)
      if (loop.contains(point))
        blocks.push_back(point->getParent());
    if (BasicBlock *latch = loop.getLoopLatch();
        latch && !blocks.empty() &&
        (regionsAt(*latch).loops.contains(&loop) ||
         none_of(blocks, [&](const BasicBlock *block) { return allLanesReach(*block, loop); })))
      barrierPoints_.insert(latch->getTerminator());
  }

  /// Returns true if all lanes that begin an iteration of the loop reach the block.
  bool allLanesReach(const BasicBlock &block, const Loop &loop) {
    const DivergentRegions &regions = regionsAt(block);
    return none_of(regions.branches, [&](auto *branch) { return loop.contains(branch); }) &&
           none_of(regions.loops,
                   [&](const Loop *inner) { return inner != &loop && loop.contains(inner); });
  }

  /// Returns true if the object's accesses were volatile.
  bool isVolatile(const SharedAccess &access) const {
    return volatileObjects_.contains(access.object);
  }

  const DivergentRegions &regionsAt(const BasicBlock &block) {
    auto [entry, isNew] = regions_.try_emplace(&block);
    if (isNew)
      entry->second = guards_.divergentRegionsAt(block);
    return entry->second;
  }

  /// Adds a barrier for an exchange, if one is missing. Returns false if there is no place for it.
  bool addPoint(const Exchange &exchange, bool mustBeConverged) {
    SmallVector<Instruction *, 8> barriers;
    copy_if(barrierPoints_, std::back_inserter(barriers),
            [&](Instruction *i) { return comesAfter(*i->getParent(), *exchange.first); });
    if (!ReachableWithoutBarrier(exchange.begin, barriers)
             .accesses.contains(exchange.second->instruction))
      return true;
    Instruction *point = findPoint(exchange, barriers, mustBeConverged);
    return point && (barrierPoints_.insert(point), true);
  }

  /// Returns true if lanes that wait in the block let those run that wait before the access, if it was volatile, or if no
  /// lanes can wait at both: all run both in each iteration of a loop.
  bool comesAfter(const BasicBlock &block, const SharedAccess &access) {
    if (!isVolatile(access))
      return true;
    const Loop *loop = access.loop;
    while (loop && !loop->contains(&block))
      loop = loop->getParentLoop();
    return (loop && allLanesReach(block, *loop)) || orderOf(block) >= orderOf(access.block());
  }

  /// Returns true if the program has a barrier on some paths to the access; if it was not volatile, also on paths to
  /// other places.
  bool hasBarrierBefore(const SharedAccess &access, const ReachableWithoutBarrier &next) {
    return any_of(next.barriers, [&](const Instruction *barrier) {
      return !isVolatile(access) || isReachable(*barrier, access);
    });
  }

  /// Unlike LLVM's isPotentiallyReachable, also gives the right answer in large functions.
  bool isReachable(const Instruction &from, const SharedAccess &access) {
    const BasicBlock &block = *from.getParent();
    auto [before, isNew] = blocksBefore_.try_emplace(&access.block());
    if (isNew)
      before->second = findBlocksBefore({&access.block()});
    return (&block == &access.block() && from.comesBefore(access.instruction)) ||
           any_of(successors(&block), [&](auto *next) { return before->second.contains(next); });
  }

  /// Returns the first point before the second access where the warp is converged, or the one in the fewest divergent
  /// branches and loops; null if there is none. If the program has a barrier on some paths to the last such point, no other
  /// barrier is needed.
  Instruction *findPoint(const Exchange &exchange, ArrayRef<Instruction *> barriers,
                         bool mustBeConverged) {
    const SharedAccess &access = *exchange.second;
    Instruction *found = nullptr;
    size_t regions = std::numeric_limits<size_t>::max();
    for (const DomTreeNode *node = dominators_.getNode(&access.block()); node;
         node = node->getIDom()) {
      BasicBlock *block = node->getBlock();
      Instruction *point = block == &access.block() ? access.instruction : block->getTerminator();
      SmallVector<Instruction *, 8> all(barriers);
      all.push_back(point);
      ReachableWithoutBarrier next(exchange.begin, all);
      if (next.accesses.contains(access.instruction))
        break; // also reachable through all dominators
      if (guards_.singleThreadAt(*block) || !comesAfter(*block, *exchange.first) ||
          (mustBeConverged ? !(isVolatile(access) || regionsAt(*block).loops.empty()) ||
                                 !guards_.areConvergedAt(*block)
                           : regionsAt(*block).size() > regions))
        continue;
      if (!found && hasBarrierBefore(access, next))
        break;
      found = point;
      regions = regionsAt(*block).size();
    }
    return found;
  }

  /// Inserts the barriers. Diverged lanes wait for those at a site with a lower number, so sites are numbered in the order
  /// in which lanes meet.
  void insertBarriers() {
    SmallVector<std::tuple<OrderKey, size_t, Instruction *>> points;
    for (Instruction &i : instructions(function_))
      if (barrierPoints_.contains(&i))
        points.push_back({orderOf(*i.getParent()), points.size(), &i});
    sort(points);
    for (auto &[order, number, point] : points) {
      IRBuilder<> b(point);
      Value *site = b.getInt32(addNewSite("barrier", "the warp's next statement", *point));
      Value *lanes = call(b, Op::WarpActive, {site});
      call(b, Op::WarpBarrier, {site, lanes});
    }
  }

  /// Returns the key by which the sites in a block are sorted. References stay valid.
  const OrderKey &orderOf(const BasicBlock &block) {
    auto [entry, isNew] = orders_.try_emplace(&block);
    if (isNew)
      entry->second = std::make_unique<OrderKey>(computeOrder(block));
    return *entry->second;
  }

  /// Computes a key: for the function and each loop around the block, outer ones first, whether all lanes reach the block
  /// in each iteration, so that the lanes in branches and inner loops come first, and the place of the block or of the
  /// inner loop.
  OrderKey computeOrder(const BasicBlock &block) {
    if (!blockOrder_)
      blockOrder_.emplace(function_, loops_);
    OrderKey key{blockOrder_->of(block)};
    for (const Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
      key.push_back(allLanesReach(block, *loop));
      key.push_back(blockOrder_->of(*loop->getHeader()));
    }
    key.push_back(regionsAt(block).size() == 0);
    std::reverse(key.begin(), key.end());
    return key;
  }

  Function &function_;
  const bool serialThreads_;
  const DominatorTree &dominators_;
  const LoopInfo &loops_;
  const ThreadGuards guards_;
  const WarpExchanges exchanges_;
  SmallVector<SharedAccess, 0> accesses_;
  SmallPtrSet<const Value *, 4> volatileObjects_;
  SmallVector<Exchange, 0> found_;
  SmallSetVector<Instruction *, 8> barrierPoints_; ///< barriers go before these
  DenseMap<const BasicBlock *, DivergentRegions> regions_;
  DenseMap<const BasicBlock *, Blocks> blocksBefore_;
  std::optional<BlockOrder> blockOrder_; ///< if needed
  DenseMap<const BasicBlock *, std::unique_ptr<OrderKey>> orders_;
};

} // namespace

PreservedAnalyses InsertWarpBarriers::run(Function &f, FunctionAnalysisManager &am) {
  if (!isKernel(f) || none_of(instructions(f), loadsOrStoresShared))
    return PreservedAnalyses::all();
  bool hasVolatile = hasVolatileSharedAccesses(f);
  bool changed = WarpBarrierInsertion(f, am.getResult<AccessAnalysis>(f),
                                      am.getResult<ScalarEvolutionAnalysis>(f),
                                      am.getResult<DominatorTreeAnalysis>(f),
                                      am.getResult<LoopAnalysis>(f), serialThreads_, hasVolatile)
                     .run();
  if (changed)
    am.invalidate(f, PreservedAnalyses::none());
  if (hasVolatile)
    return SimplifyCFGPass().run(f, am);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses SimplifyControlFlow::run(Function &f, FunctionAnalysisManager &am) {
  return hasVolatileSharedAccesses(f) ? PreservedAnalyses::all()
                                      : SimplifyCFGPass(options_).run(f, am);
}

} // namespace heddle::simt
