#include "backend/cpu/blocks/unroll_and_jam_threads.h"

#include "backend/cpu/blocks/block_function.h"
#include "simt/ir/ops.h"
#include "simt/thresholds.h"

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

Value *mappedValue(const ValueToValueMapTy &map, Value *v) {
  Value *to = map.lookup(v);
  return to ? to : v;
}

/// The address that a plain or masked load reads; null for other memory accesses.
const Value *loadedAddress(const Instruction &i) {
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->isUnordered() ? load->getPointerOperand() : nullptr;
  const auto *call = dyn_cast<IntrinsicInst>(&i);
  return call && call->getIntrinsicID() == Intrinsic::masked_load ? call->getArgOperand(0)
                                                                  : nullptr;
}

/// Returns true for calls, except those that become a few instructions.
bool isNonArithmeticCall(const Instruction &i) {
  return isa<CallBase>(i) && !isa<IntrinsicInst>(i) && !simt::computesFromOperands(i);
}

/// Returns true if all paths from the block stop the kernel with an error.
bool alwaysTraps(const BasicBlock &block, unsigned depth = 0) {
  return isa<UnreachableInst>(block.getTerminator()) ||
         (depth < thresholds::maxExpressionSize && !succ_empty(&block) &&
          all_of(
              successors(&block),
              [&](const BasicBlock *to) { return alwaysTraps(*to, depth + 1); }));
}

/// A loop over threads, with an inner loop that several threads can run at once.
class ThreadJam {
public:
  ThreadJam(Loop &threads, Loop &common, ScalarEvolution &evolution,
            const DominatorTree &dominators, const TargetTransformInfo &target)
      : threadLoop_(threads), innerLoop_(common), evolution_(evolution), dominators_(dominators),
        target_(target) {}

  /// Chooses the number of threads to jam; 1 if that is impossible or not profitable.
  unsigned matchLoopsAndChooseThreadCount();
  /// Jams that many threads. Invalidates all analyses.
  void jamThreads(unsigned count);

private:
  using Map = ValueToValueMapTy;

  bool matchThreadLoop();
  bool findPrologue();
  bool findEpilogue();
  bool checkInnerLoopAndFindUniformPhis();
  bool isUniform(const SCEV *value) const;
  bool isUniform(const Value &v) const {
    return evolution_.isSCEVable(v.getType()) &&
           isUniform(evolution_.getSCEV(const_cast<Value *>(&v)));
  }
  unsigned countVectorRegisters(Type *type) const;
  unsigned maxThreadsInRegisters() const;

  void clonePrologue(Map &map, unsigned thread);
  void jamInnerLoop(BasicBlock &before);
  void cloneEpilogue(unsigned thread, BasicBlock &before);
  void emitLatch(BasicBlock &last);

  Loop &threadLoop_;
  Loop &innerLoop_;
  ScalarEvolution &evolution_;
  const DominatorTree &dominators_;
  const TargetTransformInfo &target_;

  PHINode *index_ = nullptr; ///< of the thread, from 0
  ConstantInt *step_ = nullptr;
  Value *count_ = nullptr;                   ///< upper bound of the index
  BasicBlock *latch_ = nullptr;              ///< of the loop over threads
  BasicBlock *exit_ = nullptr;               ///< of the loop over threads
  SmallVector<BasicBlock *> prologue_;       ///< blocks from a thread's start to the inner loop
  SmallSetVector<BasicBlock *, 8> epilogue_; ///< blocks that a thread may run after the inner loop
  SmallPtrSet<PHINode *, 4>
      uniformPhis_; ///< phis of the inner loop that are uniform across threads

  BasicBlock *dispatch_ = nullptr;         ///< branches to the jammed or the scalar loop
  BasicBlock *jammed_ = nullptr;           ///< the inner loop of all jammed threads
  SmallVector<std::unique_ptr<Map>> maps_; ///< for each thread, maps original values to its copies
};

/// Matches a thread loop that continues while index_ + step_ is below count_.
bool ThreadJam::matchThreadLoop() {
  latch_ = threadLoop_.getLoopLatch();
  BasicBlock *before = threadLoop_.getLoopPredecessor();
  auto *branch = latch_ ? dyn_cast<BranchInst>(latch_->getTerminator()) : nullptr;
  if (!branch || !branch->isConditional() || !before)
    return false;
  SmallVector<Loop::Edge> exits;
  threadLoop_.getExitEdges(exits);
  for (auto [from, to] : exits) {
    if (from == latch_)
      exit_ = to;
    else if (!alwaysTraps(*to))
      return false;
  }
  BasicBlock *header = threadLoop_.getHeader();
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
  return step_ && step_->getValue().isStrictlyPositive() && threadLoop_.isLoopInvariant(count_) &&
         (goesOn == CmpInst::ICMP_NE || goesOn == CmpInst::ICMP_ULT);
}

