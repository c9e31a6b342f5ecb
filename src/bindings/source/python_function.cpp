#include "bindings/source/python_function.h"

#include "bindings/interpreter/deep_stack.h"
#include "bindings/source/ast_reader.h"
#include "bindings/source/constants.h"
#include "bindings/source/environment.h"
#include "bindings/source/host_objects.h"
#include "bindings/types/structures.h"
#include "frontend/python/syntax/parallel_loops.h"
#include "frontend/python/syntax/scopes.h"
#include "support/file_display_name.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace heddle {

namespace {

/// Converts a string that may not be valid Unicode, such as a file name.
std::string toValidUtf8(nb::handle string) {
  nb::object bytes = string.attr("encode")("utf-8", "replace");
  return nb::cast<std::string>(bytes.attr("decode")("utf-8"));
}

} // namespace

PythonFunction::PythonFunction(nb::object function) : function_(std::move(function)) {
  nb::object defaults = function_.attr("__defaults__");
  defaults_ = defaults.is_none() ? nb::make_tuple() : defaults;
  nb::object keywordDefaults = function_.attr("__kwdefaults__");
  keywordDefaults_ = keywordDefaults.is_none() ? nb::dict() : nb::borrow<nb::dict>(keywordDefaults);
  names_ = function_.attr("__code__").attr("co_varnames");
  parameterCount_ = nb::cast<size_t>(function_.attr("__code__").attr("co_argcount"));
  keywordOnlyCount_ = nb::cast<size_t>(function_.attr("__code__").attr("co_kwonlyargcount"));
  constexpr unsigned varargsFlag = 4; // inspect.CO_VARARGS
  isVariadic_ = nb::cast<unsigned>(function_.attr("__code__").attr("co_flags")) & varargsFlag;
  lines_ = nb::module_::import_("heddle.compiler.source").attr("find_source_lines")(function_);
}

int PythonFunction::visitReferences(visitproc visit, void *arg) const {
  for (nb::handle held : {nb::handle(function_), nb::handle(defaults_),
                          nb::handle(keywordDefaults_), nb::handle(lines_)})
    Py_VISIT(held.ptr());
  if (!source_)
    return 0;
  Py_VISIT(static_cast<FunctionEnvironment &>(*source_->environment).function().ptr());
  for (const auto &[types, globals] : source_->compiledWith)
    for (const auto &[name, constant] : *globals)
      if (int result = constant ? heddle::visitReferences(*constant, visit, arg) : 0)
        return result;
  return 0;
}

void PythonFunction::clearReferences() {
  source_.reset();
  function_ = nb::none(); // later uses raise an exception
  defaults_ = nb::make_tuple();
  keywordDefaults_ = nb::dict();
  lines_ = nb::none();
}

std::string PythonFunction::name() const {
  return nb::cast<std::string>(function_.attr("__name__"));
}

void PythonFunction::bindAndReadArguments(PyObject *const *values, size_t count,
                                          nb::handle keywords, ArgumentList &arguments) const {
  auto wrong = [&](const std::string &message) {
    throw nb::type_error((name() + "() " + message).c_str());
  };
  const nb::object &names = names_; // keyword-only parameters come last
  size_t parameters = parameterCount_ + keywordOnlyCount_;
  auto nameOf = [&](size_t i) { return nb::cast<std::string>(nb::object(names[i])); };
  if (count > parameterCount_ && !isVariadic_)
    wrong("takes " + std::to_string(parameterCount_) + " positional arguments, " +
          std::to_string(count) + " were given");
  std::vector<nb::object> bound(parameters);
  nb::list rest;
  for (size_t i = 0; i < count; ++i)
    if (i < parameterCount_)
      bound[i] = nb::borrow(values[i]);
    else
      rest.append(nb::handle(values[i]));
  for (size_t k = 0; k < (keywords ? nb::len(keywords) : 0); ++k) {
    std::string keyword = nb::cast<std::string>(nb::object(keywords[k]));
    size_t i = 0;
    while (i < parameters && nameOf(i) != keyword)
      ++i;
    if (i == parameters)
      wrong(
          "has no parameter '" + keyword + "'" +
          (keyword == "stream" || keyword == "sharedmem" || keyword == "shared_mem"
               ? "\n  hint: it belongs in the brackets: kernel[grid, block, stream, sharedmem](...)"
               : ""));
    if (bound[i].is_valid())
      wrong("was given '" + keyword + "' twice, by position and by keyword");
    bound[i] = nb::borrow(values[count + k]);
  }
  size_t firstDefault = parameterCount_ - nb::len(defaults_);
  for (size_t i = 0; i < parameters; ++i) {
    if (bound[i].is_valid())
      continue;
    if (i < parameterCount_ && i >= firstDefault)
      bound[i] = nb::object(defaults_[i - firstDefault]);
    else if (i >= parameterCount_ && keywordDefaults_.contains(nb::object(names[i])))
      bound[i] = nb::object(keywordDefaults_[nb::object(names[i])]);
    else
      wrong("needs an argument for '" + nameOf(i) + "'");
  }
  for (size_t i = 0; i < parameters; ++i) {
    if (i == parameterCount_ && isVariadic_)
      arguments.addAndKeepAlive(nb::tuple(rest));
    arguments.add(bound[i]);
  }
  if (isVariadic_ && !keywordOnlyCount_)
    arguments.addAndKeepAlive(nb::tuple(rest));
}

