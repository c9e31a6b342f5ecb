// Iterables of for loops: ranges, tuples, arrays by their first dimension, and the results of enumerate(), zip(),
// reversed() and cuda.literal_unroll().
#pragma once

#include "frontend/python/types/constant.h"

#include <optional>

namespace heddle::python {

bool isIterable(Type type);

/// True if it iterates over the indices of arrays of any rank.
bool iteratesIndices(Type type);

/// True if each iteration of a loop over it first resumes a generator.
bool resumesGenerators(Type iterable);

/// True for a flat iterator, which indexes the elements of an array by number.
bool isFlat(Type type);

/// The maximum trip count according to the type; nothing if it depends on the launch.
std::optional<size_t> maxTripCount(Type iterable);

/// True if the trip count is always maxTripCount().
bool hasFixedTripCount(Type iterable);

/// True if the items have no common type, so that the loop must be unrolled.
bool needsUnrolling(Type iterable);

/// The item type in iteration `iteration`, or in every iteration if that is unknown. In the latter case the iterable must
/// not need unrolling.
Type itemType(Type iterable, std::optional<size_t> iteration);

/// The compile-time constant parts of the item in an iteration, given those of the iterable (`known`).
std::optional<Constant> itemConstant(Type iterable, const Constant &known, size_t iteration);

} // namespace heddle::python
