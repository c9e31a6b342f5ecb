#include "backend/nvptx/tune/coarsen_threads.h"

#include "simt/analysis/grid_indices.h"
#include "simt/ir/remarks.h"
#include "simt/ir/source_positions.h"
#include "simt/ir/verifier.h"
#include "simt/thresholds.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr unsigned accessBytes = 16; // a thread's widest access (PTX ISA, ld and st: .v4.b32)

/// The reason why a kernel is not coarsened: the end of a sentence, and the responsible instruction.
struct Reason {
  std::string text;
  const Instruction *at = nullptr;
};

/// The analysis results that coarsening needs.
struct Candidate {
  /// The thread's index in a one-dimensional grid: ctaid * ntid + tid.
  SmallVector<Instruction *, 2> indices;
  /// The guards, starting at the entry: each branches to the next one or to the exit.
  SmallVector<BasicBlock *, 4> guards;
  /// The straight-line code that runs if every guard holds.
  BasicBlock *body = nullptr;
  /// Values that differ between threads.
  SmallPtrSet<const Value *, 32> varying;
  /// Loads and stores of an array's element `index`.
  SetVector<Instruction *> wide;
  unsigned factor = 0;
};

/// True for ctaid.x * ntid.x + tid.x. The product must have the width of the sum, so that both overflow alike.
bool isGridIndexInOneWidth(const Value *v) {
  Value *product = simt::findBlockStartOfGridIndex(*const_cast<Value *>(v));
  return product && !isa<CastInst>(product);
}

/// True if `v` is used only in linear indices, through widening and the product.
bool feedsOnlyGridIndices(const Value &v) {
  return all_of(v.users(), [](const User *user) {
    return isGridIndexInOneWidth(user) ||
           (isa<ZExtInst, SExtInst>(user)
                ? feedsOnlyGridIndices(*user)
                : cast<Instruction>(user)->getOpcode() == Instruction::Mul &&
                      feedsOnlyGridIndices(*user));
  });
}

/// Decides whether a kernel can be coarsened.
class CoarseningCheck {
public:
  explicit CoarseningCheck(Function &kernel) : kernel_(kernel), layout_(kernel.getDataLayout()) {}

  /// Fills `candidate`, or returns the reason why the kernel cannot be coarsened.
  std::optional<Reason> run() {
    if (auto reason = checkOperationsAndFindIndices())
      return reason;
    if (auto reason = findGuardsAndBody())
      return reason;
    findValuesThatVaryBetweenLanes();
    if (auto reason = findAccesses())
      return reason;
    return chooseFactor();
  }

  Candidate candidate;

private:
  std::optional<Reason> checkOperationsAndFindIndices() {
    for (Instruction &i : instructions(kernel_)) {
      if (isa<AllocaInst>(i))
        return Reason{"it has a local array", &i};
      if (isGridIndexInOneWidth(&i))
        candidate.indices.push_back(&i);
      auto op = simt::calledOp(&i);
      if (!op) {
        if (isa<CallBase>(i) && !isa<IntrinsicInst>(i))
          return Reason{"it calls a function", &i};
        continue;
      }
      if (auto reason = whyOperationPreventsCoarsening(*op, i))
        return reason;
    }
    if (candidate.indices.empty())
      return Reason{"it does not use the thread's index in the grid"};
    return std::nullopt;
  }

  std::optional<Reason> whyOperationPreventsCoarsening(simt::Op op, Instruction &i) {
    const simt::OpInfo &info = simt::info(op);
    if (info.has(simt::Convergent))
      return Reason{"its threads wait for each other", &i};
    if (op == simt::Op::Print)
      return Reason{"it prints", &i};
    if (info.has(simt::Site))
      return Reason{"it may raise an error", &i};
    if (op == simt::Op::DynamicShared)
      return Reason{"it uses shared memory", &i};
    if (info.has(simt::ArgMemory) && !i.use_empty())
      return Reason{"it uses the result of an atomic operation", &i};
    bool ofThread = op == simt::Op::ThreadIdX || op == simt::Op::BlockIdX;
    if (op == simt::Op::LaneId || (ofThread && !feedsOnlyGridIndices(i)))
      return Reason{"it uses the thread's index in its block", &i};
    if (!info.has(simt::Pure) && !info.has(simt::ArgMemory))
      return Reason{"it has side effects other than array accesses", &i};
    return std::nullopt;
  }

