#include "simt/analysis/disjoint_accesses.h"

#include "simt/analysis/guards.h"
#include "simt/analysis/polynomial.h"
#include "simt/ir/checks.h"
#include "simt/ir/ops.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

#include <map>
#include <numeric>

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// The indices that identify a thread of a launch: of the thread in its block, then of the block.
constexpr Op identity[] = {Op::ThreadIdX, Op::ThreadIdY, Op::ThreadIdZ,
                           Op::BlockIdX,  Op::BlockIdY,  Op::BlockIdZ};
constexpr unsigned maxDepth = 12;

std::optional<unsigned> identityIndex(const Value &v) {
  std::optional<Op> op = opOfLeaf(v);
  auto found = op ? find(identity, *op) : std::end(identity);
  if (found == std::end(identity))
    return std::nullopt;
  return unsigned(found - identity);
}

/// The executions of an access to tell apart: by the indices of all threads or by the counter of a loop.
struct Executions {
  const LaunchFacts facts;
  const Loop *loop = nullptr;
  const Value *counter = nullptr;
  static constexpr unsigned counterIndex = std::size(identity);

  /// The number of the index that a factor determines.
  std::optional<unsigned> indexOf(const Value &v) const {
    if (!loop)
      return identityIndex(v);
    return isShiftedCounter(v) ? std::optional(counterIndex) : std::nullopt;
  }
  /// Returns true if the factor is the same in all executions.
  bool isCommon(const Value &v) const {
    return loop ? !isCounter(v) && loop->isLoopInvariant(&v) : isa<Argument>(v);
  }

private:
  /// Returns true for counter + n or n - counter, which differ for each counter, even if they wrap around.
  bool isShiftedCounter(const Value &v) const {
    const auto *i = dyn_cast<Instruction>(&v);
    if (&v == counter || !i)
      return &v == counter;
    if (isa<ZExtInst, SExtInst>(i))
      return isShiftedCounter(*i->getOperand(0));
    if (i->getOpcode() != Instruction::Add && i->getOpcode() != Instruction::Sub)
      return false;
    const Value &a = *i->getOperand(0), &b = *i->getOperand(1);
    return (isShiftedCounter(a) && loop->isLoopInvariant(&b)) ||
           (loop->isLoopInvariant(&a) && isShiftedCounter(b));
  }
};

/// How an address determines each index: by which divisions and remainders, then from which multiple.
using Decoding = std::map<unsigned, std::string>;

/// Determines the indices of the execution of an access from its address.
class AddressDecoder {
public:
  AddressDecoder(const AccessedBytes &access, const Executions &executions,
                 const DominatorTree &dominators, PolynomialBuilder &build)
      : access_(*access.by), bytes_(access.bytes), executions_(executions), dominators_(dominators),
        build_(build) {}

  Decoding decode(const Polynomial &offset) {
    Decoding found;
    anyComparison([&](const Comparison &c) { return addGuard(c, found); });
    auto [uniform, varying] = offset.split([&](const Monomial &m) {
      return all_of(m, [&](const Value *v) { return executions_.isCommon(*v); });
    });
    // Constants tell the accesses of an element's members apart.
    int64_t constant = uniform.constant();
    uniform.add(Monomial{}, -constant);
    varying.add(Monomial{}, constant);
    std::string path = "from " + uniform.str();
    bool isMirrored = any_of(varying.terms(), [&](const auto &term) {
      return term.first.size() == 1 && executions_.indexOf(*term.first[0]) && term.second < 0;
    });
    if (isMirrored) { // bytes [n, n + bytes) become [-n - bytes, -n)
      varying = varying.times(-1);
      varying.add(Monomial{}, -int64_t(bytes_));
      path += " mirrored";
    }
    decode(varying, path, bytes_, found, 0);
    return found;
  }

private:
  /// Adds the index if the comparison is `index == constant`. Returns false, to see all comparisons.
  bool addGuard(const Comparison &c, Decoding &found) const {
    const Value *index = c.left;
    while (isa<SExtInst, ZExtInst>(index))
      index = cast<CastInst>(index)->getOperand(0);
    if (const auto *call = dyn_cast<CallBase>(index); call && call->getCalledFunction())
      index = call->getCalledFunction();
    if (c.predicate == CmpInst::ICMP_EQ && isa<llvm::Constant>(c.right))
      if (std::optional<unsigned> which = executions_.indexOf(*index))
        found[*which] = "if " + std::to_string(reinterpret_cast<uintptr_t>(c.right));
    return false;
  }

