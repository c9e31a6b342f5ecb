#include "bindings/arguments.h"

#include "bindings/device_array.h"
#include "bindings/dtypes.h"
#include "bindings/python_classes.h"
#include "bindings/types.h"
#include "frontend/python/promotion.h"
#include "frontend/python/records.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Layout;
using python::Type;

namespace {

constexpr unsigned deepestTuple = 32;
constexpr size_t mostParameters = 1024;

/// A class of NumPy scalars and the type that they have in a kernel.
struct NumPyScalar {
  PyTypeObject *type;
  Type kernelType;
};

/// Python classes that a launch asks for at every argument, looked up once.
struct KnownClasses {
  PyTypeObject *ndarray, *generic, *deviceArray, *structured;
  nb::object viewAs; ///< numpy.ndarray.view
  nb::object argHint;
  std::vector<NumPyScalar> scalars;

  static const KnownClasses &get() {
    static const KnownClasses *classes = new KnownClasses;
    return *classes;
  }

private:
  KnownClasses() {
    nb::module_ numpy = nb::module_::import_("numpy");
    auto classOf = [](nb::object o) { return reinterpret_cast<PyTypeObject *>(o.release().ptr()); };
    ndarray = classOf(numpy.attr("ndarray"));
    generic = classOf(numpy.attr("generic"));
    structured = classOf(numpy.attr("void"));
    viewAs = numpy.attr("ndarray").attr("view");
    deviceArray = classOf(nb::borrow(nb::type<DeviceArray>()));
    argHint = nb::module_::import_("heddle.cuda.args").attr("ArgHint");
    for (char code : std::string_view("fdiqIlLQ?bhBHFDe")) {
      nb::object dtype = numpy.attr("dtype")(std::string(1, code));
      std::string typestr = nb::cast<std::string>(dtype.attr("str"));
      scalars.push_back({classOf(dtype.attr("type")), python::scalarTypeOfTypestr(typestr)});
    }
  }
};

/// The element type of a buffer's format string (module `struct`'s codes); unknown for what kernels do not have.
Type elementOfFormat(const char *format, Py_ssize_t itemsize) {
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (format[0] == 'Z' && (format[1] == 'f' || format[1] == 'd') && format[2] == '\0')
    return python::complexType(format[1] == 'f' ? 64 : 128);
  if (format[0] == '\0' || format[1] != '\0')
    return {};
  switch (*format) {
  case '?':
    return python::boolType();
  case 'b':
  case 'h':
  case 'i':
  case 'l':
  case 'q':
  case 'n':
    return python::intType(itemsize * 8, true);
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
  case 'N':
    return python::intType(itemsize * 8, false);
  case 'e':
    return python::floatType(16);
  case 'f':
    return python::floatType(32);
  case 'd':
    return python::floatType(64);
  default:
    return {};
  }
}

/// C where the elements lie one after the other in C order, F for Fortran order, else any. As in NumPy, the stride of
/// an axis with one element does not matter and an empty array is contiguous.
Layout layoutOf(unsigned ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize) {
  if (std::find(shape, shape + ndim, 0) != shape + ndim)
    return Layout::C;
  auto contiguous = [&](auto axisAt) {
    int64_t expected = itemsize;
    for (unsigned i = 0; i < ndim; ++i) {
      unsigned axis = axisAt(i);
      if (shape[axis] != 1 && strides[axis] != expected)
        return false;
      expected *= shape[axis];
    }
    return true;
  };
  if (contiguous([&](unsigned i) { return ndim - 1 - i; }))
    return Layout::C;
  return contiguous([](unsigned i) { return i; }) ? Layout::F : Layout::Any;
}

/// python::arrayType, remembered: it is asked for every array of every launch. Called with the GIL.
Type arrayTypeOf(Type element, unsigned ndim, python::ArrayTraits traits) {
  static auto *known = new llvm::DenseMap<std::pair<const void *, unsigned>, Type>;
  unsigned rest = ndim << 16 | unsigned(traits.layout) << 8 | traits.readOnly << 3 |
                  traits.aligned << 2 | traits.smallExtents << 1 | unsigned(traits.noAlias);
  Type &type = (*known)[{element.operator->(), rest}];
  if (!type)
    type = arrayType(element, ndim, traits);
  return type;
}

/// Whether heddle's own device array; its subclass in Python is the usual case.
bool isDeviceArray(nb::handle value, const KnownClasses &known) {
  return PyType_IsSubtype(Py_TYPE(value.ptr()), known.deviceArray) && nb::inst_ready(value);
}

/// Of a float of 16 bits.
const llvm::fltSemantics &formatOf(Type type) {
  return type->brain ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
}

uint64_t bitsOf(double v, Type type) {
  uint64_t bits = 0;
  if (type->bits == 16) {
    llvm::APFloat value(v);
    bool inexact = false;
    value.convert(formatOf(type), llvm::APFloat::rmNearestTiesToEven, &inexact);
    return value.bitcastToAPInt().getZExtValue();
  }
  if (type->bits == 32) {
    float narrow = v;
    std::memcpy(&bits, &narrow, sizeof narrow);
  } else {
    std::memcpy(&bits, &v, sizeof v);
  }
  return bits;
}

/// The value of a float's slot.
double floatOf(uint64_t bits, Type type) {
  if (type->bits == 16)
    return llvm::APFloat(formatOf(type), llvm::APInt(16, bits & 0xffff)).convertToDouble();
  if (type->bits == 64)
    return std::bit_cast<double>(bits);
  return std::bit_cast<float>(uint32_t(bits));
}

/// The slot of a scalar that lies in memory.
uint64_t slotOf(const void *data, Type type) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, type->bytes());
  if (type.isSigned() && type->bits < 64 && (bits >> (type->bits - 1)))
    bits |= ~uint64_t(0) << type->bits;
  return bits;
}

