#include "simt/analysis/disjoint_accesses.h"

#include "simt/analysis/polynomial.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"

#include <functional>
#include <map>

namespace heddle::simt {

using namespace llvm;

namespace {

/// Positions in Executions::identity, and the indices.
using ThreadIndices = SmallVector<std::pair<unsigned, const ConstantInt *>, 3>;

/// Compares the accesses of an object in pairs.
class DisjointnessProver {
public:
  DisjointnessProver(const Value &object, ArrayRef<AccessedBytes> accesses,
                     const Executions &executions, const DominatorTree &dominators)
      : object_(object), accesses_(accesses), executions_(executions), dominators_(dominators) {
    for (const Instruction &i : instructions(*dominators.getRoot()->getParent()))
      if (calledOp(&i) == Op::CheckIndex)
        checks_.push_back(cast<CallBase>(&i));
  }

  RaceProofs run() {
    size_t count = accesses_.size();
    RaceProofs proofs;
    proofs.mayRace.assign(count, count > maxAccesses);
    if (count > maxAccesses)
      return proofs;
    decodeAccessOffsets();
    for (size_t i = 0; i < count; ++i)
      for (size_t j = i; j < count; ++j)
        if (mayConflict(accesses_[i], accesses_[j]) && !proveDisjoint(i, j, proofs.conditions))
          proofs.mayRace[i] = proofs.mayRace[j] = true;
    return proofs;
  }

private:
  static constexpr size_t maxAccesses = 256;
  static constexpr size_t maxDivisors = 32;
  static constexpr size_t maxParts = 8;
  static constexpr unsigned maxDistanceProofs = 1000;

  AddressDecoder makeDecoder(const AccessedBytes &access, unsigned options) const {
    return {access, executions_, dominators_, checks_, options};
  }

  /// Decodes each access by its own divisors, and by those of all accesses.
  void decodeAccessOffsets() {
    std::multimap<int64_t, Polynomial, std::greater<>> found; // the largest first
    for (const AccessedBytes &access : accesses_) {
      decodings_.push_back({decodeAccess(access, 0, {})});
      if (!executions_.allowConditions())
        continue;
      for (unsigned options : {0u, unsigned(AddressDecoder::KeepSteady)}) {
        AddressDecoder other = makeDecoder(access, options);
        if (std::optional<Polynomial> number = other.findOffset(object_))
          for (Polynomial &divisor : other.candidateDivisorsOf(*number))
            if (found.size() < maxDivisors)
              found.emplace(std::abs(divisor.commonFactor()), std::move(divisor));
      }
    }
    SmallVector<Polynomial> divisors;
    for (auto &[factor, divisor] : found)
      if (!is_contained(divisors, divisor))
        divisors.push_back(std::move(divisor));
    if (divisors.empty())
      return;
    for (auto [i, access] : enumerate(accesses_))
      for (unsigned options : {0u, unsigned(AddressDecoder::KeepSteady)})
        decodings_[i].push_back(decodeAccess(access, options, divisors));
  }

  Decoding decodeAccess(const AccessedBytes &access, unsigned options,
                        ArrayRef<Polynomial> divisors) const {
    AddressDecoder decoder = makeDecoder(access, options);
    std::optional<Polynomial> offset = decoder.findOffset(object_);
    return offset ? decoder.decode(*offset, divisors) : Decoding();
  }

  bool mayConflict(const AccessedBytes &a, const AccessedBytes &b) const {
    if ((!a.writes && !b.writes) || (a.isAtomic && b.isAtomic))
      return false;
    return !executions_.isShared || executions_.intervals->mayRunInSameInterval(*a.by, *b.by);
  }

  /// Adds the conditions under which two executions do not access the same byte; false if there are none.
  bool proveDisjoint(size_t i, size_t j, ProofConditions &conditions) {
    for (const auto &[a, b] : zip(decodings_[i], decodings_[j]))
      if (areDisjoint(a, b, i, j)) {
        conditions.add(a.conditions);
        conditions.add(b.conditions);
        return true;
      }
    return executions_.allowConditions() && i != j && distanceProofs_++ < maxDistanceProofs &&
           (proveDistinctElements(accesses_[i], accesses_[j], conditions) ||
            proveDistinctElements(accesses_[j], accesses_[i], conditions));
  }

