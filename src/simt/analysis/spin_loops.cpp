#include "simt/analysis/spin_loops.h"

#include "simt/analysis/sync_points.h"
#include "simt/ir/ops.h"
#include "simt/thresholds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

#include <deque>

namespace heddle::simt {

using namespace llvm;

namespace {

using Path = SmallVector<BasicBlock *, 8>;

/// The address accessed by an atomic; null for other instructions.
const Value *addressOfAtomic(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  return op && info(*op).has(ArgMemory) ? i.getOperand(0) : nullptr;
}

const Value *addressOfLoad(const Instruction &i) {
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->getPointerOperand();
  return calledOp(&i) == Op::LoadCached ? i.getOperand(0) : nullptr;
}

const Value *addressOfStore(const Instruction &i) {
  if (const auto *store = dyn_cast<StoreInst>(&i))
    return store->getPointerOperand();
  return calledOp(&i) == Op::StoreCached ? i.getOperand(0) : nullptr;
}

Value *storedValue(const Instruction &store) {
  return store.getOperand(isa<StoreInst>(store) ? 0 : 1);
}

/// True for a value that is false or true, which memory may make either: an i1, its extension, or one bit of an
/// integer.
bool isBoolean(const Instruction &i) {
  if (isa<ZExtInst, SExtInst>(i) && i.getOperand(0)->getType()->isIntegerTy(1))
    return true;
  return i.getType()->isIntegerTy() &&
         computeKnownBits(&i, i.getDataLayout()).countMaxActiveBits() <= 1;
}

bool isPrivate(const Value &object) { return isa<AllocaInst>(object); }

/// A path from a loop's header back to it. `iteratesInnerLoops`: values of inner loops are those after any number of
/// their iterations, not those on the path.
class SpinPath {
public:
  SpinPath(const Loop &loop, const Path &path, bool iteratesInnerLoops)
      : loop_(loop), path_(path), iteratesInnerLoops_(iteratesInnerLoops) {}

  bool isSpinning() {
    for (BasicBlock *block : path_) {
      if (onlyDelays(*block))
        continue;
      Instruction *end = block->getTerminator();
      if (auto *branch = dyn_cast<BranchInst>(end); branch && branch->isConditional())
        addDependencies(branch->getCondition());
      else if (auto *cases = dyn_cast<SwitchInst>(end))
        addDependencies(cases->getCondition());
      else if (!isa<BranchInst>(end))
        return false;
    }
    // Loop-carried values may depend on further ones.
    for (unsigned i = 0; i < carried_.size() && isAnalyzable_; ++i) {
      if (mayBeUnchanged(*carried_[i]))
        continue;
      if (!isPollCounter(*carried_[i]))
        return false;
      hasPollLimit_ = true;
    }
    bool needsVolatile = iteratesInnerLoops_ || recomputesCarried_;
    return isAnalyzable_ && readsNonPrivate_ && (!needsVolatile || readsVolatile_) &&
           preservesReadMemory();
  }

  bool hasPollLimit() const { return hasPollLimit_; }

private:
  /// Returns true for a block of an inner loop without effects, after which the path always continues. Its number of
  /// iterations only changes the time of a poll.
  bool onlyDelays(const BasicBlock &block) const {
    const Loop *inner = iteratesInnerLoops_ ? findInnerLoop(block) : nullptr;
    if (!inner)
      return false;
    SmallVector<BasicBlock *, 4> exits;
    inner->getExitBlocks(exits);
    return all_of(exits, [&](const BasicBlock *exit) { return loop_.contains(exit); }) &&
           all_of(inner->blocks(), [](const BasicBlock *b) {
             return none_of(*b, [](const Instruction &i) { return i.mayHaveSideEffects(); });
           });
  }

