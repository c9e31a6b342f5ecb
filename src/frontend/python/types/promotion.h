// numba's result types for scalar expressions (NBEP 1): integer arithmetic uses 64 bits, and float32 combined with an
// integer that it cannot hold gives float64. The full tables are in tests/python/promotion_numba.csv.
#pragma once

#include "frontend/python/types/types.h"

#include <string_view>

namespace heddle::python {

enum class BinaryOp {
  Add,
  Sub,
  Mul,
  TrueDiv,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  And,
  Or,
  Xor,
  MatMul
};
enum class UnaryOp { Pos, Neg, Invert, Not };
enum class CompareOp { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };

std::string_view symbolOf(BinaryOp op);
std::string_view symbolOf(UnaryOp op);
std::string_view symbolOf(CompareOp op);

/// `==` for `is` and `!=` for `is not`: values of one type are identical if they are equal. Other operators are
/// unchanged.
CompareOp identityToEquality(CompareOp op);

/// The type of `a op b` for scalars and complex numbers; unknown if numba does not support it (float & int).
Type binaryType(BinaryOp op, Type a, Type b);

/// The type to which `a op b` first converts both operands. The exponent of Pow is not converted.
Type operandType(BinaryOp op, Type a, Type b);

/// The type of `op a`; unknown if numba does not support it.
Type unaryType(UnaryOp op, Type a);

/// The type to which a comparison converts both scalars. Unknown for int64 and uint64, which compare by value.
Type comparisonType(Type a, Type b);

/// The type of a variable that holds `a` on one path and `b` on another. Follows NumPy's promote_types for numbers and
/// applies to tuples elementwise. Arrays take the weaker layout, and None makes an optional. Unknown if there is none.
Type unify(Type a, Type b);

/// True if a value can be assigned to an array element or record field of type `place`: a number to a number, a record
/// to one with the same fields, a tuple to a record field by field.
bool isStorable(Type value, Type place);

/// True if no number in a convertible value of type `from` needs a wider type than it gets in `to`.
bool keepsValues(Type from, Type to);

/// True if a list accepts a value of type `item`. A typed list of integers does not accept floats.
bool isItemFor(Type item, Type list);

/// The type with writable arrays, also in tuples and optionals. numba's containers and attributes accept read-only
/// arrays.
Type asWritable(Type type);

/// True if a value of type `from` converts implicitly to the declared type `to`.
bool isConvertible(Type from, Type to);

} // namespace heddle::python