  bool areDisjoint(const Decoding &a, const Decoding &b, size_t i, size_t j) const {
    for (unsigned index = 0; index < Executions::numIndices; ++index) {
      auto first = a.indices.find(index), second = b.indices.find(index);
      if (executions_.mustIndexSeparateAccesses(index) &&
          (first == a.indices.end() || second == b.indices.end() ||
           first->second != second->second))
        return false;
    }
    return haveSameValueAt(a, accesses_[i], accesses_[j]) &&
           haveSameValueAt(b, accesses_[i], accesses_[j]);
  }

  /// Returns true if both executions see the same steady values.
  bool haveSameValueAt(const Decoding &decoding, const AccessedBytes &a,
                       const AccessedBytes &b) const {
    return all_of(decoding.steady, [&](const Instruction *v) {
      return executions_.intervals->haveSameValueAt(*v, *a.by, *b.by);
    });
  }

  // The row or column of an element that is the same for all threads.

  bool isSameForBothAccesses(const Polynomial &number, const AccessedBytes &a,
                             const AccessedBytes &b) const {
    return all_of(number.terms(), [&](const auto &term) {
      return all_of(term.first, [&](const Value *v) {
        if (executions_.isSameInAllExecutions(*v))
          return true;
        if (std::optional<unsigned> index = Executions::axisOfThreadOrBlockIndex(*v))
          return executions_.isShared && *index >= 3;
        return executions_.isUniformPerIntervalAt(*v, *a.by, dominators_) &&
               executions_.isUniformPerIntervalAt(*v, *b.by, dominators_) &&
               executions_.intervals->haveSameValueAt(*cast<Instruction>(v), *a.by, *b.by);
      });
    });
  }

  /// Returns true if the polynomial's values are known where the instruction runs.
  bool isAvailableAt(const Polynomial &number, const Instruction &at) const {
    return all_of(number.terms(), [&](const auto &term) {
      return all_of(term.first, [&](const Value *v) {
        const auto *i = dyn_cast<Instruction>(v);
        return isa<Argument, Function>(v) || (i && dominators_.dominates(i, &at));
      });
    });
  }

  /// Adds the condition that the element of `moving` is not one of those of `fixed`, if these are in one place, row or
  /// column for all threads.
  bool proveDistinctElements(const AccessedBytes &moving, const AccessedBytes &fixed,
                             ProofConditions &conditions) const {
    constexpr unsigned options = AddressDecoder::KeepInductions | AddressDecoder::KeepSteady;
    AddressDecoder first = makeDecoder(moving, options), second = makeDecoder(fixed, options);
    std::optional<Polynomial> a = first.findOffset(object_), b = second.findOffset(object_);
    if (!a || !b)
      return false;
    struct Part {
      Polynomial moving, fixed;
      uint64_t movingBytes, fixedBytes;
    };
    SmallVector<Part, 4> parts{{*a, *b, moving.bytes, fixed.bytes}};
    for (size_t p = 0; p < parts.size() && parts.size() <= maxParts; ++p) {
      Part part = parts[p];
      if (isSameForBothAccesses(part.fixed, fixed, moving)) {
        Polynomial distance = part.moving - part.fixed;
        // Correct kernels often access a constant element of shared memory in another barrier interval, where a
        // condition would fail.
        bool mustBeApart =
            distance.isConstant() || (executions_.isShared && part.fixed.isConstant());
        if (mustBeApart ? areDisjointForOtherThreads(distance, part.movingBytes, part.fixedBytes,
                                                     first, findSingleThread(second))
                        : isAvailableAt(distance, *moving.by)) {
          Decoding used;
          first.addProofConditions(used);
          second.addProofConditions(used);
          if (!haveSameValueAt(used, moving, fixed))
            return false;
          if (!mustBeApart)
            used.conditions.distances.push_back(
                {moving.by, std::move(distance), part.movingBytes, part.fixedBytes});
          conditions.add(used.conditions);
          return true;
        }
      }
      SmallVector<Polynomial> divisors = first.candidateDivisorsOf(part.moving);
      append_range(divisors, second.candidateDivisorsOf(part.fixed));
      for (const Polynomial &divisor : divisors) {
        if (!isSameForBothAccesses(divisor, fixed, moving))
          continue;
        auto movingParts = first.divideIfRemainderFits(part.moving, part.movingBytes, divisor);
        auto fixedParts = second.divideIfRemainderFits(part.fixed, part.fixedBytes, divisor);
        if (!movingParts || !fixedParts ||
            (movingParts->first.isConstant() && movingParts->first == fixedParts->first))
          continue;
        parts.push_back({movingParts->first, fixedParts->first, 1, 1});
        parts.push_back(
            {movingParts->second, fixedParts->second, part.movingBytes, part.fixedBytes});
        break;
      }
    }
    return false;
  }