  /// Adds the indices that a number determines. bytes: the access is of [number, number + bytes).
  void decode(const Polynomial &number, const std::string &path, uint64_t bytes, Decoding &found,
              unsigned depth, bool inPiece = false) {
    if (depth > maxDepth || number.isConstant())
      return;
    // Pieces of memory one behind the other: the constant tells the piece.
    int64_t constant = number.constant();
    Polynomial varying = number;
    varying.add(Monomial{}, -constant);
    if (std::optional<int64_t> most = largestValue(varying); most && constant >= 0 && !inPiece) {
      int64_t piece = *most + varying.commonFactor();
      if (*most + constant % piece + int64_t(bytes) <= piece) {
        varying.add(Monomial{}, constant % piece);
        return decode(varying, path + " in piece of " + std::to_string(piece), bytes, found,
                      depth + 1, /*inPiece=*/true);
      }
    }
    if (std::optional<std::pair<Monomial, int64_t>> single = number.singleTerm()) {
      auto [monomial, factor] = *single;
      if (monomial.size() == 1 && uint64_t(std::abs(factor)) >= bytes) {
        bool isInside = constant >= 0 && constant + int64_t(bytes) <= factor;
        if (std::optional<unsigned> index = executions_.indexOf(*monomial[0]))
          found.try_emplace(*index, path + " term " + (isInside ? varying : number).str());
      }
      if (monomial.size() == 1)
        return;
    }
    for (const Polynomial &divisor : divisorsOf(number)) {
      auto [quotient, remainder] = number.divide(divisor);
      if (quotient.isConstant() || !isWithin(remainder, bytes, divisor))
        continue;
      std::string step = path + " by " + divisor.str();
      decode(quotient, step + " quotient", 1, found, depth + 1);
      decode(remainder, step + " remainder", bytes, found, depth + 1);
      return;
    }
  }

  /// Candidates for E in `A * E + B`: products of parameters, or extents of the grid, with constants; then constants, the
  /// largest first.
  SmallVector<Polynomial> divisorsOf(const Polynomial &number) const {
    SmallVector<Polynomial> divisors;
    SmallVector<const Value *> symbols;
    std::vector<int64_t> constants;
    for (const auto &[monomial, factor] : number.terms()) {
      for (const Value *v : monomial)
        if (isSymbol(*v) && !is_contained(symbols, v))
          symbols.push_back(v);
      if (!monomial.empty())
        constants.push_back(std::abs(factor));
    }
    for (const Value *symbol : symbols) {
      int64_t common = 0;
      for (const auto &[monomial, factor] : number.terms())
        if (is_contained(monomial, symbol))
          common = std::gcd(common, factor);
      divisors.push_back(Polynomial::term({symbol}, common));
    }
    std::sort(constants.rbegin(), constants.rend());
    constants.erase(std::unique(constants.begin(), constants.end()), constants.end());
    for (int64_t constant : constants)
      if (constant > 1)
        divisors.push_back(Polynomial::term({}, constant));
    return divisors;
  }

  bool isSymbol(const Value &v) const {
    std::optional<Op> op = opOfLeaf(v);
    return executions_.isCommon(v) || op == Op::GridDimX || op == Op::GridDimY ||
           op == Op::GridDimZ;
  }

