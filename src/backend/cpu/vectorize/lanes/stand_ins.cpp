#include "backend/cpu/vectorize/lanes/stand_ins.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

CallInst *callStandIn(IRBuilderBase &b, const char *name, Value *condition, const char *result) {
  FunctionCallee standIn = b.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, FunctionType::get(b.getInt1Ty(), {b.getInt1Ty()}, false));
  auto *declared = cast<Function>(standIn.getCallee());
  declared->setDoesNotThrow();
  declared->setDoesNotAccessMemory();
  declared->setConvergent();
  return b.CreateCall(standIn, condition, result);
}

bool calls(const Value &v, const char *name) {
  const auto *call = dyn_cast<CallInst>(&v);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}

} // namespace

CallInst *callAllLanes(IRBuilderBase &b, Value *condition) {
  return callStandIn(b, allLanesStandIn, condition, "all");
}

CallInst *callNoLane(IRBuilderBase &b, Value *condition) {
  return callStandIn(b, noLaneStandIn, condition, "none");
}

bool isAllLanes(const Value &v) { return calls(v, allLanesStandIn); }
bool isNoLane(const Value &v) { return calls(v, noLaneStandIn); }

bool isForAllLanes(const BasicBlock &block) {
  const BasicBlock *before = block.getSinglePredecessor();
  const auto *jump = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  return jump && jump->isConditional() && isAllLanes(*jump->getCondition()) &&
         jump->getSuccessor(0) == &block;
}

} // namespace heddle::cpu
