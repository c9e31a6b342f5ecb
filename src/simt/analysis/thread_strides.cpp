#include "simt/analysis/thread_strides.h"

#include "simt/ir/ops.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr Strides uniform{0, 0, 0};

/// Applies `f` to the strides along each axis.
template <typename F> Strides zipAxes(const Strides &a, const Strides &b, F f) {
  Strides result;
  for (size_t axis = 0; axis < result.size(); ++axis)
    result[axis] = f(a[axis], b[axis]);
  return result;
}

using Stride = std::optional<int64_t>;

/// The stride of a addStrides.
Stride addStrides(Stride a, Stride b) {
  int64_t total = 0;
  return a && b && !AddOverflow(*a, *b, total) ? Stride(total) : std::nullopt;
}

/// The stride of a value that is one of two: if one is uniform, such as the bound of a clamp, the other's.
Stride mergeStrides(Stride a, Stride b) {
  if (a == b || b == 0)
    return a;
  return a == 0 ? b : std::nullopt;
}

Strides scaleStrides(const Strides &strides, int64_t factor) {
  return zipAxes(strides, strides, [&](Stride s, Stride) {
    int64_t product = 0;
    return s && !MulOverflow(*s, factor, product) ? Stride(product) : std::nullopt;
  });
}

/// The stride of any other operation: uniform if its operands are.
Stride strideOfOpaque(Stride a, Stride b) { return a == 0 && b == 0 ? Stride(0) : std::nullopt; }

} // namespace

ThreadStrides::ThreadStrides(const Function &f, Neighbors neighbors)
    : layout_(f.getDataLayout()), neighbors_(neighbors) {
  // A stride changes from 0 to another constant and then to nullopt: at most three iterations per loop.
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock &block : f)
      for (const Instruction &i : block)
        changed |= visit(i);
  }
}

Strides ThreadStrides::of(const Value &v) const {
  auto found = strides_.find(&v);
  return found == strides_.end() ? uniform : found->second;
}

bool ThreadStrides::visit(const Instruction &i) {
  Strides now = stridesOf(i), &known = strides_.try_emplace(&i, uniform).first->second;
  // Only move up in the lattice, to guarantee termination.
  now = zipAxes(known, now, mergeStrides);
  bool changed = now != known;
  known = now;
  return changed;
}

Strides ThreadStrides::stridesOf(const Instruction &i) const {
  auto anyOf = [&](Stride (*join)(Stride, Stride), auto &&values) {
    Strides all = uniform;
    for (const Use &use : values)
      all = zipAxes(all, of(*use), join);
    return all;
  };
  if (std::optional<Op> op = calledOp(&i)) {
    if (*op >= Op::ThreadIdX && *op <= Op::ThreadIdZ) {
      Strides unit = uniform;
      unit[unsigned(*op) - unsigned(Op::ThreadIdX)] = 1;
      return unit;
    }
    if (*op == Op::Wrap) // few threads count from the end
      return operand(i, 0);
    return info(*op).has(Pure) ? anyOf(strideOfOpaque, cast<CallBase>(i).args()) : Strides();
  }
  if (const auto *phi = dyn_cast<PHINode>(&i))
    return anyOf(mergeStrides, phi->incoming_values());
  if (isa<SelectInst>(i))
    return zipAxes(operand(i, 1), operand(i, 2), mergeStrides);
  if (const auto *clamp = dyn_cast<MinMaxIntrinsic>(&i))
    return zipAxes(of(*clamp->getLHS()), of(*clamp->getRHS()), mergeStrides);
  if (const auto *address = dyn_cast<GEPOperator>(&i))
    return strideOfAddress(*address);
  if (const auto *cast = dyn_cast<CastInst>(&i);
      cast && !cast->getType()->isFPOrFPVectorTy() && !cast->getSrcTy()->isFPOrFPVectorTy())
    return operand(i, 0);
  if (isa<FreezeInst>(i))
    return operand(i, 0);
  if (isa<LoadInst>(i) && isa<AllocaInst>(getUnderlyingObject(i.getOperand(0))))
    return {};
  if (isa<AllocaInst>(i))
    return uniform;
  if (std::optional<Strides> part = stridesInWarp(i))
    return *part;
  switch (i.getOpcode()) {
  case Instruction::URem:
  case Instruction::SRem: // by an extent: most threads of a row do not reach its end
    if (!isa<llvm::Constant>(i.getOperand(1)))
      return zipAxes(operand(i, 0), operand(i, 1),
                     [](Stride a, Stride b) { return b == 0 ? a : std::nullopt; });
    break;
  case Instruction::Add:
    return zipAxes(operand(i, 0), operand(i, 1), addStrides);
  case Instruction::Or:
    if (cast<PossiblyDisjointInst>(i).isDisjoint())
      return zipAxes(operand(i, 0), operand(i, 1), addStrides);
    break;
  case Instruction::Sub:
    return zipAxes(operand(i, 0), scaleStrides(operand(i, 1), -1), addStrides);
  case Instruction::Mul:
    for (unsigned n : {0, 1})
      if (const auto *factor = dyn_cast<ConstantInt>(i.getOperand(n));
          factor && factor->getValue().isSignedIntN(32))
        return scaleStrides(operand(i, 1 - n), factor->getSExtValue());
    break;
  case Instruction::Shl:
    if (const auto *bits = dyn_cast<ConstantInt>(i.getOperand(1)); bits && bits->getValue().ult(32))
      return scaleStrides(operand(i, 0), int64_t(1) << bits->getZExtValue());
    break;
  default:
    break;
  }
  return anyOf(strideOfOpaque, i.operands());
}

std::optional<Strides> ThreadStrides::stridesInWarp(const Instruction &i) const {
  const auto *constant = isa<BinaryOperator>(i) ? dyn_cast<ConstantInt>(i.getOperand(1)) : nullptr;
  Stride stride = constant ? operand(i, 0)[0] : std::nullopt;
  if (neighbors_ != Neighbors::InWarp || !stride || *stride <= 0 || *stride >= 1 << 16)
    return std::nullopt;
  // A warp's first value is a multiple of `span`, and the others are less than `span` above it.
  uint64_t span = 32 * PowerOf2Ceil(uint64_t(*stride));
  const APInt &bits = constant->getValue();
  auto alongX = [](int64_t stride) { return Strides{stride, std::nullopt, std::nullopt}; };
  switch (i.getOpcode()) {
  case Instruction::And:
    if ((bits + 1).isPowerOf2() && bits.uge(span - 1))
      return alongX(*stride);
    if (bits.countr_zero() >= Log2_64(span))
      return alongX(0);
    return std::nullopt;
  case Instruction::LShr:
  case Instruction::AShr:
    return bits.uge(Log2_64(span)) ? std::optional(alongX(0)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

Strides ThreadStrides::strideOfAddress(const GEPOperator &address) const {
  unsigned bits = layout_.getIndexTypeSizeInBits(address.getType());
  SmallMapVector<Value *, APInt, 4> variable;
  APInt constant(bits, 0);
  if (address.getType()->isVectorTy() || !address.collectOffset(layout_, bits, variable, constant))
    return {};
  Strides all = of(*address.getPointerOperand());
  for (const auto &[index, scale] : variable)
    all = zipAxes(all, scaleStrides(of(*index), scale.getSExtValue()), addStrides);
  return all;
}

} // namespace heddle::simt
