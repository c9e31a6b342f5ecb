// Types of Python values in a kernel, with numba's names and meaning.
#pragma once

#include "simt/ir/ops.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::python {

struct Constant;
struct FunctionSource;
struct SmallFloat;
struct TypeData;

enum class TypeKind : uint8_t {
  None,    ///< Python's None; a function that returns nothing
  Bool,    ///< numba's boolean
  Int,     ///< int8 to int64
  UInt,    ///< uint8 to uint64
  Float,   ///< float16, bfloat16, float32, float64; in memory also those of 8 bits, see SmallFloat
  Complex, ///< complex64, complex128: two floats
  Tuple,   ///< of any types, nested too
  Vector, ///< CUDA's vector types such as float32x4: `elements` are one to four numbers of one type
  Array,  ///< a view of memory
  Record, ///< a place in memory that holds the fields of a structured dtype
  Pointer,    ///< the address of values of one type, without an extent
  DateTime,   ///< NumPy's datetime64, in one `unit`
  TimeDelta,  ///< NumPy's timedelta64, in one `unit`
  Characters, ///< a text of fixed length: `element` is a character's type, see characters.h
  Enum,       ///< a member of an enumeration that is no integer; `element` is its value's type
  Range,      ///< what range() returns; `element` is the type that it counts in
  List,       ///< a list; `element` is what it holds
  Dict, ///< `elements` are its key and its value, `element` is the tuple that its memory holds, see dictType
  Set,  ///< `elements` is what it holds; the rest as of a dict
  Instance, ///< of a class of jitclass: `elements` with `names` are its attributes, `element` is the tuple of them
  Slice,    ///< a slice in an index
  String,   ///< stringType(): a string that exists while compiling only; textType(): any string
  Ellipsis, ///< `...` in an index
  Grid,     ///< what cuda.cg.this_grid() returns: every thread of the launch
  Iterator, ///< what enumerate(), zip(), reversed() and literal_unroll() return; `elements` are what they go over
  Closure,  ///< a function that was defined in a kernel; `elements` are what it captured
  Optional, ///< None or a value of type `element`
  Generator, ///< what a call of a function with `yield` returns; it gives values of type `element`
  Caught,    ///< the exception of an except clause, which may raise it again
  Object,    ///< a Python object that exists while compiling only: a module, a function, a type
  Choice, ///< one of several functions, chosen at run time: `elements` are their types, see choiceType()
};

enum class Layout : char { C = 'C', F = 'F', Any = 'A' };

enum class IteratorKind : uint8_t {
  Enumerate, ///< pairs of a count and an item
  Zip,       ///< tuples of one item from each
  Reversed,  ///< items from the last to the first
  Unroll,    ///< the items, by a copy of the loop's body for each
  // In the order of the indices:
  NdIndex,     ///< the indices of a shape, whose extents are a tuple of int64
  NdEnumerate, ///< pairs of indices and an element of an array of any rank
  NdIter,      ///< the elements of arrays of one shape, as arrays without dimensions
  Flat,        ///< the elements of an array, which are also found by their number
};

/// A type. Types are unique: equal types are the same pointer, so copying and comparing cost nothing. The default
/// value is "not known yet", which only type inference sees.
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
  /// A value of a program's own type, see structureType.
  bool isStructure() const;
  bool isList() const { return is(TypeKind::List); }
  bool isString() const { return is(TypeKind::String); }
  bool isDict() const { return is(TypeKind::Dict); }
  bool isSet() const { return is(TypeKind::Set); }
  bool isGenerator() const { return is(TypeKind::Generator); }
  bool isChoice() const { return is(TypeKind::Choice); }
  /// A hash table.
  bool isTable() const { return isDict() || isSet(); }
  /// What the program sees as one object, which grows and is changed: a value is its owner.
  bool isContainer() const { return isList() || isTable() || isInstance(); }
  /// An object of a class that jitclass has compiled.
  bool isInstance() const { return is(TypeKind::Instance); }
  /// A list or a dict of numba.typed, or an instance, which the program and compiled code change in one place.
  bool isShared() const;
  /// It stands for an instance of a class that is defined later; signatures and attributes have that one in its place.
  bool isDeferred() const;
  bool isVector() const { return is(TypeKind::Vector); }
  bool isRecord() const { return is(TypeKind::Record); }
  bool isPointer() const { return is(TypeKind::Pointer); }
  /// A member of any enumeration, of integers too.
  bool isEnumMember() const;
  bool isTime() const { return is(TypeKind::DateTime) || is(TypeKind::TimeDelta); }
  /// A float of 16 bits, which computes in float32 but for its own arithmetic.
  bool isHalf() const;
  /// Whether it is made of other values, one after the other: its parts are theirs.
  bool isComposite() const { return isTuple() || is(TypeKind::Closure) || is(TypeKind::Iterator); }
  /// What an array may be made of: a value with a place in memory.
  bool isElement() const;

private:
  friend struct TypeTable;
  explicit Type(const TypeData *data) : data_(data) {}
  const TypeData *data_ = nullptr;
};

