// Floating-point variants of instructions that also exist for integers.
#pragma once

#include "frontend/ptx/step.h"

namespace heddle::ptx {

void addFloats(Step &s, ScalarType type);
void subtractFloats(Step &s, ScalarType type);
void multiplyFloats(Step &s, ScalarType type);
void divideFloats(Step &s, ScalarType type);
/// x * y + z, rounded once.
void fmaFloats(Step &s, ScalarType type);
void absoluteFloat(Step &s, ScalarType type);
void negateFloat(Step &s, ScalarType type);
void minMaxFloat(Step &s, ScalarType type, bool largest);

/// Replaces subnormal numbers by zeros of the same sign if the opcode has .ftz. The constructor takes that word.
struct Flush {
  explicit Flush(Step &s) : s(s), wanted(s.takeWord("ftz")) {}
  llvm::Value *operator()(llvm::Value *v) const;
  Step &s;
  bool wanted;
};

/// Clamps `v` to [0, 1]; NaN becomes 0.
llvm::Value *clampToUnit(Step &s, llvm::Value *v);

} // namespace heddle::ptx
