#include "bindings/arrays/foreign_arrays.h"

#include "bindings/interpreter/get_or_make.h"
#include "bindings/types/dtypes.h"
#include "frontend/python/types/small_floats.h"

#include "bindings/arrays/dlpack.h"

#include <nanobind/stl/string.h>

#include <vector>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

/// Interned attribute names.
struct Names {
  PyObject *requiresGrad, *data, *ptr, *shape, *strides, *dtype, *deviceId, *dataPtr, *stride,
      *device, *index, *getCurrentStream, *cudaArrayInterface, *typestr, *mask, *stream;

  static const Names &get() {
    static const Names *names = new Names;
    return *names;
  }

private:
  Names() {
    auto name = [](const char *text) { return PyUnicode_InternFromString(text); };
    requiresGrad = name("requires_grad");
    data = name("data");
    ptr = name("ptr");
    shape = name("shape");
    strides = name("strides");
    dtype = name("dtype");
    deviceId = name("device_id");
    dataPtr = name("data_ptr");
    stride = name("stride");
    device = name("device");
    index = name("index");
    getCurrentStream = name("get_current_stream");
    cudaArrayInterface = name("__cuda_array_interface__");
    typestr = name("typestr");
    mask = name("mask");
    stream = name("stream");
  }
};

nb::object getAttribute(nb::handle value, PyObject *name) {
  PyObject *found = PyObject_GetAttr(value.ptr(), name);
  if (!found)
    throw nb::python_error();
  return nb::steal(found);
}

uint64_t unsignedOf(nb::handle number) {
  uint64_t value = PyLong_AsUnsignedLongLongMask(number.ptr());
  if (value == UINT64_MAX && PyErr_Occurred())
    throw nb::python_error();
  return value;
}

int64_t signedOf(nb::handle number) {
  int64_t value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred())
    throw nb::python_error();
  return value;
}

/// Reads a tuple of ints.
void readExtents(nb::handle tuple, llvm::SmallVectorImpl<int64_t> &out) {
  if (!PyTuple_Check(tuple.ptr())) {
    readExtents(nb::tuple(nb::borrow(tuple)), out);
    return;
  }
  Py_ssize_t n = PyTuple_Size(tuple.ptr());
  for (Py_ssize_t i = 0; i < n; ++i)
    out.push_back(signedOf(PyTuple_GetItem(tuple.ptr(), i)));
}

void setContiguousStrides(ForeignArray &array) {
  array.strides.assign(array.shape.size(), 0);
  int64_t bytes = array.element->bytes();
  for (size_t axis = array.shape.size(); axis-- > 0;) {
    array.strides[axis] = bytes;
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(array.shape[axis], 1), &bytes))
      array.problem = "it has more than 2^63 bytes";
  }
}

std::string unsupportedElementMessage(const std::string &name) {
  return "kernels have no type for elements of dtype " + name;
}

std::string nameOf(const Device &device) {
  return "cuda:" + std::to_string(device.index()) + " (" + device.name() + ")";
}

/// The reason why an array on GPU `index` cannot be used on the target; empty if it can.
std::string explainWrongDevice(int64_t index, const ForeignTarget &target) {
  if (!target.device || index < 0 || uint64_t(index) == target.device->index())
    return {};
  return "it lives on cuda:" + std::to_string(index) + ", and the kernel runs on " +
         nameOf(*target.device) + "; copy it there, or launch in `with cuda.gpus[" +
         std::to_string(index) + "]:`";
}

// DLPack

/// The ml_dtypes name of the 8-bit float with this code; empty for other codes.
std::string nameOfSmallFloat(uint8_t code) {
  constexpr const char *names[] = {"e3m4",     "e4m3", "e4m3b11fnuz", "e4m3fn",
                                   "e4m3fnuz", "e5m2", "e5m2fnuz",    "e8m0fnu"};
  unsigned i = code - unsigned(dlpack::FirstFloat8);
  return i < std::size(names) ? std::string("float8_") + names[i] : "";
}

