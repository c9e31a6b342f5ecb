#include "bindings/kernels/kernel_output.h"

#include "support/os/standard_output.h"

#include <atomic>
#include <string>

namespace nb = nanobind;

namespace heddle {

namespace {

/// True if a printing kernel was launched since the last query.
std::atomic<bool> launchedPrints = false;

/// sys.stdout; invalid if it is None or missing.
nb::object findStandardOutput() {
  nb::object output =
      nb::steal(PyObject_GetAttrString(nb::module_::import_("sys").ptr(), "stdout"));
  if (!output.is_valid())
    PyErr_Clear();
  return output.is_valid() && !output.is_none() ? output : nb::object();
}

/// Writes the collected text to sys.stdout. Swallows errors, because the program did not call this.
int forwardOutput(void *) {
  std::string text = os::takeStandardOutput();
  nb::object stdOut = text.empty() ? nb::object() : findStandardOutput();
  if (!stdOut.is_valid())
    return 0;
  PyObject *output = stdOut.ptr();
  PyObject *line = PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace");
  PyObject *written = line ? PyObject_CallMethod(output, "write", "O", line) : nullptr;
  if (!written)
    PyErr_WriteUnraisable(output);
  Py_XDECREF(line);
  Py_XDECREF(written);
  return 0;
}

/// Schedules forwardOutput() on Python's main thread before its next bytecode. Any thread may call this without the
/// GIL, which a waiting main thread may hold.
bool scheduleForwardingOutput() { return Py_AddPendingCall(forwardOutput, nullptr) == 0; }

} // namespace

void flushBeforePrintingLaunch() {
  launchedPrints = true;
  if (nb::object output = findStandardOutput(); output.is_valid())
    if (PyObject *nothing = PyObject_CallMethod(output.ptr(), "flush", nullptr))
      Py_DECREF(nothing);
  PyErr_Clear(); // stdout is missing or closed
}

void bindKernelOutput(nb::module_ &m) {
  m.def(
      "print_to_python",
      [](bool python) { os::setOutputAnnouncer(python ? scheduleForwardingOutput : nullptr); },
      nb::arg("python"),
      "Sends kernel output to sys.stdout if true, else to the process's standard output.");
  m.def(
      "pass_on_prints", [] { forwardOutput(nullptr); },
      "Writes collected kernel output to sys.stdout.");
  m.def(
      "launched_prints", [] { return launchedPrints.exchange(false); },
      "True if a printing kernel was launched since the last call.");
}

} // namespace heddle
