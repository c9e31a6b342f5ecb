#include "bindings/source/named_arrays.h"

#include "bindings/arrays/array_facts.h"
#include "bindings/arrays/device_array.h"
#include "bindings/runtime.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Constant;
using python::ConstantKind;

namespace {

/// Converts the object to a device array; null if it is none. Includes NumPy arrays in memory that a device shares.
nb::object asDeviceArray(nb::handle object) {
  if (nb::isinstance<DeviceArray>(object))
    return nb::borrow(object);
  if (PyType_Check(object.ptr()) || !nb::hasattr(object, "__cuda_array_interface__"))
    return {};
  return nb::module_::import_("heddle.cuda").attr("as_cuda_array")(object);
}

} // namespace

std::optional<Constant> deviceArrayConstant(nb::handle object) {
  nb::object found = asDeviceArray(object);
  if (!found.is_valid())
    return std::nullopt;
  const DeviceArray &array = *nb::inst_ptr<DeviceArray>(found);
  if (!array.element)
    throw nb::type_error(("kernels have no type for elements of type " + array.typestr).c_str());
  auto place = std::make_shared<python::DeviceArrayPlace>();
  place->address = reinterpret_cast<uint64_t>(array.address);
  place->shape.assign(array.shape.begin(), array.shape.end());
  place->strides.assign(array.strides.begin(), array.strides.end());
  place->device = array.device->index();
  place->deviceName = array.device->name();
  place->owner = keepAlive(found);
  ArrayView view{array.address,       array.element,         unsigned(place->shape.size()),
                 place->shape.data(), place->strides.data(), array.readonly};
  python::Type type =
      computeArrayFacts(view, !array.device->usesHostMemory(), /*copied=*/false).type;
  return Constant{.kind = ConstantKind::DeviceArray, .type = type, .place = std::move(place)};
}

} // namespace heddle