Type elementOf(const dlpack::Tensor &tensor) {
  if (tensor.lanes != 1)
    return {};
  switch (tensor.code) {
  case dlpack::Int:
  case dlpack::UInt:
    switch (tensor.bits) {
    case 8:
    case 16:
    case 32:
    case 64:
      return python::intType(tensor.bits, tensor.code == dlpack::Int);
    default:
      return {};
    }
  case dlpack::Float:
    return tensor.bits == 16 || tensor.bits == 32 || tensor.bits == 64
               ? python::floatType(tensor.bits)
               : Type();
  case dlpack::Bfloat:
    return tensor.bits == 16 ? python::bfloat16Type() : Type();
  case dlpack::Complex:
    return tensor.bits == 64 || tensor.bits == 128 ? python::complexType(tensor.bits) : Type();
  case dlpack::Bool:
    return tensor.bits == 8 ? python::boolType() : Type();
  default:
    return tensor.bits == 8 ? python::smallFloatNamed(nameOfSmallFloat(tensor.code)) : Type();
  }
}

std::string dtypeOfTensor(const dlpack::Tensor &tensor) {
  const char *kind = tensor.code == dlpack::Int       ? "int"
                     : tensor.code == dlpack::UInt    ? "uint"
                     : tensor.code == dlpack::Float   ? "float"
                     : tensor.code == dlpack::Bfloat  ? "bfloat"
                     : tensor.code == dlpack::Complex ? "complex"
                     : tensor.code == dlpack::Bool    ? "bool"
                                                      : "code ";
  std::string name = kind;
  if (name == "code ")
    name += std::to_string(tensor.code) + " of DLPack, bits ";
  name += std::to_string(tensor.bits);
  return tensor.lanes == 1 ? name : name + "x" + std::to_string(tensor.lanes);
}

ForeignArray readTensor(const dlpack::Tensor &tensor, const ForeignTarget &target) {
  ForeignArray array;
  if (tensor.deviceType == dlpack::Cpu || tensor.deviceType == dlpack::CudaHost) {
    array.onHost = true;
    return array;
  }
  if (tensor.deviceType != dlpack::Cuda && tensor.deviceType != dlpack::CudaManaged) {
    array.problem = "it lives on a device that is no NVIDIA GPU (DLPack's device type " +
                    std::to_string(tensor.deviceType) + ")";
    return array;
  }
  array.problem = explainWrongDevice(tensor.deviceIndex, target);
  array.element = elementOf(tensor);
  if (!array.element)
    array.problem = unsupportedElementMessage(dtypeOfTensor(tensor));
  if (!array.problem.empty())
    return array;
  array.data = static_cast<char *>(tensor.data) + tensor.byteOffset;
  array.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  if (!tensor.strides) {
    setContiguousStrides(array);
    return array;
  }
  int64_t itemsize = array.element->bytes();
  for (int axis = 0; axis < tensor.ndim; ++axis)
    array.strides.push_back(tensor.strides[axis] * itemsize);
  return array;
}

// Known classes

enum class Library { Torch, CuPy, Other, None };

struct KnownClass {
  PyTypeObject *type; ///< a strong reference, so the address stays unique
  Library library;
  const dlpack::ExchangeApi *api;
};

/// An attribute of a module that the program has imported; null if it has not.
nb::object findImportedAttribute(const char *module, const char *name) {
  nb::object modules = nb::module_::import_("sys").attr("modules");
  nb::object found = modules.attr("get")(module);
  return found.is_none() ? nb::object() : nb::getattr(found, name, nb::object());
}

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

