// Warp matrix products on fragments in registers (wmma, PTX ISA 9.0, 9.7.15.4). PTX leaves open which elements a lane
// holds; mma.h states the same order for its fragments in software.
#include "frontend/ptx/step.h"
#include "simt/ir/thread_indices.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

/// A matrix in the registers of a warp. A line is a row of `a` or of the sums, or a column of `b`. Each lane holds
/// `size` consecutive elements of a line. If the lanes hold more elements than the matrix has, lines are held several
/// times.
struct Tile {
  unsigned lines = 0, length = 0, size = 0;
  ScalarType type;
  bool isTf32 = false;
  bool linesAreRows = true;

  unsigned elementsPerRegister() const { return type.laneBits >= 32 ? 1 : 32 / type.laneBits; }
  unsigned registerCount() const { return size / elementsPerRegister(); }
  ScalarType registerType() const { return {ScalarType::Bits, std::max(32u, type.laneBits)}; }
};

struct Shape {
  unsigned m = 0, n = 0, k = 0;
};

class Fragments {
public:
  explicit Fragments(Step &s) : s_(s), b_(s.b) {}

  void load() {
    StringRef use = s_.takeOneOf({"a", "b", "c"});
    takeSyncAndAligned();
    bool rows = takeLayoutIsRowMajor();
    takeShape();
    s_.takeOneOf({"global", "shared", "shared::cta"});
    Tile tile = makeTile(use, takeElementType());
    tile.linesAreRows = (use != "b") == rows;
    ArrayRef<Operand> to = takeRegisters(0, tile);
    emitRegisterAddresses(tile, 1, [&](unsigned n, ArrayRef<Value *> addresses) {
      Value *bits = nullptr;
      unsigned width = tile.registerType().laneBits / addresses.size();
      for (auto [i, address] : enumerate(addresses)) {
        LoadInst *loaded = b_.CreateAlignedLoad(s_.bitsType(width), address, Align(width / 8));
        s_.markMatrixAccesses({loaded});
        Value *part = b_.CreateZExt(loaded, s_.bitsType(tile.registerType().laneBits));
        bits = bits ? b_.CreateOr(bits, b_.CreateShl(part, i * width)) : part;
      }
      s_.write(to[n], bits, tile.registerType(), false);
    });
  }

  void store() {
    s_.takeWord("d");
    takeSyncAndAligned();
    bool rows = takeLayoutIsRowMajor();
    takeShape();
    s_.takeOneOf({"global", "shared", "shared::cta"});
    Tile tile = makeTile("d", takeElementType());
    tile.linesAreRows = rows;
    ArrayRef<Operand> from = takeRegisters(1, tile);
    emitRegisterAddresses(tile, 0, [&](unsigned n, ArrayRef<Value *> addresses) {
      Value *bits = s_.read(from[n], tile.registerType(), false);
      unsigned width = tile.registerType().laneBits / addresses.size();
      for (auto [i, address] : enumerate(addresses))
        s_.markMatrixAccesses({b_.CreateAlignedStore(
            b_.CreateTrunc(b_.CreateLShr(bits, i * width), s_.bitsType(width)), address,
            Align(width / 8))});
    });
  }

  void multiply() {
    s_.markMatrixAccesses({});
    takeSyncAndAligned();
    takeLayoutIsRowMajor();
    takeLayoutIsRowMajor();
    takeShape();
    bool saturates = s_.takeWord("satfinite");
    isTf32_ = s_.takeWord("tf32") && s_.takeWord("tf32");
    std::vector<ScalarType> types;
    while (std::optional<ScalarType> type = s_.takeOptionalType())
      types.push_back(type.value());
    if (types.size() != 2 && types.size() != 4)
      refuse();
    ScalarType factor = isTf32_             ? ScalarType{ScalarType::Float, 32}
                        : types.size() == 4 ? types[1]
                                            : halfType();
    Tile a = makeTile("a", factor), b = makeTile("b", factor), c = makeTile("c", types.back()),
         d = makeTile("d", types.front());
    SmallVector<Value *> ofA = readRegisters(1, a), ofB = readRegisters(2, b);
    SmallVector<Value *> sums = unpackRegisters(readRegisters(3, c), c);
    Value *first = emitIndexOfFirstElement(c);
    SmallVector<Value *> row =
        gatherElementsOfLine(ofA, a, b_.CreateUDiv(first, b_.getInt32(c.length)));
    Value *column = b_.CreateURem(first, b_.getInt32(c.length));
    for (auto [e, sum] : enumerate(sums))
      sum = multiplyAccumulate(
          sum, row, gatherElementsOfLine(ofB, b, b_.CreateAdd(column, b_.getInt32(unsigned(e)))),
          saturates);
    writeResultRegisters(takeRegisters(0, d), sums, d);
  }

private:
  static ScalarType halfType() { return {ScalarType::Float, 16}; }

