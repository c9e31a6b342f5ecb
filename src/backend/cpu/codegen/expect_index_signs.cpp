#include "backend/cpu/codegen/expect_index_signs.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
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

/// Counts from the start in any case, by an index that has the length added where that is needed: the branch that is seldom
/// taken has all the work then. The choice of the index has the weights of that of the places.
void chooseIndex(SelectInst &places) {
  auto *end = dyn_cast<GetElementPtrInst>(places.getTrueValue());
  if (!end || end->getNumIndices() != 1)
    return;
  for (User *user : make_early_inc_range(places.users())) {
    auto *element = dyn_cast<GetElementPtrInst>(user);
    // Not in a loop that the choice is made before.
    if (!element || element->getParent() != places.getParent() || element->getNumIndices() != 1 ||
        element->getType()->isVectorTy() ||
        element->getSourceElementType() != end->getSourceElementType() ||
        element->getOperand(1)->getType() != end->getOperand(1)->getType())
      continue;
    IRBuilder<> b(element);
    Value *index = element->getOperand(1);
    Value *fromEnd = b.CreateAdd(index, end->getOperand(1));
    element->setOperand(0, places.getFalseValue());
    element->setOperand(1, b.CreateSelect(places.getCondition(), fromEnd, index, "", &places));
    element->setNoWrapFlags(GEPNoWrapFlags::none());
  }
  if (places.use_empty())
    places.eraseFromParent();
}

/// Has each way to `place`, which nothing moves on one of the two, compute its own index:
///
///     before                                             after
///       %ends = phi [0, checked], [%n, seldom]             %at = phi [%k, checked], [%k + %n, seldom]
///       %place = gep T, %a, %ends                          %element = gep T, %a, %at
///       %element = gep T, %place, %k
bool joinIndex(GetElementPtrInst &element, FunctionAnalysisManager &am) {
  auto *place = dyn_cast<GetElementPtrInst>(element.getPointerOperand());
  if (!place || place->getNumIndices() != 1 || element.getNumIndices() != 1 ||
      place->getSourceElementType() != element.getSourceElementType())
    return false;
  auto *ends = dyn_cast<PHINode>(place->getOperand(1));
  Value *index = element.getOperand(1);
  if (!ends || ends->getNumIncomingValues() != 2 || ends->getType() != index->getType() ||
      none_of(ends->incoming_values(), [](const Use &v) { return match(v.get(), m_Zero()); }))
    return false;
  const auto &dominators = am.getResult<DominatorTreeAnalysis>(*element.getFunction());
  if (!all_of(ends->blocks(), [&](BasicBlock *block) {
        return dominators.dominates(index, block->getTerminator());
      }))
    return false;
  IRBuilder<> b(ends);
  PHINode *at = b.CreatePHI(index->getType(), 2);
  for (unsigned n : {0u, 1u}) {
    Value *value = ends->getIncomingValue(n);
    BasicBlock *block = ends->getIncomingBlock(n);
    b.SetInsertPoint(block->getTerminator());
    at->addIncoming(match(value, m_Zero()) ? index : b.CreateAdd(index, value), block);
  }
  element.setOperand(0, place->getPointerOperand());
  element.setOperand(1, at);
  element.setNoWrapFlags(GEPNoWrapFlags::none());
  return true;
}

} // namespace

bool choosesEnd(const SelectInst &choice) {
  const Value *end = choice.getTrueValue(), *start = choice.getFalseValue();
  if (!match(choice.getCondition(), m_SpecificICmp(CmpInst::ICMP_SLT, m_Value(), m_Zero())) ||
      choice.getType()->isVectorTy())
    return false;
  const auto *place = dyn_cast<GetElementPtrInst>(end);
  return place ? place->getPointerOperand() == start
               : match(end, m_c_Add(m_Specific(start), m_Value()));
}

PreservedAnalyses ExpectIndexSigns::run(Function &f, FunctionAnalysisManager &am) {
  MDNode *weights = MDBuilder(f.getContext()).createBranchWeights(1, likely);
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (auto *element = dyn_cast<GetElementPtrInst>(&i))
      changed |= joinIndex(*element, am);
    else if (auto *choice = dyn_cast<SelectInst>(&i); choice && choosesEnd(*choice)) {
      choice->setMetadata(LLVMContext::MD_prof, weights);
      chooseIndex(*choice);
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
