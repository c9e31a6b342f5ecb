// Matrix products on tensor cores: fragments, as in nvcuda::wmma of CUDA C++.

#include "frontend/python/library/cuda/fragments.h"
#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/inline_ptx.h"
#include "frontend/python/rows/dtypes.h"

namespace heddle::python {
namespace {

constexpr unsigned tensorCoresOfAllTypes = 80; // 10 * the compute capability
constexpr int64_t rowAlignment = 16;           // bytes

std::string formatFragmentShape(const Fragment &f) {
  return std::to_string(f.rows()) + " x " + std::to_string(f.columns());
}

} // namespace

std::vector<int64_t> fragmentShapeOf(const Constant *c) {
  std::vector<int64_t> shape;
  if (c && c->kind == ConstantKind::Int)
    shape.push_back(c->integer);
  if (c && c->kind == ConstantKind::Tuple)
    for (const Constant &item : c->items)
      shape.push_back(item.kind == ConstantKind::Int ? item.integer : 0);
  return shape;
}

void requireFragmentShape(CallTyping &t, unsigned i) {
  const Constant *c = t.constant(i);
  constexpr int64_t most = 4096; // far more than registers hold
  int64_t count = 1;
  bool valid = c && (c->kind == ConstantKind::Int || c->kind == ConstantKind::Tuple ||
                     c->kind == ConstantKind::None);
  for (int64_t extent : fragmentShapeOf(c)) {
    valid = valid && extent >= 1 && extent <= most;
    count *= valid ? extent : 1;
    valid = valid && count <= most;
  }
  if (!valid)
    t.failAt(i, "shape is the number of fragments, or a tuple of numbers, as a constant",
             "for example shape=(2, 4), which makes 8 fragments");
}

Parts emitFragments(CallEmission &c, const Value *shape) {
  const Fragment &f = *c.call.type->fragment;
  std::vector<int64_t> extents = fragmentShapeOf(shape ? &*shape->constant : nullptr);
  extents.push_back(f.elementsPerLane());
  uint64_t count = 1;
  for (int64_t extent : extents)
    count *= uint64_t(extent);
  llvm::AllocaInst *slot =
      c.e.makeStackSlot(memoryType(c.b.getContext(), f.element), count, llvm::Align(rowAlignment));
  return makeConstantShapeArray(c.e, slot, extents, f.element);
}

void forEachFragmentAddress(CallEmission &c, const Parts &parts, Type type, uint64_t size,
                            llvm::function_ref<void(llvm::Value *)> visit) {
  ArrayParts array{parts, type->ndim};
  llvm::Value *count = array.extent(0);
  for (unsigned axis = 1; axis < type->ndim; ++axis)
    count = c.b.CreateMul(count, array.extent(axis));
  llvm::Type *element = memoryType(c.b.getContext(), type->element);
  auto visitPart = [&](llvm::Value *i) {
    visit(c.b.CreateInBoundsGEP(element, array.pointer(),
                                c.b.CreateMul(i, c.e.int64(int64_t(size)))));
  };
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(count))
    for (uint64_t i = 0; i < known->getZExtValue() / size; ++i)
      visitPart(c.e.int64(int64_t(i)));
  else
    c.e.emitLoop(c.b.CreateUDiv(count, c.e.int64(int64_t(size))), visitPart);
}

std::string formatOperandList(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "{$") + std::to_string(first + i);
  return text + "}";
}

void checkTileBounds(CallEmission &c, const Fragment &f, llvm::ArrayRef<llvm::Value *> indices,
                     const ArrayParts &array, Span span) {
  unsigned n = array.ndim;
  for (unsigned axis : {n - 2, n - 1}) {
    bool isRow = axis == n - 2;
    unsigned extent = isRow ? f.rows() : f.columns();
    llvm::Value *last = c.b.CreateNSWAdd(indices[axis], c.e.int64(extent - 1));
    c.e.checkIndex(last, last, array.extent(axis), span,
                   std::string("the last ") + (isRow ? "row" : "column") + " of the " +
                       formatFragmentShape(f) + " tile, {index}, is out of bounds for axis " +
                       std::to_string(axis) + " with size {extent}");
  }
}