  /// Finds the guards and the body.
  std::optional<Reason> findGuardsAndBody() {
    BasicBlock *exit = nullptr;
    for (BasicBlock &b : kernel_)
      if (isa<ReturnInst>(b.getTerminator()))
        exit = exit ? nullptr : &b;
    BasicBlock *block = &kernel_.getEntryBlock();
    for (;;) {
      if (isa<ReturnInst>(block->getTerminator()) || block->getUniqueSuccessor() == exit) {
        candidate.body = block;
        break;
      }
      auto *branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!exit || !branch)
        return Reason{"it has control flow other than guards", block->getTerminator()};
      if (!branch->isConditional()) {
        return Reason{"it has control flow other than guards", branch};
      }
      BasicBlock *next = branch->getSuccessor(branch->getSuccessor(0) == exit);
      if (!is_contained(successors(block), exit) || !next->getSinglePredecessor())
        return Reason{"it has control flow other than guards", branch};
      for (Instruction &i : *block)
        if (i.mayHaveSideEffects())
          return Reason{"it changes memory before its guard", &i};
      candidate.guards.push_back(block);
      block = next;
    }
    if (exit && candidate.body != exit && exit->sizeWithoutDebug() > 1)
      return Reason{"it continues after its guard", &exit->front()};
    size_t reached = candidate.guards.size() + 1 + (exit && exit != candidate.body);
    if (reached != kernel_.size())
      return Reason{"it has control flow other than guards"};
    return std::nullopt;
  }

  /// An atomic operation must run once per thread, even if its operands are uniform.
  static bool isAtomic(const Instruction &i) {
    auto op = simt::calledOp(&i);
    return op && simt::info(*op).has(simt::ArgMemory);
  }

  void findValuesThatVaryBetweenLanes() {
    for (Instruction *index : candidate.indices)
      candidate.varying.insert(index);
    for (BasicBlock *block : guardsAndBody())
      for (Instruction &i : *block)
        if (isAtomic(i) || any_of(i.operands(), [&](const Use &u) {
              return candidate.varying.count(u.get()) != 0;
            }))
          candidate.varying.insert(&i);
  }

  std::optional<Reason> findAccesses() {
    for (BasicBlock *block : guardsAndBody())
      for (Instruction &i : *block) {
        const Value *pointer = getLoadStorePointerOperand(&i);
        if (!pointer || !candidate.varying.count(&i))
          continue;
        if (cast<Instruction>(i).isVolatile())
          return Reason{"it has a volatile access", &i};
        if (!candidate.varying.count(pointer)) // all threads store to one address
          return Reason{"its threads write the same element", &i};
        if (auto reason = checkAccessIsContiguous(i, *pointer))
          return reason;
        candidate.wide.insert(&i);
      }
    if (candidate.wide.empty())
      return Reason{"it accesses no array at the thread's index"};
    return std::nullopt;
  }

  std::optional<Reason> checkAccessIsContiguous(Instruction &i, const Value &pointer) {
    uint64_t bytes = layout_.getTypeStoreSize(getLoadStoreType(&i));
    auto *element = dyn_cast<GetElementPtrInst>(&pointer);
    auto *base = element ? dyn_cast<Argument>(element->getPointerOperand()) : nullptr;
    if (!base || element->getNumIndices() != 1 ||
        layout_.getTypeAllocSize(element->getSourceElementType()) != bytes ||
        !is_contained(candidate.indices, element->getOperand(1)))
      return Reason{"an array is not accessed with unit stride in the thread's index", &i};
    if (base->getParamAlign().valueOrOne() < Align(accessBytes))
      return Reason{"array " + base->getName().str() + " does not start at a multiple of " +
                        std::to_string(accessBytes) + " bytes",
                    &i};
    if (!isPowerOf2_64(bytes) || bytes > accessBytes / 2)
      return Reason{"its elements are too large", &i};
    return std::nullopt;
  }

  /// Selects as many threads as elements of the largest type fill a wide access, unless there are too many clones.
  std::optional<Reason> chooseFactor() {
    uint64_t largest = 1;
    for (Instruction *i : candidate.wide)
      largest = std::max<uint64_t>(largest, layout_.getTypeStoreSize(getLoadStoreType(i)));
    size_t size = 0;
    for (BasicBlock *block : guardsAndBody())
      size += count_if(*block, [&](Instruction &i) { return candidate.varying.count(&i); });
    candidate.factor = accessBytes / largest;
    while (candidate.factor > 1 && candidate.factor * size > thresholds::maxCopiedSize)
      candidate.factor /= 2;
    if (candidate.factor < 2)
      return Reason{"it does too much per thread for wide accesses to matter"};
    return std::nullopt;
  }

  SmallVector<BasicBlock *, 4> guardsAndBody() const {
    SmallVector<BasicBlock *, 4> all(candidate.guards);
    all.push_back(candidate.body);
    return all;
  }

  Function &kernel_;
  const DataLayout &layout_;
};

