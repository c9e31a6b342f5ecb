#include "bindings/host/results.h"

#include "bindings/arguments/slots.h"
#include "bindings/host/array_memory.h"
#include "bindings/host/shared_containers.h"
#include "bindings/host/texts.h"
#include "bindings/types/dtypes.h"
#include "bindings/types/python_classes.h"
#include "bindings/types/types.h"
#include "frontend/python/emit/owners.h"
#include "frontend/python/types/characters.h"
#include "frontend/python/types/literal_dicts.h"
#include "frontend/python/types/literal_lists.h"
#include "frontend/python/types/slices.h"

#include <algorithm>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Constant;
using python::ConstantKind;
using python::Type;
using python::TypeKind;

namespace {

nb::object makeDict(const std::vector<std::string> &keys, nb::handle values) {
  nb::dict dict;
  for (size_t i = 0; i < keys.size(); ++i)
    dict[keys[i].c_str()] = values[i];
  return dict;
}

nb::object makeNumberOrThrow(Type type, uint64_t slot) {
  return throwIfNull(makePythonNumber(type, slot));
}

/// Releases a reference that a result holds.
struct Release {
  host::Owner *owner;
  ~Release() { owner->release(); }
};

/// Converts a date or a time span to a NumPy scalar.
nb::object makeTimeScalar(Type type, int64_t count) {
  nb::object dtype = dtypeOf(type);
  return nb::module_::import_("numpy").attr("int64")(count).attr("view")(dtype);
}

/// Converts a value to its enumeration member.
nb::object makeEnumMember(Type type, nb::object value) { return nb::object(classOf(type)(value)); }

} // namespace

PyObject *makePythonNumber(Type type, uint64_t slot) {
  if (type.isBool())
    return PyBool_FromLong(slot != 0);
  if (type.isFloat())
    return PyFloat_FromDouble(slotToFloat(slot, type));
  return type.isSigned() ? PyLong_FromLongLong(int64_t(slot)) : PyLong_FromUnsignedLongLong(slot);
}

nb::object toPythonObject(const Constant &constant) {
  switch (constant.kind) {
  case ConstantKind::None:
    return nb::none();
  case ConstantKind::Bool:
    return nb::bool_(constant.integer != 0);
  case ConstantKind::Int:
    if (constant.type.isTime())
      return makeTimeScalar(constant.type, constant.integer);
    if (constant.type.isEnumMember())
      return makeEnumMember(constant.type, nb::int_(constant.integer));
    return makeNumberOrThrow(constant.type.isSigned() ? python::int64Type()
                                                      : python::intType(64, false),
                             uint64_t(constant.integer));
  case ConstantKind::Float:
    return nb::float_(constant.real);
  case ConstantKind::Complex:
    return throwIfNull(PyComplex_FromDoubles(constant.real, constant.imaginary));
  case ConstantKind::String:
    return throwIfNull(PyUnicode_FromStringAndSize(constant.text.data(), constant.text.size()));
  case ConstantKind::Tuple: {
    nb::list items;
    for (const Constant &item : constant.items)
      items.append(toPythonObject(item));
    return nb::tuple(items);
  }
  case ConstantKind::Type:
    return constant.type.canBeArrayElement() ? dtypeOf(constant.type)
                                             : nb::cast(PythonType{constant.type});
  case ConstantKind::Namespace: {
    python::HostObject &object = *constant.object;
    std::optional<Constant> dtype = object.attribute("dtype");
    if (dtype && dtype->kind == ConstantKind::Type) { // numeric limits, as from np.finfo
      bool ofFloats = constant.text.starts_with("np.finfo");
      nb::object numpy = nb::module_::import_("numpy");
      return numpy.attr(ofFloats ? "finfo" : "iinfo")(dtypeOf(dtype->type));
    }
    [[fallthrough]];
  }
  case ConstantKind::Function:
    return nb::borrow(static_cast<PyObject *>(const_cast<void *>(constant.object->identity())));
  default:
    return nb::str(constant.describe().c_str());
  }
}