namespace {

// Making fragments.

/// The index of argument `i` in `words`.
unsigned requireOneOf(CallTyping &t, unsigned i, const char *name,
                      std::initializer_list<const char *> words) {
  const Constant *c = t.constant(i);
  std::string text;
  for (unsigned n = 0; const char *word : words) {
    if (c && c->kind == ConstantKind::String && c->text == word)
      return n;
    ++n;
    text += (n == 1 ? "" : n == words.size() ? " or " : ", ") + std::string("cuda.wmma.") + word;
  }
  t.failAt(i, std::string(name) + " must be " + text,
           c && c->kind == ConstantKind::String ? "'" + c->text + "' is not one of them"
                                                : "its value is needed at compile time");
}

unsigned requireExtent(CallTyping &t, unsigned i) {
  const Constant *c = t.constant(i);
  if (!c || c->kind != ConstantKind::Int || c->integer < 1 || c->integer > 1024)
    t.failAt(i, "m, n and k of a fragment are constants such as 16",
             "write literals or globals: their values are needed at compile time");
  return unsigned(c->integer);
}

void readElementType(CallTyping &t, Fragment &f) {
  const Constant *c = t.constant(4);
  f.isTf32 = c && c->kind == ConstantKind::String && c->text == "tf32";
  f.element = f.isTf32 ? float32Type() : parseDtype(t, 4);
  if (!f.isFactor()) {
    if (f.isTf32 || !isAccumulatorType(f.element))
      t.failAt(4, "accumulators are float32, float16, int32 or float64, not " + f.typeName(),
               f.isTf32 ? "products of tf32 are added in float32" : "");
    return;
  }
  if (f.element == float32Type() && !f.isTf32)
    t.failAt(4, "tensor cores do not multiply float32",
             "cuda.wmma.tf32 multiplies float32 numbers of which 10 bits of the mantissa count");
  if (describeSupportedShapes(f.element, f.isTf32).empty())
    t.failAt(4, "tensor cores do not multiply " + f.typeName(),
             "they multiply float16, bfloat16, cuda.wmma.tf32, int8, uint8 and float64");
}

Type typeFragment(CallTyping &t) {
  Fragment f;
  f.use = FragmentUse(requireOneOf(t, 0, "use", {"matrix_a", "matrix_b", "accumulator"}));
  f.m = requireExtent(t, 1);
  f.n = requireExtent(t, 2);
  f.k = requireExtent(t, 3);
  readElementType(t, f);
  if (!isSupportedShape(f)) {
    std::string shapes = describeSupportedShapes(f.element, f.isTf32);
    t.failAt(1,
             "there are no fragments of " + f.typeName() + " for products of " +
                 std::to_string(f.m) + "x" + std::to_string(f.n) + "x" + std::to_string(f.k),
             f.isFactor() ? "products of " + f.typeName() + " are " + shapes
                          : "m, n and k are those of the factors' fragments");
  }
  bool hasLayout = t.argument(5) && !t.type(5).is(TypeKind::None);
  if (hasLayout && !f.isFactor())
    t.failAt(5, "an accumulator has no layout", "load_matrix_sync() uses that of the array");
  f.isRowMajor =
      f.isFactor() && (!hasLayout || requireOneOf(t, 5, "layout", {"row_major", "col_major"}) == 0);
  if (t.argument(6))
    requireFragmentShape(t, 6);
  size_t dimensions = t.argument(6) ? fragmentShapeOf(t.constant(6)).size() : 0;
  return fragmentType(f, unsigned(dimensions) + 1);
}

void requireTensorCoresFor(CallEmission &c, const Fragment &f) {
  Architecture architecture = c.e.module().architecture();
  bool isOld = architecture.isGpu && architecture.number < tensorCoresOfAllTypes;
  if (isOld && (f.isTf32 || f.element == bfloat16Type() || f.element == float64Type()))
    fail(*c.e.function().source, c.call.span, ErrorKind::Unsupported,
         "tensor cores multiply " + f.typeName() +
             " from compute capability 8.0 on; this GPU has " +
             std::to_string(architecture.number / 10) + "." +
             std::to_string(architecture.number % 10),
         "", "this GPU multiplies float16, int8 and uint8");
}

Parts emitFragment(CallEmission &c) {
  const Fragment &f = *c.call.type->fragment;
  requireTensorCoresFor(c, f);
  return emitFragments(c, c.argument(6));
}

// Using fragments.

/// The fragment that argument `i` is.
const Fragment &requireFragment(CallTyping &t, unsigned i) {
  Type type = t.type(i);
  if (!type.isArray() || !type->fragment)
    t.failAt(i, std::string(t.row().lastName()) + "() takes a fragment, not " + type.name(),
             "cuda.wmma.fragment() makes one");
  if (type->fragment->isOfWarpgroup())
    t.failAt(i,
             std::string(t.row().lastName()) + "() takes a fragment of a warp, not " + type.name(),
             "the functions of cuda.wgmma take it");
  if (type->ndim != 1)
    t.failAt(i, std::string(t.row().lastName()) + "() takes one fragment, not " + type.name(),
             "select a fragment of the array: frags[i]");
  return *type->fragment;
}

/// The registers of a lane that hold a fragment.
struct Registers {
  llvm::Type *type;
  char constraint;
  unsigned count;
};

Registers registersOf(llvm::IRBuilder<> &b, const Fragment &f) {
  unsigned count = f.elementsPerLane();
  if (f.element == float64Type())
    return {b.getDoubleTy(), 'd', count};
  if (f.element == float32Type() && !f.isFactor())
    return {b.getFloatTy(), 'f', count};
  return {b.getInt32Ty(), 'r', count * f.element->bits / 32};
}

llvm::Value *registerAddress(CallEmission &c, unsigned argument, const Registers &r, unsigned i) {
  return c.b.CreateConstInBoundsGEP1_64(r.type, c.e.parts(*c.argument(argument))[0], i);
}

/// Adds the registers of the fragment `argument` as inputs of a call.
void addFragmentInputs(CallEmission &c, PtxCall &call, unsigned argument) {
  Registers r = registersOf(c.b, *c.argument(argument)->type->fragment);
  for (unsigned i = 0; i < r.count; ++i)
    call.addInput(r.constraint, c.b.CreateLoad(r.type, registerAddress(c, argument, r, i)));
}

void addRegisterOutputs(PtxCall &call, const Registers &r) {
  for (unsigned i = 0; i < r.count; ++i)
    call.addOutput(r.constraint, r.type);
}

/// Stores outputs of a call in the fragment `argument`.
void storeFragmentRegisters(CallEmission &c, unsigned argument,
                            llvm::ArrayRef<llvm::Value *> values) {
  Registers r = registersOf(c.b, *c.argument(argument)->type->fragment);
  for (unsigned i = 0; i < r.count; ++i)
    c.b.CreateStore(values[i], registerAddress(c, argument, r, i));
}

Type typeFill(CallTyping &t) {
  Type type = t.type(0);
  if (!type.isArray() || !type->fragment || type->fragment->isOfWarpgroup())
    requireFragment(t, 0);
  if (type->layout != Layout::C)
    t.failAt(0, "fill_fragment() takes a fragment, or an array of fragments in C order");
  t.requireScalar(1);
  return noneType();
}

Parts emitFill(CallEmission &c) {
  Type type = c.argument(0)->type;
  Parts value{c.scalar(1, type->element)};
  forEachFragmentAddress(c, c.e.parts(*c.argument(0)), type, 1, [&](llvm::Value *address) {
    storeElement(c.e, address, value, type->element);
  });
  return {};
}

// Tiles in memory.

/// A tile of the array that is argument `array`; argument `array` + 1 is the index of its first element.
struct Tile {
  unsigned array;
  const Fragment &fragment;
};

/// True if the tile's rows, not its columns, are contiguous in an array of this type. An accumulator takes the order of
/// the array.
bool isRowMajor(const Fragment &f, Type array) {
  return f.isFactor() ? f.isRowMajor : array->layout != Layout::F;
}

void requireTile(CallTyping &t, const Tile &tile) {
  Type array = t.type(tile.array);
  const Fragment &f = tile.fragment;
  if (!array.isArray() || array->ndim < 2 || array->fragment)
    t.failAt(
        tile.array, "a tile is part of an array of two or more dimensions, not of " + array.name(),
        array.isArray() && array->ndim == 1 ? "make it two-dimensional: ary.reshape(rows, columns)"
                                            : "");
  if (array->element != f.element)
    t.failAt(tile.array,
             "the array's elements are " + array->element.name() + ", those of the fragment " +
                 f.typeName(),
             f.isTf32 ? "tf32 fragments hold float32 elements" : "");
  requireElementIndex(
      t, tile.array,
      "the index selects the first element of the tile: one number for each dimension");
  bool needsC = isRowMajor(f, array);
  if (array->layout == (needsC ? Layout::F : Layout::C))
    t.failAt(tile.array,
             std::string("the fragment is ") + (needsC ? "row_major" : "col_major") +
                 ", but the array is in " + (needsC ? "Fortran" : "C") + " order",
             needsC ? "make the fragment col_major"
                    : "make the fragment row_major, or load from the transposed array: ary.T");
  if (!needsC && array->ndim != 2)
    t.failAt(tile.array, "a col_major tile is part of a two-dimensional array",
             "select a two-dimensional part first");
}

/// The address of a tile and the distance of its rows (or columns) in elements.
struct TileAddress {
  llvm::Value *pointer, *step;
};

/// Fails unless the tile is in the array, its rows are contiguous and start at multiples of 16 bytes.
void checkTile(CallEmission &c, const Tile &tile, llvm::ArrayRef<llvm::Value *> indices,
               const ArrayParts &array, llvm::Value *stepBytes, bool rows) {
  const Fragment &f = tile.fragment;
  Span span = c.spanOf(tile.array + 1);
  checkTileBounds(c, f, indices, array, span);
  unsigned n = array.ndim;
  unsigned bytes = f.element->bytes();
  llvm::Value *unit = array.stride(rows ? n - 1 : n - 2);
  c.e.trapIf(c.b.CreateICmpNE(unit, c.e.int64(bytes)), span, "ValueError",
             std::string("the ") + (rows ? "rows" : "columns") +
                 " of the tile are not contiguous in memory: the fragment is " +
                 (rows ? "row_major" : "col_major"));
  llvm::Value *start = c.b.CreateMul(indices[rows ? n - 1 : n - 2], c.e.int64(bytes));
  llvm::Value *low = c.b.CreateAnd(c.b.CreateOr(start, stepBytes), c.e.int64(rowAlignment - 1));
  c.e.trapIf(c.b.CreateICmpNE(low, c.e.int64(0)), span, "ValueError",
             std::string("each ") + (rows ? "row" : "column") +
                 " of a tile must start at a multiple of 16 bytes: " +
                 std::to_string(rowAlignment / bytes) + " elements of " + f.element.name());
}

TileAddress computeTileAddress(CallEmission &c, const Tile &tile) {
  Value &array = *c.argument(tile.array), &index = *c.argument(tile.array + 1);
  std::vector<IndexItem> items =
      parseIndex(c.e.function(), array.type, index, c.spanOf(tile.array + 1));
  ElementPlace place = emitElementPlace(c.e, array, items, index, c.spanOf(tile.array + 1));
  Parts parts = c.e.parts(array);
  ArrayParts a{parts, array.type->ndim};
  bool rows = isRowMajor(tile.fragment, array.type);
  llvm::Value *bytes = a.stride(rows ? a.ndim - 2 : a.ndim - 1);
  if (c.e.checks().bounds)
    checkTile(c, tile, place.indices, a, bytes, rows);
  llvm::Value *step = c.b.CreateExactSDiv(bytes, c.e.int64(tile.fragment.element->bytes()));
  return {place.address, c.b.CreateTrunc(step, c.b.getInt32Ty())};
}

const char *layoutSuffixOf(const Tile &tile, CallEmission &c) {
  return isRowMajor(tile.fragment, c.argument(tile.array)->type) ? ".row." : ".col.";
}

Type typeLoadMatrix(CallTyping &t) {
  requireTile(t, {1, requireFragment(t, 0)});
  return noneType();
}

Parts emitLoadMatrix(CallEmission &c) {
  const Fragment &f = *c.argument(0)->type->fragment;
  Tile tile{1, f};
  TileAddress address = computeTileAddress(c, tile);
  PtxCall call{.accessesMemory = true, .isConvergent = true};
  Registers r = registersOf(c.b, f);
  addRegisterOutputs(call, r);
  std::string space = addAddressInputAndGetSpace(c.e, call, address.pointer);
  call.addInput('r', address.step);
  const char *use = f.use == FragmentUse::MatrixA ? "a" : f.use == FragmentUse::MatrixB ? "b" : "c";
  call.text = "wmma.load." + std::string(use) + ".sync.aligned" + layoutSuffixOf(tile, c) +
              f.ptxShape() + space + "." + f.ptxType() + " " + formatOperandList(0, r.count) +
              ", [$" + std::to_string(r.count) + "], $" + std::to_string(r.count + 1) + ";";
  storeFragmentRegisters(c, 0, emitInlinePtx(c.b, call));
  return {};
}

Type typeStoreMatrix(CallTyping &t) {
  const Fragment &f = requireFragment(t, 2);
  if (f.isFactor())
    t.failAt(2, "store_matrix_sync() takes an accumulator, not " + t.type(2).name(),
             "a factor's elements are in frag.x");
  requireTile(t, {0, f});
  if (t.type(0)->readOnly)
    t.failAt(0, "cannot write to a read-only array");
  return noneType();
}

Parts emitStoreMatrix(CallEmission &c) {
  const Fragment &f = *c.argument(2)->type->fragment;
  Tile tile{0, f};
  TileAddress address = computeTileAddress(c, tile);
  PtxCall call{.accessesMemory = true, .isConvergent = true};
  std::string space = addAddressInputAndGetSpace(c.e, call, address.pointer);
  addFragmentInputs(c, call, 2);
  unsigned count = call.operandCount() - 1;
  call.addInput('r', address.step);
  call.text = "wmma.store.d.sync.aligned" + std::string(layoutSuffixOf(tile, c)) + f.ptxShape() +
              space + "." + f.ptxType() + " [$0], " + formatOperandList(1, count) + ", $" +
              std::to_string(count + 1) + ";";
  emitInlinePtx(c.b, call);
  return {};
}

// Products.

Type typeMultiplyAccumulate(CallTyping &t) {
  const Fragment &d = requireFragment(t, 0), &a = requireFragment(t, 1), &b = requireFragment(t, 2),
                 &c = requireFragment(t, 3);
  const FragmentUse uses[] = {FragmentUse::Accumulator, FragmentUse::MatrixA, FragmentUse::MatrixB,
                              FragmentUse::Accumulator};
  const Fragment *fragments[] = {&d, &a, &b, &c};
  for (unsigned i = 0; i < 4; ++i) {
    const Fragment &f = *fragments[i];
    if (f.use != uses[i])
      t.failAt(i, "mma_sync() takes an accumulator, a matrix_a, a matrix_b and an accumulator; "
                  "this is " +
                      t.type(i).name());
    if (f.m != a.m || f.n != a.n || f.k != a.k)
      t.failAt(i, "fragments of one product have the same m, n and k: this is " + t.type(i).name() +
                      ", a is " + t.type(1).name());
    if (!f.isFactor() && !llvm::is_contained(accumulatorTypes(a), f.element))
      t.failAt(i, "products of " + a.typeName() + " are not added in " + f.typeName(),
               "make the accumulator of " + accumulatorTypes(a)[0].name());
  }
  if (a.element != b.element || a.isTf32 != b.isTf32)
    t.failAt(2, "the factors have different types: " + a.typeName() + " and " + b.typeName());
  if (t.argument(4)) {
    const Constant *saturates = t.constant(4);
    if (!saturates || saturates->kind != ConstantKind::Bool)
      t.failAt(4, "satf must be True or False", "it selects the instruction");
    if (saturates->integer && !a.element.isInteger())
      t.failAt(4, "only sums of int32 saturate");
  }
  return noneType();
}

Parts emitMultiplyAccumulate(CallEmission &c) {
  auto fragment = [&](unsigned i) -> const Fragment & { return *c.argument(i)->type->fragment; };
  const Fragment &d = fragment(0), &a = fragment(1), &b = fragment(2);
  PtxCall call{.isConvergent = true};
  addRegisterOutputs(call, registersOf(c.b, d));
  std::string operands = formatOperandList(0, call.operandCount());
  for (unsigned i = 1; i <= 3; ++i) {
    unsigned first = call.operandCount();
    addFragmentInputs(c, call, i);
    operands += ", " + formatOperandList(first, call.operandCount() - first);
  }
  auto order = [](const Fragment &f) { return f.isRowMajor ? ".row" : ".col"; };
  std::string types = "." + d.ptxType();
  if (a.element != floatType(16))
    types += "." + a.ptxType() + "." + b.ptxType();
  types += "." + fragment(3).ptxType();
  bool saturates = c.argument(4) && c.argument(4)->constant->integer;
  call.text = std::string("wmma.mma.sync.aligned") + order(a) + order(b) + "." + a.ptxShape() +
              types + (saturates ? ".satfinite " : " ") + operands + ";";
  storeFragmentRegisters(c, 0, emitInlinePtx(c.b, call));
  return {};
}

const LibraryRow table[] = {
    withConstantArguments(
        {"cuda.wmma.fragment", "(use, m, n, k, dtype, layout=, shape=)",
         "A fragment of a matrix, or an array of fragments: the elements of each lane are in x.",
         typeFragment, emitFragment}),
    withWrites({"cuda.wmma.fill_fragment", "(frag, value)",
                "Sets all elements of a fragment, or of an array of fragments.", typeFill,
                emitFill},
               "frag"),
    withWrites({"cuda.wmma.load_matrix_sync", "(frag, ary, idx)",
                "Loads the tile of a matrix whose first element is ary[idx]. All lanes of the warp "
                "call it.",
                typeLoadMatrix, emitLoadMatrix},
               "frag"),
    withWrites(
        {"cuda.wmma.store_matrix_sync", "(ary, idx, frag)",
         "Stores an accumulator as the tile of a matrix whose first element is ary[idx]. All "
         "lanes of the warp call it.",
         typeStoreMatrix, emitStoreMatrix},
        "ary"),
    withWrites({"cuda.wmma.mma_sync", "(d, a, b, c, satf=)",
                "d = a * b + c, on tensor cores. With satf=True, int32 sums saturate. All lanes of "
                "the warp call it.",
                typeMultiplyAccumulate, emitMultiplyAccumulate},
               "d"),
};

} // namespace

llvm::ArrayRef<LibraryRow> fragmentLibrary() { return table; }

} // namespace heddle::python
