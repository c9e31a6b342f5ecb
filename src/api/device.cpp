#include "api/access.h"
#include "api/errors.h"
#include "support/diagnostic.h"

namespace heddle::v1 {

using detail::Access;
using detail::translateErrors;

namespace {

/// The number of GPUs: devices() without its last element, the CPU.
size_t gpuCount() { return devices().size() - 1; }

} // namespace

Device Device::cpu() {
  return translateErrors([] { return Access::handle(*devices().back()); });
}

Device Device::cuda(unsigned number) {
  return translateErrors([&] {
    if (number < gpuCount())
      return Access::handle(*devices()[number]);
    throw CompileError(ErrorKind::Value,
                       "there is no GPU " + std::to_string(number) + ": " +
                           (gpuCount() ? "this machine has " + std::to_string(gpuCount())
                                       : heddle::noGpuReason()));
  });
}

Device Device::preferred() {
  return translateErrors([] { return Access::handle(defaultDevice()); });
}

std::vector<Device> Device::all() {
  return translateErrors([] {
    std::vector<Device> all;
    for (const auto &device : devices())
      all.push_back(Access::handle(*device));
    return all;
  });
}

std::string Device::noGpuReason() {
  return translateErrors([] { return heddle::noGpuReason(); });
}

bool Device::isCpu() const { return Access::native(*this).type() == "cpu"; }

unsigned Device::index() const { return Access::native(*this).index(); }

std::string Device::name() const {
  return translateErrors([&] { return Access::native(*this).name(); });
}

std::pair<int, int> Device::computeCapability() const {
  return translateErrors([&] { return Access::native(*this).computeCapability(); });
}

std::optional<int64_t> Device::attribute(const std::string &name) const {
  return translateErrors([&] { return Access::native(*this).attribute(name); });
}

MemoryInfo Device::memory() const {
  return translateErrors([&] {
    heddle::MemoryInfo info = Access::native(*this).memoryInfo();
    return MemoryInfo{info.free, info.total};
  });
}

void Device::synchronize() const {
  translateErrors([&] { Access::native(*this).synchronize(); });
}

Event::Event(const Device &device)
    : native_(translateErrors([&] { return Access::native(device).createEvent(); })) {}

bool Event::done() const {
  return translateErrors([&] { return Access::native(*this)->done(); });
}

void Event::synchronize() const {
  translateErrors([&] { Access::native(*this)->synchronize(); });
}

double Event::millisecondsSince(const Event &earlier) const {
  return translateErrors(
      [&] { return Access::native(*this)->millisecondsSince(*Access::native(earlier)); });
}

Stream::Stream(const Device &device)
    : native_(translateErrors([&] { return Access::native(device).createStream(); })) {}

Stream Stream::defaultOf(const Device &device) {
  return translateErrors([&] {
    // The device owns its default stream, which lives as long as the process.
    auto leaveIt = [](heddle::Stream *) {};
    return Access::handle(
        std::shared_ptr<heddle::Stream>(&Access::native(device).defaultStream(), leaveIt));
  });
}

Device Stream::device() const { return Access::handle(Access::native(*this).device()); }

bool Stream::done() const {
  return translateErrors([&] { return Access::native(*this).done(); });
}

void Stream::synchronize() const {
  translateErrors([&] { Access::native(*this).synchronize(); });
}

void Stream::record(const Event &event) const {
  translateErrors([&] { Access::native(*this).record(Access::native(event)); });
}

void Stream::wait(const Event &event) const {
  translateErrors([&] { Access::native(*this).waitForEvent(Access::native(event)); });
}

uint64_t Stream::nativeHandle() const { return Access::native(*this).nativeHandle(); }

} // namespace heddle::v1
