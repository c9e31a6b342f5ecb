#include "bindings/arguments/cuda_arguments.h"

#include "bindings/arguments/allocations.h"
#include "bindings/arguments/slots.h"
#include "bindings/arrays/device_array.h"
#include "bindings/arrays/exported_memory.h"
#include "bindings/interpreter/warnings.h"
#include "bindings/runtime.h"
#include "bindings/types/python_classes.h"
#include "bindings/values/numbers.h"
#include "bindings/values/numpy_classes.h"
#include "program/parameters.h"

#include <algorithm>
#include <cmath>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using cudacpp::ValueType;
using python::Type;

CudaParameter::CudaParameter(cudacpp::Parameter parameter) : source(std::move(parameter)) {
  if (!source.type.element.empty())
    element = python::scalarTypeNamed(source.type.element);
  if (!source.type.component.empty())
    component = python::scalarTypeNamed(source.type.component);
}

CudaParameter CudaParameter::fromSize(uint32_t bytes) {
  cudacpp::Parameter parameter;
  parameter.type.bytes = bytes;
  parameter.type.spelling = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  parameter.type.takesAny = parameter.type.isConst = true;
  for (uint32_t at = 0; at < bytes; at += sizeof(uint64_t))
    parameter.slots.push_back({at, std::min<uint32_t>(sizeof(uint64_t), bytes - at)});
  CudaParameter made(std::move(parameter));
  made.untyped = true;
  return made;
}

namespace {

/// True if passing an array of `given` to a pointer to `expected` is probably a mistake: numbers of another size, or
/// floats for signed integers. Bytes and unsigned integers may be the bits of any number.
bool isLikelyWrongElementType(Type given, Type expected) {
  auto isNumber = [](Type type) { return type && (type.isNumber() || type.isComplex()); };
  if (!isNumber(given) || !isNumber(expected))
    return false;
  auto partBytes = [](Type type) { return type->bytes() / (type.isComplex() ? 2 : 1); };
  if (given->bytes() == 1 || expected->bytes() == 1)
    return false;
  if (partBytes(given) != partBytes(expected))
    return true;
  auto isUnsigned = [](Type type) { return type.isInteger() && !type.isSigned(); };
  return given.isInteger() != expected.isInteger() && !isUnsigned(given) && !isUnsigned(expected);
}

/// True if the kernel needs only the address of a device array: the array matches the parameter, and its memory is
/// freed in stream order, as on GPUs.
bool needsOnlyAddress(const DeviceArray &array, const CudaParameter &parameter, ArrayRules rules,
                      const Device &device) {
  return array.device == &device && !device.usesHostMemory() && array.element &&
         array.element == parameter.element && (!array.readonly || parameter.source.type.isConst) &&
         (array.cContiguous || array.fContiguous || rules.strided) && !arrayStreamOf(array);
}

/// Appends an int or a NumPy integer. Returns false for other values, and for those that do not fit.
bool appendIntegerIfFits(const ValueType &type, nb::handle value,
                         llvm::SmallVectorImpl<uint64_t> &slots) {
  if (type.bytes > sizeof(uint64_t))
    return false;
  size_t before = slots.size();
  Type number = appendNumberSlotsIfExactClass(value, slots);
  if (!number)
    return false;
  bool isNegative = number.isSigned() && int64_t(slots.back()) < 0;
  if (number.isInteger() && program::isRepresentableInteger(type, slots.back(), isNegative))
    return true;
  slots.truncate(before);
  return false;
}

/// Appends a float or a NumPy float as `wanted`. Returns false for other values.
bool appendFloatIfFloat(Type wanted, nb::handle value, llvm::SmallVectorImpl<uint64_t> &slots) {
  size_t before = slots.size();
  Type number = appendNumberSlotsIfExactClass(value, slots);
  if (!number.isFloat()) {
    slots.truncate(before);
    return false;
  }
  if (number != wanted)
    slots.back() = convertSlot(slots.back(), number, wanted);
  return true;
}

/// The type of the slot of a float parameter.
Type slotTypeOfFloat(const CudaParameter &parameter) {
  // `element` is set if the size does not determine the type.
  return parameter.element ? parameter.element : python::floatType(parameter.source.type.bytes * 8);
}

/// Reads the values of one launch in order.
class Reader {
public:
  Reader(const std::string &kernel, ArrayRules rules, const Device &device, ArgumentList &arrays,
         llvm::SmallVectorImpl<uint64_t> &slots)
      : kernel_(kernel), rules_(rules), device_(device), arrays_(arrays), slots_(slots) {}

