#include "bindings/arrays/known_classes.h"

#include "bindings/arrays/array_attributes.h"
#include "bindings/arrays/quick_arrays.h"
#include "bindings/interpreter/serialized_scope.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

nb::object findImportedAttribute(const char *module, const char *name) {
  nb::object modules = nb::module_::import_("sys").attr("modules");
  nb::object found = modules.attr("get")(module);
  return found.is_none() ? nb::object() : nb::getattr(found, name, nb::object());
}

namespace {

bool isSubclass(PyTypeObject *type, nb::handle base) {
  return base.is_valid() && PyType_Check(base.ptr()) &&
         PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(base.ptr()));
}

KnownClass makeKnownClass(PyTypeObject *type) {
  const dlpack::ExchangeApi *api = dlpack::exchangeApiOf(type);
  if (isSubclass(type, findImportedAttribute("torch", "Tensor")))
    return KnownClass{type, Library::Torch, api};
  if (isSubclass(type, findImportedAttribute("cupy", "ndarray")))
    return KnownClass{type, Library::CuPy, api};
  return KnownClass{type, api ? Library::Other : Library::None, api};
}

const KnownClass *getOrMakeKnownClass(PyTypeObject *type) {
  static auto *classes = new std::vector<KnownClass>;
  for (const KnownClass &known : *classes)
    if (known.type == type)
      return known.library == Library::None ? nullptr : &known;
  constexpr size_t most = 64; // limits the cache for programs that create many classes
  if (classes->size() == most) {
    for (const KnownClass &known : *classes)
      Py_DECREF(reinterpret_cast<PyObject *>(known.type));
    classes->clear();
  }
  KnownClass found = makeKnownClass(type);
  Py_INCREF(reinterpret_cast<PyObject *>(type));
  classes->push_back(found);
  return found.library == Library::None ? nullptr : &classes->back();
}

/// torch's dtypes are named "torch." plus NumPy's name.
Type elementOfTorchDtype(nb::handle dtype) {
  static auto *known = new Dtypes([](nb::handle d) {
    std::string name = nb::cast<std::string>(nb::str(d));
    name = name.substr(name.find('.') + 1);
    Type type = python::scalarTypeNamed(name);
    return type.canBeArrayElement() ? type : Type();
  });
  return (*known)[dtype];
}

// torch

/// Reads a tensor of a torch release without the DLPack function table.
ForeignArray readTorchAttributes(nb::handle value, const ForeignTarget &target) {
  const AttributeNames &names = AttributeNames::get();
  ForeignArray array;
  nb::object device = getAttributeOrThrow(value, names.device);
  std::string kind = nb::cast<std::string>(nb::object(device.attr("type")));
  if (kind == "cpu") {
    array.onHost = true;
    return array;
  }
  if (kind != "cuda") {
    array.problem = "it lives on torch's device " + nb::cast<std::string>(nb::str(device));
    return array;
  }
  int64_t index = toSigned64(getAttributeOrThrow(device, names.index));
  array.problem = explainWrongDevice(index, target);
  nb::object dtype = getAttributeOrThrow(value, names.dtype);
  array.element = elementOfTorchDtype(dtype);
  if (!array.element)
    array.problem = unsupportedElementMessage(nb::cast<std::string>(nb::str(dtype)));
  if (!array.problem.empty())
    return array;
  array.data = reinterpret_cast<void *>(toUnsigned64(getAttributeOrThrow(value, names.dataPtr)()));
  readExtents(getAttributeOrThrow(value, names.shape), array.shape);
  readExtents(getAttributeOrThrow(value, names.stride)(), array.strides);
  for (int64_t &stride : array.strides)
    stride *= array.element->bytes();
  array.producer =
      toUnsigned64(nb::module_::import_("torch._C").attr("_cuda_getCurrentRawStream")(index));
  return array;
}

ForeignArray readThroughExchangeApi(nb::handle value, const dlpack::ExchangeApi &api,
                                    const ForeignTarget &target) {
  dlpack::Tensor tensor;
  if (api.tensorOf(value.ptr(), &tensor) != 0)
    throw nb::python_error();
  ForeignArray array = readTensor(tensor, target);
  if (array.onHost || !array.problem.empty() || !api.currentWorkStream)
    return array;
  void *stream = nullptr;
  if (api.currentWorkStream(tensor.deviceType, tensor.deviceIndex, &stream) != 0)
    throw nb::python_error();
  array.producer = reinterpret_cast<uint64_t>(stream);
  return array;
}

ForeignArray readTorchTensor(nb::handle value, const KnownClass &known,
                             const ForeignTarget &target) {
  ForeignArray array = known.api ? readThroughExchangeApi(value, *known.api, target)
                                 : readTorchAttributes(value, target);
  if (!array.onHost && array.problem.empty() &&
      getAttributeOrThrow(value, AttributeNames::get().requiresGrad).ptr() == Py_True)
    array.problem = "it requires grad, and torch could not see what the kernel does to it; pass "
                    "its detach()";
  return array;
}

// CuPy

ForeignArray readCuPyArray(nb::handle value, ForeignTarget &target) {
  const AttributeNames &names = AttributeNames::get();
  ForeignArray array;
  nb::object memory = getAttributeOrThrow(value, names.data);
  array.problem =
      explainWrongDevice(toSigned64(getAttributeOrThrow(memory, names.deviceId)), target);
  nb::object dtype = getAttributeOrThrow(value, names.dtype);
  array.element = elementOfNumpyDtype(dtype);
  if (!array.element)
    array.problem = unsupportedElementMessage(nb::cast<std::string>(nb::str(dtype)));
  if (!array.problem.empty())
    return array;
  array.data = reinterpret_cast<void *>(toUnsigned64(getAttributeOrThrow(memory, names.ptr)));
  readExtents(getAttributeOrThrow(value, names.shape), array.shape);
  readExtents(getAttributeOrThrow(value, names.strides), array.strides);
  if (!target.cupyStream) {
    nb::object streams = nb::module_::import_("cupy.cuda");
    target.cupyStream = toUnsigned64(
        getAttributeOrThrow(getAttributeOrThrow(streams, names.getCurrentStream)(), names.ptr));
  }
  array.producer = target.cupyStream;
  return array;
}

ForeignArray readArrayOfKnownClass(const KnownClass &known, nb::handle value,
                                   ForeignTarget &target) {
  if (known.library == Library::Torch)
    return readTorchTensor(value, known, target);
  return known.api ? readThroughExchangeApi(value, *known.api, target)
                   : readCuPyArray(value, target);
}

} // namespace

std::optional<ForeignArray> readArrayIfClassIsKnown(nb::handle value, ForeignTarget &target) {
  SerializedScope scope;
  const KnownClass *found = getOrMakeKnownClass(Py_TYPE(value.ptr()));
  if (!found)
    return {};
  KnownClass known = *found; // what is called below may read other arrays
  ForeignArray array = readArrayOfKnownClass(known, value, target);
  if (target.device && array.problem.empty() && !array.onHost)
    verifyQuickReads(known, value, target, array);
  return array;
}

} // namespace heddle
