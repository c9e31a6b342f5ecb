// A function of the program that is compiled: its source, and how values are bound to its parameters.
#pragma once

#include "bindings/arguments/arguments.h"
#include "bindings/types/types.h"
#include "frontend/python/syntax/syntax.h"

#include "llvm/ADT/SmallVector.h"

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// What kernels, device functions and functions of the host have in common.
class PythonFunction {
public:
  explicit PythonFunction(nanobind::object function);
  PythonFunction(const PythonFunction &) = delete;

  /// For Python's garbage collector, as of tp_traverse and tp_clear: a function refers to its module's globals, which
  /// most often name what is compiled of it.
  int visitReferences(visitproc visit, void *arg) const;
  void clearReferences();

  nanobind::handle function() const { return function_; }

  /// Reads the values of a call, and defaults for the parameters that they leave out. The values after the first
  /// `count` are given by keyword: `keywords` is a tuple of their names, or null. Throws TypeError when they do not fit.
  void readArguments(PyObject *const *values, size_t count, nanobind::handle keywords,
                     ArgumentList &arguments) const;

  /// Appends a call's values, one for each parameter, in their order: the short way of readArguments(), for functions whose
  /// parameters positional arguments may give. Whether the values fit; `named` is a dict or null.
  bool arrange(PyObject *positional, PyObject *named,
               llvm::SmallVectorImpl<PyObject *> &values) const;

  /// The function's syntax, read at the first call. Throws CompileError when its source cannot be found.
  python::FunctionSource &source();

protected:
  std::string name() const;
  /// Throws CompileError for a signature that has more or fewer parameters than the function.
  void checkParameterCount(const Signature &signature);
  /// Has calls by compiled code convert their arguments to those of the signature, if there is one.
  void declareForCalls(const std::vector<Signature> &signatures);
  /// Whether several threads run its loops over prange.
  void setParallel(bool parallel) { parallel_ = parallel; }
  /// The same where they run those of its caller.
  void setParallelAsCaller() { parallel_ = parallelAsCaller_ = true; }
  /// What is assigned to these variables is converted to their types.
  void declareVariables(std::map<std::string, python::Type> types) {
    variables_ = std::move(types);
  }
  /// The next source() reads it anew.
  void forgetSource() { source_.reset(); }

private:
  void readSource();
  void readNamedArguments(PyObject *const *values, size_t count, nanobind::handle keywords,
                          ArgumentList &arguments) const;

  nanobind::object function_;
  nanobind::object names_;    ///< of parameters and variables, a tuple
  nanobind::object defaults_; ///< a tuple: of the last parameters
  nanobind::dict keywordDefaults_;
  size_t parameterCount_ = 0; ///< of those that positional arguments may give, but a `*rest`
  size_t keywordOnlyCount_ = 0;
  bool isVariadic_ = false;
  bool parallel_ = false, parallelAsCaller_ = false;
  std::map<std::string, python::Type> variables_;
  nanobind::object lines_; ///< the file's lines as they were when the function was defined
  std::unique_ptr<python::FunctionSource> source_;
};

/// tp_traverse and tp_clear of a class of PythonFunctions.
template <class Function> int traverseFunction(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nanobind::inst_ready(self)
             ? nanobind::inst_ptr<Function>(self)->visitReferences(visit, arg)
             : 0;
}
template <class Function> int clearFunction(PyObject *self) {
  if (nanobind::inst_ready(self))
    nanobind::inst_ptr<Function>(self)->clearReferences();
  return 0;
}

void bindPythonFunctions(nanobind::module_ &m);

} // namespace heddle
