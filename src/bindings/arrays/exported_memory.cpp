#include "bindings/arrays/exported_memory.h"
#include "bindings/interpreter/serialized_scope.h"

#include "llvm/ADT/STLExtras.h"

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace heddle {

namespace {

using ByteRange = std::pair<const void *, const void *>;

TableLock exportedMutex; ///< guards exportedRanges()

/// The exported ranges. Most programs export nothing, so a launch usually checks an empty list.
std::vector<ByteRange> &exportedRanges() {
  static auto *ranges = new std::vector<ByteRange>;
  return *ranges;
}

/// Exports a range while the Python object lives.
struct ExportedRange {
  ExportedRange(uint64_t address, uint64_t bytes)
      : low(reinterpret_cast<const char *>(address)), high(low + bytes) {
    markExported(low, high);
  }
  ExportedRange(const ExportedRange &) = delete;
  ExportedRange &operator=(const ExportedRange &) = delete;
  ~ExportedRange() { unmarkExported(low, high); }

  const char *low, *high;
};

} // namespace

void markExported(const void *low, const void *high) {
  std::lock_guard lock(exportedMutex);
  exportedRanges().push_back({low, high});
}

void unmarkExported(const void *low, const void *high) {
  std::lock_guard lock(exportedMutex);
  std::vector<ByteRange> &ranges = exportedRanges();
  auto found = llvm::find(ranges, ByteRange(low, high));
  if (found == ranges.end())
    return;
  *found = ranges.back();
  ranges.pop_back();
}

bool hasExportedMemory() {
  std::lock_guard lock(exportedMutex);
  return !exportedRanges().empty();
}

bool isExported(const void *low, const void *high) {
  std::lock_guard lock(exportedMutex);
  return llvm::any_of(exportedRanges(), [=](const ByteRange &range) {
    return low < range.second && range.first < high;
  });
}

void bindExportedMemory(nb::module_ &m) {
  nb::class_<ExportedRange>(
      m, "ExportedRange",
      "Marks a range of device memory as readable by other code while the object lives.")
      .def(nb::init<uint64_t, uint64_t>(), "address"_a, "nbytes"_a);
}

} // namespace heddle
