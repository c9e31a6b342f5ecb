#include "backend/cpu/math/lower_math.h"

#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/math/vector_math.h"
#include "simt/ir/ops.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// The function for double in libm or the runtime; append f for float. Null if the operation is not a single call.
const char *libmName(simt::Op op) {
  switch (op) {
  case simt::Op::Sin:
    return "sin";
  case simt::Op::Cos:
    return "cos";
  case simt::Op::Tan:
    return "tan";
  case simt::Op::Asin:
    return "asin";
  case simt::Op::Acos:
    return "acos";
  case simt::Op::Atan:
    return "atan";
  case simt::Op::Sinh:
    return "sinh";
  case simt::Op::Cosh:
    return "cosh";
  case simt::Op::Tanh:
    return "tanh";
  case simt::Op::Asinh:
    return "asinh";
  case simt::Op::Acosh:
    return "acosh";
  case simt::Op::Atanh:
    return "atanh";
  case simt::Op::Exp:
    return "exp";
  case simt::Op::Exp2:
    return "exp2";
  case simt::Op::Expm1:
    return "expm1";
  case simt::Op::Log:
    return "log";
  case simt::Op::Log2:
    return "log2";
  case simt::Op::Log10:
    return "log10";
  case simt::Op::Log1p:
    return "log1p";
  case simt::Op::Erf:
    return "erf";
  case simt::Op::Erfc:
    return "erfc";
  case simt::Op::Gamma:
    return "tgamma";
  case simt::Op::Cbrt:
    return "cbrt";
  case simt::Op::Pow:
    return "pow";
  case simt::Op::Atan2:
    return "atan2";
  case simt::Op::Hypot:
    return "hypot";
  case simt::Op::Fmod:
    return "fmod";
  case simt::Op::Remainder:
    return "remainder";
  case simt::Op::NextAfter:
    return "nextafter";
  case simt::Op::Ldexp:
    return "ldexp";
  case simt::Op::Exp10:
    return "heddle_exp10";
  case simt::Op::SinPi:
    return "heddle_sinpi";
  case simt::Op::CosPi:
    return "heddle_cospi";
  case simt::Op::Rcbrt:
    return "heddle_rcbrt";
  case simt::Op::ErfInv:
    return "heddle_erfinv";
  case simt::Op::ErfcInv:
    return "heddle_erfcinv";
  case simt::Op::Erfcx:
    return "heddle_erfcx";
  case simt::Op::NormCdf:
    return "heddle_normcdf";
  case simt::Op::NormCdfInv:
    return "heddle_normcdfinv";
  case simt::Op::BesselJ0:
    return "heddle_j0";
  case simt::Op::BesselJ1:
    return "heddle_j1";
  case simt::Op::BesselY0:
    return "heddle_y0";
  case simt::Op::BesselY1:
    return "heddle_y1";
  case simt::Op::BesselJn:
    return "heddle_jn";
  case simt::Op::BesselYn:
    return "heddle_yn";
  case simt::Op::RemquoQuotient:
    return "heddle_remquo_quotient";
  case simt::Op::AddDown:
    return "heddle_add_rd";
  case simt::Op::AddUp:
    return "heddle_add_ru";
  case simt::Op::AddToZero:
    return "heddle_add_rz";
  case simt::Op::MulDown:
    return "heddle_mul_rd";
  case simt::Op::MulUp:
    return "heddle_mul_ru";
  case simt::Op::MulToZero:
    return "heddle_mul_rz";
  case simt::Op::DivDown:
    return "heddle_div_rd";
  case simt::Op::DivUp:
    return "heddle_div_ru";
  case simt::Op::DivToZero:
    return "heddle_div_rz";
  case simt::Op::SqrtDown:
    return "heddle_sqrt_rd";
  case simt::Op::SqrtUp:
    return "heddle_sqrt_ru";
  case simt::Op::SqrtToZero:
    return "heddle_sqrt_rz";
  case simt::Op::FmaDown:
    return "heddle_fma_rd";
  case simt::Op::FmaUp:
    return "heddle_fma_ru";
  case simt::Op::FmaToZero:
    return "heddle_fma_rz";
  default:
    return nullptr;
  }
}

/// The floating-point type of the operation.
Type *floatTypeOf(const CallInst &call) {
  Type *result = call.getType();
  return result->isFloatingPointTy() ? result : call.getArgOperand(0)->getType();
}

std::string appendFloatSuffix(const char *name, const Type *t) {
  return std::string(name) + (t->isFloatTy() ? "f" : "");
}

