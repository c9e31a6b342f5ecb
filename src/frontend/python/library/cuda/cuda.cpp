// The names of `numba.cuda` in kernels, except for atomics.

#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/dtypes.h"
#include "frontend/python/rows/typing_rules.h"
#include "frontend/python/types/overloads.h"
#include "frontend/python/types/records.h"

#include <limits>

namespace heddle::python {
namespace {

using simt::Op;

// Thread positions.

Type typeInt32(CallTyping &) { return int32Type(); }
Parts emitSpecialRegister(CallEmission &c) { return {simt::call(c.b, Op(c.row.data), {})}; }

/// The number of dimensions that grid(n) and gridsize(n) request.
unsigned requireDimensionCount(CallTyping &t) {
  const Constant *n = t.constant(0);
  if (!n || n->kind != ConstantKind::Int || n->integer < 1 || n->integer > 3)
    t.failAt(0, std::string(t.row().displayName()) + "() takes 1, 2 or 3 as a literal",
             n && n->kind == ConstantKind::Int
                 ? "a grid has at most three dimensions"
                 : "write a literal, because it determines the number of indices",
             n ? ErrorKind::Constant : ErrorKind::Typing);
  return n->integer;
}
Type typeGrid(CallTyping &t) {
  unsigned n = requireDimensionCount(t);
  return n == 1 ? int64Type() : tupleType(std::vector<Type>(n, int64Type()));
}

constexpr Op threadIndex[] = {Op::ThreadIdX, Op::ThreadIdY, Op::ThreadIdZ};
constexpr Op blockIndex[] = {Op::BlockIdX, Op::BlockIdY, Op::BlockIdZ};
constexpr Op blockExtent[] = {Op::BlockDimX, Op::BlockDimY, Op::BlockDimZ};
constexpr Op gridExtent[] = {Op::GridDimX, Op::GridDimY, Op::GridDimZ};

llvm::Value *emitIndexAsInt64(llvm::IRBuilder<> &b, Op op) {
  return b.CreateZExt(simt::call(b, op, {}), b.getInt64Ty(), "", /*IsNonNeg=*/true);
}
// Neither product can overflow: launch limits keep it below 2^42.
Parts emitGrid(CallEmission &c) {
  Parts out;
  for (int axis = 0; axis < c.argument(0)->constant->integer; ++axis) {
    llvm::Value *base = c.b.CreateMul(emitIndexAsInt64(c.b, blockIndex[axis]),
                                      emitIndexAsInt64(c.b, blockExtent[axis]), "", true, true);
    out.push_back(c.b.CreateAdd(base, emitIndexAsInt64(c.b, threadIndex[axis]), "", true, true));
  }
  return out;
}
Parts emitGridSize(CallEmission &c) {
  Parts out;
  for (int axis = 0; axis < c.argument(0)->constant->integer; ++axis)
    out.push_back(c.b.CreateMul(emitIndexAsInt64(c.b, gridExtent[axis]),
                                emitIndexAsInt64(c.b, blockExtent[axis]), "", true, true));
  return out;
}

// Barriers and fences.

Type returnNoneType(CallTyping &) { return noneType(); }
/// The site of a barrier names the operation: in CUDA, barriers of one kind synchronize with each other
/// (docs/simt_ir.md).
llvm::Value *addBarrierSite(CallEmission &c, Op barrier) {
  return c.e.int32(
      c.e.module().addSite(c.e.function(), c.call.span, "barrier", simt::info(barrier).name.str()));
}
Parts emitBarrier(CallEmission &c) {
  simt::call(c.b, Op::Barrier, {addBarrierSite(c, Op::Barrier)});
  return {};
}
Type typeThisGrid(CallTyping &) { return gridType(); }
Parts emitThisGrid(CallEmission &) { return {}; }
Parts emitGridBarrier(CallEmission &c) {
  simt::call(c.b, Op::GridBarrier, {addBarrierSite(c, Op::GridBarrier)});
  return {c.e.int32(0)};
}
Type typeBarrierVote(CallTyping &t) {
  t.requireInteger(0);
  return int32Type();
}
Parts emitBarrierVote(CallEmission &c) {
  Op barrier = Op(c.row.data);
  return {simt::call(c.b, barrier, {addBarrierSite(c, barrier), c.scalar(0, boolType())})};
}
Parts emitSimtOperation(CallEmission &c) {
  simt::call(c.b, Op(c.row.data), {});
  return {};
}
Type typeSleep(CallTyping &t) {
  t.requireScalar(0);
  return noneType();
}
Parts emitSleep(CallEmission &c) {
  simt::call(c.b, Op::Sleep,
             {c.e.convertToInteger(*c.argument(0), intType(32, false), c.spanOf(0), "ns")});
  return {};
}

// Shared and local memory.

/// The extents in a shape argument.
std::vector<int64_t> requireConstantShape(CallTyping &t, unsigned i) {
  const Constant *c = t.constant(i);
  std::vector<Constant> items =
      c && c->kind == ConstantKind::Tuple ? c->items : std::vector<Constant>{};
  if (c && c->kind == ConstantKind::Int)
    items = {*c};
  bool isScalarShape = c && c->kind == ConstantKind::Tuple && items.empty();
  if (items.empty() && !isScalarShape)
    t.failAt(
        i, std::string("the shape of ") + t.row().name + " must be a constant",
        t.row().meaning == Meaning::SharedArray
            ? "use a literal or a global; for a size known at launch use shared.array(0, dtype) "
              "and the launch's fourth argument"
            : "use a literal or a global: its value is needed at compile time");
  std::vector<int64_t> shape;
  uint64_t total = 1;
  for (const Constant &item : items) {
    bool dynamic =
        items.size() == 1 && item.integer == 0 && t.row().meaning == Meaning::SharedArray;
    if (item.kind != ConstantKind::Int)
      t.failAt(i, std::string("the shape of ") + t.row().name + " must be integers");
    if (item.integer <= 0 && !dynamic)
      t.failAt(
          i, "array length " + std::to_string(item.integer) + " is not positive",
          item.integer == 0 && t.row().meaning == Meaning::SharedArray
              ? "only the 1-D shape 0 gets its length from the launch's fourth argument; other "
                "extents must be 1 or more"
              : "every extent must be 1 or more",
          ErrorKind::Constant);
    if (__builtin_mul_overflow(total, uint64_t(item.integer), &total) ||
        total > (uint64_t(1) << 31))
      t.failAt(i, std::string("this ") + t.row().name + " is too large");
    shape.push_back(item.integer);
  }
  return shape;
}

uint64_t requireConstantAlignment(CallTyping &t, unsigned i) {
  const Constant *c = t.constant(i);
  if (!t.argument(i) || (c && c->kind == ConstantKind::None))
    return 16;
  if (!c || c->kind != ConstantKind::Int)
    t.failAt(i, "alignment must be a constant integer", "", ErrorKind::Constant);
  int64_t n = c->integer;
  if (n < 8 || n > 4096 || (n & (n - 1)))
    t.failAt(i, "alignment must be a power of two from 8 to 4096, not " + std::to_string(n), "",
             ErrorKind::Constant);
  return n;
}

/// The type of an array with that shape, argument `place` of the call. Argument 2 is the alignment.
Type makeArrayType(CallTyping &t, simt::AddressSpace space, llvm::ArrayRef<int64_t> shape,
                   Type element, unsigned place) {
  uint64_t alignment = requireConstantAlignment(t, 2);
  if (element.isRecord())
    element = recordTypeAsArrayElement(element, std::min<uint64_t>(alignment, 16));
  uint64_t bytes = element->bytes();
  for (int64_t extent : shape) // at most 2^31 elements
    if (__builtin_mul_overflow(bytes, uint64_t(extent), &bytes) || bytes > uint64_t(1) << 34)
      t.failAt(place, std::string("this ") + t.row().name + " is too large");
  return arrayType(element, shape.size(), {.space = space});
}
template <simt::AddressSpace space> Type typeSharedOrLocalArray(CallTyping &t) {
  std::vector<int64_t> shape = requireConstantShape(t, 0);
  return makeArrayType(t, space, shape, parseDtype(t, 1), 0);
}

/// Takes its arguments in CuPy's order. A size of None denotes dynamic shared memory.
Type typeSharedMemory(CallTyping &t) {
  Type element = parseDtype(t, 0);
  const Constant *size = t.constant(1);
  bool dynamic = size && size->kind == ConstantKind::None;
  std::vector<int64_t> shape = dynamic ? std::vector<int64_t>{0} : requireConstantShape(t, 1);
  return makeArrayType(t, simt::Shared, shape, element, 1);
}

struct ArrayRequest {
  std::vector<int64_t> shape;
  uint64_t count = 1;
  uint64_t alignment = 16;
};
/// The request for an array whose shape is argument `place`.
ArrayRequest makeArrayRequest(CallEmission &c, unsigned place) {
  ArrayRequest r;
  const Constant &shape = *c.argument(place)->constant;
  if (shape.kind == ConstantKind::None)
    r.shape.push_back(0);
  else if (shape.kind == ConstantKind::Tuple)
    for (const Constant &item : shape.items)
      r.shape.push_back(item.integer);
  else
    r.shape.push_back(shape.integer);
  for (int64_t extent : r.shape)
    r.count *= extent;
  if (Value *alignment = c.argument(2); alignment && alignment->constant->kind == ConstantKind::Int)
    r.alignment = alignment->constant->integer;
  return r;
}

Parts emitSharedArray(CallEmission &c) {
  ArrayRequest r = makeArrayRequest(c, c.row.data);
  Type element = c.call.type->element;
  llvm::LLVMContext &context = c.b.getContext();
  if (r.count == 0) { // dynamic shared memory
    llvm::Value *bytes = simt::call(c.b, Op::DynamicSharedSize, {});
    llvm::Value *extent = c.b.CreateUDiv(bytes, c.e.int64(element->bytes()));
    return {simt::call(c.b, Op::DynamicShared, {}), extent, c.e.int64(element->bytes())};
  }
  llvm::Type *type = llvm::ArrayType::get(memoryType(context, element), r.count);
  auto *global =
      new llvm::GlobalVariable(c.e.module().module(), type, /*isConstant=*/false,
                               llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(type),
                               "shared", nullptr, llvm::GlobalValue::NotThreadLocal, simt::Shared);
  global->setAlignment(llvm::Align(r.alignment));
  return makeConstantShapeArray(c.e, global, r.shape, element);
}

Parts emitLocalArray(CallEmission &c) {
  ArrayRequest r = makeArrayRequest(c, 0);
  Type element = c.call.type->element;
  llvm::AllocaInst *slot =
      c.e.makeStackSlot(memoryType(c.b.getContext(), element), r.count, llvm::Align(r.alignment));
  return makeConstantShapeArray(c.e, slot, r.shape, element);
}

Type typeConstArrayLike(CallTyping &t) {
  if (!t.type(0).isArray()) // a value that is not constant stays as it is
    t.failAt(0, "cuda.const.array_like takes an array",
             "the contents of a global become part of the compiled kernel");
  return t.type(0);
}
Parts emitConstArrayLike(CallEmission &c) { return c.e.parts(*c.argument(0)); }

// Arithmetic.

Type typeSelect(CallTyping &t) {
  t.requireScalar(0);
  t.requireScalar(1);
  t.requireScalar(2);
  Type type = unify(t.type(1), t.type(2));
  return type.isBool() ? int64Type() : type;
}
Parts emitSelect(CallEmission &c) {
  Type type = c.call.type;
  return {c.b.CreateSelect(c.scalar(0, boolType()), c.scalar(1, type), c.scalar(2, type))};
}

Type typeFma(CallTyping &t) {
  for (unsigned i = 0; i < 3; ++i)
    t.requireScalar(i);
  return bestCommonType({t.type(0), t.type(1), t.type(2)}, {float32Type(), float64Type()});
}
Parts emitFma(CallEmission &c) {
  Type type = c.call.type;
  llvm::Value *x = c.scalar(0, type);
  return {c.b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()},
                              {x, c.scalar(1, type), c.scalar(2, type)})};
}

