// Repeats launches that ran in the filter form, to learn which thread accesses which element.
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

/// A launch that can run again, with a copy of the memory that it reads. The repetition works on other memory, so that it
/// changes nothing.
class LaunchReplay {
public:
  /// Copies the memory that the launch, which has not begun, reads. Throws std::bad_alloc.
  LaunchReplay(const FilteredLaunch &launch, std::span<const uint64_t> arguments);
  /// The bytes that such a copy takes.
  static uint64_t countBytes(const FilteredLaunch &launch);

  /// Runs the exact form, once. Returns nullopt if memory or the calling thread's stack is short.
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
  /// Memory for an array, at the same offset from the start of a page of cells.
  static Memory allocateLike(const Array &array);
  static char *startIn(const Memory &memory, const Array &array);

  std::vector<uint64_t> arguments_;
  std::vector<Array> arrays_;
  uint64_t bytes_ = 0; ///< of all copies
};

} // namespace heddle::cpu
