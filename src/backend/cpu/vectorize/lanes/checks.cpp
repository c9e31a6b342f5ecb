#include "backend/cpu/vectorize/lanes/checks.h"

#include "backend/cpu/vectorize/lanes/masks.h"
#include "backend/cpu/vectorize/widen.h"
#include "simt/ir/checks.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::cpu {

using namespace llvm;
using namespace llvm::PatternMatch;
using simt::IndexCheck;

struct LaneChecks::Operands {
  IndexCheck check;
  int64_t firstStride, lastStride;
  Value *mask; ///< null for all lanes
  DebugLoc location;

  /// Returns true if all lanes check the same number of indices at the same distances.
  bool hasSameCountInAllLanes() const { return check.isSingleIndex() || firstStride == lastStride; }
};

void LaneChecks::emitPlaceholderCheck(IRBuilderBase &b, const CallInst &call,
                                      const LaneShapes &shapes, LaneValues &values, Value *mask) {
  IndexCheck check = IndexCheck::of(call);
  auto strideOf = [&](Value *v) {
    LaneShape shape = shapes.shapeOf(*v);
    return shape.isVarying() ? 0 : shape.stride;
  };
  auto indices = [&](Value *v) { return shapes.shapeOf(*v).isVarying() ? values.vector(v) : v; };
  SmallVector<Value *, 8> operands{check.site};
  operands.push_back(indices(check.first));
  operands.push_back(check.isSingleIndex() ? operands.back() : indices(check.last));
  for (Value *v : {check.step, check.low, check.high})
    operands.push_back(values.scalarOrVector(v));
  if (mask)
    operands.push_back(mask);
  SmallVector<Type *, 8> types;
  for (Value *v : operands)
    types.push_back(v->getType());
  Function *placeholder =
      Function::Create(FunctionType::get(b.getVoidTy(), types, false), GlobalValue::ExternalLinkage,
                       "heddle.lanes.check" + std::to_string(groups_.size()), f.getParent());
  groups_.push_back({b.CreateCall(placeholder, operands), strideOf(check.first),
                     strideOf(check.last), mask != nullptr});
}

LaneChecks::Operands LaneChecks::operandsOf(const Group &group) const {
  Value *mask =
      group.masked ? group.placeholder->getArgOperand(group.placeholder->arg_size() - 1) : nullptr;
  return {IndexCheck::of(*group.placeholder), group.firstStride, group.lastStride, mask,
          group.placeholder->getDebugLoc()};
}

namespace {

bool hasVectorOperands(const IndexCheck &check) {
  return any_of(ArrayRef{check.first, check.last, check.low, check.high},
                [](Value *v) { return v->getType()->isVectorTy(); });
}

} // namespace

Value *LaneChecks::emitMayFailTest(IRBuilderBase &b, ArrayRef<Operands> checks,
                                   SmallVectorImpl<Value *> &lanes) const {
  Value *any = nullptr;
  auto add = [&](Value *out) { any = any ? b.CreateOr(any, out) : out; };
  auto atEnds = [&](Value *index, int64_t stride, Value *low, Value *high) {
    if (!stride)
      return simt::emitOutOfBoundsTest(b, index, low, high);
    Value *last = b.CreateAdd(index, b.getInt64(uint64_t(int64_t(width - 1) * stride)));
    Value *out = simt::emitOutOfBoundsTest(b, last, low, high);
    // With a nonnegative start and a positive stride, the last lane has the largest index.
    if (stride > 0 && match(low, m_Zero()) && isKnownNonNegative(index, f.getDataLayout()))
      return out;
    return b.CreateOr(simt::emitOutOfBoundsTest(b, index, low, high), out);
  };
  simt::MinimumExtents<std::pair<Value *, int64_t>>
      extents; // by the first lane's index and the stride
  for (const Operands &o : checks) {
    const IndexCheck &check = o.check;
    lanes.push_back(hasVectorOperands(check) ? emitFailingLanes(b, o) : nullptr);
    if (lanes.back()) {
      add(b.CreateIsNotNull(lanes.back()));
    } else if (!check.isSingleIndex()) {
      Value *out = b.CreateOr(atEnds(check.first, o.firstStride, check.low, check.high),
                              atEnds(check.last, o.lastStride, check.low, check.high));
      if (o.hasSameCountInAllLanes())
        out = b.CreateAnd(
            out, b.CreateNot(simt::emitEmptyRangeTest(b, check.first, check.last, check.step)));
      add(out);
    } else if (match(check.low, m_Zero())) {
      extents.add(b, {check.first, o.firstStride}, check.high);
    } else {
      add(atEnds(check.first, o.firstStride, check.low, check.high));
    }
  }
  for (auto &[indices, extent] : extents)
    add(atEnds(indices.first, indices.second, b.getInt64(0), extent));
  return any;
}