/// One field of a record.
struct Field {
  std::string name;
  Type type;                  ///< of one element where the field is an array
  std::vector<int64_t> shape; ///< of an array; empty for a single value
  unsigned offset = 0;        ///< bytes from the record's start
};

/// NumPy's units of time, in NumPy's order.
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
  Generic, ///< of a timedelta64 without a unit, and of NaT
};

struct TypeData {
  TypeKind kind = TypeKind::None;
  unsigned bits = 0; ///< of a scalar; 8 for Bool (its size in memory)
  std::string name;
  std::vector<Type> elements;     ///< of a tuple, vector, closure, iterator
  std::vector<std::string> names; ///< of a named tuple's elements; the text of a literal string
  std::vector<Field> fields;      ///< of a record
  Type element; ///< of an array, a range, a pointer, an optional; of an enumeration's values
  /// The Python class of a named tuple, an enumeration or an instance, which tells types of one name apart; of a generator
  /// its function, a TypedFunction.
  const void *identity = nullptr;
  TimeUnit unit = TimeUnit::Generic;
  unsigned ndim = 0;
  Layout layout = Layout::Any;
  bool readOnly = false;
  bool brain = false;                ///< a float of 16 bits is bfloat16, not IEEE 754's
  const SmallFloat *small = nullptr; ///< of a float of 8 bits
  bool ofBytes = false;              ///< the array is what code sees of Python's bytes
  bool packed = false;               ///< the elements of the array may start at any byte
  bool literal = false;              ///< a string that is known: see literalStringType
  bool shared = false;               ///< a list or a dict of numba.typed, or an instance
  bool deferred = false;             ///< an instance of a class that resolved() knows
  bool structure = false;            ///< a tuple that structureType() made
  simt::AddressSpace space = simt::Generic;
  unsigned recordBytes = 0; ///< of a structure, too; 0 where its fields have no place in memory
  unsigned recordAlignment = 1;
  IteratorKind iterator = IteratorKind::Enumerate;
  const FunctionSource *function = nullptr; ///< of a closure
  std::shared_ptr<const Constant>
      object; ///< of an argument that is known: see knownObjectType, literalType

  /// Bytes of one value in memory.
  unsigned bytes() const { return hasFields() ? recordBytes : bits / 8; }
  /// What its address in memory is a multiple of, in bytes.
  unsigned alignment() const {
    return hasFields()                    ? recordAlignment
           : kind == TypeKind::Complex    ? bytes() / 2
           : kind == TypeKind::Characters ? element->bytes()
                                          : bytes();
  }
  /// What the address of an array's element is a multiple of.
  unsigned elementAlignment() const { return packed ? 1 : element->alignment(); }

private:
  bool hasFields() const { return kind == TypeKind::Record || kind == TypeKind::Tuple; }
};

inline TypeKind Type::kind() const { return data_->kind; }

/// The type that `key` names, which is `data` when it is made now: for those who make kinds of types.
Type uniqueType(const std::string &key, TypeData data);

Type noneType();
Type boolType();
Type intType(unsigned bits, bool isSigned = true);
Type floatType(unsigned bits);
Type bfloat16Type();
/// The type of an argument that is the string `text`, numba's Literal[str]: a constant of what is compiled for it. Inside
/// a kernel its value is a constant of stringType().
Type literalStringType(const std::string &text);
/// The string of a literalStringType(); null for any other type.
const std::string *literalOf(Type type);
/// The type of an argument that is the object `known`, a function or a type: the same for a literal string.
Type knownObjectType(const Constant &known);
/// A value that is one of the functions with these types, of knownObjectType(): the number of the function, an int64.
Type choiceType(std::vector<Type> functions);
/// The type of an argument of type `type` that is `value`, which is a constant of what is compiled for it: numba.literally asks
/// for it. It is passed as others of its type are.
Type literalType(Type type, const Constant &value);
/// The type of the same value inside a kernel, where no type tells a string's text or an object.
Type withoutLiterals(Type type);
Type complexType(unsigned bits);
Type tupleType(std::vector<Type> elements);
/// `count` numbers of type `base`, 1 to 4: int8x1 to float64x4.
Type vectorType(Type base, unsigned count);
/// A tuple of the class `className`, which is `identity`, whose elements have names.
Type namedTupleType(const std::string &className, const void *identity,
                    std::vector<std::string> names, std::vector<Type> elements);
/// A type of a program's own, called `name`: of values with fields, which code reaches by the functions that the program
/// gives for it. A tuple with names whose operations are left out. Types of one `identity` are one type.
Type structureType(const std::string &name, const void *identity, std::vector<std::string> names,
                   std::vector<Type> fields);
