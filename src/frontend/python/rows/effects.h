// The side effects of evaluating a value: the memory that it may change, and whether it runs other code.
#pragma once

#include "frontend/python/ssa/ir.h"

#include "llvm/ADT/SmallVector.h"

namespace heddle::python {

/// Effects on memory that exists before a value is evaluated. Exceptions do not count, nor does new memory.
struct Effects {
  /// Operands whose memory may change: array elements, items of a container, attributes of an instance.
  llvm::SmallVector<Value *, 1> writes;
  /// Runs a function or generator of the program, or foreign code, which may change any memory.
  bool runsCode = false;

  bool changeMemory() const { return runsCode || !writes.empty(); }
  /// True if a list, dict, set or instance may change. It may then release the memory of its items.
  bool mayChangeContainers() const;
};

/// The effects of evaluating `v` when its operands have been evaluated. Those of a library call follow from its row.
Effects effectsOf(const Value &v);

} // namespace heddle::python
