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

namespace heddle::simt {

using namespace llvm;

namespace {

class WarpBarrierInsertion {
public:
  WarpBarrierInsertion(const Accesses &accesses, ScalarEvolution &evolution,
                       const DominatorTree &dominators, const LoopInfo &loops, bool serialThreads)
      : serialThreads_(serialThreads), dominators_(dominators),
        guards_(dominators, loops, accesses.strides(Axis::X)),
        exchanges_(evolution, dominators, accesses, guards_),
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
    addBarriersForNearbyAccesses();
    if (serialThreads_) {
      for (const SharedAccess &load : accesses_)
        if (load.isLoad() && mayBeOverwritten(load))
          barrierPoints_.insert(load.instruction->getNextNode());
      addBarriersForLaneExchanges();
    }
    for (Instruction *point : barrierPoints_)
      insertBarrier(*point);
    return changed || !barrierPoints_.empty();
  }

private:
  /// Makes volatile accesses plain, except those to an object from which a thread rereads what it has just written, to
  /// detect concurrent writes.
  bool makeVolatileAccessesPlain() {
    SmallVector<const SharedAccess *> all;
    for (const SharedAccess &access : accesses_)
      if (access.instruction->isVolatile())
        all.push_back(&access);
    SmallPtrSet<const Value *, 4> contended;
    if (all.size() <= thresholds::maxAnalysisSteps)
      for (const SharedAccess *store : all)
        if (!store->isLoad() && !store->hasPerThreadAddress() && isRereadBeforeBarrier(*store, all))
          contended.insert(store->object);
    bool changed = false;
    for (const SharedAccess *access : all) {
      if (contended.contains(access->object))
        continue;
      changed = true;
      if (auto *load = dyn_cast<LoadInst>(access->instruction))
        load->setVolatile(false);
      else
        cast<StoreInst>(access->instruction)->setVolatile(false);
    }
    return changed;
  }

  static bool isRereadBeforeBarrier(const SharedAccess &store, ArrayRef<const SharedAccess *> all) {
    ReachableWithoutBarrier next(*store.instruction);
    return any_of(all, [&](const SharedAccess *access) {
      return access->isLoad() && access->form == store.form &&
             next.accesses.contains(access->instruction);
    });
  }

  void addBarriersForNearbyAccesses() {
    SmallPtrSet<const Value *, 4> objects; // objects of which a neighbor's value is read
    SmallVector<std::pair<const SharedAccess *, const SharedAccess *>> pairs;
    for (const SharedAccess &first : accesses_) {
      if (!first.hasPerThreadAddress())
        continue;
      ReachableWithoutBarrier next(*first.instruction);
      for (const SharedAccess &second : accesses_) {
        bool reads = second.isLoad();
        if (first.isLoad() == reads || !next.accesses.contains(second.instruction) ||
            !exchanges_.accessesNearbyThread(first, second) ||
            exchanges_.isTreeReductionStep(first, second, next) || hasSingleThread(second))
          continue;
        pairs.push_back({&first, &second});
        if (reads)
          objects.insert(first.object);
      }
    }
    for (auto [first, second] : pairs)
      if (objects.contains(first->object))
        barrierPoints_.insert(second->instruction);
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

  /// Inserts barriers between accesses through which lanes exchange values, unless one is there already.
  void addBarriersForLaneExchanges() {
    if (accesses_.size() > thresholds::maxAnalysisSteps)
      return;
    SmallPtrSet<const Value *, 4> objects; // objects of which another lane's value is read
    for (bool reads : {true, false})
      for (const SharedAccess &first : accesses_)
        if (first.isLoad() != reads && (reads || objects.contains(first.object)) &&
            addBarriersForLaneExchanges(first))
          objects.insert(first.object);
  }

  /// Returns true if any such access follows this one.
  bool addBarriersForLaneExchanges(const SharedAccess &first) {
    bool found = false;
    ReachableWithoutBarrier next(*first.instruction, barrierPoints_.getArrayRef());
    for (const SharedAccess &second : accesses_) {
      if (second.isLoad() == first.isLoad() || !next.accesses.contains(second.instruction) ||
          !exchanges_.mayAliasOtherLane(first, second))
        continue;
      found = true;
      if (Instruction *point = findConvergedPoint(first, second)) {
        barrierPoints_.insert(point);
        next = ReachableWithoutBarrier(*first.instruction, barrierPoints_.getArrayRef());
      }
    }
    return found;
  }

  /// Returns the first point between two accesses where the warp is converged; null if there is none. If the program
  /// has a barrier on some paths to the last such point, no other barrier is needed.
  Instruction *findConvergedPoint(const SharedAccess &first, const SharedAccess &second) const {
    Instruction *found = nullptr;
    for (const DomTreeNode *node = dominators_.getNode(&second.block()); node;
         node = node->getIDom()) {
      BasicBlock *block = node->getBlock();
      Instruction *point = block == &second.block() ? second.instruction : block->getTerminator();
      SmallVector<Instruction *, 8> all(barrierPoints_.begin(), barrierPoints_.end());
      all.push_back(point);
      ReachableWithoutBarrier next(*first.instruction, all);
      if (next.accesses.contains(second.instruction))
        break; // also reachable through all dominators
      if (guards_.singleThreadAt(*block) ||
          !guards_.areConvergedAt(*block, [](const Instruction &i) {
            return isSyncPoint(i) || loadsOrStoresShared(i);
          }))
        continue;
      if (!found && next.reachesBarrier)
        break;
      found = point;
    }
    return found;
  }

  static void insertBarrier(Instruction &before) {
    IRBuilder<> b(&before);
    Value *site = b.getInt32(addSite("barrier", "the warp's next statement", before));
    Value *lanes = call(b, Op::WarpActive, {site});
    call(b, Op::WarpBarrier, {site, lanes});
  }

  const bool serialThreads_;
  const DominatorTree &dominators_;
  const ThreadGuards guards_;
  const WarpExchanges exchanges_;
  SmallVector<SharedAccess, 0> accesses_;
  SmallSetVector<Instruction *, 8> barrierPoints_; ///< barriers go before these
};

} // namespace

PreservedAnalyses InsertWarpBarriers::run(Function &f, FunctionAnalysisManager &am) {
  if (!isKernel(f))
    return PreservedAnalyses::all();
  bool changed = WarpBarrierInsertion(am.getResult<AccessAnalysis>(f),
                                      am.getResult<ScalarEvolutionAnalysis>(f),
                                      am.getResult<DominatorTreeAnalysis>(f),
                                      am.getResult<LoopAnalysis>(f), serialThreads_)
                     .run();
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
