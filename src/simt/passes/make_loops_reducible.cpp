#include "simt/passes/make_loops_reducible.h"

#include "simt/ir/verifier.h"
#include "support/diagnostic.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CycleInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace heddle::simt {

using namespace llvm;

namespace {

struct Jump {
  BasicBlock *from;
  BasicBlock *to;
};

/// The cycles of a function and its back edges.
class Loops {
public:
  explicit Loops(Function &f) : dominators_(f) {
    cycles_.compute(f);
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&f))
      position_[block] = position_.size();
  }

  /// The outermost irreducible cycles. They are disjoint.
  SmallVector<Cycle *> outermostIrreducibleCycles() const {
    SmallVector<Cycle *> found, left(cycles_.toplevel_cycles());
    while (!left.empty()) {
      Cycle *cycle = left.pop_back_val();
      if (cycle->isReducible())
        append_range(left, cycle->children());
      else
        found.push_back(cycle);
    }
    return found;
  }

  /// The jumps that must go through a new header: jumps into the loop, and jumps back to its entries except those of
  /// natural loops. redirectAll: all back edges.
  SmallVector<Jump> jumpsToRedirect(const Cycle &loop, bool redirectAll) const {
    SmallVector<Jump> jumps;
    for (BasicBlock *block : loop.blocks())
      for (BasicBlock *from : SetVector<BasicBlock *>(pred_begin(block), pred_end(block)))
        if (!loop.contains(from) ||
            (redirectAll ? isBackEdge(from, block)
                         : loop.isEntry(block) && isIrreducibleBackEdge(from, block)))
          jumps.push_back({from, block});
    return jumps;
  }

private:
  bool isBackEdge(const BasicBlock *from, const BasicBlock *to) const {
    return position_.lookup(to) <= position_.lookup(from);
  }

  /// Excludes back edges to the header of a natural loop, which stays natural.
  bool isIrreducibleBackEdge(const BasicBlock *from, const BasicBlock *to) const {
    return isBackEdge(from, to) && !dominators_.dominates(to, from);
  }

  DominatorTree dominators_;
  CycleInfo cycles_;
  DenseMap<const BasicBlock *, unsigned> position_;
};

/// A new block through which the given jumps are redirected.
class Dispatch {
public:
  explicit Dispatch(ArrayRef<Jump> jumps)
      : jumps_(jumps), block_(newBlock("dispatch", jumps.front().to)), b_(block_) {
    b_.SetCurrentDebugLocation(jumps.front().from->getTerminator()->getDebugLoc());
    for (auto [n, jump] : enumerate(jumps_)) {
      targets_[jump.to][jump.from] = n;
      landings_.push_back(newBlock("to." + jump.to->getName(), block_));
    }
  }

  void insertBlock() {
    for (auto &[target, jumpsFrom] : targets_)
      routePhisThroughDispatch(*target, jumpsFrom);
    SmallVector<ConstantInt *> targetNumbers(jumps_.size());
    SwitchInst *leave = b_.CreateSwitch(PoisonValue::get(b_.getInt32Ty()), targets_.front().first);
    for (auto [number, entry] : enumerate(targets_)) {
      for (auto [from, n] : entry.second)
        targetNumbers[n] = b_.getInt32(number);
      if (number > 0)
        leave->addCase(b_.getInt32(number), entry.first);
    }
    b_.SetInsertPoint(leave);
    PHINode *target = b_.CreatePHI(b_.getInt32Ty(), jumps_.size(), "target");
    leave->setCondition(target);
    for (auto [jump, landing, number] : zip(jumps_, landings_, targetNumbers)) {
      Instruction *end = jump.from->getTerminator();
      BranchInst::Create(block_, landing)->setDebugLoc(end->getDebugLoc());
      end->replaceSuccessorWith(jump.to, landing);
      target->addIncoming(number, landing);
    }
  }

private:
  static BasicBlock *newBlock(const Twine &name, BasicBlock *before) {
    return BasicBlock::Create(before->getContext(), name, before->getParent(), before);
  }

