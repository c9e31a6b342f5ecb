#include "backend/cpu/blocks/jam_threads.h"

#include "backend/cpu/blocks/block_function.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::cpu {
namespace {

constexpr unsigned mostAtOnce = 4;
/// Instructions of the loop over threads: most of them exist once more for each thread that runs with others.
constexpr unsigned longestBody = 150;

Value *mapped(const ValueToValueMapTy &map, Value *v) {
  Value *to = map.lookup(v);
  return to ? to : v;
}

/// Where an instruction reads memory, which it does not change; null if it does anything else there.
const Value *placeRead(const Instruction &i) {
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->isUnordered() ? load->getPointerOperand() : nullptr;
  const auto *call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == Intrinsic::masked_load ? call->getArgOperand(0)
                                                                  : nullptr;
}

/// Blocks of checks that follow each other.
constexpr unsigned mostChecks = 16;

/// Whether the kernel ends there, with an error.
bool isStop(const BasicBlock &block, unsigned depth = 0) {
  return isa<UnreachableInst>(block.getTerminator()) ||
         (depth < mostChecks && !succ_empty(&block) &&
          all_of(successors(&block), [&](const BasicBlock *to) { return isStop(*to, depth + 1); }));
}

/// A loop over threads, and one inside of it that they may run at once.
class Jam {
public:
  Jam(Loop &threads, Loop &common, ScalarEvolution &evolution, const DominatorTree &dominators,
      const TargetTransformInfo &target)
      : threads_(threads), common_(common), evolution_(evolution), dominators_(dominators),
        target_(target) {}

  /// How many threads gain from running it at once; 1: none, or they cannot.
  unsigned count();
  /// Runs as many at once; the analyses do not hold any more.
  void make(unsigned count);

private:
  using Map = ValueToValueMapTy;

  bool findIndex();
  bool findWay();
  bool findEnd();
  bool mayRunAtOnce();
  bool isSame(const SCEV *value) const;
  bool isSame(const Value &v) const {
    return evolution_.isSCEVable(v.getType()) &&
           isSame(evolution_.getSCEV(const_cast<Value *>(&v)));
  }
  unsigned registersOf(Type *type) const;
  unsigned fittingCount() const;

  void makeStart(Map &map, unsigned thread);
  void makeTogether(BasicBlock &before);
  void makeEnd(unsigned thread, BasicBlock &before);
  void makeNext(BasicBlock &last);

  Loop &threads_;
  Loop &common_;
  ScalarEvolution &evolution_;
  const DominatorTree &dominators_;
  const TargetTransformInfo &target_;

  PHINode *index_ = nullptr; ///< of the thread, from 0
  ConstantInt *step_ = nullptr;
  Value *count_ = nullptr;                ///< the first index of no thread
  BasicBlock *latch_ = nullptr;           ///< of the loop over threads
  BasicBlock *exit_ = nullptr;            ///< of the loop over threads
  SmallVector<BasicBlock *> way_;         ///< from a thread's begin to the common loop
  SmallSetVector<BasicBlock *, 8> after_; ///< what a thread may run after the common loop
  SmallPtrSet<PHINode *, 4> same_;        ///< counters of the common loop that are the same in all

