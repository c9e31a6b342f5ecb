#include "frontend/python/types/types.h"

#include "frontend/python/types/characters.h"
#include "frontend/python/types/constant.h"
#include "frontend/python/types/records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

namespace heddle::python {

/// All types made so far, by name and by properties that the name omits. Types are never freed.
struct TypeTable {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<TypeData>> types;

  Type internType(const std::string &key, TypeData data) {
    std::lock_guard lock(mutex);
    std::unique_ptr<TypeData> &slot = types[key];
    if (!slot)
      slot = std::make_unique<TypeData>(std::move(data));
    return Type(slot.get());
  }

  static TypeTable &instance() {
    static TypeTable *table =
        new TypeTable; // never destroyed: static destructors may still use types
    return *table;
  }
};

namespace {

Type makeSimpleType(TypeKind kind, const char *name, unsigned bits = 0) {
  TypeData data;
  data.kind = kind;
  data.name = name;
  data.bits = bits;
  return TypeTable::instance().internType(name, std::move(data));
}

std::string formatAddress(Type t) {
  return std::to_string(reinterpret_cast<uintptr_t>(t.operator->()));
}

std::string tupleName(const std::vector<Type> &elements) {
  bool uniform = true;
  for (Type t : elements)
    uniform = uniform && t == elements[0];
  if (!elements.empty() && uniform)
    return "UniTuple(" + elements[0].name() + " x " + std::to_string(elements.size()) + ")";
  std::string name = "Tuple(";
  for (size_t i = 0; i < elements.size(); ++i)
    name += (i ? ", " : "") + elements[i].name();
  return name + ")";
}

} // namespace

const std::string &Type::name() const {
  static const std::string unknown = "unknown";
  return data_ ? data_->name : unknown;
}

bool Type::isEnumMember() const { return is(TypeKind::Enum) || (isInteger() && data_->identity); }

Type uniqueType(const std::string &key, TypeData data) {
  return TypeTable::instance().internType(key, std::move(data));
}

Type noneType() {
  static const Type type = makeSimpleType(TypeKind::None, "none");
  return type;
}
Type boolType() {
  static const Type type = makeSimpleType(TypeKind::Bool, "bool", 8);
  return type;
}
Type intType(unsigned bits, bool isSigned) {
  static const Type types[2][4] = {
      {makeSimpleType(TypeKind::UInt, "uint8", 8), makeSimpleType(TypeKind::UInt, "uint16", 16),
       makeSimpleType(TypeKind::UInt, "uint32", 32), makeSimpleType(TypeKind::UInt, "uint64", 64)},
      {makeSimpleType(TypeKind::Int, "int8", 8), makeSimpleType(TypeKind::Int, "int16", 16),
       makeSimpleType(TypeKind::Int, "int32", 32), makeSimpleType(TypeKind::Int, "int64", 64)}};
  return types[isSigned][bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3];
}
Type literalStringType(const std::string &text) {
  TypeData data;
  data.kind = TypeKind::String;
  data.name = "Literal[str](" + text + ")";
  data.names = {text};
  data.literal = true;
  return TypeTable::instance().internType("literal " + text, std::move(data));
}
const std::string *literalString(Type type) {
  return type && type->literal ? &type->names[0] : nullptr;
}
Type knownObjectType(const Constant &known) {
  TypeData data;
  data.kind = TypeKind::Object;
  data.name = known.describe();
  data.object = std::make_shared<const Constant>(known);
  return TypeTable::instance().internType("object " + known.key(), std::move(data));
}
Type literalType(Type type, const Constant &value) {
  TypeData data = *type.operator->();
  data.name = "Literal[" +
              std::string(type.isString() ? "str"
                          : type.isBool() ? "bool"
                                          : "int") +
              "](" + (type.isString() ? value.text : value.describe()) + ")";
  data.element = type;
  data.object = std::make_shared<const Constant>(value);
  return TypeTable::instance().internType("literal " + formatAddress(type) + value.key(),
                                          std::move(data));
}
Type functionTagType(std::vector<Type> functions) {
  TypeData data;
  data.kind = TypeKind::Choice;
  std::string key = "choice";
  for (Type function : functions) {
    data.name += (data.name.empty() ? "" : " or ") + function.name();
    key += " " + formatAddress(function);
  }
  data.elements = std::move(functions);
  return TypeTable::instance().internType(key, std::move(data));
}
namespace {

/// A tuple with `change` applied to each element.
Type mapElements(Type tuple, llvm::function_ref<Type(Type)> change) {
  std::vector<Type> elements;
  for (Type element : tuple->elements)
    elements.push_back(change(element));
  return elements == tuple->elements ? tuple : tupleTypeLike(tuple, std::move(elements));
}

} // namespace

Type replaceLiteralTypes(Type type) {
  if (literalString(type))
    return constantStringType();
  if (type && type->object)
    return type->element ? type->element : objectType();
  if (!type.isTuple() || !holdsCompileTimeObject(type))
    return type;
  return mapElements(type, replaceLiteralTypes);
}
Type floatType(unsigned bits) {
  static const Type half = makeSimpleType(TypeKind::Float, "float16", 16);
  static const Type single = makeSimpleType(TypeKind::Float, "float32", 32);
  static const Type twice = makeSimpleType(TypeKind::Float, "float64", 64);
  return bits == 16 ? half : bits == 32 ? single : twice;
}
Type bfloat16Type() {
  static const Type type = [] {
    TypeData data;
    data.kind = TypeKind::Float;
    data.name = "bfloat16";
    data.bits = 16;
    data.brain = true;
    return TypeTable::instance().internType("bfloat16", std::move(data));
  }();
  return type;
}
Type complexType(unsigned bits) {
  static const Type single = makeSimpleType(TypeKind::Complex, "complex64", 64);
  static const Type twice = makeSimpleType(TypeKind::Complex, "complex128", 128);
  return bits == 64 ? single : twice;
}
Type sliceType() {
  static const Type type = makeSimpleType(TypeKind::Slice, "slice");
  return type;
}
Type constantStringType() {
  static const Type type = makeSimpleType(TypeKind::String, "str");
  return type;
}
Type runtimeStringType() {
  static const Type type = makeSimpleType(TypeKind::String, "unicode_type");
  return type;
}
Type ellipsisType() {
  static const Type type = makeSimpleType(TypeKind::Ellipsis, "ellipsis");
  return type;
}
Type gridType() {
  static const Type type = makeSimpleType(TypeKind::Grid, "grid_group");
  return type;
}
Type caughtType() {
  static const Type type = makeSimpleType(TypeKind::Caught, "exception");
  return type;
}
Type objectType() {
  static const Type type = makeSimpleType(TypeKind::Object, "object");
  return type;
}

Type tupleType(std::vector<Type> elements) {
  // Cache the last type: the items of a list often are tuples of one type.
  thread_local Type last;
  if (last && last->elements == elements)
    return last;
  TypeData data;
  data.kind = TypeKind::Tuple;
  data.name = tupleName(elements);
  std::string key = "tuple";
  for (Type t : elements)
    key += " " + formatAddress(t);
  data.elements = std::move(elements);
  return last = TypeTable::instance().internType(key, std::move(data));
}

Type vectorType(Type base, unsigned count) {
  TypeData data;
  data.kind = TypeKind::Vector;
  data.elements.assign(count, base);
  data.name = base.name() + "x" + std::to_string(count);
  std::string key = data.name;
  return TypeTable::instance().internType(key, std::move(data));
}

Type namedTupleType(const std::string &className, const void *identity,
                    std::vector<std::string> names, std::vector<Type> elements) {
  TypeData data = *tupleType(elements).operator->();
  size_t open = data.name.find('(');
  data.name = className + data.name.substr(open);
  std::string key = "named tuple " + std::to_string(reinterpret_cast<uintptr_t>(identity));
  for (Type t : elements)
    key += " " + formatAddress(t);
  data.names = std::move(names);
  data.identity = identity;
  return TypeTable::instance().internType(key, std::move(data));
}

namespace {

/// The end offset of consecutive fields of these types in memory, as in C.
unsigned endOffsetOfFields(llvm::ArrayRef<Type> fields) {
  unsigned end = 0;
  for (Type field : fields)
    end = llvm::alignTo(end, field->alignment()) + field->bytes();
  return end;
}

} // namespace

unsigned structureFieldOffset(Type structure, size_t field) {
  llvm::ArrayRef<Type> fields = structure->elements;
  return llvm::alignTo(endOffsetOfFields(fields.take_front(field)), fields[field]->alignment());
}

Type structureType(const std::string &name, const void *identity, std::vector<std::string> names,
                   std::vector<Type> fields) {
  TypeData data;
  data.kind = TypeKind::Tuple;
  data.structure = true;
  data.name = name;
  data.identity = identity;
  data.names = std::move(names);
  std::string key =
      "structure " + name + " " + std::to_string(reinterpret_cast<uintptr_t>(identity));
  for (Type field : fields)
    key += " " + formatAddress(field);
  if (llvm::all_of(fields,
                   [](Type field) { return field.canBeArrayElement() && !field.isRecord(); })) {
    for (Type field : fields)
      data.recordAlignment = std::max(data.recordAlignment, field->alignment());
    data.recordBytes = llvm::alignTo(endOffsetOfFields(fields), data.recordAlignment);
  }
  data.elements = std::move(fields);
  return TypeTable::instance().internType(key, std::move(data));
}

Type tupleTypeLike(Type tuple, std::vector<Type> elements) {
  if (tuple.isStructure())
    return structureType(tuple.name(), tuple->identity, tuple->names, std::move(elements));
  if (!tuple->identity)
    return tupleType(std::move(elements));
  std::string className = tuple.name().substr(0, tuple.name().find('('));
  return namedTupleType(className, tuple->identity, tuple->names, std::move(elements));
}

Type enumType(const std::string &className, const void *identity, Type value, bool isInteger) {
  TypeData data = *value.operator->();
  if (!isInteger) {
    data.kind = TypeKind::Enum;
    data.element = value;
  }
  data.name = std::string(isInteger ? "IntEnum<" : "Enum<") + value.name() + ">(" + className + ")";
  data.identity = identity;
  std::string key =
      "enum " + formatAddress(value) + " " + std::to_string(reinterpret_cast<uintptr_t>(identity));
  return TypeTable::instance().internType(key, std::move(data));
}

Type pointerType(Type element, simt::AddressSpace space) {
  TypeData data;
  data.kind = TypeKind::Pointer;
  data.bits = 64;
  data.name = element.name() + "*";
  data.element = element;
  data.space = space;
  std::string key = "pointer " + formatAddress(element) + " " + std::to_string(space);
  return TypeTable::instance().internType(key, std::move(data));
}

Type randomGeneratorType() {
  static const Type type = [] {
    TypeData data;
    data.kind = TypeKind::Pointer;
    data.bits = 64;
    data.name = "NumPyRandomGeneratorType";
    data.element = noneType();
    data.space = simt::Global;
    return TypeTable::instance().internType("random generator", std::move(data));
  }();
  return type;
}

Type timeType(TypeKind kind, TimeUnit unit) {
  TypeData data;
  data.kind = kind;
  data.bits = 64;
  data.unit = unit;
  data.name = std::string(kind == TypeKind::DateTime ? "datetime64[" : "timedelta64[") +
              nameOfTimeUnit(unit) + "]";
  std::string key = data.name;
  return TypeTable::instance().internType(key, std::move(data));
}

Type iteratorType(IteratorKind kind, std::vector<Type> elements) {
  static constexpr const char *names[] = {"enumerate", "zip",         "reversed", "literal_unroll",
                                          "ndindex",   "ndenumerate", "nditer",   "flat"};
  TypeData data;
  data.kind = TypeKind::Iterator;
  data.iterator = kind;
  data.name = names[unsigned(kind)];
  std::string key = data.name;
  for (size_t i = 0; i < elements.size(); ++i) {
    data.name += (i ? ", " : "(") + elements[i].name();
    key += " " + formatAddress(elements[i]);
  }
  data.name += elements.empty() ? "()" : ")";
  data.elements = std::move(elements);
  return TypeTable::instance().internType(key, std::move(data));
}

Type closureType(const FunctionSource *function, const std::string &name,
                 std::vector<Type> captured) {
  TypeData data;
  data.kind = TypeKind::Closure;
  data.name = "function '" + name + "'";
  data.function = function;
  std::string key = "closure " + std::to_string(reinterpret_cast<uintptr_t>(function)) + name;
  for (Type t : captured)
    key += " " + formatAddress(t);
  data.elements = std::move(captured);
  return TypeTable::instance().internType(key, std::move(data));
}

Type optionalType(Type element) {
  TypeData data;
  data.kind = TypeKind::Optional;
  data.name = "OptionalType(" + element.name() + ")";
  data.element = element;
  std::string key = "optional " + formatAddress(element);
  return TypeTable::instance().internType(key, std::move(data));
}

bool holdsCompileTimeObject(Type type) {
  if (type.is(TypeKind::Object) || (type.isString() && type != runtimeStringType()))
    return true;
  if (type.isComposite())
    for (Type element : type->elements)
      if (holdsCompileTimeObject(element))
        return true;
  return false;
}

Type toRuntimeStringTypes(Type type) {
  if (type.isString())
    return runtimeStringType();
  if (!type.isTuple() || !holdsCompileTimeObject(type))
    return type;
  return mapElements(type, toRuntimeStringTypes);
}

Type toConstantStringTypes(Type type) {
  if (type == runtimeStringType())
    return constantStringType();
  return type.isTuple() ? mapElements(type, toConstantStringTypes) : type;
}

Type generatorType(const void *function, const std::string &name, Type yielded) {
  TypeData data;
  data.kind = TypeKind::Generator;
  data.name = "generator(" + name + ", " + yielded.name() + ")";
  data.element = yielded;
  data.identity = function;
  // Includes the name, because a function may reuse the address of one that has been freed.
  std::string key = "generator " + std::to_string(reinterpret_cast<uintptr_t>(function)) + " " +
                    formatAddress(yielded) + " " + name;
  return TypeTable::instance().internType(key, std::move(data));
}

namespace {

Type makeListType(std::string name, Type element, bool shared) {
  TypeData data;
  data.kind = TypeKind::List;
  data.name = std::move(name);
  data.element = element;
  data.shared = shared;
  std::string key = (shared ? "shared list " : "list ") + formatAddress(element);
  return TypeTable::instance().internType(key, std::move(data));
}

/// The item type of a typed container: records are copied to memory of the container.
Type storedItemType(Type item) {
  if (item.isRecord())
    return recordTypeWithAlignment(recordTypeInSpace(item, simt::Global, false), 1);
  return item.isTuple() ? mapElements(item, storedItemType) : item;
}

} // namespace

Type listType(Type element) { return makeListType("list(" + element.name() + ")", element, false); }
Type typedListType(Type item) {
  Type element = storedItemType(item);
  return makeListType("ListType[" + element.name() + "]", element, true);
}

namespace {

Type hashTableType(TypeKind kind, std::string name, std::vector<Type> elements,
                   bool shared = false) {
  TypeData data;
  data.kind = kind;
  data.name = std::move(name);
  data.shared = shared;
  std::string key = data.name;
  std::vector<Type> fields;
  for (Type element : elements) {
    key += " " + formatAddress(element);
    fields.push_back(shared ? typedListType(element) : listType(element));
  }
  fields.push_back(arrayType(int32Type(), 1));
  data.elements = std::move(elements);
  data.element = tupleType(std::move(fields));
  return TypeTable::instance().internType(key, std::move(data));
}

} // namespace

Type dictType(Type key, Type value) {
  return hashTableType(TypeKind::Dict, "dict(" + key.name() + ", " + value.name() + ")",
                       {key, value});
}
Type hashSetType(Type item) {
  return hashTableType(TypeKind::Set, "set(" + item.name() + ")", {item});
}
Type typedDictType(Type key, Type valueType) {
  Type value = storedItemType(valueType);
  return hashTableType(TypeKind::Dict, "DictType[" + key.name() + "," + value.name() + "]<iv=None>",
                       {key, value}, true);
}

Type instanceType(const std::string &name, const void *identity, std::vector<std::string> names,
                  std::vector<Type> elements) {
  TypeData data;
  data.kind = TypeKind::Instance;
  data.name = name;
  data.shared = true;
  data.identity = identity;
  data.names = std::move(names);
  data.element = tupleType(elements);
  std::string key = "instance " + std::to_string(reinterpret_cast<uintptr_t>(identity));
  for (size_t i = 0; i < elements.size(); ++i)
    key += " " + data.names[i] + " " + formatAddress(elements[i]);
  data.elements = std::move(elements);
  return TypeTable::instance().internType(key, std::move(data));
}

namespace {

/// Definitions of deferred types.
struct Definitions {
  std::mutex mutex;
  std::map<Type, Type> known;
  static Definitions &instance() {
    static auto *definitions = new Definitions;
    return *definitions;
  }
};

} // namespace

Type makeDeferredType() {
  static std::atomic<unsigned> made{0};
  TypeData data;
  data.kind = TypeKind::Instance;
  data.name = "DeferredType#" + std::to_string(++made);
  data.shared = true;
  data.deferred = true;
  data.element = tupleType({});
  std::string key = data.name;
  return TypeTable::instance().internType(key, std::move(data));
}

bool defineDeferred(Type deferred, Type instance) {
  Definitions &definitions = Definitions::instance();
  std::lock_guard lock(definitions.mutex);
  return definitions.known.try_emplace(deferred, instance).first->second == instance;
}

Type resolveDeferred(Type type) {
  if (type.isDeferred()) {
    Definitions &definitions = Definitions::instance();
    std::lock_guard lock(definitions.mutex);
    auto known = definitions.known.find(type);
    return known == definitions.known.end() ? type : known->second;
  }
  if (type.is(TypeKind::Optional))
    return optionalType(resolveDeferred(type->element));
  if (type.isList())
    return (type.isShared() ? typedListType : listType)(resolveDeferred(type->element));
  if (type.isDict() && type.isShared())
    return typedDictType(type->elements[0], resolveDeferred(type->elements[1]));
  return type.isTuple() ? mapElements(type, resolveDeferred) : type;
}

bool hasUndefinedDeferred(Type type) {
  if (type.isInstance())
    return type->deferred && resolveDeferred(type) == type;
  if (type.isComposite() || type.isDict())
    return llvm::any_of(type->elements, hasUndefinedDeferred);
  return (type.isList() || type.is(TypeKind::Optional)) && hasUndefinedDeferred(type->element);
}

bool isKeyType(Type type) {
  if (type.isTuple())
    return llvm::all_of(type->elements, isKeyType);
  return type.isScalar() || type.isComplex() || type.isTime() || type.isEnumMember() ||
         type == runtimeStringType();
}

/// True if a list with items of this type can be an element of a typed container. Strings that the program has put into
/// a list belong to the program, and the container could outlive them.
static bool isItemOfSharedElement(Type item) {
  if (item.isTuple())
    return llvm::all_of(item->elements, isItemOfSharedElement);
  return item.isScalar() || item.isComplex() || item.isArray();
}

bool canBeTypedContainerElement(Type type) {
  if (type.isTuple())
    return llvm::all_of(type->elements, canBeTypedContainerElement);
  if (type.isList() && !type.isShared())
    return isItemOfSharedElement(type->element);
  return type.isScalar() || type.isComplex() || type.isTime() || type.isEnumMember() ||
         type.isArray() || type.isRecord() || type.isShared() || type == runtimeStringType() ||
         type.is(TypeKind::Characters);
}

bool isAttributeType(Type type) {
  return type.is(TypeKind::None) ||
         canBeTypedContainerElement(type.is(TypeKind::Optional) ? type->element : type);
}

bool containsSharedType(Type type) {
  if (!type)
    return false;
  if (type.isShared())
    return true;
  if (type.isTable() || type.isComposite())
    return llvm::any_of(type->elements, containsSharedType);
  return (type.isList() || type.is(TypeKind::Optional)) && containsSharedType(type->element);
}

Type rangeType(Type element) {
  TypeData data;
  data.kind = TypeKind::Range;
  data.name = "range(" + element.name() + ")";
  data.element = element;
  std::string key = data.name;
  return TypeTable::instance().internType(key, std::move(data));
}

Type arrayType(Type element, unsigned ndim, ArrayTraits traits) {
  TypeData data;
  data.kind = TypeKind::Array;
  data.element = element;
  data.ndim = ndim;
  data.layout = traits.layout;
  data.readOnly = traits.readOnly;
  data.packed = traits.packed;
  data.ofBytes = traits.ofBytes;
  data.space = traits.space;
  data.name = std::string(traits.readOnly ? "readonly " : "") +
              (traits.ofBytes ? "bytes(" : "array(") + element.name() + ", " +
              std::to_string(ndim) + "d, " + char(traits.layout) + ")";
  std::string key = data.name + (traits.packed ? "p" : "") + std::to_string(traits.space) + " " +
                    formatAddress(element);
  return TypeTable::instance().internType(key, std::move(data));
}

Type bytesType() { return arrayType(intType(8, false), 1, {.readOnly = true, .ofBytes = true}); }
bool isBytes(Type type) {
  return type.isArray() && type->ofBytes && type->ndim == 1 && type->element == intType(8, false);
}

ArrayTraits traitsOfArray(Type array) {
  return {array->layout, array->readOnly, array->space, array->packed, array->ofBytes};
}

Type elementOf(Type array) {
  return array->element.isRecord()
             ? recordTypeInSpace(array->element, array->space, array->readOnly)
             : typeAfterLoad(array->element);
}

Type typeAfterLoad(Type place) { return place.isFloat() && place->small ? float32Type() : place; }

Type scalarTypeNamed(const std::string &name) {
  static const std::map<std::string, Type> types = [] {
    std::map<std::string, Type> result{{"bool", boolType()},
                                       {"float16", floatType(16)},
                                       {"bfloat16", bfloat16Type()},
                                       {"float32", floatType(32)},
                                       {"float64", floatType(64)},
                                       {"complex64", complexType(64)},
                                       {"complex128", complexType(128)}};
    for (unsigned bits : {8, 16, 32, 64})
      for (bool isSigned : {false, true})
        result[intType(bits, isSigned).name()] = intType(bits, isSigned);
    return result;
  }();
  auto found = types.find(name);
  return found == types.end() ? Type() : found->second;
}

namespace {

/// The type for "<U5" and "|S5".
Type parseCharactersTypestr(llvm::StringRef typestr) {
  constexpr unsigned most = 1u << 29; // NumPy has none of 2 GB
  unsigned count = 0;
  if (typestr.drop_front(2).getAsInteger(10, count) || count >= most)
    return {};
  return charactersType(intType(typestr[1] == 'S' ? 8 : 32, false), count);
}

} // namespace

Type scalarTypeOfTypestr(const std::string &typestr) {
  if (typestr == "<c16")
    return complexType(128);
  if (typestr.size() > 2 && typestr[0] != '>' && (typestr[1] == 'S' || typestr[1] == 'U'))
    return parseCharactersTypestr(typestr);
  if (typestr.size() != 3 || typestr[0] == '>')
    return {};
  unsigned bits = (typestr[2] - '0') * 8;
  bool whole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
  switch (typestr[1]) {
  case 'b':
    return bits == 8 ? boolType() : Type();
  case 'i':
    return whole ? intType(bits, true) : Type();
  case 'u':
    return whole ? intType(bits, false) : Type();
  case 'f':
    return bits == 16 || bits == 32 || bits == 64 ? floatType(bits) : Type();
  case 'c':
    return bits == 64 ? complexType(64) : Type();
  default:
    return {};
  }
}

namespace {

constexpr const char *unitNames[] = {"Y",  "M",  "W",  "",   "D",  "h",  "m", "s",
                                     "ms", "us", "ns", "ps", "fs", "as", ""};

} // namespace

const char *nameOfTimeUnit(TimeUnit unit) { return unitNames[unsigned(unit)]; }

std::optional<TimeUnit> timeUnitNamed(const std::string &name) {
  for (unsigned i = 0; i < std::size(unitNames); ++i)
    if (name == unitNames[i] && (!name.empty() || i == unsigned(TimeUnit::Generic)))
      return TimeUnit(i);
  return std::nullopt;
}

std::string typestrOf(Type scalar) {
  if (scalar == bfloat16Type())
    return "<V2";
  if (isCharacters(scalar))
    return (scalar->element->bits == 8 ? "|S" : "<U") + std::to_string(characterCapacity(scalar));
  char kind = scalar.isBool()      ? 'b'
              : scalar.isFloat()   ? 'f'
              : scalar.isComplex() ? 'c'
              : scalar.isSigned()  ? 'i'
                                   : 'u';
  return std::string(scalar->bits == 8 ? "|" : "<") + kind + std::to_string(scalar->bytes());
}

} // namespace heddle::python
