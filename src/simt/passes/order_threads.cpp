#include "simt/passes/order_threads.h"

#include "simt/analysis/accesses.h"
#include "simt/analysis/divergence.h"
#include "simt/analysis/sync_points.h"
#include "simt/ir/ops.h"
#include "simt/ir/remarks.h"
#include "simt/passes/lowering.h"
#include "simt/thresholds.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <cmath>
#include <numeric>

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr const char *orderAttribute = "simt.thread-order";

constexpr unsigned lanes = 32;
constexpr unsigned sectorBytes = 32; ///< granularity of a GPU's memory accesses
constexpr unsigned bankBytes = 4, banks = 32;
/// Assumed trip count of a loop, and the maximum nesting depth that counts.
constexpr unsigned iterationsPerLoop = 8, maxLoopDepth = 4;

/// Returns true if the instruction reveals which threads make up a warp, or reports a thread's position to the user.
bool dependsOnThreadOrder(const Instruction &i) {
  if (i.isVolatile())
    return true;
  const auto *call = dyn_cast<CallBase>(&i);
  if (!call || isa<IntrinsicInst>(call))
    return false;
  std::optional<Op> op = calledOp(call);
  if (!op)
    return true;
  const OpInfo &row = info(*op);
  return row.has(Warp) || row.has(NoReturn) || *op == Op::LaneId || *op == Op::WarpSize ||
         *op == Op::Print || isNamedBarrier(*op);
}

/// Returns true if threads may wait at different barriers. Only whole warps may do so, and reordering changes the
/// warps.
bool mayDivergeAtSyncPoints(Function &f) {
  if (!hasSyncPoints(f))
    return false;
  DivergenceAnalyses known(Neighbors::InOrder);
  return findBranchToDifferentSyncPoints(f, known.functionAnalyses()) != nullptr;
}

/// The number of memory sectors that a warp accesses with this stride between lanes.
unsigned sectorsPerAccess(std::optional<int64_t> stride) {
  if (!stride)
    return lanes;
  uint64_t bytes = uint64_t(std::abs(*stride)) * lanes;
  return unsigned(std::clamp<uint64_t>(bytes / sectorBytes, 1, lanes));
}

/// The number of serialized accesses to shared memory.
unsigned bankConflicts(std::optional<int64_t> stride) {
  if (!stride)
    return lanes / 2; // unknown: assume half the worst case
  uint64_t words = uint64_t(std::abs(*stride)) / bankBytes;
  return words ? unsigned(std::gcd(words, uint64_t(banks))) : 1;
}

/// Returns true if the value depends on data in memory, such as the index of a gather.
bool dependsOnLoadedValue(Value &value) {
  SmallVector<Value *> open{&value};
  SmallPtrSet<Value *, 32> seen;
  while (!open.empty()) {
    auto *i = dyn_cast<Instruction>(open.pop_back_val());
    if (!i || !seen.insert(i).second)
      continue;
    if (isa<LoadInst>(i) || seen.size() > thresholds::maxAnalysisSteps)
      return true;
    append_range(open, i->operands());
  }
  return false;
}

/// Returns true if the access may be contiguous along either axis: it is to an array whose strides are known only when
/// the kernel runs.
bool hasUnknownOrder(const Access &access, Axis other) {
  return !access.isShared() && !access.strideAlong(Axis::X) && !access.strideAlong(other) &&
         !dependsOnLoadedValue(access.address());
}

/// The cost of a warp's memory accesses if its lanes are neighbors along x, and along another axis.
struct Costs {
  double alongX = 0, along = 0;
};

Costs operator+(const Costs &a, const Costs &b) { return {a.alongX + b.alongX, a.along + b.along}; }

