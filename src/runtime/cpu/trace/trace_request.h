// The launch that the process wants to trace.
#pragma once

#include "runtime/cpu/check/findings.h"
#include "runtime/cpu/trace/launch_trace.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cpu {

struct TraceRequest {
  std::function<bool(const std::string &symbol)> isWanted; ///< by the kernel's symbol
  uint64_t launch = 1; ///< the number of the launch among those of wanted kernels, from 1
  Index3 block{};
  uint32_t maxSteps = 0; ///< of a thread
};

/// The kernel and the shape of a launch that the process has made.
struct LaunchedKernel {
  std::string symbol;
  Index3 grid, block;
  bool isWanted;      ///< by the request
  uint64_t count = 1; ///< consecutive launches of the same kernel and shape
};

/// A launch that has been traced.
struct FinishedTrace {
  std::string symbol;
  LaunchShape shape;
  Index3 block; ///< the traced one
  std::shared_ptr<const LaunchNote> note;
  std::vector<simt::SiteInfo> sites;
  std::vector<std::vector<TracedWarpStep>> warps;
  bool isCut = false;
  std::vector<Finding> findings; ///< mistakes that the checks have found in the traced block
};

/// Traces one of the following launches. Sets simt::isTracing.
void requestTrace(TraceRequest request);
/// Counts a launch. Returns a trace if the launch is the requested one and has the requested block.
std::shared_ptr<LaunchTrace> listLaunchAndMakeTrace(const std::string &symbol,
                                                    const LaunchShape &shape);
void storeFinishedTrace(FinishedTrace trace);
/// Ends the request. Returns the trace, if there is one, and the launches so far.
std::pair<std::optional<FinishedTrace>, std::vector<LaunchedKernel>> endRequestAndTakeTrace();

} // namespace heddle::cpu
