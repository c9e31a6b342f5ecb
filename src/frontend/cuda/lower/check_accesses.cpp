#include "frontend/cuda/lower/check_accesses.h"

#include "frontend/cuda/lower/pointer_memories.h"
#include "simt/check/checking.h"
#include "simt/ir/checks.h"
#include "simt/ir/sites.h"
#include "simt/ir/source_positions.h"

#include "llvm/Analysis/TargetFolder.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <limits>

namespace heddle::cudacpp {

using namespace llvm;

namespace {

/// A memory access of an instruction.
struct Access {
  Instruction *by;
  Value *address;
  uint64_t bytes;          ///< bytes per element, or of the whole access if known
  Value *length = nullptr; ///< length of a copy
};

void addOperationAccess(CallInst &call, simt::Op op, SmallVectorImpl<Access> &out) {
  const simt::OpInfo &row = simt::info(op);
  if (!row.operands.starts_with("P"))
    return;
  SmallVector<Type *, 4> types(map_range(call.args(), [](Value *v) { return v->getType(); }));
  Type *type = simt::overloadOf(row, types, call.getType()).type;
  out.push_back({&call, call.getArgOperand(0), call.getDataLayout().getTypeStoreSize(type)});
}

SmallVector<Access> collectAccesses(Function &f) {
  SmallVector<Access> all;
  const DataLayout &layout = f.getDataLayout();
  for (Instruction &i : instructions(f)) {
    if (Value *address = getLoadStorePointerOperand(&i))
      all.push_back({&i, address, layout.getTypeStoreSize(getLoadStoreType(&i)).getFixedValue()});
    else if (auto *copy = dyn_cast<MemIntrinsic>(&i)) {
      all.push_back({&i, copy->getRawDest(), 1, copy->getLength()});
      if (auto *transfer = dyn_cast<MemTransferInst>(copy))
        all.push_back({&i, transfer->getRawSource(), 1, copy->getLength()});
    } else if (std::optional<simt::Op> op = simt::calledOp(&i))
      addOperationAccess(cast<CallInst>(i), *op, all);
  }
  return all;
}

/// An instruction with the source line of an access. If optimization has merged two accesses, the line of an address is
/// used.
Instruction &findInstructionWithLine(Instruction &access) {
  Instruction *i = &access;
  while (i && (!i->getDebugLoc() || !i->getDebugLoc().getLine())) {
    Value *address = isa<StoreInst>(i) ? i->getOperand(1) : i->getOperand(0);
    i = dyn_cast<Instruction>(address);
  }
  return i ? *i : access;
}

/// Marks an access to a local that has been checked.
constexpr const char *checkedMark = "heddle.checked";

class Checker {
public:
  Checker(Function &f, CheckAccesses::Of of) : memories(f), of(of), layout(f.getDataLayout()) {}

  bool insertCheck(const Access &access) {
    std::optional<Memory> memory = findOrEmitMemoryOfAccess(access);
    if (!memory || isAlwaysInside(access, *memory))
      return false;
    IRBuilder<TargetFolder> b(access.by->getParent(), access.by->getIterator(),
                              TargetFolder(layout));
    b.SetCurrentDebugLocation(access.by->getDebugLoc());
    Value *offset = computeOffset(b, access.address, memory->start);
    Value *high = memory->high;
    Value *last = offset;
    if (access.length) {
      // A copy of zero bytes accesses nothing.
      Value *length = b.CreateZExtOrTrunc(access.length, b.getInt64Ty());
      // A negative number of bytes is a huge one.
      Value *most = b.getInt64(std::numeric_limits<int64_t>::max());
      length = b.CreateBinaryIntrinsic(Intrinsic::umin, length, most);
      last =
          b.CreateBinaryIntrinsic(Intrinsic::sadd_sat, offset, b.CreateSub(length, b.getInt64(1)));
    } else if (access.bytes > 1) {
      // Smaller memory contains no such element.
      high = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, high, b.getInt64(access.bytes - 1));
    }
    unsigned site = simt::addSite("IndexError", describeFailure(access, *memory),
                                  findInstructionWithLine(*access.by), memory->object);
    simt::call(b, simt::Op::CheckIndex,
               {b.getInt32(site), offset, last, b.getInt64(1), memory->low, high});
    if (of == CheckAccesses::Locals)
      access.by->setMetadata(checkedMark, MDNode::get(access.by->getContext(), {}));
    return true;
  }

private:
  /// The message for an access outside `memory`.
  static std::string describeFailure(const Access &access, const Memory &memory) {
    std::string bytes = std::to_string(access.bytes);
    auto *size = dyn_cast<ConstantInt>(memory.high);
    if (size && size->getZExtValue() && size->getZExtValue() < access.bytes)
      return "an access of " + bytes + " bytes is out of bounds of " + memory.name +
             ", which has " + std::to_string(size->getZExtValue()) + " bytes" + memory.hint;
    // The index of the address. Addresses wrap around, so a[2**64 - 1] of C++ is the element before `a`: index -1.
    return "index {index/" + bytes + "} is out of bounds of " + memory.name +
           ", which has {extent/" + bytes + "} " + (access.bytes == 1 ? "bytes" : "elements") +
           memory.hint;
  }

