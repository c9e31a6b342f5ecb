#include "backend/cpu/vectorize/lanes/placeholders.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

CallInst *callPlaceholder(IRBuilderBase &b, const char *name, Value *condition,
                          const char *result) {
  FunctionCallee placeholder = b.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, FunctionType::get(b.getInt1Ty(), {b.getInt1Ty()}, false));
  auto *declared = cast<Function>(placeholder.getCallee());
  declared->setDoesNotThrow();
  declared->setDoesNotAccessMemory();
  declared->setConvergent();
  return b.CreateCall(placeholder, condition, result);
}

bool isPlaceholderCall(const Value &v, const char *name) {
  const auto *call = dyn_cast<CallInst>(&v);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}

} // namespace

CallInst *emitAllLanesQuery(IRBuilderBase &b, Value *condition) {
  return callPlaceholder(b, allLanesPlaceholder, condition, "all");
}

CallInst *emitNoLaneQuery(IRBuilderBase &b, Value *condition) {
  return callPlaceholder(b, noLanePlaceholder, condition, "none");
}

bool isAllLanesQuery(const Value &v) { return isPlaceholderCall(v, allLanesPlaceholder); }
bool isNoLaneQuery(const Value &v) { return isPlaceholderCall(v, noLanePlaceholder); }

bool isGuardedByAllLanes(const BasicBlock &block) {
  const BasicBlock *before = block.getSinglePredecessor();
  const auto *br = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  return br && br->isConditional() && isAllLanesQuery(*br->getCondition()) &&
         br->getSuccessor(0) == &block;
}

} // namespace heddle::cpu
