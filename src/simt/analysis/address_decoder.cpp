#include "simt/analysis/address_decoder.h"

#include "simt/analysis/grid_indices.h"
#include "simt/ir/checks.h"
#include "simt/ir/ops.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned maxDepth = 12;

bool isGridExtent(std::optional<Op> op) {
  return op == Op::GridDimX || op == Op::GridDimY || op == Op::GridDimZ;
}

/// Returns true for a value that is computed from the kernel's arguments alone.
bool dependsOnArgumentsOnly(const Value &v, unsigned depth = 0) {
  if (isa<Argument, llvm::Constant>(v)) {
    std::optional<Op> op = opOfLeaf(v);
    return !op || isGridExtent(op);
  }
  const auto *i = dyn_cast<Instruction>(&v);
  if (!i || depth > maxDepth || isa<PHINode>(i) || i->mayReadOrWriteMemory())
    return false;
  if (std::optional<Op> op = calledOp(i); op && *op != Op::Wrap)
    return dependsOnArgumentsOnly(*cast<CallBase>(i)->getCalledFunction()) &&
           cast<CallBase>(i)->arg_empty();
  return (isa<CallBase>(i) ? isWrap(*i) || isa<IntrinsicInst>(i) : true) &&
         all_of(i->operands(), [&](const Use &operand) {
           return isa<Function>(operand) || dependsOnArgumentsOnly(*operand, depth + 1);
         });
}

/// Returns the factor of a polynomial under the casts of a value.
const Value &polynomialLeafOf(const Value &value) {
  const Value *v = stripExtensions(const_cast<Value *>(&value));
  const auto *call = dyn_cast<CallBase>(v);
  return call && call->getCalledFunction() ? *call->getCalledFunction() : *v;
}

/// The value of a constant or of an index of the thread in its block.
std::optional<int64_t> evaluateForThread(const Value &value, const BlockThread &thread) {
  const Value &leaf = polynomialLeafOf(value);
  if (const auto *constant = dyn_cast<ConstantInt>(&leaf))
    return constant->getValue().trySExtValue();
  std::optional<unsigned> index = Executions::axisOfThreadOrBlockIndex(leaf);
  return index && *index < 3 ? std::optional(int64_t(thread[*index])) : std::nullopt;
}

const Value *findGridExtentTerm(const Polynomial &number, unsigned axis) {
  constexpr Op extents[] = {Op::GridDimX, Op::GridDimY, Op::GridDimZ};
  for (const auto &[monomial, factor] : number.terms())
    for (const Value *v : monomial)
      if (opOfLeaf(*v) == extents[axis])
        return v;
  return nullptr;
}

} // namespace

void ProofConditions::add(const ProofConditions &other) {
  exact.insert_range(other.exact);
  positive.insert_range(other.positive);
  append_range(distances, other.distances);
}

bool ProofConditions::mayBeBrokenByCorrectLaunch() const {
  return !positive.empty() || !distances.empty() ||
         any_of(exact, [](const Instruction *i) { return isWrap(*i); });
}

bool anyThreadOfBlockSatisfies(const LaunchFacts &facts,
                               function_ref<bool(const BlockThread &)> visit) {
  BlockThread thread{};
  for (thread[2] = 0; thread[2] < facts.block[2]; ++thread[2])
    for (thread[1] = 0; thread[1] < facts.block[1]; ++thread[1])
      for (thread[0] = 0; thread[0] < facts.block[0]; ++thread[0])
        if (visit(thread))
          return true;
  return false;
}

