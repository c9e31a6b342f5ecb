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

/// The placeholder for an index of that type in messages. A uint64 has a separate one, because large values would be
/// shown as negative.
const char *indexPlaceholder(Type index);

/// The error message for the index of one axis. {index}, {extent} and, if messages include shapes, {argument N} are
/// filled in at run time. For indices that are variables, the hint shows the missing guard:
///
///     index 1920 is out of bounds for axis 1 of 'img' with size 1080
///       img has shape (1920, 1080)
///       hint: guard the access: if x < img.shape[0] and y < img.shape[1]
std::string indexErrorMessage(Emitter &e, const IndexedAccess &access, unsigned axis);

} // namespace heddle::python