  /// Returns true if [0, movingBytes) + distance and [0, fixedBytes) do not overlap.
  static bool areRangesDisjoint(int64_t distance, uint64_t movingBytes, uint64_t fixedBytes) {
    return distance >= int64_t(fixedBytes) || distance <= -int64_t(movingBytes);
  }

  /// Returns true if the bytes are apart for all threads of a block that run the access `moving`, except for one.
  bool areDisjointForOtherThreads(const Polynomial &distance, uint64_t movingBytes,
                                  uint64_t fixedBytes, const AddressDecoder &moving,
                                  const ThreadIndices &exceptThread) const {
    if (distance.isConstant())
      return areRangesDisjoint(distance.constant(), movingBytes, fixedBytes);
    return !is_contained(executions_.facts.block, 0u) &&
           !anyThreadOfBlockSatisfies(executions_.facts, [&](const BlockThread &thread) {
             std::optional<int64_t> value = evaluateForThread(distance, thread);
             return !(value && areRangesDisjoint(*value, movingBytes, fixedBytes)) &&
                    !isAnyComparisonFalseFor(moving.comparisons(), thread) &&
                    !hasThreadIndices(exceptThread, thread);
           });
  }

  static bool hasThreadIndices(const ThreadIndices &indices, const BlockThread &thread) {
    return !indices.empty() && all_of(indices, [&](const auto &entry) {
      return entry.first < 3 && entry.second->getValue() == thread[entry.first];
    });
  }

  /// The indices of the only thread that runs an access, if branches determine it; else none.
  ThreadIndices findSingleThread(const AddressDecoder &decoder) const {
    ThreadIndices thread;
    auto guards = decoder.listIndicesFixedByGuards();
    for (unsigned index = 0; index < Executions::identity.size(); ++index) {
      if (!executions_.mustIndexSeparateAccesses(index))
        continue;
      const auto *guard = find_if(guards, [&](const auto &g) { return g.first == index; });
      if (guard == guards.end())
        return {};
      thread.push_back(*guard);
    }
    return thread;
  }

  const Value &object_;
  const ArrayRef<AccessedBytes> accesses_;
  const Executions &executions_;
  const DominatorTree &dominators_;
  SmallVector<const CallBase *> checks_;
  SmallVector<SmallVector<Decoding, 3>, 8> decodings_; ///< by access
  unsigned distanceProofs_ = 0;                        ///< tried
};

} // namespace

RaceProofs findPossibleRaces(const Value &object, ArrayRef<AccessedBytes> accesses,
                             const LaunchFacts &facts, const DominatorTree &dominators,
                             const BarrierIntervals &intervals) {
  Executions executions{.facts = facts,
                        .intervals = &intervals,
                        .isShared = object.getType()->getPointerAddressSpace() == Shared};
  return DisjointnessProver(object, accesses, executions, dominators).run();
}

bool haveDisjointIterations(const Value &object, ArrayRef<AccessedBytes> accesses, const Loop &loop,
                            const Value &counter, const DominatorTree &dominators) {
  Executions executions{.facts = {}, .loop = &loop, .counter = &counter};
  return none_of(DisjointnessProver(object, accesses, executions, dominators).run().mayRace,
                 [](bool mayRace) { return mayRace; });
}

} // namespace heddle::simt
