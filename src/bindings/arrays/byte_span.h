// The bytes that a strided array spans.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdint>

namespace heddle {

/// The offsets, from an array's first element, of its first byte and of the byte past its last.
struct ByteSpan {
  int64_t low, high;

  /// Adds an axis of `extent` (at least 1) elements that are `stride` bytes apart.
  void addAxis(int64_t extent, int64_t stride) {
    int64_t &end = stride < 0 ? low : high;
    // Unsigned, because a program's strides may overflow.
    end = int64_t(uint64_t(end) + uint64_t(extent - 1) * uint64_t(stride));
  }
};

/// The bytes of all elements; empty if an extent is 0. `strides` are in bytes.
inline ByteSpan byteSpanOf(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides,
                           int64_t itemsize) {
  if (llvm::is_contained(shape, 0))
    return {0, 0};
  ByteSpan span{0, itemsize};
  for (auto [extent, stride] : llvm::zip_equal(shape, strides))
    span.addAxis(extent, stride);
  return span;
}

} // namespace heddle
