#include "backend/cpu/math/vector_variants.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/VFABIDemangler.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// The widest variant with at most `lanes` elements.
const VFInfo *findWidestVariant(ArrayRef<VFInfo> variants, unsigned lanes) {
  const VFInfo *widest = nullptr;
  for (const VFInfo &one : variants)
    if (!one.isMasked() && !one.Shape.VF.isScalable() && one.Shape.VF.getFixedValue() <= lanes &&
        (!widest || one.Shape.VF.getFixedValue() > widest->Shape.VF.getFixedValue()))
      widest = &one;
  return widest;
}

} // namespace

bool hasVectorVariants(const CallInst &call) { return !VFDatabase::getMappings(call).empty(); }

Value *callVectorVariants(IRBuilderBase &b, const CallInst &call, ArrayRef<Value *> operands,
                          unsigned lanes) {
  SmallVector<VFInfo, 8> variants = VFDatabase::getMappings(call);
  const VFInfo *variant = findWidestVariant(variants, lanes);
  if (!variant)
    return nullptr;
  Function *callee = call.getModule()->getFunction(variant->VectorName);
  unsigned width = variant->Shape.VF.getFixedValue();
  SmallVector<Value *, 8> parts;
  for (unsigned first = 0; first < lanes; first += width) {
    SmallVector<Value *, 2> part;
    for (Value *operand : operands)
      part.push_back(width == lanes
                         ? operand
                         : b.CreateShuffleVector(operand, createSequentialMask(first, width, 0)));
    CallInst *clone = b.CreateCall(callee, part);
    if (isa<FPMathOperator>(clone))
      clone->setFastMathFlags(call.getFastMathFlags());
    parts.push_back(clone);
  }
  return concatenateVectors(b, parts);
}

} // namespace heddle::cpu