std::string nameOfClass(nb::handle value) {
  nb::handle type = value.type();
  std::string module = nb::cast<std::string>(nb::str(nb::object(type.attr("__module__"))));
  std::string name = nb::cast<std::string>(nb::str(nb::object(type.attr("__name__"))));
  return module == "builtins" ? name : module + "." + name;
}

/// A hint: what to pass instead of a value that no kernel takes.
std::string insteadOf(nb::handle value) {
  if (PyList_Check(value.ptr()))
    return "\n  hint: make it an array with np.array(...), or a tuple";
  if (PyDict_Check(value.ptr()))
    return "\n  hint: pass its values one by one";
  if (PyCallable_Check(value.ptr()))
    return "\n  hint: a function is called in the kernel by its name; it is no argument";
  return "\n  hint: pass its numbers and arrays one by one, or as a tuple";
}

/// Why an array cannot be an argument; empty for what is no array.
std::string reasonOfDtype(nb::handle value) {
  if (!nb::hasattr(value, "dtype"))
    return {};
  nb::object dtype = value.attr("dtype");
  return nb::hasattr(dtype, "isnative") ? refusalOfDtype(dtype)
                                        : "kernels have no type for elements of dtype " +
                                              nb::cast<std::string>(nb::str(dtype));
}

} // namespace

namespace {

/// The element type of an array of records, of a packed dtype most likely, by how the records really lie.
Type recordsAsTheyLie(const ArrayView &view, bool copied) {
  uintptr_t places = copied ? 0 : reinterpret_cast<uintptr_t>(view.data);
  for (unsigned axis = 0; axis < view.ndim && !copied; ++axis)
    places |= uintptr_t(view.strides[axis]);
  unsigned known = places % 8 == 0 ? 8 : places % 4 == 0 ? 4 : places % 2 == 0 ? 2 : 1;
  static auto *types = new llvm::DenseMap<std::pair<const void *, unsigned>, Type>;
  Type &type = (*types)[{view.element.operator->(), known}];
  if (!type)
    type = recordInArray(view.element, known);
  return type;
}

} // namespace