  void appendArgument(const CudaParameter &parameter, nb::handle value, size_t number) {
    parameter_ = &parameter;
    number_ = number;
    bounds_.push_back({});
    if (parameter.untyped)
      return appendByOwnType(value);
    switch (parameter.source.type.kind) {
    case ValueType::Pointer:
      return appendPointer(value);
    case ValueType::Bool:
    case ValueType::Integer:
      return appendInteger(value);
    case ValueType::Float:
      return appendFloat(value);
    case ValueType::Structure:
      return appendStructure(value);
    case ValueType::Void:
      reject("no launch can pass it\n  hint: pass a pointer, or the value");
    }
  }

  /// Appends the bounds of the allocation that a pointer parameter refers to.
  void appendAllocationBounds(uint32_t number) {
    slots_.push_back(uint64_t(bounds_[number].before));
    slots_.push_back(uint64_t(bounds_[number].after));
  }

private:
  /// Offsets from an address to the begin and the end of its allocation; the widest range if unknown.
  struct Bounds {
    int64_t before = -(int64_t(1) << 62);
    int64_t after = int64_t(1) << 62;
  };

  /// Records the bounds of the allocation that contains an array; for views, that of the base array.
  void findAndRecordAllocationBounds(nb::handle value, const ArrayFacts &facts) {
    if (device_.usesHostMemory())
      recordAllocationBounds(allocationOfArray(value, {facts.low, facts.high}));
  }

  void recordAllocationBounds(std::optional<MemoryRange> range) {
    if (!range)
      return;
    const auto *address = reinterpret_cast<const char *>(slots_.back());
    bounds_.back() = {std::min<int64_t>(range->low - address, 0),
                      std::max<int64_t>(range->high - address, 0)};
  }

  /// Reads a value by its own type, as CuPy does: NumPy numbers and structures unchanged, a Python float as a double,
  /// an int with the parameter's size, everything else by address.
  void appendByOwnType(nb::handle value) {
    if (PyBool_Check(value.ptr())) {
      bool truth = PyObject_IsTrue(value.ptr()) == 1;
      return appendStructureBytes(&truth, sizeof truth, value);
    }
    if (PyLong_CheckExact(value.ptr()))
      return appendIntegerByOwnType(value);
    if (PyFloat_CheckExact(value.ptr())) {
      double v = PyFloat_AsDouble(value.ptr());
      return appendStructureBytes(&v, sizeof v, value);
    }
    if (PyComplex_CheckExact(value.ptr())) {
      const double parts[] = {PyComplex_RealAsDouble(value.ptr()),
                              PyComplex_ImagAsDouble(value.ptr())};
      return appendStructureBytes(parts, sizeof parts, value);
    }
    bool isScalar = isInstanceOf(value, NumPyClasses::get().generic) ||
                    (isNumPyArray(value) && nb::cast<size_t>(nb::object(value.attr("size"))) == 1);
    if (isScalar) {
      nb::bytes bytes(nb::object(value.attr("tobytes")()));
      return appendStructureBytes(bytes.c_str(), bytes.size(), value);
    }
    if (parameterType().bytes != sizeof(uint64_t))
      reject("takes a value of this size, not " + classNameOf(value) +
             ", whose address has 8 bytes");
    appendPointer(value);
  }

