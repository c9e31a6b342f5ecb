#include "simt/check/memory_accesses.h"

#include "simt/ir/inline_assembly.h"
#include "simt/ir/ops.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// The variable of the CUDA C++ headers that holds the heap of malloc and free.
constexpr StringRef heapFunction = "__heddle_the_heap";

/// True if a compare-and-swap of the same address uses the loaded value as its comparison operand.
bool isComparisonOperandOfCas(const LoadInst &load) {
  SmallPtrSet<const Value *, 8> seen;
  SmallVector<const Value *, 8> worklist{&load};
  const Value *address = load.getPointerOperand()->stripPointerCasts();
  while (!worklist.empty()) {
    const Value *v = worklist.pop_back_val();
    for (const User *user : v->users()) {
      if (isa<PHINode, CastInst>(user)) {
        if (seen.insert(user).second)
          worklist.push_back(user);
      } else if (calledOp(user) == Op::AtomicCas) {
        const auto &cas = cast<CallBase>(*user);
        const Value *changed = cas.getArgOperand(0)->stripPointerCasts();
        if (cas.getArgOperand(1) == v &&
            (changed == address || underlyingObjectOf(*changed) == underlyingObjectOf(*address)))
          return true;
      }
    }
  }
  return false;
}

/// True if comparisons use the value, and nothing else does.
bool isOnlyCompared(const Value &value) {
  return !value.use_empty() && all_of(value.users(), [](const User *user) {
    return isa<ICmpInst>(user) || (isa<CastInst>(user) && isOnlyCompared(*user));
  });
}

/// True for a direct access of a stack variable, or of constant memory: no check can fail, and no race is possible.
bool isAlwaysValid(const Value &address, uint64_t bytes, const DataLayout &layout) {
  APInt offset(64, 0);
  const Value *from =
      address.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (const auto *local = dyn_cast<AllocaInst>(from)) {
    std::optional<TypeSize> size = local->getAllocationSize(layout);
    return size && !offset.isNegative() && offset.getZExtValue() + bytes <= size->getFixedValue();
  }
  const auto *variable = dyn_cast<GlobalVariable>(from);
  return variable && variable->isConstant();
}

/// Returns Device if some of the memory that an address may point into is neither the thread's own nor constant.
AccessMemory memoryKindOf(const Value &address) {
  if (address.getType()->getPointerAddressSpace() == Constant)
    return AccessMemory::Constant;
  SmallVector<const Value *, 4> origins;
  getUnderlyingObjects(&address, origins);
  auto isConstant = [](const Value *origin) {
    const auto *variable = dyn_cast<GlobalVariable>(origin);
    return variable && variable->isConstant();
  };
  if (all_of(origins, isConstant))
    return AccessMemory::Constant;
  bool isOwn = all_of(origins, [&](const Value *o) { return isa<AllocaInst>(o) || isConstant(o); });
  return isOwn ? AccessMemory::Local : AccessMemory::Device;
}

/// True if a loop counts up the value from iteration to iteration.
bool isInductionPhi(const PHINode &phi) {
  return any_of(phi.incoming_values(), [&](const Value *next) {
    const auto *i = dyn_cast<Instruction>(next);
    return isa<BinaryOperator, GetElementPtrInst>(next) && is_contained(i->operand_values(), &phi);
  });
}

/// Appends the indices of an address, and its base. Of a pointer that differs between iterations, takes all values.
void collectIndicesAndBase(const Value &address, SmallVectorImpl<const Value *> &parts) {
  const Value *base = &address;
  for (; auto *part = dyn_cast<Operator>(base); base = part->getOperand(0)) {
    const auto *element = dyn_cast<GEPOperator>(part);
    if (!element && !isa<AddrSpaceCastOperator, BitCastOperator>(part))
      break;
    if (element)
      append_range(parts, element->indices());
  }
  parts.push_back(base);
  if (const auto *merged = dyn_cast<PHINode>(base))
    append_range(parts, merged->incoming_values());
}

/// True if the index or the array of an address is computed from a value in memory: a gather, a scatter, or a list. A
/// loop that counts up from such a value, as over a row of a sparse matrix, makes no gather.
bool isComputedFromMemory(const Value &address) {
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Value *, 16> worklist;
  collectIndicesAndBase(address, worklist);
  bool isLoaded = false;
  while (!worklist.empty()) {
    const auto *i = dyn_cast<Instruction>(worklist.pop_back_val());
    if (!i || !seen.insert(i).second)
      continue;
    std::optional<Op> op = calledOp(i);
    if (const auto *phi = dyn_cast<PHINode>(i)) {
      if (isInductionPhi(*phi))
        return false;
    } else if (const auto *load = dyn_cast<LoadInst>(i)) {
      isLoaded |= !isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand()));
    } else if (op && (info(*op).has(ArgMemory) || *op == Op::LoadCached)) {
      isLoaded = true;
    } else if (computesFromOperands(*i) || isa<FreezeInst>(i)) {
      append_range(worklist, i->operands());
    }
  }
  return isLoaded;
}

/// True for a store that may mark a block of the heap (CheckedAccess::isHeapMark).
bool mayMarkHeapBlock(const Instruction &i) {
  const auto *store = dyn_cast<StoreInst>(&i);
  if (!store || store->isVolatile() || !store->getValueOperand()->getType()->isIntegerTy(32))
    return false;
  KnownBits value = computeKnownBits(store->getValueOperand(), i.getDataLayout());
  return value.isZero() || (value.One.getZExtValue() & 0xffff0000) == CheckedAccess::heapBlockTaken;
}

} // namespace

