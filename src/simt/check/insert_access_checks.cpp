#include "simt/check/insert_access_checks.h"

#include "simt/analysis/spin_loops.h"
#include "simt/check/checked_access.h"
#include "simt/ir/checks.h"
#include "simt/ir/sites.h"
#include "simt/ir/source_positions.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::simt {

using namespace llvm;

namespace {

/// An access of memory; an instruction that copies memory makes two.
struct MadeAccess {
  Instruction *by;
  Value *address;
  Value *bytes; ///< i64
  CheckedAccess access;
};

/// The function of the CUDA C++ headers that holds the heap of malloc and free.
constexpr StringRef heapFunction = "__heddle_the_heap";

const Value *objectOf(const Value &address) {
  return getUnderlyingObject(&address, /*MaxLookup=*/0);
}

bool isVolatileOrAtomic(const Instruction &i) {
  if (const auto *load = dyn_cast<LoadInst>(&i))
    return load->isVolatile() || load->isAtomic();
  const auto *store = dyn_cast<StoreInst>(&i);
  return store && (store->isVolatile() || store->isAtomic());
}

/// The arrays on which spin loops wait by volatile loads.
SmallPtrSet<const Value *, 4> findFlags(const Function &f, const LoopInfo &loops) {
  SmallPtrSet<const Value *, 4> flags;
  for (const Loop *loop : loops.getLoopsInPreorder()) {
    if (!findSpinPathEnd(*loop))
      continue;
    for (const BasicBlock *block : loop->blocks())
      for (const Instruction &i : *block)
        if (const auto *load = dyn_cast<LoadInst>(&i); load && isVolatileOrAtomic(i))
          flags.insert(objectOf(*load->getPointerOperand()));
  }
  return flags;
}

/// True if a compare-and-swap of the same address uses the loaded value as its comparison operand.
bool isGuessOfCas(const LoadInst &load) {
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
            (changed == address || objectOf(*changed) == objectOf(*address)))
          return true;
      }
    }
  }
  return false;
}

class Instrumentation {
public:
  Instrumentation(Function &f, const LoopInfo &loops)
      : f_(f), layout_(f.getDataLayout()), flags_(findFlags(f, loops)) {}

