// What an index expression selects from an array: the elements between the brackets matched to the dimensions.
#pragma once

#include "frontend/python/ssa/ir.h"
#include "frontend/python/syntax/syntax.h"

namespace heddle::python {

/// One element of an index, for one dimension of the array.
struct IndexItem {
  Type type; ///< a number's type, sliceType(), or noneType() for a new dimension of extent 1
  Value *slice =
      nullptr; ///< the Slice value; null for a dimension that the index leaves out (a full slice)
  Value *whole =
      nullptr; ///< the integer's value when the index is written out; null when `part` selects it
  unsigned part = 0; ///< which element of the tuple-typed index value holds the integer
};

/// The items of an Index or StoreIndex, one a dimension, with `...` and left-out dimensions as full slices, and with those
/// that make new dimensions in their places.
/// Throws CompileError (Typing) when they do not fit the array.
std::vector<IndexItem> indexItems(const TypedFunction &function, const Value &access);

/// What an index may be besides an integer.
enum class IndexKinds { Integers, Numbers };

/// The same for an index value that a library function takes (`cuda.atomic.add(ary, idx, ...)`), written at `at`. Where it
/// takes Numbers, a float's fraction is left out.
std::vector<IndexItem> indexItems(const TypedFunction &function, Type array, const Value &index,
                                  Span at, IndexKinds kinds = IndexKinds::Integers);

/// An element's type as a value when every item is an integer, else the view's type.
Type indexedType(Type array, const std::vector<IndexItem> &items);

/// Which of `size` elements a slice of constant bounds selects, in order; nothing where a bound is not known.
std::optional<std::vector<size_t>> selectedBy(const Value &slice, size_t size);

bool isFullSlice(const IndexItem &item);
/// The step of a slice item: 1 when left out; nothing when it is known at run time only.
std::optional<int64_t> stepOf(const IndexItem &item);

} // namespace heddle::python
