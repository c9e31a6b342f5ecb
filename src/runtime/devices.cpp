#include "runtime/cpu/device.h"
#include "runtime/cuda/device.h"
#include "runtime/device.h"
#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdlib>
#include <optional>
#include <string>

namespace heddle {

namespace {

/// The devices, listed once. Never destroyed: threads that run at process exit may refer to their device.
struct DeviceList {
  std::vector<std::unique_ptr<Device>> list;
  std::string noGpu; ///< the reason if the list has no GPU
  std::string asked; ///< $HEDDLE_DEVICE

  DeviceList() {
    if (const char *value = std::getenv("HEDDLE_DEVICE"))
      asked = value;
    if (asked == "cpu")
      noGpu = "HEDDLE_DEVICE=cpu leaves the GPUs out";
    else
      noGpu = cuda::appendGpusOrExplain(list);
    list.push_back(std::make_unique<cpu::CpuDevice>(unsigned(list.size())));
  }

  static const DeviceList &get() {
    static const auto *found = new DeviceList;
    return *found;
  }
};

[[noreturn]] void rejectDeviceSetting(const std::string &asked, const std::string &why,
                                      const std::string &hint) {
  throw CompileError(ErrorKind::Value, "HEDDLE_DEVICE=" + asked + ": " + why + "\n  hint: " + hint);
}

/// The GPU that cuda or cuda:<number> names; nothing for other texts.
std::optional<size_t> parseGpuIndex(llvm::StringRef asked) {
  if (asked == "cuda")
    return 0;
  unsigned number = 0;
  bool isNumber =
      asked.consume_front("cuda:") && !asked.empty() && llvm::all_of(asked, llvm::isDigit);
  if (!isNumber || asked.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// The hint for a text that names no device.
std::string suggestDevice(const std::string &asked) {
  std::string near = llvm::StringRef(asked).trim().lower();
  if (near == "gpu" || near == "nvidia")
    near = "cuda";
  if (near == "cpu" || parseGpuIndex(near))
    return "did you mean HEDDLE_DEVICE=" + near + "?";
  return "set HEDDLE_DEVICE to cpu, cuda or cuda:<number>, or unset it";
}

} // namespace

std::span<const std::unique_ptr<Device>> devices() { return DeviceList::get().list; }

std::string noGpuReason() { return DeviceList::get().noGpu; }

Device &defaultDevice() {
  const DeviceList &found = DeviceList::get();
  const std::string &asked = found.asked;
  size_t gpus = found.list.size() - 1;
  if (asked.empty() || asked == "cpu")
    return *found.list[0];
  std::optional<size_t> index = parseGpuIndex(asked);
  if (!index)
    rejectDeviceSetting(asked, "a device is cpu, cuda or cuda:<number>", suggestDevice(asked));
  if (!gpus)
    rejectDeviceSetting(asked, "there is no GPU here: " + found.noGpu,
                        "HEDDLE_DEVICE=cpu selects the CPU device");
  if (*index >= gpus)
    rejectDeviceSetting(asked, "this machine has GPUs 0 to " + std::to_string(gpus - 1),
                        "unset HEDDLE_DEVICE to use the first GPU");
  return *found.list[*index];
}

void refuseHostCopyInCapture() {
  throw CompileError(
      ErrorKind::Value,
      "the stream captures, and a copy of ordinary host memory cannot be captured\n"
      "  hint: copy before the capture, or use an array of cuda.pinned_array(), which "
      "each launch of the graph reads or writes");
}

void Stream::beginCapture() {
  throw CompileError(ErrorKind::Unsupported, "streams of " + device().name() +
                                                 " do not capture work: install CuPy for graphs");
}

std::shared_ptr<Graph> Stream::endCapture() {
  throw CompileError(ErrorKind::Value, "the stream is not capturing");
}

void Device::enableAccess(const Device &other) {
  if (&other != this)
    throw CompileError(ErrorKind::Value, name() + " cannot reach the memory of " + other.name());
}

IpcHandle Device::exportMemory(const void *) {
  throw CompileError(ErrorKind::Unsupported,
                     "the " + std::string(type()) +
                         " device does not share memory with other processes");
}

std::shared_ptr<Buffer> Device::importMemory(const IpcHandle &, size_t) {
  throw CompileError(ErrorKind::Unsupported,
                     "the " + std::string(type()) +
                         " device does not share memory with other processes");
}

} // namespace heddle
