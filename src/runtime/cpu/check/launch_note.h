// Notes that describe launches and copies in reports.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace heddle::cpu {

/// An array that the caller passes to a launch.
struct NotedArray {
  unsigned slot = 0; ///< of the address among the kernel's arguments
  uint64_t address = 0;
  int64_t elementBytes = 1;
  std::vector<int64_t> extents, strides; ///< in elements, and in bytes
};

/// The source text of a CUDA C++ program compiled from a string, which reports cannot read from a file.
struct ProgramText {
  std::string file;                        ///< the name in source positions
  std::shared_ptr<const std::string> text; ///< null: the kernel belongs to no such program
  bool operator==(const ProgramText &other) const;
};

/// Describes a launch, or a copy or fill, which has only a file and a line.
struct LaunchNote {
  std::string file; ///< of the caller
  unsigned line = 0;
  ProgramText program;
  std::vector<NotedArray> arrays;

  /// The per-axis indices of the array element at `address`; empty if no array contains the address.
  std::vector<int64_t> findElementIndex(uint64_t address) const;
};

/// Describes the calling thread's next launch, copy or fill.
void setNoteOfNextLaunch(LaunchNote note);
/// Returns the calling thread's note and clears it. The note is empty if setNoteOfNextLaunch() was not called.
std::shared_ptr<const LaunchNote> takeLaunchNote();

} // namespace heddle::cpu