nb::object ResultReader::readValue(Type type, const Constant *known) {
  if (type.isTime())
    return makeTimeScalar(type, int64_t(take()));
  if (type.isEnumMember()) {
    Type value = type.is(TypeKind::Enum) ? type->element : type;
    return makeEnumMember(type, makeNumberOrThrow(value, take()));
  }
  if (type == python::randomGeneratorType())
    return findRandomGenerator(take());
  if (type.isPointer()) // Python receives addresses as ints
    return makeNumberOrThrow(python::intType(64, false), take());
  if (type.isScalar())
    return makeNumberOrThrow(type, take());
  switch (type.kind()) {
  case TypeKind::Complex: {
    Type part = python::floatType(type->bits / 2);
    double real = slotToFloat(take(), part);
    return throwIfNull(PyComplex_FromDoubles(real, slotToFloat(take(), part)));
  }
  case TypeKind::Tuple:
    return readTuple(type, known);
  case TypeKind::Optional:
    return readOptional(type);
  case TypeKind::Array:
    return python::isBytes(type) ? readBytes(type) : readArray(type);
  case TypeKind::Characters:
    return readCharacters(type);
  case TypeKind::Record:
    return readRecord(type);
  case TypeKind::List:
    return readList(type);
  case TypeKind::Dict:
  case TypeKind::Set:
  case TypeKind::Instance:
    return readDictOrSet(type);
  case TypeKind::String:
    return type == python::runtimeStringType() ? readText() : toPythonObject(*known);
  case TypeKind::Object:
    return toPythonObject(*known);
  case TypeKind::Choice:
    return toPythonObject(*type->elements[take()]->object);
  default:
    return nb::none();
  }
}

nb::object ResultReader::findRandomGenerator(uint64_t state) {
  auto found = llvm::find_if(generators_, [&](const auto &one) { return one.first == state; });
  return nb::borrow(found->second);
}

nb::object ResultReader::readTuple(Type type, const Constant *known) {
  nb::object tuple = throwIfNull(PyTuple_New(Py_ssize_t(type->elements.size())));
  bool isKnown = known && known->kind == ConstantKind::Tuple;
  for (size_t i = 0; i < type->elements.size(); ++i) {
    nb::object element = readValue(type->elements[i], isKnown ? &known->items[i] : nullptr);
    PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), element.release().ptr());
  }
  if (python::isSliceValue(type))
    return throwIfNull(PySlice_New(PyTuple_GetItem(tuple.ptr(), 0), PyTuple_GetItem(tuple.ptr(), 1),
                                   PyTuple_GetItem(tuple.ptr(), 2)));
  if (python::isLiteralList(type))
    return throwIfNull(PySequence_List(tuple.ptr()));
  if (python::isLiteralDict(type))
    return makeDict(python::keysOf(type), tuple);
  nb::handle named = classOf(type);
  return named ? nb::object(named.attr("_make")(tuple)) : tuple;
}

nb::object ResultReader::readOptional(Type type) {
  if (take())
    return readValue(type->element, nullptr);
  next_ += slotCount(type->element);
  nextOwner_ += python::countHostOwners(type->element);
  return nb::none();
}

namespace {

/// True if Python's object for an array argument is a buffer b: np.frombuffer(b, np.uint8) is not b.
bool isBuffer(nb::handle object) {
  return PyByteArray_Check(object.ptr()) || PyMemoryView_Check(object.ptr());
}

} // namespace

nb::object ResultReader::readArray(Type type) {
  auto *data = reinterpret_cast<char *>(take());
  auto *numbers = reinterpret_cast<const int64_t *>(next_);
  ReturnedArray array{type, data, {numbers, type->ndim}, {numbers + type->ndim, type->ndim}};
  next_ += 2 * type->ndim;
  if (auto *owner = reinterpret_cast<host::Owner *>(*nextOwner_++))
    return makeOwnedArray(array, *owner);
  for (const ArrayArgument &argument : arrays_) {
    if (data < argument.facts.low || data > argument.facts.high)
      continue;
    auto *given = reinterpret_cast<const int64_t *>(&arguments_[argument.slot]);
    bool isSame = argument.facts.type == type && uint64_t(given[0]) == uint64_t(data) &&
                  std::equal(numbers, numbers + 2 * type->ndim, given + 1);
    return isSame && !isBuffer(argument.owner) ? nb::borrow(argument.owner)
                                               : makeArrayView(array, argument.owner);
  }
  return copyArray(array); // a constant in the code
}

/// A bytes object, or a part of one, as bytes.
nb::object ResultReader::readBytes(Type type) {
  return throwIfNull(PyBytes_FromObject(readArray(type).ptr()));
}

nb::object ResultReader::readText() {
  nb::object text = toPythonString(next_);
  next_ += slotCount(python::runtimeStringType());
  if (auto *owner = reinterpret_cast<host::Owner *>(*nextOwner_++))
    owner->release();
  return text;
}