ArrayFacts factsOf(const ArrayView &given, bool aligns, bool copied) {
  constexpr uintptr_t alignment = 16; // the widest access of a thread
  ArrayView view = given;
  if (aligns && view.element.isRecord())
    view.element = recordsAsTheyLie(view, copied);
  auto address = reinterpret_cast<uintptr_t>(view.data);
  int64_t itemsize = given.element->bytes(), itemAlignment = given.element->alignment();
  bool small = true, empty = false;
  auto *low = static_cast<const char *>(view.data);
  const char *high = low + itemsize;
  bool misaligned = address % itemAlignment != 0;
  for (unsigned axis = 0; axis < view.ndim; ++axis) {
    int64_t extent = view.shape[axis], stride = view.strides[axis];
    small = small && extent < (int64_t(1) << 31);
    empty = empty || extent == 0;
    misaligned = misaligned || (stride % itemAlignment != 0 && extent > 1);
    (stride < 0 ? low : high) += stride * std::max<int64_t>(extent - 1, 0);
  }
  python::ArrayTraits traits{.layout = layoutOf(view.ndim, view.shape, view.strides, itemsize),
                             .readOnly = view.readOnly,
                             .aligned = aligns && (copied || address % alignment == 0),
                             .smallExtents = small};
  ArrayFacts facts{.low = low, .high = empty ? low : high, .misaligned = misaligned && !empty};
  facts.type = arrayTypeOf(view.element, view.ndim, traits);
  traits.noAlias = true;
  facts.alone = arrayTypeOf(view.element, view.ndim, traits);
  return facts;
}

ArgumentList::ArgumentList(nb::handle function, const Device *device, const Stream *stream)
    : function_(function), device_(device), target_{device, {}},
      inHostMemory_(!device || device->usesHostMemory()), aligns_(!inHostMemory_),
      takesForeign_(!device || !inHostMemory_) {
  if (stream && !inHostMemory_)
    target_.stream = stream->nativeHandle();
}

ArgumentList::~ArgumentList() {
  for (Py_buffer &buffer : buffers_)
    PyBuffer_Release(&buffer);
}

std::string ArgumentList::describeNext() const {
  std::string text = "argument " + std::to_string(types.size() + 1);
  if (!function_)
    return text;
  nb::object names = function_.attr("__code__").attr("co_varnames");
  if (types.size() < nb::cast<size_t>(function_.attr("__code__").attr("co_argcount")))
    text += " (" + nb::cast<std::string>(nb::object(names[types.size()])) + ")";
  return text + " of " + nb::cast<std::string>(function_.attr("__name__")) + "()";
}

void ArgumentList::refuse(nb::handle value, const std::string &why) {
  std::string message =
      describeNext() + " is a value of type " + nameOfClass(value) +
      (why.empty() ? "; kernels take numbers, bools, arrays and tuples of them" + insteadOf(value)
                   : ": " + why);
  throw nb::type_error(message.c_str());
}

nb::object ArgumentList::owners() const {
  if (arrays.size() == 1)
    return nb::borrow(arrays[0].owner);
  nb::object tuple = nb::steal(PyTuple_New(arrays.size()));
  for (size_t i = 0; i < arrays.size(); ++i)
    PyTuple_SetItem(tuple.ptr(), i, nb::borrow(arrays[i].owner).release().ptr());
  return tuple;
}

void ArgumentList::leakMemory() {
  for (const ArrayArgument &array : arrays)
    Py_INCREF(array.owner);
  for (nb::object &object : converted_)
    object.release();
  buffers_.clear();
}

std::shared_ptr<void> ArgumentList::held() {
  if (held_.empty())
    return nullptr;
  return std::make_shared<decltype(held_)>(std::move(held_));
}

void ArgumentList::waitFor(uint64_t producer) {
  if (std::find(producers.begin(), producers.end(), producer) == producers.end())
    producers.push_back(producer);
}

void ArgumentList::add(nb::handle value) {
  types.push_back(read(value, true));
  // Most integers are extents and counts: index arithmetic that cannot be negative or overflow is half the work.
  Type &type = types.back();
  if (type.isSigned() && type->bits >= 32 && !type->identity && slots.back() < (uint64_t(1) << 31))
    type = python::smallIntType(type->bits);
  if (slots.size() > mostParameters)
    throw nb::value_error((describeNext() + " and those before it take more than " +
                           std::to_string(mostParameters) +
                           " parameters: pass large tuples as arrays")
                              .c_str());
}

void ArgumentList::addOwned(nb::object value) {
  converted_.push_back(std::move(value));
  add(converted_.back());
}

