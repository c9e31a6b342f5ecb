// Descriptions of launches and copies for reports.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle::cpu {

/// An array of a launch's caller.
struct NotedArray {
  unsigned slot = 0; ///< of the address among the kernel's arguments
  uint64_t address = 0;
  int64_t elementBytes = 1;
  std::vector<int64_t> extents, strides; ///< in elements, and in bytes
};

/// Describes a launch, or with a place only, a copy or fill.
struct LaunchNote {
  std::string file; ///< of the caller
  unsigned line = 0;
  std::vector<NotedArray> arrays;

  /// The index of the element at an address along the axes of its array; empty if it is in no array.
  std::vector<int64_t> findElement(uint64_t address) const;
};

/// Describes the calling thread's next launch, copy or fill.
void noteNextLaunch(LaunchNote note);
/// Returns the last of these notes, once; an empty one if there is none.
std::shared_ptr<const LaunchNote> takeNote();

} // namespace heddle::cpu