  /// Collects the loop's values that `v` depends on.
  void addDependencies(Value *v) {
    SmallVector<Value *, 16> worklist{v};
    while (!worklist.empty()) {
      auto *i = dyn_cast<Instruction>(resolvePhiAlongPath(worklist.pop_back_val()));
      if (!i || !loop_.contains(i) || !seen_.insert(i).second)
        continue;
      if (auto *phi = dyn_cast<PHINode>(i)) {
        if (phi->getParent() == loop_.getHeader())
          carried_.insert(phi);
        else if (const Loop *inner = findInnerLoop(*phi->getParent()); iteratesInnerLoops_ && inner)
          addInnerLoopInputs(*phi, *inner, worklist);
        else
          isAnalyzable_ = false;
        continue;
      }
      if (isTake(*i)) { // of any of several elements
        addReadMemory(*i->getOperand(0));
        noteVolatileRead(*i->getOperand(0));
        continue;
      }
      worklist.append(i->op_begin(), i->op_end());
      if (const Value *address = addressOfAtomic(*i)) {
        isAnalyzable_ &= isIdempotent(*i) || isUndone(*i);
        addReadMemory(*address);
        noteVolatileRead(*address);
      } else if (const Value *address = addressOfLoad(*i)) {
        const Value *object = getUnderlyingObject(address);
        if (isPrivate(*object))
          addStoredValues(*object, worklist);
        if (!i->isVolatile() && addValuesPassedToBlock(*address, worklist))
          continue;
        if (!i->hasMetadata(LLVMContext::MD_invariant_load))
          addReadMemory(*address);
        if (i->isVolatile() || calledOp(i) == Op::LoadCached)
          noteVolatileRead(*address);
      } else if (isa<CallInst>(i)) {
        std::optional<Op> op = calledOp(i);
        hasPollLimit_ |= op == Op::Clock;
        isAnalyzable_ &= op ? op == Op::Clock || info(*op).has(Pure) || info(*op).has(Convergent)
                            : isa<IntrinsicInst>(i);
      }
    }
  }

  const Loop *findInnerLoop(const BasicBlock &block) const {
    auto found = find_if(loop_.getSubLoops(), [&](const Loop *l) { return l->contains(&block); });
    return found == loop_.getSubLoops().end() ? nullptr : *found;
  }

  /// Adds everything on which a value of an inner loop may depend.
  static void addInnerLoopInputs(const PHINode &phi, const Loop &inner,
                                 SmallVectorImpl<Value *> &found) {
    append_range(found, phi.incoming_values());
    for (const BasicBlock *block : inner.blocks()) {
      const Instruction *end = block->getTerminator();
      if (const auto *branch = dyn_cast<BranchInst>(end); branch && branch->isConditional())
        found.push_back(branch->getCondition());
      else if (const auto *cases = dyn_cast<SwitchInst>(end))
        found.push_back(cases->getCondition());
    }
  }

  /// Adds the values that the loop stores to a shared variable, from which the block's threads load them after a
  /// barrier. Returns false for other memory.
  bool addValuesPassedToBlock(const Value &address, SmallVectorImpl<Value *> &found) const {
    const Value *object = getUnderlyingObject(&address);
    auto passesValues = [](const Instruction &i) { return isBlockBarrier(i) || isNamedBarrier(i); };
    if (object->getType()->getPointerAddressSpace() != Shared ||
        none_of(loop_.blocks(), [&](const BasicBlock *b) { return any_of(*b, passesValues); }))
      return false;
    return addStoredValues(*object, found);
  }

  /// Adds the values that the loop stores to the object. Returns true if there are any.
  bool addStoredValues(const Value &object, SmallVectorImpl<Value *> &found) const {
    size_t before = found.size();
    for (const BasicBlock *block : loop_.blocks())
      for (const Instruction &i : *block)
        if (const Value *to = addressOfStore(i); to && getUnderlyingObject(to) == &object)
          found.push_back(storedValue(i));
    return found.size() > before;
  }

  void addReadMemory(const Value &address) {
    const Value *object = getUnderlyingObject(&address);
    readObjects_.insert(object);
    readsNonPrivate_ |= !isPrivate(*object);
  }

  void noteVolatileRead(const Value &address) {
    readsVolatile_ = true;
    const Value *object = getUnderlyingObject(&address);
    mayWaitForBlocks_ |= object->getType()->getPointerAddressSpace() != Shared;
  }

  /// The value of a phi on this path; other values are returned as they are.
  Value *resolvePhiAlongPath(Value *v) const {
    while (auto *phi = dyn_cast<PHINode>(v)) {
      if (!loop_.contains(phi) || phi->getParent() == loop_.getHeader() ||
          (iteratesInnerLoops_ && findInnerLoop(*phi->getParent())))
        break;
      auto *at = find(path_, phi->getParent());
      if (at == path_.end() || at == path_.begin())
        break;
      v = phi->getIncomingValueForBlock(*std::prev(at));
    }
    return v;
  }

