#include "bindings/kernels/kernel_output.h"

#include "support/os/standard_output.h"

#include <string>
#include <utility>

namespace nb = nanobind;

namespace heddle {

namespace {

/// Whether a kernel that prints was launched since the program last asked.
bool launchedPrints = false;

/// Writes what was kept to sys.stdout. Errors of that end here: the program did not call it.
int passOnOutput(void *) {
  std::string text = os::takeStandardOutput();
  PyObject *output = text.empty() ? nullptr : PySys_GetObject("stdout");
  if (!output || output == Py_None)
    return 0;
  PyObject *line = PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace");
  PyObject *written = line ? PyObject_CallMethod(output, "write", "O", line) : nullptr;
  if (!written)
    PyErr_WriteUnraisable(output);
  Py_XDECREF(line);
  Py_XDECREF(written);
  return 0;
}

/// Has Python's main thread pass it on before its next step: any thread may ask for that, without Python's lock, for
/// which the main thread may be waiting.
bool announceOutput() { return Py_AddPendingCall(passOnOutput, nullptr) == 0; }

} // namespace

void prepareForPrints() {
  launchedPrints = true;
  if (PyObject *output = PySys_GetObject("stdout"))
    if (PyObject *nothing = PyObject_CallMethod(output, "flush", nullptr))
      Py_DECREF(nothing);
  PyErr_Clear(); // there is none, or it is closed
}

void bindKernelOutput(nb::module_ &m) {
  m.def(
      "print_to_python",
      [](bool python) { os::keepStandardOutput(python ? announceOutput : nullptr); },
      nb::arg("python"),
      "Whether what kernels print goes to sys.stdout, or to the process's standard output.");
  m.def(
      "pass_on_prints", [] { passOnOutput(nullptr); },
      "Write to sys.stdout what kernels have printed.");
  m.def(
      "launched_prints", [] { return std::exchange(launchedPrints, false); },
      "Whether a kernel that prints was launched since the last call.");
}

} // namespace heddle
