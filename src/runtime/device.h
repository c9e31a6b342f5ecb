// What every device type offers: memory, streams, events, compiled modules, launches. runtime/cpu implements these for
// the CPU; another device type implements them unchanged.
//
// Errors: a wrong argument or an exhausted resource throws CompileError (kind Value, Type, Memory or Lowering) at once,
// before anything is enqueued. An error of a running kernel is a KernelError: thrown by the call that waits for it.
#pragma once

#include "runtime/kernel_error.h"
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

/// How a kernel is launched.
struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  uint32_t dynamicSharedBytes = 0;
  /// All blocks run at once; a kernel that waits for the grid is launched so in any case.
  bool cooperative = false;

  LaunchExtents extents() const {
    return {.block = {block.x, block.y, block.z}, .gridThreadsX = uint64_t(grid.x) * block.x};
  }
};

/// The block to launch for one of `block` that the program asks for, if the kernel's threads are in that order.
inline Dim3 launchedBlock(const Dim3 &block, simt::ThreadOrder order) {
  auto [x, y, z] = simt::launchExtents({block.x, block.y, block.z}, order);
  return {x, y, z};
}

class Device;

/// A kernel loaded on a device. Lives as long as its Module.
class Kernel {
public:
  virtual ~Kernel() = default;
  virtual const std::string &name() const = 0;
  /// The sites that its errors refer to.
  virtual const std::vector<simt::SiteInfo> &sites() const = 0;
  /// Bytes of static shared memory per block, and of local memory (its stack) per thread.
  virtual uint32_t staticSharedBytes() const = 0;
  virtual uint32_t localBytes() const = 0;
  virtual uint32_t registers() const = 0;
  /// What its launch bounds promise, or less where the device cannot run so many.
  virtual uint32_t maxThreadsPerBlock() const = 0;
  /// Bytes of constant memory.
  virtual uint32_t constantBytes() const { return 0; }
  /// Whether it waits for the whole grid, so that all its blocks must run at once.
  virtual bool cooperative() const { return false; }
};

/// A compiled SIMT module, loaded on a device. Unloaded when the last reference goes.
class Module {
public:
  virtual ~Module() = default;
  /// Throws CompileError (Value) when there is no kernel of that name.
  virtual Kernel &kernel(std::string_view name) = 0;
  /// The address of the module variable of that symbol, in the device's memory. Throws CompileError (Value) when there
  /// is none.
  virtual void *variable(std::string_view symbol) = 0;
  /// What the device runs: PTX, or the host's assembly. Made on demand.
  virtual std::string assembly() = 0;
  /// Whether it came from the disk cache.
  virtual bool fromCache() const = 0;
  /// The device's machine code as a file of its own format (a cubin); empty on the CPU.
  virtual std::string machineCode() { return {}; }
  /// What the back end decided that a user may want to know, one sentence each.
  virtual std::vector<std::string> remarks() const { return {}; }
};

/// Where an allocation lives. On a device whose memory is the host's all four are the same.
enum class MemoryKind { Device, Pinned, Mapped, Managed };

/// A piece of memory, freed with the last reference (in stream order where the device has that).
class Buffer {
public:
  virtual ~Buffer() = default;
  virtual void *address() const = 0;
  virtual size_t bytes() const = 0;
  virtual Device &device() const = 0;
  /// Whether host code may read and write address() directly.
  virtual bool hostAccessible() const = 0;
};

/// A point in a stream's work. Made by a device, as a shared_ptr.
class Event : public std::enable_shared_from_this<Event> {
public:
  virtual ~Event() = default;
  /// Whether everything before the last record() has run; true when never recorded.
  virtual bool done() const = 0;
  /// Waits for that.
  virtual void synchronize() = 0;
  /// Milliseconds from `earlier` to this one. Throws CompileError (Value) when either was not recorded, has not
  /// happened yet, or was made without timing.
  virtual double millisecondsSince(const Event &earlier) const = 0;
  /// What the driver calls it; on the CPU device a number that is the event's alone.
  virtual uint64_t nativeHandle() const = 0;
};

/// Called now and then by a thread that waits, so that the embedder can look for signals. Returning true asks the
/// wait to give up: it throws Interrupted. On the CPU device the commands that it waits for are cancelled, and kernels
/// stop in the middle of their blocks. A kernel that runs on the process's main thread asks, too.
using InterruptCheck = std::function<bool()>;

