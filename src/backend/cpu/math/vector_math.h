// SLEEF: mathematical functions for vectors of numbers, https://sleef.org.
#pragma once

#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/TargetParser/Triple.h"

#include <string>

namespace heddle::cpu {

/// The names of SLEEF's functions for one processor. For an argument they return the same number, bit by bit, whatever
/// the length of the vector; the error is at most 1 unit in the last place, 1.5 for erfc.
class VectorMath {
public:
  /// For the processor that `f` is compiled for, by its attributes.
  explicit VectorMath(const llvm::Function &f);
  /// For a processor, by its architecture and LLVM's names of its features.
  VectorMath(const llvm::Triple &triple, llvm::StringRef features);

  /// The function of `lanes` numbers of `type`, float or double; empty where SLEEF has none.
  std::string name(simt::Op op, const llvm::Type &type, unsigned lanes) const;

  /// Emits calls for vectors of any length that is a power of two. Null where SLEEF has no function.
  llvm::Value *call(llvm::IRBuilderBase &b, simt::Op op,
                    llvm::ArrayRef<llvm::Value *> operands) const;

  /// The function of one number, declared in the module. Null where SLEEF has none.
  llvm::Function *ofOneNumber(llvm::CallInst &call, simt::Op op) const;

  /// Emits what its result lacks: x to the power 1 is x, also for the largest number, of which SLEEF makes infinity.
  static llvm::Value *mended(llvm::IRBuilderBase &b, simt::Op op,
                             llvm::ArrayRef<llvm::Value *> operands, llvm::Value *result);

  /// Lets LLVM's vectorizers replace calls of a function of one number, SLEEF's or libm's, by SLEEF's for vectors.
  void allowVectors(llvm::CallInst &call, simt::Op op) const;

  /// Whether the processor has FMA instructions.
  bool fusesProducts() const { return fusesProducts_; }

private:
  /// SLEEF's function, or one around it.
  llvm::Function *function(llvm::Function &caller, simt::Op op, llvm::Type &number, unsigned lanes,
                           unsigned operands) const;
  llvm::Function *declare(llvm::Module &m, simt::Op op, llvm::Type &number, unsigned lanes,
                          unsigned operands) const;
  unsigned fewest(const llvm::Type &number) const;
  unsigned most(const llvm::Type &number) const;

  /// The widest registers, in bits; 0 where there is no SLEEF.
  unsigned bits_ = 0;
  bool fusesProducts_ = false;
};

} // namespace heddle::cpu
