// Types of Python values in a kernel, with numba's names and semantics.
#pragma once

#include "simt/ir/ops.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::python {

struct Constant;
struct Fragment;
struct FunctionSource;
struct SmallFloat;
struct TypeData;

enum class TypeKind : uint8_t {
  None,       ///< Python's None; a function that returns nothing
  Bool,       ///< numba's boolean
  Int,        ///< int8 to int64
  UInt,       ///< uint8 to uint64
  Float,      ///< float16, bfloat16, float32, float64; in memory also 8-bit formats, see SmallFloat
  Complex,    ///< complex64, complex128: two floats
  Tuple,      ///< elements of any types, including tuples
  Vector,     ///< CUDA vector types such as float32x4: one to four `elements` of one type
  Array,      ///< a view of memory
  Record,     ///< a memory location that holds the fields of a structured dtype
  Pointer,    ///< the address of values of one type, without an extent
  DateTime,   ///< NumPy's datetime64, in one `unit`
  TimeDelta,  ///< NumPy's timedelta64, in one `unit`
  Characters, ///< a fixed-length string: `element` is a character's type, see characters.h
  Enum,       ///< a member of a non-integer enum; `element` is its value's type
  Range,      ///< the result of range(); `element` is its item type
  List,       ///< a list with items of type `element`
  Dict,       ///< `elements` are key and value, `element` is the tuple in its memory, see dictType
  Set,        ///< `elements` is the item; otherwise like a dict
  Instance,  ///< of a jitclass: `elements` and `names` are its attributes, `element` is their tuple
  Slice,     ///< a slice in an index
  String,    ///< constantStringType(): a compile-time string; runtimeStringType(): any string
  Ellipsis,  ///< `...` in an index
  Grid,      ///< the result of cuda.cg.this_grid(): all threads of the launch
  Iterator,  ///< the result of enumerate(), zip(), reversed() and literal_unroll() over `elements`
  Closure,   ///< a function defined in a kernel; `elements` are its captures
  Optional,  ///< None or a value of type `element`
  Generator, ///< the result of calling a function with `yield`; yields values of type `element`
  Caught,    ///< the exception in an except clause, which may re-raise it
  Object,    ///< a Python object that exists at compile time only: a module, a function, a type
  /// One of several functions, selected at run time: `elements` are their types, see functionTagType().
  Choice,
};

enum class Layout : char { C = 'C', F = 'F', Any = 'A' };

enum class IteratorKind : uint8_t {
  Enumerate, ///< pairs of a count and an item
  Zip,       ///< tuples of one item from each iterable
  Reversed,  ///< items from last to first
  Unroll,    ///< the items, one per copy of the unrolled loop body
  // In index order:
  NdIndex,     ///< the indices of a shape, a tuple of int64 extents
  NdEnumerate, ///< pairs of indices and an element of an array of any rank
  NdIter,      ///< the elements of arrays of one shape, as zero-dimensional arrays
  Flat,        ///< the elements of an array, which can also be indexed by number
};

/// A type. Types are interned: equal types have equal pointers, so copies and comparisons are cheap. The default value
/// means "not known yet" and occurs only during type inference.
class Type {
public:
  Type() = default;
  explicit operator bool() const { return data_ != nullptr; }
  bool operator==(const Type &other) const = default;
  auto operator<=>(const Type &other) const = default;
  const TypeData *operator->() const { return data_; }

  /// numba's name: "int32", "array(float32, 2d, C)", "UniTuple(int64 x 2)".
  const std::string &name() const;

