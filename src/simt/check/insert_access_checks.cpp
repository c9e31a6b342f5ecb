#include "simt/check/insert_access_checks.h"

#include "simt/analysis/spin_loops.h"
#include "simt/check/access_sites.h"
#include "simt/check/memory_accesses.h"
#include "simt/ir/checks.h"
#include "simt/ir/sites.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <set>
#include <vector>

namespace heddle::simt {

using namespace llvm;

namespace {

/// An access whose operands follow the replacement of loads that have been checked.
class TrackedAccess {
public:
  explicit TrackedAccess(const MemoryAccess &access)
      : access_(access), address_(access.address), bytes_(access.bytes) {}

  MemoryAccess toMemoryAccess() const { return {access_.by, address_, bytes_, access_.access}; }

private:
  MemoryAccess access_;
  TrackingVH<Value> address_, bytes_;
};

/// Identifies an object. For a pointer from memory: the object that it is loaded from, and the offset there.
using Origin = std::vector<uint64_t>;

Origin findOrigin(const Value &address, const DataLayout &layout) {
  const Value *object = underlyingObjectOf(address);
  if (const auto *cast = dyn_cast<IntToPtrInst>(object))
    object = cast->getOperand(0);
  const auto *load = dyn_cast<LoadInst>(object);
  if (!load)
    return {reinterpret_cast<uintptr_t>(object)};
  const Value &from = *load->getPointerOperand();
  Origin origin = findOrigin(from, layout);
  APInt offset(64, 0);
  const Value *base =
      from.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  bool isKnown = base->stripPointerCasts() == underlyingObjectOf(from)->stripPointerCasts();
  origin.push_back(isKnown ? offset.getZExtValue() : UINT64_MAX);
  return origin;
}

/// The arrays on which spin loops wait by volatile loads, and those of the locks that they take.
std::set<Origin> findSpinFlags(const Function &f, const LoopInfo &loops) {
  std::set<Origin> flags;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (!findSpinPathEnd(*loop))
      continue;
    for (const BasicBlock *block : loop->blocks())
      for (const Instruction &i : *block) {
        std::optional<Op> op = calledOp(&i);
        bool isLoad = isa<LoadInst>(i) || op == Op::LoadCached;
        if ((isLoad && isVolatileOrAtomic(i)) || op == Op::AtomicCas || op == Op::AtomicExch)
          flags.insert(findOrigin(*i.getOperand(0), f.getDataLayout()));
      }
  }
  return flags;
}

class Instrumentation {
public:
  Instrumentation(Function &f, const LoopInfo &loops)
      : f_(f), layout_(f.getDataLayout()), flags_(findSpinFlags(f, loops)),
        sites_(sitesOf(*f.getParent())) {}

  bool run() {
    SmallVector<MemoryAccess> accesses;
    SmallVector<CallInst *> syncs, indices;
    for (Instruction &i : instructions(f_)) {
      collectAccesses(i, accesses);
      if (auto *call = dyn_cast<CallInst>(&i)) {
        if (syncKindOf(*call))
          syncs.push_back(call);
        else if (isReportedAsFinding(*call))
          indices.push_back(call);
      }
    }
    for (CallInst *call : syncs)
      insertSyncCheck(*call);
    for (MemoryAccess &access : accesses)
      access.access.isFlag =
          isMarkedAtomic(*access.by) ||
          (isVolatileOrAtomic(*access.by) && flags_.contains(findOrigin(*access.address, layout_)));
    SmallVector<TrackedAccess> tracked(accesses.begin(), accesses.end());
    for (const TrackedAccess &access : tracked)
      guardAccessByCheck(access.toMemoryAccess());
    for (CallInst *call : indices)
      replaceIndexCheckByReport(*call);
    return !accesses.empty() || !syncs.empty() || !indices.empty();
  }

private:
  /// Returns true for a check whose failures are findings. Other checks raise their exceptions.
  bool isReportedAsFinding(const CallInst &call) const {
    if (calledOp(&call) != Op::CheckIndex)
      return false;
    const auto *site = cast<ConstantInt>(IndexCheck::of(call).site);
    const std::string &kind = sites_[site->getZExtValue()].kind;
    return kind == "IndexError" || kind == "ZeroDivisionError";
  }

