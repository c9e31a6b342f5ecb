#include "codegen/expect_nonnegative_indices.h"

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

/// LLVM's weight ratio for unlikely branches.
constexpr uint32_t likelyWeight = 2000;

/// Selects the index instead of the base address: element addresses count from the start, with the length added to a
/// negative index. The unlikely branch then does all the work. The new select inherits the weights.
void selectIndexInsteadOfBase(SelectInst &bases) {
  auto *end = dyn_cast<GetElementPtrInst>(bases.getTrueValue());
  if (!end || end->getNumIndices() != 1)
    return;
  for (User *user : make_early_inc_range(bases.users())) {
    auto *element = dyn_cast<GetElementPtrInst>(user);
    // The select must not be hoisted out of a loop that contains the access.
    if (!element || element->getParent() != bases.getParent() || element->getNumIndices() != 1 ||
        element->getType()->isVectorTy() ||
        element->getSourceElementType() != end->getSourceElementType() ||
        element->getOperand(1)->getType() != end->getOperand(1)->getType())
      continue;
    IRBuilder<> b(element);
    Value *index = element->getOperand(1);
    Value *fromEnd = b.CreateAdd(index, end->getOperand(1));
    element->setOperand(0, bases.getFalseValue());
    element->setOperand(1, b.CreateSelect(bases.getCondition(), fromEnd, index, "", &bases));
    element->setNoWrapFlags(GEPNoWrapFlags::none());
  }
  if (bases.use_empty())
    bases.eraseFromParent();
}

/// Computes the index of an element on each path that leads to its base address, one of which leaves the address as is:
///
///     before                                             after
///       %ends = phi [0, checked], [%n, unlikely]           %at = phi [%k, checked], [%k + %n, unlikely]
///       %base = gep T, %a, %ends                           %element = gep T, %a, %at
///       %element = gep T, %base, %k
bool computeIndexPerPath(GetElementPtrInst &element, FunctionAnalysisManager &am) {
  auto *base = dyn_cast<GetElementPtrInst>(element.getPointerOperand());
  if (!base || base->getNumIndices() != 1 || element.getNumIndices() != 1 ||
      base->getSourceElementType() != element.getSourceElementType())
    return false;
  auto *ends = dyn_cast<PHINode>(base->getOperand(1));
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
  element.setOperand(0, base->getPointerOperand());
  element.setOperand(1, at);
  element.setNoWrapFlags(GEPNoWrapFlags::none());
  return true;
}

/// Returns true for a select, by the sign of an integer, between an index and the same index from the end, or between
/// the base addresses of these.
bool isIndexSignSelect(const SelectInst &select) {
  const Value *end = select.getTrueValue(), *start = select.getFalseValue();
  if (!match(select.getCondition(), m_SpecificICmp(CmpInst::ICMP_SLT, m_Value(), m_Zero())) ||
      select.getType()->isVectorTy())
    return false;
  const auto *base = dyn_cast<GetElementPtrInst>(end);
  return base ? base->getPointerOperand() == start
              : match(end, m_c_Add(m_Specific(start), m_Value()));
}

} // namespace

PreservedAnalyses ExpectNonnegativeIndices::run(Function &f, FunctionAnalysisManager &am) {
  MDNode *weights = MDBuilder(f.getContext()).createBranchWeights(1, likelyWeight);
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (auto *element = dyn_cast<GetElementPtrInst>(&i))
      changed |= computeIndexPerPath(*element, am);
    else if (auto *select = dyn_cast<SelectInst>(&i); select && isIndexSignSelect(*select)) {
      select->setMetadata(LLVMContext::MD_prof, weights);
      selectIndexInsteadOfBase(*select);
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