/// Where a field of a structure lies in memory, as in C.
unsigned offsetInStructure(Type structure, size_t field);
/// The same kind of tuple as `tuple` with other elements.
Type tupleLike(Type tuple, std::vector<Type> elements);
/// A member of the enumeration `className`, which is `identity`. That of an IntEnum is an integer with all that integers
/// can do.
Type enumType(const std::string &className, const void *identity, Type value, bool isInteger);
Type pointerType(Type element, simt::AddressSpace space = simt::Global);
/// A numpy.random.Generator of the program: the address of the state that NumPy's functions in C change (bitgen_t).
Type randomGeneratorType();
/// datetime64 or timedelta64.
Type timeType(TypeKind kind, TimeUnit unit);
Type rangeType(Type element);
Type listType(Type element);
/// A hash table is kept as a list of one tuple: the keys and the values as lists, in the order in which they came, and an
/// array of int32: at the places of the keys' hashes 1 + where the key is, else 0; last, how many of the keys have been
/// deleted. heddle/host_library/hash_tables.py fills it.
Type dictType(Type key, Type value);
/// The same without values.
Type setOf(Type item);
/// The types of numba.typed.List and numba.typed.Dict.
Type sharedListType(Type element);
Type sharedDictType(Type key, Type value);
/// An object of the class that is `identity`, with attributes that have names. Its memory is that of a list of one tuple of
/// them. `name` is the type's.
Type instanceType(const std::string &name, const void *identity, std::vector<std::string> names,
                  std::vector<Type> elements);
/// The type of an instance of a class that is defined later, for attributes: each is another type.
Type deferredType();
/// Says what `deferred` is; false where that has been said, and differs.
bool defineDeferred(Type deferred, Type instance);
/// The same type, with what deferred types have been defined to be in their place.
Type resolved(Type type);
/// Whether there is a deferred type in it that has not been defined.
bool isUndefined(Type type);
/// Whether they hold values of that type. What they hold may outlive a call, so it is counted by its owners.
bool isSharedElement(Type type);
/// Whether attributes of instances are of that type.
bool isAttribute(Type type);
/// Whether dicts and sets have keys of that type.
bool isKey(Type type);
/// Whether a value of the type is, or holds, a list or a dict of numba.typed.
bool holdsShared(Type type);
Type sliceType();
Type stringType();
/// A string of a function of the host, known while compiling or not: numba's unicode_type.
Type textType();
Type ellipsisType();
Type gridType();
Type objectType();
Type caughtType();
/// What goes over `elements`; the parts of an enumerate start with its first count, an int64.
Type iteratorType(IteratorKind kind, std::vector<Type> elements);
/// The type of the function `name`, written at `function`, for captured values of those types.
Type closureType(const FunctionSource *function, const std::string &name,
                 std::vector<Type> captured);
Type optionalType(Type element);
/// What a call of the TypedFunction `function` returns, which is called `name` and yields values of type `yielded`.
Type generatorType(const void *function, const std::string &name, Type yielded);
/// Whether a value of the type is, or holds, something that exists while compiling only: a function, a type, a string.
bool holdsObject(Type type);
/// The same type with textType() for each string that exists while compiling only.
Type withTexts(Type type);
/// The same for kernels, which know strings only while they are compiled.
Type withoutTexts(Type type);

/// What is known of an array besides its element type and rank.
struct ArrayTraits {
  Layout layout = Layout::C;
  bool readOnly = false;
  simt::AddressSpace space = simt::Global;
  bool packed = false;
  bool ofBytes = false; ///< Python's bytes, which isinstance() tells from read-only arrays
};
Type arrayType(Type element, unsigned ndim, ArrayTraits traits = {});
ArrayTraits traitsOf(Type array);
/// The type of Python's bytes: a read-only array of uint8.
Type bytesType();
/// The type that an element of the array has as a value: a record is in the array's memory, and read-only with it.
Type elementOf(Type array);
/// The type of a value that is read from a place of that type: float32 for a float of 8 bits, else the same.
Type readAs(Type place);

inline Type int64Type() { return intType(64); }
inline Type int32Type() { return intType(32); }
inline Type float64Type() { return floatType(64); }
inline Type float32Type() { return floatType(32); }

/// The scalar type of that numba name ("int8" … "float64", "bool", "complex64", "bfloat16"); unknown for any other.
Type scalarTypeNamed(const std::string &name);

/// The type of a NumPy type string ("<f4", "|b1", "<U5"); unknown for a kind that kernels do not have.
Type scalarTypeOfTypestr(const std::string &typestr);

/// NumPy's type string of a scalar or complex type, or of a text of fixed length. bfloat16 has that of ml_dtypes, "<V2".
std::string typestrOf(Type scalar);

inline bool Type::isStructure() const { return isTuple() && data_->structure; }
inline bool Type::isElement() const {
  return isScalar() || isComplex() || isRecord() || isTime() || is(TypeKind::Characters) ||
         (isStructure() && data_->recordBytes);
}
inline bool Type::isShared() const { return isContainer() && data_->shared; }
inline bool Type::isDeferred() const { return isInstance() && data_->deferred; }
inline bool Type::isHalf() const { return isFloat() && data_->bits == 16; }
/// NumPy's name of a unit: "ns"; empty for Generic.
const char *nameOf(TimeUnit unit);
/// The unit of that name; nothing where NumPy has none.
std::optional<TimeUnit> timeUnitNamed(const std::string &name);

} // namespace heddle::python
