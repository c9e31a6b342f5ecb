// Determines from the address of an access which thread, or which iteration of a loop, executes it.
#pragma once

#include "simt/analysis/barrier_intervals.h"
#include "simt/analysis/guards.h"
#include "simt/analysis/polynomial.h"
#include "simt/launch_facts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace heddle::simt {

struct AccessedBytes {
  const llvm::Instruction *by;
  const llvm::Value *address;
  uint64_t bytes;
  bool writes;
  bool isAtomic = false;
};

/// Conditions under which a proof holds. The kernel tests them at run time.
struct ProofConditions {
  /// The distance from the element that a thread accesses at `at` to those that other threads access is at most -low or
  /// at least high.
  struct Distance {
    const llvm::Instruction *at;
    Polynomial distance;
    uint64_t low, high;
  };

  llvm::SmallSetVector<const llvm::Instruction *, 8> exact; ///< PolynomialBuilder::assumptions()
  /// Values that are positive where the instruction runs.
  llvm::SmallSetVector<std::pair<const llvm::Instruction *, const llvm::Value *>, 4> positive;
  llvm::SmallVector<Distance, 4> distances;

  void add(const ProofConditions &other);
  /// True if correct launches may break the conditions.
  bool mayBeBrokenByCorrectLaunch() const;
};

/// The executions of an access that a proof distinguishes: those of different threads, or of different iterations of a
/// loop.
struct Executions {
  const LaunchFacts facts;
  const BarrierIntervals *intervals = nullptr; ///< null for a loop
  const bool isShared = false;                 ///< only the threads of a block access the memory
  const llvm::Loop *loop = nullptr;
  const llvm::Value *counter = nullptr;

  /// The indices that identify a thread of a launch: of the thread in its block, then of the block.
  static constexpr std::array<Op, 6> identity = {Op::ThreadIdX, Op::ThreadIdY, Op::ThreadIdZ,
                                                 Op::BlockIdX,  Op::BlockIdY,  Op::BlockIdZ};
  static constexpr unsigned counterIndex = identity.size(), numIndices = counterIndex + 1;

  /// The position in `identity` of the index that the factor is; nullopt for other factors.
  static std::optional<unsigned> axisOfThreadOrBlockIndex(const llvm::Value &v);
  /// The position, in the list of indices, of the index that a factor determines; nullopt for other factors.
  std::optional<unsigned> executionIndexOf(const llvm::Value &v) const;
  /// Returns true if executions that differ in the index must access different bytes.
  bool mustIndexSeparateAccesses(unsigned index) const;
  /// Returns true if the value is the same in all executions.
  bool isSameInAllExecutions(const llvm::Value &v) const;
  /// Returns true if all threads that run the access between the same two barriers compute the same value for `v`.
  bool isUniformPerIntervalAt(const llvm::Value &v, const llvm::Instruction &access,
                              const llvm::DominatorTree &dominators) const;
  /// Returns true if proofs may depend on conditions. Proofs about loops may not, because no code tests them there.
  bool allowConditions() const { return !loop && facts.allowsConditions; }
  View chooseWrapAssumptions() const;

private:
  bool isCounterPlusConstant(const llvm::Value &v) const;
};

/// The index of a thread in its block.
using BlockThread = std::array<uint32_t, 3>;
/// Calls `visit` for the threads of a block. Returns true as soon as `visit` returns true.
bool anyThreadOfBlockSatisfies(const LaunchFacts &facts,
                               llvm::function_ref<bool(const BlockThread &)> visit);
/// The value of a polynomial for a thread of a block; nullopt if it depends on anything else.
std::optional<int64_t> evaluateForThread(const Polynomial &number, const BlockThread &thread);
/// Returns true if at least one of the comparisons is false for this thread of a block.
bool isAnyComparisonFalseFor(llvm::ArrayRef<Comparison> comparisons, const BlockThread &thread);

