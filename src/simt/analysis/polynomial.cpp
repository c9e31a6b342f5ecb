#include "simt/analysis/polynomial.h"

#include "simt/ir/checks.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

#include <numeric>

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned maxExpressionDepth = 16;
/// Larger polynomials are opaque values.
constexpr size_t maxTerms = 16;

std::optional<unsigned> axisOf(Op op, Op first) {
  unsigned axis = unsigned(op) - unsigned(first);
  return axis < 3 ? std::optional(axis) : std::nullopt;
}

/// Matches `x < bound ? index + extent : index` with index == x - bound, and the same with swapped operands. Returns
/// `index`.
Value *matchIndexFromEnd(const Instruction &i) {
  CmpPredicate predicate;
  Value *x, *yes, *no;
  const APInt *bound, *added;
  if (!match(&i,
             m_Select(m_ICmp(predicate, m_Value(x), m_APInt(bound)), m_Value(yes), m_Value(no))) ||
      (predicate != ICmpInst::ICMP_SLT && predicate != ICmpInst::ICMP_SGT))
    return nullptr;
  Value *index = predicate == ICmpInst::ICMP_SLT ? no : yes;
  APInt start = predicate == ICmpInst::ICMP_SLT ? *bound : *bound + 1;
  if (!match(index, m_AddLike(m_Specific(x), m_APInt(added))))
    return index == x && start.isZero() ? index : nullptr;
  return added->getBitWidth() == start.getBitWidth() && *added == -start ? index : nullptr;
}

/// Matches the sign bit of an integer, possibly shifted: the extent that a negative index adds, if it is constant.
bool isSignBit(const Instruction &i) {
  const APInt *bits, *bit;
  unsigned width = i.getType()->getScalarSizeInBits();
  return match(&i, m_LShr(m_Value(), m_SpecificInt(width - 1))) ||
         (match(&i, m_And(m_LShr(m_Value(), m_APInt(bits)), m_Power2(bit))) &&
          *bits + bit->logBase2() == width - 1);
}

/// The terms of an index that counts from the end if negative, as if it never were; nullopt for other values.
std::optional<Terms> termsAssumingIndexFromStart(const Instruction &i) {
  if (isWrap(i)) // few threads count from the end
    return Terms{{i.getOperand(0)}};
  if (isSignBit(i))
    return Terms{};
  Value *index = matchIndexFromEnd(i);
  return index ? std::optional(Terms{{index}}) : std::nullopt;
}

/// The address of an object, a constant, and multiples of indices.
std::optional<Terms> termsOfAddress(const GEPOperator &address, const DataLayout &layout) {
  unsigned bits = layout.getIndexTypeSizeInBits(address.getType());
  SmallMapVector<Value *, APInt, 4> indices;
  APInt constant(bits, 0);
  if (address.getType()->isVectorTy() || !address.collectOffset(layout, bits, indices, constant))
    return std::nullopt;
  Terms terms{{const_cast<Value *>(address.getPointerOperand())},
              {ConstantInt::get(address.getContext(), constant)}};
  for (const auto &[index, scale] : indices)
    terms.push_back({index, scale.getSExtValue()});
  return terms;
}

/// The terms of a product; the operands if none is constant.
Terms termsOfProduct(Value &a, Value &b) {
  const APInt *constant;
  if (match(&b, m_APInt(constant)) && constant->isSignedIntN(64))
    return {{&a, constant->getSExtValue()}};
  if (match(&a, m_APInt(constant)) && constant->isSignedIntN(64))
    return {{&b, constant->getSExtValue()}};
  return {{&a, 1, &b}};
}

} // namespace

std::optional<Terms> termsOf(const Value &v, View view, const DataLayout &layout) {
  if (const auto *address = dyn_cast<GEPOperator>(&v))
    return termsOfAddress(*address, layout);
  if (const auto *cast = dyn_cast<AddrSpaceCastOperator>(&v))
    return Terms{{const_cast<Value *>(cast->getPointerOperand())}};
  const auto *i = dyn_cast<Instruction>(&v);
  if (!i)
    return std::nullopt;
  if (view == View::Estimate)
    if (std::optional<Terms> terms = termsAssumingIndexFromStart(*i))
      return terms;
  auto sum = [&](int64_t second) { return Terms{{i->getOperand(0)}, {i->getOperand(1), second}}; };
  const APInt *constant;
  switch (i->getOpcode()) {
  case Instruction::Add:
    return sum(1);
  case Instruction::Sub:
    return sum(-1);
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(i)->isDisjoint() ? std::optional(sum(1)) : std::nullopt;
  case Instruction::Mul:
    return termsOfProduct(*i->getOperand(0), *i->getOperand(1));
  case Instruction::Xor: // ~x is -x - 1
    return match(i->getOperand(1), m_AllOnes())
               ? std::optional(Terms{{i->getOperand(0), -1}, {i->getOperand(1)}})
               : std::nullopt;
  case Instruction::Shl:
    return match(i->getOperand(1), m_APInt(constant)) && constant->ult(32)
               ? std::optional(Terms{{i->getOperand(0), int64_t(1) << constant->getZExtValue()}})
               : std::nullopt;
  default:
    return isa<FreezeInst>(i) ||
                   (isa<CastInst>(i) && !i->getOperand(0)->getType()->isFloatingPointTy())
               ? std::optional(Terms{{i->getOperand(0)}})
               : std::nullopt;
  }
}

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

