#include "simt/analysis/polynomial.h"

#include "simt/ir/ops.h"
#include "simt/launch_facts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#include <numeric>

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr unsigned maxExpressionDepth = 16;
/// Larger polynomials are opaque values.
constexpr size_t maxTerms = 16;

std::optional<unsigned> axisOf(Op op, Op first) {
  unsigned axis = unsigned(op) - unsigned(first);
  return axis < 3 ? std::optional(axis) : std::nullopt;
}

} // namespace

Polynomial Polynomial::term(Monomial factors, int64_t factor) {
  Polynomial p;
  llvm::sort(factors);
  p.add(factors, factor);
  return p;
}

void Polynomial::add(const Monomial &monomial, int64_t factor) {
  int64_t &sum = terms_[monomial];
  sum = int64_t(uint64_t(sum) + uint64_t(factor));
  if (sum == 0)
    terms_.erase(monomial);
}

void Polynomial::add(const Polynomial &other, int64_t factor) {
  for (const auto &[monomial, own] : other.terms_)
    add(monomial, int64_t(uint64_t(own) * uint64_t(factor)));
}

Polynomial Polynomial::times(int64_t factor) const {
  Polynomial product;
  product.add(*this, factor);
  return product;
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial product;
  for (const auto &[a, factorA] : terms_)
    for (const auto &[b, factorB] : other.terms_) {
      Monomial both(a);
      append_range(both, b);
      llvm::sort(both);
      product.add(both, int64_t(uint64_t(factorA) * uint64_t(factorB)));
    }
  return product;
}

int64_t Polynomial::constant() const {
  auto found = terms_.find(Monomial{});
  return found == terms_.end() ? 0 : found->second;
}

std::optional<std::pair<Monomial, int64_t>> Polynomial::singleTerm() const {
  std::optional<std::pair<Monomial, int64_t>> single;
  for (const auto &[monomial, factor] : terms_) {
    if (monomial.empty())
      continue;
    if (single)
      return std::nullopt;
    single = {monomial, factor};
  }
  return single;
}

int64_t Polynomial::commonFactor() const {
  int64_t common = 0;
  for (const auto &[monomial, factor] : terms_)
    common = std::gcd(common, factor);
  return common;
}

std::pair<Polynomial, Polynomial>
Polynomial::split(function_ref<bool(const Monomial &)> predicate) const {
  Polynomial yes, no;
  for (const auto &[monomial, factor] : terms_)
    (predicate(monomial) ? yes : no).add(monomial, factor);
  return {yes, no};
}

std::pair<Polynomial, Polynomial> Polynomial::divide(const Polynomial &divisor) const {
  const auto &[factors, number] = *divisor.terms_.begin();
  Polynomial quotient, remainder;
  for (const auto &[monomial, factor] : terms_) {
    Monomial rest(monomial);
    bool divides = factor % number == 0 && all_of(factors, [&](const Value *v) {
                     auto found = find(rest, v);
                     if (found == rest.end())
                       return false;
                     rest.erase(found);
                     return true;
                   });
    if (divides)
      quotient.add(rest, factor / number);
    else
      remainder.add(monomial, factor);
  }
  return {quotient, remainder};
}

void Polynomial::replace(
    function_ref<std::optional<Polynomial>(const Monomial &, int64_t)> replacement) {
  Polynomial replaced;
  for (const auto &[monomial, factor] : terms_) {
    if (std::optional<Polynomial> other = replacement(monomial, factor))
      replaced.add(*other, 1);
    else
      replaced.add(monomial, factor);
  }
  *this = std::move(replaced);
}

std::string Polynomial::str() const {
  std::string text;
  for (const auto &[monomial, factor] : terms_) {
    text += " + " + std::to_string(factor);
    for (const Value *v : monomial)
      text += " * " + std::to_string(reinterpret_cast<uintptr_t>(v));
  }
  return text;
}

std::optional<Op> opOfLeaf(const Value &v) {
  const auto *f = dyn_cast<Function>(&v);
  return f ? opNamed(f->getName()) : std::nullopt;
}

bool isCounter(const Value &v) { return isa<BasicBlock>(v); }

Polynomial PolynomialBuilder::of(const Value &v) { return of(v, 0); }

/// An operation without operands is represented by its function, so that all its calls are the same value.
Polynomial PolynomialBuilder::ofLeaf(const Value &v) const {
  std::optional<Op> op = calledOp(&v);
  if (!op || !info(*op).has(Pure) || !cast<CallBase>(v).arg_empty())
    return Polynomial::term({&v}, 1);
  if (std::optional<unsigned> axis = axisOf(*op, Op::BlockDimX))
    return Polynomial::term({}, facts_.block[*axis]);
  if (std::optional<unsigned> axis = axisOf(*op, Op::GridDimX); axis && facts_.gridIsFlat[*axis])
    return Polynomial::term({}, 1);
  if (std::optional<unsigned> axis = axisOf(*op, Op::BlockIdX); axis && facts_.gridIsFlat[*axis])
    return {};
  if (std::optional<unsigned> axis = axisOf(*op, Op::ThreadIdX); axis && facts_.block[*axis] == 1)
    return {};
  return Polynomial::term({cast<CallBase>(v).getCalledFunction()}, 1);
}

