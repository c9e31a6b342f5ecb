#include "host/outer_loops/lane_function.h"

#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/vectorize/can_widen.h"
#include "backend/cpu/vectorize/lanes/placeholders.h"
#include "backend/cpu/vectorize/lanes/shapes.h"
#include "backend/cpu/vectorize/replace_masked_accesses.h"
#include "backend/cpu/vectorize/vectorize.h"
#include "simt/analysis/divergence.h"
#include "simt/ir/ops.h"
#include "simt/ir/verifier.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace heddle::host {

using namespace llvm;

namespace {

bool endsInRaise(const BasicBlock &block) { return isa<UnreachableInst>(block.getTerminator()); }

std::optional<Carried> matchInduction(PHINode &phi, Loop &loop, ScalarEvolution &evolution) {
  if (!evolution.isSCEVable(phi.getType()))
    return std::nullopt;
  const auto *sum = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi));
  if (!sum || sum->getLoop() != &loop || !sum->isAffine())
    return std::nullopt;
  const auto *step = dyn_cast<SCEVConstant>(sum->getStepRecurrence(evolution));
  if (!step || (phi.getType()->isIntegerTy() && phi.getType()->getIntegerBitWidth() > 64))
    return std::nullopt;
  return Carried{&phi, phi.getIncomingValueForBlock(loop.getLoopPreheader()), step->getValue()};
}

/// True if each iteration that does not raise executes its stores exactly once, and nothing raises after a store.
bool areStoresLast(const OutlinableLoop &outlined, const LoopInfo &loops,
                   const DominatorTree &dominators) {
  SmallPtrSet<BasicBlock *, 8> behind;
  SmallVector<BasicBlock *, 8> open;
  for (BasicBlock *block : outlined.loop->blocks()) {
    if (none_of(*block, [](Instruction &i) { return isa<StoreInst>(i); }))
      continue;
    if (loops.getLoopFor(block) != outlined.loop ||
        !dominators.dominates(block, outlined.loop->getLoopLatch()))
      return false;
    open.push_back(block);
  }
  while (!open.empty())
    for (BasicBlock *next : successors(open.pop_back_val())) {
      if (is_contained(outlined.raising, next))
        return false;
      if (next != outlined.loop->getHeader() && outlined.loop->contains(next) &&
          behind.insert(next).second)
        open.push_back(next);
    }
  return true;
}

/// Builds the function for one lane from the loop's blocks.
class Outliner {
public:
  explicit Outliner(const OutlinableLoop &outlined)
      : outlined(outlined), loop(*outlined.loop), from(*loop.getHeader()->getParent()),
        b(from.getContext()) {}

