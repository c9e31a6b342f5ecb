// Python and NumPy numbers: their types, and their bits in 8-byte slots.
#pragma once

#include "frontend/python/types/constant.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// Appends the slots of a number, a bool or a NumPy time and returns its type. A complex number takes two slots, any
/// other value one. Returns an unknown type for other objects, for ints that do not fit in 64 bits, and for NumPy
/// scalars without a type in compiled code.
python::Type appendNumberSlots(nanobind::handle value, llvm::SmallVectorImpl<uint64_t> &slots);

/// Like appendNumberSlots(), only for objects whose class is exactly int, float, bool, complex or a NumPy class. Runs
/// no Python code.
python::Type appendNumberSlotsIfExactClass(nanobind::handle value,
                                           llvm::SmallVectorImpl<uint64_t> &slots);

/// The constant for the slots of a number.
python::Constant numberConstantFromSlots(python::Type type, llvm::ArrayRef<uint64_t> slots);

} // namespace heddle
