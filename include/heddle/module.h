/// \file
/// CUDA C++ programs, their kernels and their variables.
#pragma once

#include "heddle/argument.h"
#include "heddle/device.h"
#include "heddle/memory.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

HEDDLE_BEGIN_NAMESPACE

/// A grid's extents in blocks, or a block's extents in threads. The launch rejects invalid extents, such as negative
/// ones.
struct Dim3 {
  std::uint64_t x = 1, y = 1, z = 1;

  template <typename X, typename Y = int, typename Z = int,
            typename = std::enable_if_t<std::is_integral_v<X> && std::is_integral_v<Y> &&
                                        std::is_integral_v<Z>>>
  Dim3(X alongX, Y alongY = 1, Z alongZ = 1)
      : x(std::uint64_t(alongX)), y(std::uint64_t(alongY)), z(std::uint64_t(alongZ)) {}
};

/// A launch configuration.
struct Launch {
  Dim3 grid;
  Dim3 block;
  /// Size of `extern __shared__` memory per block, in bytes.
  std::uint64_t dynamicSharedBytes = 0;
  /// The stream to launch in; null means the device's default stream.
  const Stream *stream = nullptr;
  /// Requires all blocks to be resident at once; throws if they do not fit. Implied for kernels with a grid barrier.
  bool cooperative = false;
};

/// Resource usage and limits of a kernel, with CUDA's names.
struct KernelAttributes {
  std::uint32_t maxThreadsPerBlock = 0;
  std::uint32_t sharedBytes = 0; ///< static, per block
  std::uint32_t constantBytes = 0;
  std::uint32_t localBytes = 0; ///< per thread
  std::uint32_t registers = 0;  ///< per thread; 0 on the CPU
  std::uint32_t maxDynamicSharedBytes = 0;
  bool cooperative = false; ///< the kernel has a grid barrier
};

/// A kernel parameter as declared in the source.
struct Parameter {
  std::string name; ///< empty if the source gives none
  std::string type; ///< "const float *"
};

/// A kernel on a device.
class HEDDLE_EXPORT Kernel {
public:
  Kernel(const Kernel &) = default;
  Kernel &operator=(const Kernel &) = default;

  std::string name() const;
  KernelAttributes attributes() const;
  std::vector<Parameter> parameters() const;
  /// The block size, in threads, with the highest occupancy.
  unsigned suggestedBlockSize(std::size_t dynamicSharedBytes = 0) const;
  /// The number of blocks that can be resident at once, which limits the grid of a cooperative launch.
  std::uint64_t maxCooperativeBlocks(unsigned blockThreads,
                                     std::size_t dynamicSharedBytes = 0) const;

  /// Launches the kernel in the device's default stream. May return before the kernel has run.
  ///
  /// Each argument is checked against its parameter's type before the launch. Numbers are converted to the parameter's
  /// type; a number that does not fit throws Error (Argument). A pointer parameter takes a Buffer with the same element
  /// type on this device, an address or nullptr; `void *` and `char *` take any Buffer. A structure parameter takes a
  /// structure of the same size. Buffers stay alive until the kernel has run, even if all handles are destroyed.
  ///
  /// If the kernel stops with an error, the next call that waits for it throws: synchronize(), Buffer::copyTo.
  template <typename... Arguments>
  void launch(Dim3 grid, Dim3 block, const Arguments &...arguments) const {
    launch(Launch{grid, block}, arguments...);
  }
  template <typename... Arguments>
  void launch(const Launch &how, const Arguments &...arguments) const {
    // One extra element, because C++ has no arrays of size 0.
    const detail::Argument values[] = {detail::argument(arguments)..., detail::Argument()};
    launchWith(how, values, sizeof...(arguments));
  }

private:
  friend struct detail::Access;
  explicit Kernel(std::shared_ptr<void> native) : native_(std::move(native)) {}
  void launchWith(const Launch &how, const detail::Argument *arguments, std::size_t count) const;
  std::shared_ptr<void> native_;
};

/// A program in CUDA C++, compiled for a device.
class HEDDLE_EXPORT Module {
public:
  /// Compiles `source`, or loads its machine code from the user's disk cache.
  ///
  /// options: NVRTC options: "-DN=4", "-std=c++20", "-I<folder>", "-use_fast_math"; see docs/cuda_cpp.md.
  /// nameExpressions: C++ expressions that name template instances to compile as kernels: "scale<float>".
  /// Throws Error: Compile with Clang's messages, Argument for an unknown option.
  Module(const Device &device, const std::string &source,
         const std::vector<std::string> &options = {},
         const std::vector<std::string> &nameExpressions = {});
  Module(const Module &) = default;
  Module &operator=(const Module &) = default;

  Device device() const;
  /// The kernel with this source name, symbol or name expression. A source name needs no `extern "C"` if it is unique.
  /// Throws Error (Argument) with the available names if there is no such kernel.
  Kernel function(const std::string &name) const;
  /// The memory of a `__device__` or `__constant__` variable as a buffer. Throws Error (Argument) if there is no such
  /// variable, or if its size is not a multiple of sizeof(T).
  template <typename T> Buffer<T> global(const std::string &name) const {
    detail::Memory memory = variable(name, sizeof(T));
    return Buffer<T>(memory);
  }
  /// The compiler's warnings. Also says if cached code was not used because other users could have changed it.
  std::string log() const;
  /// The code for the device: PTX for a GPU, host assembly for the CPU.
  std::string assembly() const;

private:
  friend struct detail::Access;
  detail::Memory variable(const std::string &name, std::size_t elementBytes) const;
  std::shared_ptr<void> native_;
};

HEDDLE_END_NAMESPACE
