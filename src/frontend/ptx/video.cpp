// Video instructions (PTX ISA 9.0, 9.7.17 and 9.7.18) on whole registers, and on the 2 or 4 lanes of a register.
#include "frontend/ptx/step.h"

#include "llvm/ADT/StringSwitch.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

constexpr ScalarType laneWord{ScalarType::Bits, 32};
/// The width of intermediate results. Shifts lose higher bits before they saturate.
constexpr unsigned wideBits = 34;

ScalarType takeWordType(Step &s) {
  ScalarType type = s.takeType();
  if (type.bits() != 32 || type.lanes != 1 || type.isFloat() || type.kind == ScalarType::Bits)
    s.refuse("video instructions take .u32 and .s32");
  return type;
}

Value *emitLaneComparison(Step &s, StringRef comparison, Value *x, Value *y) {
  CmpInst::Predicate predicate = StringSwitch<CmpInst::Predicate>(comparison)
                                     .Case("eq", CmpInst::ICMP_EQ)
                                     .Case("ne", CmpInst::ICMP_NE)
                                     .Case("lt", CmpInst::ICMP_SLT)
                                     .Case("le", CmpInst::ICMP_SLE)
                                     .Case("gt", CmpInst::ICMP_SGT)
                                     .Default(CmpInst::ICMP_SGE);
  return s.b.CreateZExt(s.b.CreateICmp(predicate, x, y), x->getType());
}

/// The operation of an instruction such as vadd, vadd2 or vset4, on wide integers.
struct Operation {
  explicit Operation(Step &s) : s(s), name(s.statement.name) {
    if (name.consume_back("4"))
      lanes = 4;
    else if (name.consume_back("2"))
      lanes = 2;
    if (name == "vset") {
      comparison = s.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge"});
      if (comparison.empty())
        s.refuse("the comparison is missing: .eq, .ne, .lt, .le, .gt or .ge");
    } else {
      to = takeWordType(s);
    }
    x = takeWordType(s);
    y = takeWordType(s);
    saturates = s.takeWord("sat");
    isShift = name == "vshl" || name == "vshr";
    wraps = isShift && s.takeOneOf({"clamp", "wrap"}) == "wrap";
    second = lanes == 1 ? s.takeOneOf({"add", "min", "max"}) : s.takeOneOf({"add"});
  }

  Value *emit(Value *a, Value *c) const {
    if (name == "vadd")
      return s.b.CreateAdd(a, c);
    if (name == "vsub")
      return s.b.CreateSub(a, c);
    if (name == "vabsdiff")
      return s.b.CreateBinaryIntrinsic(Intrinsic::abs, s.b.CreateSub(a, c), s.b.getFalse());
    if (name == "vmin" || name == "vmax")
      return s.b.CreateBinaryIntrinsic(name == "vmin" ? Intrinsic::smin : Intrinsic::smax, a, c);
    if (name == "vset")
      return emitLaneComparison(s, comparison, a, c);
    if (name == "vavrg") { // rounds away from zero
      Value *sum = s.b.CreateAdd(a, c), *zero = Constant::getNullValue(sum->getType());
      Value *one = s.b.CreateZExt(s.b.CreateICmpSGE(sum, zero), sum->getType());
      return s.b.CreateAShr(s.b.CreateAdd(sum, one), 1);
    }
    Value *amount =
        wraps ? s.b.CreateAnd(c, 31)
              : s.b.CreateBinaryIntrinsic(Intrinsic::umin, c, ConstantInt::get(c->getType(), 32));
    return name == "vshl" ? s.b.CreateShl(a, amount) : s.b.CreateAShr(a, amount);
  }

