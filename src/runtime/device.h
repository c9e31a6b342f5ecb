// The interface of a device: memory, streams, events, compiled modules, launches. Implemented in runtime/cpu and
// runtime/cuda.
//
// Errors: an invalid argument or an exhausted resource throws CompileError (kind Value, Type, Memory or Lowering)
// immediately, before anything is enqueued. An error in a running kernel is a KernelError, thrown by the call that
// waits for the kernel.
#pragma once

#include "runtime/kernel_error.h"
#include "simt/architecture.h"
#include "simt/compile_options.h"
#include "simt/ir/sites.h"
#include "simt/thread_order.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

namespace simt {
struct OwnedModule;
}

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// A launch configuration.
struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  uint32_t dynamicSharedBytes = 0;
  /// All blocks must run at once. Implied for kernels with a grid barrier.
  bool cooperative = false;

  LaunchExtents extents() const {
    return {.block = {block.x, block.y, block.z}, .gridThreadsX = uint64_t(grid.x) * block.x};
  }
};

/// Permutes the axes of the program's `block` into the kernel's thread order.
inline Dim3 blockInKernelOrder(const Dim3 &block, simt::ThreadOrder order) {
  auto [x, y, z] = simt::launchExtents({block.x, block.y, block.z}, order);
  return {x, y, z};
}

class Device;
class Stream;

/// A kernel loaded on a device. Lives as long as its Module.
class Kernel {
public:
  virtual ~Kernel() = default;
  virtual const std::string &name() const = 0;
  /// The sites that the kernel's errors refer to.
  virtual const std::vector<simt::SiteInfo> &sites() const = 0;
  /// Bytes of static shared memory per block, and of local memory (stack) per thread.
  virtual uint32_t staticSharedBytes() const = 0;
  virtual uint32_t localBytes() const = 0;
  virtual uint32_t registers() const = 0;
  /// The kernel's launch bounds, or less if the device cannot run as many.
  virtual uint32_t maxThreadsPerBlock() const = 0;
  /// Bytes of constant memory that the kernel uses; 0 on devices that don't report it.
  virtual uint32_t constantBytes() const { return 0; }
  /// True if the kernel has a grid barrier, so that all its blocks must run at once.
  virtual bool isCooperative() const { return false; }
};

/// A compiled SIMT module on a device. Unloaded when the last reference is gone.
class Module {
public:
  virtual ~Module() = default;
  /// Throws CompileError (Value) if there is no kernel with that name.
  virtual Kernel &kernel(std::string_view name) = 0;
  /// The device address of a module variable. Throws CompileError (Value) if there is no variable with that symbol.
  virtual void *variableAddress(std::string_view symbol) = 0;
  /// The code for the device: PTX for a GPU, host assembly for the CPU. Produced on demand.
  virtual std::string assembly() = 0;
  /// True if the module came from the disk cache.
  virtual bool fromCache() const = 0;
  /// The device's machine code in the device's file format (a cubin); empty on the CPU.
  virtual std::string machineCode() { return {}; }
  /// Optimization remarks of the back end for the user, one sentence each.
  virtual std::vector<std::string> remarks() const { return {}; }
};

/// The memory that an allocation lives in. All four are the same on devices that use host memory.
enum class MemoryKind { Device, Pinned, Mapped, Managed };

/// An allocation, freed with the last reference (in stream order if the device supports that).
class Buffer {
public:
  virtual ~Buffer() = default;
  virtual void *address() const = 0;
  virtual size_t bytes() const = 0;
  virtual Device &device() const = 0;
  /// True if host code may access address() directly.
  virtual bool isHostAccessible() const = 0;
  /// True if the device reuses the memory only after all work that `stream` had when the buffer was destroyed, so that
  /// the work need not keep the buffer alive.
  virtual bool isFreedAfterWorkOf(const Stream & /*stream*/) const { return false; }
};

