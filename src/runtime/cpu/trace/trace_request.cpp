#include "runtime/cpu/trace/trace_request.h"

#include "simt/trace/tracing.h"

#include <mutex>
#include <utility>

namespace heddle::cpu {

namespace {

/// Limit on the launches that are listed.
constexpr size_t maxListed = 1000;

struct Tracer {
  std::mutex mutex;
  std::optional<TraceRequest> request;
  uint64_t launches = 0; ///< of wanted kernels
  std::vector<LaunchedKernel> listed;
  std::optional<FinishedTrace> finished;
};

Tracer &tracerOfProcess() {
  static auto &one = *new Tracer; // workers may outlive static destructors
  return one;
}

bool isBlockInGrid(const Index3 &block, const Index3 &grid) {
  return block[0] < grid[0] && block[1] < grid[1] && block[2] < grid[2];
}

} // namespace

void requestTrace(TraceRequest request) {
  Tracer &t = tracerOfProcess();
  std::lock_guard lock(t.mutex);
  t.request = std::move(request);
  t.launches = 0;
  t.listed.clear();
  t.finished.reset();
  simt::isTracing = true;
}

std::shared_ptr<LaunchTrace> listLaunchAndMakeTrace(const std::string &symbol,
                                                    const LaunchShape &shape) {
  Tracer &t = tracerOfProcess();
  std::lock_guard lock(t.mutex);
  if (!t.request)
    return nullptr;
  const TraceRequest &request = *t.request;
  LaunchedKernel launched{symbol, toIndex(shape.grid), toIndex(shape.block),
                          request.isWanted(symbol)};
  LaunchedKernel *last = t.listed.empty() ? nullptr : &t.listed.back();
  if (last && last->symbol == symbol && last->grid == launched.grid &&
      last->block == launched.block)
    ++last->count;
  else if (t.listed.size() < maxListed)
    t.listed.push_back(launched);
  if (!launched.isWanted || ++t.launches != request.launch ||
      !isBlockInGrid(request.block, launched.grid))
    return nullptr;
  const Index3 &block = request.block;
  uint64_t linear = (uint64_t(block[2]) * shape.grid.y + block[1]) * shape.grid.x + block[0];
  return std::make_shared<LaunchTrace>(linear, request.maxSteps);
}

void storeFinishedTrace(FinishedTrace trace) {
  Tracer &t = tracerOfProcess();
  std::lock_guard lock(t.mutex);
  t.finished = std::move(trace);
}

std::pair<std::optional<FinishedTrace>, std::vector<LaunchedKernel>> endRequestAndTakeTrace() {
  Tracer &t = tracerOfProcess();
  std::lock_guard lock(t.mutex);
  simt::isTracing = false;
  t.request.reset();
  return {std::exchange(t.finished, std::nullopt), std::exchange(t.listed, {})};
}

} // namespace heddle::cpu
