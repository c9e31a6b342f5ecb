#include "bindings/interpreter/serialized_scope.h"
#include "bindings/runtime.h"

#include "bindings/interpreter/gil.h"
#include "runtime/driver_error.h"

#include <nanobind/stl/string.h>

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace nb = nanobind;

namespace heddle {

namespace {

nb::object errorClass(const char *name) { return nb::module_::import_("heddle.errors").attr(name); }

/// A builtin subclass of Exception; null for other names. (Not of BaseException: a kernel must not end the program.)
nb::object builtinException(const std::string &name) {
  nb::object found = nb::getattr(nb::module_::import_("builtins"), name.c_str(), nb::none());
  bool fits = PyType_Check(found.ptr()) && PyObject_IsSubclass(found.ptr(), PyExc_Exception) == 1;
  return fits ? found : nb::object();
}

/// The program's exception classes that kernels raise, by the names in their sites. Never freed: a kernel may outlive
/// the function that defined the class.
std::map<std::string, nb::object> &classesRaisedByKernels() {
  static auto *classes = new std::map<std::string, nb::object>;
  return *classes;
}

TableLock raisedMutex; ///< guards classesRaisedByKernels()

/// A tuple (x, y, z), or None.
nb::object makeIndexTuple(const uint32_t *v) {
  return v[0] == unknownIndex ? nb::none() : nb::object(nb::make_tuple(v[0], v[1], v[2]));
}

nb::object kernelException(const KernelError &error) {
  nb::object type = findExceptionClass(error.site().kind);
  if (type) {
    try {
      const std::string &others = error.site().arguments;
      nb::object arguments = others.empty()
                                 ? nb::make_tuple()
                                 : nb::module_::import_("ast").attr("literal_eval")(others);
      nb::object exception = type(error.what(), *arguments);
      exception.attr("tid") = makeIndexTuple(error.thread());
      exception.attr("ctaid") = makeIndexTuple(error.block());
      return exception;
    } catch (nb::python_error &) {
      // The class requires other arguments than a message.
    }
  }
  std::string what = error.what();
  if (!error.site().arguments.empty())
    what += "\n  arguments: " + error.site().arguments;
  return errorClass("KernelRuntimeError")(what, makeIndexTuple(error.thread()),
                                          makeIndexTuple(error.block()));
}

nb::object exceptionClassFor(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::Typing:
    return errorClass("TypingError");
  case ErrorKind::Constant:
    return errorClass("ConstantError");
  case ErrorKind::Result:
    return errorClass("ResultError");
  case ErrorKind::Member:
    return errorClass("MemberError");
  case ErrorKind::Unsupported:
    return errorClass("UnsupportedError");
  case ErrorKind::Lowering:
    return errorClass("LoweringError");
  case ErrorKind::Internal:
    return errorClass("InternalError");
  case ErrorKind::Value:
    return nb::borrow(PyExc_ValueError);
  case ErrorKind::Type:
    return nb::borrow(PyExc_TypeError);
  case ErrorKind::Memory:
    return errorClass("DeviceMemoryError");
  }
  return nb::borrow(PyExc_RuntimeError);
}

/// The Python class for nanobind's value_error and other exceptions.
PyObject *classOfNanobindException(nb::exception_type type) {
  switch (type) {
  case nb::exception_type::value_error:
    return PyExc_ValueError;
  case nb::exception_type::type_error:
  case nb::exception_type::next_overload:
    return PyExc_TypeError;
  case nb::exception_type::index_error:
    return PyExc_IndexError;
  case nb::exception_type::key_error:
    return PyExc_KeyError;
  default:
    return PyExc_RuntimeError;
  }
}

/// The exception that a signal's handler raised on this thread during a wait.
thread_local std::optional<nb::python_error> interruption;

bool checkSignals() {
  WithGil gil;
  if (!gil || PyErr_CheckSignals() == 0)
    return false;
  // Save the exception, because other Python code may run on this thread before the wait returns.
  interruption.emplace();
  return true;
}

void addNote(nb::handle exception, const std::string &note) {
  try {
    exception.attr("add_note")(note);
  } catch (nb::python_error &) {
    // Raise the exception without the note.
  }
}

/// Sets the Python exception for known C++ exceptions; rethrows others.
void translateException(const std::exception_ptr &thrown, void *) {
  try {
    std::rethrow_exception(thrown);
  } catch (const KernelError &error) {
    setPythonError(error);
  } catch (const CompileError &error) {
    setPythonError(error);
  } catch (const DriverError &error) {
    setPythonError(error);
  } catch (const Interrupted &why) {
    if (interruption) {
      if (!why.note().empty())
        addNote(interruption->value(), why.note());
      interruption->restore();
      interruption.reset();
    } else {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  }
}

} // namespace

nb::object findExceptionClass(const std::string &name) {
  {
    std::lock_guard lock(raisedMutex);
    auto known = classesRaisedByKernels().find(name);
    if (known != classesRaisedByKernels().end())
      return known->second;
  }
  return builtinException(name);
}

std::string recordExceptionClass(nb::handle exceptionClass) {
  std::string name = nb::cast<std::string>(exceptionClass.attr("__name__"));
  nb::object builtin = builtinException(name);
  if (builtin.is(exceptionClass) || PyObject_IsSubclass(exceptionClass.ptr(), PyExc_Exception) != 1)
    return name;
  std::string module =
      nb::cast<std::string>(nb::str(nb::object(exceptionClass.attr("__module__"))));
  std::string full =
      module + "." + nb::cast<std::string>(nb::object(exceptionClass.attr("__qualname__")));
  nb::object kept = nb::borrow(exceptionClass);
  std::lock_guard lock(raisedMutex);
  std::swap(classesRaisedByKernels()[full], kept);
  return full;
}

void setPythonError(const KernelError &error) noexcept {
  try {
    nb::object exception = kernelException(error);
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
  } catch (nb::python_error &other) {
    other.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  }
}

void setPythonErrorOfUfunc(const KernelError &error) noexcept {
  try {
    const simt::SiteInfo &site = error.site();
    nb::object type = findExceptionClass(site.kind);
    if (!type.is_valid())
      return setPythonError(error);
    nb::tuple arguments =
        error.message().empty() ? nb::make_tuple() : nb::make_tuple(error.message());
    nb::module_::import_("heddle.support.tracebacks")
        .attr("raise_at")(type, arguments, site.file, site.line, site.function);
  } catch (nb::python_error &raised) {
    raised.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  }
}

void setPythonError(const CompileError &error) noexcept {
  try {
    nb::object type = exceptionClassFor(error.diagnostic().kind);
    nb::object exception = type(error.what());
    if (nb::hasattr(type, "_colored"))
      exception.attr("_colored") = render(error.diagnostic(), /*color=*/true);
    PyErr_SetObject(type.ptr(), exception.ptr());
  } catch (nb::python_error &other) {
    other.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  }
}

void setPythonError(const DriverError &error) noexcept {
  try {
    nb::object exception = errorClass("CudaAPIError")(error.code(), error.what());
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
  } catch (nb::python_error &other) {
    other.restore();
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  }
}

void setPythonError(const std::exception_ptr &thrown) noexcept {
  try {
    translateException(thrown, nullptr);
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const nb::builtin_exception &error) {
    PyErr_SetString(classOfNanobindException(error.type()), error.what());
  } catch (const std::overflow_error &error) {
    PyErr_SetString(PyExc_OverflowError, error.what());
  } catch (const std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

void throwPythonError(const KernelError &error) {
  setPythonError(error);
  throw nb::python_error();
}

void registerExceptions() { nb::register_exception_translator(translateException, nullptr); }

void installInterruptCheck() { setInterruptCheck(checkSignals); }

} // namespace heddle
