// The error message for an out-of-bounds index.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The access array[index] at `span`.
struct IndexedAccess {
  Value &array;
  const std::vector<IndexItem> &items;
  Value &index;
  Span span;
};

/// The field of a message for an index of that type. Read as an int64, a large uint64 would be negative.
const char *indexField(Type index);

/// The message for the index of one axis. {index}, {extent} and, if errors show shapes, {argument N} are filled in at
/// run time. The message shows the shape, and for variable indices the missing guard:
///
///     index 1920 is out of bounds for axis 1 of 'img' with size 1080
///       img has shape (1920, 1080)
///       hint: guard the access: if x < img.shape[0] and y < img.shape[1]
std::string indexErrorMessage(Emitter &e, const IndexedAccess &access, unsigned axis);

} // namespace heddle::python
