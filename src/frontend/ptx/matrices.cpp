// Warp matrix products, and matrix loads and stores in shared memory (PTX ISA 9.0, 9.7.15.5). The lanes of a warp share
// the elements. A lane is number `at` of 4 in group `lane / 4`: groups are rows of `a` and of sums, and columns of `b`.
#include "frontend/ptx/step.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

ArrayRef<Operand> takeRegisters(Step &s, size_t n, size_t wanted) {
  ArrayRef<Operand> all = s.registers(n);
  if (all.size() != wanted)
    s.refuse("operand " + std::to_string(n + 1) + " has " + std::to_string(wanted) +
             " registers in {...}, not " + std::to_string(all.size()));
  return all;
}

Value *emitLaneGroup(Step &s) { return s.b.CreateLShr(s.emitOperation(simt::Op::LaneId, {}), 2); }
Value *emitLaneInGroup(Step &s) { return s.b.CreateAnd(s.emitOperation(simt::Op::LaneId, {}), 3); }

/// The 32- or 64-bit value of `lane`.
Value *shuffleFromLane(Step &s, Value *bits, Value *lane) {
  simt::Op op = simt::Op::ShuffleIndex;
  return s.emitOperation(op,
                         {s.makeBarrierSite(op), s.b.getInt32(-1), bits, lane, s.b.getInt32(32)});
}

/// d = a * b + c, with matrices of m x k, k x 8 and m x 8 elements.
class Product {
public:
  explicit Product(Step &s) : s_(s), b_(s.b) { readOpcode(); }

  void run() {
    unsigned perRegister = 32 / factorBits_, rows = m_ / 8;
    if (sum_.laneBits == 64)
      perRegister = 1;
    unsigned lines = k_ / (4 * perRegister); // registers along k
    readRegisters(a_, 1, lines * rows);
    readRegisters(bs_, 2, lines);
    readSums(rows);
    Value *group = emitLaneGroup(s_), *column = b_.CreateShl(emitLaneInGroup(s_), 1);
    SmallVector<SmallVector<Value *, 32>, 2> ofColumns;
    for (unsigned j = 0; j < 2; ++j)
      ofColumns.push_back(gatherElements(bs_, b_.CreateAdd(column, b_.getInt32(j)), 0, 1, 1));
    for (unsigned row = 0; row < rows; ++row) {
      SmallVector<Value *, 32> ofRow = gatherElements(a_, group, row, rows, 0);
      for (unsigned j = 0; j < 2; ++j)
        sums_[row * 2 + j] = multiplyAccumulate(sums_[row * 2 + j], ofRow, ofColumns[j]);
    }
    writeSums(rows);
  }

private:
  void readOpcode() {
    s_.requireSync();
    s_.takeWord("aligned");
    StringRef shape =
        s_.takeOneOf({"m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m8n8k4", "m8n8k16"});
    if (!s_.takeWord("row") || !s_.takeWord("col"))
      s_.refuse("a must be .row, and b must be .col");
    saturates_ = s_.takeWord("satfinite");
    isTf32_ = s_.takeWord("tf32") && s_.takeWord("tf32");
    sum_ = takeRequiredType();
    factors_[0] = factors_[1] = {ScalarType::Float, 32};
    for (ScalarType &type : factors_)
      if (!isTf32_)
        type = takeRequiredType();
    ScalarType c = takeRequiredType();
    factorBits_ = factors_[0].laneBits;
    if (shape.empty() || !isSupported(shape) || c.kind != sum_.kind || c.laneBits != sum_.laneBits)
      refuse();
    auto [first, rest] = shape.drop_front().split("n8k");
    first.getAsInteger(10, m_);
    rest.getAsInteger(10, k_);
  }

  [[noreturn]] void refuse() const {
    s_.refuse(
        "CPUs support products of .f16 and .bf16 as m16n8k8 and m16n8k16, of .tf32 as m16n8k4 and "
        "m16n8k8, of .s8 and .u8 as m8n8k16, m16n8k16 and m16n8k32, of .f64 as m8n8k4");
  }

