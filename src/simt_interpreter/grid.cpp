#include "simt_interpreter/grid.h"

#include "llvm/IR/DebugInfoMetadata.h"

#include <algorithm>
#include <utility>

namespace heddle::interpreter {

using namespace llvm;
using simt::Op;

namespace {

bool isBlockBarrier(Op op) {
  return op == Op::Barrier || op == Op::BarrierCount || op == Op::BarrierAnd || op == Op::BarrierOr;
}

bool waitsAtWarpOperation(const Thread &thread) {
  return thread.state() == Thread::State::Waiting &&
         simt::info(thread.request().op).has(simt::Warp);
}

bool usesNamedBarriers(const Module &module) {
  return any_of(module, [](const Function &f) {
    std::optional<Op> op = simt::opNamed(f.getName());
    return op && simt::isNamedBarrier(*op) && !f.use_empty();
  });
}

/// The number of threads with a true predicate, or if all or any is true (PTX ISA, "barrier").
APInt computeBarrierResult(Op op, size_t threads, size_t predicates) {
  switch (op) {
  case Op::BarrierAnd:
    return APInt(32, predicates == threads);
  case Op::BarrierOr:
    return APInt(32, predicates > 0);
  default:
    return APInt(32, predicates);
  }
}

} // namespace

Grid::Grid(LaunchState &launch, const Module &module, const Function &kernel,
           ArrayRef<Datum> arguments)
    : launch_(launch) {
  const Extents &grid = launch.launch.grid, &block = launch.launch.block;
  hasNamedBarriers_ = usesNamedBarriers(module);
  blockThreads_ = size_t(block[0]) * block[1] * block[2];
  threads_.reserve(blockThreads_ * grid[0] * grid[1] * grid[2]);
  for (uint32_t z = 0; z < grid[2]; ++z)
    for (uint32_t y = 0; y < grid[1]; ++y)
      for (uint32_t x = 0; x < grid[0]; ++x)
        addBlock({x, y, z}, module, kernel, arguments);
  live_ = threads_.size();
  for (size_t i = 0; i < live_; ++i)
    ready_.push_back(i);
}

void Grid::addBlock(Extents index, const Module &module, const Function &kernel,
                    ArrayRef<Datum> arguments) {
  BlockState state{index, blocks_.size()};
  uint32_t region = launch_.memory.addRegion(simt::Shared, state.number);
  state.dynamicShared = launch_.memory.allocate(region, launch_.launch.dynamicSharedBytes);
  for (const GlobalVariable &g : module.globals())
    if (g.getAddressSpace() == simt::Shared)
      state.shared[&g] =
          launch_.memory.allocate(region, launch_.layout.getTypeAllocSize(g.getValueType()));
  blocks_.push_back({std::move(state), threads_.size(), blockThreads_});
  for (uint32_t i = 0; i < blockThreads_; ++i)
    threads_.emplace_back(launch_, blocks_.back().state, threads_.size(), i, kernel, arguments);
}

std::optional<Error> Grid::run() {
  std::optional<size_t> running;
  try {
    while (!ready_.empty()) {
      size_t position = launch_.random() % ready_.size();
      running = ready_[position];
      runTurnOfThread(position);
    }
    running.reset();
    for (size_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].state() != Thread::State::Returned) {
        running = i;
        throw Failure{FailureKind::Deadlock, "the threads wait for each other, or for one that "
                                             "never comes: " +
                                                 describeWait(i)};
      }
    return std::nullopt;
  } catch (const Failure &failure) {
    return makeError(failure, blamed_ ? blamed_ : running);
  }
}

/// Most turns are short, but some are long enough for a thread to get far ahead of the others.
void Grid::runTurnOfThread(size_t position) {
  size_t number = ready_[position];
  Thread &thread = threads_[number];
  uint64_t steps = uint64_t(1) << launch_.random() % 12;
  for (uint64_t i = 0; i < steps; ++i) {
    if (++launch_.outcome.steps > launch_.launch.maxSteps)
      throw Failure{FailureKind::Endless,
                    "not finished after " + std::to_string(launch_.launch.maxSteps) + " steps"};
    bool yields = thread.step();
    if (thread.state() != Thread::State::Ready) {
      ready_[position] = ready_.back();
      ready_.pop_back();
      return completeWaitsAfterStep(number);
    }
    if (yields)
      return;
  }
}

