// Strides: differences of a value between neighboring threads along one axis.
#pragma once

#include "simt/analysis/lane_shapes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"

namespace heddle::simt {

enum class Axis : unsigned { X, Y, Z };

/// Estimates the strides of a function's values, for cost decisions only, as if the threads of a warp were neighbors
/// along the axis.
class ThreadStrides final : public ShapeRules {
public:
  ThreadStrides(const llvm::Function &f, Axis axis);

  /// The difference of a value between a thread and its neighbor (bytes for pointers); nullopt if not constant.
  std::optional<int64_t> of(const llvm::Value &v) const;

private:
  LaneShape shapeOf(const llvm::Value &v) const override;
  bool updateShape(const llvm::Instruction &i);
  LaneShape computeShape(const llvm::Instruction &i) const;

  const Axis axis_;
  llvm::DenseMap<const llvm::Value *, LaneShape> shapes_;
};

} // namespace heddle::simt