  [[noreturn]] void refuse() const {
    s_.refuse("CPUs support wmma of .f16, .bf16, .s8 and .u8 as m16n16k16, m32n8k16 and m8n32k16, "
              "of .tf32 as m16n16k8, of .f64 as m8n8k4");
  }

  void takeSyncAndAligned() {
    s_.requireSync();
    s_.takeWord("aligned");
  }

  /// Returns true for .row.
  bool takeLayoutIsRowMajor() {
    StringRef order = s_.takeOneOf({"row", "col"});
    if (order.empty())
      refuse();
    return order == "row";
  }

  void takeShape() {
    StringRef shape = s_.takeOneOf({"m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8", "m8n8k4"});
    if (shape.empty())
      refuse();
    auto [m, rest] = shape.drop_front().split('n');
    auto [n, k] = rest.split('k');
    m.getAsInteger(10, shape_.m);
    n.getAsInteger(10, shape_.n);
    k.getAsInteger(10, shape_.k);
  }

  ScalarType takeElementType() {
    isTf32_ = s_.takeWord("tf32");
    std::optional<ScalarType> type =
        isTf32_ ? ScalarType{ScalarType::Float, 32} : s_.takeOptionalType();
    if (!type)
      refuse();
    return *type;
  }

  /// The fragment for a use: a, b, c or d.
  Tile makeTile(StringRef use, ScalarType type) const {
    bool isFactor = use == "a" || use == "b";
    Tile tile;
    tile.lines = use == "b" ? shape_.n : shape_.m;
    tile.length = isFactor ? shape_.k : shape_.n;
    tile.type = type;
    tile.isTf32 = isFactor && isTf32_;
    bool twice = isFactor && type.kind == ScalarType::Float && type.laneBits == 16;
    tile.size = twice ? 16 : tile.lines * tile.length / simt::warpSize;
    if (type.lanes != 1 || !isSupported(isFactor, type))
      refuse();
    return tile;
  }

  bool isSupported(bool isFactor, ScalarType type) const {
    unsigned bits = type.laneBits;
    if (shape_.k == 4)
      return type.kind == ScalarType::Float && bits == 64;
    if (shape_.k == 8)
      return type.kind == ScalarType::Float && bits == 32 && (isTf32_ || !isFactor);
    if (isFactor)
      return (type.isFloat() && bits == 16) ||
             (bits == 8 && (type.kind == ScalarType::Signed || type.kind == ScalarType::Unsigned));
    return (type.kind == ScalarType::Float && bits <= 32) ||
           (type.kind == ScalarType::Signed && bits == 32);
  }

  ArrayRef<Operand> takeRegisters(size_t n, const Tile &tile) {
    ArrayRef<Operand> all = s_.registers(n);
    if (all.size() != tile.registerCount())
      s_.refuse("operand " + std::to_string(n + 1) + " has " +
                std::to_string(tile.registerCount()) + " registers in {...}, not " +
                std::to_string(all.size()));
    return all;
  }

  SmallVector<Value *> readRegisters(size_t n, const Tile &tile) {
    SmallVector<Value *> bits;
    for (const Operand &o : takeRegisters(n, tile))
      bits.push_back(s_.read(o, tile.registerType(), false));
    return bits;
  }

  /// The number of the lane's first element, counted line by line.
  Value *emitIndexOfFirstElement(const Tile &tile) {
    Value *first = b_.CreateMul(s_.emitOperation(simt::Op::LaneId, {}), b_.getInt32(tile.size), "",
                                true, true);
    return b_.CreateURem(first, b_.getInt32(tile.lines * tile.length));
  }

  /// Calls `visit` with the number of each register and the addresses of its parts: one if they are adjacent.
  void emitRegisterAddresses(const Tile &tile, size_t address,
                             function_ref<void(unsigned, ArrayRef<Value *>)> visit) {
    Value *base = s_.readAddress(address, isShared() ? "shared" : "");
    Value *step = s_.count() > 2 ? s_.readInput(2, {ScalarType::Unsigned, 32})
                                 : b_.getInt32(tile.linesAreRows ? tile.length : tile.lines);
    step = b_.CreateZExt(step, b_.getInt64Ty());
    Value *first = b_.CreateZExt(emitIndexOfFirstElement(tile), b_.getInt64Ty());
    Value *length = b_.getInt64(tile.length);
    Value *line = b_.CreateUDiv(first, length), *at = b_.CreateURem(first, length);
    Type *element = s_.bitsType(tile.type.laneBits);
    for (unsigned n = 0; n < tile.registerCount(); ++n) {
      SmallVector<Value *, 4> addresses;
      for (unsigned i = 0; i < (tile.linesAreRows ? 1 : tile.elementsPerRegister()); ++i) {
        Value *along = b_.CreateAdd(at, b_.getInt64(n * tile.elementsPerRegister() + i));
        Value *index = tile.linesAreRows ? b_.CreateAdd(b_.CreateMul(line, step), along)
                                         : b_.CreateAdd(b_.CreateMul(along, step), line);
        addresses.push_back(b_.CreateGEP(element, base, index));
      }
      visit(n, addresses);
    }
  }

