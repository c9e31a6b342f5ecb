// The message of an index that is out of bounds.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The access array[index], written at `span`.
struct IndexedAccess {
  Value &array;
  const std::vector<IndexItem> &items;
  Value &index;
  Span span;
};

/// What stands for an index of that type in a message. As an int64, a large uint64 is negative.
const char *indexField(Type index);

/// The message for the index of one axis, in which {index}, {extent} and, where errors name shapes, {argument N} stand for
/// what the kernel finds. It tells the shape, and the guard that is missing where indices are variables:
///
///     index 1920 is out of bounds for axis 1 of 'img' with size 1080
///       img has shape (1920, 1080)
///       hint: guard the access: if x < img.shape[0] and y < img.shape[1]
std::string indexError(Emitter &e, const IndexedAccess &access, unsigned axis);

} // namespace heddle::python