  void appendIntegerByOwnType(nb::handle value) {
    ValueType integer = parameterType();
    if (integer.bytes > sizeof(uint64_t) || (integer.bytes & (integer.bytes - 1)))
      reject("takes a structure, not an int");
    int overflow = 0;
    long long v = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    uint64_t bits = uint64_t(v);
    integer.isSigned = !overflow && v < 0;
    if (overflow > 0) { // at least 2**63
      bits = PyLong_AsUnsignedLongLong(value.ptr());
      overflow = bits == UINT64_MAX && PyErr_Occurred();
      PyErr_Clear();
    }
    if (overflow || !program::isRepresentableInteger(integer, bits, integer.isSigned))
      throwOverflow(value);
    slots_.push_back(bits);
  }

  void appendStructureBytes(const void *data, size_t bytes, nb::handle value) {
    if (bytes != parameterType().bytes)
      reject(classNameOf(value) + " has " + std::to_string(bytes) +
             " bytes\n  hint: pass a NumPy number of the parameter's type, such as np.float32(x)");
    program::appendStructureSlots(parameter_->source, data, slots_);
  }

  const ValueType &parameterType() const { return parameter_->source.type; }

  std::string parameterMessage(const std::string &message) const {
    return program::formatParameterMessage(kernel_, number_, parameter_->source, message);
  }
  [[noreturn]] void reject(const std::string &message) const {
    throw nb::type_error(parameterMessage(message).c_str());
  }
  [[noreturn]] void throwValueError(const std::string &message) const {
    throw nb::value_error(parameterMessage(message).c_str());
  }

  void appendPointer(nb::handle value) {
    if (value.is_none()) {
      slots_.push_back(0);
      bounds_.back() = {0, 0};
      return;
    }
    bool isOwn = isDeviceArray(value);
    if (isOwn && appendDeviceArrayIfSimple(*nb::inst_ptr<DeviceArray>(value)))
      return;
    if (!isOwn && appendForeignArrayIfSimple(value))
      return;
    bool isNumPy = isNumPyArray(value);
    nb::object held; // the address in a NumPy array
    if (isNumPy && rules_.cupys && !isManagedOrMappedArray(value)) {
      held = readAddressInArray(value);
      value = held;
    }
    bool isNumPyInteger =
        isInstanceOf(value, NumPyClasses::get().generic) && PyIndex_Check(value.ptr());
    if (PyLong_CheckExact(value.ptr()) || isNumPyInteger) {
      slots_.push_back(readAddress(nb::steal(PyNumber_Index(value.ptr()))));
      // Linux and GPUs map nothing there (vm.mmap_min_addr): the number is probably meant for another parameter.
      if (slots_.back() && slots_.back() < 65536)
        reject("takes an array or an address, not " + nb::cast<std::string>(nb::repr(value)) +
               "\n  hint: are the arguments in the order of the parameters?");
      recordBufferOfAddress(slots_.back());
      return;
    }
    bool isArray = isOwn || isNumPy;
    if (!isArray && appendUntypedMemoryAddress(value))
      return;
    if (PyList_Check(value.ptr()) || PyDict_Check(value.ptr()) || PyTuple_Check(value.ptr()))
      reject("takes an array, not " + classNameOf(value) +
             "\n  hint: make it an array with np.array(...)");
    size_t before = arrays_.arrays.size();
    arrays_.numberNext(number_ + 1);
    arrays_.add(value);
    if (arrays_.arrays.size() != before + 1)
      reject("takes an array, not " + classNameOf(value) +
             "\n  hint: put the value into an array of one element");
    checkArrayArgument(value, arrays_.kernelArguments.back().type);
    slots_.push_back(arrays_.slots[arrays_.arrays.back().slot]);
    findAndRecordAllocationBounds(value, arrays_.arrays.back().facts);
  }

  /// The address in a NumPy array of one 64-bit integer: CuPy passes the value. Other NumPy arrays are rejected.
  nb::object readAddressInArray(nb::handle array) const {
    bool isAddress = nb::cast<size_t>(nb::object(array.attr("nbytes"))) == sizeof(uint64_t) &&
                     nb::cast<size_t>(nb::object(array.attr("size"))) == 1;
    nb::object number = isAddress ? nb::object(array.attr("item")()) : nb::object();
    if (!number.is_valid() || !PyLong_Check(number.ptr()))
      reject("takes a cupy.ndarray, not a NumPy array\n  hint: copy it with cupy.asarray(); "
             "heddle.RawKernel takes NumPy arrays on the CPU device");
    return number;
  }

