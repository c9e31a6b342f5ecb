#include "simt/passes/unroll_array_loops.h"

#include "simt/analysis/polynomial.h"
#include "simt/ir/ops.h"
#include "simt/ir/remarks.h"
#include "simt/ir/source_positions.h"
#include "simt/thresholds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CodeMetrics.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// A thread has up to 255 registers of 32 bits (CUDA C++ Programming Guide, technical specifications).
constexpr unsigned maxRegisterBytes = 255 * 4;

using LoopSet = SmallSetVector<const Loop *, 8>;

/// Why an array stays in memory.
struct Obstacle {
  const Instruction *at = nullptr;
  std::string text;
};

/// True for the values of a print, which a front end puts into an array.
bool holdsPrintValues(const AllocaInst &local) {
  return any_of(local.users(), [](const User *user) { return calledOp(user) == Op::Print; });
}

bool isLocalArray(const Instruction &i) {
  const auto *local = dyn_cast<AllocaInst>(&i);
  return local && local->isStaticAlloca() && local->getAllocatedType()->isAggregateType() &&
         !holdsPrintValues(*local);
}

/// Returns true if constant operands make the instruction's result a constant.
bool foldsWithConstantOperands(const Instruction &i) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&i))
    return canConstantFoldCallTo(call, call->getCalledFunction());
  return isa<BinaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst, FreezeInst,
             ExtractValueInst>(i);
}

/// The greatest number of iterations of a loop; 0 if it is unknown or too large to unroll the loop.
unsigned findTripCount(const Loop &loop, ScalarEvolution &evolution) {
  unsigned count = evolution.getSmallConstantMaxTripCount(&loop);
  return count <= maxRegisterBytes ? count : 0;
}

/// Finds values that are constants once loops are unrolled.
class UnrolledValues {
public:
  UnrolledValues(const LoopInfo &loops, ScalarEvolution &evolution)
      : loops_(loops), evolution_(evolution) {}

  /// Returns true if the value is a constant, or a constant offset from an object, in each copy of the code after
  /// unrolling; adds the loops that must be unrolled to `needed`.
  bool collectLoopsToFold(Value &value, LoopSet &needed) {
    auto *i = dyn_cast<Instruction>(&value);
    if (!i)
      return isa<llvm::Constant>(value);
    if (isa<AllocaInst>(i) || !visited_.insert(i).second)
      return true;
    if (auto *phi = dyn_cast<PHINode>(i))
      return collectLoopsToFoldCounter(*phi, needed);
    if (auto *load = dyn_cast<LoadInst>(i))
      return collectLoopsToFoldTableLoad(*load, needed);
    if (!foldsWithConstantOperands(*i))
      return recordObstacle(*i, "its index is not known at compile time");
    return all_of(i->operands(),
                  [&](Value *operand) { return collectLoopsToFold(*operand, needed); });
  }

  const Obstacle &obstacle() const { return obstacle_; }

private:
  bool collectLoopsToFoldCounter(PHINode &phi, LoopSet &needed) {
    Loop *loop = loops_.getLoopFor(phi.getParent());
    if (!loop || loop->getHeader() != phi.getParent())
      return recordObstacle(phi, "its index depends on a branch");
    if (findOptionMDForLoop(loop, "llvm.loop.unroll.disable"))
      return recordObstacle(phi, "its index is the counter of a loop that must not be unrolled");
    // The trip count of an inner loop may become constant when outer loops are unrolled.
    if (!findTripCount(*loop, evolution_) && !collectLoopsToFoldExit(*loop, needed))
      return recordObstacle(
          phi, "its index is the counter of a loop without a constant number of iterations");
    needed.insert(loop);
    return all_of(phi.incoming_values(),
                  [&](Value *value) { return collectLoopsToFold(*value, needed); });
  }

  bool collectLoopsToFoldExit(Loop &loop, LoopSet &needed) {
    SmallVector<BasicBlock *, 4> exits;
    loop.getExitingBlocks(exits);
    return loop.getParentLoop() && any_of(exits, [&](BasicBlock *exit) {
             auto *branch = dyn_cast<BranchInst>(exit->getTerminator());
             return branch && branch->isConditional() &&
                    collectLoopsToFold(*branch->getCondition(), needed);
           });
  }

  bool collectLoopsToFoldTableLoad(LoadInst &load, LoopSet &needed) {
    const auto *table = dyn_cast<GlobalVariable>(getUnderlyingObject(load.getPointerOperand()));
    if (!table || !table->isConstant() || !table->hasDefinitiveInitializer())
      return recordObstacle(load, "its index is not known at compile time");
    return collectLoopsToFold(*load.getPointerOperand(), needed);
  }