Type ArgumentList::read(nb::handle value, bool topLevel) {
  PyObject *object = value.ptr();
  PyTypeObject *type = Py_TYPE(object);
  const KnownClasses &known = KnownClasses::get();
  if (type == known.ndarray)
    return readBuffer(value, topLevel);
  if (isDeviceArray(value, known))
    return readDeviceArray(value, topLevel);
  if (PyLong_CheckExact(object))
    return readInteger(value);
  if (PyFloat_CheckExact(object)) {
    slots.push_back(bitsOf(PyFloat_AsDouble(object), python::float64Type()));
    return python::float64Type();
  }
  if (PyBool_Check(object)) {
    slots.push_back(object == Py_True);
    return python::boolType();
  }
  if (PyTuple_Check(object))
    return readTuple(value);
  if (value.is_none())
    return python::noneType();
  return readOther(value, topLevel);
}

Type ArgumentList::readTuple(nb::handle value) {
  if (++depth_ > deepestTuple)
    throw nb::value_error(
        (describeNext() + " is a tuple nested more than " + std::to_string(deepestTuple) + " deep")
            .c_str());
  std::vector<Type> elements;
  for (nb::handle item : nb::borrow<nb::tuple>(value)) {
    elements.push_back(read(item, false));
    if (elements.size() > mostParameters)
      refuse(value, "it has too many elements; pass an array");
  }
  --depth_;
  if (!PyTuple_CheckExact(value.ptr()))
    if (std::optional<Type> named = namedTupleOf(value.type()))
      return tupleLike(*named, std::move(elements));
  return python::tupleType(std::move(elements));
}

Type ArgumentList::readInteger(nb::handle value) {
  int64_t number = 0;
  if (nb::try_cast(value, number)) {
    slots.push_back(uint64_t(number));
    return python::int64Type();
  }
  uint64_t large = 0;
  if (nb::try_cast(value, large)) {
    slots.push_back(large);
    return python::intType(64, false);
  }
  PyErr_Clear();
  throw std::overflow_error(describeNext() + " is an integer that 64 bits do not hold");
}

void ArgumentList::pushNumber(const void *data, Type type) {
  if (!type.isComplex()) {
    slots.push_back(slotOf(data, type));
    return;
  }
  Type part = python::floatType(type->bits / 2);
  slots.push_back(slotOf(data, part));
  slots.push_back(slotOf(static_cast<const char *>(data) + part->bytes(), part));
}

Type ArgumentList::readEnumMember(nb::handle value) {
  converted_.push_back(value.attr("value"));
  size_t before = arrays.size();
  Type type = read(converted_.back(), false);
  if (!type.isScalar() || arrays.size() != before)
    refuse(value, "members of an enumeration have numbers as values in kernels");
  return enumTypeOf(value, type);
}

bool ArgumentList::readNumPyScalar(nb::handle value, Type &type) {
  for (const NumPyScalar &scalar : KnownClasses::get().scalars)
    if (PyType_IsSubtype(Py_TYPE(value.ptr()), scalar.type)) {
      Py_buffer view;
      if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_SIMPLE) != 0)
        throw nb::python_error();
      pushNumber(view.buf, scalar.kernelType);
      PyBuffer_Release(&view);
      type = scalar.kernelType;
      return true;
    }
  return false;
}

/// A datetime64 or timedelta64.
bool ArgumentList::readTime(nb::handle value, Type &type) {
  type = typeOfDtype(value.attr("dtype"));
  if (!type.isTime())
    return false;
  slots.push_back(uint64_t(nb::cast<int64_t>(value.attr("view")("i8").attr("item")())));
  return true;
}

