#include "simt/ir/ops.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IntrinsicInst.h"

#include <cassert>

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr OpInfo table[] = {
#define SIMT_OP(id, name, result, operands, overloads, bound, properties, meaning)                 \
  {Op::id, name, result, operands, overloads, bound, properties, meaning},
#include "simt/ir/ops.def"
};

#define SIMT_OP(id, name, result, operands, overloads, bound, properties, meaning)                 \
  static_assert(!((properties) & Warp), "operations with the property Warp are SIMT_WARP_OP "      \
                                        "rows");
#define SIMT_WARP_OP(id, name, result, operands, overloads, bound, properties, meaning)            \
  static_assert((properties) & Warp, "SIMT_WARP_OP rows have the property Warp");
#include "simt/ir/ops.def"

const StringMap<Op> &opsByName() {
  static const StringMap<Op> map = [] {
    StringMap<Op> m;
    for (const OpInfo &row : table)
      m[row.name] = row.op;
    return m;
  }();
  return map;
}

bool takesPointer(const OpInfo &row) { return StringRef(row.operands).starts_with("P"); }

/// The LLVM type for a type word of ops.def.
Type *typeFromWord(StringRef word, LLVMContext &c, Type *overload, Type *pointer) {
  if (word == "T")
    return overload;
  if (word == "P")
    return pointer;
  if (word == "void")
    return Type::getVoidTy(c);
  if (word == "f32")
    return Type::getFloatTy(c);
  if (word == "f64")
    return Type::getDoubleTy(c);
  if (word == "ptr")
    return PointerType::get(c, Generic);
  if (word == "p3")
    return PointerType::get(c, Shared);
  assert(word.starts_with("i") && "a type word that ops.def does not define");
  unsigned bits = 0;
  word.drop_front().getAsInteger(10, bits);
  return Type::getIntNTy(c, bits);
}

std::string overloadSuffixOf(const Type *t) {
  if (t->isFloatTy())
    return "f32";
  if (t->isDoubleTy())
    return "f64";
  return "i" + utostr(t->getIntegerBitWidth());
}

std::string mangledName(const OpInfo &row, const Type *overload, const Type *pointer) {
  std::string name = row.name.str();
  if (!row.overloaded())
    return name;
  name += "." + overloadSuffixOf(overload);
  if (takesPointer(row))
    name += ".p" + utostr(pointer->getPointerAddressSpace());
  return name;
}

/// The smallest value of a bounded result: block and grid extents are at least 1, and a warp has 32 threads.
uint64_t smallestResultOf(Op op) {
  switch (op) {
  case Op::BlockDimX:
  case Op::BlockDimY:
  case Op::BlockDimZ:
  case Op::GridDimX:
  case Op::GridDimY:
  case Op::GridDimZ:
    return 1;
  case Op::WarpSize:
    return 32;
  default:
    return 0;
  }
}

void addAttributes(Function &f, const OpInfo &row) {
  f.setDoesNotThrow();
  if (row.has(Pure)) {
    f.setMemoryEffects(MemoryEffects::none());
    f.addFnAttr(Attribute::WillReturn);
    f.addFnAttr(Attribute::NoCallback);
    f.addFnAttr(Attribute::NoSync);
    f.addFnAttr(Attribute::NoFree);
    f.addFnAttr(Attribute::Speculatable);
  }
  if (row.has(ArgMemory)) {
    f.setMemoryEffects(MemoryEffects::argMemOnly(ModRefInfo::ModRef));
    f.addFnAttr(Attribute::WillReturn);
    f.addFnAttr(Attribute::NoCallback);
    f.addFnAttr(Attribute::NoFree);
  }
  if (row.has(Mark))
    f.addFnAttr(Attribute::WillReturn);
  if (row.has(Check) || row.has(Mark)) {
    f.setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    f.addFnAttr(Attribute::NoCallback);
    f.addFnAttr(Attribute::NoFree);
  }
  if (row.has(Convergent))
    f.addFnAttr(Attribute::Convergent);
  if (row.has(NoReturn)) {
    f.addFnAttr(Attribute::NoReturn);
    f.addFnAttr(Attribute::Cold);
  }
  if (row.bound && f.getReturnType()->isIntegerTy()) {
    unsigned bits = f.getReturnType()->getIntegerBitWidth();
    ConstantRange range(APInt(bits, smallestResultOf(row.op)), APInt(bits, row.bound));
    f.addRetAttr(Attribute::get(f.getContext(), Attribute::Range, range));
  }
}

} // namespace