  bool recordObstacle(const Instruction &at, const char *text) {
    if (obstacle_.text.empty())
      obstacle_ = {&at, text};
    return false;
  }

  const LoopInfo &loops_;
  ScalarEvolution &evolution_;
  SmallPtrSet<const Instruction *, 16> visited_;
  Obstacle obstacle_;
};

/// A local array and the loops whose unrolling makes its addresses constants, except those of the selected loads.
struct ArrayUse {
  AllocaInst *array;
  LoopSet loops;
  std::optional<Obstacle> obstacle;
  SmallVector<LoadInst *, 2> selected;
};

/// A load of the element of a small array at `index` + `offset`.
struct ElementLoad {
  Value *index;
  int64_t offset;
  unsigned elements; ///< of the array
};

/// Returns the parts of a load's address; nullopt if the array has too many elements for selects, or parts of other
/// types.
std::optional<ElementLoad> matchElementLoad(const Instruction &access, const AllocaInst &array) {
  const auto *load = dyn_cast<LoadInst>(&access);
  const auto *type = dyn_cast<ArrayType>(array.getAllocatedType());
  if (!load || !type || type->getElementType() != load->getType() ||
      type->getNumElements() > thresholds::maxSelectedElements)
    return std::nullopt;
  const auto *address = dyn_cast<GEPOperator>(load->getPointerOperand());
  if (!address || address->getPointerOperand() != &array)
    return std::nullopt;
  const DataLayout &layout = load->getDataLayout();
  auto bytes = int64_t(layout.getTypeAllocSize(load->getType()));
  std::optional<Terms> terms =
      termsOf(*address, View::Proof, layout); // the array, a constant, indices
  if (!terms || terms->size() != 3 || (*terms)[2].factor != bytes)
    return std::nullopt;
  int64_t offset = cast<ConstantInt>((*terms)[1].value)->getSExtValue();
  if (offset % bytes != 0)
    return std::nullopt;
  return ElementLoad{(*terms)[2].value, offset / bytes, unsigned(type->getNumElements())};
}

/// Replaces a load of the element at a variable index by loads of all elements and selects.
void replaceLoadBySelects(LoadInst &load, AllocaInst &array) {
  ElementLoad element = *matchElementLoad(load, array);
  IRBuilder<> b(&load);
  Value *found = nullptr;
  for (uint64_t i = 0; i < element.elements; ++i) {
    Value *value = b.CreateLoad(
        load.getType(), b.CreateConstInBoundsGEP2_64(array.getAllocatedType(), &array, 0, i));
    auto *index = ConstantInt::getSigned(element.index->getType(), int64_t(i) - element.offset);
    found = found ? b.CreateSelect(b.CreateICmpEQ(element.index, index), value, found) : value;
  }
  load.replaceAllUsesWith(found);
  load.eraseFromParent();
}

/// Metadata of a local array: why it stays in memory, for ReportLocalArrays.
constexpr const char *obstacleName = "heddle.local";

std::string formatArrayName(const AllocaInst &array) {
  if (array.hasName())
    return "'" + array.getName().str() + "'";
  unsigned line = sourcePositionOf(array).line;
  return line ? "the local array of line " + std::to_string(line) : "a local array";
}

void setObstacleMetadata(AllocaInst &array, const Obstacle &obstacle) {
  LLVMContext &c = array.getContext();
  std::string text =
      formatArrayName(array) + " stays in local memory: " + linePrefix(obstacle.at) + obstacle.text;
  array.setMetadata(obstacleName, MDNode::get(c, MDString::get(c, text)));
}

/// Calls `visit(access, address)` with each access of the array. Returns the use by which the address escapes; null if
/// there is none.
template <class Visit> Instruction *visitAccessesOrFindEscape(AllocaInst &array, Visit visit) {
  SmallVector<Use *> work;
  SmallPtrSet<Instruction *, 16> seen;
  auto push = [&](Instruction &i) {
    if (seen.insert(&i).second)
      for (Use &use : i.uses())
        work.push_back(&use);
  };
  push(array);
  while (!work.empty()) {
    Use &use = *work.pop_back_val();
    auto *user = cast<Instruction>(use.getUser());
    if (isa<GetElementPtrInst, PHINode, AddrSpaceCastInst>(user)) {
      push(*user);
    } else if (isa<LoadInst, StoreInst>(user)) {
      if (use.getOperandNo() != (isa<StoreInst>(user) ? 1u : 0u) || user->isVolatile())
        return user;
      visit(*user, *use.get());
    } else if (auto *memory = dyn_cast<MemIntrinsic>(user)) {
      if (!isa<ConstantInt>(memory->getLength()) || memory->isVolatile())
        return user;
      visit(*user, *use.get());
    } else if (!user->isLifetimeStartOrEnd() && !user->isDroppable()) {
      return user;
    }
  }
  return nullptr;
}

