#include "bindings/arguments/arguments.h"

#include "bindings/source/constants.h"
#include "bindings/types/dtypes.h"
#include "bindings/types/python_classes.h"
#include "bindings/values/numbers.h"
#include "bindings/values/value_kind.h"
#include "frontend/python/types/records.h"
#include "frontend/python/types/slices.h"

#include <algorithm>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

constexpr unsigned deepestTuple = 32;
constexpr size_t mostParameters = 1024;

std::string qualifiedClassName(nb::handle value) {
  nb::handle type = value.type();
  std::string module = nb::cast<std::string>(nb::str(nb::object(type.attr("__module__"))));
  std::string name = nb::cast<std::string>(nb::str(nb::object(type.attr("__name__"))));
  if (PyType_Check(value.ptr())) // heddle's classes may have a metaclass from nanobind
    return "type";
  return module == "builtins" ? name : module + "." + name;
}

/// A hint that names a replacement for an unsupported value.
std::string suggestReplacement(nb::handle value, bool takesFunctions, bool isSelf) {
  if (isSelf)
    return "\n  hint: a kernel takes no 'self': define it outside of the class, and pass the "
           "attributes that it uses";
  if (PyList_Check(value.ptr()))
    return "\n  hint: make it an array with np.array(...), or a tuple";
  if (nb::hasattr(value, "_numba_type_"))
    return "\n  hint: only njit functions take typed containers: pass np.array(list)";
  if (PyDict_Check(value.ptr()) && takesFunctions)
    return "\n  hint: copy it to a heddle.typed.Dict, or pass its values one by one";
  if (PyDict_Check(value.ptr()))
    return "\n  hint: pass its values one by one";
  if (PyCallable_Check(value.ptr()) && takesFunctions)
    return "\n  hint: decorate it with @njit, or call it in a function that is";
  if (PyCallable_Check(value.ptr()))
    return "\n  hint: a function is called in the kernel by its name; it is no argument";
  return "\n  hint: pass its numbers and arrays one by one, or as a tuple";
}

} // namespace

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

std::string ArgumentList::findNextParameterName() const {
  size_t next = kernelArguments.size();
  if (!function_ || next >= nb::cast<size_t>(function_.attr("__code__").attr("co_argcount")))
    return "";
  return nb::cast<std::string>(nb::object(function_.attr("__code__").attr("co_varnames")[next]));
}

std::string ArgumentList::describeNextArgument() const {
  std::string text = "argument " + std::to_string(nextNumber_.value_or(kernelArguments.size() + 1));
  if (!function_)
    return text;
  if (std::string parameter = findNextParameterName(); !parameter.empty())
    text += " (" + parameter + ")";
  return text + " of " + nb::cast<std::string>(function_.attr("__name__")) + "()";
}

void ArgumentList::reject(nb::handle value, const std::string &why) {
  std::string message =
      describeNextArgument() + (depth_ ? " holds" : " is") + " a value of type " +
      qualifiedClassName(value) +
      (why.empty()
           ? std::string("; ") +
                 (others_ ? "jitted functions take numbers, bools, strings, arrays, lists, sets, "
                            "jitted functions and tuples of them"
                          : "kernels take numbers, bools, strings, arrays and tuples of them") +
                 suggestReplacement(value, others_, findNextParameterName() == "self" && !others_)
           : ": " + why);
  nb::object type = nb::module_::import_("heddle.errors").attr("ArgumentError");
  PyErr_SetObject(type.ptr(), nb::str(message.c_str()).ptr());
  throw nb::python_error();
}