Type typeCbrt(CallTyping &t) {
  t.requireScalar(0);
  return bestCommonType({t.type(0)}, {float32Type(), float64Type()});
}
Parts emitCbrt(CallEmission &c) { return {callMath(c.e, Op::Cbrt, {c.scalar(0, c.call.type)})}; }

// Bits.

/// The integer type for bit operations. Bools and floats convert to int8, the first signature.
Type bitsType(Type t) {
  return bestCommonType({t}, {intType(8), intType(16), int32Type(), int64Type(), intType(8, false),
                              intType(16, false), intType(32, false), intType(64, false)});
}
Type typeBits(CallTyping &t) {
  t.requireScalar(0);
  return bitsType(t.type(0));
}
/// Uses the low 32 bits of an int64: only a uint64 has 64.
Type typeBitReverse(CallTyping &t) {
  t.requireScalar(0);
  return bestCommonType({t.type(0)}, {intType(32, false), intType(64, false)});
}
/// Converts the argument to the integer type of the function.
llvm::Value *emitIntegerArgument(CallEmission &c, Type type) {
  return c.e.convertToInteger(*c.argument(0), type, c.spanOf(0),
                              "the argument of " + std::string(c.row.displayName()));
}
Type typeFfs(CallTyping &t) {
  t.requireInteger(0);
  return intType(32, false);
}
Parts emitPopc(CallEmission &c) {
  return {c.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, emitIntegerArgument(c, c.call.type))};
}
Parts emitBitReverse(CallEmission &c) {
  return {
      c.b.CreateUnaryIntrinsic(llvm::Intrinsic::bitreverse, emitIntegerArgument(c, c.call.type))};
}
Parts emitClz(CallEmission &c) {
  return {c.b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, emitIntegerArgument(c, c.call.type),
                                    c.b.getFalse())};
}
/// One plus the position of the lowest set bit; 0 if no bit is set.
Parts emitFfs(CallEmission &c) {
  Type type = bitsType(c.argument(0)->type);
  llvm::Value *v = c.scalar(0, type);
  llvm::Value *nil = llvm::ConstantInt::get(v->getType(), 0);
  llvm::Value *place = c.b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, v, c.b.getFalse());
  llvm::Value *found = c.b.CreateAdd(
      cast(c.e, place, intType(type->bits, false), intType(32, false)), c.b.getInt32(1));
  return {c.b.CreateSelect(c.b.CreateICmpEQ(v, nil), c.b.getInt32(0), found)};
}