bool PolynomialBuilder::isGridIndex(const Polynomial &p) const {
  if (!facts_.hasSmallIndices)
    return false;
  for (unsigned axis = 0; axis < 3; ++axis) {
    auto isOf = [&](const Value *v, Op first) {
      std::optional<Op> op = opOfLeaf(*v);
      return op && axisOf(*op, first) == axis;
    };
    if (all_of(p.terms(), [&](const auto &term) {
          const auto &[monomial, factor] = term;
          return monomial.size() == 1 && ((isOf(monomial[0], Op::ThreadIdX) && factor == 1) ||
                                          (isOf(monomial[0], Op::BlockIdX) && factor >= 0 &&
                                           factor <= int64_t(facts_.block[axis])));
        }))
      return true;
  }
  return false;
}

Polynomial PolynomialBuilder::of(const Value &v, unsigned depth) {
  Polynomial opaque = ofLeaf(v);
  if (const auto *c = dyn_cast<ConstantInt>(&v))
    return c->getBitWidth() <= 64 ? Polynomial::term({}, c->getSExtValue()) : opaque;
  if (depth > maxExpressionDepth)
    return opaque;
  if (const auto *cast = dyn_cast<CastInst>(&v)) {
    const Value &from = *cast->getOperand(0);
    if (!isa<SExtInst, ZExtInst>(cast))
      return opaque;
    Polynomial narrow = of(from, depth + 1);
    bool keeps = isa<SExtInst>(cast) || cast->hasNonNeg() || isGridIndex(narrow) ||
                 (calledOp(&from) && narrow == ofLeaf(from));
    if (!keeps)
      assumptions_.insert(cast);
    return narrow;
  }
  if (const auto *phi = dyn_cast<PHINode>(&v))
    return ofInduction(*phi, depth).value_or(opaque);
  const auto *i = dyn_cast<BinaryOperator>(&v);
  if (!i)
    return opaque;
  Polynomial result;
  Polynomial a = of(*i->getOperand(0), depth + 1), b = of(*i->getOperand(1), depth + 1);
  switch (i->getOpcode()) {
  case Instruction::Add:
    result = a;
    result.add(b, 1);
    break;
  case Instruction::Sub:
    result = a;
    result.add(b, -1);
    break;
  case Instruction::Or:
    if (!cast<PossiblyDisjointInst>(i)->isDisjoint())
      return opaque;
    result = a;
    result.add(b, 1);
    break;
  case Instruction::Mul:
    result = a * b;
    break;
  case Instruction::Shl:
    if (!b.isConstant() || b.constant() < 0 || b.constant() > 32)
      return opaque;
    result = a.times(int64_t(1) << b.constant());
    break;
  default:
    return opaque;
  }
  if (result.terms().size() > maxTerms)
    return opaque;
  bool isExact = i->getType()->isIntegerTy(64) || i->getOpcode() == Instruction::Or ||
                 i->hasNoSignedWrap() || isGridIndex(result);
  if (!isExact)
    assumptions_.insert(i);
  return result;
}

std::optional<Polynomial> PolynomialBuilder::ofInduction(const PHINode &phi, unsigned depth) {
  if (phi.getNumIncomingValues() != 2)
    return std::nullopt;
  for (unsigned latch : {0u, 1u}) {
    const auto *next = dyn_cast<BinaryOperator>(phi.getIncomingValue(latch));
    if (!next || next->getOpcode() != Instruction::Add || !is_contained(next->operands(), &phi))
      continue;
    const Value &step = *next->getOperand(next->getOperand(0) == &phi);
    Polynomial distance = of(step, depth + 1);
    bool isFixed = all_of(distance.terms(), [](const auto &term) {
      return all_of(term.first, [](const Value *v) { return isa<Argument, Function>(v); });
    });
    if (!isFixed)
      return std::nullopt;
    if (!phi.getType()->isIntegerTy(64) && !next->hasNoSignedWrap())
      assumptions_.insert(next);
    Polynomial value = of(*phi.getIncomingValue(1 - latch), depth + 1);
    value.add(distance * Polynomial::term({phi.getParent()}, 1), 1);
    return value;
  }
  return std::nullopt;
}

std::optional<Polynomial> PolynomialBuilder::offsetOf(const Value &address, const Value &object) {
  const DataLayout *layout = nullptr;
  if (const auto *i = dyn_cast<Instruction>(&address))
    layout = &i->getDataLayout();
  Polynomial offset;
  const Value *at = address.stripPointerCasts();
  while (const auto *gep = dyn_cast<GEPOperator>(at)) {
    SmallMapVector<Value *, APInt, 4> terms;
    APInt constant(64, 0);
    if (!layout || !gep->collectOffset(*layout, 64, terms, constant))
      return std::nullopt;
    offset.add(Monomial{}, constant.getSExtValue());
    for (const auto &[value, factor] : terms)
      offset.add(of(*value), factor.getSExtValue());
    at = gep->getPointerOperand()->stripPointerCasts();
  }
  if (at != object.stripPointerCasts())
    return std::nullopt;
  return offset;
}

} // namespace heddle::simt