  BasicBlock *choice_ = nullptr;           ///< runs several threads or one
  BasicBlock *together_ = nullptr;         ///< the common loop, of all
  SmallVector<std::unique_ptr<Map>> maps_; ///< from what is of one thread to what is of each
};

/// The loop goes on while the next index, index_ + step_, is not yet count_.
bool Jam::findIndex() {
  latch_ = threads_.getLoopLatch();
  BasicBlock *before = threads_.getLoopPredecessor();
  auto *branch = latch_ ? dyn_cast<BranchInst>(latch_->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || !before)
    return false;
  SmallVector<Loop::Edge> ways;
  threads_.getExitEdges(ways);
  for (auto [from, to] : ways) {
    if (from == latch_)
      exit_ = to;
    else if (!isStop(*to))
      return false;
  }
  BasicBlock *header = threads_.getHeader();
  index_ = dyn_cast<PHINode>(&header->front());
  auto *test = dyn_cast<ICmpInst>(branch->getCondition());
  if (!index_ || range_size(header->phis()) != 1 || !test)
    return false;
  CmpInst::Predicate goesOn =
      branch->getSuccessor(0) == header ? test->getPredicate() : test->getInversePredicate();
  auto *next = dyn_cast<BinaryOperator>(index_->getIncomingValueForBlock(latch_));
  auto *first = dyn_cast<ConstantInt>(index_->getIncomingValueForBlock(before));
  if (!next || next->getOpcode() != Instruction::Add || next->getOperand(0) != index_ || !first ||
      !first->isZero() || test->getOperand(0) != next)
    return false;
  step_ = dyn_cast<ConstantInt>(next->getOperand(1));
  count_ = test->getOperand(1);
  return step_ && step_->getValue().isStrictlyPositive() && threads_.isLoopInvariant(count_) &&
         (goesOn == CmpInst::ICMP_NE || goesOn == CmpInst::ICMP_ULT);
}

/// What a thread does until it comes to the common loop has no effects and no other way there.
bool Jam::findWay() {
  BasicBlock *goal = common_.getHeader();
  for (BasicBlock *block = threads_.getHeader(); block != goal;) {
    way_.push_back(block);
    for (Instruction &i : *block)
      if ((i.mayWriteToMemory() && !isa<AssumeInst>(i)) || i.isAtomic() || i.isVolatile() ||
          (isa<CallBase>(i) && !isa<IntrinsicInst>(i)) || isa<AllocaInst>(i))
        return false;
    auto onWay = find_if(successors(block), [&](BasicBlock *to) {
      return to == goal || (to->getSinglePredecessor() == block && dominators_.dominates(to, goal));
    });
    if (!isa<BranchInst>(block->getTerminator()) || onWay == succ_end(block))
      return false;
    block = *onWay;
  }
  return common_.getLoopPredecessor() == way_.back();
}

bool Jam::findEnd() {
  BasicBlock *first = common_.getExitBlock();
  if (!exit_ || !exit_->phis().empty() || !first || !threads_.contains(first))
    return false;
  after_.insert(first);
  for (unsigned k = 0; k < after_.size(); ++k)
    for (BasicBlock *next : successors(after_[k]))
      if (next != threads_.getHeader() && next != exit_)
        after_.insert(next);
  unsigned size = 0;
  for (BasicBlock *block : threads_.blocks()) {
    size += block->size();
    for (Instruction &i : *block) {
      auto *call = dyn_cast<CallBase>(&i);
      if ((call && (call->cannotDuplicate() || call->isConvergent())) ||
          any_of(i.users(), [&](User *user) {
            const BasicBlock *at = cast<Instruction>(user)->getParent();
            return !threads_.contains(at) && !isStop(*at);
          }))
        return false;
    }
  }
  return size <= longestBody;
}

bool Jam::isSame(const SCEV *value) const {
  if (evolution_.isLoopInvariant(value, &threads_))
    return true;
  if (isa<SCEVUnknown, SCEVCouldNotCompute>(value))
    return false;
  const auto *recurrence = dyn_cast<SCEVAddRecExpr>(value);
  return (!recurrence || recurrence->getLoop() == &common_) &&
         all_of(value->operands(), [&](const SCEV *operand) { return isSame(operand); });
}

/// Whether all threads run as many rounds of a loop of one block that changes nothing but its own values.
bool Jam::mayRunAtOnce() {
  BasicBlock *round = common_.getHeader();
  if (common_.getNumBlocks() != 1 || !isa<BranchInst>(round->getTerminator()))
    return false;
  const SCEV *rounds = evolution_.getBackedgeTakenCount(&common_);
  if (isa<SCEVCouldNotCompute>(rounds) || !isSame(rounds))
    return false;
  for (PHINode &phi : round->phis())
    if (isSame(phi))
      same_.insert(&phi);
  return all_of(*round, [](const Instruction &i) {
    return placeRead(i) ||
           (!i.mayReadOrWriteMemory() && (!isa<CallBase>(i) || isa<IntrinsicInst>(i)));
  });
}

unsigned Jam::registersOf(Type *type) const {
  if (!type->isVectorTy())
    return type->isFloatingPointTy();
  uint64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
  uint64_t width =
      target_.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  return unsigned(std::max<uint64_t>(1, divideCeil(bits, std::max<uint64_t>(width, 1))));
}

/// As many threads as have registers for what each keeps in the loop; what they read, they may read from memory again.
unsigned Jam::fittingCount() const {
  BasicBlock &round = *common_.getHeader();
  unsigned ofEach = 0, ofAll = 0;
  bool readsSame = false;
  SmallPtrSet<Value *, 8> known;
  for (Instruction &i : round) {
    if (auto *phi = dyn_cast<PHINode>(&i))
      (same_.contains(phi) ? ofAll : ofEach) += registersOf(i.getType());
    else if (const Value *place = placeRead(i))
      readsSame |= isSame(*place);
    for (Value *operand : i.operands())
      if (isa<Instruction, Argument>(operand) && common_.isLoopInvariant(operand) &&
          known.insert(operand).second)
        (threads_.isLoopInvariant(operand) ? ofAll : ofEach) += registersOf(operand->getType());
  }
  auto *vector = FixedVectorType::get(Type::getFloatTy(round.getContext()), 4);
  unsigned registers =
      target_.getNumberOfRegisters(target_.getRegisterClassForType(/*Vector=*/true, vector));
  if (!readsSame || !ofEach || registers <= ofAll)
    return 1;
  return std::min(mostAtOnce, (registers - ofAll) / ofEach);
}

unsigned Jam::count() {
  bool can = findIndex() && findWay() && findEnd() && mayRunAtOnce();
  return can ? std::max(1u, fittingCount()) : 1;
}

void Jam::make(unsigned count) {
  BasicBlock *alone = threads_.getHeader();
  SmallVector<BasicBlock *> before(predecessors(alone));
  LLVMContext &c = alone->getContext();
  choice_ = BasicBlock::Create(c, alone->getName() + ".choice", alone->getParent(), alone);
  for (BasicBlock *block : before)
    block->getTerminator()->replaceSuccessorWith(alone, choice_);
  index_->moveBefore(*choice_, choice_->begin());
  // The loop that is left runs what cannot run together, and is not looked at again.
  latch_->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);

