#include "simt/check/insert_division_checks.h"

#include "simt/ir/checks.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>
#include <utility>

namespace heddle::simt {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// The select that replaces a divisor of zero by one; null if the instruction is no guarded division.
SelectInst *findDivisorGuard(Instruction &i) {
  if (!i.isIntDivRem() || !i.getType()->isIntegerTy())
    return nullptr;
  auto *guard = dyn_cast<SelectInst>(i.getOperand(1));
  return guard && match(guard->getTrueValue(), m_One()) ? guard : nullptr;
}

/// A division in the source may be several instructions, with one guard or several.
using Place = std::pair<Value *, const DILocation *>;

/// The divisor that a check of the front end compares with zero; null if it checks something else.
std::optional<Place> checkedDivisorOf(const Instruction &i) {
  Value *divisor;
  CmpPredicate predicate;
  if (calledOp(&i) != Op::CheckIndex ||
      !match(IndexCheck::of(cast<CallBase>(i)).first,
             m_ZExt(m_ICmp(predicate, m_Value(divisor), m_Zero()))) ||
      predicate != CmpInst::ICMP_EQ)
    return std::nullopt;
  return Place(divisor, i.getDebugLoc().get());
}

} // namespace

PreservedAnalyses InsertDivisionChecks::run(Function &f, FunctionAnalysisManager &) {
  MapVector<Place, Instruction *> divisions;
  SmallVector<Place> checked;
  for (Instruction &i : instructions(f)) {
    if (SelectInst *guard = findDivisorGuard(i))
      divisions.insert({{guard->getFalseValue(), i.getDebugLoc().get()}, &i});
    else if (std::optional<Place> place = checkedDivisorOf(i))
      checked.push_back(*place);
  }
  for (const Place &place : checked)
    divisions.erase(place);
  for (auto [place, division] : divisions) {
    IRBuilder<> b(division);
    emitCheck(b, addSite("ZeroDivisionError", "the divisor is zero", *division),
              b.CreateIsNull(place.first));
  }
  return divisions.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::simt