namespace {

/// Tests an index extended from 32 bits in 32 bits, with half the registers. Returns null if that does not apply.
Value *emitNarrowOutOfBoundsTest(IRBuilderBase &b, Value *index, Value *low, Value *high) {
  Value *number;
  if (!match(index, m_SExt(m_Value(number))) || number->getType()->getScalarSizeInBits() > 32 ||
      low->getType()->isVectorTy() || high->getType()->isVectorTy())
    return nullptr;
  auto *vector = cast<VectorType>(number->getType());
  auto *wide = VectorType::get(b.getInt32Ty(), vector->getElementCount());
  number = b.CreateSExt(number, wide);
  auto all = [&](Value *v) {
    return b.CreateVectorSplat(vector->getElementCount(), b.CreateTrunc(v, b.getInt32Ty()));
  };
  if (match(low, m_Zero())) {
    Value *top = b.CreateBinaryIntrinsic(Intrinsic::umin, high, b.getInt64(uint64_t(1) << 31));
    return b.CreateICmpUGE(number, all(top));
  }
  // Counting from the end: index + extent must be in [0, 2 * extent).
  if (match(low, m_Neg(m_Specific(high))) &&
      computeConstantRange(high, /*ForSigned=*/false).getActiveBits() < 32) {
    Value *twice = all(b.CreateShl(high, 1));
    return b.CreateICmpUGE(b.CreateAdd(number, all(high)), twice);
  }
  Value *last = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateSub(high, b.getInt64(1)),
                                        b.getInt64(uint64_t(INT32_MAX)));
  Value *minimum =
      b.CreateBinaryIntrinsic(Intrinsic::smax, low, b.getInt64(uint64_t(int64_t(INT32_MIN))));
  return b.CreateOr(b.CreateICmpSGT(number, all(last)), b.CreateICmpSLT(number, all(minimum)));
}

} // namespace

Value *LaneChecks::emitFailingLanes(IRBuilderBase &b, const Operands &o) const {
  auto each = [&](Value *v, int64_t stride) -> Value * {
    if (v->getType()->isVectorTy())
      return v;
    Value *all = b.CreateVectorSplat(width, v);
    if (!stride)
      return all;
    SmallVector<Constant *, 32> steps;
    for (unsigned lane = 0; lane < width; ++lane)
      steps.push_back(b.getInt64(uint64_t(int64_t(lane) * stride)));
    return b.CreateAdd(all, ConstantVector::get(steps));
  };
  const IndexCheck &check = o.check;
  auto outside = [&](Value *index, int64_t stride) {
    if (index->getType()->isVectorTy())
      if (Value *out = emitNarrowOutOfBoundsTest(b, index, check.low, check.high))
        return out;
    return simt::emitOutOfBoundsTest(b, each(index, stride), each(check.low, 0),
                                     each(check.high, 0));
  };
  Value *out = outside(check.first, o.firstStride);
  if (!check.isSingleIndex()) {
    out = b.CreateOr(out, outside(check.last, o.lastStride));
    out = b.CreateAnd(out, b.CreateNot(simt::emitEmptyRangeTest(b, each(check.first, o.firstStride),
                                                                each(check.last, o.lastStride),
                                                                each(check.step, 0))));
  }
  return maskToInteger(b, andMask(b, o.mask, out));
}

void LaneChecks::emitTrap(IRBuilderBase &b, const Operands &o, Value *lanes) const {
  Value *lane = b.CreateIntrinsic(Intrinsic::cttz, {lanes->getType()}, {lanes, b.getTrue()});
  lane = b.CreateZExtOrTrunc(lane, b.getInt32Ty());
  auto extractLane = [&](Value *v, int64_t stride) {
    if (v->getType()->isVectorTy())
      return b.CreateExtractElement(v, lane);
    return stride ? b.CreateAdd(v, b.CreateMul(b.CreateZExt(lane, b.getInt64Ty()),
                                               b.getInt64(uint64_t(stride))))
                  : v;
  };
  IndexCheck own = o.check;
  own.first = extractLane(own.first, o.firstStride);
  own.last = o.check.isSingleIndex() ? own.first : extractLane(own.last, o.lastStride);
  own.step = extractLane(own.step, 0);
  own.low = extractLane(own.low, 0);
  own.high = extractLane(own.high, 0);
  Value *index = simt::emitFirstOutOfBounds(b, own);
  b.CreateCall(simt::declare(*f.getParent(), simt::Op::TrapIndex), {own.site, index, own.high},
               OperandBundleDef(laneBundle, lane));
}