/// Updates the state after a thread starts to wait or returns.
void Grid::completeWaitsAfterStep(size_t number) {
  const Thread &thread = threads_[number];
  Block &block = blocks_[number / blockThreads_];
  if (thread.state() == Thread::State::Returned) {
    --block.live;
    --live_;
  } else if (isBlockBarrier(thread.request().op) && !hasNamedBarriers_) {
    ++block.atBarrier;
  } else if (thread.request().op == Op::GridBarrier) {
    ++atGridBarrier_;
  }
  size_t lane0 = number - (number - block.first) % 32;
  Warp warp{lane0, unsigned(std::min<size_t>(32, block.first + blockThreads_ - lane0))};
  if (!tryCompleteWarpOperation(warp))
    tryCompleteActiveMask(warp);
  if (hasNamedBarriers_)
    completeNamedBarriers(block, warp);
  if (block.live && block.atBarrier == block.live)
    completeBlockBarrier(block);
  if (live_ && atGridBarrier_ == live_)
    completeGridBarrier();
}

/// Resumes the first complete set of lanes. Another set can become complete only after another arrival.
bool Grid::tryCompleteWarpOperation(const Warp &warp) {
  bool completed = false;
  for (unsigned lane = 0; lane < warp.lanes; ++lane) {
    const Thread &first = threads_[warp.first + lane];
    if (!waitsAtWarpOperation(first) || first.request().op == Op::WarpActive)
      continue;
    LaneMask together = 0, missing = 0;
    for (unsigned other = 0; other < warp.lanes; ++other) {
      const Thread &thread = threads_[warp.first + other];
      if (waitsAtWarpOperation(thread) && thread.request().matches(first.request()))
        together |= LaneMask(1) << other;
      else if (thread.state() != Thread::State::Returned)
        missing |= first.request().mask & LaneMask(1) << other;
    }
    if (missing)
      continue;
    resumeLanes(warp, together);
    completed = true;
  }
  return completed;
}

/// If no lane can run, the lanes at the first activemask continue together, as on a processor that reconverges diverged
/// lanes.
bool Grid::tryCompleteActiveMask(const Warp &warp) {
  LaneMask together = 0;
  uint64_t site = UINT64_MAX;
  for (unsigned lane = 0; lane < warp.lanes; ++lane) {
    const Thread &thread = threads_[warp.first + lane];
    if (thread.state() == Thread::State::Ready)
      return false;
    if (!waitsAtWarpOperation(thread) || thread.request().op != Op::WarpActive)
      continue;
    if (thread.site() < site)
      together = 0;
    site = std::min(site, thread.site());
    if (thread.site() == site)
      together |= LaneMask(1) << lane;
  }
  resumeLanes(warp, together);
  return together != 0;
}

void Grid::resumeLanes(const Warp &warp, LaneMask together) {
  std::array<WarpRequest, 32> requests;
  for (unsigned lane = 0; lane < warp.lanes; ++lane)
    requests[lane] = threads_[warp.first + lane].request();
  for (unsigned lane = 0; lane < warp.lanes; ++lane)
    if (together >> lane & 1)
      resume(warp.first + lane,
             computeWarpResult(lane, together, requests, launch_.outcome.undefinedReads));
}

/// Different warps may wait at different barriers of one kind; lanes of one warp must wait at the same barrier.
void Grid::requireSameBarrier(size_t first, size_t end) const {
  std::optional<size_t> previous;
  for (size_t i = first; i < end; ++i) {
    if (threads_[i].state() != Thread::State::Waiting)
      continue;
    if (previous) {
      bool isSameWarp = (*previous - first) / 32 == (i - first) / 32;
      bool agree = threads_[*previous].request().op == threads_[i].request().op &&
                   (!isSameWarp || threads_[*previous].site() == threads_[i].site());
      if (!agree) {
        blamed_ = i;
        throw Failure{FailureKind::Divergence,
                      "threads of a block wait at different barriers: " + describeWait(*previous) +
                          " and " + describeWait(i)};
      }
    }
    previous = i;
  }
}

void Grid::completeBlockBarrier(Block &block) {
  size_t end = block.first + blockThreads_, predicates = 0;
  requireSameBarrier(block.first, end);
  for (size_t i = block.first; i < end; ++i)
    if (threads_[i].state() == Thread::State::Waiting)
      predicates += threads_[i].request().value.isOne();
  for (size_t i = block.first; i < end; ++i)
    if (threads_[i].state() == Thread::State::Waiting)
      resume(i, computeBarrierResult(threads_[i].request().op, block.live, predicates));
  block.atBarrier = 0;
}

std::optional<WarpRequest> Grid::namedRequestOf(const Thread &thread) const {
  if (thread.state() != Thread::State::Waiting)
    return std::nullopt;
  WarpRequest request = thread.request();
  if (simt::isNamedBarrier(request.op))
    return request;
  if (!isBlockBarrier(request.op))
    return std::nullopt;
  request.lane = thread.site() < launch_.sites.size()
                     ? simt::barrierNumberOf(launch_.sites[thread.site()])
                     : 0;
  request.width = 0;
  return request;
}