  TypeKind kind() const;
  bool is(TypeKind k) const { return data_ && kind() == k; }
  bool isInteger() const { return is(TypeKind::Int) || is(TypeKind::UInt); }
  bool isFloat() const { return is(TypeKind::Float); }
  bool isComplex() const { return is(TypeKind::Complex); }
  bool isBool() const { return is(TypeKind::Bool); }
  /// Bool, integer or float: one LLVM value.
  bool isScalar() const { return isBool() || isNumber(); }
  bool isNumber() const { return isInteger() || isFloat(); }
  bool isSigned() const { return is(TypeKind::Int); }
  bool isArray() const { return is(TypeKind::Array); }
  bool isTuple() const { return is(TypeKind::Tuple); }
  /// A user-defined structure, see structureType.
  bool isStructure() const;
  bool isList() const { return is(TypeKind::List); }
  bool isString() const { return is(TypeKind::String); }
  bool isDict() const { return is(TypeKind::Dict); }
  bool isSet() const { return is(TypeKind::Set); }
  bool isGenerator() const { return is(TypeKind::Generator); }
  bool isChoice() const { return is(TypeKind::Choice); }
  /// A hash table.
  bool isTable() const { return isDict() || isSet(); }
  /// A mutable object with identity; its value is the owner of its memory.
  bool isContainer() const { return isList() || isTable() || isInstance(); }
  /// An object of a jitclass.
  bool isInstance() const { return is(TypeKind::Instance); }
  /// A list or dict of numba.typed, or an instance: shared between the program and compiled code.
  bool isShared() const;
  /// A placeholder for an instance of a class that is defined later. resolveDeferred() replaces it.
  bool isDeferred() const;
  bool isVector() const { return is(TypeKind::Vector); }
  bool isRecord() const { return is(TypeKind::Record); }
  bool isPointer() const { return is(TypeKind::Pointer); }
  /// A member of any enum, including integer enums.
  bool isEnumMember() const;
  bool isTime() const { return is(TypeKind::DateTime) || is(TypeKind::TimeDelta); }
  /// A 16-bit float. Operations other than its arithmetic are computed in float32.
  bool isHalf() const;
  /// True if it consists of other values. Its parts are the parts of these values, in order.
  bool isComposite() const { return isTuple() || is(TypeKind::Closure) || is(TypeKind::Iterator); }
  /// True for types that can be array elements, because they have a representation in memory.
  bool canBeArrayElement() const;

private:
  friend struct TypeTable;
  explicit Type(const TypeData *data) : data_(data) {}
  const TypeData *data_ = nullptr;
};

/// One field of a record.
struct Field {
  std::string name;
  Type type;                  ///< element type, if the field is an array
  std::vector<int64_t> shape; ///< of an array field; empty for a single value
  unsigned offset = 0;        ///< bytes from the start of the record
};

/// NumPy's time units, in NumPy's order.
enum class TimeUnit : uint8_t {
  Year,
  Month,
  Week,
  Day = 4,
  Hour,
  Minute,
  Second,
  Millisecond,
  Microsecond,
  Nanosecond,
  Picosecond,
  Femtosecond,
  Attosecond,
  Generic, ///< a timedelta64 without a unit, or NaT
};

struct TypeData {
  TypeKind kind = TypeKind::None;
  unsigned bits = 0; ///< size in memory, except of records and tuples
  std::string name;
  std::vector<Type> elements;     ///< see TypeKind
  std::vector<std::string> names; ///< of a named tuple's elements; the text of a literal string
  std::vector<Field> fields;      ///< of a record
  Type element;                   ///< see TypeKind; also of an array or a pointer
  /// The Python class of a named tuple, enum or instance: it distinguishes types with the same name. The TypedFunction
  /// of a generator.
  const void *identity = nullptr;
  TimeUnit unit = TimeUnit::Generic;
  unsigned ndim = 0;
  Layout layout = Layout::Any;
  bool readOnly = false;
  bool brain = false;                       ///< a 16-bit float is bfloat16, not IEEE 754 binary16
  const SmallFloat *small = nullptr;        ///< of an 8-bit float
  std::shared_ptr<const Fragment> fragment; ///< of an array of fragments, see fragmentType
  bool ofBytes = false;                     ///< the array represents a bytes object
  bool packed = false;                      ///< elements may start at any byte
  bool literal = false;                     ///< a constant string: see literalStringType
  bool shared = false;                      ///< a list or dict of numba.typed, or an instance
  bool deferred = false;  ///< a class instance to be replaced by resolveDeferred()
  bool structure = false; ///< a tuple made by structureType()
  simt::AddressSpace space = simt::Generic;
  unsigned recordBytes = 0; ///< also of a structure; 0 if its fields have no memory layout
  unsigned recordAlignment = 1;
  IteratorKind iterator = IteratorKind::Enumerate;
  const FunctionSource *function = nullptr; ///< of a closure
  /// The value of an argument that is a compile-time constant: see knownObjectType, literalType.
  std::shared_ptr<const Constant> object;

