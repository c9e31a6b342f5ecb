#include "simt/passes/keep_warps_in_step.h"

#include "simt/analysis/meetings.h"
#include "simt/analysis/thread_strides.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/passes/lowering.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

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

/// What a thread may come to from an instruction without a barrier.
struct Followers {
  explicit Followers(const Instruction &i) {
    SmallVector<const BasicBlock *, 8> rest;
    auto walk = [&](BasicBlock::const_iterator from, const BasicBlock &block) {
      for (const Instruction &next : make_range(from, block.end())) {
        if (isMeeting(next))
          return;
        if (getLoadStorePointerOperand(&next))
          accesses.insert(&next);
      }
      append_range(rest, successors(&block));
    };
    walk(std::next(i.getIterator()), *i.getParent());
    while (!rest.empty()) {
      const BasicBlock *block = rest.pop_back_val();
      if (blocks.insert(block).second)
        walk(block->begin(), *block);
    }
  }

  SmallPtrSet<const Instruction *, 16> accesses; ///< loads and stores
  SmallPtrSet<const BasicBlock *, 16> blocks;    ///< by their beginnings
};

/// Extends the terms of sums and products instead of the results: zext(4 * (x + 32)) becomes 4 * zext(x) + 128. Addresses of
/// one array then differ by a constant. Indices of shared memory are small, so the distance of two addresses stays right.
class ExtendTerms : public SCEVRewriteVisitor<ExtendTerms> {
public:
  using SCEVRewriteVisitor::SCEVRewriteVisitor;

  const SCEV *visitSignExtendExpr(const SCEVSignExtendExpr *extension) {
    return extend(extension->getOperand(), [&](const SCEV *term) {
      return SE.getSignExtendExpr(term, extension->getType());
    });
  }
  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *extension) {
    return extend(extension->getOperand(), [&](const SCEV *term) {
      return isa<SCEVConstant>(term) ? SE.getSignExtendExpr(term, extension->getType())
                                     : SE.getZeroExtendExpr(term, extension->getType());
    });
  }

private:
  const SCEV *extend(const SCEV *value, function_ref<const SCEV *(const SCEV *)> term) {
    if (!isa<SCEVAddExpr, SCEVMulExpr>(value))
      return term(value);
    SmallVector<const SCEV *, 4> terms;
    for (const SCEV *operand : cast<SCEVNAryExpr>(value)->operands())
      terms.push_back(extend(operand, term));
    return isa<SCEVAddExpr>(value) ? SE.getAddExpr(terms) : SE.getMulExpr(terms);
  }
};

bool isShared(const Value &object) {
  return object.getType()->isPointerTy() && (object.getType()->getPointerAddressSpace() == Shared ||
                                             calledOp(&object) == Op::DynamicShared);
}

class WarpsInStep {
public:
  WarpsInStep(Function &f, ScalarEvolution &evolution, const DominatorTree &dominators,
              const LoopInfo &loops, bool oneAtATime)
      : oneAtATime_(oneAtATime), evolution_(evolution), dominators_(dominators), loops_(loops),
        strides_(f, ThreadStrides::Neighbours::OfWarp) {
    for (Instruction &i : instructions(f))
      add(i);
    if (oneAtATime_)
      dropVolatile();
  }