const KnownClass *findKnownClass(PyTypeObject *type) {
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

/// Caches element types by the identity of dtype objects, which libraries create once per dtype.
class Dtypes {
public:
  explicit Dtypes(Type (*look)(nb::handle dtype)) : look_(look) {}

  Type operator[](nb::handle dtype) {
    for (const auto &[known, type] : known_)
      if (known == dtype.ptr())
        return type;
    Type type = look_(dtype);
    constexpr size_t most = 64;
    if (known_.size() < most) {
      Py_INCREF(dtype.ptr());
      known_.push_back({dtype.ptr(), type});
    }
    return type;
  }

private:
  Type (*look_)(nb::handle);
  llvm::SmallVector<std::pair<PyObject *, Type>, 16> known_;
};

Type elementOfNumpyDtype(nb::handle dtype) {
  static auto *known = new Dtypes([](nb::handle d) {
    return python::scalarTypeOfTypestr(nb::cast<std::string>(nb::object(d.attr("str"))));
  });
  return (*known)[dtype];
}

/// The element of a typestr without a byte order ("f4") and of a name ("float32"), which NumPy also reads.
Type elementNamed(nb::handle typestr) {
  try {
    return elementOfNumpyDtype(nb::module_::import_("numpy").attr("dtype")(typestr));
  } catch (const nb::python_error &) { // no dtype
    return {};
  }
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
  const Names &names = Names::get();
  ForeignArray array;
  nb::object device = getAttribute(value, names.device);
  std::string kind = nb::cast<std::string>(nb::object(device.attr("type")));
  if (kind == "cpu") {
    array.onHost = true;
    return array;
  }
  if (kind != "cuda") {
    array.problem = "it lives on torch's device " + nb::cast<std::string>(nb::str(device));
    return array;
  }
  int64_t index = signedOf(getAttribute(device, names.index));
  array.problem = explainWrongDevice(index, target);
  nb::object dtype = getAttribute(value, names.dtype);
  array.element = elementOfTorchDtype(dtype);
  if (!array.element)
    array.problem = unsupportedElementMessage(nb::cast<std::string>(nb::str(dtype)));
  if (!array.problem.empty())
    return array;
  array.data = reinterpret_cast<void *>(unsignedOf(getAttribute(value, names.dataPtr)()));
  readExtents(getAttribute(value, names.shape), array.shape);
  readExtents(getAttribute(value, names.stride)(), array.strides);
  for (int64_t &stride : array.strides)
    stride *= array.element->bytes();
  array.producer =
      unsignedOf(nb::module_::import_("torch._C").attr("_cuda_getCurrentRawStream")(index));
  return array;
}

ForeignArray readExchange(nb::handle value, const dlpack::ExchangeApi &api,
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

ForeignArray readTorch(nb::handle value, const KnownClass &known, const ForeignTarget &target) {
  ForeignArray array =
      known.api ? readExchange(value, *known.api, target) : readTorchAttributes(value, target);
  if (!array.onHost && array.problem.empty() &&
      getAttribute(value, Names::get().requiresGrad).ptr() == Py_True)
    array.problem = "it requires grad, and torch could not see what the kernel does to it; pass "
                    "its detach()";
  return array;
}

// CuPy

ForeignArray readCuPy(nb::handle value, ForeignTarget &target) {
  const Names &names = Names::get();
  ForeignArray array;
  nb::object memory = getAttribute(value, names.data);
  array.problem = explainWrongDevice(signedOf(getAttribute(memory, names.deviceId)), target);
  nb::object dtype = getAttribute(value, names.dtype);
  array.element = elementOfNumpyDtype(dtype);
  if (!array.element)
    array.problem = unsupportedElementMessage(nb::cast<std::string>(nb::str(dtype)));
  if (!array.problem.empty())
    return array;
  array.data = reinterpret_cast<void *>(unsignedOf(getAttribute(memory, names.ptr)));
  readExtents(getAttribute(value, names.shape), array.shape);
  readExtents(getAttribute(value, names.strides), array.strides);
  if (!target.cupyStream) {
    nb::object streams = nb::module_::import_("cupy.cuda");
    target.cupyStream =
        unsignedOf(getAttribute(getAttribute(streams, names.getCurrentStream)(), names.ptr));
  }
  array.producer = target.cupyStream;
  return array;
}

// __cuda_array_interface__

/// The element type if the array's dtype is from ml_dtypes; unknown for other dtypes.
Type mlDtypesElementOf(nb::handle owner) {
  nb::object dtype = nb::getattr(owner, "dtype", nb::none());
  if (!nb::hasattr(dtype, "isnative"))
    return {};
  Type type = typeOfDtype(dtype);
  return type && type.isFloat() ? type : Type();
}

/// An entry of the dictionary; None if it is missing.
nb::object findEntry(nb::handle interface, PyObject *key) {
  PyObject *found = PyDict_GetItemWithError(interface.ptr(), key);
  return found ? nb::borrow(found) : nb::none();
}

/// Reads an array from its interface dictionary, and from the dtype of `owner` if the typestr is ambiguous.
ForeignArray readInterface(nb::handle interface, nb::handle owner) {
  const Names &names = Names::get();
  ForeignArray array;
  if (!PyDict_Check(interface.ptr())) {
    array.problem = "its __cuda_array_interface__ is no dictionary";
    return array;
  }
  nb::object shape = findEntry(interface, names.shape), data = findEntry(interface, names.data),
             typestr = findEntry(interface, names.typestr),
             strides = findEntry(interface, names.strides),
             stream = findEntry(interface, names.stream);
  if (!PyTuple_Check(shape.ptr()) || !PyTuple_Check(data.ptr()) || PyTuple_Size(data.ptr()) != 2 ||
      !PyUnicode_Check(typestr.ptr())) {
    array.problem = "its __cuda_array_interface__ lacks shape, typestr or data (a pair of address "
                    "and read-only flag)";
    return array;
  }
  if (!findEntry(interface, names.mask).is_none()) {
    array.problem = "it is a masked array, and kernels do not look at masks";
    return array;
  }
  std::string name = nb::cast<std::string>(typestr);
  array.element = python::scalarTypeOfTypestr(name);
  if (!array.element)
    array.element = mlDtypesElementOf(owner);
  if (!array.element)
    array.element = elementNamed(typestr);
  if (!array.element) {
    array.problem = unsupportedElementMessage(name);
    return array;
  }
  nb::object address = nb::borrow(PyTuple_GetItem(data.ptr(), 0));
  if (!address.is_none())
    array.data = reinterpret_cast<void *>(unsignedOf(address));
  array.readOnly = PyObject_IsTrue(PyTuple_GetItem(data.ptr(), 1)) == 1;
  readExtents(shape, array.shape);
  if (strides.is_none())
    setContiguousStrides(array);
  else
    readExtents(strides, array.strides);
  if (array.strides.size() != array.shape.size())
    array.problem = "its __cuda_array_interface__ has " + std::to_string(array.shape.size()) +
                    " extents and " + std::to_string(array.strides.size()) + " strides";
  array.silent = PyDict_Contains(interface.ptr(), names.stream) == 0;
  if (!stream.is_none()) {
    array.producer = unsignedOf(stream);
    if (!*array.producer)
      array.problem = "its __cuda_array_interface__ names stream 0, which the protocol leaves "
                      "undefined: 1 is the legacy default stream, 2 the per-thread one";
  }
  return array;
}

} // namespace

std::optional<ForeignArray> readKnownClass(nb::handle value, ForeignTarget &target) {
  const KnownClass *known = findKnownClass(Py_TYPE(value.ptr()));
  if (!known)
    return {};
  switch (known->library) {
  case Library::Torch:
    return readTorch(value, *known, target);
  case Library::CuPy:
    return known->api ? readExchange(value, *known->api, target) : readCuPy(value, target);
  case Library::Other:
    return readExchange(value, *known->api, target);
  case Library::None:
    break;
  }
  return {};
}

std::optional<ForeignArray> readCudaArrayInterface(nb::handle value, const ForeignTarget &target) {
  PyObject *found = PyObject_GetAttr(value.ptr(), Names::get().cudaArrayInterface);
  if (!found) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError))
      throw nb::python_error();
    PyErr_Clear();
    return {};
  }
  ForeignArray array = readInterface(nb::steal(found), value);
  if (!array.silent || !array.problem.empty() || !target.stream)
    return array;
  // For example JAX computes on private streams, and only its __dlpack__ makes another stream wait for them.
  std::optional<ForeignArray> ordered = readDlpack(value, target);
  if (!ordered || ordered->onHost)
    return array;
  ordered->readOnly = ordered->readOnly || array.readOnly;
  return ordered;
}

std::optional<ForeignArray> readDlpack(nb::handle value, const ForeignTarget &target) {
  std::optional<dlpack::Place> place = dlpack::findDlpackDevice(value);
  if (!place)
    return {};
  // Check the device before requesting the array: host arrays are read in another way.
  ForeignArray array = readTensor({.deviceType = place->deviceType,
                                   .deviceIndex = place->deviceIndex,
                                   .code = dlpack::Bool,
                                   .bits = 8,
                                   .lanes = 1},
                                  target);
  if (array.onHost || !array.problem.empty())
    return array;
  dlpack::Imported imported =
      dlpack::importArray(value, target.stream ? int64_t(*target.stream) : -1);
  array = readTensor(*imported.tensor, target);
  array.readOnly = imported.readOnly;
  array.hold = std::move(imported.hold);
  return array;
}

bool waitsForProducers() {
  static std::atomic<nb::object *> made{nullptr};
  nb::object &config =
      getOrMake(made, [] { return new nb::object(nb::module_::import_("heddle.config")); });
  return PyObject_IsTrue(nb::object(config.attr("CUDA_ARRAY_INTERFACE_SYNC")).ptr()) == 1;
}

} // namespace heddle