Type ArgumentList::readOther(nb::handle value, bool topLevel) {
  PyObject *object = value.ptr();
  const KnownClasses &known = KnownClasses::get();
  if (PyType_IsSubtype(Py_TYPE(object), known.generic)) {
    if (PyType_IsSubtype(Py_TYPE(object), known.structured))
      return readRecord(value);
    Type type;
    if (readNumPyScalar(value, type) || readTime(value, type))
      return type;
    if (typeOfDtype(value.attr("dtype")) != python::bfloat16Type())
      refuse(value, reasonOfDtype(value));
    slots.push_back(bitsOf(nb::cast<double>(nb::float_(value)), python::bfloat16Type()));
    return python::bfloat16Type();
  }
  if (isEnumMember(value))
    return readEnumMember(value);
  if (PyLong_Check(object))
    return readInteger(nb::steal(PyNumber_Index(object)));
  if (PyFloat_Check(object)) {
    slots.push_back(bitsOf(PyFloat_AsDouble(object), python::float64Type()));
    return python::float64Type();
  }
  if (PyComplex_Check(object)) {
    const double parts[] = {PyComplex_RealAsDouble(object), PyComplex_ImagAsDouble(object)};
    pushNumber(parts, python::complexType(128));
    return python::complexType(128);
  }
  if (PyObject_IsInstance(object, known.argHint.ptr()) == 1)
    return readHinted(value, topLevel);
  if (takesForeign_)
    if (std::optional<ForeignArray> array = readKnownClass(value, target_); array && !array->onHost)
      return readForeign(value, std::move(*array), topLevel);
  bool isNumPy = PyType_IsSubtype(Py_TYPE(object), known.ndarray);
  if (takesForeign_ && !isNumPy)
    if (std::optional<ForeignArray> array = readCudaArrayInterface(value, target_))
      return readForeign(value, std::move(*array), topLevel);
  // A mapped array is one of NumPy's as well: a device that has memory of its own reaches it in place.
  if ((!isNumPy || !inHostMemory_) && nb::hasattr(value, "__heddle_device_array__")) {
    converted_.push_back(value.attr("__heddle_device_array__"));
    return readDeviceArray(converted_.back(), topLevel);
  }
  if (isNumPy ||
      (PyObject_CheckBuffer(object) && !PyBytes_Check(object) && !PyByteArray_Check(object)))
    return readBuffer(value, topLevel);
  if (takesForeign_) {
    if (std::optional<ForeignArray> array = readDlpack(value, target_); array && !array->onHost)
      return readForeign(value, std::move(*array), topLevel);
  } else if (nb::hasattr(value, "__cuda_array_interface__")) {
    refuse(value,
           "it lives on a GPU, and the kernel runs on the CPU device; copy it to the host first");
  }
  return readSharedAsHost(value, topLevel);
}

/// Another library's host array, such as a torch CPU tensor: shared, not copied.
Type ArgumentList::readSharedAsHost(nb::handle value, bool topLevel) {
  for (const char *protocol : {"__array_interface__", "__dlpack__", "__array__"})
    if (nb::hasattr(value, protocol)) {
      converted_.push_back(nb::module_::import_("numpy").attr("asarray")(value));
      return readBuffer(converted_.back(), topLevel);
    }
  refuse(value);
}

Type ArgumentList::readHinted(nb::handle value, bool topLevel) {
  converted_.push_back(value.attr("value"));
  nb::object inner = converted_.back();
  if (PyTuple_Check(inner.ptr()) || PyLong_Check(inner.ptr()) || PyFloat_Check(inner.ptr()))
    refuse(value, "In, Out and InOut are for arrays");
  copiesIn_ = nb::cast<bool>(value.attr("copies_in"));
  copiesOut_ = nb::cast<bool>(value.attr("copies_out"));
  Type type = read(inner, topLevel);
  copiesIn_ = copiesOut_ = true;
  if (!type.isArray())
    refuse(value, "In, Out and InOut are for arrays");
  return type;
}

Type ArgumentList::readBuffer(nb::handle value, bool topLevel) {
  bool isNumPy = PyType_IsSubtype(Py_TYPE(value.ptr()), KnownClasses::get().ndarray);
  Py_buffer view;
  if (PyObject_GetBuffer(value.ptr(), &view, PyBUF_FULL_RO) != 0) {
    PyErr_Clear();
    if (isNumPy) // there are no formats for every dtype
      return readOtherElements(value, topLevel);
    refuse(value, reasonOfDtype(value));
  }
  Type element = elementOfFormat(view.format ? view.format : "B", view.itemsize);
  if (!element && isNumPy) {
    PyBuffer_Release(&view);
    return readOtherElements(value, topLevel);
  }
  buffers_.push_back(view);
  if (!element)
    refuse(value, nb::hasattr(value, "dtype")
                      ? reasonOfDtype(value)
                      : std::string("kernels have no type for elements of format ") + view.format);
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  ArrayView array{view.buf,
                  element,
                  unsigned(view.ndim),
                  reinterpret_cast<const int64_t *>(view.shape),
                  reinterpret_cast<const int64_t *>(view.strides),
                  bool(view.readonly)};
  return place(array, factsOf(array, aligns_, !inHostMemory_), value, topLevel, true);
}