  /// Fast path for a device array of which the kernel needs only the address. Returns false for all others.
  bool appendDeviceArrayIfSimple(const DeviceArray &array) {
    bool fits = needsOnlyAddress(array, *parameter_, rules_, device_);
    if (fits)
      slots_.push_back(reinterpret_cast<uintptr_t>(array.address));
    return fits;
  }

  /// Fast path for an array of another library; see appendDeviceArrayIfSimple().
  bool appendForeignArrayIfSimple(nb::handle value) {
    QuickArray array;
    if (!arrays_.readQuickArray(value, array))
      return false;
    bool fits = (array.element == parameter_->element || parameterType().takesAny) &&
                (rules_.strided || layoutOf(array.ndim, array.shape, array.strides,
                                            array.element->bytes()) != python::Layout::Any);
    if (!fits)
      return false;
    if (array.producer)
      arrays_.addProducerStream(*array.producer);
    slots_.push_back(reinterpret_cast<uintptr_t>(array.data));
    return true;
  }

  /// Records the bounds of the buffer that contains an address, and if it refers to memory that other code can read: to
  /// exported memory, or to memory outside the device's buffers.
  void recordBufferOfAddress(uint64_t number) {
    auto *byte = reinterpret_cast<const char *>(number);
    if (!byte || !device_.usesHostMemory())
      return;
    auto buffer = const_cast<Device &>(device_).allocationAt(number);
    if (buffer)
      recordAllocationBounds(MemoryRange{reinterpret_cast<const char *>(buffer->first),
                                         reinterpret_cast<const char *>(buffer->second)});
    arrays_.exportsAddress |= !buffer || isExported(byte, byte + 1);
  }

  uint64_t readAddress(nb::handle value) {
    uint64_t bits = PyLong_AsUnsignedLongLong(value.ptr());
    if (bits == UINT64_MAX && PyErr_Occurred()) {
      PyErr_Clear();
      reject("an address is an unsigned 64-bit integer");
    }
    return bits;
  }

  /// Reads untyped memory: CuPy's MemoryPointer, heddle's memory. Returns false for other values.
  bool appendUntypedMemoryAddress(nb::handle value) {
    if (nb::hasattr(value, "dtype") || nb::hasattr(value, "__dlpack__"))
      return false;
    for (const char *name : {"ptr", "address"}) {
      nb::object found = nb::getattr(value, name, nb::none());
      if (PyLong_Check(found.ptr())) {
        slots_.push_back(readAddress(found));
        recordBufferOfAddress(slots_.back());
        // GPU memory is freed in stream order.
        if (device_.usesHostMemory()) {
          arrays_.hold(keepAlive(nb::borrow(value)));
          recordAllocationBounds(allocationOfPointer(value));
        }
        return true;
      }
    }
    return false;
  }

