// Python bindings of devices, streams, events and memory, and of the runtime's errors.
#pragma once

#include "runtime/device.h"
#include "runtime/driver_error.h"
#include "support/diagnostic.h"

#include <nanobind/nanobind.h>

#include <exception>
#include <memory>
#include <string>

namespace heddle {

void bindRuntime(nanobind::module_ &m);

/// Keeps a Python object alive for the runtime. The last owner may release it on any thread, with or without the GIL.
std::shared_ptr<void> keepAlive(nanobind::object object);

/// Returns the name of an exception class in a kernel's sites: the name of a builtin class, or "module.Class" for a
/// class of the program. Records the program's class for setPythonError.
std::string recordExceptionClass(nanobind::handle exceptionClass);

/// The class with that name: a recorded class or a builtin; null for other names.
nanobind::object findExceptionClass(const std::string &name);

/// Sets the pending Python exception. Uses the class that the site names (IndexError, ZeroDivisionError, a class
/// recorded by recordExceptionClass), else heddle.errors.KernelRuntimeError. Sets the attributes `tid` and `ctaid`.
void setPythonError(const KernelError &error) noexcept;
/// Sets the Python exception for an error in a ufunc's loop, without `tid` and `ctaid`.
void setPythonErrorOfUfunc(const KernelError &error) noexcept;
/// Sets the Python exception for a diagnostic, whose kind determines the class (support/diagnostic.h).
void setPythonError(const CompileError &error) noexcept;
/// Sets heddle.errors.CudaAPIError for a driver error.
void setPythonError(const DriverError &error) noexcept;
/// Sets the Python exception for any exception of the runtime.
void setPythonError(const std::exception_ptr &thrown) noexcept;
[[noreturn]] void throwPythonError(const KernelError &error);

/// Registers the translation of the runtime's and the compiler's C++ exceptions to Python exceptions.
void registerExceptions();
/// Lets waits react to signals such as Ctrl-C. A wait raises the exception of the signal's Python handler.
void installInterruptCheck();

} // namespace heddle