  /// Routes incoming values of the target's phis through phis of the dispatch. A jump has one target, so targets share
  /// them: the n-th phi of a type serves the n-th phi of that type in every target.
  void routePhisThroughDispatch(BasicBlock &target,
                                const DenseMap<BasicBlock *, unsigned> &jumpsFrom) {
    DenseMap<Type *, unsigned> seen;
    for (PHINode &phi : target.phis()) {
      PHINode *dispatchPhi = getOrCreateDispatchPhi(phi.getType(), seen[phi.getType()]++);
      phi.removeIncomingValueIf(
          [&](unsigned n) {
            auto jump = jumpsFrom.find(phi.getIncomingBlock(n));
            if (jump == jumpsFrom.end())
              return false;
            dispatchPhi->setIncomingValue(jump->second, phi.getIncomingValue(n));
            return true;
          },
          /*DeletePHIIfEmpty=*/false);
      phi.addIncoming(dispatchPhi, block_);
    }
  }

  PHINode *getOrCreateDispatchPhi(Type *type, unsigned number) {
    PHINode *&dispatchPhi = dispatchPhis_[{type, number}];
    if (!dispatchPhi) {
      dispatchPhi = b_.CreatePHI(type, jumps_.size());
      for (BasicBlock *landing : landings_)
        dispatchPhi->addIncoming(PoisonValue::get(type), landing);
    }
    return dispatchPhi;
  }

  ArrayRef<Jump> jumps_;
  SmallVector<BasicBlock *> landings_; // one per jump, leading to the dispatch
  BasicBlock *block_;
  IRBuilder<> b_;
  // Per target: jump numbers by source block.
  MapVector<BasicBlock *, DenseMap<BasicBlock *, unsigned>> targets_;
  DenseMap<std::pair<Type *, unsigned>, PHINode *> dispatchPhis_;
};

bool canRedirect(const Jump &jump) {
  return isa<BranchInst, SwitchInst>(jump.from->getTerminator());
}

/// Inserts a dispatch into each outermost irreducible loop. Returns true if there was one.
bool insertDispatches(Function &f, bool redirectAll) {
  Loops loops(f);
  bool any = false;
  for (const Cycle *loop : loops.outermostIrreducibleCycles()) {
    SmallVector<Jump> jumps = loops.jumpsToRedirect(*loop, redirectAll);
    if (!all_of(jumps, canRedirect))
      continue;
    Dispatch(jumps).insertBlock();
    any = true;
  }
  return any;
}

/// Inserts phis for values that no longer dominate their uses.
void restoreSSA(Function &f) {
  DominatorTree dominators(f);
  SmallVector<Instruction *> broken;
  for (Instruction &i : instructions(f))
    if (!all_of(i.uses(), [&](const Use &u) { return dominators.dominates(&i, u); }))
      broken.push_back(&i);
  SmallVector<AllocaInst *> slots;
  for (Instruction *i : broken)
    slots.push_back(DemoteRegToStack(*i));
  if (!slots.empty())
    PromoteMemToReg(slots, dominators);
}

[[noreturn]] void throwUnsupportedJump(const BasicBlock &block) {
  Diagnostic d;
  d.kind = ErrorKind::Unsupported;
  d.message = "kernels have no jump to a computed label into a loop";
  for (const Instruction &i : block)
    if (const DILocation *at = i.getDebugLoc().get()) {
      d.file = at->getFilename().str();
      d.span.line = d.span.endLine = at->getLine();
      break;
    }
  d.hint = "use a switch";
  throw CompileError(std::move(d));
}

} // namespace

PreservedAnalyses MakeLoopsReducible::run(Function &f, FunctionAnalysisManager &) {
  if (!findIrreducibleEntry(f))
    return PreservedAnalyses::all();
  EliminateUnreachableBlocks(f);
  for (unsigned round = 0; insertDispatches(f, round >= maxRounds_);)
    ++round;
  restoreSSA(f);
  if (const BasicBlock *block = findIrreducibleEntry(f))
    throwUnsupportedJump(*block);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