  std::optional<Memory> findOrEmitMemoryOfAccess(const Access &access) {
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(access.address, objects, nullptr, /*MaxLookup=*/0);
    bool isLocal = objects.size() == 1 && isa<AllocaInst>(objects.front());
    if (isLocal ? !needsCheck(access, *objects.front()) : of == CheckAccesses::Locals)
      return std::nullopt;
    return memories.findOrEmitMemory(*access.address, objects);
  }

  /// True if an access to a local still needs a check. Its pointer may have been in a structure when Locals were
  /// checked. A pointer that a loop advances is checked only for `heddle check`: an integer address keeps the local in
  /// memory.
  bool needsCheck(const Access &access, const Value &local) const {
    return !access.by->hasMetadata(checkedMark) &&
           (simt::isChecking || getUnderlyingObject(access.address, 0) == &local);
  }

  /// True if the access has a constant, valid offset in a variable.
  bool isAlwaysInside(const Access &access, const Memory &memory) const {
    auto *size = dyn_cast<ConstantInt>(memory.high);
    if (!size)
      return false;
    APInt offset(64, 0);
    const Value *from = access.address->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    while (auto *cast = dyn_cast<AddrSpaceCastOperator>(from))
      from = cast->getPointerOperand()->stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true);
    uint64_t length = access.bytes;
    if (access.length) {
      auto *known = dyn_cast<ConstantInt>(access.length);
      if (!known)
        return false;
      length = known->getZExtValue();
    }
    return from == memory.start && !offset.isNegative() &&
           offset.getZExtValue() + length <= size->getZExtValue();
  }

  /// The byte offset of `address` from `start`.
  Value *computeOffset(IRBuilderBase &b, Value *address, Value *start) {
    Value *offset = nullptr, *from = address;
    while (from != start) {
      if (auto *step = dyn_cast<GEPOperator>(from)) {
        Value *more = emitGEPOffset(&b, layout, step);
        more = b.CreateSExtOrTrunc(more, b.getInt64Ty());
        offset = offset ? b.CreateNSWAdd(more, offset) : more;
        from = step->getPointerOperand();
      } else if (auto *cast = dyn_cast<AddrSpaceCastOperator>(from)) {
        from = cast->getPointerOperand();
      } else {
        break;
      }
    }
    if (from == start)
      return offset ? offset : b.getInt64(0);
    // A pointer that a loop advances.
    Value *same = b.CreateAddrSpaceCast(start, from->getType());
    Value *moved =
        b.CreateSub(b.CreatePtrToInt(from, b.getInt64Ty()), b.CreatePtrToInt(same, b.getInt64Ty()));
    return offset ? b.CreateAdd(moved, offset) : moved;
  }

  PointerMemories memories;
  CheckAccesses::Of of;
  const DataLayout &layout;
};

} // namespace

PreservedAnalyses CheckAccesses::run(Function &f, FunctionAnalysisManager &) {
  Checker checker(f, of);
  bool changed = false;
  for (const Access &access : collectAccesses(f))
    changed |= checker.insertCheck(access);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cudacpp
