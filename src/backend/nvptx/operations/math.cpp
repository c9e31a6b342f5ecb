#include "backend/nvptx/operations/math.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/ops.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// The libdevice function for a math operation.
struct LibdeviceFunction {
  simt::Op op;
  const char *name;             ///< for doubles; the float variant has the suffix f
  const char *fast;             ///< approximate float variant; null if there is none
  const char *single = nullptr; ///< float variant, if its name differs
};

constexpr LibdeviceFunction libdeviceFunctions[] = {
    {simt::Op::Sin, "__nv_sin", "__nv_fast_sinf"},
    {simt::Op::Cos, "__nv_cos", "__nv_fast_cosf"},
    {simt::Op::Tan, "__nv_tan", "__nv_fast_tanf"},
    {simt::Op::Asin, "__nv_asin", nullptr},
    {simt::Op::Acos, "__nv_acos", nullptr},
    {simt::Op::Atan, "__nv_atan", nullptr},
    {simt::Op::Sinh, "__nv_sinh", nullptr},
    {simt::Op::Cosh, "__nv_cosh", nullptr},
    {simt::Op::Tanh, "__nv_tanh", nullptr},
    {simt::Op::Asinh, "__nv_asinh", nullptr},
    {simt::Op::Acosh, "__nv_acosh", nullptr},
    {simt::Op::Atanh, "__nv_atanh", nullptr},
    {simt::Op::Exp, "__nv_exp", "__nv_fast_expf"},
    {simt::Op::Exp2, "__nv_exp2", nullptr},
    {simt::Op::Expm1, "__nv_expm1", nullptr},
    {simt::Op::Log, "__nv_log", "__nv_fast_logf"},
    {simt::Op::Log2, "__nv_log2", "__nv_fast_log2f"},
    {simt::Op::Log10, "__nv_log10", "__nv_fast_log10f"},
    {simt::Op::Log1p, "__nv_log1p", nullptr},
    {simt::Op::Erf, "__nv_erf", nullptr},
    {simt::Op::Erfc, "__nv_erfc", nullptr},
    {simt::Op::Gamma, "__nv_tgamma", nullptr},
    {simt::Op::LogGamma, "__nv_lgamma", nullptr},
    {simt::Op::Cbrt, "__nv_cbrt", nullptr},
    {simt::Op::Pow, "__nv_pow", "__nv_fast_powf"},
    {simt::Op::Atan2, "__nv_atan2", nullptr},
    {simt::Op::Hypot, "__nv_hypot", nullptr},
    {simt::Op::Fmod, "__nv_fmod", nullptr},
    {simt::Op::Remainder, "__nv_remainder", nullptr},
    {simt::Op::NextAfter, "__nv_nextafter", nullptr},
    {simt::Op::Ldexp, "__nv_ldexp", nullptr},
    {simt::Op::Exp10, "__nv_exp10", "__nv_fast_exp10f"},
    {simt::Op::SinPi, "__nv_sinpi", nullptr},
    {simt::Op::CosPi, "__nv_cospi", nullptr},
    {simt::Op::Rsqrt, "__nv_rsqrt", nullptr},
    {simt::Op::Rcbrt, "__nv_rcbrt", nullptr},
    {simt::Op::ErfInv, "__nv_erfinv", nullptr},
    {simt::Op::ErfcInv, "__nv_erfcinv", nullptr},
    {simt::Op::Erfcx, "__nv_erfcx", nullptr},
    {simt::Op::NormCdf, "__nv_normcdf", nullptr},
    {simt::Op::NormCdfInv, "__nv_normcdfinv", nullptr},
    {simt::Op::BesselJ0, "__nv_j0", nullptr},
    {simt::Op::BesselJ1, "__nv_j1", nullptr},
    {simt::Op::BesselY0, "__nv_y0", nullptr},
    {simt::Op::BesselY1, "__nv_y1", nullptr},
    {simt::Op::BesselJn, "__nv_jn", nullptr},
    {simt::Op::BesselYn, "__nv_yn", nullptr},
    {simt::Op::AddDown, "__nv_dadd_rd", nullptr, "__nv_fadd_rd"},
    {simt::Op::AddUp, "__nv_dadd_ru", nullptr, "__nv_fadd_ru"},
    {simt::Op::AddToZero, "__nv_dadd_rz", nullptr, "__nv_fadd_rz"},
    {simt::Op::MulDown, "__nv_dmul_rd", nullptr, "__nv_fmul_rd"},
    {simt::Op::MulUp, "__nv_dmul_ru", nullptr, "__nv_fmul_ru"},
    {simt::Op::MulToZero, "__nv_dmul_rz", nullptr, "__nv_fmul_rz"},
    {simt::Op::DivDown, "__nv_ddiv_rd", nullptr, "__nv_fdiv_rd"},
    {simt::Op::DivUp, "__nv_ddiv_ru", nullptr, "__nv_fdiv_ru"},
    {simt::Op::DivToZero, "__nv_ddiv_rz", nullptr, "__nv_fdiv_rz"},
    {simt::Op::SqrtDown, "__nv_dsqrt_rd", nullptr, "__nv_fsqrt_rd"},
    {simt::Op::SqrtUp, "__nv_dsqrt_ru", nullptr, "__nv_fsqrt_ru"},
    {simt::Op::SqrtToZero, "__nv_dsqrt_rz", nullptr, "__nv_fsqrt_rz"},
    {simt::Op::FmaDown, "__nv_fma_rd", nullptr, "__nv_fmaf_rd"},
    {simt::Op::FmaUp, "__nv_fma_ru", nullptr, "__nv_fmaf_ru"},
    {simt::Op::FmaToZero, "__nv_fma_rz", nullptr, "__nv_fmaf_rz"},
};

