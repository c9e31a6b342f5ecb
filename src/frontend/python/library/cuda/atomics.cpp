// cuda.atomic: read-modify-write operations on an array element that return the old value.

#include "simt/passes/atomics.h"
#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/rows/typing_rules.h"

namespace heddle::python {
namespace {

using simt::Op;

/// The element types that an operation supports (CUDA's table of atomic functions).
enum Kinds { Summands, Halves, Numbers, ShortIntegers, Integers, Unsigned };

bool supportsType(Kinds kinds, Type t) {
  bool wide = t.isNumber() && t->bits >= 32;
  switch (kinds) {
  case Summands:
    return wide || t.isHalf();
  case Halves:
    return t == floatType(16);
  case Numbers:
    return wide;
  case ShortIntegers:
    return t.isInteger() && t->bits >= 16;
  case Integers:
    return wide && t.isInteger();
  case Unsigned:
    return wide && t.is(TypeKind::UInt);
  }
  return false;
}

const char *supportedTypes(Kinds kinds) {
  static const char *const names[] = {
      "int32, uint32, int64, uint64, float16, bfloat16, float32 or float64",
      "float16",
      "int32, uint32, int64, uint64, float32 or float64",
      "int16, uint16, int32, uint32, int64 or uint64",
      "int32, uint32, int64 or uint64",
      "uint32 or uint64"};
  return names[kinds];
}

/// Fails unless argument 0 is an array that the operation may modify.
void checkArray(CallTyping &t, Kinds kinds) {
  Type array = t.type(0);
  if (!array.isArray())
    t.failAt(0, std::string(t.row().displayName()) + " takes an array, not " + array.name(),
             "pass the array and the index: (ary, index, value)");
  if (array->readOnly)
    t.failAt(0, "cannot write to a read-only array",
             t.constant(0) ? "a global array is a constant of the kernel: pass it as an argument"
                           : "pass an array whose flags.writeable is True");
  if (array->packed)
    t.failAt(0,
             "the elements of this array may be unaligned, which atomic operations do not support",
             "make the dtype with np.dtype(..., align=True)");
  if (!supportsType(kinds, array->element)) {
    bool ofBits = kinds == Integers || kinds == ShortIntegers;
    t.failAt(0,
             std::string(t.row().displayName()) + " works on elements of type " +
                 supportedTypes(kinds) + ", not " + array->element.name(),
             ofBits && array->element.isFloat()
                 ? "pass the array's bits, as in array.view(np.int32)"
                 : "make the array of one of these types");
  }
}

/// Fails unless argument 1 selects one element of argument 0.
void checkIndex(CallTyping &t) {
  requireElementIndex(t, 0,
                      std::string(t.row().displayName()) + " needs one index for each dimension",
                      IndexKinds::Numbers);
}

template <Kinds kinds> Type typeAtomic(CallTyping &t) {
  checkArray(t, kinds);
  checkIndex(t);
  for (unsigned i = 2; i < t.argumentCount(); ++i)
    t.requireScalar(i);
  return t.type(0)->element;
}

Op selectAtomicOp(Op op, Type element) {
  bool isUnsigned = element.is(TypeKind::UInt);
  switch (op) {
  case Op::AtomicMin:
    return isUnsigned ? Op::AtomicUMin : op;
  case Op::AtomicMax:
    return isUnsigned ? Op::AtomicUMax : op;
  case Op::AtomicNanMin:
    return element.isFloat() ? op : isUnsigned ? Op::AtomicUMin : Op::AtomicMin;
  case Op::AtomicNanMax:
    return element.isFloat() ? op : isUnsigned ? Op::AtomicUMax : Op::AtomicMax;
  default:
    return op;
  }
}

llvm::Value *selectedElementAddress(CallEmission &c) {
  Value &array = *c.argument(0), &index = *c.argument(1);
  std::vector<IndexItem> items =
      parseIndex(c.e.function(), array.type, index, c.call.span, IndexKinds::Numbers);
  return elementAddress(c.e, array, items, index, c.spanOf(1));
}

/// cuda.atomic.add on a 16-bit float: a compare-and-swap loop.
llvm::Value *emitShortAdd(Emitter &e, llvm::ArrayRef<llvm::Value *> operands) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Type *type = operands[1]->getType();
  auto exchange = [&](llvm::Value *seen, llvm::Value *wanted) {
    llvm::Value *scope = e.int32(unsigned(simt::Scope::Device));
    return simt::call(b, Op::AtomicCas, {operands[0], seen, wanted, scope});
  };
  llvm::Value *first = exchange(b.getInt16(0), b.getInt16(0));
  auto *done =
      llvm::BasicBlock::Create(b.getContext(), "exchanged", b.GetInsertBlock()->getParent());
  llvm::Value *old = simt::emitCompareAndSwapLoop(
      b, first, done,
      [&](llvm::Value *seen) {
        llvm::Value *sum = b.CreateFAdd(b.CreateBitCast(seen, type), operands[1]);
        return b.CreateBitCast(sum, b.getInt16Ty());
      },
      exchange);
  b.SetInsertPoint(done);
  return b.CreateBitCast(old, type);
}

llvm::Value *emitAtomicOperation(Emitter &e, Op op, llvm::ArrayRef<llvm::Value *> operands) {
  if (operands[1]->getType()->isHalfTy() || operands[1]->getType()->isBFloatTy())
    return emitShortAdd(e, operands);
  llvm::SmallVector<llvm::Value *, 4> all(operands);
  all.push_back(e.int32(unsigned(simt::Scope::Device)));
  return simt::call(e.b, op, all);
}

Parts emitAtomic(CallEmission &c) {
  Type element = c.call.type;
  llvm::SmallVector<llvm::Value *, 3> operands{selectedElementAddress(c)};
  for (unsigned i = 2; i < c.argumentCount(); ++i)
    operands.push_back(c.scalar(i, element));
  return {emitAtomicOperation(c.e, selectAtomicOp(Op(c.row.data), element), operands)};
}

Type typeCompareAndSwap(CallTyping &t) {
  checkArray(t, ShortIntegers);
  if (t.type(0)->ndim != 1)
    t.failAt(0, "cuda.atomic.compare_and_swap takes a 1-D array", "cuda.atomic.cas takes an index");
  t.requireScalar(1);
  t.requireScalar(2);
  return t.type(0)->element;
}
Parts emitCompareAndSwap(CallEmission &c) {
  Type element = c.call.type;
  // The array may be empty.
  Parts parts = c.e.parts(*c.argument(0));
  ArrayParts array{parts, 1};
  if (c.e.checks().bounds)
    c.e.checkIndex(c.e.int64(0), c.e.int64(0), array.extent(0), c.call.span,
                   "index {index} is out of bounds for axis 0 of an array with size {extent}");
  return {emitAtomicOperation(c.e, Op::AtomicCas,
                              {parts[0], c.scalar(1, element), c.scalar(2, element)})};
}

#define ATOMIC(name, op, kinds, doc)                                                               \
  withWrites({"cuda.atomic." name, "(ary, idx, val)",                                              \
              "Atomically ary[idx] = " doc "; returns the old value.", typeAtomic<kinds>,          \
              emitAtomic, unsigned(Op::op)},                                                       \
             "ary")

const LibraryRow table[] = {
    ATOMIC("add", AtomicAdd, Summands, "ary[idx] + val"),
    ATOMIC("sub", AtomicSub, Numbers, "ary[idx] - val"),
    ATOMIC("min", AtomicMin, Numbers, "min(ary[idx], val)"),
    ATOMIC("max", AtomicMax, Numbers, "max(ary[idx], val)"),
    ATOMIC("nanmin", AtomicNanMin, Numbers, "min(ary[idx], val), ignoring a NaN"),
    ATOMIC("nanmax", AtomicNanMax, Numbers, "max(ary[idx], val), ignoring a NaN"),
    ATOMIC("and_", AtomicAnd, Integers, "ary[idx] & val"),
    ATOMIC("or_", AtomicOr, Integers, "ary[idx] | val"),
    ATOMIC("xor", AtomicXor, Integers, "ary[idx] ^ val"),
    ATOMIC("exch", AtomicExch, Numbers, "val"),
    ATOMIC("inc", AtomicInc, Unsigned, "0 if ary[idx] >= val else ary[idx] + 1"),
    ATOMIC("dec", AtomicDec, Unsigned, "val if ary[idx] == 0 or ary[idx] > val else ary[idx] - 1"),
    withWrites({"cuda.atomic.cas", "(ary, idx, old, val)",
                "Atomically: if ary[idx] == old: ary[idx] = val; returns the old value.",
                typeAtomic<ShortIntegers>, emitAtomic, unsigned(Op::AtomicCas)},
               "ary"),
    withWrites({"cuda.atomic.compare_and_swap", "(ary, old, val)",
                "Atomically: if ary[0] == old: ary[0] = val; returns the old value.",
                typeCompareAndSwap, emitCompareAndSwap},
               "ary"),
    withDifference(withWrites({"cuda.fp16.atomicAdd", "(ary, idx, val)",
                               "Atomically ary[idx] = ary[idx] + val; returns the old value.",
                               typeAtomic<Halves>, emitAtomic, unsigned(Op::AtomicAdd)},
                              "ary"),
                   "numba-cuda takes a pointer and a value"),
};

} // namespace

llvm::ArrayRef<LibraryRow> atomicLibrary() { return table; }

} // namespace heddle::python