  bool isShared() const {
    return any_of(s_.statement.words,
                  [](const std::string &word) { return StringRef(word).starts_with("shared"); });
  }

  /// The value of `lane`.
  Value *shuffleFromLane(Value *bits, Value *lane) {
    simt::Op op = simt::Op::ShuffleIndex;
    return s_.emitOperation(
        op, {s_.makeBarrierSite(op), b_.getInt32(-1), bits, lane, b_.getInt32(simt::warpSize)});
  }

  /// Fetches the elements of a line from the lanes that hold it.
  SmallVector<Value *> gatherElementsOfLine(ArrayRef<Value *> registers, const Tile &tile,
                                            Value *line) {
    unsigned lanes = std::max(1u, tile.length / tile.size);
    SmallVector<Value *> bits;
    for (unsigned part = 0; part < lanes; ++part) {
      Value *lane = b_.CreateAdd(b_.CreateMul(line, b_.getInt32(lanes)), b_.getInt32(part));
      for (Value *one : registers)
        bits.push_back(shuffleFromLane(one, lane));
    }
    return unpackRegisters(bits, tile);
  }

  /// The elements in registers as floats, doubles or ints.
  SmallVector<Value *> unpackRegisters(ArrayRef<Value *> registers, const Tile &tile) {
    SmallVector<Value *> numbers;
    for (Value *bits : registers)
      for (unsigned i = 0; i < tile.elementsPerRegister(); ++i) {
        Value *part = b_.CreateTrunc(b_.CreateLShr(bits, i * tile.type.laneBits),
                                     s_.bitsType(tile.type.laneBits));
        numbers.push_back(convertElement(part, tile));
      }
    return numbers;
  }

  Value *convertElement(Value *bits, const Tile &tile) {
    if (tile.isTf32) // the last 13 bits of the mantissa are ignored
      bits = b_.CreateAnd(bits, 0xffffe000u);
    if (!tile.type.isFloat())
      return b_.CreateIntCast(bits, b_.getInt32Ty(), tile.type.isSigned());
    Value *x = b_.CreateBitCast(bits, s_.llvmType(tile.type));
    return tile.type.laneBits == 16 ? b_.CreateFPExt(x, b_.getFloatTy()) : x;
  }

  Value *multiplyAccumulate(Value *sum, ArrayRef<Value *> x, ArrayRef<Value *> y, bool saturates) {
    if (!sum->getType()->isIntegerTy()) {
      for (auto [a, b] : zip(x, y))
        sum = b_.CreateIntrinsic(Intrinsic::fma, {sum->getType()}, {a, b, sum});
      return sum;
    }
    Value *products = b_.getInt32(0);
    for (auto [a, b] : zip(x, y))
      products = b_.CreateAdd(products, b_.CreateMul(a, b));
    return saturates ? b_.CreateBinaryIntrinsic(Intrinsic::sadd_sat, sum, products)
                     : b_.CreateAdd(sum, products);
  }

  void writeResultRegisters(ArrayRef<Operand> to, ArrayRef<Value *> sums, const Tile &d) {
    Type *element = s_.llvmType(d.type);
    for (unsigned n = 0; n < d.registerCount(); ++n) {
      Value *bits = nullptr;
      for (unsigned i = 0; i < d.elementsPerRegister(); ++i) {
        Value *sum = sums[n * d.elementsPerRegister() + i];
        if (sum->getType()->isFloatTy() && d.type.laneBits == 16)
          sum = b_.CreateFPTrunc(sum, element);
        Value *part = b_.CreateZExt(b_.CreateBitCast(sum, s_.bitsType(d.type.laneBits)),
                                    s_.bitsType(d.registerType().laneBits));
        bits = bits ? b_.CreateOr(bits, b_.CreateShl(part, i * d.type.laneBits)) : part;
      }
      s_.write(to[n], bits, d.registerType(), false);
    }
  }

  Step &s_;
  IRBuilder<> &b_;
  Shape shape_;
  bool isTf32_ = false;
};

void wmma(Step &s) {
  Fragments fragments(s);
  if (s.takeWord("load"))
    return fragments.load();
  if (s.takeWord("store"))
    return fragments.store();
  if (!s.takeWord("mma"))
    s.refuse("wmma has .load, .mma and .store");
  fragments.multiply();
}

} // namespace

ArrayRef<Row> fragmentInstructions() {
  static const Row rows[] = {{"wmma", 2, 4, wmma}};
  return rows;
}

} // namespace heddle::ptx
