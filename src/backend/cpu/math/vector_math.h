// SLEEF: vectorized mathematical functions, https://sleef.org.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/TargetParser/Triple.h"

#include <string>

namespace heddle::cpu {

/// SLEEF's functions for one processor, and exponential.h for exp of double. Their results are bit-identical at every
/// vector length; the error is at most 1 ulp, 1.5 for erfc.
class VectorMath {
public:
  /// Uses the target attributes of `f`.
  explicit VectorMath(const llvm::Function &f);
  /// Uses an architecture and LLVM feature names.
  VectorMath(const llvm::Triple &triple, llvm::StringRef features);

  /// The name of the function for `lanes` elements of `type`, float or double; empty if SLEEF has none.
  std::string vectorFunctionName(simt::Op op, const llvm::Type &type, unsigned lanes) const;

  /// Emits calls for vectors of any power-of-two length. Returns null if SLEEF has no function.
  llvm::Value *emitCalls(llvm::IRBuilderBase &b, simt::Op op,
                         llvm::ArrayRef<llvm::Value *> operands) const;

  /// Returns the scalar function, in the call's module; null if SLEEF has none.
  llvm::Function *getScalarFunction(llvm::CallInst &call, simt::Op op) const;

  /// Emits code that corrects the result of a SLEEF call: pow(x, 1) becomes x, because SLEEF returns infinity for the
  /// largest number.
  static llvm::Value *correctPowWithExponentOne(llvm::IRBuilderBase &b, simt::Op op,
                                                llvm::ArrayRef<llvm::Value *> operands,
                                                llvm::Value *result);

  /// Lets LLVM's vectorizers replace a scalar call to SLEEF or libm with SLEEF's vector functions.
  void addVectorVariants(llvm::CallInst &call, simt::Op op) const;

  /// Returns true if the processor has FMA instructions.
  bool hasFma() const { return hasFma_; }

private:
  /// Returns SLEEF's function, a wrapper of it (pow), or the function of exponential.h.
  llvm::Function *getFunctionForLanes(llvm::Function &caller, simt::Op op, llvm::Type &number,
                                      unsigned lanes, unsigned operands) const;
  llvm::Function *declareVectorFunction(llvm::Module &m, simt::Op op, llvm::Type &number,
                                        unsigned lanes, unsigned operands) const;
  unsigned minLanes(const llvm::Type &number) const;
  unsigned maxLanes(const llvm::Type &number) const;

  /// Register width in bits; 0 if SLEEF is not available.
  unsigned bits_ = 0;
  bool hasFma_ = false;
  bool isArm_ = false;
};

} // namespace heddle::cpu