  ScalarType takeRequiredType() {
    std::optional<ScalarType> type = s_.takeOptionalType();
    if (!type)
      refuse();
    return *type;
  }

  bool isSupported(StringRef shape) const {
    ScalarType x = factors_[0], y = factors_[1];
    auto sumIs = [&](ScalarType::Kind kind, unsigned bits) {
      return sum_.kind == kind && sum_.laneBits == bits && sum_.lanes == 1;
    };
    bool isByte = x.laneBits == 8 && y.laneBits == 8 && x.kind != ScalarType::Bits &&
                  y.kind != ScalarType::Bits;
    if (isByte)
      return sumIs(ScalarType::Signed, 32) &&
             (shape == "m8n8k16" || shape == "m16n8k16" || shape == "m16n8k32");
    if (x.kind != y.kind || x.laneBits != y.laneBits || x.lanes + y.lanes > 2 || saturates_)
      return false;
    if (isTf32_)
      return sumIs(ScalarType::Float, 32) && (shape == "m16n8k4" || shape == "m16n8k8");
    if (x.kind == ScalarType::Float && x.laneBits == 64)
      return sumIs(ScalarType::Float, 64) && shape == "m8n8k4";
    bool fits = sumIs(ScalarType::Float, 32) ||
                (x.kind == ScalarType::Float && sumIs(ScalarType::Float, 16));
    return x.isFloat() && x.laneBits == 16 && fits && (shape == "m16n8k8" || shape == "m16n8k16");
  }

  void readRegisters(SmallVector<Value *, 8> &to, size_t n, unsigned count) {
    ScalarType type{ScalarType::Bits, factorBits_ == 64 ? 64u : 32u};
    for (const Operand &o : takeRegisters(s_, n, count))
      to.push_back(s_.read(o, type, false));
  }

  bool sumsArePairs() const { return sum_.laneBits == 16; }
  ScalarType halfPairType() const { return {ScalarType::Float, 16, 2}; }

  void readSums(unsigned rows) {
    for (const Operand &o : takeRegisters(s_, 3, sumsArePairs() ? rows : rows * 2)) {
      if (!sumsArePairs()) {
        sums_.push_back(s_.read(o, sum_, false));
        continue;
      }
      Value *both = s_.read(o, halfPairType(), false);
      for (unsigned i = 0; i < 2; ++i)
        sums_.push_back(convertElement(extractPart(both, i, 16), sum_));
    }
  }

  void writeSums(unsigned rows) {
    auto to = takeRegisters(s_, 0, sumsArePairs() ? rows : rows * 2);
    for (size_t i = 0; i < to.size(); ++i) {
      if (!sumsArePairs()) {
        s_.write(to[i], sums_[i], sum_, false);
        continue;
      }
      Value *both = b_.getInt32(0);
      for (unsigned j = 0; j < 2; ++j) {
        Value *half = b_.CreateFPTrunc(sums_[i * 2 + j], b_.getHalfTy());
        Value *bits = b_.CreateZExt(b_.CreateBitCast(half, b_.getInt16Ty()), b_.getInt32Ty());
        both = b_.CreateOr(both, b_.CreateShl(bits, j * 16));
      }
      s_.write(to[i], both, halfPairType(), false);
    }
  }

  Value *extractPart(Value *bits, unsigned i, unsigned width) {
    return b_.CreateTrunc(b_.CreateLShr(bits, i * width), b_.getIntNTy(width));
  }

  /// Converts the bits of an element to float, double or int for the multiplication.
  Value *convertElement(Value *bits, ScalarType type) {
    if (isTf32_) // the last 13 bits of the mantissa are ignored
      return b_.CreateBitCast(b_.CreateAnd(bits, 0xffffe000u), b_.getFloatTy());
    if (!type.isFloat())
      return b_.CreateIntCast(bits, b_.getInt32Ty(), type.isSigned());
    Value *x = b_.CreateBitCast(bits, s_.llvmType(type));
    return type.laneBits == 64 ? x : b_.CreateFPExt(x, b_.getFloatTy());
  }