void ArgumentList::takeOver(ArgumentList &other) {
  kernelArguments.swap(other.kernelArguments);
  slots.swap(other.slots);
  arrays.swap(other.arrays);
  buffers_.swap(other.buffers_);
  converted_.swap(other.converted_);
  held_.swap(other.held_);
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

std::shared_ptr<void> ArgumentList::takeHeldObjects() {
  if (held_.empty())
    return nullptr;
  return std::make_shared<decltype(held_)>(std::move(held_));
}

void ArgumentList::addProducerStream(uint64_t producer) {
  if (std::find(producers.begin(), producers.end(), producer) == producers.end())
    producers.push_back(producer);
}

void ArgumentList::add(nb::handle value) {
  Type type = readValue(value);
  checkSlotCount(0);
  kernelArguments.push_back({type, others_ ? python::LaunchFacts() : factsOfLastArgument(type)});
}

/// The facts that a kernel's code may assume of the argument that was read last.
python::LaunchFacts ArgumentList::factsOfLastArgument(Type type) const {
  python::LaunchFacts facts;
  if (type.isArray())
    facts = arrays.back().facts.known;
  // Most integers are extents and counts. Index arithmetic is twice as fast if they cannot be negative or overflow.
  if (type.isSigned() && type->bits >= 32 && !type->identity)
    facts.small = slots.back() < (uint64_t(1) << 31);
  return facts;
}

/// Rejects values that take too many slots from `first` on.
inline void ArgumentList::checkSlotCount(size_t first) const {
  if (slots.size() - first > mostParameters) [[unlikely]]
    throw nb::value_error((describeNextArgument() + " and those before it take more than " +
                           std::to_string(mostParameters) +
                           " parameters: pass large tuples as arrays")
                              .c_str());
}

void ArgumentList::readItemForCallback(nb::handle item, TakeItem take) {
  size_t firstSlot = slots.size(), firstArray = arrays.size();
  ++depth_;
  Type type = readValue(item);
  checkSlotCount(firstSlot);
  --depth_;
  take(type, llvm::ArrayRef(slots).drop_front(firstSlot),
       llvm::ArrayRef(arrays).drop_front(firstArray));
  slots.truncate(firstSlot);
  arrays.truncate(firstArray);
}

void ArgumentList::addAndKeepAlive(nb::object value) {
  converted_.push_back(std::move(value));
  add(converted_.back());
}

Type ArgumentList::readValue(nb::handle object) {
  if (isDeviceArray(object)) // first, because launches on GPUs have many
    return readDeviceArray(object);
  if (QuickArray array; readQuickArray(object, array))
    return addQuickArray(object, array);
  nb::object fields;
  ValueKind kind = classify(object, fields);
  switch (kind) {
  case ValueKind::None:
    return python::noneType();
  case ValueKind::Number:
    if (Type type = appendNumberSlots(object, slots))
      return type;
    throw std::overflow_error(describeNextArgument() +
                              " is an integer that does not fit in 64 bits");
  case ValueKind::Scalar:
    if (Type type = appendNumberSlots(object, slots))
      return type;
    reject(object, describeUnsupportedArray(object));
  case ValueKind::Record:
    return readRecord(object);
  case ValueKind::EnumMember:
    return readEnumMember(object);
  case ValueKind::Text:
    return readString(object);
  case ValueKind::Tuple:
    return readTuple(object);
  case ValueKind::Structure:
    converted_.push_back(std::move(fields));
    return readValue(converted_.back());
  case ValueKind::Ellipsis:
    return python::ellipsisType();
  case ValueKind::Array:
    return readNumPyArray(object);
  case ValueKind::MaskedArray:
    reject(object,
           "compiled code would also use its masked elements; pass its data and its mask, or the "
           "result of filled()");
  case ValueKind::Type:
    if (python::Constant known = constantOfObject(object); known.kind == python::ConstantKind::Type)
      return python::knownObjectType(known);
    reject(object);
  default:
    return readHostOnlyOrForeignValue(object, kind);
  }
}

/// Reads a value that only host functions accept, or an array of another library.
Type ArgumentList::readHostOnlyOrForeignValue(nb::handle value, ValueKind kind) {
  if (others_) {
    if (kind == ValueKind::Slice)
      return readSlice(value);
    if (kind == ValueKind::Bytes) {
      readBuffer(value);
      return arrays.back().facts.type = python::bytesType();
    }
    std::string why;
    if (Type type = others_->readValue(value, kind, *this, why))
      return type;
    if (!why.empty())
      reject(value, why);
  }
  if (kind != ValueKind::Other)
    reject(value);
  return readForeignArray(value);
}

Type ArgumentList::readSlice(nb::handle value) {
  std::vector<Type> bounds;
  for (const char *name : {"start", "stop", "step"}) {
    converted_.push_back(value.attr(name));
    bounds.push_back(readValue(converted_.back()));
  }
  return python::sliceValueType(std::move(bounds));
}

Type ArgumentList::readTuple(nb::handle value) {
  if (PyTuple_Size(value.ptr()) > Py_ssize_t(mostParameters))
    reject(value, "it has too many elements; pass an array");
  if (++depth_ > deepestTuple)
    throw nb::value_error((describeNextArgument() + " is a tuple nested more than " +
                           std::to_string(deepestTuple) + " deep")
                              .c_str());
  size_t first = slots.size();
  std::vector<Type> elements;
  for (nb::handle item : nb::borrow<nb::tuple>(value))
    elements.push_back(readValue(item));
  --depth_;
  if (!PyTuple_CheckExact(value.ptr()))
    if (std::optional<Type> named = typeOfTupleClass(value.type()))
      return named->isStructure() ? convertToStructure(value, *named, elements, first)
                                  : tupleTypeLike(*named, std::move(elements));
  return python::tupleType(std::move(elements));
}

/// A string is a compile-time constant in kernels and has no slot.
Type ArgumentList::readString(nb::handle value) {
  if (others_)
    return others_->readText(value, slots);
  std::string text;
  if (!nb::try_cast(value, text))
    reject(value, "it is a string that is not valid Unicode");
  return python::literalStringType(text);
}

/// A member with a non-numeric value is a compile-time constant, as if the function named it.
Type ArgumentList::readEnumMember(nb::handle value) {
  python::Constant member = constantOfObject(value);
  if (!member.type.isEnumMember())
    return python::knownObjectType(member);
  converted_.push_back(value.attr("value"));
  return enumTypeOf(value, readValue(converted_.back()));
}

Type typeOf(nb::handle value, OtherValues *others) {
  ArgumentList list;
  if (others)
    list.setOtherValues(*others);
  list.add(value);
  Type type = list.kernelArguments[0].type;
  return type.isRecord() ? recordTypeInSpace(type, simt::Global, false) : type;
}

} // namespace heddle
