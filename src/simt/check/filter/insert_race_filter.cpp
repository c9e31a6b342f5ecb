#include "simt/check/filter/insert_race_filter.h"

#include "simt/analysis/address_decoder.h"
#include "simt/analysis/barrier_intervals.h"
#include "simt/analysis/disjoint_accesses.h"
#include "simt/analysis/guards.h"
#include "simt/analysis/spin_loops.h"
#include "simt/analysis/sync_points.h"
#include "simt/check/emit_stop.h"
#include "simt/check/filter/filter_plan.h"
#include "simt/check/filter/written_bytes.h"
#include "simt/check/insert_barrier_checks.h"
#include "simt/check/memory_accesses.h"
#include "simt/ir/checks.h"
#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/ir/verifier.h"
#include "simt/passes/add_parameters.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::simt {

using namespace llvm;

namespace {

struct MarkedAccess {
  MemoryAccess access;
  MarkKind kind;
};

/// The accesses of one object.
struct ObjectAccesses {
  FilteredObject object;
  Value *pointer;
  SmallVector<MemoryAccess, 8> accesses;
  SmallVector<MarkedAccess, 8> marks;
};

/// An access of more cells is left to the exact checks.
constexpr uint64_t maxCellsPerAccess = 16;

class FilterPlanner {
public:
  FilterPlanner(Function &kernel, const LaunchFacts &facts)
      : kernel_(kernel), facts_(facts), layout_(kernel.getDataLayout()),
        maySkipBarrier_(maySkipBarrier(kernel)), dominators_(kernel) {}

  /// Collects the accesses of all objects, and returns why the filter cannot cover the kernel; "" if it can.
  std::string planOrFindObstacle() {
    LoopInfo loops(dominators_);
    for (const Loop *loop : loops.getLoopsInPreorder())
      if (findSpinPathEnd(*loop))
        return "a loop waits for other threads";
    if (maySkipBarrier_)
      return "threads may skip a barrier";
    if (hasNamedBarriers(kernel_))
      return "a barrier waits for some threads of the block";
    intervals_.emplace(kernel_);
    SmallVector<Instruction *> all;
    for (Instruction &i : instructions(kernel_))
      all.push_back(&i);
    for (Instruction *i : all)
      if (std::string reason = addAccessesOrExplain(*i); !reason.empty())
        return reason;
    for (auto &[pointer, accesses] : objects_)
      decideMarkedAccesses(accesses);
    return "";
  }

  auto &accessesByObject() { return objects_; }
  ArrayRef<MemoryAccess> possiblyMisalignedAccesses() const { return misalignable_; }
  const ProofConditions &conditions() const { return conditions_; }

private:
  std::string addAccessesOrExplain(Instruction &i) {
    if (std::string reason = whyUnsupportedByFilter(i); !reason.empty())
      return reason;
    SmallVector<MemoryAccess, 2> accesses;
    collectAccesses(i, accesses);
    for (const MemoryAccess &access : accesses)
      if (std::string reason = addAccessesOrExplain(access); !reason.empty())
        return reason;
    return "";
  }

  /// Returns why an instruction, apart from its accesses, is out of reach of the filter; "" if it is not.
  static std::string whyUnsupportedByFilter(const Instruction &i) {
    const auto *call = dyn_cast<CallBase>(&i);
    if (!call)
      return "";
    if (std::optional<Op> op = calledOp(call)) {
      if (*op == Op::Print)
        return "it prints, which cannot be repeated";
      if (*op == Op::CheckForget)
        return "a local variable may be used before it is assigned";
      if (*op == Op::CheckSync)
        return "it copies asynchronously";
      if (*op == Op::GridBarrier)
        return "it waits for the grid";
      return "";
    }
    if (isa<MemIntrinsic>(call) || call->doesNotAccessMemory() ||
        call->onlyAccessesInaccessibleMemory() || isa<IntrinsicInst>(call))
      return "";
    return "it calls a function out of line";
  }

