#include "backend/nvptx/tune/hoist_joined_loads.h"

#include "simt/ir/ops.h"
#include "simt/thresholds.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

/// True if the block is a side of a branch at the end of `head` and only computes.
bool isComputingSide(const BasicBlock &side, const BasicBlock &head) {
  return side.getSinglePredecessor() == &head && side.getSingleSuccessor() &&
         all_of(side, [](const Instruction &i) {
           return !i.mayWriteToMemory() && isGuaranteedToTransferExecutionToSuccessor(&i);
         });
}

/// The block with the branch of the if or if-else that ends at `join`; null if there is none whose sides only compute.
BasicBlock *findHeadOfIf(BasicBlock &join) {
  if (!join.hasNPredecessors(2))
    return nullptr;
  BasicBlock *first = *pred_begin(&join), *second = *std::next(pred_begin(&join));
  BasicBlock *head = first == second                           ? nullptr
                     : first->getSinglePredecessor() == second ? second
                                                               : first->getSinglePredecessor();
  if (!head || head == &join || !isa<BranchInst>(head->getTerminator()))
    return nullptr;
  bool onlyCompute = all_of(predecessors(&join), [&](const BasicBlock *side) {
    return side == head || isComputingSide(*side, *head);
  });
  return onlyCompute ? head : nullptr;
}

bool isSlowLoad(const Instruction &i) {
  const auto *load = dyn_cast<LoadInst>(&i);
  return load && load->isSimple() && load->getPointerAddressSpace() == simt::Global;
}

/// The loads of `join` that need nothing of the sides, and the instructions that compute their addresses, in order.
SmallVector<Instruction *> findIndependentLoads(BasicBlock &join) {
  SmallVector<Instruction *> movable;
  SmallPtrSet<const Value *, 16> moved;
  unsigned loads = 0;
  for (Instruction &i : join) {
    if (i.mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(&i))
      break;
    bool isFree = all_of(i.operands(), [&](const Use &use) {
      const auto *operand = dyn_cast<Instruction>(use.get());
      return !operand || operand->getParent() != &join || moved.contains(operand);
    });
    bool isAddress = !isa<PHINode>(i) && !i.mayReadFromMemory() && isSafeToSpeculativelyExecute(&i);
    bool isLoad = isSlowLoad(i) && loads < thresholds::maxUnrollCount;
    if (i.isTerminator() || isa<PHINode>(i) || !isFree || !(isLoad || isAddress))
      continue;
    loads += isLoad;
    movable.push_back(&i);
    moved.insert(&i);
  }
  // Only what the loads need.
  SmallPtrSet<const Value *, 16> needed;
  SmallVector<Instruction *> kept;
  for (Instruction *i : reverse(movable))
    if (isSlowLoad(*i) || needed.contains(i)) {
      needed.insert_range(i->operands());
      kept.push_back(i);
    }
  return SmallVector<Instruction *>(reverse(kept));
}

/// Moves loads of `join` before the if that it ends, and adds them to `hoisted`.
void hoistLoads(BasicBlock &join, SmallSetVector<LoadInst *, 16> &hoisted) {
  BasicBlock *head = findHeadOfIf(join);
  if (!head)
    return;
  for (Instruction *i : findIndependentLoads(join)) {
    i->moveBefore(head->getTerminator()->getIterator());
    if (auto *load = dyn_cast<LoadInst>(i))
      hoisted.insert(load);
  }
}

/// The constraint of the register that holds a value in inline PTX; empty for types without registers.
StringRef chooseRegisterConstraint(const Type &type) {
  if (type.isFloatTy())
    return "f";
  if (type.isDoubleTy())
    return "d";
  return type.isIntegerTy(32) ? "r" : type.isIntegerTy(64) ? "l" : type.isIntegerTy(16) ? "h" : "";
}

/// Uses the loaded values at the ends of their blocks, without an instruction. LLVM's code generator sinks a load to
/// its uses, past the branch.
void pinLoadsWithEmptyAsm(ArrayRef<LoadInst *> loads) {
  MapVector<BasicBlock *, SmallVector<Value *>> byBlock;
  for (LoadInst *load : loads)
    if (!chooseRegisterConstraint(*load->getType()).empty())
      byBlock[load->getParent()].push_back(load);
  for (const auto &[block, values] : byBlock) {
    SmallVector<Type *> types;
    SmallVector<StringRef> constraints;
    for (const Value *value : values) {
      types.push_back(value->getType());
      constraints.push_back(chooseRegisterConstraint(*value->getType()));
    }
    IRBuilder<> b(block->getTerminator());
    auto *code = InlineAsm::get(FunctionType::get(b.getVoidTy(), types, false), "",
                                join(constraints, ","), /*hasSideEffects=*/true);
    b.CreateCall(code, values)->setDoesNotThrow();
  }
}

} // namespace

PreservedAnalyses HoistJoinedLoads::run(Function &f, FunctionAnalysisManager &) {
  SmallSetVector<LoadInst *, 16> hoisted;
  // In this order, the loads after a chain of ifs move to its start.
  for (BasicBlock *block : post_order(&f))
    hoistLoads(*block, hoisted);
  if (hoisted.empty())
    return PreservedAnalyses::all();
  pinLoadsWithEmptyAsm(hoisted.getArrayRef());
  return PreservedAnalyses::allInSet<CFGAnalyses>();
}

} // namespace heddle::nvptx