  LaneFunction outlineLoop() {
    LaneFunction made{nullptr, usedValues()};
    SmallVector<Type *> types{b.getInt64Ty(), b.getPtrTy()};
    for (Value *v : made.used)
      types.push_back(v->getType());
    f = Function::Create(FunctionType::get(b.getVoidTy(), types, false),
                         GlobalValue::InternalLinkage, from.getName() + ".lanes", from.getParent());
    f->addFnAttrs(AttrBuilder(f->getContext(), from.getAttributes().getFnAttrs()));
    f->removeFnAttr(simt::exportAttribute);
    f->setDoesNotThrow();
    for (auto [i, v] : enumerate(made.used)) {
      Argument *argument = f->getArg(unsigned(i) + 2);
      map[v] = argument;
    }
    makeEntry();
    cloneBlocks();
    returnAtLatch();
    redirectRaises();
    guardStores();
    DominatorTree dominators(*f);
    PromoteMemToReg({failed}, dominators);
    EliminateUnreachableBlocks(*f);
    made.function = f;
    return made;
  }

private:
  SmallVector<Value *> usedValues() {
    SetVector<Value *> used;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &i : *block) {
        auto *phi = dyn_cast<PHINode>(&i);
        for (Use &use : i.operands()) {
          bool isStart = phi && block == loop.getHeader();
          bool isOutside = isa<Argument>(*use) ||
                           (isa<Instruction>(*use) && !loop.contains(cast<Instruction>(use)));
          if (isOutside && !isStart)
            used.insert(use);
        }
      }
    for (const Carried &one : outlined.carried)
      if (!isa<Constant>(one.start))
        used.insert(one.start);
    return used.takeVector();
  }

  void makeEntry() {
    b.SetInsertPoint(BasicBlock::Create(b.getContext(), "entry", f));
    failed = b.CreateAlloca(b.getInt1Ty(), nullptr, "failed");
    b.CreateStore(b.getFalse(), failed);
    Value *lane = b.CreateCall(simt::declare(*f->getParent(), simt::Op::ThreadIdX));
    Value *number = b.CreateAdd(f->getArg(0), b.CreateZExt(lane, b.getInt64Ty()));
    for (const Carried &one : outlined.carried) {
      Value *start = map.lookup(one.start);
      map[one.phi] = emitValueInIteration(b, one, start ? start : one.start, number);
    }
  }

  void cloneBlocks() {
    over = BasicBlock::Create(b.getContext(), "over", f);
    ReturnInst::Create(b.getContext(), over);
    SmallVector<BasicBlock *> made;
    ValueToValueMapTy values;
    for (auto [old, by] : map)
      values[old] = by;
    for (BasicBlock *block : loop.blocks()) {
      BasicBlock *copy = CloneBasicBlock(block, values, "", f);
      values[block] = copy;
      made.push_back(copy);
      copies[block] = copy;
      if (block == loop.getHeader())
        for (PHINode &phi : block->phis()) {
          cast<Instruction>(values[&phi])->eraseFromParent();
          values[&phi] = map[&phi];
        }
    }
    remapInstructionsInBlocks(made, values);
    b.CreateBr(copies[loop.getHeader()]);
  }

  void returnAtLatch() {
    Instruction *end = copies[loop.getLoopLatch()]->getTerminator();
    BranchInst::Create(over, end->getIterator());
    end->eraseFromParent();
  }

  /// Makes a lane that would raise set a flag. It continues if that is harmless: after a comparison of floats.
  void redirectRaises() {
    raised = BasicBlock::Create(b.getContext(), "raised", f, over);
    b.SetInsertPoint(raised);
    b.CreateStore(b.getInt8(1), f->getArg(1));
    b.CreateBr(over);
    for (auto [from, copy] : copies) {
      for (BasicBlock *block : outlined.raising)
        if (is_contained(successors(copy), block))
          replaceRaiseByFlag(*copy->getTerminator(), *block);
    }
  }

  void replaceRaiseByFlag(Instruction &end, BasicBlock &raising) {
    auto *branch = dyn_cast<BranchInst>(&end);
    if (!branch || !branch->isConditional() || !isa<FCmpInst>(branch->getCondition()) ||
        branch->getSuccessor(0) == branch->getSuccessor(1)) {
      end.replaceSuccessorWith(&raising, raised);
      return;
    }
    b.SetInsertPoint(branch);
    bool whenTrue = branch->getSuccessor(0) == &raising;
    Value *wrong = whenTrue ? branch->getCondition() : b.CreateNot(branch->getCondition());
    b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt1Ty(), failed), wrong), failed);
    b.CreateBr(branch->getSuccessor(whenTrue ? 1 : 0));
    branch->eraseFromParent();
  }

  /// Guards the first store of a block: no lane writes before all lanes have arrived and none is going to raise.
  void guardStores() {
    if (outlined.raising.empty())
      return;
    for (auto [from, copy] : copies) {
      auto store = find_if(*copy, [&](Instruction &i) {
        return isa<StoreInst>(i) && cast<StoreInst>(i).getPointerOperand() != failed;
      });
      if (store == copy->end())
        continue;
      BasicBlock *writing = SplitBlock(copy, store);
      copy->getTerminator()->eraseFromParent();
      b.SetInsertPoint(copy);
      Value *fine = b.CreateNot(b.CreateLoad(b.getInt1Ty(), failed));
      b.CreateCondBr(cpu::emitAllLanesQuery(b, fine), writing, raised);
    }
  }

  const OutlinableLoop &outlined;
  Loop &loop;
  Function &from;
  IRBuilder<> b;
  Function *f = nullptr;
  AllocaInst *failed = nullptr;
  BasicBlock *over = nullptr, *raised = nullptr;
  DenseMap<Value *, Value *> map;
  MapVector<BasicBlock *, BasicBlock *> copies;
};