/// Marks a point in a stream's work. Devices create events as shared_ptr.
class Event : public std::enable_shared_from_this<Event> {
public:
  virtual ~Event() = default;
  /// True if all work before the last record() has finished, or if the event was never recorded.
  virtual bool done() const = 0;
  /// Waits until done().
  virtual void synchronize() = 0;
  /// Milliseconds from `earlier` to this event. Throws CompileError (Value) if either event was not recorded, has not
  /// completed, or was created without timing.
  virtual double millisecondsSince(const Event &earlier) const = 0;
  /// The driver's handle; on the CPU a number that identifies the event.
  virtual uint64_t nativeHandle() const = 0;
};

/// Called periodically by waiting threads, so that the embedder can check for signals. If it returns true, the wait
/// throws Interrupted; on the CPU device, the wait also cancels the commands that it waits for, and their kernels stop.
/// Kernels on the process's main thread also call it.
using InterruptCheck = std::function<bool()>;

/// Blocking streams synchronize with the legacy default stream.
enum class StreamKind { Blocking, NonBlocking };

/// A piece of work in a graph.
struct RecordedWork {
  enum class Kind { Kernel, Copy, Fill, Callback };
  Kind kind;
  // Kernel
  std::string name;
  LaunchShape shape;
  // Copy, Fill
  void *to = nullptr;
  const void *from = nullptr;
  size_t bytes = 0;
  uint8_t value = 0;
};

/// Recorded work that can be enqueued any number of times.
class Graph {
public:
  virtual ~Graph() = default;
  /// The work in the order in which it was recorded.
  virtual std::vector<RecordedWork> recordedWork() const = 0;
  /// Replaces the kernel at `index` in recordedWork(), its shape and its arguments, by those of the only kernel in
  /// another graph of the device. Earlier launches are not affected. Throws CompileError (Value) if one of them is not
  /// a kernel.
  virtual void replaceKernel(size_t index, std::shared_ptr<Graph> other) = 0;
  /// Enqueues the work in `stream`, which must belong to the device that recorded it. A capturing stream records the
  /// work instead.
  virtual void launch(Stream &stream) = 0;
};

/// A queue of work that runs in order. Calls except download(), synchronize() and waitForEarlierWork() may return
/// before the work is done. All calls are thread-safe. Devices create streams as shared_ptr.
class Stream : public std::enable_shared_from_this<Stream> {
public:
  virtual ~Stream() = default;
  virtual Device &device() const = 0;

  /// Enqueues a kernel. `arguments` holds one 8-byte slot per kernel parameter, with the value in the slot's low bytes;
  /// it is copied. Memory that the arguments point to must stay alive until the kernel has run, and `keepAlive` is held
  /// until then. The caller has checked the shape with checkLaunch().
  virtual void launch(Kernel &kernel, const LaunchShape &shape, std::span<const uint64_t> arguments,
                      std::shared_ptr<void> keepAlive) = 0;

  /// Copies between any two locations in host and device memory.
  virtual void copy(void *to, const void *from, size_t bytes, std::shared_ptr<void> keepAlive) = 0;
  virtual void fill(void *to, uint8_t value, size_t bytes, std::shared_ptr<void> keepAlive) = 0;
  /// Copies from pageable host memory. The source may be changed or freed once this returns.
  virtual void upload(void *to, const void *from, size_t bytes) = 0;
  /// Copies to pageable host memory and waits for the copy.
  virtual void download(void *to, const void *from, size_t bytes) = 0;
  /// Allocates device memory in stream order: later work in this stream may use it, and it is freed in stream order.
  virtual std::shared_ptr<Buffer> allocate(size_t bytes) = 0;
  virtual void record(std::shared_ptr<Event> event) = 0;
  virtual void waitForEvent(std::shared_ptr<Event> event) = 0;
  /// Runs `f` on another thread when the stream reaches this point.
  virtual void addCallback(std::function<void()> f) = 0;
  /// Like addCallback(), for a function that is part of the stream's work: the program neither waits for it nor learns
  /// the stream's progress from it.
  virtual void callInOrder(std::function<void()> f) { addCallback(std::move(f)); }