  bool run() {
    if (accesses_.size() + common_.size() > mostAccesses)
      return changed_;
    // Objects of which a neighbour's value is read.
    SmallPtrSet<const Value *, 4> objects;
    SmallVector<std::pair<const Access *, const Access *>> apart;
    for (const Access &first : accesses_) {
      Followers next(*first.instruction);
      for (const Access &second : accesses_) {
        bool reads = isa<LoadInst>(second.instruction);
        if (isa<LoadInst>(first.instruction) == reads ||
            !next.accesses.contains(second.instruction) || !areNeighbours(first, second) ||
            areOfTwoHalves(first, second, next))
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
    if (oneAtATime_)
      for (const Access &load : common_)
        if (isa<LoadInst>(load.instruction) && isWrittenNext(load))
          places.insert(load.instruction->getNextNode());
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
      volatile_.push_back({&i, object, addressOf(*pointer), isOwnPlace(*pointer)});
    if (std::optional<int64_t> stride = strides_.of(*pointer)[0])
      (*stride != 0 ? accesses_ : common_).push_back({&i, object, addressOf(*pointer), *stride});
  }

  const SCEV *addressOf(Value &pointer) {
    return ExtendTerms(evolution_).visit(evolution_.getSCEV(&pointer));
  }

  /// Whether all threads read a place that one of them may write to before the others have read it.
  bool isWrittenNext(const Access &load) const {
    if (!allThreadsComeTo(*load.instruction->getParent()))
      return false;
    Followers next(*load.instruction);
    return any_of(common_, [&](const Access &access) {
      return isa<StoreInst>(access.instruction) && access.object == load.object &&
             access.address == load.address && next.accesses.contains(access.instruction);
    });
  }

  /// Whether no branch that threads may take differently decides it.
  bool allThreadsComeTo(const BasicBlock &block) const {
    for (const DomTreeNode *above = dominators_.getNode(&block)->getIDom(); above;
         above = above->getIDom()) {
      const Instruction &end = *above->getBlock()->getTerminator();
      const Loop *loop = loops_.getLoopFor(above->getBlock());
      bool isLeft = loop && !loop->contains(&block); // sooner or later by all
      if (!isLeft && end.getNumSuccessors() > 1 && !isSameAlongX(*end.getOperand(0)) &&
          any_of(successors(&end), [&](const BasicBlock *next) {
            return dominators_.dominates({above->getBlock(), next}, &block);
          }))
        return false;
    }
    return true;
  }

  /// Whether a condition is the same in threads that differ along x alone.
  bool isSameAlongX(Value &condition) const {
    Value *a, *b;
    if (match(&condition, m_LogicalOp(m_Value(a), m_Value(b))))
      return isSameAlongX(*a) && isSameAlongX(*b);
    return strides_.of(condition)[0] == 0;
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
    Followers next(*store.instruction);
    return any_of(volatile_, [&](const VolatileAccess &access) {
      return isa<LoadInst>(access.instruction) && access.address == store.address &&
             next.accesses.contains(access.instruction);
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

  /// Whether threads below k, the distance in a loop that halves or doubles it, write to the first k elements and read the
  /// next k: `if (t < k) sums[t] += sums[t + k]`. A barrier must come before a thread does so with another k.
  bool areOfTwoHalves(const Access &first, const Access &second, const Followers &next) const {
    PHINode *k = distance(first, second);
    return k && isBelow(*k, *first.instruction) && isBelow(*k, *second.instruction) &&
           !(next.blocks.contains(k->getParent()) &&
             Followers(*k).accesses.contains(second.instruction));
  }

  /// By how many elements the one place is behind the other, where such a loop counts it; else null.
  PHINode *distance(const Access &first, const Access &second) const {
    Value *a = indexOf(first), *b = indexOf(second), *k;
    if (a && b &&
        (match(a, m_c_Add(m_Specific(b), m_Value(k))) ||
         match(b, m_c_Add(m_Specific(a), m_Value(k)))))
      return isHalvedOrDoubled(evolution_.getSCEV(k)) ? cast<PHINode>(k) : nullptr;
    const SCEV *difference = evolution_.getMinusSCEV(second.address, first.address);
    const auto *bytes = dyn_cast<SCEVMulExpr>(difference);
    const auto *size = bytes ? dyn_cast<SCEVConstant>(bytes->getOperand(0)) : nullptr;
    if (!size || bytes->getNumOperands() != 2 ||
        size->getAPInt().abs() != uint64_t(std::abs(first.stride)))
      return nullptr;
    const SCEV *elements = bytes->getOperand(1);
    while (const auto *cast = dyn_cast<SCEVCastExpr>(elements))
      elements = cast->getOperand();
    return isHalvedOrDoubled(elements) ? cast<PHINode>(cast<SCEVUnknown>(elements)->getValue())
                                       : nullptr;
  }

  /// Of an element, before it is extended; null for an address of another form.
  static Value *indexOf(const Access &access) {
    auto *address = dyn_cast<GetElementPtrInst>(getLoadStorePointerOperand(access.instruction));
    if (!address || address->getNumIndices() == 0 ||
        address->getResultElementType() != getLoadStoreType(access.instruction))
      return nullptr;
    Value *index = address->getOperand(address->getNumOperands() - 1);
    while (isa<SExtInst, ZExtInst>(index))
      index = cast<CastInst>(index)->getOperand(0);
    return index;
  }

  /// Whether only threads whose number, or one that grows with it, is less than `k` come to `i`.
  bool isBelow(const PHINode &k, const Instruction &i) const {
    return any_of(k.users(), [&](const User *user) {
      CmpPredicate predicate;
      Value *index;
      const auto *compare = dyn_cast<ICmpInst>(user);
      if (!compare || !match(compare, m_c_ICmp(predicate, m_Value(index), m_Specific(&k))) ||
          strides_.of(*index)[0].value_or(0) <= 0)
        return false;
      bool below = predicate == ICmpInst::ICMP_SLT || predicate == ICmpInst::ICMP_ULT;
      bool notBelow = predicate == ICmpInst::ICMP_SGE || predicate == ICmpInst::ICMP_UGE;
      return (below || notBelow) && any_of(compare->users(), [&](const User *branch) {
               const auto *jump = dyn_cast<BranchInst>(branch);
               return jump && dominators_.dominates({jump->getParent(), jump->getSuccessor(!below)},
                                                    i.getParent());
             });
    });
  }

  static void keepInStep(Instruction &before) {
    IRBuilder<> b(&before);
    Value *site = b.getInt32(addSite("barrier", "the warp's next statement", before));
    Value *lanes = call(b, Op::WarpActive, {site});
    call(b, Op::WarpBarrier, {site, lanes});
  }

  const bool oneAtATime_;
  ScalarEvolution &evolution_;
  const DominatorTree &dominators_;
  const LoopInfo &loops_;
  ThreadStrides strides_;
  SmallVector<Access> accesses_; ///< neighbours have places of their own
  SmallVector<Access> common_;   ///< neighbours have the same place
  SmallVector<VolatileAccess> volatile_;
  bool changed_ = false;
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