  /// Returns true if a loop-carried value may be the same in the next iteration.
  bool mayBeUnchanged(PHINode &phi) {
    innerPhis_.clear();
    return mayEqual(phi, nextOnPath(phi));
  }

  /// Returns true for a counter that only limits how often a loop without effects reads volatile memory. The loop may
  /// reset it.
  bool isPollCounter(PHINode &phi) const {
    auto *next = dyn_cast<BinaryOperator>(nextOnPath(phi));
    return next && is_contained(next->operands(), &phi) && readsVolatile_ && loop_.isInnermost() &&
           onlyCounts(phi) && all_of(loop_.blocks(), [&](const BasicBlock *block) {
             return none_of(*block, [&](const Instruction &i) { return addressOfChange(i); });
           });
  }

  /// Returns true if the loop uses the value only in comparisons and for its own next value.
  bool onlyCounts(PHINode &phi) const {
    SmallPtrSet<const Instruction *, 8> seen;
    SmallVector<const Instruction *, 8> worklist{&phi};
    while (!worklist.empty())
      for (const User *user : worklist.pop_back_val()->users()) {
        const auto *i = cast<Instruction>(user);
        if (isa<ICmpInst>(i) || !loop_.contains(i) || !seen.insert(i).second)
          continue;
        bool isCount = isa<SelectInst>(i) ||
                       (isa<BinaryOperator>(i) && isa<llvm::Constant>(i->getOperand(1))) ||
                       (isa<PHINode>(i) && (i == &phi || i->getParent() != loop_.getHeader()));
        if (!isCount)
          return false;
        worklist.push_back(i);
      }
    return true;
  }

  bool mayEqual(PHINode &phi, Value *next) {
    next = resolvePhiAlongPath(next);
    if (next == &phi)
      return true;
    if (auto *constant = dyn_cast<ConstantInt>(next))
      return isImpliedByPath(phi, *constant);
    auto *i = dyn_cast<Instruction>(next);
    if (!i || !loop_.contains(i))
      return false;
    if (auto *select = dyn_cast<SelectInst>(i)) {
      Value *condition = select->getCondition();
      if (auto chosen = assumed_.find(condition); chosen != assumed_.end())
        return mayEqual(phi, chosen->second ? select->getTrueValue() : select->getFalseValue());
      addDependencies(condition);
      for (bool value : {true, false}) {
        assumed_[condition] = value;
        if (mayEqual(phi, value ? select->getTrueValue() : select->getFalseValue()))
          return true;
      }
      assumed_.erase(condition);
      return false;
    }
    if (auto *inner = dyn_cast<PHINode>(i); inner && iteratesInnerLoops_) {
      const Loop *loop = findInnerLoop(*inner->getParent());
      // The inner loop may have no iterations, or may leave the value as it is.
      if (loop && innerPhis_.insert(inner).second &&
          any_of(inner->incoming_values(), [&](Value *value) { return mayEqual(phi, value); }))
        return true;
    }
    if (!isBoolean(*i)) {
      if (!isRecomputed(*i))
        return false;
      recomputesCarried_ = true;
    }
    addDependencies(i);
    return true;
  }

  /// Returns true for a value that each iteration computes in the same way from memory and from values that the path
  /// does not change. `loads`, if not null, receives the loads among its inputs.
  bool isRecomputed(Value &v, SmallPtrSetImpl<const Instruction *> *loads = nullptr) const {
    SmallPtrSet<Instruction *, 16> seen;
    SmallVector<Value *, 16> worklist{&v};
    while (!worklist.empty()) {
      auto *i = dyn_cast<Instruction>(resolvePhiAlongPath(worklist.pop_back_val()));
      if (!i || !loop_.contains(i) || !seen.insert(i).second)
        continue;
      if (auto *phi = dyn_cast<PHINode>(i)) {
        const Loop *inner = iteratesInnerLoops_ ? findInnerLoop(*phi->getParent()) : nullptr;
        if (inner)
          addInnerLoopInputs(*phi, *inner, worklist);
        else if (phi->getParent() != loop_.getHeader() || nextOnPath(*phi) != phi)
          return false;
        continue;
      }
      std::optional<Op> op = calledOp(i);
      if (addressOfLoad(*i)) {
        if (loads)
          loads->insert(i);
      } else if (!computesFromOperands(*i) && !(op && info(*op).has(Pure))) {
        return false;
      }
      worklist.append(i->op_begin(), i->op_end());
    }
    return true;
  }

