// The loads and stores of a function, with estimates of their addresses.
#pragma once

#include "simt/analysis/thread_strides.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"

#include <array>

namespace heddle::simt {

struct Access {
  llvm::Instruction *instruction; ///< a load or store
  const llvm::Value *object;      ///< the variable or argument that the address is derived from
  const llvm::Loop *loop;         ///< the innermost one; null outside of loops
  std::array<std::optional<int64_t>, 3> strides; ///< in bytes, by axis

  bool isLoad() const { return llvm::isa<llvm::LoadInst>(instruction); }
  bool isShared() const;
  llvm::Value &address() const { return *llvm::getLoadStorePointerOperand(instruction); }
  const llvm::BasicBlock &block() const { return *instruction->getParent(); }
  int64_t bytes() const;
  /// The estimated distance between neighbors along the axis; nullopt if not constant.
  std::optional<int64_t> strideAlong(Axis axis) const { return strides[unsigned(axis)]; }
};

/// Returns true for a load or store of shared memory.
bool loadsOrStoresShared(const llvm::Instruction &i);

/// All loads and stores of a function, and the estimated strides of its values along each axis.
class Accesses {
public:
  Accesses(llvm::Function &f, const llvm::LoopInfo &loops);

  llvm::ArrayRef<Access> all() const { return all_; }
  /// The accesses in a loop, except those in inner loops.
  auto in(const llvm::Loop &loop) const {
    return llvm::make_filter_range(all_, [&loop](const Access &a) { return a.loop == &loop; });
  }
  const ThreadStrides &strides(Axis axis) const { return strides_[unsigned(axis)]; }
  /// Returns a builder that estimates integers and addresses of the function as sums of products.
  PolynomialBuilder forms() const { return {layout_, View::Estimate}; }

private:
  const llvm::DataLayout &layout_;
  std::array<ThreadStrides, 3> strides_;
  llvm::SmallVector<Access, 0> all_;
};

/// Computes the Accesses of a function. Needs: registerAnalyses().
struct AccessAnalysis : llvm::AnalysisInfoMixin<AccessAnalysis> {
  using Result = Accesses;
  Result run(llvm::Function &f, llvm::FunctionAnalysisManager &am);
  static llvm::AnalysisKey Key;
};

} // namespace heddle::simt
