// NVIDIA GPUs as devices.
#pragma once

#include "runtime/device.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::cuda {

/// Appends every GPU that the driver shows to `devices`, in the driver's order. Returns why there is none, one sentence
/// (no driver, too old a driver, its error); empty when there is one. Never throws: a machine without a GPU is no error.
std::string addDevices(std::vector<std::unique_ptr<Device>> &devices);

} // namespace heddle::cuda
