// What compiled code of the host returns, as Python objects.
#pragma once

#include "bindings/arguments/arguments.h"
#include "frontend/python/types/constant.h"

#include <nanobind/nanobind.h>

#include <cstdint>

namespace heddle {

/// A constant that a Python object stands for: a number, a string, None, a tuple of these.
nanobind::object objectOf(const python::Constant &constant);

/// Reads the slots of a result one after the other.
class ResultReader {
public:
  /// `arrays` and `arguments` are the arrays of the call, which the result may be in, and its slots. Behind the `parts`
  /// slots of the result are those of its owners, whose references the objects take over.
  ResultReader(const uint64_t *slots, llvm::ArrayRef<ArrayArgument> arrays,
               llvm::ArrayRef<uint64_t> arguments, size_t parts)
      : next_(slots), nextOwner_(slots + parts), arrays_(arrays), arguments_(arguments) {}

  /// The next value, of type `type`; `known` is what of it exists while compiling only, if anything.
  nanobind::object read(python::Type type, const python::Constant *known);

private:
  uint64_t take() { return *next_++; }
  nanobind::object readTuple(python::Type type, const python::Constant *known);
  nanobind::object readOptional(python::Type type);
  nanobind::object readArray(python::Type type);
  nanobind::object readRecord(python::Type type);
  nanobind::object readList(python::Type type);

  const uint64_t *next_;
  const uint64_t *nextOwner_;
  llvm::ArrayRef<ArrayArgument> arrays_;
  llvm::ArrayRef<uint64_t> arguments_;
};

} // namespace heddle