  /// The value of a loop-carried variable in the next iteration.
  Value *nextOnPath(const PHINode &phi) const {
    return resolvePhiAlongPath(phi.getIncomingValueForBlock(path_.back()));
  }

  /// Returns true if the store writes the same value to the same address in each iteration. Its inputs from memory
  /// must be outside the memory that the path writes, because `x[0] = x[0] + 1` changes x.
  bool isRepeatedStore(const Instruction &store) const {
    SmallPtrSet<const Instruction *, 8> loads;
    if (!isRecomputed(const_cast<Value &>(*addressOfStore(store)), &loads) ||
        !isRecomputed(*storedValue(store), &loads))
      return false;
    return none_of(loads, [&](const Instruction *load) {
      const Value *object = getUnderlyingObject(addressOfLoad(*load));
      return any_of(path_, [&](const BasicBlock *block) {
        const Loop *inner = iteratesInnerLoops_ ? findInnerLoop(*block) : nullptr;
        return inner ? any_of(inner->blocks(),
                              [&](const BasicBlock *b) { return writesObject(*b, object); })
                     : writesObject(*block, object);
      });
    });
  }

  static bool writesObject(const BasicBlock &block, const Value *object) {
    return any_of(block, [&](const Instruction &i) {
      const Value *address = addressOfStore(i);
      if (!address)
        address = addressOfAtomic(i);
      return address && getUnderlyingObject(address) == object;
    });
  }

  /// Returns true if the path's branches imply that `phi` equals the constant.
  bool isImpliedByPath(const PHINode &phi, const ConstantInt &constant) const {
    for (auto [n, block] : enumerate(path_)) {
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
        continue;
      BasicBlock *next = n + 1 < path_.size() ? path_[n + 1] : loop_.getHeader();
      bool taken = branch->getSuccessor(0) == next;
      const Value *condition = branch->getCondition();
      if (condition == &phi && constant.isOne() == taken)
        return true;
      using namespace PatternMatch;
      CmpPredicate predicate;
      if (match(condition, m_ICmp(predicate, m_Specific(&phi), m_Specific(&constant))) &&
          predicate == (taken ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE))
        return true;
    }
    return false;
  }

  /// Returns true if an atomic leaves memory unchanged when repeated with the same operands. Operands loaded from
  /// memory change each time: with them, a compare-and-swap eventually succeeds.
  bool isIdempotent(const Instruction &atomic) const {
    const OpInfo &row = info(*calledOp(&atomic));
    if (row.has(Idempotent))
      return !dependsOnMemory(atomic.getOperand(1)) && !dependsOnMemory(atomic.getOperand(2));
    auto *value = dyn_cast<ConstantInt>(atomic.getOperand(1));
    return row.has(Commutes) && value && value->isZero(); // a sum or an exclusive or with zero
  }

  /// Returns true for an atomic that takes something from a memory element, such as a lock: it replaces one constant by
  /// another.
  static bool isTake(const Instruction &i) {
    std::optional<Op> op = calledOp(&i);
    return (op == Op::AtomicExch && isa<llvm::Constant>(i.getOperand(1))) ||
           (op == Op::AtomicCas && isa<llvm::Constant>(i.getOperand(1)) &&
            isa<llvm::Constant>(i.getOperand(2)));
  }

  /// Returns true if another atomic on the path subtracts the constant that this one adds, so that a thread that finds
  /// nothing to take leaves the counter as it was.
  bool isUndone(const Instruction &atomic) const {
    std::optional<APInt> sum = constantSum(atomic);
    return sum && any_of(path_, [&](const BasicBlock *block) {
             return any_of(*block, [&](const Instruction &other) {
               std::optional<APInt> undo = constantSum(other);
               return undo && other.getOperand(0) == atomic.getOperand(0) &&
                      undo->getBitWidth() == sum->getBitWidth() && (*undo + *sum).isZero();
             });
           });
  }

