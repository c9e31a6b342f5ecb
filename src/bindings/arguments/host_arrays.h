// Host arrays of a launch that must look like copy in, run, copy back.
#pragma once

#include "bindings/arguments/arguments.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <vector>

namespace heddle {

/// Kernels forget to compare their index with an array's length. A GPU bears it, as a rule: what lies behind an array there
/// is of nobody. What lies behind an array of NumPy's is the heap. This much a row of a block's threads writes.
constexpr size_t roomBehind = 16384;

/// Larger arrays cost more to copy than a launch does.
constexpr size_t mostBytesWithRoom = size_t(64) << 10;

/// What stands in for host arrays while a kernel runs. Where kernels work in host memory, that is a copy of those
/// arrays that may not be seen in place: they overlap another argument, are not aligned, or are In() and written; and a
/// copy with room around it of small arrays that the kernel may write behind. On other devices it is device memory for
/// each array, by way of a compact copy where the array is not contiguous.
class HostArrays {
public:
  /// Finds what to copy, and copies within the host. `written`: per argument, whether its array may be changed.
  /// `threads`: of a launch that works in host memory and whose accesses are not all checked, else 0.
  HostArrays(ArgumentList &arguments, const std::vector<bool> &written, uint64_t threads);
  ~HostArrays();

  /// Puts device memory into the arguments' slots and fills it, in the order of `stream`. Without Python's lock.
  void upload(ArgumentList &arguments, Stream &stream);
  /// Brings back what the kernel wrote; waits for the stream. Without Python's lock.
  void download(Stream &stream);
  /// Fills the arrays themselves from copies within the host.
  void finish();
  /// Keeps all copies for good: a kernel that was interrupted and does not stop may still write them.
  void leak();

private:
  struct Copy {
    unsigned slot;             ///< of the array's pointer
    nanobind::object original; ///< with its compact copy; both null for an array that needs none
    nanobind::object compact;
    char *host; ///< the bytes that go to the device and back
    size_t bytes;
    bool in, back;
    std::shared_ptr<Buffer> memory;
  };

  /// An array that a copy with room around it stands in for.
  struct Roomy {
    char *host, *copy;
    size_t bytes;
  };

  Copy copyOf(ArgumentList &arguments, const ArrayArgument &array, bool back, bool compact);
  void giveRoom(ArgumentList &arguments, llvm::ArrayRef<const ArrayArgument *> arrays);

  llvm::SmallVector<Copy, 2> copies_;
  llvm::SmallVector<Roomy, 2> roomy_;
  std::unique_ptr<char[]> room_;
  size_t roomBytes_ = 0;
};

} // namespace heddle
