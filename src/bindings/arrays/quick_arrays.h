// Reads arrays of other libraries without Python code, for classes whose first arrays confirmed that this is correct.
#pragma once

#include "bindings/arrays/known_classes.h"
#include "frontend/python/types/types.h"

#include "llvm/ADT/SmallVector.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

namespace heddle {

/// An array in GPU memory. Refers to the array's members.
struct QuickArray {
  void *data = nullptr;
  python::Type element;
  unsigned ndim = 0;
  const int64_t *shape = nullptr;
  const int64_t *strides = nullptr;       ///< in bytes
  std::optional<uint64_t> producer;       ///< as in ForeignArray
  llvm::SmallVector<int64_t, 8> computed; ///< holds the strides if the array has none in bytes
};

/// Reads an array of a class that verifyQuickReads() has confirmed. Returns false for all other values, and for arrays
/// that kernels on the target do not take: readArrayIfClassIsKnown() finds out why.
bool readArrayQuickly(nanobind::handle value, ForeignTarget &target, QuickArray &array);

/// Compares what readArrayQuickly() would read with the result of readArrayIfClassIsKnown(). The first arrays of a class must agree;
/// then readArrayQuickly() accepts the class. One array that differs excludes the class for good.
void verifyQuickReads(const KnownClass &known, nanobind::handle value, const ForeignTarget &target,
                      const ForeignArray &expected);

void bindQuickArrays(nanobind::module_ &m);

} // namespace heddle
