#include "backend/cpu/math/vector_math.h"

#include "backend/cpu/math/exponential.h"
#include "backend/cpu/math/local_function.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/VFABIDemangler.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <algorithm>

namespace heddle::cpu {

using namespace llvm;

namespace {

struct Row {
  simt::Op op;
  StringRef function; ///< name in libm, and part of the name in SLEEF
  StringRef bound;    ///< error bound in tenths of an ulp
};

// Excludes functions that SLEEF 3.5 gets wrong for large arguments: sinh, cosh, asinh, acosh, log1p, sinpi, cospi,
// tgamma, lgamma.
constexpr Row rows[] = {
    {simt::Op::Sin, "sin", "u10"},     {simt::Op::Cos, "cos", "u10"},
    {simt::Op::Tan, "tan", "u10"},     {simt::Op::Asin, "asin", "u10"},
    {simt::Op::Acos, "acos", "u10"},   {simt::Op::Atan, "atan", "u10"},
    {simt::Op::Tanh, "tanh", "u10"},   {simt::Op::Atanh, "atanh", "u10"},
    {simt::Op::Exp, "exp", "u10"},     {simt::Op::Exp2, "exp2", "u10"},
    {simt::Op::Exp10, "exp10", "u10"}, {simt::Op::Expm1, "expm1", "u10"},
    {simt::Op::Log, "log", "u10"},     {simt::Op::Log2, "log2", "u10"},
    {simt::Op::Log10, "log10", "u10"}, {simt::Op::Erf, "erf", "u10"},
    {simt::Op::Erfc, "erfc", "u15"},   {simt::Op::Cbrt, "cbrt", "u10"},
    {simt::Op::Pow, "pow", "u10"},     {simt::Op::Atan2, "atan2", "u10"},
    {simt::Op::Hypot, "hypot", "u05"},
};

std::string readStringAttribute(const Function &f, StringRef name) {
  return f.getFnAttribute(name).getValueAsString().str();
}

Type *scalarOrVectorType(Type &number, unsigned lanes) {
  return lanes == 1 ? &number : FixedVectorType::get(&number, lanes);
}

/// Wraps SLEEF's pow for double, which returns infinity from 2e-6 below the largest number on. There, the wrapper
/// squares the power to half the exponent.
Function *getOrCreatePowWrapper(Function &sleef, Function &caller) {
  Module &m = *sleef.getParent();
  std::string name = ("heddle." + sleef.getName()).str();
  if (Function *made = m.getFunction(name))
    return made;
  Function *f = createPureInternalFunction(caller, *sleef.getFunctionType(), name);
  Value *x = f->getArg(0), *y = f->getArg(1);
  LLVMContext &context = m.getContext();
  IRBuilder<> b(BasicBlock::Create(context, "", f));
  auto constant = [&](double value) { return ConstantFP::get(x->getType(), value); };
  auto size = [&](Value *v) { return b.CreateUnaryIntrinsic(Intrinsic::fabs, v); };
  CallInst *power = b.CreateCall(&sleef, {x, y});
  Value *infinity = ConstantFP::getInfinity(x->getType());
  Value *isFinite =
      b.CreateAnd(b.CreateFCmpOGT(size(x), constant(0)), b.CreateFCmpOLT(size(x), infinity));
  Value *overflows = b.CreateAnd(isFinite, b.CreateFCmpOEQ(size(power), infinity));
  Value *any = x->getType()->isVectorTy() ? b.CreateOrReduce(overflows) : overflows;
  BasicBlock *fix = BasicBlock::Create(context, "fix", f);
  BasicBlock *done = BasicBlock::Create(context, "done", f);
  b.CreateCondBr(any, fix, done, MDBuilder(context).createUnlikelyBranchWeights());
  b.SetInsertPoint(done);
  b.CreateRet(power);
  b.SetInsertPoint(fix);
  Value *root = b.CreateCall(&sleef, {size(x), b.CreateFMul(y, constant(0.5))});
  Value *square = b.CreateBinaryIntrinsic(Intrinsic::copysign, b.CreateFMul(root, root), power);
  b.CreateRet(b.CreateSelect(overflows, square, power));
  return f;
}

} // namespace

VectorMath::VectorMath(const Triple &triple, StringRef features) {
  if (triple.isAArch64()) {
    isArm_ = hasFma_ = true;
    bits_ = 128; // SLEEF's functions for longer vectors take scalable ones
  }
  if (triple.getArch() != Triple::x86_64)
    return;
  auto has = [&](StringRef feature) { return is_contained(split(features, ','), feature); };
  hasFma_ = has("+fma") && has("+avx2");
  bits_ = !hasFma_ ? (has("+avx") ? 256 : 128) : has("+avx512f") ? 512 : 256;
}

VectorMath::VectorMath(const Function &f)
    : VectorMath(f.getParent()->getTargetTriple(), readStringAttribute(f, "target-features")) {}

/// Vectors fill at least a 128-bit register.
unsigned VectorMath::minLanes(const Type &number) const {
  return 128 / number.getScalarSizeInBits();
}
unsigned VectorMath::maxLanes(const Type &number) const {
  return bits_ / number.getScalarSizeInBits();
}

std::string VectorMath::vectorFunctionName(simt::Op op, const Type &type, unsigned lanes) const {
  const Row *row = find_if(rows, [=](const Row &r) { return r.op == op; });
  if (bits_ == 0 || row == std::end(rows) || !(type.isFloatTy() || type.isDoubleTy()))
    return "";
  if (lanes != 1 && (lanes < minLanes(type) || lanes > maxLanes(type)))
    return "";
  StringRef processor = hasFma_ ? "purecfma" : "purec";
  if (lanes != 1)
    switch (lanes * type.getScalarSizeInBits()) {
    case 128:
      processor = isArm_ ? "advsimd" : hasFma_ ? "avx2128" : "sse2";
      break;
    case 256:
      processor = hasFma_ ? "avx2" : "avx";
      break;
    default:
      processor = "avx512f";
    }
  return ("Sleef_" + Twine(hasFma_ ? "finz_" : "cinz_") + row->function +
          (type.isFloatTy() ? "f" : "d") + Twine(lanes) + "_" + row->bound + processor)
      .str();
}

Function *VectorMath::declareVectorFunction(Module &m, simt::Op op, Type &number, unsigned lanes,
                                            unsigned operands) const {
  Type *type = scalarOrVectorType(number, lanes);
  SmallVector<Type *, 2> types(operands, type);
  FunctionCallee callee = m.getOrInsertFunction(vectorFunctionName(op, number, lanes),
                                                FunctionType::get(type, types, false));
  auto *f = cast<Function>(callee.getCallee());
  f->setDoesNotAccessMemory();
  f->setDoesNotThrow();
  f->setWillReturn();
  return f;
}

Function *VectorMath::getFunctionForLanes(Function &caller, simt::Op op, Type &number,
                                          unsigned lanes, unsigned operands) const {
  if (op == simt::Op::Exp && number.isDoubleTy())
    return getOrCreateExpFunction(caller, *scalarOrVectorType(number, lanes), hasFma_);
  Function *f = declareVectorFunction(*caller.getParent(), op, number, lanes, operands);
  return op == simt::Op::Pow && number.isDoubleTy() ? getOrCreatePowWrapper(*f, caller) : f;
}

Function *VectorMath::getScalarFunction(CallInst &call, simt::Op op) const {
  Type &number = *call.getType();
  if (vectorFunctionName(op, number, 1).empty())
    return nullptr;
  return getFunctionForLanes(*call.getFunction(), op, number, 1, call.arg_size());
}

Value *VectorMath::emitCalls(IRBuilderBase &b, simt::Op op, ArrayRef<Value *> operands) const {
  auto *type = cast<FixedVectorType>(operands.front()->getType());
  Type *number = type->getElementType();
  if (vectorFunctionName(op, *number, 1).empty())
    return nullptr;
  unsigned lanes = type->getNumElements();
  unsigned piece = std::clamp(lanes, minLanes(*number), maxLanes(*number));
  Function *f = getFunctionForLanes(*b.GetInsertBlock()->getParent(), op, *number, piece,
                                    unsigned(operands.size()));
  auto part = [&](Value *v, unsigned from) {
    SmallVector<int, 32> indices(piece, PoisonMaskElem);
    for (unsigned i = 0; i < piece && from + i < lanes; ++i)
      indices[i] = int(from + i);
    return piece == lanes ? v : b.CreateShuffleVector(v, indices);
  };
  SmallVector<Value *, 8> results;
  for (unsigned from = 0; from < lanes; from += piece) {
    SmallVector<Value *, 2> own;
    for (Value *v : operands)
      own.push_back(part(v, from));
    results.push_back(b.CreateCall(f, own));
  }
  Value *all = concatenateVectors(b, results);
  if (piece > lanes)
    all = b.CreateExtractVector(type, all, uint64_t(0));
  return correctPowWithExponentOne(b, op, operands, all);
}

Value *VectorMath::correctPowWithExponentOne(IRBuilderBase &b, simt::Op op,
                                             ArrayRef<Value *> operands, Value *result) {
  if (op != simt::Op::Pow)
    return result;
  Value *isOne = b.CreateFCmpOEQ(operands[1], ConstantFP::get(operands[1]->getType(), 1));
  return b.CreateSelect(isOne, operands[0], result);
}

void VectorMath::addVectorVariants(CallInst &call, simt::Op op) const {
  Type &number = *call.getType();
  if (vectorFunctionName(op, number, 1).empty())
    return;
  SmallVector<std::string, 4> variants;
  SmallVector<GlobalValue *, 4> declared;
  std::string parameters(call.arg_size(), 'v');
  for (unsigned lanes = minLanes(number); lanes <= maxLanes(number); lanes *= 2) {
    Function *f = getFunctionForLanes(*call.getFunction(), op, number, lanes, call.arg_size());
    declared.push_back(f);
    variants.push_back(("_ZGV_LLVM_N" + Twine(lanes) + parameters + "_" +
                        call.getCalledFunction()->getName() + "(" + f->getName() + ")")
                           .str());
  }
  appendToCompilerUsed(*call.getModule(), declared);
  VFABI::setVectorVariantNames(&call, variants);
}

} // namespace heddle::cpu