/// Whether a stream and the legacy default stream wait for each other.
enum class StreamKind { Blocking, NonBlocking };

class Stream;

/// Work that streams have recorded, which can be enqueued as often as wanted.
class Graph {
public:
  virtual ~Graph() = default;
  /// Enqueues the work in the order of `stream`, a stream of the device that recorded it. A stream that captures records
  /// it instead.
  virtual void launch(Stream &stream) = 0;
};

/// Work in order. Every call but synchronize() may return before the work is done; all are safe from any thread. Made by a
/// device, as a shared_ptr.
class Stream : public std::enable_shared_from_this<Stream> {
public:
  virtual ~Stream() = default;
  virtual Device &device() const = 0;

  /// Enqueues a kernel. `arguments` holds one 8-byte slot per kernel parameter, the value in the slot's low bytes; it
  /// is copied. The memory that pointers name must stay alive until the kernel has run (`keepAlive` is held so long).
  /// The caller has checked the shape with checkLaunch().
  virtual void launch(Kernel &kernel, const LaunchShape &shape, std::span<const uint64_t> arguments,
                      std::shared_ptr<void> keepAlive) = 0;

  /// Copies between any two places of host and device memory.
  virtual void copy(void *to, const void *from, size_t bytes, std::shared_ptr<void> keepAlive) = 0;
  virtual void fill(void *to, uint8_t value, size_t bytes, std::shared_ptr<void> keepAlive) = 0;
  /// Copies from ordinary host memory, which may be changed or freed on return.
  virtual void upload(void *to, const void *from, size_t bytes) = 0;
  /// Copies to ordinary host memory, which is filled on return: waits for the stream.
  virtual void download(void *to, const void *from, size_t bytes) = 0;
  /// Device memory for work of this stream: usable by what is enqueued after, freed in the order of the stream.
  virtual std::shared_ptr<Buffer> allocate(size_t bytes) = 0;
  virtual void record(std::shared_ptr<Event> event) = 0;
  virtual void wait(std::shared_ptr<Event> event) = 0;
  /// Runs `f` on a thread of the device when the stream gets there.
  virtual void callback(std::function<void()> f) = 0;

  /// The driver's handle (a CUstream: 1 legacy default, 2 per-thread default); on the CPU a number that tells the
  /// stream.
  virtual uint64_t nativeHandle() const = 0;
  /// Whether synchronize() would return at once.
  virtual bool done() const = 0;
  /// Waits for all work enqueued so far, for the default stream also for that of all blocking streams; throws the first
  /// KernelError since the last synchronize().
  virtual void synchronize() = 0;
  /// Waits until work that is enqueued now could begin: synchronize(), and for a blocking stream also the default
  /// stream. Host code then accesses device memory in the order of the stream.
  virtual void waitForTurn() { synchronize(); }

  /// From here on the stream records work instead of running it, until endCapture(). Streams that wait for an event of
  /// the stream join. Calls that wait for the stream throw CompileError (Value). upload() and download() record a copy: the
  /// host memory is accessed whenever the graph runs. Throws CompileError (Unsupported) where the device has no graphs,
  /// (Value) when the stream captures already.
  virtual void beginCapture();
  /// Throws CompileError (Value) when this stream has not begun a capture. Also when work of a stream that joined does
  /// not come before the end: this stream must wait for it. The capture ends then, too.
  virtual std::shared_ptr<Graph> endCapture();
  virtual bool capturing() const { return false; }
};

struct MemoryInfo {
  uint64_t free = 0;
  uint64_t total = 0;
};

