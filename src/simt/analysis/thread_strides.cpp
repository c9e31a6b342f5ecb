#include "simt/analysis/thread_strides.h"

#include "simt/ir/ops.h"

#include "llvm/Analysis/ValueTracking.h"

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr unsigned lanesPerWarp = 32;

}

ThreadStrides::ThreadStrides(const Function &f, Axis axis)
    : ShapeRules(View::Estimate, f.getDataLayout(), lanesPerWarp), axis_(axis) {
  // A stride changes from 0 to another one and then to varying: at most three iterations per loop.
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock &block : f)
      for (const Instruction &i : block)
        changed |= updateShape(i);
  }
}

std::optional<int64_t> ThreadStrides::of(const Value &v) const {
  LaneShape shape = shapeOf(v);
  return shape.isVarying() ? std::nullopt : std::optional(shape.stride);
}

LaneShape ThreadStrides::shapeOf(const Value &v) const {
  auto found = shapes_.find(&v);
  return found == shapes_.end() ? LaneShape::uniform() : found->second;
}

bool ThreadStrides::updateShape(const Instruction &i) {
  LaneShape known = shapeOf(i);
  // Only move up in the lattice, to guarantee termination.
  LaneShape now = merge(known, computeShape(i));
  if (now == known)
    return false;
  shapes_[&i] = now;
  return true;
}

LaneShape ThreadStrides::computeShape(const Instruction &i) const {
  if (std::optional<Op> op = calledOp(&i)) {
    if (*op >= Op::ThreadIdX && *op <= Op::ThreadIdZ)
      return LaneShape::strided(unsigned(*op) - unsigned(Op::ThreadIdX) == unsigned(axis_));
    if (*op == Op::LaneId && axis_ == Axis::X)
      return LaneShape::strided(1);
    if (*op == Op::LaneId || !info(*op).has(Pure))
      return LaneShape::varying();
  }
  if (const auto *phi = dyn_cast<PHINode>(&i)) {
    LaneShape all = LaneShape::uniform();
    for (const Value *incoming : phi->incoming_values())
      all = merge(all, shapeOf(*incoming));
    return all;
  }
  if (isa<LoadInst>(i) && isa<AllocaInst>(getUnderlyingObject(i.getOperand(0))))
    return LaneShape::varying();
  return shapeOfResult(i);
}

} // namespace heddle::simt