  /// The elements along k in the row or column of a group: for each of its 4 lanes, every `step`-th register from
  /// `first`.
  SmallVector<Value *, 32> gatherElements(ArrayRef<Value *> registers, Value *group, unsigned first,
                                          unsigned step, unsigned factor) {
    ScalarType type = factors_[factor];
    unsigned perRegister = factorBits_ == 64 ? 1 : 32 / factorBits_;
    SmallVector<Value *, 32> numbers;
    for (size_t r = first; r < registers.size(); r += step)
      for (unsigned lane = 0; lane < 4; ++lane) {
        Value *from = b_.CreateAdd(b_.CreateShl(group, 2), b_.getInt32(lane));
        Value *bits = shuffleFromLane(s_, registers[r], from);
        for (unsigned i = 0; i < perRegister; ++i)
          numbers.push_back(
              convertElement(perRegister == 1 ? bits : extractPart(bits, i, factorBits_), type));
      }
    return numbers;
  }

  Value *multiplyAccumulate(Value *sum, ArrayRef<Value *> x, ArrayRef<Value *> y) {
    if (!sum->getType()->isIntegerTy()) {
      for (size_t i = 0; i < x.size(); ++i)
        sum = b_.CreateIntrinsic(Intrinsic::fma, {sum->getType()}, {x[i], y[i], sum});
      return sum;
    }
    Value *products = b_.getInt32(0);
    for (size_t i = 0; i < x.size(); ++i)
      products = b_.CreateAdd(products, b_.CreateMul(x[i], y[i]));
    return saturates_ ? b_.CreateBinaryIntrinsic(Intrinsic::sadd_sat, sum, products)
                      : b_.CreateAdd(sum, products);
  }

  Step &s_;
  IRBuilder<> &b_;
  unsigned m_ = 0, k_ = 0, factorBits_ = 0;
  ScalarType sum_, factors_[2];
  bool isTf32_ = false, saturates_ = false;
  SmallVector<Value *, 8> a_, bs_, sums_;
};

void mma(Step &s) { Product(s).run(); }

/// 8 x 8 matrices of 16-bit elements in shared memory. Lane 8 * n + r provides the address of row r of matrix n. A lane
/// holds two adjacent elements of the row of its group, or of the column if transposed.
class MatricesInMemory {
public:
  /// `registers` and `address` are operand numbers.
  MatricesInMemory(Step &s, size_t registers, size_t address) : s_(s), b_(s.b) {
    bool known = s.takeWord("sync") && s.takeWord("m8n8");
    s.takeWord("aligned");
    StringRef count = s.takeOneOf({"x1", "x2", "x4"});
    transposes = s.takeWord("trans");
    bool isGeneric = s.takeOneOf({"shared", "shared::cta"}).empty(); // but points to shared memory
    known = known && s.takeWord("b16") && !count.empty();
    if (!known)
      s.refuse("matrix loads and stores need .m8n8, .x1, .x2 or .x4, and .b16");
    pairs = takeRegisters(s, registers, size_t(count[1] - '0'));
    start_ = s.emitSharedStart();
    offset_ = b_.CreateSub(
        b_.CreatePtrToInt(s.readAddress(address, isGeneric ? "" : "shared"), b_.getInt64Ty()),
        b_.CreatePtrToInt(start_, b_.getInt64Ty()));
    group_ = emitLaneGroup(s);
    pair_ = b_.CreateShl(emitLaneInGroup(s), 1);
  }

  /// The address of the lane's pair, or of element `i` of the pair if transposed.
  Value *pairAddress(size_t matrix, unsigned i = 0) {
    return transposes ? elementAddress(matrix, b_.CreateAdd(pair_, b_.getInt32(i)), group_)
                      : elementAddress(matrix, group_, pair_);
  }

