#include "runtime/cpu/cpu_device.h"
#include "runtime/device.h"

namespace heddle {

std::span<const std::unique_ptr<Device>> devices() {
  // Never destroyed: a thread that still runs when the process exits may refer to its device.
  static const auto *list = [] {
    auto *found = new std::vector<std::unique_ptr<Device>>;
    found->push_back(std::make_unique<cpu::CpuDevice>(unsigned(found->size())));
    return found;
  }();
  return *list;
}

} // namespace heddle
