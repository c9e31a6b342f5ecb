#include "backend/cpu/vectorize/structurize.h"

#include "backend/cpu/vectorize/early_exits.h"
#include "backend/cpu/vectorize/lanes/shapes.h"
#include "simt/ir/ops.h"
#include "simt/passes/lowering.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/StructurizeCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"
#include "llvm/Transforms/Utils/UnifyLoopExits.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Makes traps return: a lane that traps continues to the function's end with the others, but its trap has already
/// ended the kernel.
void makeTrapsReturn(Function &f) {
  for (CallInst *call : simt::simtCalls(f)) {
    if (!simt::info(*simt::calledOp(call)).has(simt::NoReturn))
      continue;
    IRBuilder<> b(call);
    SmallVector<Value *, 3> operands(call->args());
    FunctionType *type = call->getFunctionType();
    std::string name = trapPlaceholder + std::to_string(operands.size());
    FunctionCallee placeholder = f.getParent()->getOrInsertFunction(name, type);
    cast<Function>(placeholder.getCallee())->setDoesNotThrow();
    b.CreateCall(placeholder, operands);
    call->eraseFromParent();
  }
  for (BasicBlock &block : f)
    if (isa<UnreachableInst>(block.getTerminator())) {
      DebugLoc location = block.getTerminator()->getDebugLoc();
      block.getTerminator()->eraseFromParent();
      ReturnInst::Create(f.getContext(), &block)->setDebugLoc(location);
    }
}

} // namespace

bool structurize(Function &f, simt::DivergenceAnalyses &analyses, CodeVersions &versions) {
  makeTrapsReturn(f);
  FunctionPassManager simplify;
  simplify.addPass(LowerSwitchPass());
  simplify.addPass(UnifyFunctionExitNodesPass());
  simplify.addPass(SimplifyCFGPass());
  simplify.addPass(LowerSwitchPass()); // SimplifyCFG creates switches from comparisons
  simplify.addPass(LoopSimplifyPass());
  simplify.run(f, analyses.functionAnalyses());
  versions.earlyExits = runEarlyExitsFirst(f, analyses);
  FunctionPassManager structure;
  structure.addPass(UnifyFunctionExitNodesPass());
  structure.addPass(UnifyLoopExitsPass());
  structure.addPass(LCSSAPass());
  structure.addPass(StructurizeCFGPass(/*SkipUniformRegions=*/true));
  structure.addPass(LoopSimplifyPass());
  structure.addPass(LCSSAPass());
  structure.run(f, analyses.functionAnalyses());
  return !verifyFunction(f);
}

bool splitSharedJoins(Function &f, const LaneShapes &shapes, DominatorTree &dominators) {
  // Inner branches first: the code that they skip then has a single exit when the outer branches are processed.
  SmallVector<const DivergentBranch *> branches;
  SmallVector<const BasicBlock *> from;
  for (const auto &[block, branch] : shapes.branches())
    if (branch.kind == DivergentBranch::If) {
      branches.push_back(&branch);
      from.push_back(block);
    }
  for (size_t i = branches.size(); i-- > 0;) {
    BasicBlock *join = branches[i]->join;
    SmallVector<BasicBlock *> skipped, mine;
    for (BasicBlock *before : predecessors(join)) {
      if (dominators.dominates(branches[i]->then, before))
        skipped.push_back(before);
      if (dominators.dominates(from[i], before))
        mine.push_back(before);
    }
    if (mine.size() < pred_size(join)) {
      SplitBlockPredecessors(join, mine, ".join");
      return true;
    }
    if (skipped.size() > 1) {
      SplitBlockPredecessors(join, skipped, ".end");
      return true;
    }
  }
  return false;
}

} // namespace heddle::cpu