std::string libdeviceName(const LibdeviceFunction &f, const CallInst &call) {
  if (call.getType()->isDoubleTy())
    return f.name;
  if (f.single)
    return f.single;
  bool approximate = cast<FPMathOperator>(call).hasApproxFunc();
  return f.fast && approximate ? f.fast : std::string(f.name) + "f";
}

Value *callLibdevice(IRBuilderBase &b, StringRef name, Type *result, ArrayRef<Value *> operands) {
  SmallVector<Type *, 2> types;
  for (const Value *v : operands)
    types.push_back(v->getType());
  Module &m = *b.GetInsertBlock()->getModule();
  return b.CreateCall(m.getOrInsertFunction(name, FunctionType::get(result, types, false)),
                      operands);
}

/// Allocates an int that a libdevice function writes.
AllocaInst *emitResultAlloca(IRBuilderBase &b, CallInst &call, const char *name) {
  BasicBlock &entry = call.getFunction()->getEntryBlock();
  AllocaInst *slot = IRBuilder<>(&entry, entry.begin()).CreateAlloca(b.getInt32Ty(), nullptr, name);
  b.CreateLifetimeStart(slot);
  return slot;
}
/// Loads the int that the function has written.
Value *loadResultWrittenByCallee(IRBuilderBase &b, AllocaInst *slot) {
  Value *result = b.CreateLoad(b.getInt32Ty(), slot);
  b.CreateLifetimeEnd(slot);
  return result;
}

///     fraction = __nv_frexp(x, &exponent)
Value *lowerFrexp(IRBuilderBase &b, CallInst &call, simt::Op op) {
  Value *x = call.getArgOperand(0);
  AllocaInst *exponent = emitResultAlloca(b, call, "exponent");
  const char *name = x->getType()->isDoubleTy() ? "__nv_frexp" : "__nv_frexpf";
  Value *result = callLibdevice(b, name, x->getType(), {x, exponent});
  Value *power = loadResultWrittenByCallee(b, exponent);
  return op == simt::Op::FrexpExponent ? power : result;
}

///     __nv_remquo(x, y, &quotient)
Value *lowerRemquo(IRBuilderBase &b, CallInst &call) {
  Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
  AllocaInst *quotient = emitResultAlloca(b, call, "quotient");
  const char *name = x->getType()->isDoubleTy() ? "__nv_remquo" : "__nv_remquof";
  callLibdevice(b, name, x->getType(), {x, y, quotient});
  return loadResultWrittenByCallee(b, quotient);
}

/// Returns the replacement of a math operation; null for other calls.
Value *lowerMathCall(CallInst &call) {
  IRBuilder<> b(&call);
  simt::Op op = *simt::calledOp(&call);
  if (op == simt::Op::FrexpFraction || op == simt::Op::FrexpExponent)
    return lowerFrexp(b, call, op);
  if (op == simt::Op::RemquoQuotient)
    return lowerRemquo(b, call);
  for (const LibdeviceFunction &f : libdeviceFunctions)
    if (f.op == op)
      return callLibdevice(b, libdeviceName(f, call), call.getType(),
                           SmallVector<Value *, 2>(call.args()));
  return nullptr;
}