  /// Returns true if 0 <= number and number + bytes <= limit whenever the access runs.
  bool isWithin(const Polynomial &number, uint64_t bytes, const Polynomial &limit) const {
    Polynomial room = limit;
    room.add(number, -1);
    room.add(Monomial{}, -int64_t(bytes));
    if (isNonnegative(number) && isNonnegative(room))
      return true;
    return isLimited(number, bytes, limit);
  }

  /// Returns true if the sum of the terms' smallest values is not negative.
  bool isNonnegative(const Polynomial &number) const {
    Polynomial bound = number;
    // blockIdx <= gridDim - 1: the largest value of the index is the extent's symbol minus one.
    for (unsigned axis = 0; axis < 3; ++axis)
      bound.replace([&](const Monomial &m, int64_t factor) -> std::optional<Polynomial> {
        if (m.size() != 1 || factor >= 0 || identityIndex(*m[0]) != 3 + axis)
          return std::nullopt;
        const Value *extent = gridExtent(number, axis);
        if (!extent)
          return std::nullopt;
        Polynomial largest = Polynomial::term({extent}, factor);
        largest.add(Monomial{}, -factor);
        return largest;
      });
    int64_t least = 0;
    for (const auto &[monomial, factor] : bound.terms()) {
      std::optional<int64_t> value = smallestValue(monomial, factor);
      if (!value || __builtin_add_overflow(least, *value, &least))
        return false;
    }
    return least >= 0;
  }

  /// The largest value of a sum of indices of threads; nullopt if there is none.
  std::optional<int64_t> largestValue(const Polynomial &number) const {
    int64_t most = 0;
    for (const auto &[monomial, factor] : number.terms()) {
      if (monomial.size() != 1 || factor < 0)
        return std::nullopt;
      std::optional<unsigned> index = identityIndex(*monomial[0]);
      int64_t value;
      if (!index || *index >= 3 ||
          __builtin_mul_overflow(factor, rangeOf(*monomial[0])->second, &value) ||
          __builtin_add_overflow(most, value, &most))
        return std::nullopt;
    }
    return most;
  }

  static const Value *gridExtent(const Polynomial &number, unsigned axis) {
    constexpr Op extents[] = {Op::GridDimX, Op::GridDimY, Op::GridDimZ};
    for (const auto &[monomial, factor] : number.terms())
      for (const Value *v : monomial)
        if (opOfLeaf(*v) == extents[axis])
          return v;
    return nullptr;
  }

  std::optional<int64_t> smallestValue(const Monomial &monomial, int64_t factor) const {
    if (monomial.empty())
      return factor;
    int64_t low = 1, high = 1;
    for (const Value *v : monomial) {
      std::optional<std::pair<int64_t, int64_t>> range = rangeOf(*v);
      if (!range || __builtin_mul_overflow(low, range->first, &low))
        return std::nullopt;
      if (__builtin_mul_overflow(high, range->second, &high))
        high = INT64_MAX;
    }
    int64_t value;
    if (factor < 0 && high == INT64_MAX)
      return std::nullopt;
    if (__builtin_mul_overflow(factor, factor < 0 ? high : low, &value))
      return std::nullopt;
    return value;
  }

  /// The range of a value that is never negative.
  std::optional<std::pair<int64_t, int64_t>> rangeOf(const Value &v) const {
    if (std::optional<unsigned> index = identityIndex(v)) {
      unsigned extent = *index < 3 ? executions_.facts.block[*index] : 0;
      return std::pair(int64_t(0), extent ? int64_t(extent) - 1 : int64_t(INT32_MAX));
    }
    std::optional<Op> op = opOfLeaf(v);
    if (op == Op::GridDimX || op == Op::GridDimY || op == Op::GridDimZ)
      return std::pair(int64_t(1), int64_t(INT32_MAX));
    if (isCounter(v) || &v == executions_.counter)
      return std::pair(int64_t(0), INT64_MAX);
    if (const auto *argument = dyn_cast<Argument>(&v))
      if (std::optional<ConstantRange> range = argument->getRange())
        if (!range->getSignedMin().isNegative())
          return std::pair(range->getSignedMin().getSExtValue(),
                           range->getSignedMax().getSExtValue());
    return std::nullopt;
  }

