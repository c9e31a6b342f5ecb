#include "bindings/arrays/array_facts.h"

#include "bindings/arrays/byte_span.h"
#include "bindings/interpreter/serialized_scope.h"
#include "frontend/python/types/records.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <mutex>

namespace heddle {

using python::Layout;
using python::Type;

Layout layoutOf(unsigned ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize) {
  if (std::find(shape, shape + ndim, 0) != shape + ndim)
    return Layout::C;
  auto contiguous = [&](auto axisAt) {
    int64_t expected = itemsize;
    for (unsigned i = 0; i < ndim; ++i) {
      unsigned axis = axisAt(i);
      if (shape[axis] != 1 && strides[axis] != expected)
        return false;
      expected *= shape[axis];
    }
    return true;
  };
  if (contiguous([&](unsigned i) { return ndim - 1 - i; }))
    return Layout::C;
  return contiguous([](unsigned i) { return i; }) ? Layout::F : Layout::Any;
}

namespace {

/// Cached python::arrayType, because each launch calls this for each array. Called with the GIL.
Type arrayTypeOf(Type element, unsigned ndim, python::ArrayTraits traits) {
  static TableLock mutex;
  static auto *known = new llvm::DenseMap<std::pair<const void *, unsigned>, Type>;
  unsigned rest = ndim << 16 | unsigned(traits.layout) << 8 | traits.readOnly;
  std::lock_guard lock(mutex);
  Type &type = (*known)[{element.operator->(), rest}];
  if (!type)
    type = arrayType(element, ndim, traits);
  return type;
}

/// The record type adjusted to the actual alignment of the elements, usually for a packed dtype.
Type recordTypeForActualAlignment(const ArrayView &view, bool copied) {
  uintptr_t places = copied ? 0 : reinterpret_cast<uintptr_t>(view.data);
  for (unsigned axis = 0; axis < view.ndim && !copied; ++axis)
    places |= uintptr_t(view.strides[axis]);
  unsigned known = places % 8 == 0 ? 8 : places % 4 == 0 ? 4 : places % 2 == 0 ? 2 : 1;
  static TableLock mutex;
  static auto *types = new llvm::DenseMap<std::pair<const void *, unsigned>, Type>;
  std::lock_guard lock(mutex);
  Type &type = (*types)[{view.element.operator->(), known}];
  if (!type)
    type = recordTypeAsArrayElement(view.element, known);
  return type;
}

} // namespace

ArrayFacts computeArrayFacts(const ArrayView &given, bool aligns, bool copied) {
  constexpr uintptr_t alignment = 16; // a thread's widest access
  constexpr int64_t maxRowLength = 4; // the longest row that code is specialized for
  ArrayView view = given;
  if (aligns && view.element.isRecord())
    view.element = recordTypeForActualAlignment(view, copied);
  auto address = reinterpret_cast<uintptr_t>(view.data);
  int64_t itemsize = given.element->bytes(), itemAlignment = given.element->alignment();
  constexpr int64_t many = int64_t(1) << 31;
  bool few = true, empty = false;
  int64_t elements = 1;
  bool misaligned = address % itemAlignment != 0;
  for (unsigned axis = 0; axis < view.ndim; ++axis) {
    int64_t extent = view.shape[axis], stride = view.strides[axis];
    few = few && extent < many && (elements *= extent) < many;
    empty = empty || extent == 0;
    misaligned = misaligned || (stride % itemAlignment != 0 && extent > 1);
  }
  ByteSpan span = byteSpanOf({view.shape, view.ndim}, {view.strides, view.ndim}, itemsize);
  // Integers, because `data` may be null.
  auto at = [&](int64_t offset) {
    return reinterpret_cast<const char *>(address + uintptr_t(offset));
  };
  python::ArrayTraits traits{.layout = layoutOf(view.ndim, view.shape, view.strides, itemsize),
                             .readOnly = view.readOnly};
  int64_t row = view.ndim > 1 && traits.layout == Layout::C ? view.shape[view.ndim - 1] : 0;
  return {.type = arrayTypeOf(view.element, view.ndim, traits),
          .known = {.fewElements = few,
                    .aligned = aligns && (copied || address % alignment == 0),
                    .rowLength = uint8_t(row > 1 && row <= maxRowLength ? row : 0)},
          .low = at(span.low),
          .high = at(span.high),
          .misaligned = misaligned && !empty};
}

} // namespace heddle