/// LLVM expands frem to x - y * trunc(x / y), which is inaccurate for large quotients.
Value *lowerRemainder(BinaryOperator &frem) {
  IRBuilder<> b(&frem);
  Type *type = frem.getType();
  if (type->isDoubleTy())
    return callLibdevice(b, "__nv_fmod", type, {frem.getOperand(0), frem.getOperand(1)});
  // The remainder of two halfs is exactly representable as a half, so computing in float is exact.
  Value *x = b.CreateFPCast(frem.getOperand(0), b.getFloatTy());
  Value *y = b.CreateFPCast(frem.getOperand(1), b.getFloatTy());
  return b.CreateFPCast(callLibdevice(b, "__nv_fmodf", b.getFloatTy(), {x, y}), type);
}

bool lowerRemainders(Function &f) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    if (i.getOpcode() != Instruction::FRem)
      continue;
    i.replaceAllUsesWith(lowerRemainder(cast<BinaryOperator>(i)));
    i.eraseFromParent();
    changed = true;
  }
  return changed;
}

/// The instruction that converts a float of type `from` to an integer with saturation.
Intrinsic::ID saturatingConversionIntrinsic(bool isSigned, const Type *from, const Type *to) {
  bool isDouble = from->isDoubleTy();
  if (to->isIntegerTy(32)) {
    if (isSigned)
      return isDouble ? Intrinsic::nvvm_d2i_rz : Intrinsic::nvvm_f2i_rz;
    return isDouble ? Intrinsic::nvvm_d2ui_rz : Intrinsic::nvvm_f2ui_rz;
  }
  if (isSigned)
    return isDouble ? Intrinsic::nvvm_d2ll_rz : Intrinsic::nvvm_f2ll_rz;
  return isDouble ? Intrinsic::nvvm_d2ull_rz : Intrinsic::nvvm_f2ull_rz;
}

///     cvt.rzi, and 0 for a NaN where the instruction gives something else
Value *lowerSaturatingConversion(IRBuilderBase &b, IntrinsicInst &call) {
  Value *x = call.getArgOperand(0);
  Type *to = call.getType();
  bool isSigned = call.getIntrinsicID() == Intrinsic::fptosi_sat;
  if (!isSigned && x->getType()->isFloatTy()) {
    // ptxas 13.0 folds `c ? -1.0f : 0.0f` as an unsigned integer to `c ? ~0 : 0`. The maximum of a NaN and 0 is 0.
    Value *atLeastZero = b.CreateMaxNum(x, ConstantFP::getZero(x->getType()));
    return b.CreateIntrinsic(saturatingConversionIntrinsic(isSigned, x->getType(), to),
                             {atLeastZero});
  }
  Value *result = b.CreateIntrinsic(saturatingConversionIntrinsic(isSigned, x->getType(), to), {x});
  // A NaN converts to 0 only between 32-bit types (PTX ISA 9.0, cvt).
  if (x->getType()->isDoubleTy() || to->isIntegerTy(64))
    result = b.CreateSelect(b.CreateFCmpUNO(x, x), Constant::getNullValue(to), result);
  return result;
}

/// LLVM cannot select canonicalize for bfloats.
Value *lowerBfloatCanonicalize(IRBuilderBase &b, IntrinsicInst &call) {
  Value *x = b.CreateFPExt(call.getArgOperand(0), b.getFloatTy());
  return b.CreateFPTrunc(b.CreateUnaryIntrinsic(Intrinsic::canonicalize, x), call.getType());
}

/// Returns the replacement of an intrinsic; null if LLVM's code for it is suitable.
Value *lowerConversionOrCanonicalize(IntrinsicInst &call) {
  IRBuilder<> b(&call);
  switch (call.getIntrinsicID()) {
  case Intrinsic::fptosi_sat:
  case Intrinsic::fptoui_sat: {
    Type *from = call.getArgOperand(0)->getType();
    bool direct = (from->isFloatTy() || from->isDoubleTy()) &&
                  (call.getType()->isIntegerTy(32) || call.getType()->isIntegerTy(64));
    return direct ? lowerSaturatingConversion(b, call) : nullptr;
  }
  case Intrinsic::canonicalize:
    return call.getType()->isBFloatTy() ? lowerBfloatCanonicalize(b, call) : nullptr;
  default:
    return nullptr;
  }
}

bool lowerConversionsAndCanonicalize(Function &f) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    auto *call = dyn_cast<IntrinsicInst>(&i);
    Value *v = call ? lowerConversionOrCanonicalize(*call) : nullptr;
    if (!v)
      continue;
    replaceCall(*call, v);
    changed = true;
  }
  return changed;
}

} // namespace

PreservedAnalyses LowerMath::run(Function &f, FunctionAnalysisManager &) {
  bool changed = lowerRemainders(f);
  changed |= lowerConversionsAndCanonicalize(f);
  changed |= lowerOperationCalls(f, lowerMathCall);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
