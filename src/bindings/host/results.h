// Converts results of host functions to Python objects.
#pragma once

#include "bindings/arguments/arguments.h"
#include "frontend/python/types/constant.h"
#include "host/memory.h"

#include <nanobind/nanobind.h>

#include <cstdint>

namespace heddle {

/// Converts a slot to a number or a bool; null with a Python error if memory is exhausted.
PyObject *makePythonNumber(python::Type type, uint64_t slot);

/// Converts a constant to a Python object: a number, a string, None, or a tuple of these.
nanobind::object toPythonObject(const python::Constant &constant);

/// A list or a set among the arguments of a call.
struct ListArgument {
  host::Owner *list;
  PyObject *object; ///< borrowed
};

/// The address of a random generator's state and the generator (borrowed), for generators among the arguments.
using GeneratorArgument = std::pair<uint64_t, PyObject *>;

/// Reads the slots of a result in order.
class ResultReader {
public:
  /// `slots` holds the `parts` slots of the result, then the slots of the result's owners; the created objects take
  /// over the owners' references. The result may refer to the call's `arrays`, `lists`, `generators` and slots
  /// (`arguments`).
  ResultReader(const uint64_t *slots, llvm::ArrayRef<ArrayArgument> arrays,
               llvm::ArrayRef<uint64_t> arguments, size_t parts,
               llvm::ArrayRef<ListArgument> lists = {},
               llvm::ArrayRef<GeneratorArgument> generators = {})
      : next_(slots), nextOwner_(slots + parts), arrays_(arrays), arguments_(arguments),
        lists_(lists), generators_(generators) {}

  /// Reads the next value. `known` is the compile-time part of the value, if any.
  nanobind::object readValue(python::Type type, const python::Constant *known);

  /// Converts the elements of a list of type `type` to a Python list.
  nanobind::object readElements(python::Type type, host::Owner &list);
  /// Converts element `i` of a list with this element type.
  nanobind::object readElement(python::Type element, host::Owner &list, int64_t i);

private:
  uint64_t take() { return *next_++; }
  nanobind::object readTuple(python::Type type, const python::Constant *known);
  nanobind::object readOptional(python::Type type);
  nanobind::object findRandomGenerator(uint64_t state);
  nanobind::object readArray(python::Type type);
  nanobind::object readBytes(python::Type type);
  nanobind::object readCharacters(python::Type type);
  nanobind::object readRecord(python::Type type);
  nanobind::object readList(python::Type type);
  nanobind::object findListArgument(const host::Owner &list);
  nanobind::object readText();
  nanobind::object readDictOrSet(python::Type type);

  const uint64_t *next_;
  const uint64_t *nextOwner_;
  llvm::ArrayRef<ArrayArgument> arrays_;
  llvm::ArrayRef<uint64_t> arguments_;
  llvm::ArrayRef<ListArgument> lists_;
  llvm::ArrayRef<GeneratorArgument> generators_;
};

} // namespace heddle
