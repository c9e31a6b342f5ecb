// Which integers of a function are never negative.
#pragma once

#include "frontend/python/ssa/ir.h"

#include <map>
#include <optional>
#include <vector>

namespace heddle::python {

/// What is known of the signs of a function's integers: an index that is never negative needs no wrap-around. It is
/// taken for granted that sizes (extents, numbers of threads, counters of loops) and their products do not overflow, as
/// they count elements in memory. Other products may, such as those of a hash or a generator of random numbers.
class Signs {
public:
  bool nonNegative(Value &v) { return bound(v).has_value(); }

private:
  static constexpr unsigned noLoop = unsigned(-1);
  /// A number from 0 to 2^bits, times a product of sizes where it is `sized`.
  struct Bound {
    unsigned bits = 0;
    bool sized = false;
    /// It was concluded from an assumption: that the value which is being looked at at this depth is not negative.
    unsigned loop = noLoop;
  };
  using Known = std::optional<Bound>; ///< nothing for what may be negative

  Known bound(Value &v);
  Known compute(Value &v);
  Known boundOfBinary(Value &v);
  Known boundOfItem(Value &iterable);
  Known boundOfCount(Value &iterable);
  Known largestOf(const std::vector<Value *> &values);
  void settle(const Known &result, unsigned depth, size_t first);

  std::map<Value *, Known> bounds_;
  unsigned depth_ = 0;
  std::vector<Value *>
      relying_; ///< those whose bound was concluded from an assumption, in the order of conclusion
};

} // namespace heddle::python
