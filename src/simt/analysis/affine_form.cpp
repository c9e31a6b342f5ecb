#include "simt/analysis/affine_form.h"

#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

int64_t addModulo(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }

} // namespace

void AffineForm::add(const Value &value, int64_t factor) {
  const APInt *number;
  if (match(&value, m_APInt(number)) && number->isSignedIntN(64)) {
    constant = addModulo(constant, multiplyModulo(number->getSExtValue(), factor));
    return;
  }
  int64_t &known = factors[&value];
  known = addModulo(known, factor);
  if (known == 0)
    factors.erase(&value);
}

void AffineForm::add(const AffineForm &other, int64_t factor) {
  constant = addModulo(constant, multiplyModulo(other.constant, factor));
  for (auto [value, multiple] : other.factors)
    add(*value, multiplyModulo(multiple, factor));
}

AffineForm AffineForm::operator-(const AffineForm &other) const {
  AffineForm difference = *this;
  difference.add(other, -1);
  return difference;
}

bool AffineForm::operator==(const AffineForm &other) const {
  AffineForm difference = *this - other;
  return difference.isConstant() && difference.constant == 0;
}

} // namespace heddle::simt
