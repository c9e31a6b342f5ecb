#include "simt/check/insert_division_checks.h"

#include "simt/check/emit_stop.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// The select that replaces a divisor of zero by one; null if the instruction is no guarded division.
SelectInst *findGuard(Instruction &i) {
  if (!i.isIntDivRem() || !i.getType()->isIntegerTy())
    return nullptr;
  auto *guard = dyn_cast<SelectInst>(i.getOperand(1));
  return guard && match(guard->getTrueValue(), PatternMatch::m_One()) ? guard : nullptr;
}

} // namespace

PreservedAnalyses InsertDivisionChecks::run(Function &f, FunctionAnalysisManager &) {
  // A division in the source may be several instructions, with one guard or several.
  using Place = std::pair<Value *, const DILocation *>;
  MapVector<Place, Instruction *> divisions;
  for (Instruction &i : instructions(f))
    if (SelectInst *guard = findGuard(i))
      divisions.insert({{guard->getFalseValue(), i.getDebugLoc().get()}, &i});
  for (auto [place, division] : divisions) {
    IRBuilder<> b(division);
    unsigned site = addSite("ZeroDivisionError", "the divisor is zero", *division);
    Value *isZero = b.CreateIsNull(place.first);
    if (action == Stop) {
      emitStopIf(b, isZero, "division by zero", *division);
      continue;
    }
    b.SetInsertPoint(SplitBlockAndInsertIfThen(isZero, division->getIterator(), false));
    b.SetCurrentDebugLocation(division->getDebugLoc());
    simt::call(b, Op::CheckReport, {b.getInt32(site), b.getInt64(0), b.getInt64(0)});
  }
  return divisions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::simt