/// Declares a libm function that writes at most the memory of its pointer argument.
FunctionCallee declareLibmFunction(Module &m, StringRef name, FunctionType *type,
                                   MemoryEffects effects) {
  FunctionCallee callee = m.getOrInsertFunction(name, type);
  auto *f = cast<Function>(callee.getCallee());
  f->setMemoryEffects(effects);
  f->setDoesNotThrow();
  f->addFnAttr(Attribute::WillReturn);
  f->addFnAttr(Attribute::NoCallback);
  f->addFnAttr(Attribute::NoFree);
  return callee;
}

/// Copies a call with another callee.
CallInst *copyCallWithCallee(IRBuilderBase &b, CallInst &call, FunctionCallee callee) {
  SmallVector<Value *, 2> arguments(call.args());
  CallInst *lowered = b.CreateCall(callee, arguments);
  if (isa<FPMathOperator>(call))
    lowered->copyFastMathFlags(&call);
  return lowered;
}

CallInst *callLibm(IRBuilderBase &b, CallInst &call, const char *name) {
  FunctionCallee callee =
      declareLibmFunction(*call.getModule(), appendFloatSuffix(name, floatTypeOf(call)),
                          call.getCalledFunction()->getFunctionType(), MemoryEffects::none());
  CallInst *lowered = copyCallWithCallee(b, call, callee);
  // Given a finite x and nonzero y, LLVM 22 marks fmod(x, y) as never NaN, even if y is NaN.
  if (StringRef(name) == "fmod")
    lowered->addFnAttr(Attribute::NoBuiltin);
  return lowered;
}

/// lgamma writes the global signgam, which would be a data race.
Value *emitLogGamma(IRBuilderBase &b, CallInst &call) {
  Type *t = call.getType();
  BasicBlock &entry = call.getFunction()->getEntryBlock();
  auto *sign = IRBuilder<>(&entry, entry.begin()).CreateAlloca(b.getInt32Ty(), nullptr, "sign");
  auto *type = FunctionType::get(t, {t, b.getPtrTy()}, false);
  FunctionCallee callee =
      declareLibmFunction(*call.getModule(), t->isFloatTy() ? "lgammaf_r" : "lgamma_r", type,
                          MemoryEffects::argMemOnly(ModRefInfo::Mod));
  b.CreateLifetimeStart(sign);
  Value *result = b.CreateCall(callee, {call.getArgOperand(0), sign});
  b.CreateLifetimeEnd(sign);
  return result;
}

/// Emits frexp's fraction or exponent by bit operations: LLVM 22's loop vectorizer crashes on llvm.frexp of a loop
/// invariant.
Value *emitFrexp(IRBuilderBase &b, CallInst &call, bool wantsExponent) {
  Value *x = call.getArgOperand(0);
  bool isDouble = x->getType()->isDoubleTy();
  unsigned mantissa = isDouble ? 52 : 23;
  uint64_t exponents = isDouble ? 0x7ff : 0xff, halfExponent = exponents / 2 - 1;
  Type *word = b.getIntNTy(isDouble ? 64 : 32);
  auto exponentOf = [&](Value *bits) {
    return b.CreateAnd(b.CreateLShr(bits, mantissa), ConstantInt::get(word, exponents));
  };
  Value *bits = b.CreateBitCast(x, word);
  Value *isSmall = b.CreateICmpEQ(exponentOf(bits), ConstantInt::get(word, 0));
  Value *isSpecial =
      b.CreateOr(b.CreateFCmpOEQ(x, ConstantFP::get(x->getType(), 0)),
                 b.CreateICmpEQ(exponentOf(bits), ConstantInt::get(word, exponents)));
  // Scales a subnormal number to a normal one.
  double factor = isDouble ? 0x1p54 : 0x1p25;
  Value *larger = b.CreateBitCast(b.CreateFMul(x, ConstantFP::get(x->getType(), factor)), word);
  bits = b.CreateSelect(isSmall, larger, bits);
  if (wantsExponent) {
    Value *offset = b.CreateSelect(isSmall, ConstantInt::get(word, halfExponent + mantissa + 2),
                                   ConstantInt::get(word, halfExponent));
    Value *exponent = b.CreateTrunc(b.CreateSub(exponentOf(bits), offset), b.getInt32Ty());
    return b.CreateSelect(isSpecial, b.getInt32(0), exponent);
  }
  uint64_t others = (isDouble ? ~uint64_t(0) : 0xffffffff) & ~(exponents << mantissa);
  Value *mantissaBits = b.CreateAnd(bits, ConstantInt::get(word, others));
  Value *half = b.CreateOr(mantissaBits, ConstantInt::get(word, halfExponent << mantissa));
  return b.CreateSelect(isSpecial, x, b.CreateBitCast(half, x->getType()));
}

