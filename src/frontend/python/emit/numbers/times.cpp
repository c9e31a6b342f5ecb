#include "frontend/python/emit/numbers/times.h"

#include <limits>

namespace heddle::python {
namespace {

using Builder = llvm::IRBuilder<>;

struct Quotient {
  llvm::Value *floor;
  llvm::Value *remainder; ///< has the sign of the divisor
};
/// Divides by a positive constant.
Quotient floorDivideByConstant(Builder &b, llvm::Value *v, int64_t divisor) {
  llvm::Value *d = b.getInt64(divisor);
  llvm::Value *q = b.CreateSDiv(v, d), *r = b.CreateSRem(v, d);
  llvm::Value *below = b.CreateICmpSLT(r, b.getInt64(0));
  return {b.CreateSub(q, b.CreateZExt(below, b.getInt64Ty())),
          b.CreateSelect(below, b.CreateAdd(r, d), r)};
}

// The proleptic Gregorian calendar, with years that begin in March, so that a leap day is the last day of the year. Day
// 0 is 1970-01-01, which is day 719468 since 0000-03-01; 400 years have 146097 days.
constexpr int64_t epoch = 719468;
constexpr int64_t daysOf400Years = 146097;

/// The first day of a month, counted from 1970-01.
llvm::Value *monthsToDays(Builder &b, llvm::Value *months) {
  auto i = [&](int64_t n) { return b.getInt64(n); };
  // Months since March of year 0.
  Quotient march = floorDivideByConstant(b, b.CreateAdd(months, i(1970 * 12 - 2)), 12);
  Quotient era = floorDivideByConstant(b, march.floor, 400);
  llvm::Value *year = era.remainder;
  llvm::Value *days = b.CreateMul(year, i(365));
  days = b.CreateAdd(days, b.CreateSub(b.CreateUDiv(year, i(4)), b.CreateUDiv(year, i(100))));
  // The month lengths 31, 30, 31, 30, 31 repeat from March: 153 days in five months.
  llvm::Value *inYear = b.CreateUDiv(b.CreateAdd(b.CreateMul(march.remainder, i(153)), i(2)), i(5));
  days = b.CreateAdd(days, inYear);
  return b.CreateAdd(b.CreateMul(era.floor, i(daysOf400Years)), b.CreateSub(days, i(epoch)));
}

/// The month of a day, counted from 1970-01.
llvm::Value *daysToMonths(Builder &b, llvm::Value *days) {
  auto i = [&](int64_t n) { return b.getInt64(n); };
  Quotient era = floorDivideByConstant(b, b.CreateAdd(days, i(epoch)), daysOf400Years);
  llvm::Value *day = era.remainder;
  // After removing the leap days, which occur every 1460, 36524 and 146096 days, the day number determines the year.
  llvm::Value *leap =
      b.CreateSub(b.CreateUDiv(day, i(36524)),
                  b.CreateAdd(b.CreateUDiv(day, i(1460)), b.CreateUDiv(day, i(146096))));
  llvm::Value *year = b.CreateUDiv(b.CreateAdd(day, leap), i(365));
  llvm::Value *before = b.CreateAdd(
      b.CreateMul(year, i(365)), b.CreateSub(b.CreateUDiv(year, i(4)), b.CreateUDiv(year, i(100))));
  llvm::Value *inYear = b.CreateSub(day, before);
  llvm::Value *month = b.CreateUDiv(b.CreateAdd(b.CreateMul(inYear, i(5)), i(2)), i(153));
  llvm::Value *years = b.CreateAdd(year, b.CreateMul(era.floor, i(400)));
  return b.CreateAdd(b.CreateMul(years, i(12)), b.CreateSub(month, i(1970 * 12 - 2)));
}

/// Converts a count between units that are fixed multiples of each other, or years and months.
llvm::Value *convertTimeUnit(Builder &b, llvm::Value *v, TimeUnit from, TimeUnit to) {
  if (std::optional<int64_t> factor = unitsPerUnit(from, to))
    return *factor == 1 ? v : b.CreateMul(v, b.getInt64(*factor));
  std::optional<int64_t> divisor = unitsPerUnit(to, from);
  return divisor ? floorDivideByConstant(b, v, *divisor).floor : v;
}

/// Truncates a float64 count to 64 bits. NaN and infinities become NaT.
llvm::Value *floatToTime(Builder &b, llvm::Value *real) {
  llvm::Value *whole =
      b.CreateIntrinsic(llvm::Intrinsic::fptosi_sat, {b.getInt64Ty(), real->getType()}, {real});
  llvm::Value *size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, real);
  llvm::Value *finite = b.CreateFCmpOLT(size, llvm::ConstantFP::getInfinity(real->getType()));
  return b.CreateSelect(finite, whole, natConstant(b));
}

/// Integer division that never executes a division by 0, or of the lowest integer by -1.
Quotient divideTimes(Builder &b, llvm::Value *a, llvm::Value *c, bool floor) {
  llvm::Value *zero = b.getInt64(0), *one = b.getInt64(1), *minusOne = b.getInt64(-1);
  llvm::Value *negative = b.CreateICmpEQ(c, minusOne);
  llvm::Value *safe = b.CreateSelect(b.CreateOr(b.CreateICmpEQ(c, zero), negative), one, c);
  llvm::Value *q = b.CreateSelect(negative, b.CreateNeg(a), b.CreateSDiv(a, safe));
  llvm::Value *r = b.CreateSelect(negative, zero, b.CreateSRem(a, safe));
  if (!floor)
    return {q, r};
  llvm::Value *apart = b.CreateICmpSLT(b.CreateXor(r, c), zero);
  llvm::Value *wrong = b.CreateAnd(apart, b.CreateICmpNE(r, zero));
  return {b.CreateSub(q, b.CreateZExt(wrong, b.getInt64Ty())),
          b.CreateSelect(wrong, b.CreateAdd(r, c), r)};
}

/// A duration times or divided by a number. Truncates like NumPy.
llvm::Value *scaleTime(Builder &b, BinaryOp op, llvm::Value *time, TimeOperand number) {
  llvm::Value *gone = isNat(b, time);
  if (number.type.isFloat()) {
    llvm::Value *real = b.CreateSIToFP(time, number.value->getType());
    llvm::Value *result = floatToTime(b, op == BinaryOp::Mul ? b.CreateFMul(real, number.value)
                                                             : b.CreateFDiv(real, number.value));
    return b.CreateSelect(gone, natConstant(b), result);
  }
  if (op == BinaryOp::Mul)
    return b.CreateSelect(gone, natConstant(b), b.CreateMul(time, number.value));
  gone = b.CreateOr(gone, b.CreateICmpEQ(number.value, b.getInt64(0)));
  return b.CreateSelect(gone, natConstant(b),
                        divideTimes(b, time, number.value, /*floor=*/false).floor);
}

} // namespace