/// Builds the coarsened form of a kernel.
class Coarsening {
public:
  Coarsening(Function &kernel, Candidate candidate)
      : kernel_(kernel), candidate_(std::move(candidate)), b_(kernel.getContext()) {}

  Function &run() {
    declareCoarsenedKernel();
    cloneKernel();
    makeEntry();
    makeSlowPath();
    makeFastPath();
    return *made_;
  }

private:
  unsigned factor() const { return candidate_.factor; }

  void declareCoarsenedKernel() {
    SmallVector<Type *, 16> parameters(kernel_.getFunctionType()->params());
    parameters.push_back(b_.getInt32Ty());
    made_ =
        Function::Create(FunctionType::get(b_.getVoidTy(), parameters, false), kernel_.getLinkage(),
                         kernel_.getName() + "$x" + std::to_string(factor()));
    kernel_.getParent()->getFunctionList().insertAfter(kernel_.getIterator(), made_);
    gridExtent_ = made_->getArg(kernel_.arg_size());
    gridExtent_->setName("grid");
  }

  /// Clones the kernel's code as the slow path.
  void cloneKernel() {
    ValueToValueMapTy map;
    for (Argument &a : kernel_.args()) {
      made_->getArg(a.getArgNo())->setName(a.getName());
      map[&a] = made_->getArg(a.getArgNo());
    }
    SmallVector<ReturnInst *, 2> returns;
    CloneFunctionInto(made_, &kernel_, map, CloneFunctionChangeType::LocalChangesOnly, returns);
    gridExtent_->addAttr(Attribute::get(b_.getContext(), Attribute::Range,
                                        ConstantRange(APInt(32, 1), APInt(32, uint64_t(1) << 31))));
    auto mapped = [&](auto *&v) { v = cast<std::decay_t<decltype(*v)>>(map[v]); };
    for (Instruction *&i : candidate_.indices)
      mapped(i);
    for (BasicBlock *&block : candidate_.guards)
      mapped(block);
    mapped(candidate_.body);
    SmallPtrSet<const Value *, 32> varying;
    for (const Value *v : candidate_.varying)
      varying.insert(map[v]);
    candidate_.varying = std::move(varying);
    SetVector<Instruction *> wide;
    for (Instruction *i : candidate_.wide)
      wide.insert(cast<Instruction>(map[i]));
    candidate_.wide = std::move(wide);
    for (Instruction &i : make_early_inc_range(instructions(*made_)))
      if (simt::calledOp(&i) == simt::Op::GridDimX) {
        i.replaceAllUsesWith(gridExtent_);
        i.eraseFromParent();
      }
  }

  BasicBlock *addBlock(const char *name) {
    return BasicBlock::Create(b_.getContext(), name, made_);
  }

  /// Computes the index of the first thread and checks if all threads exist.
  void makeEntry() {
    first_ = &made_->getEntryBlock();
    auto *entry = BasicBlock::Create(b_.getContext(), "coarse", made_, first_);
    slow_ = addBlock("slow");
    fast_ = addBlock("fast");
    exit_ = addBlock("exit");
    b_.SetInsertPoint(entry);
    b_.SetCurrentDebugLocation(simt::artificialLocation(*made_));
    auto wide = [&](Value *v) { return b_.CreateZExt(v, b_.getInt64Ty(), "", /*IsNonNeg=*/true); };
    Value *extent = wide(simt::call(b_, simt::Op::BlockDimX, {}));
    Value *thread = b_.CreateAdd(
        b_.CreateMul(wide(simt::call(b_, simt::Op::BlockIdX, {})), extent, "", true, true),
        wide(simt::call(b_, simt::Op::ThreadIdX, {})), "", true, true);
    start_ = b_.CreateMul(thread, b_.getInt64(factor()), "start", true, true);
    threads_ = b_.CreateMul(wide(gridExtent_), extent, "threads", true, true);
    Value *last = b_.CreateAdd(start_, b_.getInt64(factor() - 1), "last", true, true);
    b_.CreateCondBr(b_.CreateICmpULT(last, threads_, "all"), fast_, slow_);
    b_.SetInsertPoint(exit_);
    b_.CreateRetVoid();
  }