  void checkArrayArgument(nb::handle value, Type array) {
    const ArrayArgument &argument = arrays_.arrays.back();
    if (!array.isArray())
      reject("takes an array, not " + classNameOf(value));
    Type element = array->element;
    bool fits =
        parameterType().takesAny || (parameter_->component && element == parameter_->component);
    if (parameter_
            ->element) // NumPy stores bfloat16, and CUDA C++ 8-bit floats, as integers with the same bits
      fits =
          fits || element == parameter_->element ||
          (parameter_->element == python::bfloat16Type() &&
           element == python::intType(16, false)) ||
          (parameter_->element == python::intType(8, false) && typeAfterLoad(element) != element);
    else // a structure matches elements of its size, and bytes
      fits = fits || !parameterType().elementBytes ||
             element->bytes() == parameterType().elementBytes ||
             element == python::intType(8, false);
    if (!fits && rules_.cupys) {
      if (isLikelyWrongElementType(element, parameter_->element))
        warnOfKernelArguments(
            parameterMessage("the kernel reads an array of " + element.name() + " as " +
                             parameter_->element.name() + "\n  hint: convert it with .astype('" +
                             parameterType().element + "'), or pass x.view('" +
                             parameterType().element + "') if the kernel works on its bytes"));
    } else if (!fits) {
      reject("takes an array of " +
             (parameter_->element
                  ? parameter_->element.name()
                  : std::to_string(parameterType().elementBytes) + "-byte elements") +
             ", not of " + element.name() + hintForElementType());
    }
    if (array->readOnly && !parameterType().isConst)
      throwValueError("the array is read-only\n  hint: write 'const' in the kernel if it does not "
                      "write the array");
    if (array->layout == python::Layout::Any && !rules_.strided)
      throwValueError(
          "the array is not contiguous, and a pointer has no strides\n"
          "  hint: pass a contiguous copy, or make the kernel with allow_strided=True if "
          "it knows the strides");
    if (argument.onHost && !device_.usesHostMemory())
      reject("the array is in host memory, but the kernel runs on " + device_.name() +
             "\n  hint: copy it with cuda.to_device()");
  }

  std::string hintForElementType() const {
    if (!parameter_->element)
      return {};
    if (parameter_->element == python::bfloat16Type())
      return "\n  hint: pass an array of ml_dtypes.bfloat16, or the numbers' bits as uint16";
    return "\n  hint: convert it with .astype('" + parameterType().element + "')";
  }

  /// Converts a one-element NumPy array or a NumPy scalar to a Python number. Other values are unchanged.
  nb::object toPlainNumber(nb::handle value) const {
    if (PyLong_Check(value.ptr()) || PyFloat_Check(value.ptr()))
      return nb::borrow(value);
    if (PyIndex_Check(value.ptr())) { // NumPy integers
      if (PyObject *number = PyNumber_Index(value.ptr()))
        return nb::steal(number);
      PyErr_Clear();
    }
    if (!nb::hasattr(value, "dtype"))
      return nb::borrow(value);
    if (nb::hasattr(value, "size") && nb::cast<size_t>(nb::object(value.attr("size"))) != 1)
      reject("takes one number, not an array of " +
             std::to_string(nb::cast<size_t>(nb::object(value.attr("size")))) +
             "\n  hint: the kernel's parameter is not a pointer");
    return nb::hasattr(value, "item") ? nb::object(value.attr("item")()) : nb::borrow(value);
  }

  void appendInteger(nb::handle value) {
    if (parameterType().kind == ValueType::Integer &&
        appendIntegerIfFits(parameterType(), value, slots_))
      return;
    nb::object number = toPlainNumber(value);
    if (PyFloat_Check(number.ptr())) {
      double v = PyFloat_AsDouble(number.ptr());
      if (!std::isfinite(v) || v != std::floor(v))
        reject("takes an integer, not " + nb::cast<std::string>(nb::repr(number)));
      number = nb::steal(PyLong_FromDouble(v));
    }
    if (!PyLong_Check(number.ptr()))
      reject("takes an integer, not " + classNameOf(value));
    if (parameterType().kind == ValueType::Bool) {
      slots_.push_back(PyObject_IsTrue(number.ptr()) == 1);
      return;
    }
    if (parameterType().bytes > sizeof(uint64_t))
      return appendWideInteger(number);
    int overflow = 0;
    long long v = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    uint64_t bits = uint64_t(v);
    bool isNegative = !overflow && v < 0;
    if (overflow > 0) { // at least 2**63
      bits = PyLong_AsUnsignedLongLong(number.ptr());
      overflow = bits == UINT64_MAX && PyErr_Occurred();
      PyErr_Clear();
    }
    if (overflow || !program::isRepresentableInteger(parameterType(), bits, isNegative))
      throwOverflow(number);
    slots_.push_back(bits);
  }

  /// Reads an __int128, which takes two slots.
  void appendWideInteger(nb::handle number) {
    nb::object bytes;
    try {
      bytes = number.attr("to_bytes")(parameterType().bytes, "little",
                                      nb::arg("signed") = parameterType().isSigned);
    } catch (nb::python_error &error) {
      if (!error.matches(PyExc_OverflowError))
        throw;
      throwOverflow(number);
    }
    program::appendStructureSlots(parameter_->source, PyBytes_AsString(bytes.ptr()), slots_);
  }

