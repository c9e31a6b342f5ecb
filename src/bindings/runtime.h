// Devices, streams, events and memory as Python sees them, and the runtime's errors as Python's.
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

/// Holds `object` for the runtime; the last owner may let go on any thread, with or without the GIL.
std::shared_ptr<void> keepAlive(nanobind::object object);

/// The name by which a kernel's sites refer to an exception class: a builtin's own, or "module.Class" for one of the
/// program's, which is remembered so that setPythonError finds it.
std::string nameToRaise(nanobind::handle exceptionClass);

/// The class of that name: one given to nameToRaise, or a builtin; null for any other.
nanobind::object classToRaise(const std::string &name);

/// Makes the error the pending Python exception: the class that the site's kind names (IndexError, ZeroDivisionError,
/// a class given to nameToRaise), else heddle.errors.KernelRuntimeError; with the attributes `tid` and `ctaid`.
void setPythonError(const KernelError &error) noexcept;
/// The same as the function of numbers has raised it: of a ufunc's loop there is no thread.
void setPythonErrorOfFunction(const KernelError &error) noexcept;
/// The same for a diagnostic: TypingError, UnsupportedError, LoweringError and InternalError of heddle.errors, or
/// ValueError, TypeError, MemoryError.
void setPythonError(const CompileError &error) noexcept;
/// The same for a driver's error: heddle.errors.CudaAPIError.
void setPythonError(const DriverError &error) noexcept;
/// The same for whatever a call into the runtime threw.
void setPythonError(const std::exception_ptr &thrown) noexcept;
[[noreturn]] void raisePython(const KernelError &error);

/// Lets C++ exceptions of the runtime and the compiler arrive in Python as these.
void registerExceptions();
/// Lets waits notice signals, Ctrl-C above all; what the signal's handler raised is what the wait then raises.
void installInterruptCheck();

} // namespace heddle