  /// Runs the existing threads one after the other through the cloned code.
  void makeSlowPath() {
    BasicBlock *entry = &made_->getEntryBlock();
    BasicBlock *next = addBlock("slow.next");
    for (BasicBlock &code : *made_)
      if (&code != exit_ && code.getTerminator() && isa<ReturnInst>(code.getTerminator()))
        ReplaceInstWithInst(code.getTerminator(), BranchInst::Create(next));
    b_.SetInsertPoint(slow_);
    // Entered with no lane done, from the entry or from a guard that some lanes fail.
    PHINode *lane = b_.CreatePHI(b_.getInt64Ty(), 3, "lane");
    lanes_ = lane;
    lane->addIncoming(b_.getInt64(0), entry);
    index_ = b_.CreateAdd(start_, lane, "index", true, true);
    b_.CreateCondBr(b_.CreateICmpULT(index_, threads_), first_, exit_);
    b_.SetInsertPoint(next);
    Value *following = b_.CreateAdd(lane, b_.getInt64(1), "", true, true);
    lane->addIncoming(following, next);
    BranchInst *again =
        b_.CreateCondBr(b_.CreateICmpULT(following, b_.getInt64(factor())), slow_, exit_);
    // The path runs at the end of the grid only: copies of its code would lengthen the first call.
    MDNode *rolled =
        MDNode::get(b_.getContext(), MDString::get(b_.getContext(), "llvm.loop.unroll.disable"));
    MDNode *id = MDNode::getDistinct(b_.getContext(), {nullptr, rolled});
    id->replaceOperandWith(0, id);
    again->setMetadata(LLVMContext::MD_loop, id);
  }

  /// Runs all lanes at once: computes uniform values once and varying values once per lane, and accesses the elements
  /// at the thread's index with one wide access.
  void makeFastPath() {
    for (unsigned lane = 0; lane < factor(); ++lane) {
      b_.SetInsertPoint(fast_);
      Value *index = lane ? b_.CreateAdd(start_, b_.getInt64(lane), "", true, true) : start_;
      for (Instruction *i : candidate_.indices)
        laneValue(i, lane) =
            i->getType() == index->getType() ? index : b_.CreateTrunc(index, i->getType());
    }
    b_.SetInsertPoint(fast_);
    for (size_t stage = 0; stage < candidate_.guards.size(); ++stage) {
      BasicBlock *guard = candidate_.guards[stage];
      emitBlockForAllLanes(*guard);
      auto *branch = cast<BranchInst>(guard->getTerminator());
      BasicBlock *onward =
          stage + 1 < candidate_.guards.size() ? candidate_.guards[stage + 1] : candidate_.body;
      Value *all = nullptr;
      for (unsigned lane = 0; lane < factor(); ++lane) {
        Value *holds = operandInLane(branch->getCondition(), lane);
        if (branch->getSuccessor(0) != onward)
          holds = b_.CreateNot(holds);
        all = all ? b_.CreateAnd(all, holds) : holds;
        if (!candidate_.varying.count(branch->getCondition()))
          break;
      }
      BasicBlock *passed = addBlock("fast");
      b_.CreateCondBr(all, passed, slow_);
      lanes_->addIncoming(b_.getInt64(0), b_.GetInsertBlock());
      b_.SetInsertPoint(passed);
    }
    emitBlockForAllLanes(*candidate_.body);
    b_.CreateBr(exit_);
    for (Instruction *i : candidate_.indices) {
      b_.SetInsertPoint(i->getParent(), std::next(i->getIterator()));
      i->replaceAllUsesWith(
          i->getType() == index_->getType() ? index_ : b_.CreateTrunc(index_, i->getType()));
      i->eraseFromParent();
    }
  }

  Value *&laneValue(const Value *v, unsigned lane) { return lanesOf_[{v, lane}]; }

  /// The value of `v` in a lane of the fast path.
  Value *operandInLane(Value *v, unsigned lane) {
    unsigned at = candidate_.varying.count(v) ? lane : 0;
    auto found = lanesOf_.find({v, at});
    return found == lanesOf_.end() ? v : found->second;
  }

