// Host arrays of a launch. The launch must behave as if it copied them in, ran, and copied them back.
#pragma once

#include "bindings/arguments/arguments.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace heddle {

/// Padding after an array, large enough for the elements that one row of a block's threads writes past the end in a
/// kernel that omits the index check. On a GPU the memory past an array is usually unused, but the memory past a NumPy
/// array is the heap.
constexpr size_t paddingBytes = 16384;

/// The size of the largest array that a launch copies to add padding. Copying a larger array costs more than a launch.
constexpr size_t maxPaddedBytes = size_t(64) << 10;

/// Replaces host arrays while a kernel runs. On devices that use host memory, copies arrays that must not be used in
/// place, because they overlap another argument, are misaligned, or are In() and written. Also copies small arrays,
/// with padding, if the kernel may write past their ends. On other devices, allocates device memory for each array and
/// copies non-contiguous arrays through a compact copy.
class HostArrays {
public:
  /// Selects the arrays and makes the host copies. `written`: for each argument, true if its array may be changed.
  /// `threads`: the number of threads of the launch if it uses host memory and does not check all accesses, else 0.
  HostArrays(ArgumentList &arguments, const std::vector<bool> &written, uint64_t threads);
  ~HostArrays();

  /// Uploads the arrays to device memory in stream order, and stores the device addresses in the arguments' slots.
  /// Called without the GIL.
  void allocateAndUpload(ArgumentList &arguments, Stream &stream);
  /// Downloads the arrays that the kernel may have written; waits for the stream. Called without the GIL.
  void download(Stream &stream);
  /// Copies the compact copies back to the arrays. (The destructor copies padded arrays back.)
  void copyBackCompactCopies();
  /// Leaks all copies, because an interrupted kernel that does not stop may still write to them.
  void leakCopies();

private:
  struct Copy {
    unsigned slot; ///< slot of the array's pointer
    nanobind::object
        original; ///< the array and its compact copy; both null if no compact copy is needed
    nanobind::object compact;
    char *host; ///< host memory that is copied to the device and back
    size_t bytes;
    bool in, back;
    std::shared_ptr<Buffer> memory;
  };

  /// An array that a padded copy replaces.
  struct PaddedArray {
    char *host, *copy;
    size_t bytes;
  };

  Copy makeCopy(ArgumentList &arguments, const ArrayArgument &array, bool back, bool compact);
  void copyIntoPaddedMemory(ArgumentList &arguments, llvm::ArrayRef<const ArrayArgument *> arrays);

  llvm::SmallVector<Copy, 2> copies_;
  llvm::SmallVector<PaddedArray, 2> padded_;
  std::unique_ptr<char[]> padding_;
  size_t paddingBytes_ = 0;
};

} // namespace heddle
