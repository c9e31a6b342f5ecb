#include "bindings/arrays/quick_arrays.h"

#include "bindings/arrays/array_attributes.h"
#include "bindings/arrays/object_layouts.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/types/structures.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace nb = nanobind;

namespace heddle {

namespace {

/// The number of arrays of a class that must agree before the class is confirmed.
constexpr unsigned confirmations = 8;

/// A class whose arrays may be read quickly.
struct QuickClass {
  KnownClass known;
  std::optional<CupyLayout> cupy;
  CupyStreamFunction cupyStream = nullptr;
  std::optional<TorchLayout> torch; ///< only for the class torch.Tensor itself
  unsigned confirmed = 0;
  bool isExcluded = false;
};

/// Few, so that a search takes little time.
constexpr size_t mostClasses = 8;

/// The list only grows, and its elements never move.
llvm::SmallVector<QuickClass, mostClasses> &quickClasses() {
  static auto *classes = new llvm::SmallVector<QuickClass, mostClasses>;
  return *classes;
}

QuickClass *findQuickClass(PyTypeObject *type) {
  for (QuickClass &quick : quickClasses())
    if (quick.known.type == type)
      return &quick;
  return nullptr;
}

bool isOnTargetDevice(int64_t deviceId, const ForeignTarget &target) {
  return target.device && (deviceId < 0 || uint64_t(deviceId) == target.device->index());
}

bool computeContiguousStrides(QuickArray &array) {
  array.computed.resize(array.ndim);
  int64_t bytes = array.element->bytes();
  for (unsigned axis = array.ndim; axis-- > 0;) {
    array.computed[axis] = bytes;
    if (__builtin_mul_overflow(bytes, std::max<int64_t>(array.shape[axis], 1), &bytes))
      return false;
  }
  return true;
}

bool hasNegativeExtent(const QuickArray &array) {
  return llvm::any_of(llvm::ArrayRef(array.shape, array.ndim),
                      [](int64_t extent) { return extent < 0; });
}

/// The stream in which the library works, queried once in a launch.
uint64_t queryWorkStream(const dlpack::ExchangeApi &api, const dlpack::Tensor &tensor,
                         ForeignTarget &target) {
  ForeignTarget::WorkStream key{&api, tensor.deviceType, tensor.deviceIndex, 0};
  if (target.workStream.isOf(key))
    return target.workStream.handle;
  void *stream = nullptr;
  if (api.currentWorkStream(tensor.deviceType, tensor.deviceIndex, &stream) != 0)
    throw nb::python_error();
  target.workStream = key;
  return target.workStream.handle = reinterpret_cast<uint64_t>(stream);
}

bool requiresGrad(const QuickClass &quick, nb::handle tensor) {
  if (quick.torch && quick.torch->hasNoGradient(tensor.ptr()))
    return false;
  return getAttributeOrThrow(tensor, AttributeNames::get().requiresGrad).ptr() == Py_True;
}

/// Reads an array through DLPack's C functions.
bool readThroughExchangeApi(const QuickClass &quick, nb::handle value, ForeignTarget &target,
                            QuickArray &array) {
  const dlpack::ExchangeApi &api = *quick.known.api;
  dlpack::Tensor tensor;
  if (api.tensorOf(value.ptr(), &tensor) != 0)
    throw nb::python_error();
  if (tensor.deviceType != dlpack::Cuda && tensor.deviceType != dlpack::CudaManaged)
    return false;
  array.element = elementOfTensor(tensor);
  if (!array.element || !isOnTargetDevice(tensor.deviceIndex, target))
    return false;
  array.data = static_cast<char *>(tensor.data) + tensor.byteOffset;
  array.ndim = unsigned(tensor.ndim);
  array.shape = tensor.shape;
  if (tensor.strides) {
    int64_t itemsize = array.element->bytes();
    for (unsigned axis = 0; axis < array.ndim; ++axis)
      array.computed.push_back(tensor.strides[axis] * itemsize);
  } else if (!computeContiguousStrides(array)) {
    return false;
  }
  array.strides = array.computed.data();
  if (quick.known.library == Library::Torch && requiresGrad(quick, value))
    return false;
  if (api.currentWorkStream)
    array.producer = queryWorkStream(api, tensor, target);
  return true;
}

bool readCupyArray(const QuickClass &quick, nb::handle value, ForeignTarget &target,
                   QuickArray &array) {
  std::optional<CupyLayout::Members> members = quick.cupy->readMembers(value.ptr());
  if (!members || !isOnTargetDevice(members->deviceId, target))
    return false;
  array.element = elementOfNumpyDtype(members->dtype);
  if (!array.element)
    return false;
  array.data = members->address;
  array.ndim = members->ndim;
  array.shape = members->shape;
  array.strides = members->strides;
  if (!target.cupyStream) {
    intptr_t stream = quick.cupyStream();
    if (stream == -1 && PyErr_Occurred())
      throw nb::python_error();
    target.cupyStream = uint64_t(stream);
  }
  array.producer = target.cupyStream;
  return true;
}

bool readArrayWithoutAttributes(const QuickClass &quick, nb::handle value, ForeignTarget &target,
                                QuickArray &array) {
  bool isRead = quick.known.api ? readThroughExchangeApi(quick, value, target, array)
                                : readCupyArray(quick, value, target, array);
  return isRead && !hasNegativeExtent(array);
}

/// A class with DLPack's C functions, or CuPy's own class if its layout is as expected; nullopt for others.
std::optional<QuickClass> makeQuickClass(const KnownClass &known) {
  QuickClass quick{.known = known};
  auto isExactly = [&](const char *module, const char *name) {
    nb::object found = findImportedAttribute(module, name);
    return found.ptr() == reinterpret_cast<PyObject *>(known.type);
  };
  if (known.library == Library::Torch && isExactly("torch", "Tensor"))
    quick.torch = TorchLayout::findLayout(nb::module_::import_("torch"));
  if (known.api)
    return quick;
  if (known.library != Library::CuPy || !isExactly("cupy", "ndarray"))
    return {};
  quick.cupy = CupyLayout::findLayout(known.type);
  quick.cupyStream = findCupyStreamFunction();
  return quick.cupy && quick.cupyStream ? std::optional(quick) : std::nullopt;
}

bool isSameArray(const QuickArray &array, const ForeignArray &expected) {
  return !expected.onHost && expected.problem.empty() && !expected.readOnly && !expected.hold &&
         array.data == expected.data && array.element == expected.element &&
         array.producer == expected.producer &&
         llvm::ArrayRef(array.shape, array.ndim) == llvm::ArrayRef(expected.shape) &&
         llvm::ArrayRef(array.strides, array.ndim) == llvm::ArrayRef(expected.strides);
}

} // namespace

bool readArrayQuickly(nb::handle value, ForeignTarget &target, QuickArray &array) {
  QuickClass *quick = findQuickClass(Py_TYPE(value.ptr()));
  // A class that the program has registered is not an array class.
  return quick && quick->confirmed == confirmations && !quick->isExcluded &&
         !hasRegisteredClasses() && readArrayWithoutAttributes(*quick, value, target, array);
}

void verifyQuickReads(const KnownClass &known, nb::handle value, const ForeignTarget &target,
                      const ForeignArray &expected) {
  QuickClass *quick = findQuickClass(known.type);
  if (!quick) {
    if (quickClasses().size() == mostClasses)
      return;
    std::optional<QuickClass> made = makeQuickClass(known);
    if (findQuickClass(known.type) || quickClasses().size() == mostClasses)
      return; // other threads were faster
    if (!made)
      made = QuickClass{.known = known, .isExcluded = true};
    Py_INCREF(reinterpret_cast<PyObject *>(known.type));
    quickClasses().push_back(*made);
    quick = &quickClasses().back();
  }
  if (quick->isExcluded || quick->confirmed == confirmations)
    return;
  ForeignTarget fresh{.device = target.device, .stream = target.stream};
  try {
    QuickArray array;
    if (!readArrayWithoutAttributes(*quick, value, fresh, array))
      return;
    if (isSameArray(array, expected)) {
      ++quick->confirmed;
      return;
    }
  } catch (const nb::python_error &) { // readArrayIfClassIsKnown() raised nothing
  }
  quick->isExcluded = true;
}

void bindQuickArrays(nb::module_ &m) {
  m.def(
      "list_quick_classes",
      [] {
        nb::dict classes;
        for (const QuickClass &quick : quickClasses()) {
          nb::dict state;
          state["confirmed"] = !quick.isExcluded && quick.confirmed == confirmations;
          state["layout"] = quick.cupy.has_value() || quick.torch.has_value();
          classes[nb::handle(reinterpret_cast<PyObject *>(quick.known.type))] = state;
        }
        return classes;
      },
      serialized,
      "For each class of other libraries' arrays: whether launches read its arrays without Python "
      "code, and whether they know its layout in memory.");
}

} // namespace heddle