  bool run() {
    SmallVector<MadeAccess> accesses;
    SmallVector<CallInst *> syncs, indices;
    for (Instruction &i : instructions(f_)) {
      addAccesses(i, accesses);
      if (auto *call = dyn_cast<CallInst>(&i)) {
        if (syncKindOf(*call))
          syncs.push_back(call);
        else if (calledOp(call) == Op::CheckIndex)
          indices.push_back(call);
      }
    }
    for (CallInst *call : syncs)
      insertSync(*call);
    for (const MadeAccess &access : accesses)
      insertCheck(access);
    for (CallInst *call : indices)
      report(*call);
    return !accesses.empty() || !syncs.empty() || !indices.empty();
  }

private:
  static std::optional<SyncKind> syncKindOf(const CallInst &call) {
    std::optional<Op> op = calledOp(&call);
    if (!op)
      return std::nullopt;
    switch (*op) {
    case Op::Barrier:
    case Op::BarrierCount:
    case Op::BarrierAnd:
    case Op::BarrierOr:
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

  void insertSync(CallInst &call) {
    IRBuilder<> b(&call);
    SyncKind kind = *syncKindOf(call);
    Value *operand = b.getInt32(0);
    if (kind == SyncKind::Warp)
      operand = call.getArgOperand(1);
    else if (kind == SyncKind::Fence)
      operand = b.getInt32(unsigned(*calledOp(&call)) - unsigned(Op::FenceBlock));
    simt::call(b, Op::CheckSync, {b.getInt32(uint32_t(kind)), operand});
  }

  /// True for a direct access of a stack variable, or of constant memory: no check can fail, and no race is possible.
  bool isAlwaysValid(const Value &address, uint64_t bytes) const {
    APInt offset(64, 0);
    const Value *from =
        address.stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true);
    if (const auto *local = dyn_cast<AllocaInst>(from)) {
      std::optional<TypeSize> size = local->getAllocationSize(layout_);
      return size && !offset.isNegative() && offset.getZExtValue() + bytes <= size->getFixedValue();
    }
    const auto *variable = dyn_cast<GlobalVariable>(from);
    return variable && variable->isConstant();
  }

  void add(Instruction &by, Value &address, Value *bytes, CheckedAccess access,
           SmallVectorImpl<MadeAccess> &out) {
    const auto *length = dyn_cast<ConstantInt>(bytes);
    if (length && isAlwaysValid(address, length->getZExtValue()))
      return;
    const Value *object = objectOf(address);
    const auto *variable = dyn_cast<GlobalVariable>(object);
    access.isLocal = isa<AllocaInst>(object) || (variable && variable->isConstant()) ||
                     by.hasMetadata(LLVMContext::MD_invariant_load) ||
                     address.getType()->getPointerAddressSpace() == Constant;
    access.isHeap = variable && variable->getName().contains(heapFunction);
    access.isFlag = isVolatileOrAtomic(by) && flags_.contains(object);
    out.push_back({&by, &address, bytes, access});
  }

  void addAccesses(Instruction &i, SmallVectorImpl<MadeAccess> &out) {
    IRBuilder<> b(f_.getContext());
    if (Value *address = getLoadStorePointerOperand(&i)) {
      CheckedAccess access{.kind = isa<StoreInst>(i) ? AccessKind::Write : AccessKind::Read,
                           .alignment = uint32_t(getLoadStoreAlignment(&i).value())};
      if (const auto *load = dyn_cast<LoadInst>(&i)) {
        access.isGuess = isGuessOfCas(*load);
      } else {
        Type *type = getLoadStoreType(&i);
        access.hasValue = (type->isIntegerTy() || type->isFloatingPointTy()) &&
                          layout_.getTypeStoreSize(type) <= 8;
      }
      add(i, *address, b.getInt64(layout_.getTypeStoreSize(getLoadStoreType(&i))), access, out);
      return;
    }
    if (auto *copy = dyn_cast<MemIntrinsic>(&i)) {
      auto length = [&] {
        b.SetInsertPoint(&i);
        return b.CreateZExtOrTrunc(copy->getLength(), b.getInt64Ty());
      };
      if (auto *transfer = dyn_cast<MemTransferInst>(copy))
        add(i, *transfer->getRawSource(), length(), {.kind = AccessKind::Read}, out);
      add(i, *copy->getRawDest(), length(), {.kind = AccessKind::Write}, out);
      return;
    }
    std::optional<Op> op = calledOp(&i);
    if (!op)
      return;
    auto &call = cast<CallInst>(i);
    if (info(*op).has(ArgMemory)) {
      auto *scope = cast<ConstantInt>(call.getArgOperand(call.arg_size() - 1));
      uint64_t bytes = layout_.getTypeStoreSize(call.getType());
      add(i, *call.getArgOperand(0), b.getInt64(bytes),
          {.kind = AccessKind::Atomic,
           .scope = Scope(scope->getZExtValue()),
           .isCas = *op == Op::AtomicCas,
           .alignment = uint32_t(bytes)},
          out);
    } else if (*op == Op::LoadCached) {
      uint64_t bytes = layout_.getTypeStoreSize(call.getType());
      add(i, *call.getArgOperand(0), b.getInt64(bytes), {.alignment = uint32_t(bytes)}, out);
    } else if (*op == Op::StoreCached) {
      uint64_t bytes = layout_.getTypeStoreSize(call.getArgOperand(1)->getType());
      add(i, *call.getArgOperand(0), b.getInt64(bytes),
          {.kind = AccessKind::Write, .alignment = uint32_t(bytes)}, out);
    }
  }

  /// The name of a variable in the source; empty if it has none. The front end for Python numbers its shared variables.
  static std::string nameOf(const GlobalVariable &variable) {
    StringRef symbol = variable.getName();
    symbol.consume_back(".data");
    std::string name = symbol.starts_with("_Z") ? demangle(symbol) : symbol.str();
    if (StringRef(name).starts_with("shared"))
      return "";
    size_t scope = name.rfind("::");
    return scope == std::string::npos ? name : name.substr(scope + 2);
  }

  /// A site whose message names the array.
  unsigned siteOf(Instruction &by, const Value &object) {
    SourcePosition at = sourcePositionOf(by);
    SiteInfo site{"access", "", at.function, at.file, at.line, at.column};
    if (isa<Argument>(object)) {
      site.message = object.getName().str();
    } else if (const auto *variable = dyn_cast<GlobalVariable>(&object)) {
      site.message = nameOf(*variable);
      Type *type = variable->getValueType();
      for (; type->isArrayTy(); type = type->getArrayElementType())
        site.arguments +=
            (site.arguments.empty() ? "" : ",") + std::to_string(type->getArrayNumElements());
      site.arguments = std::to_string(layout_.getTypeAllocSize(type)) + ":" + site.arguments;
    }
    return addSite(*f_.getParent(), site);
  }

  static Value *castToGeneric(IRBuilderBase &b, Value *pointer) {
    return b.CreateAddrSpaceCast(pointer, b.getPtrTy());
  }

  Value *storedBits(IRBuilderBase &b, const MadeAccess &made) {
    if (made.access.isHeap)
      return b.getInt64(
          layout_.getTypeAllocSize(cast<GlobalVariable>(objectOf(*made.address))->getValueType()));
    if (!made.access.hasValue)
      return b.getInt64(0);
    Value *value = cast<StoreInst>(made.by)->getValueOperand();
    Type *bits = b.getIntNTy(unsigned(value->getType()->getScalarSizeInBits()));
    return b.CreateZExt(b.CreateBitCast(value, bits), b.getInt64Ty());
  }

  void insertCheck(const MadeAccess &made) {
    IRBuilder<> b(made.by);
    const Value *object = objectOf(*made.address);
    Value *base =
        isa<Argument, GlobalVariable>(object) ? const_cast<Value *>(object) : made.address;
    Value *isValid = simt::call(b, Op::CheckAccess,
                                {b.getInt32(siteOf(*made.by, *object)),
                                 castToGeneric(b, made.address), castToGeneric(b, base), made.bytes,
                                 b.getInt32(made.access.encode()), storedBits(b, made)});
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

  void report(CallInst &call) {
    IRBuilder<> b(&call);
    IndexCheck check = IndexCheck::of(call);
    Instruction *then = SplitBlockAndInsertIfThen(emitFailureTest(b, check), &call, false);
    b.SetInsertPoint(then);
    simt::call(b, Op::CheckReport, {check.site, emitFirstOutOfBounds(b, check), check.high});
    call.eraseFromParent();
  }

  Function &f_;
  const DataLayout &layout_;
  SmallPtrSet<const Value *, 4> flags_;
};

} // namespace

PreservedAnalyses InsertAccessChecks::run(Function &f, FunctionAnalysisManager &am) {
  bool changed = Instrumentation(f, am.getResult<LoopAnalysis>(f)).run();
  f.removeFnAttr(Attribute::SanitizeThread);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