/// The code before the inner loop must be free of side effects and have a single path there.
bool ThreadJam::findPrologue() {
  BasicBlock *innerHeader = innerLoop_.getHeader();
  for (BasicBlock *block = threadLoop_.getHeader(); block != innerHeader;) {
    prologue_.push_back(block);
    for (Instruction &i : *block)
      if ((i.mayWriteToMemory() && !isa<AssumeInst>(i)) || i.isAtomic() || i.isVolatile() ||
          isNonArithmeticCall(i) || isa<AllocaInst>(i))
        return false;
    auto next = find_if(successors(block), [&](BasicBlock *to) {
      return to == innerHeader ||
             (to->getSinglePredecessor() == block && dominators_.dominates(to, innerHeader));
    });
    if (!isa<BranchInst>(block->getTerminator()) || next == succ_end(block))
      return false;
    block = *next;
  }
  return innerLoop_.getLoopPredecessor() == prologue_.back();
}

bool ThreadJam::findEpilogue() {
  BasicBlock *first = innerLoop_.getExitBlock();
  if (!exit_ || !exit_->phis().empty() || !first || !threadLoop_.contains(first))
    return false;
  epilogue_.insert(first);
  for (unsigned k = 0; k < epilogue_.size(); ++k)
    for (BasicBlock *next : successors(epilogue_[k]))
      if (next != threadLoop_.getHeader() && next != exit_)
        epilogue_.insert(next);
  unsigned size = 0;
  for (BasicBlock *block : threadLoop_.blocks()) {
    size += block->size();
    for (Instruction &i : *block) {
      auto *call = dyn_cast<CallBase>(&i);
      if ((call && (call->cannotDuplicate() || call->isConvergent())) ||
          any_of(i.users(), [&](User *user) {
            const BasicBlock *at = cast<Instruction>(user)->getParent();
            return !threadLoop_.contains(at) && !alwaysTraps(*at);
          }))
        return false;
    }
  }
  return size <= thresholds::maxCopiedSize;
}

bool ThreadJam::isUniform(const SCEV *value) const {
  if (evolution_.isLoopInvariant(value, &threadLoop_))
    return true;
  if (isa<SCEVUnknown, SCEVCouldNotCompute>(value))
    return false;
  const auto *recurrence = dyn_cast<SCEVAddRecExpr>(value);
  return (!recurrence || recurrence->getLoop() == &innerLoop_) &&
         all_of(value->operands(), [&](const SCEV *operand) { return isUniform(operand); });
}

/// Returns true if all threads have the same trip count, in a single-block loop without memory writes.
bool ThreadJam::checkInnerLoopAndFindUniformPhis() {
  BasicBlock *body = innerLoop_.getHeader();
  if (innerLoop_.getNumBlocks() != 1 || !isa<BranchInst>(body->getTerminator()))
    return false;
  const SCEV *tripCount = evolution_.getBackedgeTakenCount(&innerLoop_);
  if (isa<SCEVCouldNotCompute>(tripCount) || !isUniform(tripCount))
    return false;
  for (PHINode &phi : body->phis())
    if (isUniform(phi))
      uniformPhis_.insert(&phi);
  return all_of(*body, [](const Instruction &i) {
    return loadedAddress(i) || (!i.mayReadOrWriteMemory() && !isNonArithmeticCall(i));
  });
}

unsigned ThreadJam::countVectorRegisters(Type *type) const {
  if (!type->isVectorTy())
    return type->isFloatingPointTy();
  uint64_t bits = type->getPrimitiveSizeInBits().getFixedValue();
  uint64_t width =
      target_.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  return unsigned(std::max<uint64_t>(1, divideCeil(bits, std::max<uint64_t>(width, 1))));
}