  /// The driver's handle (a CUstream: 1 legacy default, 2 per-thread default); on the CPU a number that identifies the
  /// stream.
  virtual uint64_t nativeHandle() const = 0;
  /// True if synchronize() would return immediately.
  virtual bool done() const = 0;
  /// Waits for all work enqueued so far; for the default stream, also for the work of all blocking streams. Throws the
  /// first KernelError since the last synchronize().
  virtual void synchronize() = 0;
  /// Waits until newly enqueued work could begin: synchronize(), and for a blocking stream also the default stream.
  /// Afterwards host code may access device memory in stream order.
  virtual void waitForEarlierWork() { synchronize(); }

  /// Records work in this stream until endCapture() instead of running it. Streams that wait for an event of this
  /// stream join the capture. Calls that wait for a capturing stream throw CompileError (Value). upload() and
  /// download() record a copy, and the graph accesses the host memory whenever it runs. Throws CompileError:
  /// Unsupported if the device has no graphs, Value if the stream is already capturing.
  virtual void beginCapture();
  /// Throws CompileError (Value) if this stream did not begin the capture. Also throws, and ends the capture, if this
  /// stream does not wait for all work of a stream that joined.
  virtual std::shared_ptr<Graph> endCapture();
  virtual bool isCapturing() const { return false; }
  /// The number of pieces of work that the stream's capture has recorded; 0 if this stream does not capture, or if
  /// beginCapture() did not begin the capture.
  virtual size_t countRecordedWork() const { return 0; }
};

struct MemoryInfo {
  uint64_t free = 0;
  uint64_t total = 0;
};

/// Launch limits, named after the CUDA driver's device attributes.
struct LaunchLimits {
  uint32_t maxThreadsPerBlock = 1024;
  Dim3 maxBlock{1024, 1024, 64};
  Dim3 maxGrid{2147483647u, 65535, 65535};
  uint32_t maxSharedBytesPerBlock = 49152;
};

/// CUipcMemHandle.
using IpcHandle = std::array<std::byte, 64>;

class Device {
public:
  virtual ~Device() = default;
  virtual unsigned index() const = 0;
  /// "cpu" or "cuda".
  virtual std::string_view type() const = 0;
  virtual std::string name() const = 0;
  virtual std::string uuid() const = 0;
  virtual std::pair<int, int> computeCapability() const = 0;
  /// The architecture that front ends compile for.
  Architecture architecture() const {
    auto [major, minor] = computeCapability();
    return {.number = unsigned(10 * major + minor), .isGpu = !usesHostMemory()};
  }
  /// The value of a device attribute; nullopt for names that the CUDA driver does not have. `name` omits the driver's
  /// prefix: "MULTIPROCESSOR_COUNT".
  virtual std::optional<int64_t> attribute(std::string_view name) const = 0;
  /// All names that attribute() accepts.
  virtual std::vector<std::string_view> attributeNames() const = 0;
  virtual MemoryInfo memoryInfo() const = 0;
  virtual const LaunchLimits &limits() const = 0;

  /// Throws CompileError (Memory) with the requested and the free bytes; the device stays usable.
  virtual std::shared_ptr<Buffer> allocate(size_t bytes, MemoryKind kind = MemoryKind::Device) = 0;
  /// True if the address is in a live buffer of the device. Devices with separate memory may always return true,
  /// because their kernels take only device addresses.
  virtual bool ownsMemory(const void *address) const { return true; }
  /// The bytes [first, end) of the allocation that contains `address`, even if another library made it; nullopt if it
  /// is unknown.
  virtual std::optional<std::pair<uint64_t, uint64_t>> allocationAt(uint64_t address) {
    return std::nullopt;
  }
  /// True if kernels access host memory in place, so that launches copy no arrays.
  virtual bool usesHostMemory() const = 0;
  virtual std::shared_ptr<Stream> createStream(StreamKind kind) = 0;
  std::shared_ptr<Stream> createStream() { return createStream(StreamKind::Blocking); }
  /// Wraps a stream by its handle without taking ownership; another library may have created it. Handles 0 and 1 are
  /// the default stream, 2 is perThreadStream(). On the CPU device throws CompileError (Value) if there is no such
  /// stream.
  virtual std::shared_ptr<Stream> externalStream(uint64_t handle) = 0;
  /// The per-thread default stream of the calling thread.
  virtual std::shared_ptr<Stream> perThreadStream() = 0;
  /// The stream for launches without a stream argument.
  virtual Stream &defaultStream() = 0;
  virtual std::shared_ptr<Event> createEvent(bool timing = true) = 0;