std::optional<int64_t> evaluateForThread(const Polynomial &number, const BlockThread &thread) {
  int64_t sum = 0;
  for (const auto &[monomial, factor] : number.terms()) {
    int64_t product = factor;
    for (const Value *v : monomial) {
      std::optional<unsigned> index = Executions::axisOfThreadOrBlockIndex(*v);
      if (!index || *index >= 3 || __builtin_mul_overflow(product, thread[*index], &product))
        return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return sum;
}

bool isAnyComparisonFalseFor(ArrayRef<Comparison> comparisons, const BlockThread &thread) {
  return any_of(comparisons, [&](const Comparison &c) {
    std::optional<int64_t> left = evaluateForThread(*c.left, thread),
                           right = evaluateForThread(*c.right, thread);
    return left && right &&
           !ICmpInst::compare(APInt(64, uint64_t(*left)), APInt(64, uint64_t(*right)), c.predicate);
  });
}

std::optional<unsigned> Executions::axisOfThreadOrBlockIndex(const Value &v) {
  std::optional<Op> op = opOfLeaf(v);
  const auto *found = op ? find(identity, *op) : identity.end();
  return found == identity.end() ? std::nullopt : std::optional(unsigned(found - identity.begin()));
}

std::optional<unsigned> Executions::executionIndexOf(const Value &v) const {
  if (!loop)
    return axisOfThreadOrBlockIndex(v);
  return isCounterPlusConstant(v) ? std::optional(counterIndex) : std::nullopt;
}

bool Executions::mustIndexSeparateAccesses(unsigned index) const {
  if (loop || index == counterIndex)
    return loop && index == counterIndex;
  return index < 3 ? facts.block[index] != 1 : !isShared && !facts.gridIsFlat[index - 3];
}

bool Executions::isSameInAllExecutions(const Value &v) const {
  return loop ? !isLoopCounterLeaf(v) && loop->isLoopInvariant(&v) : dependsOnArgumentsOnly(v);
}

bool Executions::isUniformPerIntervalAt(const Value &v, const Instruction &access,
                                        const DominatorTree &dominators) const {
  const auto *i = dyn_cast<Instruction>(&v);
  return isShared && allowConditions() && i && intervals->isUniformPerInterval(v) &&
         dominators.dominates(i, &access);
}

View Executions::chooseWrapAssumptions() const {
  if (loop)
    return View::Proof;
  return facts.allowsConditions ? View::AssumingFromStart : View::Assuming;
}

/// Returns true for counter + n or n - counter, which differ for each counter, even if they wrap around.
bool Executions::isCounterPlusConstant(const Value &v) const {
  const auto *i = dyn_cast<Instruction>(&v);
  if (&v == counter || !i)
    return &v == counter;
  if (isa<ZExtInst, SExtInst>(i))
    return isCounterPlusConstant(*i->getOperand(0));
  if (i->getOpcode() != Instruction::Add && i->getOpcode() != Instruction::Sub)
    return false;
  const Value &a = *i->getOperand(0), &b = *i->getOperand(1);
  return (isCounterPlusConstant(a) && loop->isLoopInvariant(&b)) ||
         (loop->isLoopInvariant(&a) && isCounterPlusConstant(b));
}

AddressDecoder::AddressDecoder(const AccessedBytes &access, const Executions &executions,
                               const DominatorTree &dominators, ArrayRef<const CallBase *> checks,
                               unsigned options)
    : access_(access), executions_(executions), dominators_(dominators), checks_(checks),
      comparisons_(collectImpliedComparisons(*access.by->getParent(), dominators)),
      build_(access.by->getDataLayout(), executions.chooseWrapAssumptions(), executions.facts,
             [this, options](const Value &v) {
               return &v == executions_.counter || (options & KeepInductions && isa<PHINode>(v)) ||
                      (options & KeepSteady && v.getType()->isIntegerTy() &&
                       isUniformPerInterval(v));
             }) {}

Decoding AddressDecoder::decode(const Polynomial &offset, ArrayRef<Polynomial> divisors) {
  Decoding found;
  moreDivisors_ = divisors;
  for (auto [index, value] : listIndicesFixedByGuards())
    found.indices[index] = "if " + std::to_string(value->getZExtValue());
  // With the divisors of other accesses, a multiple of a divisor may be part of the quotient.
  auto [uniform, varying] = offset.splitTerms([&](const Monomial &m) {
    return divisors.empty() && all_of(m, [&](const Value *v) {
             return executions_.isSameInAllExecutions(*v) ||
                    (isUniformPerInterval(*v) && recordIfSameInExecutions(*v));
           });
  });
  // Constants tell the accesses of an element's members apart.
  int64_t constant = uniform.constant();
  uniform.add(Monomial{}, -constant);
  varying.add(Monomial{}, constant);
  std::string path = "from " + uniform.str();
  bool isMirrored = any_of(varying.terms(), [&](const auto &term) {
    return term.first.size() == 1 && executions_.executionIndexOf(*term.first[0]) &&
           term.second < 0;
  });
  if (isMirrored) { // bytes [n, n + bytes) become [-n - bytes, -n)
    varying = varying.times(-1);
    varying.add(Monomial{}, -int64_t(access_.bytes));
    path += " mirrored";
  }
  decode(varying, path, access_.bytes, found, 0);
  addProofConditions(found);
  return found;
}

void AddressDecoder::addProofConditions(Decoding &found) const {
  found.steady.insert_range(steady_);
  found.conditions.exact.insert_range(build_.assumptions());
  for (const Value *v : positive_)
    found.conditions.positive.insert({access_.by, v});
}

std::optional<std::pair<Polynomial, Polynomial>>
AddressDecoder::divideIfRemainderFits(const Polynomial &number, uint64_t bytes,
                                      const Polynomial &divisor) {
  auto [quotient, remainder] = number.divide(divisor);
  auto positive = positive_;
  if (proveWithin(remainder, bytes, divisor))
    return std::pair(quotient, remainder);
  if (executions_.allowConditions()) { // a borrow
    quotient.add(Monomial{}, -1);
    remainder.add(divisor, 1);
    if (proveWithin(remainder, bytes, divisor))
      return std::pair(quotient, remainder);
  }
  positive_ = std::move(positive);
  return std::nullopt;
}

SmallVector<Polynomial> AddressDecoder::candidateDivisorsOf(const Polynomial &number) const {
  SmallVector<Polynomial> divisors;
  SmallVector<const Value *> symbols;
  std::vector<int64_t> constants;
  for (const auto &[monomial, factor] : number.terms()) {
    for (const Value *v : monomial)
      if (canBeInDivisor(*v) && !is_contained(symbols, v))
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

SmallVector<std::pair<unsigned, const ConstantInt *>, 3>
AddressDecoder::listIndicesFixedByGuards() const {
  SmallVector<std::pair<unsigned, const ConstantInt *>, 3> guards;
  for (const Comparison &c : comparisons_)
    if (const auto *value = dyn_cast<ConstantInt>(c.right);
        value && c.predicate == CmpInst::ICMP_EQ)
      if (std::optional<unsigned> index = executions_.executionIndexOf(polynomialLeafOf(*c.left)))
        guards.push_back({*index, value});
  return guards;
}

/// Returns true for a value that all executions see alike.
bool AddressDecoder::recordIfSameInExecutions(const Value &v) {
  if (executions_.isSameInAllExecutions(v))
    return true;
  if (!isUniformPerInterval(v))
    return false;
  steady_.insert(cast<Instruction>(&v));
  return true;
}

bool AddressDecoder::recordIfSameInExecutions(const Polynomial &number) {
  return all_of(number.terms(), [&](const auto &term) {
    return all_of(term.first, [&](const Value *v) { return recordIfSameInExecutions(*v); });
  });
}

/// Adds the indices that a number determines. bytes: the access is of [number, number + bytes).
void AddressDecoder::decode(const Polynomial &number, const std::string &path, uint64_t bytes,
                            Decoding &found, unsigned depth, bool inPiece) {
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
      if (std::optional<unsigned> index = executions_.executionIndexOf(*monomial[0]))
        found.indices.try_emplace(*index, path + " term " + (isInside ? varying : number).str());
    }
    if (monomial.size() == 1)
      return;
  }
  SmallVector<Polynomial> divisors(moreDivisors_);
  append_range(divisors, candidateDivisorsOf(number));
  for (const Polynomial &divisor : divisors) {
    auto parts = divideIfRemainderFits(number, bytes, divisor);
    if (!parts || parts->first.isConstant() || !recordIfSameInExecutions(divisor))
      continue;
    auto [quotient, remainder] = *parts;
    std::string step = path + " by " + divisor.str();
    decode(quotient, step + " quotient", 1, found, depth + 1);
    decode(remainder, step + " remainder", bytes, found, depth + 1);
    return;
  }
}

bool AddressDecoder::canBeInDivisor(const Value &v) const {
  return executions_.isSameInAllExecutions(v) || isUniformPerInterval(v);
}

/// Returns true for a computed value that a divisor may contain: it must be positive.
bool AddressDecoder::isUniformPerInterval(const Value &v) const {
  return executions_.isUniformPerIntervalAt(v, *access_.by, dominators_);
}

/// Returns true if 0 <= number and number + bytes <= limit whenever the access runs.
bool AddressDecoder::proveWithin(const Polynomial &number, uint64_t bytes,
                                 const Polynomial &limit) {
  Polynomial room = limit;
  room.add(number, -1);
  room.add(Monomial{}, -int64_t(bytes));
  auto positive = positive_;
  if (proveNonnegative(number) && proveNonnegative(room))
    return true;
  positive_ = std::move(positive);
  return proveLimitedByCheck(number, bytes, limit);
}

/// Returns true if the sum of the terms' smallest values is not negative.
bool AddressDecoder::proveNonnegative(const Polynomial &number) {
  Polynomial bound = number;
  // blockIdx <= gridDim - 1: the largest value of the index is the extent's symbol minus one.
  for (unsigned axis = 0; axis < 3; ++axis)
    bound.replaceTerms([&](const Monomial &m, int64_t factor) -> std::optional<Polynomial> {
      if (m.size() != 1 || factor >= 0 || Executions::axisOfThreadOrBlockIndex(*m[0]) != 3 + axis)
        return std::nullopt;
      const Value *extent = findGridExtentTerm(number, axis);
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
std::optional<int64_t> AddressDecoder::largestValue(const Polynomial &number) {
  int64_t most = 0;
  for (const auto &[monomial, factor] : number.terms()) {
    if (monomial.size() != 1 || factor < 0)
      return std::nullopt;
    std::optional<unsigned> index = Executions::axisOfThreadOrBlockIndex(*monomial[0]);
    int64_t value;
    if (!index || *index >= 3 || __builtin_mul_overflow(factor, largestIndex(*index), &value) ||
        __builtin_add_overflow(most, value, &most))
      return std::nullopt;
  }
  return most;
}

std::optional<int64_t> AddressDecoder::smallestValue(const Monomial &monomial, int64_t factor) {
  if (monomial.empty())
    return factor;
  int64_t low = 1, high = 1;
  for (const Value *v : monomial) {
    std::optional<Range> range = valueRangeOf(*v);
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
std::optional<AddressDecoder::Range> AddressDecoder::valueRangeOf(const Value &v) {
  if (std::optional<unsigned> index = Executions::axisOfThreadOrBlockIndex(v))
    return Range(0, largestIndex(*index));
  if (isGridExtent(opOfLeaf(v)))
    return Range(1, INT32_MAX);
  if (isLoopCounterLeaf(v) || &v == executions_.counter)
    return Range(0, INT64_MAX);
  if (const auto *argument = dyn_cast<Argument>(&v))
    if (std::optional<ConstantRange> range = argument->getRange())
      if (!range->getSignedMin().isNegative())
        return Range(range->getSignedMin().getSExtValue(), range->getSignedMax().getSExtValue());
  if (isKnownNonnegative(v))
    return Range(0, INT64_MAX);
  if (isUniformPerInterval(v)) {
    positive_.insert(&v);
    return Range(1, INT64_MAX);
  }
  return std::nullopt;
}

/// The largest index of a thread or block that runs the access.
int64_t AddressDecoder::largestIndex(unsigned index) const {
  unsigned extent = index < 3 ? executions_.facts.block[index] : 0;
  int64_t most = extent ? int64_t(extent) - 1 : int64_t(INT32_MAX);
  for (const Comparison &c : comparisons_) {
    const auto *limit = dyn_cast<ConstantInt>(c.right);
    if (limit && !limit->isNegative() && ICmpInst::isLT(c.predicate) &&
        Executions::axisOfThreadOrBlockIndex(polynomialLeafOf(*c.left)) == index)
      most = std::min(most, limit->getSExtValue() - 1);
  }
  return std::max(most, int64_t(0));
}

bool AddressDecoder::isKnownNonnegative(const Value &v) const {
  return any_of(comparisons_, [&](const Comparison &c) {
    return c.right == &v && ((c.predicate == CmpInst::ICMP_SLE && match(c.left, m_Zero())) ||
                             (c.predicate == CmpInst::ICMP_SLT &&
                              (match(c.left, m_AllOnes()) || match(c.left, m_Zero()))));
  });
}

/// Returns true if a check 0 <= checked < extent runs before the access, with number = c * checked + d,
/// limit = c * extent and 0 <= d <= c - bytes.
bool AddressDecoder::proveLimitedByCheck(const Polynomial &number, uint64_t bytes,
                                         const Polynomial &limit) {
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
  for (const CallBase *call : checks_) {
    if (!dominators_.dominates(call, access_.by))
      continue;
    IndexCheck check = IndexCheck::of(*call);
    if (check.isSingleIndex() &&
        (match(check.low, m_Zero()) || isAssumedNotFromEnd(*check.first)) &&
        isLimit(*check.first, *check.high))
      return true;
  }
  return any_of(comparisons_, [&](const Comparison &c) {
    return isUnsignedLess(c) && isLimit(*c.left, *c.right);
  });
}

/// Returns true if the index is assumed not to count from the end.
bool AddressDecoder::isAssumedNotFromEnd(const Value &index) const {
  return any_of(build_.assumptions(), [&](const Instruction *i) {
    return isWrap(*i) && cast<CallBase>(i)->getArgOperand(0) == &index;
  });
}

/// Returns true for 0 <= left < right, without conditions.
bool AddressDecoder::isUnsignedLess(const Comparison &comparison) {
  if (comparison.predicate == CmpInst::ICMP_ULT)
    return true;
  if (comparison.predicate != CmpInst::ICMP_SLT)
    return false;
  auto positive = positive_;
  bool isNotNegative = proveNonnegative(PolynomialBuilder(build_).of(*comparison.left));
  bool isSure = positive_.size() == positive.size();
  positive_ = std::move(positive);
  return isNotNegative && isSure;
}

} // namespace heddle::simt
