#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// The scalar math library to call. Vectors always use vector_math.h.
enum class MathLibrary {
  Sleef, ///< bit-identical in every lane, at every width, on all machines with the same instructions
  Libm,  ///< bit-identical to Python's math module
};

/// Emits 1 / sqrt(x) for a scalar or a vector, within 1.5 ulp.
llvm::Value *emitReciprocalSqrt(llvm::IRBuilderBase &b, llvm::Value *x);

/// Lowers math operations to calls of host functions.
///
///     before                                       after, by libm
///       call float @simt.math.sin.f32(float %x)      call float @sinf(float %x)
///       call i32 @simt.math.frexp.exponent.f64(..)   lshr, and, sub on the bits
///
/// The calls keep the operation's attributes: they access no memory (errno and signgam are ignored).
class LowerMath : public llvm::PassInfoMixin<LowerMath> {
public:
  explicit LowerMath(MathLibrary library = MathLibrary::Sleef) : library_(library) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  MathLibrary library_;
};

} // namespace heddle::cpu
