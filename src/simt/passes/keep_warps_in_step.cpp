#include "simt/passes/keep_warps_in_step.h"

#include "simt/analysis/meetings.h"
#include "simt/analysis/warp_exchanges.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/passes/lowering.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// Kernels with more accesses of shared memory are not looked at: pairs of them are.
constexpr size_t mostAccesses = 200;

class WarpsInStep {
public:
  WarpsInStep(Function &f, ScalarEvolution &evolution, const DominatorTree &dominators,
              const LoopInfo &loops, bool oneAtATime)
      : oneAtATime_(oneAtATime), dominators_(dominators), addresses_(f, evolution),
        guards_(dominators, loops, addresses_),
        exchanges_(evolution, dominators, addresses_, guards_),
        accesses_(sharedAccesses(f, addresses_)) {}

  bool run() {
    bool changed = false;
    if (oneAtATime_)
      changed = dropVolatile();
    else
      erase_if(accesses_, [](const SharedAccess &a) { return a.instruction->isVolatile(); });
    if (size_t(count_if(accesses_, [](const SharedAccess &a) { return a.stride.has_value(); })) >
        mostAccesses)
      return changed;
    orderNeighbours();
    if (oneAtATime_) {
      for (const SharedAccess &load : accesses_)
        if (load.isLoad() && isWrittenNext(load))
          places_.insert(load.instruction->getNextNode());
      orderOtherLanes();
    }
    for (Instruction *place : places_)
      keepInStep(*place);
    return changed || !places_.empty();
  }

private:
  /// Makes plain accesses of volatile ones, but not of those of an object from which a thread reads what it has just
  /// written, to see whether another thread has written there at the same time.
  bool dropVolatile() {
    SmallVector<const SharedAccess *> all;
    for (const SharedAccess &access : accesses_)
      if (access.instruction->isVolatile())
        all.push_back(&access);
    SmallPtrSet<const Value *, 4> contended;
    if (all.size() <= mostAccesses)
      for (const SharedAccess *store : all)
        if (!store->isLoad() && !store->isOwnPlace() && isReadAgain(*store, all))
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

  static bool isReadAgain(const SharedAccess &store, ArrayRef<const SharedAccess *> all) {
    Followers next(*store.instruction);
    return any_of(all, [&](const SharedAccess *access) {
      return access->isLoad() && access->address == store.address &&
             next.accesses.contains(access->instruction);
    });
  }

  void orderNeighbours() {
    SmallPtrSet<const Value *, 4> objects; // of which a neighbour's value is read
    SmallVector<std::pair<const SharedAccess *, const SharedAccess *>> apart;
    for (const SharedAccess &first : accesses_) {
      if (!first.isOwnPlace())
        continue;
      Followers next(*first.instruction);
      for (const SharedAccess &second : accesses_) {
        bool reads = second.isLoad();
        if (first.isLoad() == reads || !next.accesses.contains(second.instruction) ||
            !exchanges_.areNeighbours(first, second) ||
            exchanges_.areOfTwoHalves(first, second, next) || isLeftToOtherLanes(second))
          continue;
        apart.push_back({&first, &second});
        if (reads)
          objects.insert(first.object);
      }
    }
    for (auto [first, second] : apart)
      if (objects.contains(first->object))
        places_.insert(second->instruction);
  }

  /// Returns whether a barrier right before the access would have one thread only.
  bool isLeftToOtherLanes(const SharedAccess &access) const {
    return oneAtATime_ && guards_.oneThreadAt(access.block());
  }

  /// Returns whether all threads read a place that one of them may write before the others have read it.
  bool isWrittenNext(const SharedAccess &load) const {
    if (load.stride != 0 || !guards_.allThreadsComeTo(load.block()))
      return false;
    Followers next(*load.instruction);
    return any_of(accesses_, [&](const SharedAccess &access) {
      return !access.isLoad() && access.stride == 0 && access.object == load.object &&
             access.address == load.address && next.accesses.contains(access.instruction);
    });
  }

  /// Adds places between accesses by which lanes exchange values, where no place is between them yet.
  void orderOtherLanes() {
    if (accesses_.size() > mostAccesses)
      return;
    SmallPtrSet<const Value *, 4> objects; // of which another lane's value is read
    for (bool reads : {true, false})
      for (const SharedAccess &first : accesses_)
        if (first.isLoad() != reads && (reads || objects.contains(first.object)) &&
            orderOtherLanes(first))
          objects.insert(first.object);
  }

  /// Returns whether another such access follows this one at all.
  bool orderOtherLanes(const SharedAccess &first) {
    bool found = false;
    Followers next(*first.instruction, places_.getArrayRef());
    for (const SharedAccess &second : accesses_) {
      if (second.isLoad() == first.isLoad() || !next.accesses.contains(second.instruction) ||
          !exchanges_.mayBeOfOtherLane(first, second))
        continue;
      found = true;
      if (Instruction *place = placeBetween(first, second)) {
        places_.insert(place);
        next = Followers(*first.instruction, places_.getArrayRef());
      }
    }
    return found;
  }

  /// Returns the first place on the way from one access to the other where all threads are together; null where there is
  /// none. A program with a barrier on some ways to the last such place needs no other.
  Instruction *placeBetween(const SharedAccess &first, const SharedAccess &second) const {
    Instruction *found = nullptr;
    for (const DomTreeNode *node = dominators_.getNode(&second.block()); node;
         node = node->getIDom()) {
      BasicBlock *block = node->getBlock();
      Instruction *place = block == &second.block() ? second.instruction : block->getTerminator();
      SmallVector<Instruction *, 8> all(places_.begin(), places_.end());
      all.push_back(place);
      Followers next(*first.instruction, all);
      if (next.accesses.contains(second.instruction))
        break; // and so by way of all blocks above
      if (guards_.oneThreadAt(*block) || !guards_.areTogetherAt(*block, [](const Instruction &i) {
            return isMeeting(i) || accessesShared(i);
          }))
        continue;
      if (!found && next.meets)
        break;
      found = place;
    }
    return found;
  }

  static void keepInStep(Instruction &before) {
    IRBuilder<> b(&before);
    Value *site = b.getInt32(addSite("barrier", "the warp's next statement", before));
    Value *lanes = call(b, Op::WarpActive, {site});
    call(b, Op::WarpBarrier, {site, lanes});
  }

  const bool oneAtATime_;
  const DominatorTree &dominators_;
  const WarpAddresses addresses_;
  const ThreadGuards guards_;
  const WarpExchanges exchanges_;
  SmallVector<SharedAccess, 0> accesses_;
  SmallSetVector<Instruction *, 8> places_; ///< of barriers: before these
};

} // namespace

PreservedAnalyses KeepWarpsInStep::run(Function &f, FunctionAnalysisManager &am) {
  if (!isKernel(f))
    return PreservedAnalyses::all();
  bool changed = WarpsInStep(f, am.getResult<ScalarEvolutionAnalysis>(f),
                             am.getResult<DominatorTreeAnalysis>(f), am.getResult<LoopAnalysis>(f),
                             oneAtATime_)
                     .run();
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
