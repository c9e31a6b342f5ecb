// Values as sums of multiples of other values.
#pragma once

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Value.h"

namespace heddle::simt {

/// A value as a constant plus multiples of other values, modulo 2^64: `4 * %t + 4 * %k + 64`.
struct AffineForm {
  int64_t constant = 0;
  llvm::SmallMapVector<const llvm::Value *, int64_t, 4> factors; ///< nonzero

  bool isConstant() const { return factors.empty(); }
  void add(const llvm::Value &value, int64_t factor);
  void add(const AffineForm &other, int64_t factor);
  AffineForm operator-(const AffineForm &other) const;
  bool operator==(const AffineForm &other) const;
};

/// a * b, modulo 2^64.
inline int64_t multiplyModulo(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

} // namespace heddle::simt