llvm::Value *natConstant(Builder &b) { return b.getInt64(uint64_t(1) << 63); }

llvm::Value *isNat(Builder &b, llvm::Value *time) { return b.CreateICmpEQ(time, natConstant(b)); }

llvm::Value *convertTime(Builder &b, llvm::Value *v, Type from, Type to) {
  TimeUnit unit = from->unit, wanted = to->unit;
  if (unit == wanted || unit == TimeUnit::Generic || wanted == TimeUnit::Generic)
    return v;
  llvm::Value *result = v;
  if (isCalendar(unit) && !isCalendar(wanted))
    result = convertTimeUnit(b, monthsToDays(b, convertTimeUnit(b, v, unit, TimeUnit::Month)),
                             TimeUnit::Day, wanted);
  else if (isCalendar(wanted) && !isCalendar(unit))
    result = convertTimeUnit(b, daysToMonths(b, convertTimeUnit(b, v, unit, TimeUnit::Day)),
                             TimeUnit::Month, wanted);
  else
    result = convertTimeUnit(b, v, unit, wanted);
  return b.CreateSelect(isNat(b, v), natConstant(b), result);
}

llvm::Value *emitTimeBinary(Builder &b, BinaryOp op, TimeOperand left, TimeOperand right,
                            Type result) {
  if (!left.type.isTime())
    return scaleTime(b, op, right.value, left);
  if (!right.type.isTime())
    return scaleTime(b, op, left.value, right);
  auto converted = [&](const TimeOperand &operand, Type like) {
    return convertTime(b, operand.value, operand.type, like);
  };
  Type common = result.isTime() ? result : unifyTimes(left.type, right.type);
  llvm::Value *x = converted(left, common), *y = converted(right, common);
  llvm::Value *gone = b.CreateOr(isNat(b, x), isNat(b, y));
  llvm::Value *zero = b.getInt64(0);
  switch (op) {
  case BinaryOp::Add:
    return b.CreateSelect(gone, natConstant(b), b.CreateAdd(x, y));
  case BinaryOp::Sub:
    return b.CreateSelect(gone, natConstant(b), b.CreateSub(x, y));
  case BinaryOp::TrueDiv: {
    llvm::Type *real = b.getDoubleTy();
    llvm::Value *ratio = b.CreateFDiv(b.CreateSIToFP(x, real), b.CreateSIToFP(y, real));
    return b.CreateSelect(gone, llvm::ConstantFP::getNaN(real), ratio);
  }
  default:
    break;
  }
  Quotient q = divideTimes(b, x, y, /*floor=*/true);
  gone = b.CreateOr(gone, b.CreateICmpEQ(y, zero));
  return op == BinaryOp::FloorDiv ? b.CreateSelect(gone, zero, q.floor)
                                  : b.CreateSelect(gone, natConstant(b), q.remainder);
}

llvm::Value *emitTimeCompare(Builder &b, CompareOp op, TimeOperand left, TimeOperand right) {
  Type common = unifyTimes(left.type, right.type);
  llvm::Value *x = convertTime(b, left.value, left.type, common);
  llvm::Value *y = convertTime(b, right.value, right.type, common);
  llvm::Value *there = b.CreateNot(b.CreateOr(isNat(b, x), isNat(b, y)));
  switch (op) {
  case CompareOp::Eq:
    return b.CreateAnd(there, b.CreateICmpEQ(x, y));
  case CompareOp::Ne:
    return b.CreateNot(b.CreateAnd(there, b.CreateICmpEQ(x, y)));
  case CompareOp::Lt:
    return b.CreateAnd(there, b.CreateICmpSLT(x, y));
  case CompareOp::Le:
    return b.CreateAnd(there, b.CreateICmpSLE(x, y));
  case CompareOp::Gt:
    return b.CreateAnd(there, b.CreateICmpSGT(x, y));
  default:
    return b.CreateAnd(there, b.CreateICmpSGE(x, y));
  }
}

} // namespace heddle::python
