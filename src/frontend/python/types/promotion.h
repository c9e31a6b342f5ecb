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

/// Maps `is` to `==` and `is not` to `!=`, because values of one type are identical if they are equal. Other operators
/// are unchanged.
CompareOp identityToEquality(CompareOp op);

/// The type of `a op b` for scalars and complex numbers; unknown if numba does not support the operation (float & int).
Type binaryType(BinaryOp op, Type a, Type b);

/// The type to which `a op b` first converts both operands. The exponent of Pow is not converted.
Type operandTypeFor(BinaryOp op, Type a, Type b);

/// The type of `op a`; unknown if numba does not support it.
Type unaryType(UnaryOp op, Type a);

/// The type to which a comparison converts both scalars. Unknown for int64 and uint64, which compare by value.
Type comparisonType(Type a, Type b);

/// The type of a variable that holds `a` on one path and `b` on another. Follows NumPy's promote_types for numbers and
/// applies to tuples elementwise. Arrays take the weaker layout, and None makes an optional. Unknown if there is none.
Type unify(Type a, Type b);

/// True if an array element or record field of type `place` accepts a value of type `value`. For example, a record
/// accepts a record with the same fields, or a tuple.
bool isStorable(Type value, Type place);

/// True if converting `from` to `to` narrows none of its numbers, including those in tuples and optionals. Requires
/// that the conversion exists.
bool convertsWithoutNarrowing(Type from, Type to);

/// True if a list accepts a value of type `item`. Unlike other lists, a numba.typed list of integers rejects floats.
bool listAcceptsItem(Type list, Type item);

/// The type with its arrays writable, including those in tuples and optionals. Used for numba's containers and
/// attributes, which accept read-only arrays.
Type toWritableArrayType(Type type);

/// True if a value of type `from` converts implicitly to the declared type `to`.
bool isConvertible(Type from, Type to);

} // namespace heddle::python
