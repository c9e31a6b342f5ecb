// What compiled code of the host returns, as Python objects.
#pragma once

#include "bindings/arguments/arguments.h"
#include "frontend/python/types/constant.h"
#include "host/memory.h"

#include <nanobind/nanobind.h>

#include <cstdint>

namespace heddle {

/// A number or a bool of a slot; null, with Python's error set, where there is no memory.
PyObject *newNumber(python::Type type, uint64_t slot);

/// A constant that a Python object stands for: a number, a string, None, a tuple of these.
nanobind::object objectOf(const python::Constant &constant);

/// A list or a set among the arguments of a call.
struct ListArgument {
  host::Owner *list;
  PyObject *object; ///< borrowed
};

/// The address of the state of a random generator among the arguments of a call, and the generator, borrowed.
using GeneratorArgument = std::pair<uint64_t, PyObject *>;

/// Reads the slots of a result one after the other.
class ResultReader {
public:
  /// `arrays`, `lists` and `arguments` are the arrays and lists of the call, which may be in the result, and its slots. Behind the `parts`
  /// slots of the result are those of its owners, whose references the objects take over.
  ResultReader(const uint64_t *slots, llvm::ArrayRef<ArrayArgument> arrays,
               llvm::ArrayRef<uint64_t> arguments, size_t parts,
               llvm::ArrayRef<ListArgument> lists = {},
               llvm::ArrayRef<GeneratorArgument> generators = {})
      : next_(slots), nextOwner_(slots + parts), arrays_(arrays), arguments_(arguments),
        lists_(lists), generators_(generators) {}

  /// The next value, of type `type`; `known` is what of it exists while compiling only, if anything.
  nanobind::object read(python::Type type, const python::Constant *known);

  /// The elements of a list, of type `type`, as a Python list.
  nanobind::object readElements(python::Type type, host::Owner &list);

private:
  uint64_t take() { return *next_++; }
  nanobind::object readTuple(python::Type type, const python::Constant *known);
  nanobind::object readOptional(python::Type type);
  nanobind::object generatorAt(uint64_t state);
  nanobind::object readArray(python::Type type);
  nanobind::object readCharacters(python::Type type);
  nanobind::object readRecord(python::Type type);
  nanobind::object readList(python::Type type);
  nanobind::object argumentIn(const host::Owner &list);
  nanobind::object readText();
  /// Element `i` of a list of such elements.
  nanobind::object readElement(python::Type element, host::Owner &list, int64_t i);
  nanobind::object readTable(python::Type type);

  const uint64_t *next_;
  const uint64_t *nextOwner_;
  llvm::ArrayRef<ArrayArgument> arrays_;
  llvm::ArrayRef<uint64_t> arguments_;
  llvm::ArrayRef<ListArgument> lists_;
  llvm::ArrayRef<GeneratorArgument> generators_;
};

} // namespace heddle