  [[noreturn]] void throwOverflow(nb::handle number) const {
    std::string digits = nb::cast<std::string>(nb::repr(number));
    constexpr size_t longest = 40;
    if (digits.size() > longest)
      digits = "a number of " + std::to_string(digits.size()) + " digits";
    PyErr_SetString(PyExc_OverflowError, parameterMessage(digits + " does not fit").c_str());
    throw nb::python_error();
  }

  void appendFloat(nb::handle value) {
    nb::object number = toPlainNumber(value);
    if (!PyFloat_Check(number.ptr()) && !PyLong_Check(number.ptr()))
      reject("takes a number, not " + classNameOf(value));
    double v = PyFloat_AsDouble(number.ptr());
    if (v == -1 && PyErr_Occurred())
      throw nb::python_error();
    slots_.push_back(floatToSlot(v, slotTypeOfFloat(*parameter_)));
  }

  /// Converts a number to the bytes of the C++ structure that represents it (__half, complex<float>); null if the value
  /// is not a number.
  nb::object toStructureBytes(nb::handle value) const {
    if (nb::hasattr(value, "nbytes") && nb::cast<size_t>(value.attr("size")) != 1)
      return {}; // for example two components for float2
    nb::object number = toPlainNumber(value);
    bool isReal = PyFloat_Check(number.ptr()) || PyLong_Check(number.ptr());
    if (!isReal && !PyComplex_Check(number.ptr()))
      return {};
    Type kind = parameter_->element;
    if (!isReal && !kind.isComplex())
      reject("takes a number, not " + classNameOf(value));
    const double parts[] = {PyComplex_RealAsDouble(number.ptr()),
                            PyComplex_ImagAsDouble(number.ptr())};
    if (parts[0] == -1 && PyErr_Occurred())
      throw nb::python_error();
    if (!kind.isComplex()) {
      uint64_t bits = floatToSlot(parts[0], kind);
      return nb::bytes(&bits, parameterType().bytes);
    }
    if (parameterType().bytes == sizeof parts)
      return nb::bytes(parts, sizeof parts);
    const float narrow[] = {float(parts[0]), float(parts[1])};
    return nb::bytes(narrow, sizeof narrow);
  }

  /// True for CArray<T, n> of cupy/carray.cuh, which CuPy's launches fill in with an array's address and layout.
  bool isCArray() const {
    llvm::StringRef spelling = parameterType().spelling;
    spelling.consume_front("const ");
    return rules_.cupys && spelling.starts_with("CArray<");
  }

  /// Appends an array as a CArray: the address, the number of elements, the lengths of the axes, the steps in bytes.
  void appendCArray(nb::handle value) {
    size_t before = arrays_.arrays.size();
    arrays_.numberNext(number_ + 1);
    arrays_.add(value);
    if (arrays_.arrays.size() != before + 1)
      reject("takes a cupy.ndarray, not " + classNameOf(value));
    nb::tuple shape(value.attr("shape")), strides(value.attr("strides"));
    if (2 + 2 * shape.size() != parameter_->source.slots.size())
      reject("takes an array of another number of dimensions, not of " +
             std::to_string(shape.size()));
    slots_.push_back(arrays_.slots[arrays_.arrays.back().slot]);
    slots_.push_back(nb::cast<uint64_t>(nb::object(value.attr("size"))));
    for (nb::handle length : shape)
      slots_.push_back(nb::cast<uint64_t>(length));
    for (nb::handle step : strides)
      slots_.push_back(uint64_t(nb::cast<int64_t>(step)));
  }

