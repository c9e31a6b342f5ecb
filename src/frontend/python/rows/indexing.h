// Matches an index expression to the dimensions of an array.
#pragma once

#include "frontend/python/ssa/ir.h"
#include "frontend/python/syntax/syntax.h"

namespace heddle::python {

class CallTyping;

/// One element of an index, for one dimension of the array.
struct IndexItem {
  Type type; ///< a number's type, sliceType(), or noneType() for a new dimension of extent 1
  /// The Slice value; null for a dimension that the index omits (a full slice).
  Value *slice = nullptr;
  /// The integer, if it is a separate value. Null if the index is a tuple value; the integer is then element `part`
  /// of the tuple.
  Value *whole = nullptr;
  unsigned part = 0; ///< see `whole`
};

/// The items of the index of an Index or StoreIndex: one per dimension of the array, and those that add a dimension.
/// `...` and omitted dimensions become full slices. Throws CompileError (Typing) if the index does not fit the array.
std::vector<IndexItem> parseIndex(const TypedFunction &function, const Value &access);

/// Scalar index types that a library function accepts.
enum class IndexKinds { Integers, Numbers };

/// The items of an index argument of a library function (`cuda.atomic.add(ary, idx, ...)`), located at `at`. With
/// IndexKinds::Numbers, floats are truncated.
std::vector<IndexItem> parseIndex(const TypedFunction &function, Type array, const Value &index,
                                  Span at, IndexKinds kinds = IndexKinds::Integers);

/// Fails with `message` unless the argument after the array `array` selects one element of it.
void requireElementIndex(CallTyping &t, unsigned array, const std::string &message,
                         IndexKinds kinds = IndexKinds::Integers);

/// The type of the result of indexing: the element type, as a value, if every item is an integer, otherwise that of a
/// view.
Type typeOfIndexing(Type array, const std::vector<IndexItem> &items);

/// The positions, in order, that a slice selects from `size` elements; nothing if its bounds or step are not constants.
std::optional<std::vector<size_t>> positionsSelectedBySlice(const Value &slice, size_t size);

bool isFullSlice(const IndexItem &item);
/// The step of a slice item, 1 if omitted; nothing if it is not a constant.
std::optional<int64_t> constantStepOf(const IndexItem &item);

} // namespace heddle::python