/// The number of threads whose loop-carried values fit in registers; loaded values may be reloaded from memory.
unsigned ThreadJam::maxThreadsInRegisters() const {
  BasicBlock &body = *innerLoop_.getHeader();
  unsigned perThread = 0, shared = 0;
  bool readsUniform = false;
  SmallPtrSet<Value *, 8> known;
  for (Instruction &i : body) {
    if (auto *phi = dyn_cast<PHINode>(&i))
      (uniformPhis_.contains(phi) ? shared : perThread) += countVectorRegisters(i.getType());
    else if (const Value *address = loadedAddress(i))
      readsUniform |= isUniform(*address);
    for (Value *operand : i.operands())
      if (isa<Instruction, Argument>(operand) && innerLoop_.isLoopInvariant(operand) &&
          known.insert(operand).second)
        (threadLoop_.isLoopInvariant(operand) ? shared : perThread) +=
            countVectorRegisters(operand->getType());
  }
  auto *vector = FixedVectorType::get(Type::getFloatTy(body.getContext()), 4);
  unsigned registers =
      target_.getNumberOfRegisters(target_.getRegisterClassForType(/*Vector=*/true, vector));
  if (!readsUniform || !perThread || registers <= shared)
    return 1;
  return std::min(thresholds::maxJammedThreads, (registers - shared) / perThread);
}

unsigned ThreadJam::matchLoopsAndChooseThreadCount() {
  bool can =
      matchThreadLoop() && findPrologue() && findEpilogue() && checkInnerLoopAndFindUniformPhis();
  return can ? std::max(1u, maxThreadsInRegisters()) : 1;
}

void ThreadJam::jamThreads(unsigned count) {
  BasicBlock *scalarHeader = threadLoop_.getHeader();
  SmallVector<BasicBlock *> before(predecessors(scalarHeader));
  LLVMContext &c = scalarHeader->getContext();
  dispatch_ = BasicBlock::Create(c, scalarHeader->getName() + ".dispatch",
                                 scalarHeader->getParent(), scalarHeader);
  for (BasicBlock *block : before)
    block->getTerminator()->replaceSuccessorWith(scalarHeader, dispatch_);
  index_->moveBefore(*dispatch_, dispatch_->begin());
  // The remaining scalar loop handles the rest and is not considered again.
  latch_->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);

  IRBuilder<> b(dispatch_);
  b.SetCurrentDebugLocation(index_->getDebugLoc());
  for (unsigned thread = 0; thread < count; ++thread) {
    Map &map = *maps_.emplace_back(std::make_unique<Map>());
    map[index_] = thread ? b.CreateNUWAdd(index_, b.getInt(step_->getValue() * thread)) : index_;
    clonePrologue(map, thread);
  }
  auto startOf = [&](unsigned thread) { return cast<BasicBlock>((*maps_[thread])[scalarHeader]); };
  Value *left = b.CreateNUWSub(count_, index_);
  APInt toLast = step_->getValue() * (count - 1);
  b.CreateCondBr(b.CreateICmpUGT(left, b.getInt(toLast)), startOf(0), scalarHeader);

  jammed_ = BasicBlock::Create(c, innerLoop_.getName() + ".jammed", scalarHeader->getParent(),
                               scalarHeader);
  BasicBlock *last = nullptr;
  for (unsigned thread = 0; thread < count; ++thread) {
    last = cast<BasicBlock>((*maps_[thread])[prologue_.back()]);
    last->getTerminator()->replaceSuccessorWith(innerLoop_.getHeader(),
                                                thread + 1 < count ? startOf(thread + 1) : jammed_);
  }
  jamInnerLoop(*last);
  last = jammed_;
  for (unsigned thread = 0; thread < count; ++thread) {
    cloneEpilogue(thread, *last);
    last = cast<BasicBlock>((*maps_[thread])[latch_]);
  }
  emitLatch(*last);
}

