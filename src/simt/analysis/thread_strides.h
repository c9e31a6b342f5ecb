// Strides: differences of a value between neighboring threads along one axis.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Operator.h"

#include <array>
#include <optional>

namespace heddle::simt {

/// For x, y and z: the difference of a value between a thread and its neighbor along that axis (bytes for pointers);
/// nullopt if not constant.
using Strides = std::array<std::optional<int64_t>, 3>;

/// Estimates the strides of a function's values, for cost decisions only: it ignores clamping, remainders by a block
/// extent, and wraparound.
class ThreadStrides {
public:
  /// The threads to compare: all threads of a block, or the threads of one warp along x, for which t / 32 is constant
  /// and t % 32 has the stride of t.
  enum class Neighbors { InBlock, InWarp };

  explicit ThreadStrides(const llvm::Function &f, Neighbors neighbors = Neighbors::InBlock);

  Strides of(const llvm::Value &v) const;

private:
  bool visit(const llvm::Instruction &i);
  Strides stridesOf(const llvm::Instruction &i) const;
  /// Strides of parts of a thread index (masks, shifts), for neighbors in one warp.
  std::optional<Strides> stridesInWarp(const llvm::Instruction &i) const;
  Strides strideOfAddress(const llvm::GEPOperator &address) const;
  Strides operand(const llvm::Instruction &i, unsigned n) const { return of(*i.getOperand(n)); }

  const llvm::DataLayout &layout_;
  const Neighbors neighbors_;
  llvm::DenseMap<const llvm::Value *, Strides> strides_;
};

} // namespace heddle::simt
