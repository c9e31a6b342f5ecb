// What instructions that integers have, too, do with floating-point numbers.
#pragma once

#include "frontend/ptx/step.h"

namespace heddle::ptx {

void addFloats(Step &s, ScalarType type);
void subtractFloats(Step &s, ScalarType type);
void multiplyFloats(Step &s, ScalarType type);
void divideFloats(Step &s, ScalarType type);
/// x * y + z, rounded once.
void fuseFloats(Step &s, ScalarType type);
void absoluteFloat(Step &s, ScalarType type);
void negateFloat(Step &s, ScalarType type);
void extremeFloat(Step &s, ScalarType type, bool largest);

/// `v` with subnormal numbers replaced by zeros of their sign where the opcode asks for it (.ftz); reads the word once.
struct Flush {
  explicit Flush(Step &s) : s(s), wanted(s.has("ftz")) {}
  llvm::Value *operator()(llvm::Value *v) const;
  Step &s;
  bool wanted;
};

/// `v` between 0 and 1, a NaN as 0.
llvm::Value *saturated(Step &s, llvm::Value *v);

} // namespace heddle::ptx
