// Matrix products of warpgroups: 128 threads, whose factors are in shared memory. GPUs of compute capability 9.0 have
// instructions for them (wgmma, PTX ISA 9.0, 9.7.16).

#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/inline_ptx.h"
#include "frontend/python/library/cuda/fragments.h"
#include "simt/ir/inline_assembly.h"
#include "simt/ir/ops.h"
#include "simt/ir/thread_indices.h"

namespace heddle::python {
namespace {

// Rows in shared memory have 128 bytes. Their chunks of 16 bytes are permuted (swizzled), so that the same columns of
// eight rows are in different banks: chunk c of row r is at place c ^ r % 8.
constexpr unsigned rowElements = 64, chunkElements = 8, rowsOfPattern = 8;
constexpr int64_t rowBytes = 128;
constexpr unsigned depthOfInstruction = 16;

constexpr int64_t maxWaits = 7;

bool hasWgmmaInstructions(CallEmission &c) {
  Architecture architecture = c.e.module().architecture();
  return architecture.isGpu && architecture.number == 90;
}

// Sums.

int64_t readInteger(const Constant *c) {
  return c && c->kind == ConstantKind::Int ? c->integer : 0;
}

Type typeAccumulator(CallTyping &t) {
  int64_t n = readInteger(t.constant(0));
  if (n < 8 || n > 256 || n % 8)
    t.failAt(0, "n is a constant multiple of 8, from 8 to 256", "a warpgroup has 64 x n sums");
  Fragment f{.m = 64, .n = unsigned(n), .k = rowElements, .element = float32Type()};
  if (t.argument(1))
    requireFragmentShape(t, 1);
  size_t dimensions = t.argument(1) ? fragmentShapeOf(t.constant(1)).size() : 0;
  return fragmentType(f, unsigned(dimensions) + 1);
}

/// Fails unless argument `i` is an accumulator of a warpgroup, or an array of them if `severalAllowed`.
const Fragment &requireAccumulator(CallTyping &t, unsigned i, bool severalAllowed = false) {
  Type type = t.type(i);
  std::string name(t.row().lastName());
  if (!type.isArray() || !type->fragment || !type->fragment->isOfWarpgroup())
    t.failAt(i, name + "() takes the sums of a warpgroup, not " + type.name(),
             "cuda.wgmma.accumulator() makes them");
  if (type->ndim != 1 && !severalAllowed)
    t.failAt(i, name + "() takes one fragment, not " + type.name(),
             "select a fragment of the array: sums[i]");
  if (type->layout != Layout::C)
    t.failAt(i, name + "() takes a fragment, or an array of fragments in C order");
  return *type->fragment;
}

/// The row of a thread's first sum, and the column: lane 4 * r + c of warp w has columns 2 * c and 2 * c + 1 of rows
/// 16 * w + r and 16 * w + r + 8, then the same of the next 8 columns.
struct PlaceOfSums {
  llvm::Value *row, *column; ///< int64
};

PlaceOfSums emitAccumulatorRowAndColumn(CallEmission &c) {
  llvm::Value *thread = simt::emitThreadInBlock(c.b);
  llvm::Value *warp = c.b.CreateAnd(c.b.CreateLShr(thread, 5), 3);
  llvm::Value *lane = simt::call(c.b, simt::Op::LaneId, {});
  llvm::Value *row = c.b.CreateOr(c.b.CreateShl(warp, 4), c.b.CreateLShr(lane, 2));
  llvm::Value *column = c.b.CreateShl(c.b.CreateAnd(lane, 3), 1);
  return {c.b.CreateZExt(row, c.b.getInt64Ty()), c.b.CreateZExt(column, c.b.getInt64Ty())};
}

llvm::Value *accumulatorElementAddress(CallEmission &c, llvm::Value *sums, unsigned i) {
  return c.b.CreateConstInBoundsGEP1_64(c.b.getFloatTy(), sums, i);
}

llvm::Value *loadAccumulatorElement(CallEmission &c, llvm::Value *sums, unsigned i) {
  return c.b.CreateLoad(c.b.getFloatTy(), accumulatorElementAddress(c, sums, i));
}

/// Adds the registers of a fragment as outputs of `call`, of which nothing else is an output.
void addAccumulatorOutputs(CallEmission &c, PtxCall &call, const Fragment &f) {
  for (unsigned i = 0; i < f.elementsPerLane(); ++i)
    call.addOutput('f', c.b.getFloatTy());
}

/// Makes the values of the fragment the initial values of the outputs. No input may follow.
void addTiedAccumulatorInputs(CallEmission &c, PtxCall &call, llvm::Value *sums,
                              const Fragment &f) {
  for (unsigned i = 0; i < f.elementsPerLane(); ++i)
    call.addTiedInput(i, loadAccumulatorElement(c, sums, i));
}

/// Emits the call, and stores its outputs in the fragment.
void emitPtxAndStoreAccumulator(CallEmission &c, const PtxCall &call, llvm::Value *sums,
                                const Fragment &f) {
  llvm::SmallVector<llvm::Value *, 8> results = emitInlinePtx(c.b, call);
  for (unsigned i = 0; i < f.elementsPerLane(); ++i)
    c.b.CreateStore(results[i], accumulatorElementAddress(c, sums, i));
}

/// Sets the registers of a fragment to zero. As results of an instruction, they stay in the same registers through
/// loops: ptxas serializes products if a path copies other zeros to their registers.
void emitZerosInRegisters(CallEmission &c, llvm::Value *sums, const Fragment &f) {
  PtxCall call{.accessesMemory = true};
  addAccumulatorOutputs(c, call, f);
  for (unsigned i = 0; i < f.elementsPerLane(); ++i)
    call.text += "mov.b32 $" + std::to_string(i) + ", 0;\n";
  emitPtxAndStoreAccumulator(c, call, sums, f);
}

Parts emitAccumulator(CallEmission &c) {
  Parts parts = emitFragments(c, c.argument(1));
  const Fragment &f = *c.call.type->fragment;
  forEachFragmentAddress(c, parts, c.call.type, f.elementsPerLane(), [&](llvm::Value *sums) {
    if (hasWgmmaInstructions(c))
      return emitZerosInRegisters(c, sums, f);
    for (unsigned i = 0; i < f.elementsPerLane(); ++i)
      c.b.CreateStore(llvm::ConstantFP::getZero(c.b.getFloatTy()),
                      accumulatorElementAddress(c, sums, i));
  });
  return parts;
}

// Factors in shared memory.

Type typeSwizzle(CallTyping &t) {
  t.requireInteger(0);
  t.requireInteger(1);
  return t.type(1);
}

llvm::Value *emitSwizzledColumn(llvm::IRBuilder<> &b, llvm::Value *row, llvm::Value *column) {
  llvm::Value *place = b.CreateAnd(row, rowsOfPattern - 1);
  return b.CreateXor(column,
                     b.CreateMul(place, llvm::ConstantInt::get(row->getType(), chunkElements)));
}

Parts emitSwizzle(CallEmission &c) {
  Type type = c.call.type;
  return {emitSwizzledColumn(c.b, c.scalar(0, type), c.scalar(1, type))};
}

void requireFactor(CallTyping &t, unsigned i, bool isB) {
  Type array = t.type(i);
  std::string name = isB ? "b" : "a";
  bool isFactor = array.isArray() && !array->fragment && array->space == simt::Shared;
  if (!isFactor || !array->element.isHalf())
    t.failAt(i, name + " is an array of float16 or bfloat16 in shared memory, not " + array.name());
  if (array->ndim != 2 && !(isB && array->ndim == 3))
    t.failAt(i,
             (isB ? "b has the shape (n / 64, 64, 64), or (n, 64) if it is transposed; this is "
                  : "a has the shape (64, 64); this is ") +
                 array.name(),
             "select the part for one product: tiles[stage]");
  if (array->layout == Layout::F)
    t.failAt(i, "rows of " + name + " must be contiguous, but the array is in Fortran order");
}

Type typeMultiplyAccumulate(CallTyping &t) {
  requireAccumulator(t, 0);
  requireFactor(t, 1, /*isB=*/false);
  requireFactor(t, 2, /*isB=*/true);
  if (t.type(1)->element != t.type(2)->element)
    t.failAt(2, "the factors have different types: " + t.type(1)->element.name() + " and " +
                    t.type(2)->element.name());
  return noneType();
}

/// A factor: rows of 64 elements. If there are three dimensions, the first counts panels of 64 columns.
struct Factor {
  llvm::Value *start;
  llvm::Value *panelBytes; ///< null for a transposed b, and for a
  Type element;
};

/// Fails unless argument `i` has the shape (rows, 64), or (panels, 64, 64), and its rows are adjacent and
/// aligned.
void checkFactor(CallEmission &c, unsigned i, const ArrayParts &array, unsigned rows) {
  unsigned n = array.ndim, panels = (rows + rowElements - 1) / rowElements;
  llvm::SmallVector<unsigned, 3> shape{rows, rowElements};
  if (n == 3)
    shape = {panels, rowElements, rowElements};
  llvm::Value *hasOtherShape = c.b.getFalse();
  std::string text;
  for (unsigned axis = 0; axis < n; ++axis) {
    llvm::Value *differs = c.b.CreateICmpNE(array.extent(axis), c.e.int64(shape[axis]));
    hasOtherShape = c.b.CreateOr(hasOtherShape, differs);
    text += (axis ? ", " : "") + std::to_string(shape[axis]);
  }
  std::string name = i == 1 ? "a" : "b";
  c.e.trapIf(hasOtherShape, c.spanOf(i), "ValueError",
             name + " must have the shape (" + text + ")");
  llvm::Value *isSparse =
      c.b.CreateOr(c.b.CreateICmpNE(array.stride(n - 1), c.e.int64(rowBytes / rowElements)),
                   c.b.CreateICmpNE(array.stride(n - 2), c.e.int64(rowBytes)));
  c.e.trapIf(isSparse, c.spanOf(i), "ValueError", "the rows of " + name + " must be adjacent");
  llvm::Type *bits = c.b.getInt64Ty();
  llvm::Value *start = simt::call(c.b, simt::Op::SharedStart, {});
  llvm::Value *offset =
      c.b.CreateSub(c.b.CreatePtrToInt(array.pointer(), bits), c.b.CreatePtrToInt(start, bits));
  llvm::Value *low = c.b.CreateAnd(offset, simt::warpgroupAlignment - 1);
  c.e.trapIf(c.b.CreateICmpNE(low, c.e.int64(0)), c.spanOf(i), "ValueError",
             name + " must start at a multiple of 1024 bytes of shared memory: eight rows");
}

Factor readFactor(CallEmission &c, unsigned i, unsigned rows) {
  Value &value = *c.argument(i);
  Parts parts = c.e.parts(value);
  ArrayParts array{parts, value.type->ndim};
  if (c.e.checks().bounds)
    checkFactor(c, i, array, rows);
  return {array.pointer(), array.ndim == 3 ? array.stride(0) : nullptr, value.type->element};
}

/// The descriptor of a matrix in shared memory (PTX ISA 9.0, "Matrix Descriptor Format"): the address and two strides,
/// in units of 16 bytes, and the pattern of the rows.
llvm::Value *emitMatrixDescriptor(CallEmission &c, const Factor &factor) {
  constexpr uint64_t swizzle128 = uint64_t(1) << 62;
  constexpr uint64_t patternStride = rowsOfPattern * rowBytes / 16;
  llvm::Value *address = c.b.CreatePtrToInt(factor.start, c.b.getInt32Ty());
  llvm::Value *low = c.b.CreateLShr(c.b.CreateAnd(address, 0x3ffff), 4);
  llvm::Value *descriptor =
      c.b.CreateOr(c.b.CreateZExt(low, c.b.getInt64Ty()), swizzle128 | patternStride << 32);
  if (!factor.panelBytes)
    return descriptor;
  llvm::Value *panels = c.b.CreateAnd(c.b.CreateLShr(factor.panelBytes, 4), 0x3fff);
  return c.b.CreateOr(descriptor, c.b.CreateShl(panels, 16));
}

void emitWgmmaInstructions(CallEmission &c, const Fragment &f, llvm::Value *sums, const Factor &a,
                           const Factor &b) {
  std::string type = a.element == bfloat16Type() ? "bf16" : "f16";
  PtxCall call{.accessesMemory = true, .isConvergent = true};
  addAccumulatorOutputs(c, call, f);
  std::string registers = formatOperandList(0, f.elementsPerLane());
  llvm::Value *ofA = emitMatrixDescriptor(c, a), *ofB = emitMatrixDescriptor(c, b);
  // Threads have written the factors through the generic proxy; the instructions read them through the async proxy.
  call.text = "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nfence.proxy.async.shared::cta;\n"
              "wgmma.fence.sync.aligned;\n";
  for (unsigned k = 0; k < rowElements; k += depthOfInstruction) {
    int64_t alongRow = k * rowBytes / rowElements / 16, acrossRows = k * rowBytes / 16;
    std::string operands = registers + ", $" + std::to_string(call.operandCount());
    call.addInput('l', c.b.CreateAdd(ofA, c.e.int64(alongRow)));
    operands += ", $" + std::to_string(call.operandCount());
    call.addInput('l', c.b.CreateAdd(ofB, c.e.int64(b.panelBytes ? acrossRows : alongRow)));
    call.text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(f.n) + "k16.f32." + type +
                 "." + type + " " + operands + ", p, 1, 1, 0, " + (b.panelBytes ? "1" : "0") +
                 ";\n";
  }
  call.text += "wgmma.commit_group.sync.aligned;\n}";
  addTiedAccumulatorInputs(c, call, sums, f);
  emitPtxAndStoreAccumulator(c, call, sums, f);
}

/// The element of a row of the panel at `address`, as a float.
llvm::Value *loadElementOfRow(CallEmission &c, const Factor &factor, llvm::Value *address,
                              llvm::Value *row, llvm::Value *column) {
  llvm::Value *index = c.b.CreateAdd(c.b.CreateMul(row, c.e.int64(rowElements)),
                                     emitSwizzledColumn(c.b, row, column));
  llvm::Type *type = memoryType(c.b.getContext(), factor.element);
  llvm::LoadInst *load = c.b.CreateLoad(type, c.b.CreateGEP(type, address, index));
  load->setMetadata(simt::emulatedMatrices, llvm::MDNode::get(c.b.getContext(), {}));
  return c.b.CreateFPExt(convertFromMemory(c.b, load, factor.element), c.b.getFloatTy());
}

/// The element of b at column `column` + `more`.
llvm::Value *loadElementOfB(CallEmission &c, const Factor &b, llvm::Value *k, unsigned column,
                            llvm::Value *more) {
  if (!b.panelBytes)
    return loadElementOfRow(c, b, b.start, c.b.CreateAdd(more, c.e.int64(column)), k);
  llvm::Value *offset = c.b.CreateMul(b.panelBytes, c.e.int64(column / rowElements));
  return loadElementOfRow(c, b, c.b.CreateGEP(c.b.getInt8Ty(), b.start, offset), k,
                          c.b.CreateAdd(more, c.e.int64(column % rowElements)));
}

/// Each thread computes its sums.
void emitWgmmaInSoftware(CallEmission &c, const Fragment &f, llvm::Value *sums, const Factor &a,
                         const Factor &b) {
  if (!c.e.module().architecture().isGpu)
    c.e.module().module().getOrInsertNamedMetadata(simt::emulatedMatrices);
  simt::call(c.b, simt::Op::WarpBarrier,
             {c.e.int32(c.e.module().addSite(c.e.function(), c.call.span, "barrier", "wgmma.mma")),
              c.e.int32(-1)});
  PlaceOfSums place = emitAccumulatorRowAndColumn(c);
  c.e.emitLoop(c.e.int64(rowElements), [&](llvm::Value *k) {
    llvm::Value *ofA[2];
    for (unsigned i = 0; i < 2; ++i)
      ofA[i] = loadElementOfRow(c, a, a.start,
                                c.b.CreateAdd(place.row, c.e.int64(i * rowsOfPattern)), k);
    for (unsigned column = 0; column < f.n; column += chunkElements)
      for (unsigned j = 0; j < 2; ++j) {
        llvm::Value *ofB = loadElementOfB(c, b, k, column + j, place.column);
        for (unsigned i = 0; i < 2; ++i) {
          unsigned sum = column / 2 + 2 * i + j;
          c.b.CreateStore(c.b.CreateIntrinsic(llvm::Intrinsic::fma, {c.b.getFloatTy()},
                                              {ofA[i], ofB, loadAccumulatorElement(c, sums, sum)}),
                          accumulatorElementAddress(c, sums, sum));
        }
      }
  });
}

Parts emitMultiplyAccumulate(CallEmission &c) {
  const Fragment &f = *c.argument(0)->type->fragment;
  llvm::Value *sums = c.e.parts(*c.argument(0))[0];
  c.e.module().module().getOrInsertNamedMetadata(simt::warpgroupFactors);
  Factor a = readFactor(c, 1, f.m), b = readFactor(c, 2, f.n);
  (hasWgmmaInstructions(c) ? emitWgmmaInstructions : emitWgmmaInSoftware)(c, f, sums, a, b);
  return {};
}

Type typeWait(CallTyping &t) {
  const Constant *n = t.constant(0);
  if (!n || n->kind != ConstantKind::Int || n->integer < 0 || n->integer > maxWaits)
    t.failAt(0, "wait_prior() takes a constant from 0 to " + std::to_string(maxWaits),
             "the number of products that may still run is part of the instruction");
  requireAccumulator(t, 1, /*severalAllowed=*/true);
  return noneType();
}

Parts emitWait(CallEmission &c) {
  if (!hasWgmmaInstructions(c))
    return {};
  Type type = c.argument(1)->type;
  const Fragment &f = *type->fragment;
  std::string text =
      "wgmma.wait_group.sync.aligned " + std::to_string(c.argument(0)->constant->integer) + ";";
  forEachFragmentAddress(c, c.e.parts(*c.argument(1)), type, f.elementsPerLane(),
                         [&](llvm::Value *sums) {
                           PtxCall call{.text = text, .accessesMemory = true, .isConvergent = true};
                           addAccumulatorOutputs(c, call, f);
                           addTiedAccumulatorInputs(c, call, sums, f);
                           emitPtxAndStoreAccumulator(c, call, sums, f);
                         });
  return {};
}

// Storing.

bool canStoreAccumulatorAs(Type element) { return element == float32Type() || element.isHalf(); }

Type typeStore(CallTyping &t) {
  requireAccumulator(t, 2);
  Type array = t.type(0);
  if (!array.isArray() || array->ndim < 2 || array->fragment)
    t.failAt(0, "a tile is part of an array of two or more dimensions, not of " + array.name());
  if (!canStoreAccumulatorAs(array->element))
    t.failAt(0, "sums are stored as float32, float16 or bfloat16, not as " + array->element.name());
  if (array->readOnly)
    t.failAt(0, "cannot write to a read-only array");
  if (array->layout == Layout::F)
    t.failAt(0, "rows of the array must be contiguous, but it is in Fortran order",
             "store to the transposed array: ary.T");
  requireElementIndex(
      t, 0, "the index selects the first element of the tile: one number for each dimension");
  return noneType();
}

/// Fails unless the tile is in the array, and each pair of columns is aligned.
void checkStoredTile(CallEmission &c, const Fragment &f, const ElementPlace &first,
                     const ArrayParts &array, unsigned bytes) {
  Span span = c.spanOf(1);
  checkTileBounds(c, f, first.indices, array, span);
  unsigned n = array.ndim;
  c.e.trapIf(c.b.CreateICmpNE(array.stride(n - 1), c.e.int64(bytes)), span, "ValueError",
             "the rows of the tile are not contiguous in memory");
  llvm::Value *start = c.b.CreateMul(first.indices[n - 1], c.e.int64(bytes));
  llvm::Value *low = c.b.CreateAnd(c.b.CreateOr(start, array.stride(n - 2)), 2 * bytes - 1);
  c.e.trapIf(c.b.CreateICmpNE(low, c.e.int64(0)), span, "ValueError",
             "each row of a tile must start at an even column, in rows of an even number of "
             "elements");
}

/// Stores pairs of adjacent sums, which code generators store together.
Parts emitStore(CallEmission &c) {
  const Fragment &f = *c.argument(2)->type->fragment;
  Value &value = *c.argument(0), &index = *c.argument(1);
  std::vector<IndexItem> items = parseIndex(c.e.function(), value.type, index, c.spanOf(1));
  ElementPlace first = emitElementPlace(c.e, value, items, index, c.spanOf(1));
  Parts parts = c.e.parts(value);
  ArrayParts array{parts, value.type->ndim};
  unsigned bytes = value.type->element->bytes();
  if (c.e.checks().bounds)
    checkStoredTile(c, f, first, array, bytes);
  llvm::Type *stored = memoryType(c.b.getContext(), value.type->element);
  llvm::Value *sums = c.e.parts(*c.argument(2))[0];
  PlaceOfSums place = emitAccumulatorRowAndColumn(c);
  for (unsigned i = 0; i < f.elementsPerLane(); ++i) {
    llvm::Value *row = c.b.CreateAdd(place.row, c.e.int64(i / 2 % 2 * rowsOfPattern));
    llvm::Value *column = c.b.CreateAdd(place.column, c.e.int64(i / 4 * chunkElements));
    llvm::Value *offset = c.b.CreateAdd(c.b.CreateMul(row, array.stride(array.ndim - 2)),
                                        c.b.CreateMul(column, c.e.int64(bytes)));
    llvm::Value *address = c.b.CreateGEP(c.b.getInt8Ty(), first.address, offset);
    c.b.CreateAlignedStore(c.b.CreateFPTrunc(loadAccumulatorElement(c, sums, i), stored),
                           c.b.CreateConstInBoundsGEP1_64(stored, address, i % 2),
                           llvm::Align(uint64_t(bytes) * (2 - i % 2)));
  }
  return {};
}

const LibraryRow table[] = {
    withConstantArguments(
        {"cuda.wgmma.accumulator", "(n, shape=)",
         "64 x n sums of a warpgroup, or an array of them: the float32 sums of each thread are in "
         "x.",
         typeAccumulator, emitAccumulator}),
    {"cuda.wgmma.swizzle", "(row, column)",
     "The column at which a factor in shared memory has the element of this row and column.",
     typeSwizzle, emitSwizzle},
    withWrites({"cuda.wgmma.mma", "(sums, a, b)",
                "Starts sums += a * b. All threads of the warpgroup call it.",
                typeMultiplyAccumulate, emitMultiplyAccumulate},
               "sums"),
    withWrites({"cuda.wgmma.wait_prior", "(n, sums)",
                "Waits for the warpgroup's products, except the last n.", typeWait, emitWait},
               "sums"),
    withWrites({"cuda.wgmma.store", "(ary, idx, sums)",
                "Stores the sums as the tile of a matrix whose first element is ary[idx].",
                typeStore, emitStore},
               "ary"),
};

} // namespace

llvm::ArrayRef<LibraryRow> warpgroupLibrary() { return table; }

} // namespace heddle::python