const Value *underlyingObjectOf(const Value &address) {
  return getUnderlyingObject(&address, /*MaxLookup=*/0);
}

static constexpr const char *atomicMetadata = "simt.atomic";

void markAtomic(Instruction &i) { i.setMetadata(atomicMetadata, MDNode::get(i.getContext(), {})); }

bool isMarkedAtomic(const Instruction &i) { return i.hasMetadata(atomicMetadata); }

static constexpr const char *heapMetadata = "simt.heap";

void markHeapManagement(Instruction &i) {
  i.setMetadata(heapMetadata, MDNode::get(i.getContext(), {}));
}

bool isVolatileOrAtomic(const Instruction &i) {
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->isVolatile() || load->isAtomic();
  if (const auto *store = dyn_cast<StoreInst>(&i))
    return store->isVolatile() || store->isAtomic();
  // The operators cv and wt, see ops.def: loads from memory and stores to memory each time.
  std::optional<Op> op = calledOp(&i);
  if (op == Op::LoadCached)
    return cast<ConstantInt>(i.getOperand(1))->equalsInt(4);
  return op == Op::StoreCached && cast<ConstantInt>(i.getOperand(2))->equalsInt(3);
}

bool isHeapVariable(const Value &object) {
  const auto *variable = dyn_cast<GlobalVariable>(&object);
  return variable && variable->getName().contains(heapFunction);
}

const ConstantInt *findLockValue(const CallInst &atomic) {
  auto *value = dyn_cast<ConstantInt>(atomic.getArgOperand(1));
  switch (*calledOp(&atomic)) {
  case Op::AtomicCas:
    return value != atomic.getArgOperand(2) ? value : nullptr;
  case Op::AtomicExch:
    return isOnlyCompared(atomic) ? value : nullptr;
  default:
    return nullptr;
  }
}

void collectAccesses(Instruction &i, SmallVectorImpl<MemoryAccess> &accesses) {
  IRBuilder<> b(i.getContext());
  const DataLayout &layout = i.getDataLayout();
  auto add = [&](Value &address, Value *bytes, CheckedAccess access) {
    const auto *length = dyn_cast<ConstantInt>(bytes);
    if (length && isAlwaysValid(address, length->getZExtValue(), layout))
      return;
    access.memory = memoryKindOf(address);
    access.isLocal =
        access.memory != AccessMemory::Device || i.hasMetadata(LLVMContext::MD_invariant_load);
    access.isHeap = i.hasMetadata(heapMetadata) && isHeapVariable(*underlyingObjectOf(address));
    access.isHeapMark = access.isHeap && mayMarkHeapBlock(i);
    access.isInFlight = access.kind == AccessKind::Write && i.hasMetadata(copyInFlight);
    access.isIndirect = isComputedFromMemory(address) || i.hasMetadata(emulatedMatrices);
    accesses.push_back({&i, &address, bytes, access});
  };
  auto bytesOf = [&](Type *type) { return uint64_t(layout.getTypeStoreSize(type)); };
  if (Value *address = getLoadStorePointerOperand(&i)) {
    Type *type = getLoadStoreType(&i);
    CheckedAccess access{.kind = isa<StoreInst>(i) ? AccessKind::Write : AccessKind::Read,
                         .alignment = uint32_t(getLoadStoreAlignment(&i).value())};
    if (const auto *load = dyn_cast<LoadInst>(&i))
      access.isGuess = isComparisonOperandOfCas(*load);
    else
      access.hasValue =
          (type->isIntOrIntVectorTy() || type->isFPOrFPVectorTy() || type->isPointerTy()) &&
          bytesOf(type) <= 8;
    return add(*address, b.getInt64(bytesOf(type)), access);
  }
  if (auto *copy = dyn_cast<MemIntrinsic>(&i)) {
    b.SetInsertPoint(&i);
    Value *length = b.CreateZExtOrTrunc(copy->getLength(), b.getInt64Ty());
    auto asNumber = [](MaybeAlign alignment) { return uint32_t(alignment.valueOrOne().value()); };
    if (auto *transfer = dyn_cast<MemTransferInst>(copy))
      add(*transfer->getRawSource(), length,
          {.kind = AccessKind::Read, .alignment = asNumber(transfer->getSourceAlign())});
    return add(*copy->getRawDest(), length,
               {.kind = AccessKind::Write, .alignment = asNumber(copy->getDestAlign())});
  }
  std::optional<Op> op = calledOp(&i);
  if (!op)
    return;
  auto &call = cast<CallInst>(i);
  Value &address = call.arg_empty() ? static_cast<Value &>(call) : *call.getArgOperand(0);
  if (info(*op).has(ArgMemory)) {
    auto *scope = cast<ConstantInt>(call.getArgOperand(call.arg_size() - 1));
    uint64_t bytes = bytesOf(call.getType());
    add(address, b.getInt64(bytes),
        {.kind = AccessKind::Atomic,
         .scope = Scope(scope->getZExtValue()),
         .isCas = *op == Op::AtomicCas,
         .takesLock = findLockValue(call) != nullptr,
         .alignment = uint32_t(bytes)});
  } else if (*op == Op::LoadCached) {
    uint64_t bytes = bytesOf(call.getType());
    add(address, b.getInt64(bytes), {.alignment = uint32_t(bytes)});
  } else if (*op == Op::StoreCached) {
    uint64_t bytes = bytesOf(call.getArgOperand(1)->getType());
    add(address, b.getInt64(bytes), {.kind = AccessKind::Write, .alignment = uint32_t(bytes)});
  }
}

} // namespace heddle::simt