  std::string addAccessesOrExplain(const MemoryAccess &access) {
    if (access.access.isLocal)
      return "";
    Value *pointer = findOnlyObject(*access.address);
    if (!pointer)
      return "it accesses memory through a pointer of unknown origin";
    auto *length = dyn_cast<ConstantInt>(access.bytes);
    if (!length || length->isZero())
      return "it copies memory of varying size";
    uint64_t bytes = length->getZExtValue();
    auto [entry, isNew] = objects_.try_emplace(identityOfObject(*pointer));
    ObjectAccesses &found = entry->second;
    FilteredObject &object = found.object;
    if (isNew) {
      object = makeFilteredObject(*pointer);
      found.pointer = pointer;
    }
    bool isAtomic = access.access.kind == AccessKind::Atomic;
    if (isAtomic && access.access.scope == Scope::Block && !object.isShared())
      return "an atomic has the scope of its block";
    uint64_t alignment = access.access.alignment;
    object.cellBytes = std::min({object.cellBytes, alignment, uint64_t(1) << countr_zero(bytes)});
    if (bytes / object.cellBytes > maxCellsPerAccess)
      return "it copies much memory at once";
    if (knownAlignment(*access.address, *pointer) >= alignment)
      object.alignment = std::max(object.alignment, alignment);
    else
      misalignable_.push_back(access);
    object.isRead |= access.access.kind == AccessKind::Read;
    object.isUpdated |= isAtomic;
    object.isWritten |= access.access.kind != AccessKind::Read;
    found.accesses.push_back(access);
    return "";
  }

  /// The parameter or shared memory that all origins of an address are; null if there are others.
  static Value *findOnlyObject(const Value &address) {
    SmallVector<const Value *, 4> origins;
    getUnderlyingObjects(&address, origins);
    const Value *object = nullptr;
    for (const Value *origin : origins) {
      const auto *variable = dyn_cast<GlobalVariable>(origin);
      bool isKnown = isa<Argument>(origin) || calledOp(origin) == Op::DynamicShared ||
                     (variable && variable->getAddressSpace() == Shared);
      if (!isKnown || (object && identityOfObject(*object) != identityOfObject(*origin)))
        return nullptr;
      object = origin;
    }
    return const_cast<Value *>(object);
  }

  /// All calls of simt.shared.dynamic are the same object: null.
  static const Value *identityOfObject(const Value &object) {
    return isa<CallBase>(object) ? nullptr : &object;
  }

  FilteredObject makeFilteredObject(const Value &pointer) const {
    FilteredObject object;
    if (const auto *argument = dyn_cast<Argument>(&pointer)) {
      object.argument = argument->getArgNo();
      object.bounds = boundsParameterOf(*argument).value_or(0);
    } else if (const auto *variable = dyn_cast<GlobalVariable>(&pointer)) {
      object.kind = FilteredObject::Kind::Shared;
      object.bytes = layout_.getTypeAllocSize(variable->getValueType());
    } else {
      object.kind = FilteredObject::Kind::DynamicShared;
    }
    return object;
  }

  /// The largest power of two, up to 256, that divides the distance of an address from its object's start for sure.
  /// Integers that wrap around keep their low bits.
  uint64_t knownAlignment(const Value &address, const Value &object) const {
    std::optional<Polynomial> offset =
        PolynomialBuilder(layout_, View::Assuming, facts_).offsetOf(address, object);
    if (!offset)
      return 1;
    unsigned zeros = 8;
    for (const auto &[monomial, factor] : offset->terms()) {
      auto own = unsigned(countr_zero(uint64_t(factor)));
      for (const Value *v : monomial)
        if (v->getType()->isIntegerTy())
          own += computeKnownBits(v, layout_).countMinTrailingZeros();
      zeros = std::min(zeros, own);
    }
    return uint64_t(1) << zeros;
  }