  /// The size of a value in memory, in bytes.
  unsigned bytes() const { return hasFields() ? recordBytes : bits / 8; }
  /// The alignment of a value in memory, in bytes.
  unsigned alignment() const {
    return hasFields()                    ? recordAlignment
           : kind == TypeKind::Complex    ? bytes() / 2
           : kind == TypeKind::Characters ? element->bytes()
                                          : bytes();
  }
  /// The alignment of an array element, in bytes.
  unsigned elementAlignment() const { return packed ? 1 : element->alignment(); }

private:
  bool hasFields() const { return kind == TypeKind::Record || kind == TypeKind::Tuple; }
};

inline TypeKind Type::kind() const { return data_->kind; }

/// Returns the interned type for `key`, which is created from `data` on first use. Only for functions that construct
/// types.
Type uniqueType(const std::string &key, TypeData data);

Type noneType();
Type boolType();
Type intType(unsigned bits, bool isSigned = true);
Type floatType(unsigned bits);
Type bfloat16Type();
/// The type of an argument that is the compile-time constant `text` (numba's Literal[str]). Inside the kernel, its
/// value is a constant of constantStringType().
Type literalStringType(const std::string &text);
/// The string of a literalStringType(); null for any other type.
const std::string *literalString(Type type);
/// The type of an argument that is the compile-time constant `known`, a function or a type.
Type knownObjectType(const Constant &known);
/// The type of a value that is one of several functions, with the types `functions` (knownObjectType()). At run time
/// the value is an index, an int64.
Type functionTagType(std::vector<Type> functions);
/// The type of an argument of type `type` that is the compile-time constant `value`, as numba.literally requests. The
/// argument is passed like others of its type.
Type literalType(Type type, const Constant &value);
/// The type of the same value inside a kernel, where literal types become ordinary ones.
Type replaceLiteralTypes(Type type);
Type complexType(unsigned bits);
Type tupleType(std::vector<Type> elements);
/// A CUDA vector of 1 to 4 numbers of type `base`: int8x1 to float64x4.
Type vectorType(Type base, unsigned count);
/// The type of a named tuple. `identity` is the class object, `className` its name.
Type namedTupleType(const std::string &className, const void *identity,
                    std::vector<std::string> names, std::vector<Type> elements);
/// A user-defined structure type: a tuple with named fields that supports only functions of the program. Types with
/// equal `identity` are equal.
Type structureType(const std::string &name, const void *identity, std::vector<std::string> names,
                   std::vector<Type> fields);
/// The offset of a structure's field in memory, as in C.
unsigned structureFieldOffset(Type structure, size_t field);
/// Returns a tuple type of the same kind as `tuple` (a plain tuple, named tuple or structure) with these elements.
Type tupleTypeLike(Type tuple, std::vector<Type> elements);
/// The type of the members of an enum class. `identity` is the class object, `className` its name for messages. If
/// `isInteger` (IntEnum), members support all integer operations.
Type enumType(const std::string &className, const void *identity, Type value, bool isInteger);
Type pointerType(Type element, simt::AddressSpace space = simt::Global);
/// The type of a numpy.random.Generator: the address of its state (bitgen_t), which NumPy's C functions update.
Type randomGeneratorType();
/// The type for `kind`, DateTime or TimeDelta.
Type timeType(TypeKind kind, TimeUnit unit);
Type rangeType(Type element);
Type listType(Type element);
/// A hash table, stored as a list of one tuple: a list of keys, a list of values (both in insertion order), and an
/// int32 array of slots. A slot holds 1 + the index of its key, 0 if it is unused, or -1 if its key was deleted. The
/// last two elements of the array are counters. heddle/host_library/hash_tables.py implements the operations.
Type dictType(Type key, Type value);
/// A hash table without values.
Type hashSetType(Type item);
/// The types of numba.typed.List and numba.typed.Dict.
Type typedListType(Type element);
Type typedDictType(Type key, Type value);
/// The type of the instances of a jitclass. `identity` is the class object, and `name` the type's name. The attributes
/// are stored like a list of one tuple.
Type instanceType(const std::string &name, const void *identity, std::vector<std::string> names,
                  std::vector<Type> elements);
