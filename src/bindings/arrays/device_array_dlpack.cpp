// Exports device arrays as DLPack capsules, and imports arrays of other libraries as device arrays.
#include "bindings/arrays/device_array.h"

#include "bindings/arrays/dlpack.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/runtime.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>

namespace nb = nanobind;

namespace heddle {

namespace {

constexpr dlpack::Version version{1, 0};
constexpr uint64_t readOnlyFlag = 1, copiedFlag = 2;
constexpr const char *plainName = "dltensor", *versionedName = "dltensor_versioned";

/// The allocation behind a capsule: the DLPack structure, its shape and strides, and a reference to the array.
template <typename Managed> struct Export {
  Managed managed{};
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  std::shared_ptr<void> array;
};

[[noreturn]] void rejectExport(const std::string &why) { throw nb::buffer_error(why.c_str()); }

uint8_t dlpackCodeOf(const DeviceArray &a) {
  // typestr is order, kind, bytes: "<f4"
  if (a.typestr[0] == '>')
    rejectExport("DLPack does not support numbers in non-native byte order");
  switch (a.typestr[1]) {
  case 'b':
    return dlpack::Bool;
  case 'i':
    return dlpack::Int;
  case 'u':
    return dlpack::UInt;
  case 'f':
    return dlpack::Float;
  case 'c':
    return dlpack::Complex;
  default:
    rejectExport("DLPack does not support elements of type " + a.typestr);
  }
}

template <typename Managed>
std::unique_ptr<Export<Managed>> makeExport(nb::object object, const DeviceArray &a) {
  auto made = std::make_unique<Export<Managed>>();
  made->shape.assign(a.shape.begin(), a.shape.end());
  for (size_t axis = 0; axis < a.strides.size(); ++axis) {
    if (a.strides[axis] % a.itemsize != 0 && a.shape[axis] > 1)
      rejectExport(
          "DLPack counts strides in elements, and this array's strides are not multiples of those");
    made->strides.push_back(a.strides[axis] / a.itemsize);
  }
  made->managed.tensor = {.data = a.address,
                          .deviceType = a.device->type() == "cuda" ? dlpack::Cuda : dlpack::Cpu,
                          .deviceIndex =
                              a.device->type() == "cuda" ? int32_t(a.device->index()) : 0,
                          .ndim = int32_t(a.shape.size()),
                          .code = dlpackCodeOf(a),
                          .bits = uint8_t(a.itemsize * 8),
                          .lanes = 1,
                          .shape = made->shape.data(),
                          .strides = made->strides.data(),
                          .byteOffset = 0};
  made->managed.context = made.get();
  made->managed.deleter = [](Managed *managed) {
    delete static_cast<Export<Managed> *>(managed->context);
  };
  made->array = keepAlive(std::move(object));
  return made;
}

/// Makes a capsule that releases the array unless a consumer has taken it, which renames the capsule.
template <typename Managed> nb::object wrapInCapsule(Managed *managed, const char *name) {
  PyObject *capsule = PyCapsule_New(managed, name, [](PyObject *self) {
    const char *current = PyCapsule_GetName(self);
    if (!current || (std::string(current) != plainName && std::string(current) != versionedName))
      return;
    auto *left = static_cast<Managed *>(PyCapsule_GetPointer(self, current));
    left->deleter(left);
  });
  if (!capsule)
    throw nb::python_error();
  return nb::steal(capsule);
}

nb::object makeCapsule(nb::object object, bool versioned, bool copied) {
  const DeviceArray &a = nb::cast<const DeviceArray &>(object);
  if (!versioned) {
    if (a.readonly)
      rejectExport("this array is read-only, which only DLPack 1.0 and later can express");
    auto made = makeExport<dlpack::ManagedTensor>(object, a);
    nb::object capsule = wrapInCapsule(&made->managed, plainName);
    made.release();
    return capsule;
  }
  auto made = makeExport<dlpack::ManagedTensorVersioned>(object, a);
  made->managed.version = version;
  made->managed.flags = (a.readonly ? readOnlyFlag : 0) | (copied ? copiedFlag : 0);
  nb::object capsule = wrapInCapsule(&made->managed, versionedName);
  made.release();
  return capsule;
}

std::string typestrOf(const dlpack::Tensor &tensor) {
  const char *kind = nullptr;
  switch (tensor.code) {
  case dlpack::Int:
    kind = "i";
    break;
  case dlpack::UInt:
    kind = "u";
    break;
  case dlpack::Float:
    kind = "f";
    break;
  case dlpack::Complex:
    kind = "c";
    break;
  case dlpack::Bool:
    kind = "b";
    break;
  default:
    break;
  }
  if (!kind || tensor.lanes != 1 || tensor.bits % 8 != 0)
    throw nb::type_error(("NumPy has no dtype for elements of DLPack's type code " +
                          std::to_string(tensor.code) + " with " + std::to_string(tensor.bits) +
                          " bits and " + std::to_string(tensor.lanes) + " lanes")
                             .c_str());
  return (tensor.bits == 8 ? "|" : "<") + std::string(kind) + std::to_string(tensor.bits / 8);
}

/// A Python object that keeps another library's array alive.
nb::object makeObjectThatKeepsAlive(std::shared_ptr<void> hold) {
  return nb::capsule(new std::shared_ptr<void>(std::move(hold)), [](void *held) noexcept {
    delete static_cast<std::shared_ptr<void> *>(held);
  });
}

nb::tuple importDlpackTensor(nb::handle producer, int64_t stream) {
  dlpack::Imported imported = dlpack::importArray(producer, stream);
  const dlpack::Tensor &tensor = *imported.tensor;
  std::string typestr = typestrOf(tensor);
  int64_t itemsize = tensor.bits / 8, step = itemsize;
  nb::list shape, strides;
  std::vector<int64_t> compact(tensor.ndim);
  for (int axis = tensor.ndim - 1; axis >= 0; --axis) {
    compact[axis] = step;
    step *= tensor.shape[axis];
  }
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    shape.append(tensor.shape[axis]);
    strides.append(tensor.strides ? tensor.strides[axis] * itemsize : compact[axis]);
  }
  auto address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  return nb::make_tuple(address, nb::tuple(shape), nb::tuple(strides), typestr, imported.readOnly,
                        makeObjectThatKeepsAlive(std::move(imported.hold)));
}

} // namespace

void bindDeviceArrayDlpack(nb::module_ &m) {
  m.def("dlpack_capsule", makeCapsule, nb::arg("array"), nb::arg("versioned"), nb::arg("copied"),
        serialized, "A device array as a DLPack capsule, of version 1 or older.");
  m.def("dlpack_contents", importDlpackTensor, nb::arg("producer"), nb::arg("stream"),
        "Imports another library's array for work on the stream. Returns address, shape, strides "
        "in bytes, typestr, read-only flag, and an object that keeps the array alive.");
}

} // namespace heddle
