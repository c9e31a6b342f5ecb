// What a for loop goes over: ranges, tuples, arrays by their first dimension, and what enumerate(), zip(), reversed()
// and cuda.literal_unroll() make of them.
#pragma once

#include "frontend/python/types/constant.h"

#include <optional>

namespace heddle::python {

bool isIterable(Type type);

/// Whether it goes over every index of arrays of any rank.
bool isOverIndices(Type type);

/// Whether a loop over it resumes a generator before each round.
bool resumesGenerators(Type iterable);

/// Whether it is what finds the elements of an array by their number.
bool isFlat(Type type);

/// The most rounds that a loop over it has, by its type alone; nothing when that depends on the launch.
std::optional<size_t> mostItems(Type iterable);

/// Whether the type alone says that a loop has exactly mostItems() rounds.
bool isOfFixedLength(Type iterable);

/// Whether the items have no common type, so that each needs a copy of the loop's body.
bool needsUnrolling(Type iterable);

/// The type of the item of round `round`; of every round when that is not known. The iterable needs no unrolling then.
Type itemType(Type iterable, std::optional<size_t> round);

/// What is known while compiling of the item of that round; `known` is what is known of the iterable.
std::optional<Constant> itemConstant(Type iterable, const Constant &known, size_t round);

} // namespace heddle::python