nb::object ResultReader::readList(Type type) {
  auto *list = reinterpret_cast<host::Owner *>(take());
  if (type.isShared()) {
    ++nextOwner_;
    return makeSharedObject(type, *list);
  }
  if (!*nextOwner_++)
    return findListArgument(*list);
  Release release{list};
  return readElements(type, *list);
}

/// The program's argument that is this list or set; null if there is none.
nb::object ResultReader::findListArgument(const host::Owner &list) {
  auto is = [&](const ListArgument &argument) { return argument.list == &list; };
  return nb::borrow(llvm::find_if(lists_, is)->object);
}

nb::object ResultReader::readElements(Type type, host::Owner &list) {
  nb::object out = throwIfNull(PyList_New(list.size));
  for (Py_ssize_t i = 0; i < list.size; ++i)
    PyList_SetItem(out.ptr(), i, readElement(type->element, list, i).release().ptr());
  return out;
}

nb::object ResultReader::readElement(Type element, host::Owner &list, int64_t i) {
  const auto *slots = reinterpret_cast<const uint64_t *>(list.elements) + i * list.slots;
  ResultReader reader(slots, arrays_, arguments_, size_t(list.slots - list.owners), lists_);
  list.retainElement(i);
  return reader.readValue(element, nullptr);
}

/// Converts a dict or a set from its fields in memory, see python::dictType.
nb::object ResultReader::readDictOrSet(Type type) {
  auto *owner = reinterpret_cast<host::Owner *>(take());
  bool isOwned = *nextOwner_++;
  if (type.isShared())
    return makeSharedObject(type, *owner);
  if (!isOwned)
    return findListArgument(*owner);
  Release release{owner};
  const auto *fields = reinterpret_cast<const uint64_t *>(owner->elements);
  size_t lists = type->elements.size();
  auto *keys = reinterpret_cast<host::Owner *>(fields[0]);
  auto *values = reinterpret_cast<host::Owner *>(fields[lists - 1]); // for a set, its keys
  llvm::ArrayRef<int32_t> places(reinterpret_cast<const int32_t *>(fields[lists]),
                                 size_t(fields[lists + 1]));
  std::vector<bool> isThere(size_t(keys->size), false);
  for (int32_t number : places.drop_back(2)) // the last two are counters
    if (number > 0)
      isThere[number - 1] = true;
  nb::object out = throwIfNull(type.isDict() ? PyDict_New() : PySet_New(nullptr));
  for (int64_t i = 0; i < keys->size; ++i) {
    if (!isThere[i])
      continue;
    nb::object key = readElement(type->elements[0], *keys, i);
    int failed = type.isDict() ? PyDict_SetItem(out.ptr(), key.ptr(),
                                                readElement(type->elements[1], *values, i).ptr())
                               : PySet_Add(out.ptr(), key.ptr());
    if (failed)
      throw nb::python_error();
  }
  return out;
}

/// Converts a fixed-length string to Python's str or bytes, without trailing null characters.
nb::object ResultReader::readCharacters(Type type) {
  std::string bytes;
  for (unsigned i = python::wordCount(type); i; --i) {
    uint64_t word = take();
    bytes.append(reinterpret_cast<const char *>(&word), sizeof word);
  }
  size_t each = type->element->bytes(), used = bytes.find_last_not_of('\0') + 1;
  bytes.resize((used + each - 1) / each * each);
  if (each == 1)
    return nb::bytes(bytes.data(), bytes.size());
  int isLittleEndian = -1;
  return throwIfNull(
      PyUnicode_DecodeUTF32(bytes.data(), bytes.size(), "surrogatepass", &isLittleEndian));
}

/// Copies a record, because its memory may belong to the function.
nb::object ResultReader::readRecord(Type type) {
  ReturnedArray place{python::arrayType(type, 0), reinterpret_cast<char *>(take()), {}, {}};
  // An np.record, which has the fields as attributes.
  nb::object copy = copyArray(place), numpy = nb::module_::import_("numpy");
  nb::object dtype = numpy.attr("dtype")(nb::make_tuple(numpy.attr("record"), copy.attr("dtype")));
  nb::object record = nb::object(copy.attr("view")(dtype)[nb::make_tuple()]);
  if (auto *owner = reinterpret_cast<host::Owner *>(*nextOwner_++))
    owner->release();
  return record;
}

} // namespace heddle
