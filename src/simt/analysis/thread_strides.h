// How values differ between threads whose indices in the block differ along one axis.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Operator.h"

#include <array>
#include <optional>

namespace heddle::simt {

/// For each axis, x, y and z: by how much a value grows from a thread to its neighbour along it (a pointer: in bytes).
/// Nothing where that is no constant.
using Strides = std::array<std::optional<int64_t>, 3>;

/// The strides of a function's values, for decisions about speed: an estimate, which takes a clamped index and a remainder by
/// an extent for the index, and a wrapped number for one that has not wrapped.
class ThreadStrides {
public:
  /// Which threads are neighbours: all of a block, or those of one warp, along x, for which t / 32 is the same and t % 32
  /// grows like t.
  enum class Neighbours { OfBlock, OfWarp };

  explicit ThreadStrides(const llvm::Function &f, Neighbours neighbours = Neighbours::OfBlock);

  Strides of(const llvm::Value &v) const;

private:
  bool visit(const llvm::Instruction &i);
  Strides stridesOf(const llvm::Instruction &i) const;
  /// Of parts of a thread's index, where neighbours are of one warp.
  std::optional<Strides> stridesInWarp(const llvm::Instruction &i) const;
  Strides strideOfAddress(const llvm::GEPOperator &address) const;
  Strides operand(const llvm::Instruction &i, unsigned n) const { return of(*i.getOperand(n)); }

  const llvm::DataLayout &layout_;
  const Neighbours neighbours_;
  llvm::DenseMap<const llvm::Value *, Strides> strides_;
};

} // namespace heddle::simt
