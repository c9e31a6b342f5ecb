#include "simt/check/forget_locals.h"

#include "simt/check/access_sites.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::simt {

using namespace llvm;

namespace {

bool isForgetCall(const User *user) { return calledOp(user) == Op::CheckForget; }

/// Decides whether each read of a variable follows assignments to all bytes that it reads.
class Assignments {
public:
  explicit Assignments(AllocaInst &variable)
      : variable_(variable), layout_(variable.getDataLayout()) {}

  bool coverAllReads() {
    std::optional<TypeSize> size = variable_.getAllocationSize(layout_);
    if (!size || size->getFixedValue() > maxBytes || !collectAccesses(variable_, 0))
      return false;
    bytes_ = unsigned(size->getFixedValue());
    propagateAssignedBytes();
    return all_of(*variable_.getFunction(), [&](BasicBlock &block) {
      BitVector assigned = assignedAtBlockStart(block);
      return applyBlockAndCheckReads(block, assigned);
    });
  }

private:
  /// Larger variables are not analyzed.
  static constexpr uint64_t maxBytes = 1024;
  enum class Effect { Read, Assign, Begin };
  struct Access {
    Effect effect;
    uint64_t low, high;
  };

  bool addAccess(Instruction &by, Effect effect, int64_t offset, uint64_t bytes) {
    if (offset < 0)
      return false;
    accesses_[&by].push_back({effect, uint64_t(offset), uint64_t(offset) + bytes});
    return true;
  }

  /// Collects the accesses through a pointer; false if there are some that cannot be followed.
  bool collectAccesses(Value &pointer, int64_t offset) {
    return all_of(pointer.uses(), [&](Use &use) { return collectUse(use, offset); });
  }

  bool collectUse(Use &use, int64_t offset) {
    auto &by = *cast<Instruction>(use.getUser());
    if (auto *load = dyn_cast<LoadInst>(&by))
      return !load->isVolatile() &&
             addAccess(by, Effect::Read, offset, layout_.getTypeStoreSize(load->getType()));
    if (auto *store = dyn_cast<StoreInst>(&by))
      return use.getOperandNo() == StoreInst::getPointerOperandIndex() && !store->isVolatile() &&
             addAccess(by, Effect::Assign, offset,
                       layout_.getTypeStoreSize(store->getValueOperand()->getType()));
    if (auto *address = dyn_cast<GetElementPtrInst>(&by)) {
      APInt step(64, 0);
      return address->accumulateConstantOffset(layout_, step) &&
             collectAccesses(*address, offset + step.getSExtValue());
    }
    if (auto *copy = dyn_cast<MemIntrinsic>(&by)) {
      auto *length = dyn_cast<ConstantInt>(copy->getLength());
      bool isTarget = use.getOperandNo() == 0;
      return length && !copy->isVolatile() &&
             addAccess(by, isTarget ? Effect::Assign : Effect::Read, offset,
                       length->getZExtValue());
    }
    if (isForgetCall(&by))
      return addAccess(by, Effect::Begin, 0, 0);
    if (auto *intrinsic = dyn_cast<IntrinsicInst>(&by))
      return intrinsic->isDroppable() || intrinsic->getIntrinsicID() == Intrinsic::lifetime_end ||
             (intrinsic->getIntrinsicID() == Intrinsic::lifetime_start &&
              addAccess(by, Effect::Begin, 0, 0));
    return false;
  }

  /// Sets the bytes between the fields of a structure, and of empty classes, to which LLVM gives one byte: copies
  /// include them.
  void markPaddingAssigned(Type *type, uint64_t start, BitVector &assigned) const {
    if (auto *array = dyn_cast<ArrayType>(type)) {
      uint64_t step = layout_.getTypeAllocSize(array->getElementType());
      for (uint64_t i = 0; i < array->getNumElements(); ++i)
        markPaddingAssigned(array->getElementType(), start + i * step, assigned);
    } else if (auto *structure = dyn_cast<StructType>(type)) {
      if (structure->getNumElements() == 1 && structure->getElementType(0)->isIntegerTy(8))
        assigned.set(unsigned(start));
      const StructLayout *fields = layout_.getStructLayout(structure);
      uint64_t end = 0;
      for (unsigned i = 0; i < structure->getNumElements(); ++i) {
        uint64_t at = fields->getElementOffset(i);
        assigned.set(unsigned(start + end), unsigned(start + at));
        markPaddingAssigned(structure->getElementType(i), start + at, assigned);
        end = at + layout_.getTypeStoreSize(structure->getElementType(i));
      }
      assigned.set(unsigned(start + end), unsigned(start + fields->getSizeInBytes()));
    }
  }

