#include "simt/analysis/warp_addresses.h"

#include "simt/ir/checks.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// Rewrites an address as a sum of terms.
///
///     zext(4 * (x + 32))              4 * zext(x) + 128
///     x < -32 ? x + 288 : x + 32      x + 32
///     x /u 2^63                       0
class SumOfTerms : public SCEVRewriteVisitor<SumOfTerms> {
public:
  using SCEVRewriteVisitor::SCEVRewriteVisitor;

  const SCEV *visitSignExtendExpr(const SCEVSignExtendExpr *extension) {
    return extend(visit(extension->getOperand()), [&](const SCEV *term) {
      return SE.getSignExtendExpr(term, extension->getType());
    });
  }
  const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *extension) {
    return extend(visit(extension->getOperand()), [&](const SCEV *term) {
      return isa<SCEVConstant>(term) ? SE.getSignExtendExpr(term, extension->getType())
                                     : SE.getZeroExtendExpr(term, extension->getType());
    });
  }
  const SCEV *visitUDivExpr(const SCEVUDivExpr *division) {
    const auto *divisor = dyn_cast<SCEVConstant>(division->getRHS());
    bool isSign = divisor && divisor->getAPInt().isSignMask();
    return isSign ? SE.getZero(division->getType()) : SCEVRewriteVisitor::visitUDivExpr(division);
  }
  const SCEV *visitUnknown(const SCEVUnknown *value) {
    Value *index = indexFromStart(*value->getValue());
    return index ? visit(SE.getSCEV(index)) : value;
  }

private:
  const SCEV *extend(const SCEV *value, function_ref<const SCEV *(const SCEV *)> term) {
    if (!isa<SCEVAddExpr, SCEVMulExpr>(value))
      return term(value);
    SmallVector<const SCEV *, 4> terms;
    for (const SCEV *operand : cast<SCEVNAryExpr>(value)->operands())
      terms.push_back(extend(operand, term));
    return isa<SCEVAddExpr>(value) ? SE.getAddExpr(terms) : SE.getMulExpr(terms);
  }

  /// Returns `index` of simt.wrap, and of `x < c ? index + extent : index`; null for other values.
  Value *indexFromStart(Value &v) {
    if (isWrap(v))
      return cast<CallInst>(v).getArgOperand(0);
    CmpPredicate predicate;
    Value *number, *yes, *no;
    if (!v.getType()->isIntegerTy() ||
        !match(&v, m_Select(m_ICmp(predicate, m_Value(number), m_ConstantInt()), m_Value(yes),
                            m_Value(no))) ||
        !ICmpInst::isRelational(predicate) || number->getType() != v.getType())
      return nullptr;
    Value *index = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate) ? no : yes;
    return isa<SCEVConstant>(SE.getMinusSCEV(SE.getSCEV(index), SE.getSCEV(number))) ? index
                                                                                     : nullptr;
  }
};

} // namespace

const SCEV *WarpAddresses::of(Value &pointer) const {
  return SumOfTerms(evolution_).visit(evolution_.getSCEV(&pointer));
}

const SCEV *WarpAddresses::distance(const SCEV &first, const SCEV &second) const {
  const SCEV *difference = evolution_.getMinusSCEV(&second, &first);
  return isa<SCEVCouldNotCompute>(difference) ? nullptr : difference;
}

bool WarpAddresses::isUniformAlongX(const SCEV &value) const {
  return !SCEVExprContains(&value, [&](const SCEV *part) {
    const auto *leaf = dyn_cast<SCEVUnknown>(part);
    return leaf && strideOf(*leaf->getValue()) != 0;
  });
}

} // namespace heddle::simt