class ArrayLoops {
public:
  ArrayLoops(Function &f, FunctionAnalysisManager &am)
      : f_(f), loops_(am.getResult<LoopAnalysis>(f)), tree_(am.getResult<DominatorTreeAnalysis>(f)),
        evolution_(am.getResult<ScalarEvolutionAnalysis>(f)),
        assumptions_(am.getResult<AssumptionAnalysis>(f)),
        costs_(am.getResult<TargetIRAnalysis>(f)), emitter_(&f) {}

  bool run() {
    bool changed = false;
    for (unsigned round = 0; round < maxRounds; ++round) {
      std::vector<ArrayUse> uses = findAndAnalyzeArrays();
      LoopSet wanted = chooseLoopsOrSetObstacles(uses);
      if (round == 0)
        reportObstacles(uses);
      if (wanted.empty() || !unrollLoopsWithKnownTripCount(wanted))
        break;
      changed = true;
    }
    for (ArrayUse &use : findAndAnalyzeArrays())
      if (!use.obstacle && use.loops.empty())
        for (LoadInst *load : use.selected) {
          replaceLoadBySelects(*load, *use.array);
          changed = true;
        }
    return changed;
  }

  std::vector<ArrayInMemory> findArraysInMemory() {
    std::vector<ArrayUse> uses = findAndAnalyzeArrays();
    chooseLoopsOrSetObstacles(uses);
    std::vector<ArrayInMemory> kept;
    for (ArrayUse &use : uses)
      if (use.obstacle)
        kept.push_back({use.array, use.obstacle->at, use.obstacle->text});
    return kept;
  }

private:
  /// LoopSet that need several rounds have trip counts that depend on outer loops.
  static constexpr unsigned maxRounds = 4;

  std::vector<ArrayUse> findAndAnalyzeArrays() {
    std::vector<ArrayUse> uses;
    for (Instruction &i : f_.getEntryBlock())
      if (isLocalArray(i))
        uses.push_back(analyzeUses(cast<AllocaInst>(i)));
    return uses;
  }

  ArrayUse analyzeUses(AllocaInst &array) {
    ArrayUse use{&array, {}, {}};
    uint64_t bytes = array.getAllocationSize(f_.getDataLayout())->getFixedValue();
    if (bytes > maxRegisterBytes) {
      use.obstacle = {nullptr, "its " + std::to_string(bytes) + " bytes do not fit in registers"};
      return use;
    }
    SmallDenseMap<const Instruction *, SmallVector<Value *, 2>> addresses; // by access
    if (Instruction *escape =
            visitAccessesOrFindEscape(array, [&](Instruction &access, Value &address) {
              addresses[&access].push_back(&address);
            })) {
      use.obstacle = {escape, "its address is used other than by loads and stores"};
      return use;
    }
    UnrolledValues values(loops_, evolution_);
    for (Instruction &i : instructions(f_)) // the first obstacle in the program's order
      for (Value *address : addresses.lookup(&i)) {
        std::optional<ElementLoad> element = matchElementLoad(i, array);
        if (element &&
            (use.selected.size() + 1) * element->elements <= thresholds::maxShortTripCount) {
          LoopSet loops;
          if (UnrolledValues(loops_, evolution_).collectLoopsToFold(*address, loops))
            use.loops.insert_range(loops);
          else
            use.selected.push_back(cast<LoadInst>(&i));
        } else if (!values.collectLoopsToFold(*address, use.loops)) {
          use.obstacle = {&i, values.obstacle().text};
          return use;
        }
      }
    return use;
  }

  /// Returns the loops of the arrays that can be promoted. Records an obstacle for arrays whose loops are too large.
  LoopSet chooseLoopsOrSetObstacles(std::vector<ArrayUse> &uses) {
    LoopSet wanted;
    for (ArrayUse &use : uses) {
      if (use.obstacle)
        continue;
      LoopSet more = wanted;
      more.insert_range(use.loops);
      uint64_t size = 0;
      for (Loop *loop : loops_)
        size = SaturatingAdd(size, unrolledSize(*loop, more));
      if (!all_of(use.loops, [&](const Loop *loop) { return canUnroll(*loop); }))
        use.obstacle = {nullptr, "a loop that selects its elements cannot be unrolled"};
      else if (use.loops.empty() || size <= thresholds::maxLargeFunctionSize)
        wanted = std::move(more);
      else
        use.obstacle = {nullptr, "its loops would be " + std::to_string(size) +
                                     " instructions long if they were unrolled"};
    }
    return wanted;
  }