  bool transposes = false;
  ArrayRef<Operand> pairs;

private:
  Value *elementAddress(size_t matrix, Value *row, Value *column) {
    Value *lane = b_.CreateAdd(row, b_.getInt32(unsigned(matrix) * 8));
    Value *from = shuffleFromLane(s_, offset_, lane);
    Value *at = b_.CreateAdd(from, b_.CreateZExt(b_.CreateShl(column, 1), b_.getInt64Ty()));
    return b_.CreateGEP(b_.getInt8Ty(), start_, at);
  }

  Step &s_;
  IRBuilder<> &b_;
  Value *start_ = nullptr, *offset_ = nullptr, *group_ = nullptr, *pair_ = nullptr;
};

void ldmatrix(Step &s) {
  MatricesInMemory from(s, 0, 1);
  IRBuilder<> &b = s.b;
  SmallVector<Value *, 4> loaded;
  for (size_t matrix = 0; matrix < from.pairs.size(); ++matrix) {
    if (!from.transposes) {
      loaded.push_back(b.CreateAlignedLoad(b.getInt32Ty(), from.pairAddress(matrix), Align(4)));
      continue;
    }
    Value *both = b.getInt32(0);
    for (unsigned i = 0; i < 2; ++i) {
      Value *number = b.CreateAlignedLoad(b.getInt16Ty(), from.pairAddress(matrix, i), Align(2));
      both = b.CreateOr(both, b.CreateShl(b.CreateZExt(number, b.getInt32Ty()), i * 16));
    }
    loaded.push_back(both);
  }
  for (size_t matrix = 0; matrix < loaded.size(); ++matrix)
    s.write(from.pairs[matrix], loaded[matrix], word32, false);
}

void stmatrix(Step &s) {
  MatricesInMemory to(s, 1, 0);
  IRBuilder<> &b = s.b;
  for (size_t matrix = 0; matrix < to.pairs.size(); ++matrix) {
    Value *both = s.read(to.pairs[matrix], word32, false);
    if (!to.transposes) {
      b.CreateAlignedStore(both, to.pairAddress(matrix), Align(4));
      continue;
    }
    for (unsigned i = 0; i < 2; ++i)
      b.CreateAlignedStore(b.CreateTrunc(b.CreateLShr(both, i * 16), b.getInt16Ty()),
                           to.pairAddress(matrix, i), Align(2));
  }
}

/// Transposes an 8 x 8 matrix of 16-bit elements.
void movmatrix(Step &s) {
  bool known = s.takeWord("sync") && s.takeWord("m8n8") && s.takeWord("trans") && s.takeWord("b16");
  s.takeWord("aligned");
  if (!known)
    s.refuse("movmatrix needs .m8n8.trans.b16");
  IRBuilder<> &b = s.b;
  Value *own = s.readInput(1, word32), *group = emitLaneGroup(s), *result = b.getInt32(0);
  for (unsigned i = 0; i < 2; ++i) {
    Value *row = b.CreateAdd(b.CreateShl(emitLaneInGroup(s), 1), b.getInt32(i));
    Value *bits = shuffleFromLane(s, own, b.CreateAdd(b.CreateShl(row, 2), b.CreateLShr(group, 1)));
    Value *half = b.CreateLShr(bits, b.CreateShl(b.CreateAnd(group, 1), 4));
    result = b.CreateOr(result, b.CreateShl(b.CreateAnd(half, 0xffff), i * 16));
  }
  s.writeResult(result, word32);
}

} // namespace

ArrayRef<Row> matrixInstructions() {
  static const Row rows[] = {{"mma", 4, 4, mma},
                             {"ldmatrix", 2, 2, ldmatrix},
                             {"stmatrix", 2, 2, stmatrix},
                             {"movmatrix", 2, 2, movmatrix}};
  return rows;
}

} // namespace heddle::ptx