/// The named barrier at which all live threads of a warp wait; nullopt if there are none, or some wait elsewhere.
std::optional<WarpRequest> Grid::findCommonNamedRequest(const Warp &warp) const {
  std::optional<WarpRequest> common;
  for (size_t i = warp.first; i < warp.first + warp.lanes; ++i) {
    if (threads_[i].state() == Thread::State::Returned)
      continue;
    std::optional<WarpRequest> request = namedRequestOf(threads_[i]);
    if (!request)
      return std::nullopt;
    if (common && (request->op != common->op || request->lane != common->lane ||
                   request->width != common->width))
      return std::nullopt;
    common = request;
  }
  return common;
}

/// A barrier for all threads of a block may become complete when the last thread of a warp returns.
void Grid::completeNamedBarriers(Block &block, const Warp &warp) {
  if (std::optional<WarpRequest> request = findCommonNamedRequest(warp))
    arriveAtNamedBarrier(block, warp, *request);
  for (NamedBarrier &barrier : block.named)
    if (isComplete(block, barrier)) {
      NamedBarrier complete = std::exchange(barrier, {});
      for (size_t i : complete.waiting)
        resume(i,
               computeBarrierResult(threads_[i].request().op, complete.live, complete.predicates));
    }
}

void Grid::arriveAtNamedBarrier(Block &block, const Warp &warp, const WarpRequest &request) {
  bool waits = request.op != Op::NamedBarrierArrive;
  uint32_t threads = request.width ? request.width : uint32_t(alignTo(blockThreads_, 32));
  if (request.lane >= simt::namedBarriers || threads % 32 || (!waits && !request.width))
    throw Failure{FailureKind::Undefined, "the operands of a named barrier are wrong"};
  NamedBarrier &barrier = block.named[request.lane];
  bool counts = !is_contained({Op::Barrier, Op::NamedBarrier, Op::NamedBarrierArrive}, request.op);
  if (barrier.arrivals && (barrier.threads != threads || barrier.counts != counts))
    throw Failure{FailureKind::Divergence,
                  "warps arrive at a named barrier with different operands or operations"};
  barrier.counts = counts;
  barrier.threads = threads;
  barrier.isForBlock |= !request.width;
  barrier.arrivals += 32;
  for (size_t i = warp.first; i < warp.first + warp.lanes; ++i) {
    if (threads_[i].state() == Thread::State::Returned)
      continue;
    ++barrier.live;
    barrier.predicates += threads_[i].request().value.isOne();
    barrier.arrived.insert(i);
    if (waits)
      barrier.waiting.push_back(i);
    else
      resume(i, APInt(32, 0));
  }
}

bool Grid::isComplete(const Block &block, const NamedBarrier &barrier) const {
  if (!barrier.arrivals || barrier.arrivals >= barrier.threads || !barrier.isForBlock)
    return barrier.arrivals && barrier.arrivals >= barrier.threads;
  for (size_t i = block.first; i < block.first + blockThreads_; ++i)
    if (threads_[i].state() != Thread::State::Returned && !barrier.arrived.contains(i))
      return false;
  return true;
}

void Grid::completeGridBarrier() {
  for (const Block &block : blocks_)
    requireSameBarrier(block.first, block.first + blockThreads_);
  for (size_t i = 0; i < threads_.size(); ++i)
    if (threads_[i].state() == Thread::State::Waiting)
      resume(i, APInt(32, 0));
  atGridBarrier_ = 0;
}

void Grid::resume(size_t thread, const APInt &result) {
  threads_[thread].resume(result);
  ready_.push_back(thread);
}

std::string Grid::describeWait(size_t number) const {
  const Thread &thread = threads_[number];
  Extents at = thread.index();
  std::string text = "thread (" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " +
                     std::to_string(at[2]) + ") waits at " +
                     simt::info(thread.request().op).name.str();
  if (thread.site() < launch_.sites.size())
    text += ", line " + std::to_string(launch_.sites[thread.site()].line);
  return text;
}

Error Grid::makeError(const Failure &failure, std::optional<size_t> number) const {
  Error error{failure};
  if (failure.site && *failure.site < launch_.sites.size())
    error.site = launch_.sites[*failure.site];
  if (!number)
    return error;
  const Thread &thread = threads_[*number];
  error.block = thread.block().index;
  error.thread = thread.index();
  if (const Instruction *i = thread.current(); i && i->getDebugLoc()) {
    error.file = i->getDebugLoc()->getFilename().str();
    error.line = i->getDebugLoc().getLine();
    error.column = i->getDebugLoc().getCol();
  }
  return error;
}

} // namespace heddle::interpreter
