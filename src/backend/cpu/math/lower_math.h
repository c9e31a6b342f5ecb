#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"

namespace heddle::cpu {

/// Whose functions of one number code calls. Vectors of numbers are SLEEF's in either case (vector_math.h).
enum class MathLibrary {
  Sleef, ///< the same bits in every lane and at every width, on every machine with the same instructions
  Libm, ///< those that Python's math module has
};

/// 1 / sqrt(x) of a number or of each in a vector, within 1.5 units in the last place.
llvm::Value *reciprocalRoot(llvm::IRBuilderBase &b, llvm::Value *x);

/// Turns math operations into calls of functions of the host.
///
///     before                                       after, by libm
///       call float @simt.math.sin.f32(float %x)      call float @sinf(float %x)
///       call i32 @simt.math.frexp.exponent.f64(..)   lshr, and, sub: of the number's bits
///
/// The calls keep the operation's promise: they read and write nothing (errno and signgam are of no one's concern).
class LowerMath : public llvm::PassInfoMixin<LowerMath> {
public:
  explicit LowerMath(MathLibrary library = MathLibrary::Sleef) : library_(library) {}
  llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static bool isRequired() { return true; }

private:
  MathLibrary library_;
};

} // namespace heddle::cpu