  /// The constant that an atomic adds to an integer at an invariant address.
  std::optional<APInt> constantSum(const Instruction &atomic) const {
    std::optional<Op> op = calledOp(&atomic);
    if ((op != Op::AtomicAdd && op != Op::AtomicSub) || !isRecomputed(*atomic.getOperand(0)))
      return std::nullopt;
    const auto *value = dyn_cast<ConstantInt>(atomic.getOperand(1));
    if (!value)
      return std::nullopt;
    return op == Op::AtomicAdd ? value->getValue() : -value->getValue();
  }

  bool dependsOnMemory(Value *v) const {
    SmallPtrSet<Value *, 16> seen;
    SmallVector<Value *, 16> worklist{v};
    while (!worklist.empty()) {
      auto *i = dyn_cast<Instruction>(resolvePhiAlongPath(worklist.pop_back_val()));
      if (!i || !loop_.contains(i) || !seen.insert(i).second)
        continue;
      if (addressOfAtomic(*i) || addressOfLoad(*i))
        return true;
      if (!isa<PHINode>(i))
        worklist.append(i->op_begin(), i->op_end());
    }
    return false;
  }

  /// Returns true if the path does not change memory that it reads. Also rejects block barriers, which let the other
  /// threads of the block run anyway, unless the thread may wait for another block. Inner loops must preserve shared
  /// memory only: without barriers, the lanes of a warp exchange values there, and repeat that until they agree.
  bool preservesReadMemory() const {
    auto isPreserving = [&](const BasicBlock *block) {
      bool isInner = iteratesInnerLoops_ && findInnerLoop(*block);
      return none_of(*block, [&](const Instruction &i) {
        if (isSyncPoint(i) && !info(*calledOp(&i)).has(Warp) && calledOp(&i) != Op::Yield &&
            !mayWaitForBlocks_)
          return true;
        const Value *address = addressOfChange(i);
        return address && readObjects_.contains(getUnderlyingObject(address)) &&
               (!isInner || address->getType()->getPointerAddressSpace() == Shared);
      });
    };
    if (!all_of(path_, isPreserving))
      return false;
    return !iteratesInnerLoops_ || all_of(loop_.getSubLoops(), [&](const Loop *inner) {
      BasicBlock *latch = inner->getLoopLatch(); // like the header, part of each iteration
      return !latch || (isPreserving(inner->getHeader()) && isPreserving(latch));
    });
  }

  /// The address at which repeated execution of `i` may change memory; null if there is none.
  const Value *addressOfChange(const Instruction &i) const {
    if (const Value *address = addressOfStore(i))
      return isRepeatedStore(i) ? nullptr : address;
    const Value *address = addressOfAtomic(i);
    return address && !isIdempotent(i) && !isUndone(i) ? address : nullptr;
  }

  const Loop &loop_;
  const Path &path_;
  SmallPtrSet<Instruction *, 32> seen_;
  SmallSetVector<PHINode *, 8> carried_;
  SmallPtrSet<PHINode *, 8> innerPhis_;       ///< of inner loops, compared with carried ones
  SmallPtrSet<const Value *, 8> readObjects_; ///< read on the path
  DenseMap<Value *, bool> assumed_;           ///< assumed conditions of selects
  const bool iteratesInnerLoops_;
  bool isAnalyzable_ = true;
  bool hasPollLimit_ = false;
  bool recomputesCarried_ = false; ///< a loop-carried value is computed anew from memory
  bool readsNonPrivate_ = false, readsVolatile_ = false; ///< volatile: or atomic
  bool mayWaitForBlocks_ = false; ///< a volatile or atomic read of memory that is not shared memory
};

} // namespace

SpinPathEnd findSpinPathEnd(const Loop &loop) {
  std::deque<Path> paths{{loop.getHeader()}};
  for (unsigned tried = 0; !paths.empty() && tried < thresholds::maxAnalysisSteps; ++tried) {
    Path path = std::move(paths.front());
    paths.pop_front();
    for (BasicBlock *next : successors(path.back())) {
      if (next == loop.getHeader()) {
        for (bool iterates : {false, true}) {
          SpinPath spin(loop, path, iterates);
          if ((!iterates || !loop.isInnermost()) && spin.isSpinning())
            return {path.back(), spin.hasPollLimit()};
        }
      } else if (loop.contains(next) && !is_contained(path, next)) {
        paths.push_back(path);
        paths.back().push_back(next);
      }
    }
  }
  return {};
}

} // namespace heddle::simt
