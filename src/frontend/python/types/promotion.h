// numba's rules for the type of an expression over scalars (NBEP 1): integers compute in 64 bits, an integer that a
// float32 cannot hold makes it float64. The full tables are tests/python/promotion_numba.csv.
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

/// `==` for `is`, `!=` for `is not`: values of one type are the same where they are equal. Any other operator is itself.
CompareOp equalityOf(CompareOp op);

/// The type of `a op b` for scalars and complex numbers; unknown where numba has no such operation (float & int).
Type binaryType(BinaryOp op, Type a, Type b);

/// The type in which `a op b` computes: what both operands are converted to first. The exponent of Pow keeps its own.
Type operandType(BinaryOp op, Type a, Type b);

/// The type of `op a`; unknown where numba has no such operation.
Type unaryType(UnaryOp op, Type a);

/// The type in which two scalars compare: both sides are converted to it. Unknown for int64 against uint64, which
/// compare by value.
Type comparisonType(Type a, Type b);

/// The type of a variable that holds `a` on one path and `b` on another (NumPy's promote_types for numbers, element
/// by element for tuples, the weaker layout for arrays, an optional where one is None); unknown when there is none.
Type unify(Type a, Type b);

/// Whether a value may be assigned to an element of an array or a field of a record that has type `place`: numbers to
/// numbers, a record to one with the same fields, a tuple to a record field by field.
bool storable(Type value, Type place);

/// Whether a value of type `item` may be put into a list: a typed one takes no float in the place of an integer.
bool isItemFor(Type item, Type list);

/// The type whose arrays, also in tuples and beside None, may be written: numba's containers and attributes take others, too.
Type writable(Type type);

/// Whether a value of type `from` may be passed where `to` is declared without a cast written by the user.
bool convertible(Type from, Type to);

} // namespace heddle::python
