// Lane shapes describe how a value varies from lane to lane. Lanes are neighboring threads along an axis.
#pragma once

#include "simt/analysis/polynomial.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

#include <optional>

namespace heddle::simt {

struct LaneShape {
  enum Kind : uint8_t {
    Unknown, ///< not visited yet
    Strided, ///< an integer or pointer: lane 0's value plus a multiple of `stride`; 0: uniform
    RuntimeStride, ///< strided with a stride known only at run time: lane 1's value minus lane 0's
    Varying        ///< anything else
  };
  Kind kind = Unknown;
  int64_t stride = 0; ///< in bytes for pointers

  static LaneShape strided(int64_t stride) { return {Strided, stride}; }
  static LaneShape uniform() { return strided(0); }
  static LaneShape runtimeStride() { return {RuntimeStride}; }
  static LaneShape varying() { return {Varying}; }

  bool isUniform() const { return kind == Strided && stride == 0; }
  bool isStrided() const { return kind == Strided && stride != 0; }
  /// Returns true if lane 0's value does not determine the others at compile time.
  bool isVarying() const { return kind == RuntimeStride || kind == Varying; }
  bool hasRuntimeStride() const { return kind == RuntimeStride; }
  bool operator==(const LaneShape &) const = default;
};

/// Derives the shape of a result from the shapes of the operands. An estimate also ignores clamps, and remainders by an
/// extent.
class ShapeRules {
public:
  /// lanes: if not 0, lane 0's thread index is a multiple of it, a power of two. Then `t & (lanes - 1)` has the stride
  /// of `t`, and `t / lanes` is uniform.
  ShapeRules(View view, const llvm::DataLayout &layout, unsigned lanes = 0)
      : view_(view), layout_(layout), lanes_(lanes) {}
  virtual ~ShapeRules() = default;

  virtual LaneShape shapeOf(const llvm::Value &v) const = 0;
  /// The terms whose sum is the value, except for wraparound that all lanes share; nullopt if it is no sum.
  std::optional<Terms> termsOf(const llvm::Value &v) const;

protected:
  LaneShape shapeOfResult(const llvm::Instruction &i) const;
  /// Returns the shape of a value that equals one of two values, such as a select.
  LaneShape merge(LaneShape a, LaneShape b) const;
  /// Proof: returns true if no value between lane 0 and the last lane wraps around, read as signed or unsigned.
  virtual bool hasNoWrapAcrossLanes(const llvm::Value &, int64_t /*stride*/) const { return true; }

private:
  bool isEstimate() const { return view_ == View::Estimate; }
  bool keepsShapeWhenExtended(const llvm::Value &v) const;
  bool canTreatOrAsSum(const llvm::Instruction &either) const;
  LaneShape shapeOfProduct(const Term &term) const;
  LaneShape shapeOfMaskOrShift(const llvm::Instruction &i) const;
  /// Returns the estimated shape of a clamp, as if no lane reached its bounds; nullopt for other instructions.
  std::optional<LaneShape> shapeOfClamp(const llvm::Instruction &i) const;

  const View view_;
  const llvm::DataLayout &layout_;
  const unsigned lanes_;
};

} // namespace heddle::simt
