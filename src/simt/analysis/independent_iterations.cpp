#include "simt/analysis/independent_iterations.h"

#include "simt/analysis/disjoint_accesses.h"
#include "simt/ir/ops.h"
#include "simt/thresholds.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// The accesses of memory in a loop.
class LoopAccesses {
public:
  LoopAccesses(const Loop &loop, AAResults &aliases) : aliases_(aliases) {
    for (BasicBlock *block : loop.blocks())
      for (Instruction &i : *block) {
        std::optional<Op> op = calledOp(&i);
        if (getLoadStorePointerOperand(&i))
          all_.push_back(&i);
        else if (op && info(*op).has(ArgMemory))
          atomics_.push_back(cast<CallInst>(&i));
      }
  }

  ArrayRef<Instruction *> all() const { return all_; } ///< loads and stores

  /// Compares the objects that pointers of any two iterations point to.
  bool mayAlias(const Value &one, const Value &other) const {
    return !areInDifferentSpaces(one, other) &&
           !aliases_.isNoAlias(MemoryLocation::getBeforeOrAfter(&one),
                               MemoryLocation::getBeforeOrAfter(&other));
  }

  /// True if nothing else accesses the memory of atomics: the same operation may, because it commutes.
  bool haveAtomicsOwnMemory() const {
    return all_of(atomics_, [&](CallInst *one) {
      const Value &pointer = *one->getArgOperand(0);
      return one->use_empty() && info(*calledOp(one)).has(Commutes) &&
             none_of(all_,
                     [&](Instruction *i) {
                       return mayAlias(*getLoadStorePointerOperand(i), pointer);
                     }) &&
             all_of(atomics_, [&](CallInst *other) {
               return one->getCalledFunction() == other->getCalledFunction() ||
                      !mayAlias(*other->getArgOperand(0), pointer);
             });
    });
  }

private:
  /// True for a pointer to shared memory and one to other memory.
  static bool areInDifferentSpaces(const Value &one, const Value &other) {
    auto isIn = [](const Value &pointer, unsigned space) {
      return pointer.getType()->getPointerAddressSpace() == space;
    };
    return isIn(one, Shared) != isIn(other, Shared) && !isIn(one, Generic) && !isIn(other, Generic);
  }

  AAResults &aliases_;
  SmallVector<Instruction *> all_;
  SmallVector<CallInst *> atomics_;
};

/// Accesses whose addresses differ by constants.
struct Cluster {
  const SCEV *address;
  int64_t first, last; ///< offsets from `address`: begin of the first access, end of the last
  bool writes, reads;
  const Value *pointer; ///< of one of them
};

class IndependenceTest {
public:
  IndependenceTest(Loop &loop, ScalarEvolution &evolution, AAResults &aliases)
      : loop(loop), evolution(evolution), accesses(loop, aliases) {}

