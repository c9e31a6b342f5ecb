// Integers and addresses as sums of products, in two views: proofs and estimates.
#pragma once

#include "simt/ir/ops.h"
#include "simt/launch_facts.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace heddle::simt {

/// A proof holds in all executions. A proof under assumptions lists the arithmetic that must not wrap around;
/// AssumingFromStart also assumes that indices do not count from the end. An estimate is for cost decisions only: it
/// ignores wraparound, and assumes that no thread counts an index from the end.
enum class View { Proof, Assuming, AssumingFromStart, Estimate };

/// A term of a sum: `value * factor`, or `value * variableFactor`.
struct Term {
  llvm::Value *value;
  int64_t factor = 1;
  llvm::Value *variableFactor = nullptr;
};
using Terms = llvm::SmallVector<Term, 4>;

/// The terms whose sum is an integer or an address, except for wraparound; nullopt if it is no sum. An extension is the
/// sum of its operand.
std::optional<Terms> termsOf(const llvm::Value &v, View view, const llvm::DataLayout &layout);

/// The factors of a product, sorted; empty for a constant.
using Monomial = llvm::SmallVector<const llvm::Value *, 3>;

/// A sum of products of values with constant factors.
class Polynomial {
public:
  static Polynomial term(Monomial factors, int64_t factor);

  void add(const Monomial &monomial, int64_t factor);
  void add(const Polynomial &other, int64_t factor);
  Polynomial times(int64_t factor) const;
  Polynomial operator*(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  bool operator==(const Polynomial &) const = default;

  const std::map<Monomial, int64_t> &terms() const { return terms_; }
  int64_t constant() const;
  bool isConstant() const { return terms_.empty() || (terms_.size() == 1 && constant() != 0); }
  /// The only term that is not constant.
  std::optional<std::pair<Monomial, int64_t>> singleTerm() const;
  /// The greatest common divisor of all factors; 0 without terms.
  int64_t commonFactor() const;
  /// Splits the polynomial into the terms for which the predicate holds and the rest. The constant term has the empty
  /// monomial.
  std::pair<Polynomial, Polynomial>
  splitTerms(llvm::function_ref<bool(const Monomial &)> predicate) const;
  /// Returns q and r with this == q * divisor + r; no term of r is divisible. divisor: a single term.
  std::pair<Polynomial, Polynomial> divide(const Polynomial &divisor) const;
  /// Replaces the terms for which `replacement` returns a polynomial.
  void replaceTerms(
      llvm::function_ref<std::optional<Polynomial>(const Monomial &, int64_t)> replacement);
  /// Returns text that identifies the polynomial in this process.
  std::string str() const;

private:
  std::map<Monomial, int64_t> terms_; ///< nonzero factors
};

/// The operation that a factor stands for; nullopt if it is another value.
std::optional<Op> opOfLeaf(const llvm::Value &v);
/// Returns true for a value that stands for the iteration count of a loop in PolynomialBuilder's results.
bool isLoopCounterLeaf(const llvm::Value &v);

/// Converts values of one function. Calls of the same operation of SIMT IR are the same value.
class PolynomialBuilder {
public:
  /// keep: returns true for values that are factors themselves and must not be expanded.
  PolynomialBuilder(const llvm::DataLayout &layout, View view, const LaunchFacts &facts = {},
                    std::function<bool(const llvm::Value &)> keep = nullptr)
      : layout_(layout), view_(view), facts_(facts), keep_(std::move(keep)) {}

  /// Converts the value of an integer, which is read as signed, or an address, as its object plus an offset. Induction
  /// variables are factors in estimates.
  Polynomial of(const llvm::Value &v);
  /// The offset in bytes of an address from the start of `object`; nullopt if the address is not derived from it.
  std::optional<Polynomial> offsetOf(const llvm::Value &address, const llvm::Value &object);
  /// The value of a loop's induction variable: its start plus a multiple of the counter; nullopt for other phis.
  std::optional<Polynomial> ofInductionVariable(const llvm::PHINode &phi, unsigned depth = 0);

  /// The instructions on integers of less than 64 bits that must not wrap around: arithmetic, whose results must be
  /// exact, and zero extensions, whose operands must not be negative. Also calls of simt.wrap whose index must not be
  /// negative.
  const llvm::SmallSetVector<const llvm::Instruction *, 4> &assumptions() const {
    return assumptions_;
  }
  void addAssumptions(const PolynomialBuilder &other) {
    assumptions_.insert_range(other.assumptions_);
  }

private:
  Polynomial ofOpaqueValue(const llvm::Value &v) const;
  Polynomial of(const llvm::Value &v, unsigned depth);
  /// Returns true if an operator computes the sum of its terms without wraparound.
  bool isSumExact(const llvm::Instruction &i, const Polynomial &sum) const;
  /// Returns false in proofs without assumptions.
  bool assumeExact(const llvm::Instruction &i);
  /// Returns true for a thread's index in the grid, or a part of that index, if it fits in 31 bits.
  bool isGridIndex(const Polynomial &p) const;

  const llvm::DataLayout &layout_;
  const View view_;
  const LaunchFacts facts_;
  const std::function<bool(const llvm::Value &)> keep_;
  llvm::SmallSetVector<const llvm::Instruction *, 4> assumptions_;
};

} // namespace heddle::simt
