#include "simt/passes/simplify_math.h"

#include "simt/ir/ops.h"
#include "simt/passes/lowering.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// factor^n; nullopt if it is not exact.
std::optional<APFloat> powerIfExact(const APFloat &factor, unsigned n) {
  APFloat product = APFloat::getOne(factor.getSemantics());
  for (; n > 0; --n)
    if (product.multiply(factor, APFloat::rmNearestTiesToEven) != APFloat::opOK)
      return std::nullopt;
  return product;
}

/// x * 2^n if that is a normal number, and thus exact.
std::optional<APFloat> ldexpIfExact(const APFloat &x, int n) {
  APFloat result = scalbn(x, n, APFloat::rmNearestTiesToEven);
  return result.isNormal() ? std::optional(result) : std::nullopt;
}

Value *simplifyLog2(CallInst &call) {
  const APFloat *x;
  if (!match(call.getArgOperand(0), m_APFloat(x)) || !x->isFiniteNonZero() || x->isNegative() ||
      x->getExactLog2() == INT_MIN)
    return nullptr;
  return ConstantFP::get(call.getType(), x->getExactLog2());
}

Value *simplifyLdexp(CallInst &call) {
  const APFloat *x;
  const APInt *n;
  if (!match(call.getArgOperand(0), m_APFloat(x)) || !match(call.getArgOperand(1), m_APInt(n)))
    return nullptr;
  std::optional<APFloat> result = ldexpIfExact(*x, int(n->getSExtValue()));
  return result ? ConstantFP::get(call.getType(), *result) : nullptr;
}

/// The signed 32-bit integer from which a float was converted; null if there is none of at most 32 bits.
Value *matchSmallInteger(IRBuilder<> &b, Value &number) {
  auto *cast = dyn_cast<CastInst>(&number);
  if (!cast || !isa<SIToFPInst, UIToFPInst>(cast))
    return nullptr;
  Value *integer = cast->getOperand(0);
  bool isSigned = isa<SIToFPInst>(cast) || cast->hasNonNeg();
  if (integer->getType()->getIntegerBitWidth() > (isSigned ? 32u : 31u))
    return nullptr;
  return b.CreateIntCast(integer, b.getInt32Ty(), isSigned);
}

Value *simplifyPow(CallInst &call, bool keepApproximate) {
  constexpr unsigned largest = 64; // limits factors of a constant
  Value *x = call.getArgOperand(0);
  const APFloat *base, *exponent;
  bool isConstant = match(x, m_APFloat(base));
  IRBuilder<> b(&call);
  FastMathFlags flags = call.getFastMathFlags();
  flags.setAllowContract(false); // the power is rounded before it is used in a sum
  b.setFastMathFlags(flags);
  if (match(call.getArgOperand(1), m_APFloat(exponent))) {
    APSInt n(32, /*isUnsigned=*/false);
    bool exact;
    if (exponent->convertToInteger(n, APFloat::rmTowardZero, &exact) != APFloat::opOK || !exact)
      return nullptr;
    if (isConstant && n.getSExtValue() >= 0 && n.getSExtValue() <= largest)
      if (std::optional<APFloat> power = powerIfExact(*base, unsigned(n.getSExtValue())))
        return ConstantFP::get(call.getType(), *power);
    switch (n.getSExtValue()) {
    case 0:
      return ConstantFP::get(call.getType(), 1);
    case 1:
      return x;
    case 2:
      return b.CreateFMul(x, x);
    default:
      return nullptr;
    }
  }
  if (!isConstant || !base->isExactlyValue(2) || (keepApproximate && call.hasApproxFunc()))
    return nullptr;
  Value *n = matchSmallInteger(b, *call.getArgOperand(1));
  return n ? simt::call(b, Op::Ldexp, {ConstantFP::get(call.getType(), 1), n}) : nullptr;
}

} // namespace

PreservedAnalyses SimplifyMath::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (CallInst *call : simtCalls(f)) {
    Value *simpler = nullptr;
    switch (*calledOp(call)) {
    case Op::Log2:
      simpler = simplifyLog2(*call);
      break;
    case Op::Ldexp:
      simpler = simplifyLdexp(*call);
      break;
    case Op::Pow:
      simpler = simplifyPow(*call, keepApproximate);
      break;
    default:
      break;
    }
    if (!simpler)
      continue;
    call->replaceAllUsesWith(simpler);
    call->eraseFromParent();
    changed = true;
  }
  return changed ? PreservedAnalyses::allInSet<CFGAnalyses>() : PreservedAnalyses::all();
}

} // namespace heddle::simt