/// Replaces the thread index by 0, because only the lane number still varies after widening.
void replaceThreadIndexByZero(Function &f) {
  for (CallInst *call : simt::simtCalls(f))
    if (simt::calledOp(call) == simt::Op::ThreadIdX) {
      call->replaceAllUsesWith(ConstantInt::get(call->getType(), 0));
      call->eraseFromParent();
    }
}

} // namespace

Value *emitValueInIteration(IRBuilderBase &b, const Carried &carried, Value *start, Value *number) {
  if (start->getType()->isPointerTy()) {
    Value *step = b.getInt64(uint64_t(carried.step->getSExtValue()));
    return b.CreateGEP(b.getInt8Ty(), start, b.CreateMul(number, step));
  }
  Value *count = b.CreateTrunc(number, start->getType());
  return b.CreateAdd(start, carried.step->isOne() ? count : b.CreateMul(count, carried.step));
}

std::optional<OutlinableLoop> matchOutlinableLoop(Loop &loop, ScalarEvolution &evolution,
                                                  const LoopInfo &loops,
                                                  const DominatorTree &dominators) {
  BasicBlock *latch = loop.getLoopLatch();
  if (!loop.isLoopSimplifyForm() || !loop.isLoopExiting(latch))
    return std::nullopt;
  OutlinableLoop outlined{&loop, {}, {}};
  SmallVector<Loop::Edge, 4> ends;
  loop.getExitEdges(ends);
  for (auto [from, to] : ends) {
    if (endsInRaise(*to))
      outlined.raising.push_back(to);
    else if (from != latch)
      return std::nullopt;
  }
  for (PHINode &phi : loop.getHeader()->phis()) {
    std::optional<Carried> one = matchInduction(phi, loop, evolution);
    if (!one)
      return std::nullopt;
    outlined.carried.push_back(*one);
  }
  for (BasicBlock *block : loop.blocks())
    for (Instruction &i : *block)
      if (i.isAtomic() || i.isVolatile() || isa<AllocaInst>(i) ||
          ((i.mayHaveSideEffects() || isa<CallInst>(i)) && !cpu::canWiden(i)))
        return std::nullopt;
  if (!outlined.raising.empty() && !areStoresLast(outlined, loops, dominators))
    return std::nullopt;
  return outlined;
}

std::optional<LaneFunction> makeLaneFunction(const OutlinableLoop &outlined, unsigned width,
                                             FunctionAnalysisManager &am) {
  Function &from = *outlined.loop->getHeader()->getParent();
  LaneFunction made = Outliner(outlined).outlineLoop();
  cpu::Plan plan{.groups = {.width = width}};
  simt::DivergenceAnalyses analyses(cpu::neighborsIn(plan.groups));
  if (cpu::vectorizeFunction(*made.function, plan, /*always=*/false, analyses,
                             am.getResult<TargetIRAnalysis>(from))) {
    analyses.functionAnalyses().clear(*made.function, made.function->getName());
    made.function->eraseFromParent();
    return std::nullopt;
  }
  replaceThreadIndexByZero(*made.function);
  cpu::setPlan(*made.function, plan);
  cpu::ReplaceMaskedAccesses().run(*made.function, am);
  am.clear(*made.function, made.function->getName());
  return made;
}

} // namespace heddle::host
