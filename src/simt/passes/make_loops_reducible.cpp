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

/// The loops of a function, and which of its jumps go back.
class Loops {
public:
  explicit Loops(Function &f) : dominators_(f) {
    cycles_.compute(f);
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&f))
      position_[block] = position_.size();
  }

  /// The outermost of the loops with several entries. They have no block in common.
  SmallVector<Cycle *> withSeveralEntries() const {
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

  /// What must go through a header for the loop to have one: the jumps into it, and the jumps back to its entries except
  /// those of natural loops. `flat`: all jumps back.
  SmallVector<Jump> jumpsToRedirect(const Cycle &loop, bool flat) const {
    SmallVector<Jump> jumps;
    for (BasicBlock *block : loop.blocks())
      for (BasicBlock *from : SetVector<BasicBlock *>(pred_begin(block), pred_end(block)))
        if (!loop.contains(from) ||
            (flat ? goesBack(from, block) : loop.isEntry(block) && goesBackAstray(from, block)))
          jumps.push_back({from, block});
    return jumps;
  }

private:
  bool goesBack(const BasicBlock *from, const BasicBlock *to) const {
    return position_.lookup(to) <= position_.lookup(from);
  }

  /// Not to the header of a natural loop, which stays one.
  bool goesBackAstray(const BasicBlock *from, const BasicBlock *to) const {
    return goesBack(from, to) && !dominators_.dominates(to, from);
  }

  DominatorTree dominators_;
  CycleInfo cycles_;
  DenseMap<const BasicBlock *, unsigned> position_;
};

/// The block through which the given jumps go from now on.
class Dispatch {
public:
  explicit Dispatch(ArrayRef<Jump> jumps)
      : jumps_(jumps), block_(newBlock("dispatch", jumps.front().to)), b_(block_) {
    b_.SetCurrentDebugLocation(jumps.front().from->getTerminator()->getDebugLoc());
    for (auto [n, jump] : enumerate(jumps_)) {
      targets_[jump.to][jump.from] = n;
      ways_.push_back(newBlock("to." + jump.to->getName(), block_));
    }
  }

  void insert() {
    for (auto &[target, jumpsFrom] : targets_)
      carryPhis(*target, jumpsFrom);
    SmallVector<ConstantInt *> choices(jumps_.size());
    SwitchInst *leave = b_.CreateSwitch(PoisonValue::get(b_.getInt32Ty()), targets_.front().first);
    for (auto [number, entry] : enumerate(targets_)) {
      for (auto [from, n] : entry.second)
        choices[n] = b_.getInt32(number);
      if (number > 0)
        leave->addCase(b_.getInt32(number), entry.first);
    }
    b_.SetInsertPoint(leave);
    PHINode *choice = b_.CreatePHI(b_.getInt32Ty(), jumps_.size(), "target");
    leave->setCondition(choice);
    for (auto [jump, way, number] : zip(jumps_, ways_, choices)) {
      Instruction *end = jump.from->getTerminator();
      BranchInst::Create(block_, way)->setDebugLoc(end->getDebugLoc());
      end->replaceSuccessorWith(jump.to, way);
      choice->addIncoming(number, way);
    }
  }

private:
  static BasicBlock *newBlock(const Twine &name, BasicBlock *before) {
    return BasicBlock::Create(before->getContext(), name, before->getParent(), before);
  }

  /// What the phis of `target` get from the jumps comes through phis of the dispatch. A jump has one target, so that all
  /// targets share them: the n-th phi of a type is that of every target's n-th phi of the type.
  void carryPhis(BasicBlock &target, const DenseMap<BasicBlock *, unsigned> &jumpsFrom) {
    DenseMap<Type *, unsigned> seen;
    for (PHINode &phi : target.phis()) {
      PHINode *carrier = carrierOf(phi.getType(), seen[phi.getType()]++);
      phi.removeIncomingValueIf(
          [&](unsigned n) {
            auto jump = jumpsFrom.find(phi.getIncomingBlock(n));
            if (jump == jumpsFrom.end())
              return false;
            carrier->setIncomingValue(jump->second, phi.getIncomingValue(n));
            return true;
          },
          /*DeletePHIIfEmpty=*/false);
      phi.addIncoming(carrier, block_);
    }
  }

  PHINode *carrierOf(Type *type, unsigned number) {
    PHINode *&carrier = carriers_[{type, number}];
    if (!carrier) {
      carrier = b_.CreatePHI(type, jumps_.size());
      for (BasicBlock *way : ways_)
        carrier->addIncoming(PoisonValue::get(type), way);
    }
    return carrier;
  }

  ArrayRef<Jump> jumps_;
  SmallVector<BasicBlock *> ways_; // of each jump, to the dispatch
  BasicBlock *block_;
  IRBuilder<> b_;
  // By target, the jumps' numbers by where they are from.
  MapVector<BasicBlock *, DenseMap<BasicBlock *, unsigned>> targets_;
  DenseMap<std::pair<Type *, unsigned>, PHINode *> carriers_;
};

bool canRedirect(const Jump &jump) {
  return isa<BranchInst, SwitchInst>(jump.from->getTerminator());
}

/// One dispatch for each of the outermost loops with several entries. Returns whether there was one.
bool insertDispatches(Function &f, bool flat) {
  Loops loops(f);
  bool any = false;
  for (const Cycle *loop : loops.withSeveralEntries()) {
    SmallVector<Jump> jumps = loops.jumpsToRedirect(*loop, flat);
    if (!all_of(jumps, canRedirect))
      continue;
    Dispatch(jumps).insert();
    any = true;
  }
  return any;
}

/// Puts in phis for values that are used where they no longer dominate.
void repairValues(Function &f) {
  DominatorTree dominators(f);
  SmallVector<Instruction *> torn;
  for (Instruction &i : instructions(f))
    if (!all_of(i.uses(), [&](const Use &u) { return dominators.dominates(&i, u); }))
      torn.push_back(&i);
  SmallVector<AllocaInst *> places;
  for (Instruction *i : torn)
    places.push_back(DemoteRegToStack(*i));
  if (!places.empty())
    PromoteMemToReg(places, dominators);
}

[[noreturn]] void refuse(const BasicBlock &block) {
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
  if (!enteredBesidesHeader(f))
    return PreservedAnalyses::all();
  EliminateUnreachableBlocks(f);
  for (unsigned round = 0; insertDispatches(f, round >= rounds_);)
    ++round;
  repairValues(f);
  if (const BasicBlock *block = enteredBesidesHeader(f))
    refuse(*block);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