  std::optional<Independence> analyze() {
    for (Instruction *access : accesses.all())
      if (!addAccess(*access, *getLoadStorePointerOperand(access)))
        return std::nullopt;
    for (Cluster &one : clusters) {
      if (one.writes && !requireDisjointIterations(one))
        return std::nullopt;
      found.readsWhatItWrites |= one.writes && one.reads;
    }
    for (size_t i = 0; i < clusters.size(); ++i)
      for (size_t k = i + 1; k < clusters.size(); ++k)
        if (!requireDisjointClusters(clusters[i], clusters[k]))
          return std::nullopt;
    for (const Value *load : unknownLoads)
      for (const Cluster &one : clusters)
        if (one.writes && accesses.mayAlias(*load, *one.pointer))
          return std::nullopt;
    if (!accesses.haveAtomicsOwnMemory())
      return std::nullopt;
    if (found.apart.size() + found.numbers.size() > thresholds::maxShortTripCount)
      return std::nullopt;
    return found;
  }

private:
  bool addAccess(Instruction &access, Value &pointer) {
    bool writes = isa<StoreInst>(access);
    const SCEV *address = evolution.getSCEV(&pointer);
    if (!strideOf(address, loop, evolution)) {
      if (!writes)
        unknownLoads.push_back(&pointer);
      return !writes;
    }
    auto size =
        int64_t(access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access)).getFixedValue());
    for (Cluster &one : clusters) {
      auto *distance = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(address, one.address));
      if (!distance || distance->getAPInt().getSignificantBits() > 32)
        continue;
      int64_t place = distance->getAPInt().getSExtValue();
      one.first = std::min(one.first, place);
      one.last = std::max(one.last, place + size);
      one.writes |= writes;
      one.reads |= !writes;
      return true;
    }
    clusters.push_back({address, 0, size, writes, !writes, &pointer});
    return true;
  }

  const SCEV *constant(int64_t n) {
    return evolution.getConstant(Type::getInt64Ty(evolution.getContext()), uint64_t(n), true);
  }

  /// The backedge-taken count of a loop within `around` (or of `around`), if it is the same each time; else null.
  const SCEV *backedgeTakenCount(const Loop &inner, const Loop &around) {
    const SCEV *count = evolution.getSymbolicMaxBackedgeTakenCount(&inner);
    if (isa<SCEVCouldNotCompute>(count) || !evolution.isLoopInvariant(count, &around))
      return nullptr;
    return evolution.getTruncateOrZeroExtend(count, Type::getInt64Ty(evolution.getContext()));
  }

  /// The distance that `sum` moves over all iterations of its loop, as an i64.
  const SCEV *distanceOverIterations(const SCEVAddRecExpr &sum, const Loop &around) {
    const SCEV *step = sum.getStepRecurrence(evolution);
    const SCEV *tripCount = backedgeTakenCount(*sum.getLoop(), around);
    if (!tripCount || !evolution.isLoopInvariant(step, &around) ||
        !step->getType()->isIntegerTy(64))
      return nullptr;
    return evolution.getMulExpr(tripCount, step);
  }

  /// The minimum and the maximum value over all iterations of `around`.
  std::optional<MemoryRange> rangeOverIterations(const SCEV *value, const Loop &around) {
    if (evolution.isLoopInvariant(value, &around))
      return MemoryRange{value, value};
    const auto *sum = dyn_cast<SCEVAddRecExpr>(value);
    if (!sum || !sum->isAffine() || !around.contains(sum->getLoop()))
      return std::nullopt;
    const SCEV *extent = distanceOverIterations(*sum, around);
    std::optional<MemoryRange> start = rangeOverIterations(sum->getStart(), around);
    if (!extent || !start)
      return std::nullopt;
    MemoryRange end{evolution.getAddExpr(start->low, extent),
                    evolution.getAddExpr(start->high, extent)};
    const SCEV *step = sum->getStepRecurrence(evolution);
    if (evolution.isKnownNonNegative(step))
      return MemoryRange{start->low, end.high};
    if (evolution.isKnownNegative(step))
      return MemoryRange{end.low, start->high};
    return MemoryRange{evolution.getUMinExpr(start->low, end.low),
                       evolution.getUMaxExpr(start->high, end.high)};
  }

  std::optional<MemoryRange> memoryRangeOf(const Cluster &one) {
    std::optional<MemoryRange> range = rangeOverIterations(one.address, loop);
    if (range)
      range = {evolution.getAddExpr(range->low, constant(one.first)),
               evolution.getAddExpr(range->high, constant(one.last))};
    return range;
  }

  /// True if iterations access disjoint bytes.
  bool requireDisjointIterations(const Cluster &one) {
    const SCEV *step = strideOf(one.address, loop, evolution);
    if (!step || !step->getType()->isIntegerTy(64))
      return false;
    const SCEV *width = constant(one.last - one.first);
    const SCEV *value = one.address;
    while (!evolution.isLoopInvariant(value, &loop)) {
      const auto *sum = cast<SCEVAddRecExpr>(value); // it has a stride
      if (sum->getLoop() != &loop) {
        const SCEV *extent = distanceOverIterations(*sum, loop);
        if (!extent)
          return false;
        if (!evolution.isKnownNonNegative(extent))
          requireInRange(extent, constant(INT64_MAX));
        width = evolution.getAddExpr(width, extent);
      }
      value = sum->getStart();
    }
    if (evolution.isKnownNegative(step))
      step = evolution.getNegativeSCEV(step);
    return requireInRange(width, step);
  }

  /// Requires 0 <= number <= most. Returns false if it never holds.
  bool requireInRange(const SCEV *number, const SCEV *most) {
    bool isPositive = evolution.isKnownNonNegative(number);
    if (isPositive && evolution.isKnownPredicate(ICmpInst::ICMP_SLE, number, most))
      return true;
    if (evolution.isKnownPredicate(ICmpInst::ICMP_SGT, number, most))
      return false;
    found.numbers.push_back({number, most});
    return true;
  }

  bool requireDisjointClusters(const Cluster &one, const Cluster &other) {
    if ((!one.writes && !other.writes) || !accesses.mayAlias(*one.pointer, *other.pointer))
      return true;
    std::optional<MemoryRange> range = memoryRangeOf(one), otherRange = memoryRangeOf(other);
    if (!range || !otherRange)
      return false;
    found.apart.push_back({*range, *otherRange});
    return true;
  }

  Loop &loop;
  ScalarEvolution &evolution;
  LoopAccesses accesses;
  SmallVector<Cluster> clusters;
  SmallVector<const Value *> unknownLoads;
  Independence found;
};

} // namespace

