#include "simt/passes/order_threads.h"

#include "simt/analysis/divergence.h"
#include "simt/analysis/meetings.h"
#include "simt/analysis/thread_strides.h"
#include "simt/ir/ops.h"
#include "simt/ir/remarks.h"
#include "simt/passes/lowering.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <cmath>
#include <numeric>

namespace heddle::simt {

using namespace llvm;

namespace {

constexpr const char *orderAttribute = "simt.thread-order";

constexpr unsigned lanes = 32;
constexpr unsigned sectorBytes = 32; ///< what a GPU's memory is read and written by
constexpr unsigned bankBytes = 4, banks = 32;
/// How much more often an instruction in a loop is taken to run than one around it, and how many loops count.
constexpr unsigned iterations = 8, deepest = 4;
/// What a store takes, in loads: a transposition on an H200 takes 1.4 to 3 times as long if its stores are apart as if its
/// loads are.
constexpr unsigned loadsOfStore = 2;
/// Another order is taken where it saves a quarter at least.
constexpr double worthwhile = 0.75;

/// Whether the kernel can tell which threads make up a warp, or tells the user where a thread is.
bool seesOrder(const Instruction &i) {
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
         *op == Op::Print;
}

/// Whether threads may wait at different barriers. Only whole warps may, and which threads make up one would change.
bool mayWaitApart(Function &f) {
  if (!hasMeetings(f))
    return false;
  DivergenceAnalyses known(Neighbours::InOrder);
  return partingToMeetings(f, known.functions()) != nullptr;
}

/// Pieces of memory that a warp accesses at once if its lanes are neighbours with that stride.
unsigned sectors(std::optional<int64_t> stride) {
  if (!stride)
    return lanes;
  uint64_t bytes = uint64_t(std::abs(*stride)) * lanes;
  return unsigned(std::clamp<uint64_t>(bytes / sectorBytes, 1, lanes));
}

/// Accesses, one after the other, that a warp's access to shared memory becomes.
unsigned bankConflicts(std::optional<int64_t> stride) {
  if (!stride)
    return lanes / 2; // it may be anything
  uint64_t words = uint64_t(std::abs(*stride)) / bankBytes;
  return words ? unsigned(std::gcd(words, uint64_t(banks))) : 1;
}

/// What a warp's accesses to memory cost if its lanes are neighbours along an axis.
std::array<double, 3> costsOf(const Function &f, const LoopInfo &loops) {
  ThreadStrides strides(f);
  std::array<double, 3> costs{};
  for (const Instruction &i : instructions(f)) {
    const Value *pointer = getLoadStorePointerOperand(&i);
    if (!pointer)
      continue;
    const Value *object = getUnderlyingObject(pointer);
    if (isa<AllocaInst>(object))
      continue;
    bool shared = object->getType()->getPointerAddressSpace() == Shared;
    double times = std::pow(iterations, std::min(loops.getLoopDepth(i.getParent()), deepest));
    if (isa<StoreInst>(i))
      times *= loadsOfStore;
    Strides place = strides.of(*pointer);
    for (size_t axis = 0; axis < costs.size(); ++axis)
      costs[axis] += times * (shared ? bankConflicts(place[axis]) : sectors(place[axis]));
  }
  return costs;
}

ThreadOrder orderFor(Function &f, const LoopInfo &loops) {
  bool uses[3] = {};
  for (const Instruction &i : instructions(f)) {
    if (seesOrder(i))
      return ThreadOrder::AlongX;
    if (std::optional<Op> op = calledOp(&i); op && *op >= Op::ThreadIdX && *op <= Op::ThreadIdZ)
      uses[unsigned(*op) - unsigned(Op::ThreadIdX)] = true;
  }
  ThreadOrder best = ThreadOrder::AlongX;
  if (!uses[1] && !uses[2])
    return best;
  std::array<double, 3> costs = costsOf(f, loops);
  double least = costs[0] * worthwhile;
  for (ThreadOrder order : {ThreadOrder::AlongZ, ThreadOrder::AlongY}) {
    unsigned axis = unsigned(order);
    if (!uses[axis] || costs[axis] > least)
      continue;
    best = order;
    least = costs[axis];
  }
  return best;
}

/// Has `f` read index `axis` of thread or block, of the operations that begin with `x`, as the launch has them.
void exchange(Function &f, Op x, ThreadOrder order) {
  auto opOf = [&](unsigned axis) { return Op(unsigned(x) + axis); };
  unsigned other = unsigned(order);
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    std::optional<Op> op = calledOp(&i);
    if (op != opOf(0) && op != opOf(other))
      continue;
    IRBuilder<> b(&i);
    Op exchanged = op == opOf(0) ? opOf(other) : opOf(0);
    Value *value = call(b, exchanged, {});
    if (order == ThreadOrder::AlongZ) { // unless the block was too large for it
      Value *done = b.CreateICmpULE(call(b, Op::BlockDimX, {}), b.getInt32(mostThreadsAlongZ));
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
  ThreadOrder order = orderFor(f, am.getResult<LoopAnalysis>(f));
  if (order == ThreadOrder::AlongX || mayWaitApart(f))
    return PreservedAnalyses::all();
  exchange(f, Op::BlockDimX, order); // first: the other asks how the block was launched
  exchange(f, Op::ThreadIdX, order);
  f.addFnAttr(orderAttribute, std::to_string(unsigned(order)));
  addRemark(f,
            std::string("a warp's threads are neighbours along ") + "xyz"[unsigned(order)] +
                ": along x fewer of their accesses to memory, or of their stores, are contiguous");
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