  static std::optional<SyncKind> syncKindOf(const CallInst &call) {
    std::optional<Op> op = calledOp(&call);
    if (!op)
      return std::nullopt;
    switch (*op) {
    case Op::Barrier:
    case Op::BarrierCount:
    case Op::BarrierAnd:
    case Op::BarrierOr:
    case Op::NamedBarrier:
    case Op::NamedBarrierCount:
    case Op::NamedBarrierArrive:
      return SyncKind::Block;
    case Op::WarpBarrier:
      return SyncKind::Warp;
    case Op::GridBarrier:
      return SyncKind::Grid;
    case Op::FenceBlock:
    case Op::FenceDevice:
    case Op::FenceSystem:
      return SyncKind::Fence;
    default:
      return std::nullopt;
    }
  }

  void insertSyncCheck(CallInst &call) {
    IRBuilder<> b(&call);
    SyncKind kind = *syncKindOf(call);
    Value *operand = b.getInt32(0);
    if (kind == SyncKind::Warp)
      operand = call.getArgOperand(1);
    else if (kind == SyncKind::Fence)
      operand = b.getInt32(unsigned(*calledOp(&call)) - unsigned(Op::FenceBlock));
    simt::call(b, Op::CheckSync, {b.getInt32(uint32_t(kind)), operand});
  }

  Value *emitCheckedValueOperand(IRBuilderBase &b, const MemoryAccess &made) {
    if (made.access.isHeap && !made.access.isHeapMark)
      return b.getInt64(layout_.getTypeAllocSize(
          cast<GlobalVariable>(underlyingObjectOf(*made.address))->getValueType()));
    if (made.access.takesLock)
      return b.getInt64(findLockValue(cast<CallInst>(*made.by))->getZExtValue());
    if (!made.access.hasValue && !made.access.isHeapMark)
      return b.getInt64(0);
    Value *value = cast<StoreInst>(made.by)->getValueOperand();
    Type *bits = b.getIntNTy(unsigned(layout_.getTypeSizeInBits(value->getType()).getFixedValue()));
    return b.CreateZExt(b.CreateBitOrPointerCast(value, bits), b.getInt64Ty());
  }

  void guardAccessByCheck(const MemoryAccess &made) {
    IRBuilder<> b(made.by);
    const Value *object = underlyingObjectOf(*made.address);
    Value *base = basePointerOf(*made.address);
    Value *isValid =
        simt::call(b, Op::CheckAccess,
                   {b.getInt32(addAccessSite(*made.by, *object)), castToGeneric(b, made.address),
                    castToGeneric(b, base), made.bytes, b.getInt32(made.access.encode()),
                    emitCheckedValueOperand(b, made)});
    Instruction *then = SplitBlockAndInsertIfThen(isValid, made.by, /*Unreachable=*/false);
    BasicBlock *skipped = then->getParent()->getSinglePredecessor();
    BasicBlock *after = made.by->getParent();
    made.by->moveBefore(then->getIterator());
    if (made.by->getType()->isVoidTy())
      return;
    b.SetInsertPoint(after, after->begin());
    PHINode *result = b.CreatePHI(made.by->getType(), 2);
    made.by->replaceAllUsesWith(result);
    result->addIncoming(made.by, made.by->getParent());
    result->addIncoming(Constant::getNullValue(made.by->getType()), skipped);
  }

  void replaceIndexCheckByReport(CallInst &call) {
    IRBuilder<> b(&call);
    IndexCheck check = IndexCheck::of(call);
    Instruction *then = SplitBlockAndInsertIfThen(emitFailureTest(b, check), &call, false);
    b.SetInsertPoint(then);
    simt::call(b, Op::CheckReport, {check.site, emitFirstOutOfBounds(b, check), check.high});
    call.eraseFromParent();
  }

  Function &f_;
  const DataLayout &layout_;
  const std::set<Origin> flags_;
  const std::vector<SiteInfo> sites_; ///< of the front end and earlier passes
};

} // namespace

PreservedAnalyses InsertAccessChecks::run(Function &f, FunctionAnalysisManager &am) {
  bool changed = Instrumentation(f, am.getResult<LoopAnalysis>(f)).run();
  f.removeFnAttr(Attribute::SanitizeThread);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