  void decideMarkedAccesses(ObjectAccesses &found) {
    FilteredObject &object = found.object;
    object.tracksUndefined =
        object.isShared() && (object.isRead || object.isUpdated) && !proveDefinedBeforeReads(found);
    bool tracksWrites = !object.isShared() && facts_.tracksWrites(object.argument);
    RaceProofs proofs;
    if (object.isWritten)
      proofs = findPossibleRaces(*found.pointer, listAccessedBytes(found), facts_, dominators_,
                                 *intervals_);
    else
      proofs.mayRace.assign(found.accesses.size(), false);
    conditions_.add(proofs.conditions);
    bool mayRace = is_contained(proofs.mayRace, true);
    bool copiesWrites = object.mustBeRestored() && (mayRace || writesDependOnMemory(found));
    object.needsCells =
        mayRace || copiesWrites || object.tracksUndefined || (tracksWrites && object.isWritten);
    if (!object.needsCells)
      return;
    SmallVector<MemoryAccess, 8> racing;
    for (const auto &[access, races] : zip(found.accesses, proofs.mayRace)) {
      bool isWrite = access.access.kind == AccessKind::Write;
      bool isUpdate = access.access.kind == AccessKind::Atomic;
      if (races)
        racing.push_back(access);
      else if ((isWrite && (object.tracksUndefined || tracksWrites)) ||
               ((isWrite || isUpdate) && copiesWrites))
        found.marks.push_back({access, MarkKind::Define});
      else if (!isWrite && object.tracksUndefined)
        found.marks.push_back({access, MarkKind::Use});
    }
    markRacingAccesses(found, racing);
    object.needsReadCells =
        any_of(found.marks, [](const MarkedAccess &m) { return m.kind == MarkKind::Read; });
  }

  static SmallVector<AccessedBytes> listAccessedBytes(const ObjectAccesses &found) {
    SmallVector<AccessedBytes> accesses;
    for (const MemoryAccess &access : found.accesses)
      accesses.push_back(
          {access.by, access.address, cast<ConstantInt>(access.bytes)->getZExtValue(),
           access.access.kind != AccessKind::Read, access.access.kind == AccessKind::Atomic});
    return accesses;
  }

  /// Returns true if each block writes all bytes of a shared variable before a thread of it reads any.
  bool proveDefinedBeforeReads(ObjectAccesses &found) {
    ProofConditions conditions;
    bool isDefined = all_of(found.accesses, [&](const MemoryAccess &read) {
      return read.access.kind == AccessKind::Write ||
             isWrittenBeforeRead(*found.pointer, found.object.bytes, found.accesses, read, facts_,
                                 *intervals_, conditions);
    });
    if (isDefined)
      conditions_.add(conditions);
    return isDefined;
  }

  /// Returns true if whether the kernel writes depends on values in memory: copies of the array would cost more than
  /// copies of what it writes.
  bool writesDependOnMemory(const ObjectAccesses &found) const {
    return all_of(found.accesses, [&](const MemoryAccess &access) {
      return access.access.kind == AccessKind::Read ||
             anyGuardingEdge(*access.by->getParent(), dominators_, [](const BasicBlockEdge &edge) {
               return dependsOnLoad(*edge.getStart()->getTerminator()->getOperand(0), 0);
             });
    });
  }

  static bool dependsOnLoad(const Value &v, unsigned depth) {
    const auto *i = dyn_cast<Instruction>(&v);
    if (!i || depth > maxConditionDepth || isa<PHINode>(i))
      return false;
    return isa<LoadInst>(i) || any_of(i->operands(), [&](const Use &operand) {
             return dependsOnLoad(*operand, depth + 1);
           });
  }
  static constexpr unsigned maxConditionDepth = 6;