const OpInfo &info(Op op) { return table[unsigned(op)]; }

ArrayRef<OpInfo> allOps() { return table; }

std::optional<Op> opNamed(StringRef name) {
  if (!name.starts_with("simt."))
    return std::nullopt;
  const StringMap<Op> &ops = opsByName();
  if (auto it = ops.find(name); it != ops.end())
    return info(it->second).overloaded() ? std::nullopt : std::optional(it->second);

  StringRef rest = name;
  StringRef space;
  if (name.ends_with(".p0") || name.ends_with(".p1") || name.ends_with(".p3"))
    std::tie(rest, space) = name.rsplit('.');
  auto [base, overload] = rest.rsplit('.');
  auto it = ops.find(base);
  if (it == ops.end())
    return std::nullopt;
  const OpInfo &row = info(it->second);
  SmallVector<StringRef, 4> allowed;
  row.overloads.split(allowed, ' ', -1, false);
  if (!is_contained(allowed, overload) || takesPointer(row) == space.empty())
    return std::nullopt;
  return row.op;
}

std::optional<Op> calledOp(const Value *v) {
  const auto *call = dyn_cast_or_null<CallInst>(v);
  if (!call)
    return std::nullopt;
  const Function *callee = call->getCalledFunction();
  return callee ? opNamed(callee->getName()) : std::nullopt;
}

bool computesFromOperands(const Instruction &i) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&i))
    return isTriviallyVectorizable(call->getIntrinsicID());
  if (std::optional<Op> op = calledOp(&i))
    return info(*op).has(Arithmetic);
  return isa<UnaryOperator, BinaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst,
             ExtractElementInst, InsertElementInst, ShuffleVectorInst>(i);
}

bool isWarpOperation(const Instruction &i) {
  std::optional<Op> op = calledOp(&i);
  return op && info(*op).has(Warp);
}

bool isNamedBarrier(Op op) {
  return op == Op::NamedBarrier || op == Op::NamedBarrierCount || op == Op::NamedBarrierArrive;
}

WarpOp toWarpOp(Op op) {
  assert(info(op).has(Warp) && "not a warp operation");
  return WarpOp(op);
}

Function *declare(Module &m, Op op, Type *overload, Type *pointer) {
  const OpInfo &row = info(op);
  std::string name = mangledName(row, overload, pointer);
  if (Function *f = m.getFunction(name))
    return f;
  LLVMContext &c = m.getContext();
  SmallVector<StringRef, 4> words;
  row.operands.split(words, ' ', -1, false);
  SmallVector<Type *, 4> operands;
  for (StringRef word : words)
    operands.push_back(typeFromWord(word, c, overload, pointer));
  Type *result = typeFromWord(row.result, c, overload, pointer);
  Function *f = Function::Create(FunctionType::get(result, operands, false),
                                 GlobalValue::ExternalLinkage, name, m);
  addAttributes(*f, row);
  return f;
}

Overload overloadOf(const OpInfo &row, ArrayRef<Type *> operands, Type *result) {
  Overload found;
  if (row.result == "T")
    found.type = result;
  SmallVector<StringRef, 4> words;
  row.operands.split(words, ' ', -1, false);
  for (auto [word, type] : zip(words, operands)) {
    if (word == "T")
      found.type = type;
    else if (word == "P")
      found.pointer = type;
  }
  return found;
}

CallInst *call(IRBuilderBase &b, Op op, ArrayRef<Value *> operands) {
  SmallVector<Type *, 4> types(map_range(operands, [](Value *v) { return v->getType(); }));
  auto [overload, pointer] = overloadOf(info(op), types);
  Module &m = *b.GetInsertBlock()->getModule();
  return b.CreateCall(declare(m, op, overload, pointer), operands);
}

} // namespace heddle::simt