/// A NumPy array whose elements no format of the struct module describes: its bytes, with the dtype's type.
Type ArgumentList::readOtherElements(nb::handle value, bool topLevel) {
  Type element = typeOfDtype(value.attr("dtype"));
  if (!element)
    refuse(value, reasonOfDtype(value));
  const KnownClasses &known = KnownClasses::get();
  std::string bytes = "V" + std::to_string(element->bytes());
  converted_.push_back(known.viewAs(value, bytes, nb::handle((PyObject *)known.ndarray)));
  Py_buffer view;
  if (PyObject_GetBuffer(converted_.back().ptr(), &view, PyBUF_FULL_RO) != 0)
    throw nb::python_error();
  buffers_.push_back(view);
  ArrayView array{view.buf,
                  element,
                  unsigned(view.ndim),
                  reinterpret_cast<const int64_t *>(view.shape),
                  reinterpret_cast<const int64_t *>(view.strides),
                  bool(view.readonly)};
  return place(array, factsOf(array, aligns_, !inHostMemory_), converted_.back(), topLevel, true);
}

/// A scalar of a structured dtype: the place of its fields, which a kernel may change.
Type ArgumentList::readRecord(nb::handle value) {
  Type record = typeOfDtype(value.attr("dtype"));
  if (!record)
    refuse(value, reasonOfDtype(value));
  converted_.push_back(nb::module_::import_("heddle.cuda.host_memory").attr("record_place")(value));
  Type array = readOtherElements(converted_.back(), false);
  Type type = recordIn(array->element, simt::Global, array->readOnly);
  arrays.back().facts.type = arrays.back().facts.alone = type;
  return type;
}

Type ArgumentList::readDeviceArray(nb::handle value, bool topLevel) {
  DeviceArray &array = *nb::inst_ptr<DeviceArray>(value);
  if (device_ && array.device != device_)
    refuse(value, "it lives on another device (" + array.device->name() +
                      ") than the kernel runs on (" + device_->name() +
                      "); copy it with to_device()");
  if (!array.element)
    refuse(value, "kernels have no type for elements of type " + array.typestr);
  ArrayView view{array.address,
                 array.element,
                 unsigned(array.shape.size()),
                 reinterpret_cast<const int64_t *>(array.shape.data()),
                 reinterpret_cast<const int64_t *>(array.strides.data()),
                 array.readonly};
  // An array does not change, and most are launched with more than once.
  if (!array.facts)
    array.facts = std::make_unique<ArrayFacts>(
        factsOf(view, !array.device->usesHostMemory(), /*copied=*/false));
  bool isRecord =
      view.ndim == 0 && view.element.isRecord() && nb::hasattr(value.type(), "__heddle_record__");
  Type type = place(view, *array.facts, value, topLevel && !isRecord, false);
  return isRecord ? recordIn(view.element, simt::Global, view.readOnly) : type;
}

Type ArgumentList::readForeign(nb::handle value, ForeignArray array, bool topLevel) {
  for (int64_t extent : array.shape)
    if (extent < 0)
      array.problem = "it has a negative extent";
  if (!array.problem.empty())
    refuse(value, array.problem);
  if (array.hold)
    held_.push_back(std::move(array.hold));
  if (array.producer)
    waitFor(*array.producer);
  ArrayView view{array.data,         array.element,        unsigned(array.shape.size()),
                 array.shape.data(), array.strides.data(), array.readOnly};
  return place(view, factsOf(view, aligns_, /*copied=*/false), value, topLevel, false);
}

Type ArgumentList::place(const ArrayView &view, const ArrayFacts &facts, nb::handle owner,
                         bool topLevel, bool isOnHost) {
  arrays.push_back({.argument = unsigned(types.size()),
                    .slot = unsigned(slots.size()),
                    .topLevel = topLevel,
                    .onHost = isOnHost,
                    .copied = isOnHost && !inHostMemory_,
                    .copiesIn = copiesIn_,
                    .copiesOut = copiesOut_,
                    .facts = facts,
                    .owner = owner.ptr()});
  onHost = onHost || isOnHost;
  misaligned = misaligned || (facts.misaligned && !isOnHost);
  slots.push_back(reinterpret_cast<uint64_t>(view.data));
  for (unsigned axis = 0; axis < view.ndim; ++axis)
    slots.push_back(view.shape[axis]);
  for (unsigned axis = 0; axis < view.ndim; ++axis)
    slots.push_back(view.strides[axis]);
  return facts.type;
}