bool PythonFunction::bindArgumentsIfSimple(PyObject *positional, PyObject *named,
                                           llvm::SmallVectorImpl<PyObject *> &values) const {
  size_t count = size_t(PyTuple_Size(positional));
  size_t left = named ? size_t(PyDict_Size(named)) : 0;
  if (isVariadic_ || keywordOnlyCount_ || count + left > parameterCount_)
    return false;
  for (size_t i = 0; i < count; ++i)
    values.push_back(PyTuple_GetItem(positional, Py_ssize_t(i)));
  size_t firstDefault = parameterCount_ - size_t(PyTuple_Size(defaults_.ptr()));
  for (size_t i = count; i < parameterCount_; ++i) {
    PyObject *name = PyTuple_GetItem(names_.ptr(), Py_ssize_t(i));
    PyObject *value = left ? PyDict_GetItem(named, name) : nullptr;
    if (value)
      --left;
    else if (i >= firstDefault)
      value = PyTuple_GetItem(defaults_.ptr(), Py_ssize_t(i - firstDefault));
    else
      return false;
    values.push_back(value);
  }
  return left == 0;
}

void PythonFunction::readArguments(PyObject *const *values, size_t count, nb::handle keywords,
                                   ArgumentList &arguments) const {
  if ((keywords && nb::len(keywords)) || isVariadic_ || keywordOnlyCount_) {
    bindAndReadArguments(values, count, keywords, arguments);
    return;
  }
  for (size_t i = 0; i < count; ++i)
    arguments.add(values[i]);
  if (count < parameterCount_) {
    size_t defaults = nb::len(defaults_);
    if (count + defaults >= parameterCount_)
      for (size_t i = count + defaults - parameterCount_; i < defaults; ++i)
        arguments.add(nb::object(defaults_[i]));
  }
}

void PythonFunction::readArguments(nb::handle positional, nb::handle named,
                                   ArgumentList &arguments) const {
  llvm::SmallVector<PyObject *, 8> values;
  size_t count = size_t(PyTuple_Size(positional.ptr()));
  for (size_t i = 0; i < count; ++i)
    values.push_back(PyTuple_GetItem(positional.ptr(), Py_ssize_t(i)));
  nb::object names;
  if (named && nb::len(named)) {
    names = nb::tuple(named);
    for (nb::handle name : names)
      values.push_back(PyDict_GetItem(named.ptr(), name.ptr()));
  }
  readArguments(values.data(), count, names, arguments);
}

python::FunctionSource &PythonFunction::source() {
  if (!source_)
    runWithDeepStack([this] { readSource(); });
  return *source_;
}

namespace {

/// Disables the garbage collector while it lives. A syntax tree is many objects with the same lifetime, and collecting
/// garbage among them takes a quarter of the time to read one.
class CollectorPause {
public:
  CollectorPause() : collected_(PyGC_Disable()) {}
  CollectorPause(const CollectorPause &) = delete;
  ~CollectorPause() {
    if (collected_)
      PyGC_Enable();
  }

private:
  bool collected_;
};

} // namespace

void PythonFunction::readSource() {
  loadExtensions();
  CollectorPause pause;
  nb::object found = nb::module_::import_("heddle.compiler.source")
                         .attr("parse_and_rewrite_definition")(function_, lines_);
  auto source = std::make_unique<python::FunctionSource>();
  source->name = nb::cast<std::string>(function_.attr("__name__"));
  if (source->name == "<lambda>")
    source->name = "lambda";
  source->qualifiedName = nb::cast<std::string>(function_.attr("__qualname__"));
  source->text.file = toValidUtf8(function_.attr("__code__").attr("co_filename"));
  source->text.firstLine = nb::cast<unsigned>(found[2]);
  source->text.lines = nb::cast<std::vector<std::string>>(found[3]);
  readFunction(nb::object(found[0]), nb::cast<int>(found[1]), *source);
  size_t defaults = nb::len(defaults_), first = parameterCount_ - defaults;
  for (size_t i = 0; i < source->parameters.size(); ++i) {
    python::Parameter &parameter = source->parameters[i];
    if (parameter.kind == python::ParameterKind::Plain && i >= first)
      parameter.defaultValue = constantOfObject(nb::object(defaults_[i - first]));
    if (parameter.kind == python::ParameterKind::KeywordOnly &&
        keywordDefaults_.contains(parameter.name.c_str()))
      parameter.defaultValue =
          constantOfObject(nb::object(keywordDefaults_[parameter.name.c_str()]));
  }
  source->environment = std::make_shared<FunctionEnvironment>(function_, nb::find(*this));
  source->parallel = parallel_;
  source->sharesAsCaller = parallelAsCaller_;
  source->declaredVariables = variables_;
  computeCapturesOfNestedFunctions(*source);
  // Before other threads see the source, and so that each call reports the loop's errors.
  outlineParallelLoops(*source);
  // Another thread may have read the source while this one ran Python code.
  if (!source_)
    source_ = std::move(source);
}

int traverseFunction(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  return nb::inst_ready(self) ? nb::inst_ptr<PythonFunction>(self)->visitReferences(visit, arg) : 0;
}

int clearFunction(PyObject *self) {
  if (nb::inst_ready(self))
    nb::inst_ptr<PythonFunction>(self)->clearReferences();
  return 0;
}

void bindPythonFunctions(nb::module_ &m) {
  nb::class_<PythonFunction>(m, "PythonFunction", "A function that is compiled.")
      .def_prop_ro("py_func", &PythonFunction::function, "The function as it was written.")
      .def_prop_ro("source_lines", &PythonFunction::lines,
                   "The lines of the function's file when it was defined; empty if there is none.");
  m.def("show_file_as", &setFileDisplayName, nb::arg("path"), nb::arg("name"),
        "Sets the display name of a file in messages.");
}

} // namespace heddle