CallInst *LaneChecks::emitCheckLanesCall(IRBuilderBase &b, const Operands &o) const {
  const IndexCheck &check = o.check;
  Type *number = b.getInt64Ty();
  SmallVector<Type *, 9> types(9, number);
  types[0] = b.getInt32Ty();
  FunctionCallee placeholder = f.getParent()->getOrInsertFunction(
      checkLanesPlaceholder, FunctionType::get(b.getVoidTy(), types, false));
  auto *declared = cast<Function>(placeholder.getCallee());
  declared->setDoesNotThrow();
  Value *lanes = o.mask ? b.CreateZExt(maskToInteger(b, o.mask), number)
                        : static_cast<Value *>(b.getInt64(maskTrailingOnes<uint64_t>(width)));
  return b.CreateCall(placeholder, {check.site, check.first, b.getInt64(uint64_t(o.firstStride)),
                                    check.last, b.getInt64(uint64_t(o.lastStride)), check.step,
                                    check.low, check.high, lanes});
}

void LaneChecks::replacePlaceholders(ArrayRef<Group> adjacent) {
  CallInst *last = adjacent.back().placeholder;
  BasicBlock *before = last->getParent();
  SmallVector<Operands, 4> checks;
  for (const Group &group : adjacent)
    checks.push_back(operandsOf(group));
  IRBuilder<> b(last);
  b.SetCurrentDebugLocation(checks.front().location);
  bool isExact =
      all_of(checks, [](const Operands &o) { return !o.mask && o.hasSameCountInAllLanes(); });
  SmallVector<Value *, 4> bits;
  Value *any = emitMayFailTest(b, checks, bits);
  BasicBlock *after = SplitBlock(before, last);
  after->setName("in_bounds");
  auto block = [&](const char *name) {
    return BasicBlock::Create(f.getContext(), name, &f, after);
  };
  MDNode *unlikely = MDBuilder(f.getContext()).createUnlikelyBranchWeights();
  BasicBlock *lanes = block("lanes");
  before->getTerminator()->eraseFromParent();
  b.SetInsertPoint(before);
  b.CreateCondBr(any, lanes, after, unlikely);
  for (auto [n, check] : enumerate(checks)) {
    b.SetInsertPoint(lanes);
    b.SetCurrentDebugLocation(check.location);
    bool isLast = n + 1 == checks.size();
    if (!bits[n]) {
      CallInst *call = emitCheckLanesCall(b, check);
      if (isLast && isExact)
        call->setDoesNotReturn();
      if (isLast)
        b.CreateBr(after);
      continue;
    }
    Value *out = bits[n];
    if (isLast && isExact) {
      emitTrap(b, check, out);
      b.CreateBr(after);
      break;
    }
    BasicBlock *stop = block("out_of_bounds");
    lanes = isLast ? after : block("lanes");
    b.CreateCondBr(b.CreateIsNotNull(out), stop, lanes, unlikely);
    b.SetInsertPoint(stop);
    emitTrap(b, check, out);
    b.CreateBr(after);
  }
  for (const Group &group : adjacent) {
    Function *placeholder = group.placeholder->getCalledFunction();
    group.placeholder->eraseFromParent();
    placeholder->eraseFromParent();
  }
}

void LaneChecks::replacePlaceholders() {
  auto follows = [](const CallInst &first, const CallInst &second) {
    for (const Instruction *i = first.getNextNode(); i; i = i->getNextNode()) {
      if (i == &second)
        return true;
      if (i->mayReadOrWriteMemory() || i->mayHaveSideEffects())
        return false;
    }
    return false;
  };
  for (size_t begin = 0, end; begin < groups_.size(); begin = end) {
    for (end = begin + 1;
         end < groups_.size() && follows(*groups_[end - 1].placeholder, *groups_[end].placeholder);)
      ++end;
    replacePlaceholders(ArrayRef(groups_).slice(begin, end - begin));
  }
}

} // namespace heddle::cpu