Polynomial Polynomial::operator-(const Polynomial &other) const {
  Polynomial difference(*this);
  difference.add(other, -1);
  return difference;
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
Polynomial::splitTerms(function_ref<bool(const Monomial &)> predicate) const {
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

void Polynomial::replaceTerms(
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

bool isLoopCounterLeaf(const Value &v) { return isa<BasicBlock>(v); }

Polynomial PolynomialBuilder::of(const Value &v) { return of(v, 0); }

/// An operation without operands is represented by its function, so that all its calls are the same value.
Polynomial PolynomialBuilder::ofOpaqueValue(const Value &v) const {
  std::optional<Op> op = calledOp(&v);
  if (!op || !info(*op).has(Pure) || !cast<CallBase>(v).arg_empty())
    return Polynomial::term({&v}, 1);
  if (std::optional<unsigned> axis = axisOf(*op, Op::BlockDimX); axis && facts_.block[*axis])
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
  Polynomial opaque = ofOpaqueValue(v);
  if (const auto *c = dyn_cast<ConstantInt>(&v))
    return c->getBitWidth() <= 64 ? Polynomial::term({}, c->getSExtValue()) : opaque;
  if (depth > maxExpressionDepth || (keep_ && keep_(v)))
    return opaque;
  bool isProof = view_ != View::Estimate;
  if (const auto *phi = dyn_cast<PHINode>(&v); phi && isProof)
    return ofInductionVariable(*phi, depth).value_or(opaque);
  if (view_ == View::AssumingFromStart && isWrap(v)) {
    assumptions_.insert(cast<Instruction>(&v));
    return of(*cast<CallBase>(v).getArgOperand(0), depth + 1);
  }
  std::optional<Terms> terms = termsOf(v, view_, layout_);
  if (!terms || (isProof && isa<TruncInst, PtrToIntInst, FreezeInst>(v)))
    return opaque;
  Polynomial sum;
  for (const Term &term : *terms) {
    Polynomial value = of(*term.value, depth + 1);
    sum.add(term.variableFactor ? value * of(*term.variableFactor, depth + 1) : value, term.factor);
  }
  if (sum.terms().size() > maxTerms)
    return opaque;
  const auto *i = dyn_cast<Instruction>(&v);
  return !i || isSumExact(*i, sum) || assumeExact(*i) ? sum : opaque;
}

bool PolynomialBuilder::isSumExact(const Instruction &i, const Polynomial &sum) const {
  if (isa<ZExtInst>(i))
    return i.hasNonNeg() || isGridIndex(sum) ||
           (calledOp(i.getOperand(0)) && sum == ofOpaqueValue(*i.getOperand(0)));
  return !isa<BinaryOperator>(i) || i.getType()->isIntegerTy(64) || isa<PossiblyDisjointInst>(i) ||
         i.getOpcode() == Instruction::Xor || i.hasNoSignedWrap() || isGridIndex(sum);
}

bool PolynomialBuilder::assumeExact(const Instruction &i) {
  if (view_ == View::Assuming || view_ == View::AssumingFromStart)
    assumptions_.insert(&i);
  return view_ != View::Proof;
}

std::optional<Polynomial> PolynomialBuilder::ofInductionVariable(const PHINode &phi,
                                                                 unsigned depth) {
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
    if (!phi.getType()->isIntegerTy(64) && !next->hasNoSignedWrap() && !assumeExact(*next))
      return std::nullopt;
    Polynomial value = of(*phi.getIncomingValue(1 - latch), depth + 1);
    value.add(distance * Polynomial::term({phi.getParent()}, 1), 1);
    return value;
  }
  return std::nullopt;
}

std::optional<Polynomial> PolynomialBuilder::offsetOf(const Value &address, const Value &object) {
  Polynomial offset = of(address) - ofOpaqueValue(*object.stripPointerCasts());
  auto isAddress = [](const Value *v) {
    std::optional<Op> op = opOfLeaf(*v);
    return op ? *op == Op::DynamicShared : v->getType()->isPointerTy();
  };
  bool isFound =
      none_of(offset.terms(), [&](const auto &term) { return any_of(term.first, isAddress); });
  return isFound ? std::optional(offset) : std::nullopt;
}

} // namespace heddle::simt
