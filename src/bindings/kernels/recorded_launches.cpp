#include "bindings/kernels/recorded_launches.h"

#include "bindings/arguments/allocations.h"
#include "bindings/arrays/device_array.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/values/numpy_classes.h"

#include "llvm/ADT/ScopeExit.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace nb = nanobind;

namespace heddle {

bool recordsLaunches = false;

namespace {

/// The function that records launches. Never freed.
nb::object &launchRecorder() {
  static auto *function = new nb::object;
  return *function;
}

/// True while the recorder runs on this thread.
thread_local bool isInRecorder = false;

/// The allocation of an array whose elements are in [low, high), or of a memory object, as (first byte, past the last
/// byte); None if it is unknown.
nb::object findAllocation(nb::handle value, uint64_t low, uint64_t high) {
  bool isArray = isNumPyArray(value) || isDeviceArray(value);
  MemoryRange elements{reinterpret_cast<const char *>(low), reinterpret_cast<const char *>(high)};
  std::optional<MemoryRange> found =
      isArray ? allocationOfArray(value, elements) : allocationOfPointer(value);
  if (!found)
    return nb::none();
  return nb::make_tuple(reinterpret_cast<uint64_t>(found->low),
                        reinterpret_cast<uint64_t>(found->high));
}

} // namespace

bool passToRecorder(PyObject *kernel, PyObject *const *values, size_t count,
                    PyObject *keywordNames) {
  if (isInRecorder)
    return false;
  nb::object positional = nb::steal(PyTuple_New(Py_ssize_t(count)));
  for (size_t i = 0; i < count; ++i)
    PyTuple_SetItem(positional.ptr(), Py_ssize_t(i), Py_NewRef(values[i]));
  nb::dict named;
  for (Py_ssize_t i = 0; keywordNames && i < PyTuple_Size(keywordNames); ++i)
    named[nb::handle(PyTuple_GetItem(keywordNames, i))] = nb::handle(values[count + size_t(i)]);
  isInRecorder = true;
  auto leave = llvm::scope_exit([] { isInRecorder = false; });
  nb::object record = launchRecorder(); // another thread may replace it
  record(nb::handle(kernel), positional, named);
  return true;
}

void bindRecordedLaunches(nb::module_ &m) {
  m.def(
      "set_launch_recorder",
      [](nb::object function) {
        recordsLaunches = !function.is_none();
        launchRecorder() = std::move(function);
      },
      nb::arg("function").none(), serialized,
      "From now on, launches call this function with the kernel, a tuple and a dict of arguments. "
      "Launches that it makes itself on the same thread run at once. None ends this.");
  m.def("find_allocation", findAllocation, nb::arg("value"), nb::arg("low"), nb::arg("high"),
        "The first byte and the end of the allocation of an array with elements from low to high, "
        "or of a memory object; None if it is unknown.");
}

} // namespace heddle
