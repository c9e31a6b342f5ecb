// Fragments of matrices: a warp or a warpgroup holds a matrix together, and each lane some of its elements.
#pragma once

#include "frontend/python/types/types.h"

namespace heddle::python {

enum class FragmentUse : uint8_t { MatrixA, MatrixB, Accumulator };

/// A fragment of a product of m x k and k x n matrices. In memory, it is an array of the elements of one lane.
struct Fragment {
  FragmentUse use = FragmentUse::Accumulator;
  unsigned m = 0, n = 0, k = 0;
  Type element;            ///< float32 for tf32
  bool isTf32 = false;     ///< the last 13 bits of the elements are ignored
  bool isRowMajor = false; ///< order of a factor in memory

  /// True if a warpgroup, four warps, holds the matrix.
  bool isOfWarpgroup() const { return m == 64; }
  bool isFactor() const { return use != FragmentUse::Accumulator; }
  unsigned rows() const { return use == FragmentUse::MatrixB ? k : m; }
  unsigned columns() const { return use == FragmentUse::MatrixA ? k : n; }
  /// The number of elements in a lane. As in CUDA, each float16 of a 16-line factor is in two lanes.
  unsigned elementsPerLane() const;
  /// PTX's name for the type of the elements: "f16".
  std::string ptxType() const;
  /// PTX's name for the shape: "m16n16k16".
  std::string ptxShape() const;
  /// "float16" or "tf32".
  std::string typeName() const { return isTf32 ? "tf32" : element.name(); }
  auto operator<=>(const Fragment &) const = default;
};

/// The type of an array of fragments with `ndim` - 1 dimensions; the last dimension are the elements of a fragment. A
/// single fragment has one dimension.
Type fragmentType(const Fragment &fragment, unsigned ndim, Layout layout = Layout::C);

/// Describes the supported shapes of products whose factors have this type: "16x16x16, 32x8x16 or 8x32x16"; empty if
/// there are no such factors.
std::string describeSupportedShapes(Type element, bool isTf32);
bool isSupportedShape(const Fragment &fragment);

/// The types of accumulators for products of `factor`.
std::vector<Type> accumulatorTypes(const Fragment &factor);
/// True if some product has sums of this type.
bool isAccumulatorType(Type element);

} // namespace heddle::python