  /// Marks the accesses, except for reads before or after another access of the same thread to the same bytes, and
  /// writes after a write, if no barrier is in between: a thread that races with them also races with the other access.
  void markRacingAccesses(ObjectAccesses &found, ArrayRef<MemoryAccess> racing) const {
    SmallVector<std::optional<Polynomial>> offsets; // of all accesses
    PolynomialBuilder build(layout_, View::Proof, facts_);
    for (const MemoryAccess &access : racing)
      offsets.push_back(build.offsetOf(*access.address, *found.pointer));
    for (auto [i, access] : enumerate(racing)) {
      bool isCovered = any_of(enumerate(racing), [&, i = i, &access = access](auto other) {
        auto [j, coverer] = other;
        AccessKind kind = access.access.kind, by = coverer.access.kind;
        bool isStronger = kind == AccessKind::Read && by == AccessKind::Write;
        bool isEarlier = kind == by && kind != AccessKind::Atomic && j < i;
        return (isStronger || isEarlier) && offsets[i] && offsets[i] == offsets[j] &&
               access.bytes == coverer.bytes && isSameInterval(*access.by, *coverer.by);
      });
      if (!isCovered)
        found.marks.push_back({access, MarkKind(access.access.kind)});
      else if (found.object.tracksUndefined && access.access.kind == AccessKind::Read)
        found.marks.push_back({access, MarkKind::Use});
    }
  }

  /// Returns true if a thread that runs one of the instructions runs the other as well, without a barrier in between.
  static bool isSameInterval(const Instruction &a, const Instruction &b) {
    if (a.getParent() != b.getParent())
      return false;
    const Instruction &first = a.comesBefore(&b) ? a : b, &last = &first == &a ? b : a;
    return none_of(make_range(first.getIterator(), last.getIterator()), isMemoryOrderingBarrier);
  }

