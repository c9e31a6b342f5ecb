#include "simt/passes/insert_warp_barriers.h"

#include "simt/analysis/sync_points.h"
#include "simt/analysis/warp_exchanges.h"
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
  return any_of(instructions(f),
                [](const Instruction &i) { return i.isVolatile() && loadsOrStoresShared(i); });
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
};

class WarpBarrierInsertion {
public:
  WarpBarrierInsertion(Function &f, const Accesses &accesses, ScalarEvolution &evolution,
                       const DominatorTree &dominators, const LoopInfo &loops, bool serialThreads)
      : function_(f), serialThreads_(serialThreads), dominators_(dominators),
        guards_(f, dominators, loops, accesses, findRelevantBlocks(f),
                serialThreads && hasVolatileSharedAccesses(f)),
        exchanges_(f, evolution, dominators, accesses, guards_),
        accesses_(collectSharedAccesses(accesses)) {}

  bool run() {
    bool changed = false;
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
    for (const auto &[first, second, isNearby] : found_)
      if (!exchanges_.isTreeReductionStep(*first, *second, barrierPoints_.getArrayRef()))
        barrierPoints_.insert(second->instruction);
    insertBarriers();
    return changed || !barrierPoints_.empty();
  }

private:
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
    for (const SharedAccess &first : accesses_) {
      ReachableWithoutBarrier next(*first.instruction);
      for (const SharedAccess &second : accesses_) {
        if ((first.isLoad() && second.isLoad()) || !next.accesses.contains(second.instruction))
          continue;
        bool isNearby = (serialThreads_ || first.isLoad() != second.isLoad()) &&
                        !hasSingleThread(second) && exchanges_.accessesNearbyThread(first, second);
        if (!isNearby && !(findsAll && isExchange(first, second)))
          continue;
        found_.push_back({&first, &second, isNearby});
        if (second.isLoad())
          objects.insert(first.object);
      }
    }
    erase_if(found_, [&](const Exchange &e) {
      return !objects.contains(e.first->object) && !isVolatile(*e.first);
    });
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
      auto [first, second, isNearby] = exchange;
      Begin begin{std::next(first->instruction->getIterator())};
      if (isVolatile(*first))
        begin.regions = regionsAt(first->block());
      bool isOrdered = addConvergedPoint(begin, *second);
      if (begin.regions)
        addBarriersAfterLoops(*first, *begin.regions, *second);
      return isOrdered || !(isNearby || mayAddInDivergentCode(*first, *second));
    });
  }

  /// Adds barriers that lanes reach after they have left loops around the first access, which other lanes still run.
  void addBarriersAfterLoops(const SharedAccess &first, DivergentRegions regions,
                             const SharedAccess &second) {
    for (const Loop *loop = first.loop; loop; loop = loop->getParentLoop()) {
      if (!regions.loops.erase(loop))
        continue;
      SmallVector<BasicBlock *, 4> exits;
      loop->getUniqueExitBlocks(exits);
      for (BasicBlock *exit : exits)
        addConvergedPoint({exit->begin(), regions}, second);
    }
  }

  bool mayAddInDivergentCode(const SharedAccess &first, const SharedAccess &second) {
    return isVolatile(second) && !hasSingleThread(second) &&
           !hasBarrierBefore(second,
                             ReachableWithoutBarrier(*first.instruction, {second.instruction}));
  }

  /// Returns true if the object's accesses were volatile.
  bool isVolatile(const SharedAccess &access) const {
    return volatileObjects_.contains(access.object);
  }

  struct Begin {
    BasicBlock::const_iterator place;
    /// Where lanes may wait before or at the first access: they run before those that wait in fewer regions. A barrier in
    /// other regions does not make lanes wait for them.
    std::optional<DivergentRegions> regions = {};
  };

  bool waitsForOthers(const Begin &begin, const BasicBlock &block) {
    return !begin.regions || begin.regions->contains(regionsAt(block));
  }

  const DivergentRegions &regionsAt(const BasicBlock &block) {
    auto [entry, isNew] = regions_.try_emplace(&block);
    if (isNew)
      entry->second = guards_.divergentRegionsAt(block);
    return entry->second;
  }

  /// Adds a barrier where the warp is converged, if one is missing between `begin` and the access. Returns false if
  /// there is no such point.
  bool addConvergedPoint(const Begin &begin, const SharedAccess &access) {
    SmallVector<Instruction *, 8> barriers;
    copy_if(barrierPoints_, std::back_inserter(barriers),
            [&](Instruction *i) { return waitsForOthers(begin, *i->getParent()); });
    if (!ReachableWithoutBarrier(begin.place, barriers).accesses.contains(access.instruction))
      return true;
    Instruction *point = findConvergedPoint(begin, barriers, access);
    return point && (barrierPoints_.insert(point), true);
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

  /// Returns the first point before the access where the warp is converged; null if there is none. If the program has a
  /// barrier on some paths to the last such point, no other barrier is needed.
  Instruction *findConvergedPoint(const Begin &begin, ArrayRef<Instruction *> barriers,
                                  const SharedAccess &access) {
    Instruction *found = nullptr;
    for (const DomTreeNode *node = dominators_.getNode(&access.block()); node;
         node = node->getIDom()) {
      BasicBlock *block = node->getBlock();
      Instruction *point = block == &access.block() ? access.instruction : block->getTerminator();
      SmallVector<Instruction *, 8> all(barriers);
      all.push_back(point);
      ReachableWithoutBarrier next(begin.place, all);
      if (next.accesses.contains(access.instruction))
        break; // also reachable through all dominators
      if (!waitsForOthers(begin, *block) || guards_.singleThreadAt(*block) ||
          !(isVolatile(access) || regionsAt(*block).loops.empty()) ||
          !guards_.areConvergedAt(*block))
        continue;
      if (!found && hasBarrierBefore(access, next))
        break;
      found = point;
    }
    return found;
  }

  /// Inserts the barriers. Diverged lanes wait for those at a site with a lower number: the lanes in inner branches and
  /// loops, then those at the first place.
  void insertBarriers() {
    SmallVector<std::tuple<int, size_t, Instruction *>> points;
    for (Instruction &i : instructions(function_))
      if (barrierPoints_.contains(&i))
        points.push_back({-int(regionsAt(*i.getParent()).size()), points.size(), &i});
    sort(points);
    for (auto [order, place, point] : points) {
      IRBuilder<> b(point);
      Value *site = b.getInt32(addNewSite("barrier", "the warp's next statement", *point));
      Value *lanes = call(b, Op::WarpActive, {site});
      call(b, Op::WarpBarrier, {site, lanes});
    }
  }

  Function &function_;
  const bool serialThreads_;
  const DominatorTree &dominators_;
  const ThreadGuards guards_;
  const WarpExchanges exchanges_;
  SmallVector<SharedAccess, 0> accesses_;
  SmallPtrSet<const Value *, 4> volatileObjects_;
  SmallVector<Exchange, 0> found_;
  SmallSetVector<Instruction *, 8> barrierPoints_; ///< barriers go before these
  DenseMap<const BasicBlock *, DivergentRegions> regions_;
  DenseMap<const BasicBlock *, Blocks> blocksBefore_;
};

} // namespace

PreservedAnalyses InsertWarpBarriers::run(Function &f, FunctionAnalysisManager &am) {
  if (!isKernel(f) || none_of(instructions(f), loadsOrStoresShared))
    return PreservedAnalyses::all();
  bool mustSimplify = hasVolatileSharedAccesses(f);
  bool changed = WarpBarrierInsertion(f, am.getResult<AccessAnalysis>(f),
                                      am.getResult<ScalarEvolutionAnalysis>(f),
                                      am.getResult<DominatorTreeAnalysis>(f),
                                      am.getResult<LoopAnalysis>(f), serialThreads_)
                     .run();
  if (changed)
    am.invalidate(f, PreservedAnalyses::none());
  if (mustSimplify)
    return SimplifyCFGPass().run(f, am);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses SimplifyControlFlow::run(Function &f, FunctionAnalysisManager &am) {
  return hasVolatileSharedAccesses(f) ? PreservedAnalyses::all()
                                      : SimplifyCFGPass(options_).run(f, am);
}

} // namespace heddle::simt
