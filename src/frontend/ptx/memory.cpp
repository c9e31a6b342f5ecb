// Memory, except copies (PTX ISA 9.0, 9.7.9 and 9.7.13). Addresses are generic for all state spaces except the shared window,
// in which they are relative to the start of the block's shared memory.
#include "frontend/ptx/memory.h"

#include "frontend/ptx/mbarriers.h"
#include "simt/check/memory_accesses.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

/// The memory ordering of an access, from the opcode's words.
struct Order {
  explicit Order(Step &s)
      : s(s),
        kind(s.takeOneOf({"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"})),
        scope(s.takeOneOf({"cta", "cluster", "gpu", "sys"})) {}

  bool isStrong() const { return !kind.empty() && kind != "weak"; } // each time, in this order
  bool isAtomic() const { return isStrong() && kind != "volatile"; }
  void fenceBefore() const {
    if (kind == "release" || kind == "acq_rel")
      emitFence();
  }
  void fenceAfter() const {
    if (kind == "acquire" || kind == "acq_rel")
      emitFence();
  }
  void emitFence() const { emitScopedFence(s, scope); }

  Step &s;
  StringRef kind, scope;
};

/// Skips cache hints, which do not affect results. A cache policy is an operand after the `operands` others.
void skipCacheHints(Step &s, size_t operands) {
  s.takeOneOf({"ca", "cg", "cs", "lu", "wb", "wt"});
  s.takeWord("nc");
  s.takeOneOf({"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last",
               "L1::no_allocate"});
  s.takeOneOf({"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  s.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  s.takeWord("unified");
  if (s.takeWord("L2::cache_hint"))
    ++operands;
  if (s.count() != operands)
    s.refuse("the instruction does not take " + std::to_string(s.count()) + " operands");
}

/// A cache policy, which has no effect.
void createPolicy(Step &s) {
  s.takeOneOf({"fractional", "range", "cvt"});
  s.takeOneOf({"global", "L2"});
  s.takeOneOf({"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"});
  s.takeOneOf({"L2::evict_first", "L2::evict_unchanged"}); // for the other accesses
  ScalarType type = s.takeType();
  s.writeResult(s.makeConstant(type, 0), type);
}

/// Returns true for a store or atomic that completes a transfer of its bytes: the mbarrier is the last operand.
bool takeCompletion(Step &s) {
  return s.takeWord("async") && s.takeWord("mbarrier::complete_tx::bytes");
}

/// The registers of an access: the elements of a vector, or a single register.
ArrayRef<Operand> takeAccessRegisters(Step &s, size_t n) {
  StringRef vector = s.takeOneOf({"v2", "v4", "v8"});
  ArrayRef<Operand> all = s.registers(n);
  size_t wanted = vector.empty() ? 1 : size_t(vector[1] - '0');
  if (all.size() != wanted || (s.operand(n).form == Operand::Vector) == vector.empty())
    s.refuse("the operand is " + std::to_string(wanted) + " register" +
             (wanted > 1 ? "s in {...}" : ""));
  return all;
}

ScalarType takeAccessType(Step &s) {
  ScalarType type = s.takeType();
  if (type.kind == ScalarType::Predicate || type.lanes > 1 || type.kind == ScalarType::BFloat)
    s.refuse("this instruction does not support this type");
  return type;
}

Value *emitElementAddress(Step &s, Value *pointer, ScalarType type, size_t n) {
  return n ? s.b.CreateConstGEP1_64(s.llvmType(type), pointer, n) : pointer;
}

void ld(Step &s) {
  Order order(s);
  bool again = s.takeWord("cv") || order.isStrong();
  StringRef space = takeSpace(s);
  skipCacheHints(s, 2);
  ScalarType type = takeAccessType(s);
  ArrayRef<Operand> to = takeAccessRegisters(s, 0);
  Value *pointer = s.readAddress(1, space);
  SmallVector<Value *, 8> values;
  for (size_t n = 0; n < to.size(); ++n) {
    LoadInst *load = s.b.CreateAlignedLoad(
        s.llvmType(type), emitElementAddress(s, pointer, type, n), Align(type.bits() / 8), again);
    if (order.isAtomic())
      simt::markAtomic(*load);
    values.push_back(load);
  }
  order.fenceAfter();
  for (size_t n = 0; n < to.size(); ++n)
    s.write(to[n], values[n], type, /*maybeWider=*/true);
}

void st(Step &s) {
  Order order(s);
  StringRef space = takeSpace(s);
  bool completes = takeCompletion(s);
  skipCacheHints(s, completes ? 3 : 2);
  ScalarType type = takeAccessType(s);
  ArrayRef<Operand> from = takeAccessRegisters(s, 1);
  Value *pointer = s.readAddress(0, space);
  order.fenceBefore();
  for (size_t n = 0; n < from.size(); ++n) {
    StoreInst *store = s.b.CreateAlignedStore(s.read(from[n], type, /*maybeWider=*/true),
                                              emitElementAddress(s, pointer, type, n),
                                              Align(type.bits() / 8), order.isStrong());
    if (order.isAtomic())
      simt::markAtomic(*store);
  }
  if (completes)
    emitTransferCompletion(s, 2, s.b.getInt32(unsigned(from.size()) * type.bits() / 8));
}

} // namespace

StringRef takeSpace(Step &s) {
  StringRef space =
      s.takeOneOf({"global", "shared", "shared::cta", "shared::cluster", "local", "const"});
  return space.starts_with("shared") ? "shared" : space;
}

bool isBlockScope(StringRef scope) { return scope == "cta" || scope == "cluster"; }

void emitScopedFence(Step &s, StringRef scope) {
  s.emitOperation(isBlockScope(scope) ? simt::Op::FenceBlock
                  : scope == "sys"    ? simt::Op::FenceSystem
                                      : simt::Op::FenceDevice,
                  {});
}

namespace {

std::optional<simt::Op> selectAtomicOperation(StringRef name, ScalarType type) {
  using simt::Op;
  bool isUnsigned = !type.isSigned();
  if (name == "add")
    return Op::AtomicAdd;
  if (type.kind == ScalarType::Float)
    return std::nullopt;
  if (name == "min" || name == "max") {
    if (type.kind == ScalarType::Bits)
      return std::nullopt;
    return name == "min" ? (isUnsigned ? Op::AtomicUMin : Op::AtomicMin)
                         : (isUnsigned ? Op::AtomicUMax : Op::AtomicMax);
  }
  if (name == "inc" || name == "dec")
    return name == "inc" ? Op::AtomicInc : Op::AtomicDec;
  if (name == "and")
    return Op::AtomicAnd;
  if (name == "or")
    return Op::AtomicOr;
  if (name == "xor")
    return Op::AtomicXor;
  if (name == "exch")
    return Op::AtomicExch;
  if (name == "cas")
    return Op::AtomicCas;
  return std::nullopt;
}

bool isShortFloat(ScalarType type) { return type.isFloat() && type.laneBits == 16; }

/// Adds 16-bit floats: one, or the two of a word.
Value *emitAddOfShortFloats(Step &s, ScalarType type, Value *pointer, Value *v, simt::Scope scope) {
  Type *bits = s.bitsType(type.bits()), *value = s.llvmType(type);
  Value *old = emitAtomicUpdate(s, pointer, type.bits(), scope, [&](Value *old) {
    Value *sum = s.mapLanes(type, {s.b.CreateBitCast(old, value), v}, [&](ArrayRef<Value *> lanes) {
      return s.b.CreateFAdd(lanes[0], lanes[1]);
    });
    return s.b.CreateBitCast(sum, bits);
  });
  return s.b.CreateBitCast(old, value);
}

} // namespace

Value *emitAtomicUpdate(Step &s, Value *pointer, unsigned bits, simt::Scope scope,
                        function_ref<Value *(Value *)> compute) {
  LoadInst *first = s.b.CreateAlignedLoad(s.bitsType(bits), pointer, Align(bits / 8));
  simt::markAtomic(*first);
  BasicBlock *loop = s.frame.makeBlock("update"), *done = s.frame.makeBlock("updated");
  BasicBlock *before = s.b.GetInsertBlock();
  s.frame.branchToAndContinueAt(loop);
  PHINode *old = s.b.CreatePHI(s.bitsType(bits), 2);
  Value *seen = s.emitOperation(simt::Op::AtomicCas,
                                {pointer, old, compute(old), s.b.getInt32(unsigned(scope))});
  old->addIncoming(first, before);
  old->addIncoming(seen, s.b.GetInsertBlock());
  s.b.CreateCondBr(s.b.CreateICmpEQ(seen, old), done, loop);
  s.b.SetInsertPoint(done);
  return old;
}

Value *emitAtomicOperation(Step &s, StringRef name, ScalarType type, Value *pointer,
                           ArrayRef<Value *> values, simt::Scope scope) {
  std::optional<simt::Op> op = selectAtomicOperation(name, type);
  bool addsShortFloats = name == "add" && isShortFloat(type);
  if (!op || (type.laneBits < 32 && !addsShortFloats))
    s.refuse("this instruction does not support this type");
  if (addsShortFloats)
    return emitAddOfShortFloats(s, type, pointer, values[0], scope);
  SmallVector<Value *, 4> all{pointer};
  append_range(all, values);
  all.push_back(s.b.getInt32(unsigned(scope)));
  return s.emitOperation(*op, all);
}

namespace {

Value *emitAtomic(Step &s, size_t firstOperand, ScalarType &type) {
  Order order(s);
  StringRef space = takeSpace(s);
  StringRef name =
      s.takeOneOf({"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  s.takeWord("noftz");
  type = s.takeType();
  size_t operands = name == "cas" ? 3 : 2;
  size_t given = s.count() - (s.takeWord("L2::cache_hint") ? 1 : 0);
  bool completes = takeCompletion(s);
  if (given != firstOperand + operands + completes)
    s.refuse("the instruction does not take " + std::to_string(s.count()) + " operands");
  Value *pointer = s.readAddress(firstOperand, space);
  simt::Scope scope = isBlockScope(order.scope) ? simt::Scope::Block
                      : order.scope == "sys"    ? simt::Scope::System
                                                : simt::Scope::Device;
  SmallVector<Value *, 2> values;
  for (size_t n = 1; n < operands; ++n)
    values.push_back(s.readInput(firstOperand + n, type));
  order.fenceBefore();
  Value *old = emitAtomicOperation(s, name, type, pointer, values, scope);
  order.fenceAfter();
  if (completes)
    emitTransferCompletion(s, firstOperand + operands, s.b.getInt32(type.bits() / 8));
  return old;
}

void atom(Step &s) {
  ScalarType type;
  Value *old = emitAtomic(s, 1, type);
  s.writeResult(old, type);
}

void red(Step &s) {
  ScalarType type;
  emitAtomic(s, 0, type);
}

void cvta(Step &s) {
  bool toSpace = s.takeWord("to");
  StringRef space = takeSpace(s);
  ScalarType type = s.takeType();
  if (space.empty() || type.bits() < 32)
    s.refuse("cvta needs a state space, and .u64 or .u32");
  if (space != "shared") {
    if (type.bits() != 64)
      s.refuse("addresses have 64 bits");
    return s.writeResult(s.readInput(1, type), type);
  }
  Value *v = s.readInput(1, type);
  Type *wide = s.b.getInt64Ty();
  if (toSpace) {
    Value *start = s.b.CreatePtrToInt(s.emitSharedStart(), wide);
    Value *offset = s.b.CreateSub(s.b.CreateZExt(v, wide), start);
    return s.writeResult(s.b.CreateTrunc(offset, v->getType()), type);
  }
  if (type.bits() != 64)
    s.refuse("generic addresses have 64 bits");
  Value *offset = s.b.CreateZExt(s.b.CreateTrunc(v, s.b.getInt32Ty()), wide);
  s.writeResult(s.b.CreateGEP(s.b.getInt8Ty(), s.emitSharedStart(), offset), type);
}

/// True if an address lies in [start, end).
Value *emitIsInRange(Step &s, Value *address, Value *start, Value *end) {
  Type *wide = s.b.getInt64Ty();
  Value *first = s.b.CreatePtrToInt(start, wide), *last = s.b.CreatePtrToInt(end, wide);
  return s.b.CreateICmpULT(s.b.CreateSub(address, first), s.b.CreateSub(last, first));
}

Value *emitIsShared(Step &s, Value *address) {
  Value *dynamic =
      s.b.CreateAddrSpaceCast(s.emitOperation(simt::Op::DynamicShared, {}), s.b.getPtrTy());
  Value *size = s.emitOperation(simt::Op::DynamicSharedSize, {});
  return emitIsInRange(s, address, s.emitSharedStart(),
                       s.b.CreateGEP(s.b.getInt8Ty(), dynamic, size));
}

Value *emitIsConstant(Step &s, Value *address) {
  Value *any = s.b.getFalse();
  for (GlobalVariable &g : s.frame.enclosing.function.getParent()->globals()) {
    if (g.getAddressSpace() != simt::Constant)
      continue;
    Value *start = s.b.CreateAddrSpaceCast(&g, s.b.getPtrTy());
    uint64_t bytes = g.getDataLayout().getTypeAllocSize(g.getValueType());
    any = s.b.CreateOr(any, emitIsInRange(s, address, start,
                                          s.b.CreateConstGEP1_64(s.b.getInt8Ty(), start, bytes)));
  }
  return any;
}

/// Tests for a thread-private variable. It is in the thread's stack or frame, and distinguishable from other memory
/// only if the code shows the variable.
Value *emitIsLocal(Step &s, const Operand &o) {
  if (o.form != Operand::Argument || o.index >= s.frame.assembly.operands.size())
    return s.b.getFalse();
  Value *v = s.frame.assembly.operands[o.index].input;
  while (auto *i = dyn_cast_or_null<llvm::Instruction>(v)) {
    if (isa<AllocaInst>(i))
      return s.b.getTrue();
    if (!isa<CastInst>(i) && !isa<GetElementPtrInst>(i))
      break;
    v = i->getOperand(0);
  }
  return s.b.getFalse();
}

void isspacep(Step &s) {
  StringRef space = takeSpace(s);
  ScalarType address{ScalarType::Unsigned, 64};
  Value *v = s.readInput(1, address), *result = nullptr;
  if (space == "shared")
    result = emitIsShared(s, v);
  else if (space == "const")
    result = emitIsConstant(s, v);
  else if (space == "local")
    result = emitIsLocal(s, s.operand(1));
  else if (space == "global")
    result = s.b.CreateNot(s.b.CreateOr(s.b.CreateOr(emitIsShared(s, v), emitIsConstant(s, v)),
                                        emitIsLocal(s, s.operand(1))));
  else
    s.refuse("isspacep needs a state space");
  s.writePredicates(result, nullptr);
}

/// A hint: no code.
void prefetch(Step &s) {
  StringRef space = takeSpace(s);
  s.takeOneOf({"L1", "L2"});
  s.takeOneOf({"L2::evict_last", "L2::evict_normal"});
  s.readAddress(0, space);
}

/// Proxies are different paths to memory, such as those of asynchronous copies. CPUs have only one. Returns true for a
/// fence between proxies that orders no accesses of other threads.
bool takeProxy(Step &s) {
  if (!s.takeWord("proxy"))
    return false;
  if (s.takeWord("async::generic")) // with a scope
    return false;
  if (s.takeOneOf({"alias", "async"}).empty())
    s.refuse("tensor maps are supported only on GPUs");
  s.takeOneOf({"global", "shared::cta", "shared::cluster"});
  return true;
}

void fence(Step &s) {
  if (takeProxy(s))
    return;
  s.takeWord("mbarrier_init");
  s.takeOneOf({"sc", "acq_rel", "acquire", "release"});
  s.takeOneOf({"sync_restrict::shared::cta", "sync_restrict::shared::cluster"});
  StringRef scope = s.takeOneOf({"cta", "cluster", "gl", "gpu", "sys"});
  if (scope.empty())
    s.refuse("a fence needs .cta, .cluster, .gpu or .sys");
  emitScopedFence(s, scope);
}

} // namespace

ArrayRef<Row> memoryInstructions() {
  static const Row rows[] = {
      {"ld", 2, 3, ld},
      {"ldu", 2, 2, ld},
      {"st", 2, 3, st},
      {"atom", 3, 5, atom},
      {"red", 2, 3, red},
      {"createpolicy", 1, 5, createPolicy},
      {"cvta", 2, 2, cvta},
      {"isspacep", 2, 2, isspacep},
      {"prefetch", 1, 1, prefetch},
      {"prefetchu", 1, 1, prefetch},
      {"fence", 0, 2, fence},
      {"membar", 0, 0, fence},
  };
  return rows;
}

} // namespace heddle::ptx