  void appendStructure(nb::handle value) {
    if (isCArray() && isDeviceArray(value))
      return appendCArray(value);
    nb::object bytes;
    if (parameter_->element)
      bytes = toStructureBytes(value);
    if (!bytes.is_valid()) {
      if (nb::hasattr(value, "tobytes") && nb::hasattr(value, "nbytes"))
        bytes = value.attr("tobytes")();
      else if (PyBytes_Check(value.ptr()))
        bytes = nb::borrow(value);
      else if (parameter_->element)
        reject("takes a number, not " + classNameOf(value));
      else
        reject(
            "takes a scalar of a structured dtype, not " + classNameOf(value) +
            "\n  hint: np.array((...), dtype=[(name, type), ...])[()] with align=True makes one");
    }
    char *data = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(bytes.ptr(), &data, &size) != 0)
      throw nb::python_error();
    if (size != Py_ssize_t(parameterType().bytes))
      reject("has " + std::to_string(parameterType().bytes) + " bytes, the value has " +
             std::to_string(size) +
             "\n  hint: np.dtype(..., align=True) lays fields out as C++ does");
    program::appendStructureSlots(parameter_->source, data, slots_);
  }

  const std::string &kernel_;
  ArrayRules rules_;
  const Device &device_;
  ArgumentList &arrays_;
  llvm::SmallVectorImpl<uint64_t> &slots_;
  const CudaParameter *parameter_ = nullptr;
  size_t number_ = 0;
  llvm::SmallVector<Bounds, 8> bounds_; ///< indexed by parameter
};

} // namespace

bool appendSlotsIfAllMatch(const std::vector<CudaParameter> &parameters, nb::handle values,
                           ArrayRules rules, const Device &device,
                           llvm::SmallVectorImpl<uint64_t> &slots) {
  if (!PyTuple_CheckExact(values.ptr()) ||
      PyTuple_Size(values.ptr()) != Py_ssize_t(parameters.size()))
    return false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const CudaParameter &parameter = parameters[i];
    const ValueType &type = parameter.source.type;
    nb::handle value = PyTuple_GetItem(values.ptr(), Py_ssize_t(i));
    if (parameter.untyped)
      return false;
    if (type.kind == ValueType::Pointer) {
      if (!isDeviceArray(value))
        return false;
      const DeviceArray &array = *nb::inst_ptr<DeviceArray>(value);
      if (!needsOnlyAddress(array, parameter, rules, device))
        return false;
      slots.push_back(reinterpret_cast<uintptr_t>(array.address));
    } else if (type.kind == ValueType::Integer) {
      if (!appendIntegerIfFits(type, value, slots))
        return false;
    } else if (type.kind != ValueType::Float ||
               !appendFloatIfFloat(slotTypeOfFloat(parameter), value, slots)) {
      return false;
    }
  }
  return true;
}

void appendCudaArgumentSlots(const std::string &kernel,
                             const std::vector<CudaParameter> &parameters,
                             llvm::ArrayRef<uint32_t> bounded, nb::handle values, ArrayRules rules,
                             const Device &device, ArgumentList &arrays,
                             llvm::SmallVectorImpl<uint64_t> &slots) {
  if (!PyTuple_Check(values.ptr()) && !PyList_Check(values.ptr()))
    throw nb::type_error(("kernel " + kernel + ": the arguments are a tuple, not " +
                          classNameOf(values) + "\n  hint: one argument is written (x,)")
                             .c_str());
  bool isTuple = PyTuple_Check(values.ptr());
  size_t given = isTuple ? size_t(PyTuple_Size(values.ptr())) : nb::len(values);
  if (given != parameters.size()) {
    std::string message = program::wrongArgumentCountMessage(kernel, parameters.size(), given);
    if (given < parameters.size() || !rules.cupys)
      throw nb::type_error(message.c_str());
    warnOfKernelArguments(message + "\n  hint: the launch ignores the last ones, as in CuPy");
  }
  Reader reader(kernel, rules, device, arrays, slots);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (isTuple)
      reader.appendArgument(parameters[i], PyTuple_GetItem(values.ptr(), Py_ssize_t(i)), i);
    else
      reader.appendArgument(parameters[i], nb::object(values[i]), i);
  for (uint32_t number : bounded)
    reader.appendAllocationBounds(number);
}

} // namespace heddle
