// The last kernel that was launched, for a wait that is given up: a GPU runs a kernel to its end.
#pragma once

#include <string>

namespace heddle::cuda {

/// A kernel and its GPU, which outlive both. Equal ones are one object.
struct LaunchedKernel {
  std::string kernel, device;
  bool operator<(const LaunchedKernel &other) const {
    return kernel != other.kernel ? kernel < other.kernel : device < other.device;
  }
};
const LaunchedKernel &launchedKernel(std::string kernel, std::string device);

void noteLaunch(const LaunchedKernel &launched);
/// Says of the last launch what and when it was, and that it may go on; empty where nothing was launched.
std::string describeLastLaunch();

} // namespace heddle::cuda
