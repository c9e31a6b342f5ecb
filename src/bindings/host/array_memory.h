// NumPy arrays over memory with another owner.
#pragma once

#include "frontend/python/types/types.h"
#include "host/memory.h"

#include "llvm/ADT/ArrayRef.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// An array returned by compiled code.
struct ReturnedArray {
  python::Type type;
  char *data;
  llvm::ArrayRef<int64_t> shape;
  llvm::ArrayRef<int64_t> strides; ///< in bytes
};

/// A NumPy array over the memory; keeps a reference to `owner`.
nanobind::object makeArrayView(const ReturnedArray &array, nanobind::handle owner);

/// A NumPy array over memory that compiled code allocated; takes over a reference to `owner`.
nanobind::object makeOwnedArray(const ReturnedArray &array, host::Owner &owner);

/// A NumPy array with a copy of the elements.
nanobind::object copyArray(const ReturnedArray &array);

void bindArrayMemory(nanobind::module_ &m);

} // namespace heddle