void ThreadJam::clonePrologue(Map &map, unsigned thread) {
  BasicBlock *scalarHeader = threadLoop_.getHeader();
  for (BasicBlock *block : prologue_)
    map[block] = CloneBasicBlock(block, map, ".of" + Twine(thread), scalarHeader->getParent());
  for (BasicBlock *block : prologue_) {
    auto *copy = cast<BasicBlock>(map[block]);
    for (Instruction &i : *copy)
      RemapInstruction(&i, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    for (unsigned k = 0; k < copy->getTerminator()->getNumSuccessors(); ++k) {
      BasicBlock *to = block->getTerminator()->getSuccessor(k);
      if (!is_contained(prologue_, to) && to != innerLoop_.getHeader())
        copy->getTerminator()->setSuccessor(k, scalarHeader);
    }
  }
}

void ThreadJam::jamInnerLoop(BasicBlock &before) {
  BasicBlock *body = innerLoop_.getHeader();
  IRBuilder<> b(jammed_);
  for (PHINode &phi : body->phis())
    for (std::unique_ptr<Map> &map : maps_)
      (*map)[&phi] = uniformPhis_.contains(&phi) && map != maps_.front()
                         ? static_cast<Value *>((*maps_.front())[&phi])
                         : b.CreatePHI(phi.getType(), 2, phi.getName());
  for (std::unique_ptr<Map> &map : maps_) {
    (*map)[body] = jammed_;
    for (Instruction &i : make_range(body->getFirstNonPHIIt(), body->end())) {
      if (i.isTerminator() && map != maps_.back())
        continue;
      Instruction *copy = i.clone();
      copy->insertInto(jammed_, jammed_->end());
      copy->setName(i.getName());
      RemapInstruction(copy, *map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      (*map)[&i] = copy;
    }
  }
  jammed_->getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
  for (PHINode &phi : body->phis())
    for (std::unique_ptr<Map> &map : maps_) {
      auto *copy = cast<PHINode>((*map)[&phi]);
      if (copy->getNumIncomingValues())
        continue;
      copy->addIncoming(mappedValue(*map, phi.getIncomingValueForBlock(prologue_.back())), &before);
      copy->addIncoming(mappedValue(*map, phi.getIncomingValueForBlock(body)), jammed_);
    }
}

void ThreadJam::cloneEpilogue(unsigned thread, BasicBlock &before) {
  Map &map = *maps_[thread];
  map[innerLoop_.getHeader()] = &before;
  for (BasicBlock *block : epilogue_)
    map[block] = CloneBasicBlock(block, map, ".of" + Twine(thread), jammed_->getParent());
  for (BasicBlock *block : epilogue_)
    for (Instruction &i : make_early_inc_range(*cast<BasicBlock>(map[block]))) {
      if (auto *phi = dyn_cast<PHINode>(&i))
        phi->removeIncomingValueIf(
            [&](unsigned k) {
              BasicBlock *from = phi->getIncomingBlock(k);
              return from != innerLoop_.getHeader() && !epilogue_.contains(from);
            },
            /*DeletePHIIfEmpty=*/false);
      RemapInstruction(&i, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
    }
  auto *first = cast<BasicBlock>(map[innerLoop_.getExitBlock()]);
  if (thread == 0) {
    jammed_->getTerminator()->replaceSuccessorWith(innerLoop_.getExitBlock(), first);
    return;
  }
  before.getTerminator()->eraseFromParent();
  BranchInst::Create(first, &before);
}

void ThreadJam::emitLatch(BasicBlock &last) {
  Instruction *old = last.getTerminator();
  IRBuilder<> b(old);
  Value *next = b.CreateNUWAdd(index_, b.getInt(step_->getValue() * maps_.size()));
  b.CreateCondBr(b.CreateICmpULT(next, count_), dispatch_, exit_);
  old->eraseFromParent();
  index_->addIncoming(next, &last);
}

bool hasMaskedLoads(const Loop &loop) {
  return any_of(*loop.getHeader(),
                [](const Instruction &i) { return isa<IntrinsicInst>(i) && loadedAddress(i); });
}

/// Jams one loop of the function. Returns true if there was one.
bool jamOneLoop(Function &f, FunctionAnalysisManager &am) {
  auto &loops = am.getResult<LoopAnalysis>(f);
  if (loops.empty())
    return false;
  auto &evolution = am.getResult<ScalarEvolutionAnalysis>(f);
  const auto &dominators = am.getResult<DominatorTreeAnalysis>(f);
  const auto &target = am.getResult<TargetIRAnalysis>(f);
  // A branch has versions for all lanes and for some lanes; most threads run the former.
  for (bool masked : {false, true})
    for (Loop *common : loops.getLoopsInPreorder()) {
      Loop *threads = common->getParentLoop();
      if (!common->isInnermost() || !threads || !isThreadLoop(*threads) ||
          hasMaskedLoads(*common) != masked)
        continue;
      ThreadJam jam(*threads, *common, evolution, dominators, target);
      if (unsigned count = jam.matchLoopsAndChooseThreadCount(); count > 1) {
        jam.jamThreads(count);
        return true;
      }
    }
  return false;
}

} // namespace

PreservedAnalyses UnrollAndJamThreads::run(Function &f, FunctionAnalysisManager &am) {
  if (!jamOneLoop(f, am))
    return PreservedAnalyses::all();
  do
    am.invalidate(f, PreservedAnalyses::none());
  while (jamOneLoop(f, am));
  EarlyCSEPass(/*UseMemorySSA=*/true).run(f, am); // merges the threads' equal loads
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
