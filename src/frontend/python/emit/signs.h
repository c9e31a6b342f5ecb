// Proves that integers are never negative.
#pragma once

#include "frontend/python/ssa/ir.h"

#include <map>
#include <optional>
#include <vector>

namespace heddle::python {

/// Sign analysis of a function's integers, for example to omit the wrap-around of indices that are never negative.
/// Assumes that sizes (extents, thread counts, loop counters) and products of sizes do not overflow, because they count
/// elements in memory. Other products may overflow, such as those in hashes and random number generators.
class Signs {
public:
  bool isNonNegative(Value &v) { return upperBoundOf(v).has_value(); }

private:
  static constexpr unsigned noLoop = unsigned(-1);
  /// A number in [0, 2^bits], multiplied by a product of sizes if `sized`.
  struct Bound {
    unsigned bits = 0;
    bool sized = false;
    /// The bound assumes that the value visited at this depth is not negative; noLoop if it assumes nothing.
    unsigned loop = noLoop;
  };
  using Known = std::optional<Bound>; ///< nothing if the value may be negative

  Known upperBoundOf(Value &v);
  Known computeBound(Value &v);
  Known boundOfBinary(Value &v);
  Known boundOfRangeItem(Value &iterable);
  Known boundOfEnumerateCount(Value &iterable);
  Known largestBoundOf(const std::vector<Value *> &values);
  void confirmOrDiscardAssumption(const Known &result, unsigned depth, size_t first);

  std::map<Value *, Known> bounds_;
  unsigned depth_ = 0;
  /// Values whose bound relies on an assumption, in the order in which the bounds were computed.
  std::vector<Value *> relying_;
};

} // namespace heddle::python