  /// The instructions of a loop's code after the loops in `unrolled` are unrolled; 0 if none of them is in the loop. Does
  /// not count addresses and conversions, most of which the copies share.
  uint64_t unrolledSize(const Loop &loop, const LoopSet &unrolled) {
    if (none_of(unrolled, [&](const Loop *one) { return loop.contains(one); }))
      return 0;
    uint64_t size = 0;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &i : *block)
        if (!isa<GetElementPtrInst, CastInst>(i) && !becomesConstantOrRegister(i, unrolled))
          size = SaturatingAdd(size, countCopiesOfBody(loops_.getLoopFor(block), unrolled));
    return size;
  }

  /// The number of copies of a loop's body.
  uint64_t countCopiesOfBody(const Loop *loop, const LoopSet &unrolled) {
    uint64_t copies = 1;
    for (; loop; loop = loop->getParentLoop())
      if (unrolled.contains(loop))
        copies = SaturatingMultiply(copies, uint64_t(estimateTripCount(*loop)));
    return copies;
  }

  /// Returns true if unrolling makes the instruction a constant or an access of a register.
  bool becomesConstantOrRegister(Instruction &i, const LoopSet &unrolled) {
    LoopSet needed;
    Value *value = &i;
    if (Value *address = getLoadStorePointerOperand(&i);
        address && isa<AllocaInst>(getUnderlyingObject(address)))
      value = address;
    return i.isTerminator() || i.isDebugOrPseudoInst() ||
           (UnrolledValues(loops_, evolution_).collectLoopsToFold(*value, needed) &&
            all_of(needed, [&](const Loop *loop) { return unrolled.contains(loop); }));
  }

  /// An estimate if only outer loops determine it.
  unsigned estimateTripCount(const Loop &loop) {
    unsigned count = findTripCount(loop, evolution_);
    return count || !loop.getParentLoop() ? count : estimateTripCount(*loop.getParentLoop());
  }

  bool canUnroll(const Loop &loop) {
    SmallPtrSet<const Value *, 16> assumed;
    CodeMetrics::collectEphemeralValues(&loop, &assumptions_, assumed);
    return loop.isLoopSimplifyForm() && loop.isSafeToClone() &&
           UnrollCostEstimator(&loop, costs_, assumed, 0).canUnroll();
  }

  /// Unrolls the loops with known trip counts, inner ones first. Returns false if there are none.
  bool unrollLoopsWithKnownTripCount(const LoopSet &wanted) {
    SmallVector<Loop *, 4> preorder = loops_.getLoopsInPreorder();
    erase_if(preorder, [&](Loop *loop) { return !wanted.contains(loop); });
    bool changed = false;
    for (Loop *loop : reverse(preorder))
      changed |= unrollLoop(*loop);
    return changed;
  }

  bool unrollLoop(Loop &loop) {
    unsigned count = findTripCount(loop, evolution_);
    if (!count)
      return false;
    formLCSSARecursively(loop, tree_, &loops_, &evolution_);
    UnrollLoopOptions options{};
    options.Count = count;
    options.Force = true;
    options.AllowExpensiveTripCount = true;
    return UnrollLoop(&loop, options, &loops_, &evolution_, &tree_, &assumptions_, &costs_,
                      &emitter_, /*PreserveLCSSA=*/true) != LoopUnrollResult::Unmodified;
  }

  void reportObstacles(const std::vector<ArrayUse> &uses) {
    for (const ArrayUse &use : uses) {
      if (use.obstacle)
        setObstacleMetadata(*use.array, *use.obstacle);
      else if (!use.loops.empty())
        addRemark(f_, formatArrayName(*use.array) +
                          " is in registers: the loops that select its elements are unrolled");
    }
  }

  Function &f_;
  LoopInfo &loops_;
  DominatorTree &tree_;
  ScalarEvolution &evolution_;
  AssumptionCache &assumptions_;
  const TargetTransformInfo &costs_;
  OptimizationRemarkEmitter emitter_;
};

} // namespace

bool hasLocalArrays(const Function &f) { return any_of(f.getEntryBlock(), isLocalArray); }

std::vector<ArrayInMemory> findArraysInMemory(Function &f, FunctionAnalysisManager &am) {
  return hasLocalArrays(f) ? ArrayLoops(f, am).findArraysInMemory() : std::vector<ArrayInMemory>();
}

PreservedAnalyses UnrollArrayLoops::run(Function &f, FunctionAnalysisManager &am) {
  if (!hasLocalArrays(f))
    return PreservedAnalyses::all();
  return ArrayLoops(f, am).run() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses ReportLocalArrays::run(Function &f, FunctionAnalysisManager &) {
  for (Instruction &i : f.getEntryBlock())
    if (const MDNode *obstacle = i.getMetadata(obstacleName))
      addRemark(f, cast<MDString>(obstacle->getOperand(0))->getString().str());
  return PreservedAnalyses::all();
}

} // namespace heddle::simt
