#include "bindings/kernels/launch_warnings.h"

#include "bindings/interpreter/serialized_scope.h"

#include <string>

namespace nb = nanobind;

namespace heddle {

LaunchWarnings launchWarnings;

namespace {

void issuePerformanceWarning(const std::string &text) {
  nb::object category = nb::module_::import_("heddle.errors").attr("NumbaPerformanceWarning");
  if (PyErr_WarnEx(category.ptr(), text.c_str(), /*stack_level=*/1) != 0)
    throw nb::python_error();
}

} // namespace

void warnOfSmallGrid(const LaunchShape &shape) {
  constexpr uint64_t enough = 128; // about the number of multiprocessors of a large GPU
  uint64_t blocks = uint64_t(shape.grid.x) * shape.grid.y * shape.grid.z;
  if (blocks < enough)
    issuePerformanceWarning("Grid size " + std::to_string(blocks) +
                            " leaves most of a GPU idle: low occupancy");
}

void warnOfHostArrays() {
  issuePerformanceWarning(
      "Host array used in CUDA kernel will incur copy overhead on a GPU, at every launch: "
      "cuda.to_device copies it once");
}

void bindLaunchWarnings(nb::module_ &m) {
  m.def(
      "set_launch_warnings",
      [](bool smallGrids, bool hostArrays) {
        launchWarnings = {.smallGrids = smallGrids, .hostArrays = hostArrays};
      },
      nb::arg("small_grids"), nb::arg("host_arrays"), serialized);
}

} // namespace heddle