  /// Loads a SIMT module, compiled or from the disk cache.
  virtual std::shared_ptr<Module> load(simt::OwnedModule code, const CompileOptions &options) = 0;

  /// Waits for every stream; throws the first unreported KernelError.
  virtual void synchronize() = 0;
  /// The block size, in threads, with the highest occupancy. Used by `kernel.forall`.
  virtual uint32_t suggestedBlockSize(const Kernel &kernel, uint32_t dynamicSharedBytes) const = 0;
  /// The number of blocks of this size that fit on one multiprocessor at once.
  virtual uint32_t activeBlocksPerMultiprocessor(const Kernel &kernel, uint32_t blockThreads,
                                                 uint32_t dynamicSharedBytes) const = 0;
  /// The largest grid of a cooperative launch: all blocks must run at once.
  virtual uint64_t maxCooperativeBlocks(const Kernel &kernel, uint32_t blockThreads,
                                        uint32_t dynamicSharedBytes) const = 0;

  /// Page-locks host memory that the caller owns, so that copies are asynchronous. Call unpin() before freeing it. Does
  /// nothing on devices that use host memory.
  virtual void pin(void *address, size_t bytes) {}
  virtual void unpin(void *address) {}
  /// True if enableAccess() can give kernels on this device access to memory of `other`.
  virtual bool canAccess(const Device &other) const { return &other == this; }
  virtual void enableAccess(const Device &other);
  /// True if kernels on this device currently have access to memory of `other`.
  virtual bool hasAccess(const Device &other) const { return &other == this; }
  /// Exports the allocation that contains `address` to other processes, and imports one from another process.
  /// Destroying the imported buffer closes the handle. Both throw CompileError (Unsupported) if the device does not
  /// support this.
  virtual IpcHandle exportMemory(const void *address);
  virtual std::shared_ptr<Buffer> importMemory(const IpcHandle &handle, size_t bytes);
  virtual void startProfiler() {}
  virtual void stopProfiler() {}
  /// The driver's version in CUDA's encoding (13000 for 13.0); 0 if there is no driver.
  virtual int driverVersion() const { return 0; }
};

/// Throws CompileError (Value), because a capturing stream cannot copy ordinary host memory.
[[noreturn]] void refuseHostCopyInCapture();

/// Throws CompileError (Value) with the limit and the value if the device cannot launch the shape.
void checkLaunch(const Device &device, const Kernel &kernel, const LaunchShape &shape);

/// The devices of this machine, listed at the first call: GPUs in the driver's order, then the CPU device. Never empty:
/// if there is no driver, or the driver fails to start, only the CPU device is listed (noGpuReason()).
/// $HEDDLE_DEVICE=cpu leaves out the GPUs and does not load the driver.
std::span<const std::unique_ptr<Device>> devices();

/// The device of threads that selected none: $HEDDLE_DEVICE (cpu, cuda, cuda:1) if set, else the first device. Throws
/// CompileError (Value) with the reason if there is no such device.
Device &defaultDevice();

/// One sentence that explains why devices() has no GPU; empty if it has one.
std::string noGpuReason();

/// Sets the process's interrupt check (see InterruptCheck). An empty function removes it.
void setInterruptCheck(InterruptCheck check);
/// Calls the interrupt check and returns its result; false if there is none.
bool callInterruptCheck();

/// Sets a function that calls its argument while it holds the embedder's lock (Python's GIL). The CPU device uses it to
/// release, on one of its threads, the objects that finished work kept alive. Without this function, a thread that
/// holds the embedder's lock may find memory still in use after its synchronize().
void setEmbedderLockCaller(void (*call)(const std::function<void()> &release));
/// Calls `release` through the function of setEmbedderLockCaller(), or directly if none is set.
void releaseWithEmbedderLock(const std::function<void()> &release);

} // namespace heddle