  /// Returns true if a check 0 <= checked < extent runs before the access, with number = c * checked + d,
  /// limit = c * extent and 0 <= d <= c - bytes.
  bool isLimited(const Polynomial &number, uint64_t bytes, const Polynomial &limit) const {
    auto isLimit = [&](const Value &index, const Value &most) {
      PolynomialBuilder build(build_);
      Polynomial checked = build.of(index), extent = build.of(most);
      auto implies = [&](int64_t c) {
        Polynomial rest = number;
        rest.add(checked, -c);
        return extent.times(c) == limit && rest.isConstant() && rest.constant() >= 0 &&
               rest.constant() + int64_t(bytes) <= c;
      };
      if (!implies(1) && !implies(limit.commonFactor()))
        return false;
      build_.addAssumptions(build);
      return true;
    };
    for (const Instruction &i : instructions(*access_.getFunction())) {
      if (calledOp(&i) != Op::CheckIndex || !dominators_.dominates(&i, &access_))
        continue;
      IndexCheck check = IndexCheck::of(cast<CallBase>(i));
      if (check.isSingleIndex() && match(check.low, m_Zero()) && isLimit(*check.first, *check.high))
        return true;
    }
    return anyComparison([&](const Comparison &c) {
      PolynomialBuilder build(build_);
      return (c.predicate == CmpInst::ICMP_ULT ||
              (c.predicate == CmpInst::ICMP_SLT && isNonnegative(build.of(*c.left)))) &&
             isLimit(*c.left, *c.right);
    });
  }

  bool anyComparison(function_ref<bool(const Comparison &)> visit) const {
    return anyImpliedComparison(*access_.getParent(), dominators_,
                                [&](const Comparison &c, const BasicBlock &) { return visit(c); });
  }

  const Instruction &access_;
  const uint64_t bytes_;
  const Executions &executions_;
  const DominatorTree &dominators_;
  PolynomialBuilder &build_;
};

/// The indices that all accesses determine in the same way.
Decoding decodeAll(const Value &object, ArrayRef<AccessedBytes> accesses,
                   const Executions &executions, const DominatorTree &dominators,
                   PolynomialBuilder &build) {
  std::optional<Decoding> common;
  for (const AccessedBytes &access : accesses) {
    std::optional<Polynomial> offset = build.offsetOf(*access.address, object);
    if (!offset)
      return {};
    Decoding found = AddressDecoder(access, executions, dominators, build).decode(*offset);
    if (common)
      std::erase_if(*common, [&](const auto &entry) {
        auto same = found.find(entry.first);
        return same == found.end() || same->second != entry.second;
      });
    else
      common = std::move(found);
  }
  return common.value_or(Decoding());
}

} // namespace

bool haveDisjointThreads(const Value &object, ArrayRef<AccessedBytes> accesses,
                         const LaunchFacts &facts, const DominatorTree &dominators,
                         PolynomialBuilder &build) {
  Decoding found = decodeAll(object, accesses, Executions{facts}, dominators, build);
  bool isShared = object.getType()->getPointerAddressSpace() == Shared;
  for (unsigned axis = 0; axis < 3; ++axis)
    if ((facts.block[axis] != 1 && !found.contains(axis)) ||
        (!isShared && !facts.gridIsFlat[axis] && !found.contains(3 + axis)))
      return false;
  return true;
}

bool haveDisjointIterations(const Value &object, ArrayRef<AccessedBytes> accesses, const Loop &loop,
                            const Value &counter, const DominatorTree &dominators) {
  Executions executions{.facts = {}, .loop = &loop, .counter = &counter};
  PolynomialBuilder build(loop.getHeader()->getDataLayout(), View::Proof, {}, &counter);
  return decodeAll(object, accesses, executions, dominators, build)
      .contains(Executions::counterIndex);
}

} // namespace heddle::simt
