// Video instructions (PTX ISA 9.0, 9.7.17 and 9.7.18): on a register, or a byte or half of one, and on 2 or 4 lanes.
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

  /// Emits the operation on one lane, with saturation to the range of a result of `bits` bits.
  Value *emitOnLane(Value *a, Value *c, unsigned bits) const {
    Type *wide = s.bitsType(wideBits);
    Value *v =
        emit(s.b.CreateIntCast(a, wide, x.isSigned()), s.b.CreateIntCast(c, wide, y.isSigned()));
    if (!saturates)
      return v;
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

/// The register of operand `n`, without its selector.
Operand findRegister(Step &s, size_t n) {
  Operand whole = s.operand(n);
  whole.selector.clear();
  return whole;
}

/// Bits of a register.
struct Part {
  unsigned first = 0, bits = 32;
};

/// The part that operand `n` of an instruction with one lane selects: a byte, a half or everything.
Part findSelectedPart(Step &s, size_t n) {
  StringRef selector = s.operand(n).selector;
  if (selector.empty())
    return {};
  unsigned bits = selector[0] == 'b' ? 8 : 16, number = unsigned(selector[1] - '0');
  if (selector.size() != 2 || number >= 32 / bits)
    s.refuse("'." + selector.str() + "' is not .b0 to .b3, .h0 or .h1");
  return {number * bits, bits};
}

Value *readSelectedPart(Step &s, size_t n) {
  Part part = findSelectedPart(s, n);
  Value *word = s.read(findRegister(s, n), laneWord, false);
  return s.b.CreateTrunc(s.b.CreateLShr(word, part.first), s.bitsType(part.bits));
}

void translateWithOneLane(Step &s, const Operation &operation) {
  Value *x = readSelectedPart(s, 1), *y = readSelectedPart(s, 2);
  Part to = findSelectedPart(s, 0);
  Value *v = s.b.CreateTrunc(operation.emitOnLane(x, y, to.bits), s.bitsType(32));
  if (!operation.second.empty())
    v = emitSecondOperation(operation, v, s.readInput(3, laneWord));
  if (to.bits < 32) { // merge with the third input
    uint64_t mask = APInt::getBitsSet(32, to.first, to.first + to.bits).getZExtValue();
    Value *kept = s.b.CreateAnd(s.readInput(3, laneWord), s.b.getInt32(~uint32_t(mask)));
    v = s.b.CreateOr(kept, s.b.CreateAnd(s.b.CreateShl(v, to.first), mask));
  }
  s.write(findRegister(s, 0), v, laneWord, false);
}

/// The numbers in a selector such as .h32, the lowest lane's first; `preset` without a selector.
SmallVector<unsigned, 4> readSelector(Step &s, size_t n, unsigned lanes, StringRef preset) {
  StringRef selector = s.operand(n).selector, digits = preset;
  if (!selector.empty()) {
    digits = selector.drop_front();
    if (selector[0] != (lanes == 2 ? 'h' : 'b') || digits.size() > preset.size())
      s.refuse("'." + selector.str() + "' is not a selector for " + std::to_string(lanes) +
               " lanes");
  }
  SmallVector<unsigned, 4> out;
  for (char digit : reverse(digits))
    out.push_back(unsigned(digit - '0'));
  return out;
}

/// The lanes that an instruction writes, bit by bit.
unsigned readLaneMask(Step &s, unsigned lanes) {
  unsigned mask = 0;
  for (unsigned lane : readSelector(s, 0, lanes, lanes == 2 ? "10" : "3210")) {
    if (lane >= lanes || mask >> lane)
      s.refuse("'." + s.operand(0).selector + "' is not a mask: .h1 and .h10, .b0 and .b320 are");
    mask |= 1u << lane;
  }
  return mask;
}

/// Reads the lanes of operand `n`, which selects among those of the first and then of the second input.
SmallVector<Value *, 4> readLanes(Step &s, size_t n, unsigned lanes) {
  StringRef preset = lanes == 2 ? (n == 1 ? "10" : "32") : (n == 1 ? "3210" : "7654");
  SmallVector<unsigned, 4> numbers = readSelector(s, n, lanes, preset);
  if (numbers.size() != lanes || any_of(numbers, [&](unsigned i) { return i >= 2 * lanes; }))
    s.refuse("'." + s.operand(n).selector + "' is not a selector for " + std::to_string(lanes) +
             " lanes");
  Value *inputs[] = {s.read(findRegister(s, 1), laneWord, false),
                     s.read(findRegister(s, 2), laneWord, false)};
  SmallVector<Value *, 4> out;
  for (unsigned number : numbers)
    out.push_back(
        s.b.CreateTrunc(s.b.CreateLShr(inputs[number / lanes], number % lanes * (32 / lanes)),
                        s.bitsType(32 / lanes)));
  return out;
}

void translateWithLanes(Step &s, const Operation &operation) {
  unsigned lanes = operation.lanes, bits = 32 / lanes, mask = readLaneMask(s, lanes);
  SmallVector<Value *, 4> x = readLanes(s, 1, lanes), y = readLanes(s, 2, lanes);
  Value *whole = s.readInput(3, laneWord);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    Value *v = s.b.CreateTrunc(operation.emitOnLane(x[lane], y[lane], bits), s.bitsType(32));
    if (!operation.second.empty()) {
      whole = s.b.CreateAdd(whole, v);
      continue;
    }
    uint32_t own = uint32_t(APInt::getBitsSet(32, lane * bits, (lane + 1) * bits).getZExtValue());
    whole = s.b.CreateOr(s.b.CreateAnd(whole, s.b.getInt32(~own)),
                         s.b.CreateAnd(s.b.CreateShl(v, lane * bits), s.b.getInt32(own)));
  }
  s.write(findRegister(s, 0), whole, laneWord, false);
}

void translateVideo(Step &s) {
  Operation operation(s);
  bool merges = !s.operand(0).selector.empty();
  bool hasThird = operation.lanes > 1 || merges || !operation.second.empty();
  if (s.count() != (hasThird ? 4 : 3))
    s.refuse("this instruction takes " + std::string(hasThird ? "three" : "two") + " values");
  if (operation.lanes > 1)
    return translateWithLanes(s, operation);
  if (merges && !operation.second.empty())
    s.refuse("an instruction with a second operation writes a whole register");
  translateWithOneLane(s, operation);
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