std::optional<Independence> findIndependenceConditions(Loop &loop, ScalarEvolution &evolution,
                                                       AAResults &aliases) {
  return IndependenceTest(loop, evolution, aliases).analyze();
}

bool areIterationsIndependent(Loop &loop, const Value &counter, const DominatorTree &dominators,
                              AAResults &aliases) {
  LoopAccesses accesses(loop, aliases);
  MapVector<const Value *, SmallVector<AccessedBytes, 2>> objects;
  SmallPtrSet<const Value *, 4> written;
  for (const Instruction *i : accesses.all()) {
    const Value *pointer = getLoadStorePointerOperand(i), *object = getUnderlyingObject(pointer);
    TypeSize bytes = i->getDataLayout().getTypeStoreSize(getLoadStoreType(i));
    objects[object].push_back({i, pointer, bytes.getFixedValue(), isa<StoreInst>(i)});
    if (isa<StoreInst>(i))
      written.insert(object);
  }
  for (const Value *object : written) {
    if (!loop.isLoopInvariant(object) ||
        !haveDisjointIterations(*object, objects[object], loop, counter, dominators))
      return false;
    for (const auto &[other, all] : objects)
      if (other != object && accesses.mayAlias(*other, *object))
        return false;
  }
  return accesses.haveAtomicsOwnMemory();
}

const SCEV *strideOf(const SCEV *address, const Loop &loop, ScalarEvolution &evolution) {
  while (!evolution.isLoopInvariant(address, &loop)) {
    const auto *sum = dyn_cast<SCEVAddRecExpr>(address);
    if (!sum || !sum->isAffine() ||
        !evolution.isLoopInvariant(sum->getStepRecurrence(evolution), &loop))
      return nullptr;
    if (sum->getLoop() == &loop)
      return sum->getStepRecurrence(evolution);
    address = sum->getStart();
  }
  return evolution.getZero(evolution.getEffectiveSCEVType(address->getType()));
}

std::optional<int64_t> strideOf(const Value &address, const Loop &loop, const Value &counter) {
  PolynomialBuilder build(loop.getHeader()->getDataLayout(), View::Assuming, {},
                          [&](const Value &v) { return &v == &counter; });
  Polynomial value = build.of(address);
  int64_t stride = 0;
  for (const auto &[monomial, factor] : value.terms())
    if (monomial == Monomial{&counter})
      stride = factor;
    else if (!all_of(monomial, [&](const Value *v) { return loop.isLoopInvariant(v); }))
      return std::nullopt;
  return stride;
}

} // namespace heddle::simt
