#include "bindings/arrays/dlpack.h"

#include "bindings/interpreter/gil.h"

#include <string>

namespace nb = nanobind;

namespace heddle::dlpack {

namespace {

constexpr uint32_t majorVersion = 1;
constexpr uint64_t readOnlyFlag = 1;

/// Owns a DLPack structure. The last reference, on any thread, calls the producer's deleter, which may use Python.
template <typename Managed> std::shared_ptr<void> ownManagedTensor(Managed *managed) {
  return std::shared_ptr<void>(managed, [](void *held) {
    auto *tensor = static_cast<Managed *>(held);
    if (!tensor->deleter || !Py_IsInitialized())
      return;
    if (WithGil gil; gil)
      tensor->deleter(tensor);
  });
}

template <typename Managed>
Managed *takeTensorFromCapsule(nb::handle capsule, const char *name, const char *usedName) {
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!managed || PyCapsule_SetName(capsule.ptr(), usedName) != 0)
    throw nb::python_error();
  return managed;
}

nb::object callDlpack(nb::handle value, int64_t stream) {
  nb::object produce = value.attr("__dlpack__");
  nb::object number = stream < 0 ? nb::object(nb::int_(-1)) : nb::object(nb::int_(stream));
  try {
    nb::dict options;
    options["stream"] = number;
    options["max_version"] = nb::make_tuple(majorVersion, 3);
    return produce(**options);
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
  }
  nb::dict options; // empty for a producer older than version 1
  options["stream"] = number;
  return produce(**options);
}

} // namespace

const ExchangeApi *exchangeApiOf(PyTypeObject *type) {
  nb::object capsule =
      nb::getattr(reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api"))
    return nullptr;
  auto *api =
      static_cast<const ExchangeApi *>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (api && api->version.major != majorVersion)
    api = api->previous;
  return api && api->tensorOf ? api : nullptr;
}

std::optional<Place> findDlpackDevice(nb::handle value) {
  if (!nb::hasattr(value, "__dlpack__") || !nb::hasattr(value, "__dlpack_device__"))
    return {};
  nb::object place = value.attr("__dlpack_device__")();
  return Place{nb::cast<int>(nb::object(nb::int_(nb::object(place[0])))),
               nb::cast<int>(nb::object(nb::int_(nb::object(place[1]))))};
}

Imported importArray(nb::handle value, int64_t stream) {
  nb::object capsule = callDlpack(value, stream);
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto *managed = takeTensorFromCapsule<ManagedTensorVersioned>(capsule, "dltensor_versioned",
                                                                  "used_dltensor_versioned");
    std::shared_ptr<void> hold = ownManagedTensor(managed);
    if (managed->version.major != majorVersion)
      throw nb::type_error(("its __dlpack__ uses DLPack " + std::to_string(managed->version.major) +
                            ", heddle uses DLPack 1")
                               .c_str());
    return {&managed->tensor, (managed->flags & readOnlyFlag) != 0, std::move(hold)};
  }
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    auto *managed = takeTensorFromCapsule<ManagedTensor>(capsule, "dltensor", "used_dltensor");
    return {&managed->tensor, false, ownManagedTensor(managed)};
  }
  throw nb::type_error("its __dlpack__ did not return a DLPack capsule");
}

} // namespace heddle::dlpack
