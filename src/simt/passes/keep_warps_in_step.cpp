#include "simt/passes/keep_warps_in_step.h"

#include "simt/analysis/meetings.h"
#include "simt/analysis/thread_strides.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/passes/lowering.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr int64_t warpSize = 32;
/// Kernels with more accesses of shared memory are not looked at: pairs of them are.
constexpr size_t mostAccesses = 200;

/// A load or store of shared memory, of which neighbours along x are `stride` bytes apart.
struct Access {
  Instruction *instruction;
  const Value *object;
  const SCEV *address;
  int64_t stride;
};

/// The same of an access that is volatile, and whether each thread has its own place.
struct VolatileAccess {
  Instruction *instruction;
  const Value *object;
  const SCEV *address;
  bool isOwnPlace;
};

bool isShared(const Value &object) {
  return object.getType()->isPointerTy() && (object.getType()->getPointerAddressSpace() == Shared ||
                                             calledOp(&object) == Op::DynamicShared);
}

class WarpsInStep {
public:
  WarpsInStep(Function &f, ScalarEvolution &evolution, bool oneAtATime)
      : oneAtATime_(oneAtATime), evolution_(evolution),
        strides_(f, ThreadStrides::Neighbours::OfWarp) {
    for (Instruction &i : instructions(f))
      add(i);
    if (oneAtATime_)
      dropVolatile();
  }

  bool run() {
    if (accesses_.size() > mostAccesses)
      return changed_;
    // Objects of which a neighbour's value is read.
    SmallPtrSet<const Value *, 4> objects;
    SmallVector<std::pair<const Access *, const Access *>> apart;
    for (const Access &first : accesses_) {
      SmallPtrSet<const Instruction *, 16> next = followers(*first.instruction);
      for (const Access &second : accesses_) {
        bool reads = isa<LoadInst>(second.instruction);
        if (isa<LoadInst>(first.instruction) == reads || !next.contains(second.instruction) ||
            !areNeighbours(first, second))
          continue;
        apart.push_back({&first, &second});
        if (reads)
          objects.insert(first.object);
      }
    }
    SmallSetVector<Instruction *, 8> places;
    for (auto [first, second] : apart)
      if (objects.contains(first->object))
        places.insert(second->instruction);
    for (Instruction *place : places)
      keepInStep(*place);
    changed_ |= !places.empty();
    return changed_;
  }

private:
  void add(Instruction &i) {
    Value *pointer = getLoadStorePointerOperand(&i);
    if (!pointer)
      return;
    pointer = pointer->stripPointerCasts(); // volatile accesses are by generic addresses
    const Value *object = getUnderlyingObject(pointer);
    if (!isShared(*object))
      return;
    if (i.isVolatile() && !oneAtATime_)
      return;
    if (i.isVolatile())
      volatile_.push_back({&i, object, evolution_.getSCEV(pointer), isOwnPlace(*pointer)});
    if (std::optional<int64_t> stride = strides_.of(*pointer)[0]; stride && *stride != 0)
      accesses_.push_back({&i, object, evolution_.getSCEV(pointer), *stride});
  }

  /// Whether threads that are near each other have different places there.
  bool isOwnPlace(const Value &pointer) const { return strides_.of(pointer)[0].value_or(0) != 0; }

  /// Makes plain accesses of volatile ones, but not of those of an object from which a thread reads what it has just
  /// written, to see whether another thread has written there at the same time.
  void dropVolatile() {
    SmallPtrSet<const Value *, 4> contended;
    if (volatile_.size() <= mostAccesses)
      for (const VolatileAccess &store : volatile_)
        if (isa<StoreInst>(store.instruction) && !store.isOwnPlace && isReadAgain(store))
          contended.insert(store.object);
    for (const VolatileAccess &access : volatile_) {
      if (contended.contains(access.object))
        continue;
      changed_ = true;
      if (auto *load = dyn_cast<LoadInst>(access.instruction))
        load->setVolatile(false);
      else
        cast<StoreInst>(access.instruction)->setVolatile(false);
    }
  }

  bool isReadAgain(const VolatileAccess &store) const {
    SmallPtrSet<const Instruction *, 16> next = followers(*store.instruction);
    return any_of(volatile_, [&](const VolatileAccess &access) {
      return isa<LoadInst>(access.instruction) && access.address == store.address &&
             next.contains(access.instruction);
    });
  }

  /// Whether the second access, by a thread, is of the place that the first is of, by a near thread.
  bool areNeighbours(const Access &first, const Access &second) {
    if (first.object != second.object || first.stride != second.stride)
      return false;
    const SCEV *difference = evolution_.getMinusSCEV(second.address, first.address);
    if (isa<SCEVCouldNotCompute>(difference))
      return false;
    if (const auto *constant = dyn_cast<SCEVConstant>(difference)) {
      int64_t bytes = constant->getAPInt().getSExtValue();
      return bytes != 0 && bytes % first.stride == 0 && std::abs(bytes / first.stride) < warpSize;
    }
    ConstantRange range = evolution_.getSignedRange(difference);
    APInt most(range.getBitWidth(), uint64_t(std::abs(first.stride)) * (warpSize - 1));
    bool small =
        !range.isFullSet() && range.getSignedMin().sge(-most) && range.getSignedMax().sle(most);
    return small || SCEVExprContains(difference, isHalvedOrDoubled);
  }

  /// Whether it is the distance in a loop such as `for (int k = 16; k > 0; k /= 2)`.
  static bool isHalvedOrDoubled(const SCEV *value) {
    const auto *unknown = dyn_cast<SCEVUnknown>(value);
    auto *phi = unknown ? dyn_cast<PHINode>(unknown->getValue()) : nullptr;
    BinaryOperator *next;
    Value *first, *factor;
    return phi && matchSimpleRecurrence(phi, next, first, factor) &&
           (next->isShift() || next->isIntDivRem() || next->getOpcode() == Instruction::Mul);
  }

  /// The loads and stores that a thread may come to from `i` without a barrier.
  static SmallPtrSet<const Instruction *, 16> followers(Instruction &i) {
    SmallPtrSet<const Instruction *, 16> found;
    SmallPtrSet<const BasicBlock *, 16> seen;
    SmallVector<BasicBlock *, 8> rest;
    auto walk = [&](BasicBlock::iterator from, BasicBlock &block) {
      for (Instruction &next : make_range(from, block.end())) {
        if (isMeeting(next))
          return;
        if (getLoadStorePointerOperand(&next))
          found.insert(&next);
      }
      append_range(rest, successors(&block));
    };
    walk(std::next(i.getIterator()), *i.getParent());
    while (!rest.empty()) {
      BasicBlock *block = rest.pop_back_val();
      if (seen.insert(block).second)
        walk(block->begin(), *block);
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
  ScalarEvolution &evolution_;
  ThreadStrides strides_;
  SmallVector<Access> accesses_;
  SmallVector<VolatileAccess> volatile_;
  bool changed_ = false;
};

} // namespace

PreservedAnalyses KeepWarpsInStep::run(Function &f, FunctionAnalysisManager &am) {
  if (!isKernel(f))
    return PreservedAnalyses::all();
  bool changed = WarpsInStep(f, am.getResult<ScalarEvolutionAnalysis>(f), oneAtATime_).run();
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