  BitVector assignedAtFunctionStart() const {
    BitVector assigned(bytes_);
    markPaddingAssigned(variable_.getAllocatedType(), 0, assigned);
    return assigned;
  }

  BitVector assignedAtBlockStart(BasicBlock &block) const {
    if (block.isEntryBlock())
      return assignedAtFunctionStart();
    BitVector assigned(bytes_, true);
    for (BasicBlock *before : predecessors(&block))
      if (auto found = atEnd_.find(before); found != atEnd_.end())
        assigned &= found->second;
    return assigned;
  }

  /// Applies the block's accesses. Returns false if one reads bytes that are not assigned.
  bool applyBlockAndCheckReads(BasicBlock &block, BitVector &assigned) const {
    bool isCovered = true;
    for (Instruction &i : block) {
      auto found = accesses_.find(&i);
      if (found == accesses_.end())
        continue;
      for (const Access &access : found->second) {
        unsigned low = unsigned(std::min<uint64_t>(access.low, bytes_)),
                 high = unsigned(std::min<uint64_t>(access.high, bytes_));
        if (access.effect == Effect::Begin)
          assigned = assignedAtFunctionStart();
        else if (access.effect == Effect::Assign)
          assigned.set(low, high);
        else
          isCovered &= low == high || assigned.find_first_unset_in(low, high) < 0;
      }
    }
    return isCovered;
  }

  void propagateAssignedBytes() {
    ReversePostOrderTraversal<Function *> order(variable_.getFunction());
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock *block : order) {
        BitVector assigned = assignedAtBlockStart(*block);
        applyBlockAndCheckReads(*block, assigned);
        auto [at, isNew] = atEnd_.try_emplace(block, assigned);
        changed |= isNew || at->second != assigned;
        at->second = std::move(assigned);
      }
    }
  }

  AllocaInst &variable_;
  const DataLayout &layout_;
  unsigned bytes_ = 0;
  DenseMap<Instruction *, SmallVector<Access, 2>> accesses_;
  DenseMap<BasicBlock *, BitVector> atEnd_;
};

/// The instructions after which the variable is new.
SmallVector<Instruction *, 2> findLifetimeStarts(AllocaInst &variable) {
  SmallVector<Instruction *, 2> starts;
  for (User *user : variable.users())
    if (auto *start = dyn_cast<LifetimeIntrinsic>(user))
      if (start->getIntrinsicID() == Intrinsic::lifetime_start)
        starts.push_back(start);
  if (starts.empty())
    starts.push_back(&variable);
  return starts;
}

void insertForgetCalls(AllocaInst &variable) {
  uint64_t bytes = variable.getAllocationSize(variable.getDataLayout())->getFixedValue();
  for (Instruction *start : findLifetimeStarts(variable)) {
    IRBuilder<> b(start->getNextNode());
    b.SetCurrentDebugLocation(start->getDebugLoc());
    simt::call(b, Op::CheckForget, {castToGeneric(b, &variable), b.getInt64(bytes)});
  }
}

void removeForgetCalls(AllocaInst &variable) {
  for (User *user : make_early_inc_range(variable.users()))
    if (isForgetCall(user))
      cast<Instruction>(user)->eraseFromParent();
}

} // namespace

PreservedAnalyses ForgetLocals::run(Function &f, FunctionAnalysisManager &) {
  SmallVector<AllocaInst *> changed;
  for (Instruction &i : instructions(f)) {
    auto *variable = dyn_cast<AllocaInst>(&i);
    if (!variable || !variable->isStaticAlloca())
      continue;
    bool isMarked = any_of(variable->users(), isForgetCall);
    bool needsMark = which == All || !Assignments(*variable).coverAllReads();
    if (isMarked != needsMark)
      changed.push_back(variable);
  }
  for (AllocaInst *variable : changed)
    if (any_of(variable->users(), isForgetCall))
      removeForgetCalls(*variable);
    else
      insertForgetCalls(*variable);
  return changed.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

PreservedAnalyses RemoveForgets::run(Function &f, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (isForgetCall(&i) || calledOp(&i) == Op::CheckSync) {
      i.eraseFromParent();
      changed = true;
    }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