/// How an address determines each index.
struct Decoding {
  /// Describes, for each determined index, how it follows from the address: the divisions and remainders, then the
  /// multiple.
  std::map<unsigned, std::string> indices;
  /// Values that must be the same in both executions.
  llvm::SmallSetVector<const llvm::Instruction *, 2> steady;
  ProofConditions conditions;
};

/// Determines the indices of the execution of an access from its address.
class AddressDecoder {
public:
  enum Option : unsigned {
    KeepInductions = 1, ///< induction variables of loops are values like others
    KeepSteady = 2,     ///< so are the results of instructions that are the same for all threads
  };
  /// checks: the calls of simt.check.index in the function.
  AddressDecoder(const AccessedBytes &access, const Executions &executions,
                 const llvm::DominatorTree &dominators,
                 llvm::ArrayRef<const llvm::CallBase *> checks, unsigned options);
  AddressDecoder(const AddressDecoder &) = delete; // its builders refer to it

  std::optional<Polynomial> findOffset(const llvm::Value &object) {
    return build_.offsetOf(*access_.address, object);
  }
  /// Determines the indices of an access from its offset. `divisors`: candidates to try before those of
  /// candidateDivisorsOf().
  Decoding decode(const Polynomial &offset, llvm::ArrayRef<Polynomial> divisors);
  void addProofConditions(Decoding &found) const;
  /// Divides an address, or a part of an address, by `divisor`. Returns quotient and remainder; nullopt unless the
  /// remainder is in [0, divisor - bytes].
  std::optional<std::pair<Polynomial, Polynomial>>
  divideIfRemainderFits(const Polynomial &number, uint64_t bytes, const Polynomial &divisor);
  /// Candidates for E in `A * E + B`: products of parameters, or extents of the grid, with constants; then constants,
  /// the largest first.
  llvm::SmallVector<Polynomial> candidateDivisorsOf(const Polynomial &number) const;
  /// The comparisons that hold where the access runs.
  llvm::ArrayRef<Comparison> comparisons() const { return comparisons_; }
  /// The indices that are equal to constants where the access runs.
  llvm::SmallVector<std::pair<unsigned, const llvm::ConstantInt *>, 3>
  listIndicesFixedByGuards() const;

private:
  using Range = std::pair<int64_t, int64_t>;

  bool recordIfSameInExecutions(const llvm::Value &v);
  bool recordIfSameInExecutions(const Polynomial &number);
  void decode(const Polynomial &number, const std::string &path, uint64_t bytes, Decoding &found,
              unsigned depth, bool inPiece = false);
  bool canBeInDivisor(const llvm::Value &v) const;
  bool isUniformPerInterval(const llvm::Value &v) const;
  bool proveWithin(const Polynomial &number, uint64_t bytes, const Polynomial &limit);
  bool proveNonnegative(const Polynomial &number);
  std::optional<int64_t> largestValue(const Polynomial &number);
  std::optional<int64_t> smallestValue(const Monomial &monomial, int64_t factor);
  std::optional<Range> valueRangeOf(const llvm::Value &v);
  int64_t largestIndex(unsigned index) const;
  bool isKnownNonnegative(const llvm::Value &v) const;
  bool proveLimitedByCheck(const Polynomial &number, uint64_t bytes, const Polynomial &limit);
  bool isAssumedNotFromEnd(const llvm::Value &index) const;
  bool isUnsignedLess(const Comparison &comparison);

  const AccessedBytes access_;
  const Executions &executions_;
  const llvm::DominatorTree &dominators_;
  const llvm::ArrayRef<const llvm::CallBase *> checks_;
  const llvm::SmallVector<Comparison, 4> comparisons_;
  PolynomialBuilder build_;
  llvm::ArrayRef<Polynomial> moreDivisors_;
  llvm::SmallSetVector<const llvm::Value *, 4> positive_; ///< steady values that must be positive
  llvm::SmallSetVector<const llvm::Instruction *, 2> steady_;
};

} // namespace heddle::simt
