// A Python function to compile: its source, and the binding of arguments to parameters.
#pragma once

#include "bindings/arguments/arguments.h"
#include "frontend/python/syntax/syntax.h"

#include "llvm/ADT/SmallVector.h"

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// Base class of kernels, device functions and host functions.
class PythonFunction {
public:
  explicit PythonFunction(nanobind::object function);
  PythonFunction(const PythonFunction &) = delete;
  virtual ~PythonFunction() = default;

  /// Support for tp_traverse and tp_clear: a function refers to its module's globals, which usually refer to the object
  /// compiled from it.
  virtual int visitReferences(visitproc visit, void *arg) const;
  virtual void clearReferences();

  nanobind::handle function() const { return function_; }
  /// The lines of the function's file when the function was defined, a list; empty if there is no source.
  nanobind::handle lines() const { return lines_; }

  /// Reads the arguments of a call, and the defaults of omitted parameters. The values after the first `count` are
  /// keyword arguments; `keywords` is a tuple of their names, or null. Throws TypeError for wrong keyword arguments;
  /// for others, the caller checks the number of arguments.
  void readArguments(PyObject *const *values, size_t count, nanobind::handle keywords,
                     ArgumentList &arguments) const;
  /// Reads the arguments from a tuple of positional arguments and a dict of keyword arguments, which may be null.
  void readArguments(nanobind::handle positional, nanobind::handle named,
                     ArgumentList &arguments) const;

  /// Fast path of readArguments(): appends one value per parameter, in order, for functions with positional parameters
  /// only. `named` is a dict or null. Returns false if the values do not match.
  bool bindArgumentsIfSimple(PyObject *positional, PyObject *named,
                             llvm::SmallVectorImpl<PyObject *> &values) const;

  /// The function's syntax tree, read at the first call. Throws CompileError if its source cannot be found.
  python::FunctionSource &source();

protected:
  std::string name() const;
  /// Sets whether several threads run the function's prange loops.
  void setParallel(bool parallel) { parallel_ = parallel; }
  /// Makes the function's prange loops parallel if the caller's are.
  void setParallelAsCaller() { parallel_ = parallelAsCaller_ = true; }
  /// Makes assignments to these variables convert to the given types.
  void declareVariables(std::map<std::string, python::Type> types) {
    variables_ = std::move(types);
  }
  /// Makes the next source() read the source again.
  void forgetSource() { source_.reset(); }

private:
  void readSource();
  void bindAndReadArguments(PyObject *const *values, size_t count, nanobind::handle keywords,
                            ArgumentList &arguments) const;

  nanobind::object function_;
  nanobind::object names_;    ///< names of parameters and variables, a tuple
  nanobind::object defaults_; ///< values of the last parameters, a tuple
  nanobind::dict keywordDefaults_;
  size_t parameterCount_ = 0; ///< positional parameters, without `*rest`
  size_t keywordOnlyCount_ = 0;
  bool isVariadic_ = false;
  bool parallel_ = false, parallelAsCaller_ = false;
  std::map<std::string, python::Type> variables_;
  nanobind::object lines_;
  std::unique_ptr<python::FunctionSource> source_;
};

/// The tp_traverse and tp_clear slots of PythonFunction's subclasses.
int traverseFunction(PyObject *self, visitproc visit, void *arg);
int clearFunction(PyObject *self);

void bindPythonFunctions(nanobind::module_ &m);

} // namespace heddle