  /// Emits the operation on one lane, with saturation to the result's range.
  Value *emitOnLane(Value *a, Value *c) const {
    Type *wide = s.bitsType(wideBits);
    Value *v =
        emit(s.b.CreateIntCast(a, wide, x.isSigned()), s.b.CreateIntCast(c, wide, y.isSigned()));
    if (!saturates)
      return v;
    unsigned bits = 32 / lanes;
    APInt least =
        to.isSigned() ? APInt::getSignedMinValue(bits).sext(wideBits) : APInt(wideBits, 0);
    APInt most = APInt::getLowBitsSet(wideBits, to.isSigned() ? bits - 1 : bits);
    v = s.b.CreateBinaryIntrinsic(Intrinsic::smax, v, s.b.getInt(least));
    return s.b.CreateBinaryIntrinsic(Intrinsic::smin, v, s.b.getInt(most));
  }

  Step &s;
  StringRef name, comparison, second;
  unsigned lanes = 1;
  ScalarType to{ScalarType::Unsigned, 32}, x, y;
  bool saturates = false, isShift = false, wraps = false;
};

/// Combines the result with the third input.
Value *emitSecondOperation(const Operation &operation, Value *v, Value *c) {
  IRBuilder<> &b = operation.s.b;
  if (operation.second == "add")
    return b.CreateAdd(v, c);
  bool isMin = operation.second == "min";
  return b.CreateBinaryIntrinsic(operation.to.isSigned()
                                     ? (isMin ? Intrinsic::smin : Intrinsic::smax)
                                     : (isMin ? Intrinsic::umin : Intrinsic::umax),
                                 v, c);
}

void translateVideo(Step &s) {
  Operation operation(s);
  Value *x = s.readInput(1, laneWord), *y = s.readInput(2, laneWord);
  bool hasThird = operation.lanes > 1 || !operation.second.empty();
  if (s.count() != (hasThird ? 4 : 3))
    s.refuse("this instruction takes " + std::string(hasThird ? "three" : "two") + " values");
  if (operation.lanes == 1) {
    Value *v = s.b.CreateTrunc(operation.emitOnLane(x, y), s.bitsType(32));
    if (hasThird)
      v = emitSecondOperation(operation, v, s.readInput(3, laneWord));
    return s.writeResult(v, laneWord);
  }
  unsigned bits = 32 / operation.lanes;
  Value *whole = operation.second.empty() ? s.b.getInt32(0) : s.readInput(3, laneWord);
  for (unsigned lane = 0; lane < operation.lanes; ++lane) {
    auto part = [&](Value *v) {
      return s.b.CreateTrunc(s.b.CreateLShr(v, lane * bits), s.bitsType(bits));
    };
    Value *v = s.b.CreateTrunc(operation.emitOnLane(part(x), part(y)), s.bitsType(32));
    if (operation.second.empty())
      v = s.b.CreateShl(s.b.CreateAnd(v, (uint64_t(1) << bits) - 1), lane * bits);
    whole = operation.second.empty() ? s.b.CreateOr(whole, v) : s.b.CreateAdd(whole, v);
  }
  s.writeResult(whole, laneWord);
}

} // namespace

ArrayRef<Row> videoInstructions() {
  static const Row rows[] = {
      {"vadd", 3, 4, translateVideo},      {"vsub", 3, 4, translateVideo},
      {"vabsdiff", 3, 4, translateVideo},  {"vmin", 3, 4, translateVideo},
      {"vmax", 3, 4, translateVideo},      {"vshl", 3, 4, translateVideo},
      {"vshr", 3, 4, translateVideo},      {"vset", 3, 4, translateVideo},
      {"vadd2", 4, 4, translateVideo},     {"vsub2", 4, 4, translateVideo},
      {"vavrg2", 4, 4, translateVideo},    {"vabsdiff2", 4, 4, translateVideo},
      {"vmin2", 4, 4, translateVideo},     {"vmax2", 4, 4, translateVideo},
      {"vset2", 4, 4, translateVideo},     {"vadd4", 4, 4, translateVideo},
      {"vsub4", 4, 4, translateVideo},     {"vavrg4", 4, 4, translateVideo},
      {"vabsdiff4", 4, 4, translateVideo}, {"vmin4", 4, 4, translateVideo},
      {"vmax4", 4, 4, translateVideo},     {"vset4", 4, 4, translateVideo},
  };
  return rows;
}

} // namespace heddle::ptx
