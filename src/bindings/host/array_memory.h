// NumPy arrays over memory that something else owns.
#pragma once

#include "frontend/python/types/types.h"
#include "host/memory.h"

#include "llvm/ADT/ArrayRef.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// An array as compiled code has it.
struct ReturnedArray {
  python::Type type;
  char *data;
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<int64_t> strides; ///< bytes
};

/// A NumPy array in place, which keeps `owner`.
nanobind::object arrayOver(const ReturnedArray &array, nanobind::handle owner);

/// A NumPy array in memory that a compiled function has made; it takes over a reference.
nanobind::object arrayIn(const ReturnedArray &array, host::Owner &owner);

/// A NumPy array with the same elements in memory of its own.
nanobind::object copyOf(const ReturnedArray &array);

void bindArrayMemory(nanobind::module_ &m);

} // namespace heddle