/// Emits fmod as |x| - trunc(|x| / |y|) * |y|, which an FMA computes exactly if the quotient has fewer than 53 bits;
/// else calls libm. If the quotient was rounded up, the remainder is negative.
Value *emitFmod(IRBuilder<> &b, CallInst &call) {
  Type *type = call.getType(), *wide = b.getDoubleTy();
  Value *x = call.getArgOperand(0);
  auto size = [&](unsigned i) {
    return b.CreateUnaryIntrinsic(Intrinsic::fabs, b.CreateFPCast(call.getArgOperand(i), wide));
  };
  Value *dividend = size(0), *divisor = size(1);
  Value *quotient = b.CreateUnaryIntrinsic(Intrinsic::trunc, b.CreateFDiv(dividend, divisor));
  Value *remainder =
      b.CreateIntrinsic(Intrinsic::fma, {wide}, {b.CreateFNeg(quotient), divisor, dividend});
  Value *isBelow = b.CreateFCmpOLT(remainder, ConstantFP::get(wide, 0));
  remainder = b.CreateSelect(isBelow, b.CreateFAdd(remainder, divisor), remainder);
  remainder = b.CreateSelect(b.CreateFCmpOLT(dividend, divisor), dividend,
                             remainder); // also for an infinite divisor
  Value *fast = b.CreateBinaryIntrinsic(Intrinsic::copysign, b.CreateFPCast(remainder, type), x);
  Value *isLong = b.CreateFCmpUGE(quotient, ConstantFP::get(wide, 0x1p53)); // or NaN
  BasicBlock *here = b.GetInsertBlock();
  Instruction *end =
      SplitBlockAndInsertIfThen(isLong, &call, /*Unreachable=*/false,
                                MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(end);
  Value *slow = callLibm(b, call, "fmod");
  b.SetInsertPoint(&call);
  PHINode *result = b.CreatePHI(type, 2);
  result->addIncoming(fast, here);
  result->addIncoming(slow, end->getParent());
  return result;
}

/// Returns null if the call is not a math operation.
Value *lowerMathCall(CallInst &call, MathLibrary library, const VectorMath &vectors) {
  IRBuilder<> b(&call);
  simt::Op op = *simt::calledOp(&call);
  const char *name = libmName(op);
  if (op == simt::Op::Fmod && library == MathLibrary::Libm && vectors.hasFma())
    return emitFmod(b, call);
  if (Function *sleefFunction = vectors.getScalarFunction(call, op)) {
    bool bySleef = library == MathLibrary::Sleef || !name;
    CallInst *own = bySleef ? copyCallWithCallee(b, call, sleefFunction) : callLibm(b, call, name);
    if (library == MathLibrary::Libm) // for LLVM's vectorizers, in loops of host functions
      vectors.addVectorVariants(*own, op);
    return VectorMath::correctPowWithExponentOne(b, op, SmallVector<Value *, 2>(call.args()), own);
  }
  if (name)
    return callLibm(b, call, name);
  switch (op) {
  case simt::Op::LogGamma:
    return emitLogGamma(b, call);
  case simt::Op::Rsqrt:
    return emitReciprocalSqrt(b, call.getArgOperand(0));
  case simt::Op::FrexpFraction:
    return emitFrexp(b, call, /*wantsExponent=*/false);
  case simt::Op::FrexpExponent:
    return emitFrexp(b, call, /*wantsExponent=*/true);
  default:
    return nullptr;
  }
}

} // namespace

Value *emitReciprocalSqrt(IRBuilderBase &b, Value *x) {
  IRBuilderBase::FastMathFlagGuard guard(b);
  b.clearFastMathFlags(); // approximate reciprocals differ between machines
  return b.CreateFDiv(ConstantFP::get(x->getType(), 1), b.CreateUnaryIntrinsic(Intrinsic::sqrt, x));
}

PreservedAnalyses LowerMath::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  VectorMath vectors(f);
  for (CallInst *call : simtCalls(f)) {
    Value *v = lowerMathCall(*call, library_, vectors);
    if (!v)
      continue;
    call->replaceAllUsesWith(v);
    call->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