#define INDEX(name, op, doc)                                                                       \
  {"cuda." name, "", doc, typeInt32, emitSpecialRegister, unsigned(Op::op), true}

constexpr LibraryRow withGridPosition(LibraryRow row) {
  return withConstantArguments(withMeaning(row, Meaning::GridPosition));
}
constexpr LibraryRow withArrayMeaning(LibraryRow row, Meaning array) {
  return withConstantArguments(withMeaning(row, array));
}

const LibraryRow table[] = {
    INDEX("threadIdx.x", ThreadIdX, "Index of the thread in its block along x."),
    INDEX("threadIdx.y", ThreadIdY, "Index of the thread in its block along y."),
    INDEX("threadIdx.z", ThreadIdZ, "Index of the thread in its block along z."),
    INDEX("blockIdx.x", BlockIdX, "Index of the block in the grid along x."),
    INDEX("blockIdx.y", BlockIdY, "Index of the block in the grid along y."),
    INDEX("blockIdx.z", BlockIdZ, "Index of the block in the grid along z."),
    INDEX("blockDim.x", BlockDimX, "The number of threads per block along x."),
    INDEX("blockDim.y", BlockDimY, "The number of threads per block along y."),
    INDEX("blockDim.z", BlockDimZ, "The number of threads per block along z."),
    INDEX("gridDim.x", GridDimX, "The number of blocks in the grid along x."),
    INDEX("gridDim.y", GridDimY, "The number of blocks in the grid along y."),
    INDEX("gridDim.z", GridDimZ, "The number of blocks in the grid along z."),
    INDEX("laneid", LaneId, "The index of the thread in its warp, its lane."),
    INDEX("warpsize", WarpSize, "The number of threads in a warp: 32."),
    {"jit.laneid", "()", "The index of the thread in its warp, its lane.", typeInt32,
     emitSpecialRegister, unsigned(Op::LaneId), true},
    withGridPosition({"cuda.grid", "(ndim)",
                      "The index of the thread in the grid: an int64, or a tuple of ndim int64.",
                      typeGrid, emitGrid, 0, true}),
    withGridPosition({"cuda.gridsize", "(ndim)",
                      "The number of threads in the grid: an int64, or a tuple of ndim int64.",
                      typeGrid, emitGridSize, 0, true}),
    {"cuda.syncthreads", "()", "Waits until all live threads of the block have arrived.",
     returnNoneType, emitBarrier},
    {"cuda.syncthreads_count", "(predicate)",
     "syncthreads() that returns the number of threads whose predicate is true.", typeBarrierVote,
     emitBarrierVote, unsigned(Op::BarrierCount), true},
    {"cuda.syncthreads_and", "(predicate)",
     "syncthreads() that returns 1 if every thread's predicate is true, else 0.", typeBarrierVote,
     emitBarrierVote, unsigned(Op::BarrierAnd), true},
    {"cuda.syncthreads_or", "(predicate)",
     "syncthreads() that returns 1 if any thread's predicate is true, else 0.", typeBarrierVote,
     emitBarrierVote, unsigned(Op::BarrierOr), true},
    {"cuda.cg.this_grid", "()",
     "The group of all threads of the launch. All blocks of a kernel that calls it run "
     "concurrently.",
     typeThisGrid, emitThisGrid},
    {"cuda.cg.GridGroup.sync", "()",
     "this_grid().sync(): waits until all threads of the grid have arrived; none may have "
     "returned. Returns 0.",
     typeInt32, emitGridBarrier},
    {"cuda.threadfence", "()", "Orders this thread's memory accesses for the whole device.",
     returnNoneType, emitSimtOperation, unsigned(Op::FenceDevice)},
    {"cuda.threadfence_block", "()", "Orders this thread's memory accesses for its block.",
     returnNoneType, emitSimtOperation, unsigned(Op::FenceBlock)},
    {"cuda.threadfence_system", "()",
     "Orders this thread's memory accesses for the host and all devices.", returnNoneType,
     emitSimtOperation, unsigned(Op::FenceSystem)},
    {"cuda.nanosleep", "(ns)", "Lets other threads run for about ns nanoseconds.", typeSleep,
     emitSleep},
    withArrayMeaning({"cuda.shared.array", "(shape, dtype, alignment=)",
                      "An array shared by the block. With shape 0, the launch determines the size.",
                      typeSharedOrLocalArray<simt::Shared>, emitSharedArray},
                     Meaning::SharedArray),
    // `data`: which argument is the shape.
    withConstantArguments(
        {"jit.shared_memory", "(dtype, size, alignment=)",
         "An array shared by the block. With size None, the launch determines the size.",
         typeSharedMemory, emitSharedArray, 1}),
    withArrayMeaning({"cuda.local.array", "(shape, dtype, alignment=)", "A thread-private array.",
                      typeSharedOrLocalArray<simt::Generic>, emitLocalArray},
                     Meaning::LocalArray),
    {"cuda.const.array_like", "(ndarray)",
     "A constant with the contents of a global array. Any other array is returned unchanged.",
     typeConstArrayLike, emitConstArrayLike},
    withDifference(
        {"cuda.selp", "(condition, a, b)", "a if the condition holds, else b. Both are evaluated.",
         typeSelect, emitSelect},
        "numba.cuda needs a and b of one type: float32, float64 or an integer of at least 16 bits"),
    {"cuda.fma", "(a, b, c)", "a * b + c with one rounding.", typeFma, emitFma},
    {"cuda.cbrt", "(x)", "Cube root.", typeCbrt, emitCbrt},
    {"cuda.popc", "(x)", "The number of set bits.", typeBits, emitPopc, 0, true},
    {"cuda.brev", "(x)", "Reverses the bits: all 64 of a uint64, else the low 32, as uint32.",
     typeBitReverse, emitBitReverse},
    {"cuda.clz", "(x)", "The number of leading zero bits.", typeBits, emitClz, 0, true},
    {"cuda.ffs", "(x)", "The position of the lowest set bit, from 1; 0 if no bit is set.", typeFfs,
     emitFfs},
};

} // namespace

llvm::ArrayRef<LibraryRow> cudaLibrary() { return table; }

} // namespace heddle::python
