#include "simt/check/filter/stop_undefined_locals.h"

#include "simt/analysis/call_tree.h"
#include "simt/check/emit_stop.h"
#include "simt/check/filter/object_offsets.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// Larger loads are left to the exact checks.
constexpr uint64_t maxElementsPerLoad = 16;

class WatchedVariable {
public:
  explicit WatchedVariable(AllocaInst &variable)
      : variable_(variable), layout_(variable.getDataLayout()) {}

  /// Returns false if some accesses cannot be followed.
  bool collectAccesses() {
    std::optional<TypeSize> size = variable_.getAllocationSize(layout_);
    if (!size || !collectUses(variable_))
      return false;
    bytes_ = size->getFixedValue();
    return all_of(accesses_, [&](const Access &access) {
      return access.isStore || access.bytes / elementBytes_ <= maxElementsPerLoad;
    });
  }

  uint64_t countElements() const { return (bytes_ + elementBytes_ - 1) / elementBytes_; }

  /// Adds an array with one byte for each element: whether it has been written.
  void insertWrittenFlags() {
    IRBuilder<> b(&variable_);
    uint64_t count = countElements();
    AllocaInst *written = b.CreateAlloca(ArrayType::get(b.getInt8Ty(), count), nullptr,
                                         variable_.getName() + ".written");
    for (CallInst *mark : marks_) {
      b.SetInsertPoint(mark);
      b.CreateMemSet(written, b.getInt8(0), count, Align(1));
      mark->eraseFromParent();
    }
    for (const Access &access : accesses_) {
      b.SetInsertPoint(access.by);
      Value *element = b.CreateUDiv(emitOffset(b, *access.address, variable_),
                                    b.getInt64(elementBytes_), "", /*isExact=*/true);
      Value *first = b.CreateGEP(b.getInt8Ty(), written, element);
      uint64_t elements = access.bytes / elementBytes_;
      if (access.isStore)
        b.CreateMemSet(first, b.getInt8(1), elements, Align(1));
      else
        emitStopIfUnwritten(b, *access.by, first, elements);
    }
  }

private:
  struct Access {
    Instruction *by;
    Value *address;
    uint64_t bytes;
    bool isStore;
  };

  bool addAccess(Instruction &by, Value &address, uint64_t bytes, Align alignment, bool isStore) {
    if (bytes == 0)
      return false;
    elementBytes_ = std::min({elementBytes_, alignment.value(), uint64_t(1) << countr_zero(bytes)});
    accesses_.push_back({&by, &address, bytes, isStore});
    return true;
  }

  bool collectUses(Value &pointer) {
    return all_of(pointer.uses(), [&](Use &use) { return collectUse(use); });
  }

  bool collectUse(Use &use) {
    auto &by = *cast<Instruction>(use.getUser());
    auto sizeOf = [&](Type *type) { return uint64_t(layout_.getTypeStoreSize(type)); };
    if (auto *load = dyn_cast<LoadInst>(&by))
      return addAccess(by, *use, sizeOf(load->getType()), load->getAlign(), false);
    if (auto *store = dyn_cast<StoreInst>(&by))
      return use.getOperandNo() == StoreInst::getPointerOperandIndex() &&
             addAccess(by, *use, sizeOf(store->getValueOperand()->getType()), store->getAlign(),
                       true);
    if (isa<GetElementPtrInst, AddrSpaceCastInst>(by))
      return collectUses(by);
    if (auto *copy = dyn_cast<MemIntrinsic>(&by)) {
      auto *length = dyn_cast<ConstantInt>(copy->getLength());
      return length &&
             addAccess(by, *use, length->getZExtValue(), Align(1), use.getOperandNo() == 0);
    }
    if (calledOp(&by) == Op::CheckForget) {
      marks_.push_back(cast<CallInst>(&by));
      return true;
    }
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&by);
    return intrinsic && (intrinsic->isLifetimeStartOrEnd() || intrinsic->isDroppable());
  }

  static void emitStopIfUnwritten(IRBuilder<> &b, Instruction &load, Value *first,
                                  uint64_t elements) {
    Value *all = b.getInt8(1);
    for (uint64_t i = 0; i < elements; ++i)
      all = b.CreateAnd(all,
                        b.CreateLoad(b.getInt8Ty(), b.CreateConstGEP1_64(b.getInt8Ty(), first, i)));
    emitStopIf(b, b.CreateICmpNE(all, b.getInt8(1)), "uninitialized variable", load);
  }

  AllocaInst &variable_;
  const DataLayout &layout_;
  SmallVector<Access> accesses_;
  SmallVector<CallInst *, 2> marks_;
  uint64_t bytes_ = 0, elementBytes_ = 16;
};

} // namespace

PreservedAnalyses StopUndefinedLocals::run(Function &f, FunctionAnalysisManager &) {
  SmallSetVector<AllocaInst *, 8> marked;
  for (Instruction &i : instructions(f))
    if (calledOp(&i) == Op::CheckForget)
      if (auto *variable =
              dyn_cast<AllocaInst>(cast<CallInst>(i).getArgOperand(0)->stripPointerCasts()))
        marked.insert(variable);
  if (marked.empty())
    return PreservedAnalyses::all();
  uint64_t used = CallTree(*f.getParent(), /*inlinesConvergent=*/true).factsOf(f).localBytes;
  uint64_t left = maxLocalBytes - std::min(used, maxLocalBytes); // without it, the exact form runs
  for (AllocaInst *variable : marked) {
    WatchedVariable watched(*variable);
    if (!watched.collectAccesses() || watched.countElements() > left)
      continue;
    left -= watched.countElements();
    watched.insertWrittenFlags();
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
