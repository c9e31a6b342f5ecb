// Replays launches that ran in the filter form, to find out which thread accessed which element.
#pragma once

#include "runtime/cpu/check/filtered_launch.h"
#include "runtime/cpu/check/shadow_memory.h"
#include "runtime/cpu/code/module.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace heddle::cpu {

class BlockRunner;

/// A launch that can be repeated. Keeps a copy of the memory that the launch reads. The repetition accesses copies
/// only, so it has no effects.
class LaunchReplay {
public:
  /// Copies the memory that the launch reads. The launch must not have begun. Throws std::bad_alloc.
  LaunchReplay(const FilteredLaunch &launch, std::span<const uint64_t> arguments);
  /// The size of the memory that the launch reads, in bytes.
  static uint64_t countReadBytes(const FilteredLaunch &launch);

  /// Runs the launch in the exact form; may be called once. Returns nullopt if memory or the thread's stack runs out.
  std::optional<RecordedAccesses> run(CpuKernel &kernel, const LaunchShape &shape,
                                      BlockRunner &runner) noexcept;
  uint64_t bytes() const { return bytes_; }

private:
  struct Free {
    void operator()(char *memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<char[], Free>;
  /// An array of the launch.
  struct Array {
    unsigned argument;
    uint64_t low, bytes;
    Memory copy; ///< null if the launch only writes it
  };
  /// Allocates memory for an array. The array starts in it at startOfArrayIn(), at the same offset from a page of cells
  /// as the original.
  static Memory allocateCopyOfArray(const Array &array);
  static char *startOfArrayIn(const Memory &memory, const Array &array);

  std::vector<uint64_t> arguments_;
  std::vector<Array> arrays_;
  uint64_t bytes_ = 0; ///< of all copies
};

} // namespace heddle::cpu
