// The last launched kernel, for messages about interrupted waits: a GPU kernel cannot be stopped.
#pragma once

#include <string>

namespace heddle::cuda {

/// The names of a kernel and its GPU. The object is never freed; equal names share one object.
struct LaunchedKernel {
  std::string kernel, device;
  bool operator<(const LaunchedKernel &other) const {
    return kernel != other.kernel ? kernel < other.kernel : device < other.device;
  }
};
/// Returns the object for these names.
const LaunchedKernel &getOrAddLaunchedKernel(std::string kernel, std::string device);

void recordLaunch(const LaunchedKernel &launched);
/// Describes the last launch, its time, and that it may still run; empty if nothing was launched.
std::string describeLastLaunch();

} // namespace heddle::cuda