  void emitBlockForAllLanes(BasicBlock &stage) {
    for (Instruction &i : stage) {
      if (i.isTerminator() || is_contained(candidate_.indices, &i))
        continue;
      b_.SetCurrentDebugLocation(i.getDebugLoc());
      if (candidate_.wide.count(&i))
        isa<LoadInst>(i) ? emitWideLoad(cast<LoadInst>(i)) : emitWideStore(cast<StoreInst>(i));
      else
        for (unsigned lane = 0; lane < (candidate_.varying.count(&i) ? factor() : 1); ++lane)
          emitInstructionForLane(i, lane);
    }
  }

  void emitInstructionForLane(Instruction &i, unsigned lane) {
    Instruction *copy = i.clone();
    for (Use &use : copy->operands())
      use.set(operandInLane(use.get(), lane));
    b_.Insert(copy);
    laneValue(&i, lane) = copy;
  }

  /// The number of elements per access: `factor()`, or fewer if a wide access holds fewer.
  unsigned elementsPerAccess(Type *element) const {
    return std::min<uint64_t>(factor(),
                              accessBytes / made_->getDataLayout().getTypeStoreSize(element));
  }

  Align alignmentOfWideAccess(Type *element) const {
    return Align(elementsPerAccess(element) * made_->getDataLayout().getTypeStoreSize(element));
  }

  void emitWideLoad(LoadInst &load) {
    unsigned count = elementsPerAccess(load.getType());
    auto *type = FixedVectorType::get(load.getType(), count);
    for (unsigned lane = 0; lane < factor(); lane += count) {
      LoadInst *all = b_.CreateAlignedLoad(type, operandInLane(load.getPointerOperand(), lane),
                                           alignmentOfWideAccess(load.getType()));
      for (unsigned k = 0; k < count; ++k)
        laneValue(&load, lane + k) = b_.CreateExtractElement(all, k);
    }
  }

  void emitWideStore(StoreInst &store) {
    Type *element = store.getValueOperand()->getType();
    unsigned count = elementsPerAccess(element);
    for (unsigned lane = 0; lane < factor(); lane += count) {
      Value *all = PoisonValue::get(FixedVectorType::get(element, count));
      for (unsigned k = 0; k < count; ++k)
        all = b_.CreateInsertElement(all, operandInLane(store.getValueOperand(), lane + k), k);
      b_.CreateAlignedStore(all, operandInLane(store.getPointerOperand(), lane),
                            alignmentOfWideAccess(element));
    }
  }

  Function &kernel_;
  Candidate candidate_;
  IRBuilder<> b_;
  Function *made_ = nullptr;
  Argument *gridExtent_ = nullptr;
  BasicBlock *first_ = nullptr; ///< the cloned kernel's entry
  BasicBlock *slow_ = nullptr, *fast_ = nullptr, *exit_ = nullptr;
  Value *start_ = nullptr;   ///< index of the first original thread
  Value *threads_ = nullptr; ///< number of threads in the grid, from the launch
  Value *index_ = nullptr;   ///< index of the slow path's current thread
  PHINode *lanes_ = nullptr;
  DenseMap<std::pair<const Value *, unsigned>, Value *> lanesOf_;
};

} // namespace

PreservedAnalyses CoarsenThreads::run(Module &m, ModuleAnalysisManager &) {
  SmallVector<Function *, 2> kernels;
  for (Function &f : m)
    if (!f.isDeclaration() && f.hasFnAttribute(simt::kernelAttribute))
      kernels.push_back(&f);
  bool changed = false;
  for (Function *kernel : kernels) {
    CoarseningCheck check(*kernel);
    if (auto reason = check.run()) {
      simt::addRemark(*kernel,
                      "threads are not coarsened: " + simt::linePrefix(reason->at) + reason->text);
      continue;
    }
    unsigned factor = check.candidate.factor;
    Function &made = Coarsening(*kernel, std::move(check.candidate)).run();
    made.removeFnAttr(coarsenedAttribute);
    kernel->addFnAttr(coarsenedAttribute, std::to_string(factor) + "," + made.getName().str());
    simt::addRemark(*kernel, "in a large one-dimensional grid a thread does the work of " +
                                 std::to_string(factor) + " threads, with accesses of up to " +
                                 std::to_string(accessBytes) + " bytes");
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
