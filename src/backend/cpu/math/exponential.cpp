#include "backend/cpu/math/exponential.h"

#include "backend/cpu/math/local_function.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <array>

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Emits x = k log 2 + r with |r| <= log(2) / 2, and exp(x) = 2^k exp(r).
class ExponentialBody {
public:
  ExponentialBody(IRBuilderBase &b, Type &type, bool hasFma)
      : b_(b), type_(type), hasFma_(hasFma) {}

  Value *emit(Value *x) {
    x = clamp(x);
    // The sum rounds to an integer, whose lowest bits are those of k + 2046.
    constexpr double toInteger = 0x1.8p52 + 2046;
    Value *sum = multiplyAdd(x, constant(0x1.71547652b82fep0), constant(toInteger)); // 1 / log 2
    Value *k = b_.CreateFSub(sum, constant(toInteger));
    return scaleByPowerOfTwo(emitExpPolynomial(subtractMultipleOfLog2(x, k)), sum);
  }

private:
  Value *constant(double value) { return ConstantFP::get(&type_, value); }

  /// x * y + z
  Value *multiplyAdd(Value *x, Value *y, Value *z) {
    if (hasFma_)
      return b_.CreateIntrinsic(Intrinsic::fma, {&type_}, {x, y, z});
    return b_.CreateFAdd(b_.CreateFMul(x, y), z);
  }

  /// Beyond 710 and -746 the result is infinite or 0. NaN stays NaN.
  Value *clamp(Value *x) {
    x = b_.CreateSelect(b_.CreateFCmpOGT(x, constant(710)), constant(710), x);
    return b_.CreateSelect(b_.CreateFCmpOLT(x, constant(-746)), constant(-746), x);
  }

  /// x - k log 2. The product with the high part of log 2 is exact, and so is the difference from it.
  Value *subtractMultipleOfLog2(Value *x, Value *k) {
    constexpr double high = 0x1.62e42fefa38p-1, low = 0x1.ef35793c7673p-45;
    return multiplyAdd(k, constant(-low), multiplyAdd(k, constant(-high), x));
  }

  /// The Taylor series 1 + r + r^2 (1/2! + r/3! + ... + r^11/13!), in brackets by Estrin's scheme. FMA instructions
  /// round less in Horner's.
  Value *emitExpPolynomial(Value *r) {
    std::array<Value *, 12> terms;
    double factorial = 1;
    for (unsigned i = 0; i < terms.size(); ++i)
      terms[i] = constant(1 / (factorial *= i + 2));
    Value *square = b_.CreateFMul(r, r), *fourth = b_.CreateFMul(square, square);
    auto addPairs = [&](unsigned count, Value *power) {
      for (unsigned i = 0; i < count; i += 2)
        terms[i / 2] = multiplyAdd(terms[i + 1], power, terms[i]);
    };
    addPairs(12, r);
    addPairs(6, square);
    Value *rest = multiplyAdd(multiplyAdd(terms[2], fourth, terms[1]), fourth, terms[0]);
    if (hasFma_)
      return multiplyAdd(multiplyAdd(rest, r, constant(1)), r, constant(1));
    return b_.CreateFAdd(multiplyAdd(rest, square, r), constant(1));
  }

  /// value * 2^k, rounded once, in two steps because 2^k may be no normal number. sum: its lowest bits are k + 2046.
  Value *scaleByPowerOfTwo(Value *value, Value *sum) {
    Type *integer = type_.getWithNewType(b_.getInt64Ty());
    auto bits = [&](int64_t value) { return ConstantInt::getSigned(integer, value); };
    Value *exponents = b_.CreateBitCast(sum, integer); // 2046: two biases of an exponent
    Value *first = b_.CreateShl(b_.CreateAnd(exponents, bits(~1)), bits(51));
    Value *second = b_.CreateSub(b_.CreateShl(exponents, bits(52)), first);
    value = b_.CreateFMul(value, b_.CreateBitCast(first, &type_));
    return b_.CreateFMul(value, b_.CreateBitCast(second, &type_));
  }

  IRBuilderBase &b_;
  Type &type_;
  bool hasFma_;
};

} // namespace

Function *getOrCreateExpFunction(Function &caller, Type &type, bool hasFma) {
  auto *vector = dyn_cast<FixedVectorType>(&type);
  std::string name = ("heddle.exp.f64x" + Twine(vector ? vector->getNumElements() : 1)).str();
  if (Function *made = caller.getParent()->getFunction(name))
    return made;
  Function *f = createPureInternalFunction(caller, *FunctionType::get(&type, {&type}, false), name);
  IRBuilder<> b(BasicBlock::Create(f->getContext(), "", f));
  b.CreateRet(ExponentialBody(b, type, hasFma).emit(f->getArg(0)));
  return f;
}

} // namespace heddle::cpu