  Function &kernel_;
  const LaunchFacts &facts_;
  const DataLayout &layout_;
  const bool maySkipBarrier_; ///< before `dominators_`: it adds preheaders
  const DominatorTree dominators_;
  MapVector<const Value *, ObjectAccesses> objects_;
  SmallVector<MemoryAccess> misalignable_;
  std::optional<BarrierIntervals> intervals_;
  ProofConditions conditions_;
};

void insertAlignmentCheck(const MemoryAccess &access) {
  IRBuilder<> b(access.by);
  Value *address = b.CreatePtrToInt(access.address, b.getInt64Ty());
  Value *misalignment = b.CreateAnd(address, access.access.alignment - 1);
  emitStopUnlessBelow(b, misalignment, 1, "misaligned access", *access.by);
}

/// Checks an assumption of PolynomialBuilder.
void insertAssumptionCheck(Instruction &i) {
  IRBuilder<> b(i.getNextNode());
  Type *wide = b.getInt64Ty();
  if (isWrap(i))
    return emitStopUnlessBelow(b, i.getOperand(0), INT64_MAX, "index from the end", i);
  if (auto *extension = dyn_cast<ZExtInst>(&i))
    return emitStopUnlessBelow(b, b.CreateSExt(extension->getOperand(0), wide), INT64_MAX,
                               "negative index", i);
  Value *exact =
      b.CreateBinOp(cast<BinaryOperator>(i).getOpcode(), b.CreateSExt(i.getOperand(0), wide),
                    b.CreateSExt(i.getOperand(1), wide));
  Value *differs = b.CreateICmpNE(exact, b.CreateSExt(&i, wide));
  emitStopIf(b, differs, "wraparound", i);
}

Value *emitPolynomialLeaf(IRBuilderBase &b, const Value &leaf) {
  Value *value = opOfLeaf(leaf) ? call(b, *opOfLeaf(leaf), {}) : const_cast<Value *>(&leaf);
  return b.CreateSExt(value, b.getInt64Ty());
}

Value *emitPolynomial(IRBuilderBase &b, const Polynomial &number) {
  Value *sum = b.getInt64(0);
  for (const auto &[monomial, factor] : number.terms()) {
    Value *product = b.getInt64(uint64_t(factor));
    for (const Value *leaf : monomial)
      product = b.CreateMul(product, emitPolynomialLeaf(b, *leaf));
    sum = b.CreateAdd(sum, product);
  }
  return sum;
}

void insertDistanceCheck(const ProofConditions::Distance &condition) {
  auto &at = const_cast<Instruction &>(*condition.at);
  IRBuilder<> b(&at);
  Value *room = b.CreateAdd(emitPolynomial(b, condition.distance), b.getInt64(condition.low - 1));
  Value *isSame = b.CreateICmpULT(room, b.getInt64(condition.low + condition.high - 1));
  emitStopIf(b, isSame, "an element of other threads", at);
}

void insertConditionChecks(const ProofConditions &conditions) {
  for (const Instruction *i : conditions.exact)
    insertAssumptionCheck(*const_cast<Instruction *>(i));
  for (const auto &[access, value] : conditions.positive) {
    auto *at = const_cast<Instruction *>(access);
    IRBuilder<> b(at);
    Value *least = b.CreateSub(emitPolynomialLeaf(b, *value), b.getInt64(1));
    emitStopUnlessBelow(b, least, INT64_MAX, "a stride that is not positive", *at);
  }
  for (const ProofConditions::Distance &distance : conditions.distances)
    insertDistanceCheck(distance);
}

void insertMark(const MemoryAccess &access, MarkKind kind, const Value &pointer, unsigned object) {
  IRBuilder<> b(access.by);
  auto toGeneric = [&](const Value &v) {
    return b.CreateAddrSpaceCast(const_cast<Value *>(&v), b.getPtrTy());
  };
  const Value &base = isa<CallBase>(pointer) ? *call(b, Op::DynamicShared, {}) : pointer;
  call(b, Op::FilterAccess,
       {toGeneric(*access.address), toGeneric(base), access.bytes, b.getInt32(uint32_t(kind)),
        b.getInt32(object)});
}

/// Replaces the kernel by one with further parameters, which nothing else aliases.
void appendParameters(Function &f, ArrayRef<Type *> types) {
  Function *g = addParameters(f, {}, types);
  for (unsigned i = unsigned(f.arg_size()); i < g->arg_size(); ++i)
    if (g->getArg(i)->getType()->isPointerTy())
      g->addParamAttr(i, Attribute::NoAlias);
  f.replaceAllUsesWith(g);
  f.eraseFromParent();
}

void insertFilter(Function &kernel, FilterPlanner &planner, FilterPlan &plan) {
  LLVMContext &c = kernel.getContext();
  SmallVector<Type *> parameters{Type::getInt64Ty(c)};
  for (auto &[key, found] : planner.accessesByObject()) {
    plan.objects.push_back(found.object);
    if (found.object.needsCells) {
      parameters.append(FilterPlan::parametersPerObject, PointerType::get(c, Global));
      auto object = unsigned(plan.objects.size() - 1);
      for (const auto &[access, kind] : found.marks)
        insertMark(access, kind, *found.pointer, object);
    }
  }
  for (const MemoryAccess &access : planner.possiblyMisalignedAccesses())
    insertAlignmentCheck(access);
  insertConditionChecks(planner.conditions());
  plan.isUncertain = planner.conditions().mayBeBrokenByCorrectLaunch();
  appendParameters(kernel, parameters);
}

} // namespace

PreservedAnalyses InsertRaceFilter::run(Module &m, ModuleAnalysisManager &) {
  auto isKernel = [](const Function &f) {
    return !f.isDeclaration() && f.hasFnAttribute(kernelAttribute);
  };
  if (filterPlanOf(m))
    return PreservedAnalyses::all();
  auto kernel = find_if(m, isKernel);
  if (kernel == m.end())
    return PreservedAnalyses::all();
  FilterPlan plan;
  plan.parameters = unsigned(kernel->arg_size());
  FilterPlanner planner(*kernel, facts);
  plan.obstacle = planner.planOrFindObstacle();
  kernel->removeFnAttr(Attribute::SanitizeThread);
  if (plan.covers())
    insertFilter(*kernel, planner, plan);
  setFilterPlan(m, plan);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