void ArgumentList::findOverlaps() {
  constexpr size_t mostCompared = 32; // beyond, comparing each with each costs more than it may win
  if (arrays.size() > mostCompared)
    return;
  for (const ArrayArgument &array : arrays) {
    if (!array.topLevel)
      continue;
    // What is copied is copied to a place of its own.
    bool alone = array.copied || llvm::none_of(arrays, [&](const ArrayArgument &other) {
                   return &other != &array && !other.copied && array.facts.high > other.facts.low &&
                          other.facts.high > array.facts.low;
                 });
    if (alone)
      types[array.argument] = array.facts.alone;
  }
}

Type typeOf(nb::handle value) {
  ArgumentList list;
  list.add(value);
  Type type = list.types[0];
  if (type.isRecord())
    return recordIn(type, simt::Global, false);
  if (!type.isArray())
    return python::plainType(type);
  // What a launch finds out besides (extents, overlaps) is no part of the type that the user sees.
  return arrayType(type->element, type->ndim, {.layout = type->layout, .readOnly = type->readOnly});
}

size_t slotCount(Type type) {
  if (type.isArray())
    return 1 + 2 * type->ndim;
  if (type.isComplex())
    return 2;
  if (type.is(python::TypeKind::None))
    return 0;
  if (!type.isTuple())
    return 1;
  size_t n = 0;
  for (Type element : type->elements)
    n += slotCount(element);
  return n;
}

namespace {

/// The slot of a scalar of type `from` as one of type `to`.
void convertSlot(Type from, Type to, uint64_t *slot) {
  double real = 0;
  if (from.isFloat())
    real = floatOf(*slot, from);
  else
    real = from.is(python::TypeKind::UInt) ? double(*slot) : double(int64_t(*slot));
  if (to.isFloat()) {
    *slot = bitsOf(real, to);
  } else if (to.isBool()) {
    *slot = from.isFloat() ? real != 0 : *slot != 0;
  } else {
    // Out of range saturates and NaN is 0, as in a kernel.
    if (from.isFloat()) {
      constexpr double top = 9223372036854775808.0;
      *slot = std::isnan(real)                   ? 0
              : to == python::intType(64, false) ? (real <= 0         ? 0
                                                    : real >= 2 * top ? UINT64_MAX
                                                                      : uint64_t(real))
                                                 : uint64_t(real >= top   ? INT64_MAX
                                                            : real < -top ? INT64_MIN
                                                                          : int64_t(real));
    }
    uint64_t value = *slot;
    *slot = slotOf(&value, to);
  }
}

} // namespace

/// Turns the slots of a value of type `from`, from place `first` on, into those of type `to`, which may be more.
void ArgumentList::convertSlots(Type from, Type to, size_t first) {
  bool converts = to.isScalar() || to.isComplex() || to.isTuple();
  if (from == to || from.isArray() || !converts)
    return;
  if (from.isTuple()) {
    for (size_t i = 0; i < from->elements.size(); ++i) {
      convertSlots(from->elements[i], to->elements[i], first);
      first += slotCount(to->elements[i]);
    }
    return;
  }
  if (!to.isComplex()) {
    convertSlot(from, to, &slots[first]);
    return;
  }
  Type part = python::floatType(to->bits / 2);
  if (!from.isComplex()) {
    convertSlot(from, part, &slots[first]);
    slots.insert(slots.begin() + first + 1, 0); // the imaginary part, a float's 0
    for (ArrayArgument &array : arrays)
      array.slot += array.slot > first;
    return;
  }
  for (size_t i : {0, 1})
    convertSlot(python::floatType(from->bits / 2), part, &slots[first + i]);
}

void ArgumentList::convertTo(llvm::ArrayRef<Type> to) {
  size_t first = 0;
  for (size_t i = 0; i < to.size(); ++i) {
    convertSlots(types[i], to[i], first);
    first += slotCount(to[i]);
  }
}

} // namespace heddle
