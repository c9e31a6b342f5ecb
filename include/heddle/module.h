/// \file
/// Programs in CUDA C++, their kernels and their variables.
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

/// Extents of a grid, in blocks, or of a block, in threads. An extent that no launch can have, such as a negative one, is
/// refused by the launch.
struct Dim3 {
  std::uint64_t x = 1, y = 1, z = 1;

  template <typename X, typename Y = int, typename Z = int,
            typename = std::enable_if_t<std::is_integral_v<X> && std::is_integral_v<Y> &&
                                        std::is_integral_v<Z>>>
  Dim3(X alongX, Y alongY = 1, Z alongZ = 1)
      : x(std::uint64_t(alongX)), y(std::uint64_t(alongY)), z(std::uint64_t(alongZ)) {}
};

/// How a kernel is launched.
struct Launch {
  Dim3 grid;
  Dim3 block;
  /// Bytes of `extern __shared__` memory for each block.
  std::uint64_t dynamicSharedBytes = 0;
  /// Where the kernel's turn comes; the device's default stream when null.
  const Stream *stream = nullptr;
  /// All blocks must run at once: refused when they cannot. Kernels that wait for the whole grid need no telling.
  bool cooperative = false;
};

/// What a kernel needs, by CUDA's names.
struct KernelAttributes {
  std::uint32_t maxThreadsPerBlock = 0;
  std::uint32_t sharedBytes = 0; ///< of a block, static
  std::uint32_t constantBytes = 0;
  std::uint32_t localBytes = 0; ///< of a thread
  std::uint32_t registers = 0;  ///< of a thread; 0 on the CPU
  std::uint32_t maxDynamicSharedBytes = 0;
  bool cooperative = false; ///< it waits for the whole grid
};

/// A parameter of a kernel, as the source has it.
struct Parameter {
  std::string name; ///< empty where the source gives none
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
  /// Threads per block with which the device is busiest.
  unsigned suggestedBlockSize(std::size_t dynamicSharedBytes = 0) const;
  /// Blocks that run at once: the largest grid of a cooperative launch.
  std::uint64_t maxCooperativeBlocks(unsigned blockThreads,
                                     std::size_t dynamicSharedBytes = 0) const;

  /// Launches the kernel on the device's default stream, and may return before it has run.
  ///
  /// There is an argument for each parameter, and each is checked against the parameter's type before anything is
  /// launched. Numbers become the parameter's type: one that does not fit throws Error (Argument). A pointer takes a
  /// Buffer of its elements' type on this device, an address or nullptr; `void *` and `char *` take any Buffer. A
  /// structure takes one of the same size. Buffers live until the kernel has run, whatever becomes of their handles.
  ///
  /// The error of a kernel that stops is thrown by whoever waits for it: synchronize(), Buffer::copyTo.
  template <typename... Arguments>
  void launch(Dim3 grid, Dim3 block, const Arguments &...arguments) const {
    launch(Launch{grid, block}, arguments...);
  }
  template <typename... Arguments>
  void launch(const Launch &how, const Arguments &...arguments) const {
    // One more, as there are no arrays of none.
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
  /// Compiles `source`. The machine code is kept in the user's disk cache.
  ///
  /// options: NVRTC's, "-DN=4", "-std=c++20", "-I<folder>", "-use_fast_math"; see docs/cuda_cpp.md. nameExpressions:
  /// C++ expressions that name instances of templates that are to be kernels, "scale<float>".
  /// Throws Error: Compile with Clang's messages, Argument for an unknown option.
  Module(const Device &device, const std::string &source,
         const std::vector<std::string> &options = {},
         const std::vector<std::string> &nameExpressions = {});
  Module(const Module &) = default;
  Module &operator=(const Module &) = default;

  Device device() const;
  /// The kernel of that name in the source, of that symbol, or of that name expression; `extern "C"` is not needed where
  /// one kernel has the name. Throws Error (Argument) with the names that there are.
  Kernel function(const std::string &name) const;
  /// The `__device__` or `__constant__` variable of that name, as a buffer in which it lies. Throws Error (Argument) when
  /// there is none, or when its bytes are not a number of Ts.
  template <typename T> Buffer<T> global(const std::string &name) const {
    detail::Memory memory = variable(name, sizeof(T));
    return Buffer<T>(memory);
  }
  /// The compiler's warnings, and why compiled code on disk was not used if other users can change it.
  std::string log() const;
  /// What the device runs: PTX, or the host's assembly.
  std::string assembly() const;

private:
  friend struct detail::Access;
  detail::Memory variable(const std::string &name, std::size_t elementBytes) const;
  std::shared_ptr<void> native_;
};

HEDDLE_END_NAMESPACE
