#include "frontend/python/types/fold.h"

#include <cmath>
#include <limits>

namespace heddle::python {
namespace {

bool isFoldableInt(const Constant &c) {
  return (c.kind == ConstantKind::Int && c.type.isInteger() && c.type != intType(64, false)) ||
         (c.kind == ConstantKind::Bool && c.type.isBool());
}

bool isFoldableReal(const Constant &c) {
  return isFoldableInt(c) || (c.kind == ConstantKind::Float && c.type.isFloat());
}

double realOf(const Constant &c) {
  return c.kind == ConstantKind::Float ? c.real : double(c.integer);
}

bool fitsInteger(int64_t v, Type t) {
  if (t->bits == 64)
    return t.isSigned() || v >= 0;
  if (t.isSigned())
    return v >= -(int64_t(1) << (t->bits - 1)) && v < int64_t(1) << (t->bits - 1);
  return v >= 0 && v < int64_t(1) << t->bits;
}

template <typename T> bool compare(CompareOp op, const T &a, const T &b) {
  switch (op) {
  case CompareOp::Eq:
    return a == b;
  case CompareOp::Ne:
    return a != b;
  case CompareOp::Lt:
    return a < b;
  case CompareOp::Le:
    return a <= b;
  case CompareOp::Gt:
    return a > b;
  default:
    return a >= b;
  }
}

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? q - 1 : q;
}

int64_t floorRemainder(int64_t a, int64_t b) {
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

/// The int64 result; nothing on overflow and division by zero, which the kernel defines.
std::optional<int64_t> foldIntegers(BinaryOp op, int64_t a, int64_t b) {
  int64_t r = 0;
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  switch (op) {
  case BinaryOp::Add:
    return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  case BinaryOp::Sub:
    return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  case BinaryOp::Mul:
    return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  case BinaryOp::FloorDiv:
    return b == 0 || (a == lowest && b == -1) ? std::nullopt : std::optional(floorDivide(a, b));
  case BinaryOp::Mod:
    return b == 0 || (a == lowest && b == -1) ? std::nullopt : std::optional(floorRemainder(a, b));
  case BinaryOp::Pow:
    if (b < 0 || b > 64)
      return std::nullopt;
    for (r = 1; b > 0; --b)
      if (__builtin_mul_overflow(r, a, &r))
        return std::nullopt;
    return r;
  case BinaryOp::LShift:
    return a < 0 || b < 0 || b > 62 || a > (std::numeric_limits<int64_t>::max() >> b)
               ? std::nullopt
               : std::optional(a << b);
  case BinaryOp::RShift:
    return b < 0 || b > 63 ? std::nullopt : std::optional(a >> b);
  case BinaryOp::And:
    return a & b;
  case BinaryOp::Or:
    return a | b;
  case BinaryOp::Xor:
    return a ^ b;
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<Constant> foldUnary(UnaryOp op, const Constant &a) {
  if (a.kind == ConstantKind::Float && op == UnaryOp::Neg)
    return Constant::ofFloat(-a.real, a.type);
  if (!isFoldableInt(a))
    return std::nullopt;
  switch (op) {
  case UnaryOp::Pos:
    return Constant::ofInt(a.integer, unaryType(op, a.type));
  case UnaryOp::Neg:
    if (a.type.is(TypeKind::UInt) || a.integer == std::numeric_limits<int64_t>::min() ||
        (a.type.isInteger() && !fitsInteger(-a.integer, a.type)))
      return std::nullopt; // wraps in its own type
    return Constant::ofInt(-a.integer);
  case UnaryOp::Invert:
    return a.type.isSigned() ? std::optional(Constant::ofInt(~a.integer)) : std::nullopt;
  case UnaryOp::Not:
    return Constant::ofBool(!a.integer);
  }
  return std::nullopt;
}

std::optional<Constant> foldBinary(BinaryOp op, const Constant &a, const Constant &b) {
  if (!isFoldableInt(a) || !isFoldableInt(b))
    return std::nullopt;
  Type type = binaryType(op, a.type, b.type);
  if (!type.isInteger())
    return std::nullopt;
  std::optional<int64_t> r = foldIntegers(op, a.integer, b.integer);
  if (!r || !fitsInteger(*r, type))
    return std::nullopt;
  return Constant::ofInt(*r, type);
}

namespace {

/// True if `a` is in `b`: an element of a tuple, or a substring.
std::optional<bool> foldMembershipTest(const Constant &a, const Constant &b) {
  if (a.kind == ConstantKind::String && b.kind == ConstantKind::String)
    return b.text.find(a.text) != std::string::npos;
  if (b.kind != ConstantKind::Tuple)
    return std::nullopt;
  bool found = false;
  for (const Constant &item : b.items) {
    bool different = (a.kind == ConstantKind::String) != (item.kind == ConstantKind::String) &&
                     item.kind != ConstantKind::Unknown;
    std::optional<Constant> equal =
        different ? Constant::ofBool(false) : foldCompare(CompareOp::Eq, a, item);
    if (!equal)
      return std::nullopt;
    found = found || equal->integer;
  }
  return found;
}

} // namespace

std::optional<Constant> foldCompare(CompareOp op, const Constant &a, const Constant &b) {
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    std::optional<bool> found = foldMembershipTest(a, b);
    return found ? std::optional(Constant::ofBool(*found == (op == CompareOp::In))) : std::nullopt;
  }
  if (op > CompareOp::Ge)
    return std::nullopt;
  if (isFoldableInt(a) && isFoldableInt(b))
    return Constant::ofBool(compare(op, a.integer, b.integer));
  if (isFoldableReal(a) && isFoldableReal(b))
    return Constant::ofBool(compare(op, realOf(a), realOf(b)));
  if (a.kind == ConstantKind::String && b.kind == ConstantKind::String)
    return Constant::ofBool(compare(op, a.text, b.text));
  if ((op == CompareOp::Eq || op == CompareOp::Ne) && a.kind == b.kind &&
      a.kind == ConstantKind::Type)
    return Constant::ofBool((a.type == b.type) == (op == CompareOp::Eq));
  return std::nullopt;
}

std::optional<Constant> foldCast(const Constant &a, Type to) {
  if (!isFoldableInt(a))
    return std::nullopt;
  if (to.isInteger() && to != intType(64, false) && fitsInteger(a.integer, to))
    return Constant::ofInt(a.integer, to);
  return std::nullopt;
}

std::optional<bool> truthOf(const Constant &a) {
  switch (a.kind) {
  case ConstantKind::None:
    return false;
  case ConstantKind::Bool:
  case ConstantKind::Int:
    return a.integer != 0;
  case ConstantKind::Float:
    return a.real != 0;
  case ConstantKind::String:
    return !a.text.empty();
  case ConstantKind::Tuple:
    return !a.items.empty();
  case ConstantKind::Function:
  case ConstantKind::Overload:
  case ConstantKind::Intrinsic:
  case ConstantKind::Namespace:
  case ConstantKind::Exception:
  case ConstantKind::Type:
    return true;
  default:
    return std::nullopt;
  }
}

} // namespace heddle::python
