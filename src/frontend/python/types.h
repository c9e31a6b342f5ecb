// Types of Python values in a kernel, with numba's names and meaning.
#pragma once

#include "simt/ops.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::python {

struct TypeData;

enum class TypeKind : uint8_t {
  None,     ///< Python's None; a function that returns nothing
  Bool,     ///< numba's boolean
  Int,      ///< int8 to int64
  UInt,     ///< uint8 to uint64
  Float,    ///< float16, bfloat16, float32, float64
  Complex,  ///< complex64, complex128: two floats
  Tuple,    ///< of any types, nested too
  Vector,   ///< CUDA's float32x4 and its kin: `elements` are one to four numbers of one type
  Array,    ///< a view of memory
  Range,    ///< what range() returns; `element` is the type that it counts in
  Slice,    ///< a slice in an index
  String,   ///< a constant string
  Ellipsis, ///< `...` in an index
  Grid,     ///< what cuda.cg.this_grid() returns: every thread of the launch
  Object,   ///< a Python object that exists while compiling only: a module, a function, a type
};

enum class Layout : char { C = 'C', F = 'F', Any = 'A' };

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
  bool isVector() const { return is(TypeKind::Vector); }
  /// A float of 16 bits, which computes in float32 but for its own arithmetic.
  bool isHalf() const;
  /// What an array may be made of: a value with a place in memory.
  bool isElement() const { return isScalar() || isComplex(); }

private:
  friend struct TypeTable;
  explicit Type(const TypeData *data) : data_(data) {}
  const TypeData *data_ = nullptr;
};

struct TypeData {
  TypeKind kind = TypeKind::None;
  unsigned bits = 0; ///< of a scalar; 8 for Bool (its size in memory)
  std::string name;
  std::vector<Type> elements; ///< of a tuple or vector
  Type element;               ///< of an array or range
  unsigned ndim = 0;
  Layout layout = Layout::Any;
  bool readOnly = false;
  bool aligned = false;      ///< the array's data starts at a multiple of 16 bytes
  bool smallExtents = false; ///< every extent is below 2^31
  bool noAlias = false;      ///< no other argument of the launch overlaps it
  bool brain = false;        ///< a float of 16 bits is bfloat16, not IEEE 754's
  bool small = false;        ///< a signed integer from 0 to 2^31 - 1: see smallIntType
  simt::AddressSpace space = simt::Generic;

  /// Bytes of one value in memory.
  unsigned bytes() const { return bits / 8; }
  /// What its address in memory is a multiple of, in bytes.
  unsigned alignment() const { return kind == TypeKind::Complex ? bytes() / 2 : bytes(); }
};

Type noneType();
Type boolType();
Type intType(unsigned bits, bool isSigned = true);
Type floatType(unsigned bits);
Type bfloat16Type();
/// The type of an argument of intType(bits), 32 or 64, that is known to be at least 0 and below 2^31. Only the types of
/// a launch's arguments tell the difference; inside a kernel the value is of plainType().
Type smallIntType(unsigned bits);
/// The type without what only a launch knows of an integer.
Type plainType(Type type);
Type complexType(unsigned bits);
Type tupleType(std::vector<Type> elements);
/// `count` numbers of type `base`, 1 to 4: int8x1 to float64x4.
Type vectorType(Type base, unsigned count);
Type rangeType(Type element);
Type sliceType();
Type stringType();
Type ellipsisType();
Type gridType();
Type objectType();

/// What is known of an array besides its element type and rank.
struct ArrayTraits {
  Layout layout = Layout::C;
  bool readOnly = false;
  bool aligned = false;
  bool smallExtents = false;
  bool noAlias = false;
  simt::AddressSpace space = simt::Global;
};
Type arrayType(Type element, unsigned ndim, ArrayTraits traits = {});
ArrayTraits traitsOf(Type array);

inline Type int64Type() { return intType(64); }
inline Type int32Type() { return intType(32); }
inline Type float64Type() { return floatType(64); }
inline Type float32Type() { return floatType(32); }

/// The scalar type of that numba name ("int8" … "float64", "bool", "complex64", "bfloat16"); unknown for any other.
Type scalarTypeNamed(const std::string &name);

/// The scalar type of a NumPy type string ("<f4", "|b1"); unknown for a kind that kernels do not have.
Type scalarTypeOfTypestr(const std::string &typestr);

/// NumPy's type string of a scalar or complex type. bfloat16 has that of ml_dtypes, "<V2".
std::string typestrOf(Type scalar);

inline bool Type::isHalf() const { return isFloat() && data_->bits == 16; }

} // namespace heddle::python