/// The costs of the accesses of shared memory, or of the others.
Costs sumAccessCosts(const Accesses &accesses, Axis other, bool shared) {
  Costs costs;
  for (const Access &access : accesses.all()) {
    if (isa<AllocaInst>(access.object) || access.isShared() != shared)
      continue;
    unsigned depth = access.loop ? access.loop->getLoopDepth() : 0;
    double times = std::pow(iterationsPerLoop, std::min(depth, maxLoopDepth));
    if (!access.isLoad())
      times *= thresholds::storeCostInLoads;
    auto costAlong = [&](std::optional<int64_t> stride) {
      return times * (shared ? bankConflicts(stride) : sectorsPerAccess(stride));
    };
    // Most programs map x to the contiguous axis.
    std::optional<int64_t> x =
        hasUnknownOrder(access, other) ? access.bytes() : access.strideAlong(Axis::X);
    costs.alongX += costAlong(x);
    costs.along += costAlong(access.strideAlong(other));
  }
  return costs;
}

/// The cost of this order relative to the order along x. Fewer bank conflicts do not pay for more sectors of global
/// memory.
double estimateRelativeCost(const Accesses &accesses, Axis other) {
  Costs global = sumAccessCosts(accesses, other, /*shared=*/false);
  Costs all = global + sumAccessCosts(accesses, other, /*shared=*/true);
  if (global.along > global.alongX)
    return 1;
  return all.alongX == 0 ? 0 : all.along / all.alongX;
}

ThreadOrder chooseThreadOrder(Function &f, FunctionAnalysisManager &am) {
  bool uses[3] = {};
  for (const Instruction &i : instructions(f)) {
    if (dependsOnThreadOrder(i))
      return ThreadOrder::AlongX;
    if (std::optional<Op> op = calledOp(&i); op && *op >= Op::ThreadIdX && *op <= Op::ThreadIdZ)
      uses[unsigned(*op) - unsigned(Op::ThreadIdX)] = true;
  }
  ThreadOrder best = ThreadOrder::AlongX;
  if (!uses[1] && !uses[2])
    return best;
  const auto &accesses = am.getResult<AccessAnalysis>(f);
  double bestRatio = thresholds::maxCostPercent / 100.0;
  for (ThreadOrder order : {ThreadOrder::AlongZ, ThreadOrder::AlongY}) {
    if (!uses[unsigned(order)])
      continue;
    double ratio = estimateRelativeCost(accesses, Axis(unsigned(order)));
    if (ratio > bestRatio)
      continue;
    best = order;
    bestRatio = ratio;
  }
  return best;
}

/// Exchanges the x axis of a thread or block operation with the axis of the order. `x` is the operation for x.
void exchangeAxes(Function &f, Op x, ThreadOrder order) {
  auto opOf = [&](unsigned axis) { return Op(unsigned(x) + axis); };
  unsigned other = unsigned(order);
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    std::optional<Op> op = calledOp(&i);
    if (op != opOf(0) && op != opOf(other))
      continue;
    IRBuilder<> b(&i);
    Op exchanged = op == opOf(0) ? opOf(other) : opOf(0);
    Value *value = call(b, exchanged, {});
    if (order == ThreadOrder::AlongZ) { // unless the block was too large to rotate
      Value *done = b.CreateICmpULE(call(b, Op::BlockDimX, {}), b.getInt32(maxThreadsAlongZ));
      value = b.CreateSelect(done, value, call(b, *op, {}));
    }
    i.replaceAllUsesWith(value);
    i.eraseFromParent();
  }
}

} // namespace

ThreadOrder threadOrderOf(const Function &kernel) {
  unsigned order = 0;
  kernel.getFnAttribute(orderAttribute).getValueAsString().getAsInteger(10, order);
  return ThreadOrder(order);
}

PreservedAnalyses OrderThreads::run(Function &f, FunctionAnalysisManager &am) {
  if (!isKernel(f))
    return PreservedAnalyses::all();
  ThreadOrder order = chooseThreadOrder(f, am);
  if (order == ThreadOrder::AlongX || mayDivergeAtSyncPoints(f))
    return PreservedAnalyses::all();
  exchangeAxes(f, Op::BlockDimX,
               order); // first: exchanging thread indices queries the launched extents
  exchangeAxes(f, Op::ThreadIdX, order);
  f.addFnAttr(orderAttribute, std::to_string(unsigned(order)));
  addRemark(f,
            std::string("a warp's threads are neighbors along ") + "xyz"[unsigned(order)] +
                ": along x fewer of their accesses to memory, or of their stores, are contiguous");
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
