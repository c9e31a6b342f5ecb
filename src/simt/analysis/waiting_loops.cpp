#include "simt/analysis/waiting_loops.h"

#include "simt/analysis/meetings.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

#include <deque>

namespace heddle::simt {

using namespace llvm;

namespace {

/// Beginnings of ways that are tried in a loop.
constexpr unsigned mostWays = 512;

using Way = SmallVector<BasicBlock *, 8>;

/// The address of a call that reads and writes memory there, or null.
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

bool isPrivate(const Value &object) { return isa<AllocaInst>(object); }

/// One way from a loop's header back to it.
class RepeatedWay {
public:
  RepeatedWay(const Loop &loop, const Way &way) : loop_(loop), way_(way) {}

  bool waits() {
    for (BasicBlock *block : way_) {
      Instruction *end = block->getTerminator();
      if (auto *branch = dyn_cast<BranchInst>(end); branch && branch->isConditional())
        decides(branch->getCondition());
      else if (auto *choice = dyn_cast<SwitchInst>(end))
        decides(choice->getCondition());
      else if (!isa<BranchInst>(end))
        return false;
    }
    // Carried values that are looked at may bring others in.
    for (unsigned i = 0; i < carried_.size() && known_; ++i)
      if (!mayStay(*carried_[i]))
        return false;
    return known_ && readsOfOthers_ && writesNothingRead();
  }

private:
  /// Adds what `v` depends on in the loop.
  void decides(Value *v) {
    SmallVector<Value *, 16> rest{v};
    while (!rest.empty()) {
      auto *i = dyn_cast<Instruction>(onTheWay(rest.pop_back_val()));
      if (!i || !loop_.contains(i) || !seen_.insert(i).second)
        continue;
      if (auto *phi = dyn_cast<PHINode>(i)) {
        if (phi->getParent() == loop_.getHeader())
          carried_.insert(phi);
        else
          known_ = false; // of a loop inside
        continue;
      }
      rest.append(i->op_begin(), i->op_end());
      if (const Value *address = addressOfAtomic(*i)) {
        known_ &= changesNothingAgain(*i);
        reads(*address);
      } else if (const Value *address = addressOfLoad(*i)) {
        if (!i->hasMetadata(LLVMContext::MD_invariant_load))
          reads(*address);
      } else if (isa<CallInst>(i)) {
        std::optional<Op> op = calledOp(i);
        known_ &= op ? info(*op).has(Pure) || info(*op).has(Convergent) : isa<IntrinsicInst>(i);
      }
    }
  }

  void reads(const Value &address) {
    const Value *object = getUnderlyingObject(&address);
    objects_.insert(object);
    readsOfOthers_ |= !isPrivate(*object);
  }

  /// What a phi is when the thread has come this way; any other value is itself.
  Value *onTheWay(Value *v) const {
    while (auto *phi = dyn_cast<PHINode>(v)) {
      if (!loop_.contains(phi) || phi->getParent() == loop_.getHeader())
        break;
      auto *at = find(way_, phi->getParent());
      if (at == way_.end() || at == way_.begin())
        break;
      v = phi->getIncomingValueForBlock(*std::prev(at));
    }
    return v;
  }

  /// Whether a value that the loop carries may be the same in the next round.
  bool mayStay(PHINode &phi) { return mayBe(phi, phi.getIncomingValueForBlock(way_.back())); }

  bool mayBe(PHINode &phi, Value *next) {
    next = onTheWay(next);
    if (next == &phi)
      return true;
    if (auto *constant = dyn_cast<ConstantInt>(next))
      return isOnTheWay(phi, *constant);
    auto *i = dyn_cast<Instruction>(next);
    if (!i || !loop_.contains(i))
      return false;
    if (auto *select = dyn_cast<SelectInst>(i)) {
      Value *condition = select->getCondition();
      if (auto chosen = chosen_.find(condition); chosen != chosen_.end())
        return mayBe(phi, chosen->second ? select->getTrueValue() : select->getFalseValue());
      decides(condition);
      for (bool choice : {true, false}) {
        chosen_[condition] = choice;
        if (mayBe(phi, choice ? select->getTrueValue() : select->getFalseValue()))
          return true;
      }
      chosen_.erase(condition);
      return false;
    }
    // A truth value, which memory may make either.
    Value *truth = i;
    if (isa<ZExtInst, SExtInst>(i))
      truth = i->getOperand(0);
    if (!truth->getType()->isIntegerTy(1))
      return false;
    decides(truth);
    return true;
  }

  /// Whether the branches of the way say that `phi` is that constant.
  bool isOnTheWay(const PHINode &phi, const ConstantInt &constant) const {
    for (auto [n, block] : enumerate(way_)) {
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
        continue;
      BasicBlock *next = n + 1 < way_.size() ? way_[n + 1] : loop_.getHeader();
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

  /// Whether an atomic leaves memory as it is when it is repeated with the same operands. Operands that come from memory
  /// are others each time: they are what a compare-and-swap succeeds with, sooner or later.
  bool changesNothingAgain(Instruction &atomic) const {
    const OpInfo &row = info(*calledOp(&atomic));
    if (row.has(Idempotent))
      return !comesFromMemory(atomic.getOperand(1)) && !comesFromMemory(atomic.getOperand(2));
    auto *value = dyn_cast<ConstantInt>(atomic.getOperand(1));
    return row.has(Commutes) && value && value->isZero(); // a sum or an exclusive or with zero
  }

  bool comesFromMemory(Value *v) const {
    SmallPtrSet<Value *, 16> seen;
    SmallVector<Value *, 16> rest{v};
    while (!rest.empty()) {
      auto *i = dyn_cast<Instruction>(onTheWay(rest.pop_back_val()));
      if (!i || !loop_.contains(i) || !seen.insert(i).second)
        continue;
      if (addressOfAtomic(*i) || addressOfLoad(*i))
        return true;
      if (!isa<PHINode>(i))
        rest.append(i->op_begin(), i->op_end());
    }
    return false;
  }

  /// And nobody waits for the block, which lets others run as it is.
  bool writesNothingRead() const {
    for (BasicBlock *block : way_)
      for (Instruction &i : *block) {
        if (isMeeting(i) && !info(*calledOp(&i)).has(Warp))
          return false;
        const Value *address = addressOfStore(i);
        if (!address) {
          address = addressOfAtomic(i);
          if (address && changesNothingAgain(i))
            continue;
        }
        if (address && objects_.contains(getUnderlyingObject(address)))
          return false;
      }
    return true;
  }

  const Loop &loop_;
  const Way &way_;
  SmallPtrSet<Instruction *, 32> seen_;
  SmallSetVector<PHINode *, 8> carried_;
  SmallPtrSet<const Value *, 8> objects_; ///< that are read
  DenseMap<Value *, bool> chosen_;        ///< conditions of selects
  bool known_ = true;
  bool readsOfOthers_ = false;
};

} // namespace

BasicBlock *endOfWaiting(const Loop &loop) {
  std::deque<Way> ways{{loop.getHeader()}};
  for (unsigned tried = 0; !ways.empty() && tried < mostWays; ++tried) {
    Way way = std::move(ways.front());
    ways.pop_front();
    for (BasicBlock *next : successors(way.back())) {
      if (next == loop.getHeader()) {
        if (RepeatedWay(loop, way).waits())
          return way.back();
      } else if (loop.contains(next) && !is_contained(way, next)) {
        ways.push_back(way);
        ways.back().push_back(next);
      }
    }
  }
  return nullptr;
}

} // namespace heddle::simt