/// What the device takes per launch; the names are the CUDA driver's device attributes.
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
  /// A device attribute by the CUDA driver's name without its prefix ("MULTIPROCESSOR_COUNT"); nothing for a name
  /// that the driver does not have.
  virtual std::optional<int64_t> attribute(std::string_view name) const = 0;
  /// Every name that attribute() answers.
  virtual std::vector<std::string_view> attributeNames() const = 0;
  virtual MemoryInfo memory() const = 0;
  virtual const LaunchLimits &limits() const = 0;

  /// Throws CompileError (Memory) naming the bytes asked for and free; the device stays usable.
  virtual std::shared_ptr<Buffer> allocate(size_t bytes, MemoryKind kind = MemoryKind::Device) = 0;
  /// Whether an address is in a buffer of the device that lives. A device whose memory is not the host's need not know:
  /// all addresses that its kernels take are such.
  virtual bool ownsMemory(const void *address) const { return true; }
  /// Whether kernels read and write the host's memory in place, so that a launch copies no array.
  virtual bool usesHostMemory() const = 0;
  virtual std::shared_ptr<Stream> createStream(StreamKind kind) = 0;
  std::shared_ptr<Stream> createStream() { return createStream(StreamKind::Blocking); }
  /// The stream with that handle, which another library may have made; it stays theirs. Handles 0 and 1 are the default
  /// stream, 2 is perThreadStream(). Throws CompileError (Value) on the CPU device when there is no such stream.
  virtual std::shared_ptr<Stream> externalStream(uint64_t handle) = 0;
  /// The calling thread's own default stream.
  virtual std::shared_ptr<Stream> perThreadStream() = 0;
  /// The stream of launches that name none.
  virtual Stream &defaultStream() = 0;
  virtual std::shared_ptr<Event> createEvent(bool timing = true) = 0;

  /// Compiles (or finds in the disk cache) and loads a SIMT module.
  virtual std::shared_ptr<Module> load(simt::OwnedModule code, const CompileOptions &options) = 0;

  /// Waits for every stream; throws the first KernelError that nobody has seen.
  virtual void synchronize() = 0;
  /// Threads per block for best occupancy when the user leaves the choice (`kernel.forall`).
  virtual uint32_t suggestedBlockSize(const Kernel &kernel, uint32_t dynamicSharedBytes) const = 0;
  /// Blocks of that size that one multiprocessor runs at a time.
  virtual uint32_t activeBlocksPerMultiprocessor(const Kernel &kernel, uint32_t blockThreads,
                                                 uint32_t dynamicSharedBytes) const = 0;
  /// Blocks that a cooperative launch may have: all of them run at once.
  virtual uint64_t maxCooperativeBlocks(const Kernel &kernel, uint32_t blockThreads,
                                        uint32_t dynamicSharedBytes) const = 0;

  /// Page-locks host memory that the caller owns, so that copies of it run beside the host; unpin() before it is
  /// freed. Nothing to do where memory is the host's.
  virtual void pin(void *address, size_t bytes) {}
  virtual void unpin(void *address) {}
  /// Whether kernels of this device may be given memory of `other`, and making it so.
  virtual bool canAccess(const Device &other) const { return &other == this; }
  virtual void enableAccess(const Device &other);
  /// Whether kernels of this device may be given memory of `other` now.
  virtual bool hasAccess(const Device &other) const { return &other == this; }
  /// A handle by which another process opens the allocation that `address` is in, and the reverse. The buffer that
  /// import returns closes it. Both throw CompileError (Unsupported) where the device has none.
  virtual IpcHandle exportMemory(const void *address);
  virtual std::shared_ptr<Buffer> importMemory(const IpcHandle &handle, size_t bytes);
  virtual void startProfiler() {}
  virtual void stopProfiler() {}
  /// The driver's version, as CUDA counts (13000 for 13.0); 0 where there is none.
  virtual int driverVersion() const { return 0; }
};

/// Refuses what the device cannot launch: throws CompileError (Value) that names the limit and the value.
void checkLaunch(const Device &device, const Kernel &kernel, const LaunchShape &shape);

/// The devices of this machine, in order, made at the first call: GPUs as the driver numbers them, the CPU device last.
/// Never empty: a machine without a driver, or whose driver does not start, has the CPU device alone (noGpuReason()).
/// $HEDDLE_DEVICE=cpu leaves the GPUs out, and the driver is not touched.
std::span<const std::unique_ptr<Device>> devices();

/// The device of threads that selected none: the first; or what $HEDDLE_DEVICE (cpu, cuda, cuda:1) names. Throws
/// CompileError (Value) when there is no such device, with the reason.
Device &defaultDevice();

/// Why devices() has no GPU, one sentence; empty when it has.
std::string noGpuReason();

/// Sets the process's interrupt check (see InterruptCheck); an empty one removes it.
void setInterruptCheck(InterruptCheck check);
/// Asks the interrupt check, if there is one.
bool interruptRequested();

} // namespace heddle