  IRBuilder<> b(choice_);
  b.SetCurrentDebugLocation(index_->getDebugLoc());
  for (unsigned thread = 0; thread < count; ++thread) {
    Map &map = *maps_.emplace_back(std::make_unique<Map>());
    map[index_] = thread ? b.CreateNUWAdd(index_, b.getInt(step_->getValue() * thread)) : index_;
    makeStart(map, thread);
  }
  auto startOf = [&](unsigned thread) { return cast<BasicBlock>((*maps_[thread])[alone]); };
  Value *left = b.CreateNUWSub(count_, index_);
  APInt toLast = step_->getValue() * (count - 1);
  b.CreateCondBr(b.CreateICmpUGT(left, b.getInt(toLast)), startOf(0), alone);

  together_ = BasicBlock::Create(c, common_.getName() + ".together", alone->getParent(), alone);
  BasicBlock *last = nullptr;
  for (unsigned thread = 0; thread < count; ++thread) {
    last = cast<BasicBlock>((*maps_[thread])[way_.back()]);
    last->getTerminator()->replaceSuccessorWith(
        common_.getHeader(), thread + 1 < count ? startOf(thread + 1) : together_);
  }
  makeTogether(*last);
  last = together_;
  for (unsigned thread = 0; thread < count; ++thread) {
    makeEnd(thread, *last);
    last = cast<BasicBlock>((*maps_[thread])[latch_]);
  }
  makeNext(*last);
}

