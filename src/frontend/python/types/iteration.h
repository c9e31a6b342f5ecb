// The types that for loops iterate over: ranges, tuples, lists, strings, generators, arrays (along the first
// dimension), index iterators, and the results of enumerate(), zip(), reversed() and cuda.literal_unroll().
#pragma once

#include "frontend/python/types/constant.h"

#include <optional>

namespace heddle::python {

bool isIterable(Type type);

/// True for an iterator over the indices or elements of arrays of any rank (np.ndindex, np.ndenumerate, np.nditer,
/// a.flat).
bool iteratesIndices(Type type);

/// True if a loop over it resumes generators before each iteration.
bool resumesGenerators(Type iterable);

/// True for a flat iterator, which indexes the elements of an array by number.
bool isFlatIterator(Type type);

/// The maximum trip count according to the type; nothing if it depends on the launch.
std::optional<size_t> maxTripCount(Type iterable);

/// True if the trip count is always maxTripCount().
bool hasFixedTripCount(Type iterable);

/// True if the items have no common type, so that the loop must be unrolled.
bool needsUnrolling(Type iterable);

/// The item type in iteration `iteration`. If that is nothing, the item type of all iterations; the iterable must then
/// not need unrolling.
Type itemType(Type iterable, std::optional<size_t> iteration);

/// The parts of an iteration's item that are compile-time constants, where `known` are those of the iterable; nothing
/// if there are none.
std::optional<Constant> constantOfItem(Type iterable, const Constant &known, size_t iteration);

} // namespace heddle::python
