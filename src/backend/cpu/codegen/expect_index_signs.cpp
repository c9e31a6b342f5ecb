#include "backend/cpu/codegen/expect_index_signs.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// As many to one as LLVM takes a branch for that is marked unlikely.
constexpr uint32_t likely = 2000;

/// Whether the choice is between an index and the same from the end, or between the places that they count from.
bool choosesEnd(const SelectInst &choice) {
  const Value *end = choice.getTrueValue(), *start = choice.getFalseValue();
  if (!match(choice.getCondition(), m_SpecificICmp(CmpInst::ICMP_SLT, m_Value(), m_Zero())) ||
      choice.getType()->isVectorTy())
    return false;
  const auto *place = dyn_cast<GetElementPtrInst>(end);
  return place ? place->getPointerOperand() == start
               : match(end, m_c_Add(m_Specific(start), m_Value()));
}

} // namespace

PreservedAnalyses ExpectIndexSigns::run(Function &f, FunctionAnalysisManager &) {
  for (Instruction &i : instructions(f))
    if (auto *choice = dyn_cast<SelectInst>(&i); choice && choosesEnd(*choice))
      choice->setMetadata(LLVMContext::MD_prof,
                          MDBuilder(f.getContext()).createBranchWeights(1, likely));
  return PreservedAnalyses::all();
}

} // namespace heddle::cpu