void Jam::makeStart(Map &map, unsigned thread) {
  BasicBlock *alone = threads_.getHeader();
  for (BasicBlock *block : way_)
    map[block] = CloneBasicBlock(block, map, ".of" + Twine(thread), alone->getParent());
  for (BasicBlock *block : way_) {
    auto *copy = cast<BasicBlock>(map[block]);
    for (Instruction &i : *copy)
      RemapInstruction(&i, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    for (unsigned k = 0; k < copy->getTerminator()->getNumSuccessors(); ++k) {
      BasicBlock *to = block->getTerminator()->getSuccessor(k);
      if (!is_contained(way_, to) && to != common_.getHeader())
        copy->getTerminator()->setSuccessor(k, alone);
    }
  }
}

void Jam::makeTogether(BasicBlock &before) {
  BasicBlock *round = common_.getHeader();
  IRBuilder<> b(together_);
  for (PHINode &phi : round->phis())
    for (std::unique_ptr<Map> &map : maps_)
      (*map)[&phi] = same_.contains(&phi) && map != maps_.front()
                         ? static_cast<Value *>((*maps_.front())[&phi])
                         : b.CreatePHI(phi.getType(), 2, phi.getName());
  for (std::unique_ptr<Map> &map : maps_) {
    (*map)[round] = together_;
    for (Instruction &i : make_range(round->getFirstNonPHIIt(), round->end())) {
      if (i.isTerminator() && map != maps_.back())
        continue;
      Instruction *copy = i.clone();
      copy->insertInto(together_, together_->end());
      copy->setName(i.getName());
      RemapInstruction(copy, *map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      (*map)[&i] = copy;
    }
  }
  together_->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
  for (PHINode &phi : round->phis())
    for (std::unique_ptr<Map> &map : maps_) {
      auto *copy = cast<PHINode>((*map)[&phi]);
      if (copy->getNumIncomingValues())
        continue;
      copy->addIncoming(mapped(*map, phi.getIncomingValueForBlock(way_.back())), &before);
      copy->addIncoming(mapped(*map, phi.getIncomingValueForBlock(round)), together_);
    }
}

void Jam::makeEnd(unsigned thread, BasicBlock &before) {
  Map &map = *maps_[thread];
  map[common_.getHeader()] = &before;
  for (BasicBlock *block : after_)
    map[block] = CloneBasicBlock(block, map, ".of" + Twine(thread), together_->getParent());
  for (BasicBlock *block : after_)
    for (Instruction &i : make_early_inc_range(*cast<BasicBlock>(map[block]))) {
      if (auto *phi = dyn_cast<PHINode>(&i))
        phi->removeIncomingValueIf(
            [&](unsigned k) {
              BasicBlock *from = phi->getIncomingBlock(k);
              return from != common_.getHeader() && !after_.contains(from);
            },
            /*DeletePHIIfEmpty=*/false);
      RemapInstruction(&i, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    }
  auto *first = cast<BasicBlock>(map[common_.getExitBlock()]);
  if (thread == 0) {
    together_->getTerminator()->replaceSuccessorWith(common_.getExitBlock(), first);
    return;
  }
  before.getTerminator()->eraseFromParent();
  BranchInst::Create(first, &before);
}

void Jam::makeNext(BasicBlock &last) {
  Instruction *old = last.getTerminator();
  IRBuilder<> b(old);
  Value *next = b.CreateNUWAdd(index_, b.getInt(step_->getValue() * maps_.size()));
  b.CreateCondBr(b.CreateICmpULT(next, count_), choice_, exit_);
  old->eraseFromParent();
  index_->addIncoming(next, &last);
}

bool isMasked(const Loop &loop) {
  return any_of(*loop.getHeader(),
                [](const Instruction &i) { return isa<IntrinsicInst>(i) && placeRead(i); });
}

/// Makes one loop of the function run several threads at once; whether there was any.
bool jamOne(Function &f, FunctionAnalysisManager &am) {
  auto &loops = am.getResult<LoopAnalysis>(f);
  if (loops.empty())
    return false;
  auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
  const auto &dominators = am.getResult<DominatorTreeAnalysis>(f);
  const auto &target = am.getResult<TargetIRAnalysis>(f);
  // Of a branch's forms for all lanes and for some, most threads run the first.
  for (bool masked : {false, true})
    for (Loop *common : loops.getLoopsInPreorder()) {
      Loop *threads = common->getParentLoop();
      if (!common->isInnermost() || !threads || !isLoopOverThreads(*threads) ||
          isMasked(*common) != masked)
        continue;
      Jam jam(*threads, *common, evolution, dominators, target);
      if (unsigned count = jam.count(); count > 1) {
        jam.make(count);
        return true;
      }
    }
  return false;
}

} // namespace

PreservedAnalyses JamThreads::run(Function &f, FunctionAnalysisManager &am) {
  if (!jamOne(f, am))
    return PreservedAnalyses::all();
  do
    am.invalidate(f, PreservedAnalyses::none());
  while (jamOne(f, am));
  EarlyCSEPass(/*UseMemorySSA=*/true).run(f, am); // reads once what all threads read
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
