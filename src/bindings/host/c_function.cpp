#include "bindings/host/c_function.h"

#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/interpreter/vectorcall_type.h"
#include "frontend/python/compile_kernel.h"
#include "host/interrupts.h"
#include "host/parallel_loops.h"

#include <nanobind/stl/string.h>

#include <algorithm>

namespace nb = nanobind;

namespace heddle {

CFunction::CFunction(nb::object function, nb::dict options, const Signature &signature,
                     const std::string &name)
    : HostFunction(std::move(function), std::move(options)), entered_(compileDeclared(signature)) {
  simt::OwnedModule code =
      python::compileCCallableEntry(source(), signature.arguments, entered_->result, name);
  WithoutGil release;
  // The call of the entry point from C frames can end only by returning.
  const host::HostModule &module = *entered_->module;
  host::CallFromC call =
      module.usesRuntime() ? callFromC : reinterpret_cast<host::CallFromC>(module.entry());
  entry_ = std::make_unique<host::EntryFromC>(std::move(code), name, call, this);
}

uintptr_t CFunction::keepAliveAndGetAddress() {
  if (!isKept_)
    nb::find(this).inc_ref();
  isKept_ = true;
  return reinterpret_cast<uintptr_t>(entry_->address());
}

void CFunction::callFromC(void *of, const uint64_t *arguments, uint64_t *results) {
  auto &function = *static_cast<CFunction *>(of);
  const HostVariant &entered = *function.entered_;
  host::Outcome outcome;
  {
    // It is unknown if this thread holds the GIL, which other threads of a loop may need to print.
    host::SerialLoops alone;
    outcome = host::call(entered.module->entry(), arguments, results);
  }
  if (outcome.ending == host::Ending::Returned)
    return;
  std::fill_n(results, entered.resultSlots, 0);
  function.reportUnraisable(outcome);
}

void CFunction::reportUnraisable(const host::Outcome &outcome) {
  WithGil gil;
  if (!gil)
    return;
  translatePublicExceptions([&]() -> PyObject * { raise(*entered_, outcome); });
  if (outcome.ending != host::Ending::Interrupted ||
      !PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    PyErr_WriteUnraisable(nb::find(this).ptr());
    return;
  }
  // Raise the interrupt again when C returns to Python. Until then, further calls of this function also end.
  PyErr_Clear();
  PyErr_SetInterrupt();
  host::interruptFlag() = 1;
}

void bindCFunctions(nb::module_ &m) {
  static PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void *>(traverseFunction)},
      {Py_tp_clear, reinterpret_cast<void *>(clearFunction)},
      {0, nullptr},
  };
  nb::class_<CFunction, HostFunction>(m, "CFunctionBase", nb::type_slots(slots),
                                      "A function decorated with cfunc.")
      .def(nb::init<nb::object, nb::dict, const Signature &, std::string>(), nb::arg("function"),
           nb::arg("options"), nb::arg("signature"), nb::arg("name"))
      .def_prop_ro("address", &CFunction::keepAliveAndGetAddress, serialized,
                   "The function's C address, an int. Valid until the process ends.")
      .def_prop_ro("from_cache", &CFunction::fromCache)
      .def("inspect_llvm", &CFunction::llvmIr,
           "The LLVM IR of the C entry point and of the function that it calls.");
}

} // namespace heddle