/// A placeholder for the instance type of a class that is defined later, for use as an attribute type. Each call
/// returns a new type.
Type makeDeferredType();
/// Defines `deferred` as `instance`. Returns false if it already has another definition.
bool defineDeferred(Type deferred, Type instance);
/// The type with deferred types replaced by their definitions.
Type resolveDeferred(Type type);
/// True if the type contains a deferred type without a definition.
bool hasUndefinedDeferred(Type type);
/// True if numba.typed containers support elements of this type. Elements may outlive a call, so their memory must be
/// reference-counted.
bool canBeTypedContainerElement(Type type);
/// True if instances of jitclasses and structures support attributes of this type.
bool isAttributeType(Type type);
/// True if dicts and sets support keys of the type.
bool isKeyType(Type type);
/// True if the type is or contains a shared type (isShared()).
bool containsSharedType(Type type);
Type sliceType();
Type constantStringType();
/// A string in a host function, constant or not: numba's unicode_type.
Type runtimeStringType();
Type ellipsisType();
Type gridType();
Type objectType();
Type caughtType();
/// An iterator over iterables of the types `elements`. For `enumerate`, the first of them is the type of the start
/// count, int64.
Type iteratorType(IteratorKind kind, std::vector<Type> elements);
/// The type of a nested function called `name`. `captured` are the types of its captures.
Type closureType(const FunctionSource *function, const std::string &name,
                 std::vector<Type> captured);
Type optionalType(Type element);
/// The result type of a generator function called `name` (`function` is its TypedFunction), which yields values of type
/// `yielded`.
Type generatorType(const void *function, const std::string &name, Type yielded);
/// True if the type is or contains that of a compile-time value: a function, a type, a string.
bool holdsCompileTimeObject(Type type);
/// The type with runtimeStringType() instead of compile-time strings.
Type toRuntimeStringTypes(Type type);
/// The type with constantStringType() instead of runtimeStringType(), for kernels, which support only compile-time
/// strings.
Type toConstantStringTypes(Type type);

/// Properties of an array beyond element type and rank.
struct ArrayTraits {
  Layout layout = Layout::C;
  bool readOnly = false;
  simt::AddressSpace space = simt::Global;
  bool packed = false;
  bool ofBytes = false; ///< a bytes object, which isinstance() distinguishes from read-only arrays
};
Type arrayType(Type element, unsigned ndim, ArrayTraits traits = {});
ArrayTraits traitsOfArray(Type array);
/// The type of a bytes object: a read-only array of uint8.
Type bytesType();
/// True if the type is that of a bytes object or of a part of one.
bool isBytes(Type type);
/// The type of an array element as a value. A record refers to the array's memory and is read-only if the array is.
Type elementOf(Type array);
/// The type of a value read from a location of type `place`: float32 for 8-bit floats, otherwise `place`.
Type typeAfterLoad(Type place);

inline Type int64Type() { return intType(64); }
inline Type int32Type() { return intType(32); }
inline Type float64Type() { return floatType(64); }
inline Type float32Type() { return floatType(32); }

/// The scalar type with that numba name ("int8" … "float64", "bool", "complex64", "bfloat16"); unknown for others.
Type scalarTypeNamed(const std::string &name);

/// The type for a NumPy type string ("<f4", "|b1", "<U5"); unknown for kinds that kernels do not support.
Type scalarTypeOfTypestr(const std::string &typestr);

/// NumPy's type string of a scalar, complex or fixed-length string type. bfloat16 has "<V2", as in ml_dtypes.
std::string typestrOf(Type scalar);

inline bool Type::isStructure() const { return isTuple() && data_->structure; }
inline bool Type::canBeArrayElement() const {
  return isScalar() || isComplex() || isRecord() || isTime() || is(TypeKind::Characters) ||
         (isStructure() && data_->recordBytes);
}
inline bool Type::isShared() const { return isContainer() && data_->shared; }
inline bool Type::isDeferred() const { return isInstance() && data_->deferred; }
inline bool Type::isHalf() const { return isFloat() && data_->bits == 16; }
/// NumPy's name of a unit: "ns"; empty for Generic.
const char *nameOfTimeUnit(TimeUnit unit);
/// The unit with that name; nothing if NumPy has none.
std::optional<TimeUnit> timeUnitNamed(const std::string &name);

} // namespace heddle::python
