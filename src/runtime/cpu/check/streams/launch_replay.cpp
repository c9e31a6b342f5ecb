#include "runtime/cpu/check/streams/launch_replay.h"

#include "runtime/cpu/blocks/block_runner.h"
#include "runtime/cpu/check/checked_launch.h"
#include "runtime/cpu/queue/thread_pool.h"
#include "support/os/threads.h"

#include <cstring>
#include <new>

namespace heddle::cpu {

namespace {

/// True on threads of the pool.
bool isStackDeep() {
  os::StackBounds stack = os::currentStack();
  return size_t(stack.high - stack.low) >= ThreadPool::stackBytes / 2;
}

} // namespace

LaunchReplay::Memory LaunchReplay::allocateCopyOfArray(const Array &array) {
  uint64_t pages = (array.low % ShadowMemory::pageBytes + array.bytes) / ShadowMemory::pageBytes;
  Memory memory(static_cast<char *>(
      std::aligned_alloc(ShadowMemory::pageBytes, (pages + 1) * ShadowMemory::pageBytes)));
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

char *LaunchReplay::startOfArrayIn(const Memory &memory, const Array &array) {
  return memory.get() + array.low % ShadowMemory::pageBytes;
}

LaunchReplay::LaunchReplay(const FilteredLaunch &launch, std::span<const uint64_t> arguments)
    : arguments_(arguments.begin(), arguments.end()) {
  for (const FilteredArray &array : launch.listArrays()) {
    arrays_.push_back({array.argument, array.low, array.high - array.low, nullptr});
    if (!array.isRead)
      continue;
    Array &added = arrays_.back();
    added.copy = allocateCopyOfArray(added);
    std::memcpy(startOfArrayIn(added.copy, added), reinterpret_cast<const char *>(added.low),
                added.bytes);
    bytes_ += added.bytes;
  }
}

uint64_t LaunchReplay::countReadBytes(const FilteredLaunch &launch) {
  uint64_t bytes = 0;
  for (const FilteredArray &array : launch.listArrays())
    bytes += array.isRead ? array.high - array.low : 0;
  return bytes;
}

std::optional<RecordedAccesses> LaunchReplay::run(CpuKernel &kernel, const LaunchShape &shape,
                                                  BlockRunner &runner) noexcept {
  try {
    const CpuKernel::ExactForm &form = kernel.getOrCompileFullCheckForm();
    if (form.entry->waitsForBlocks() || (form.entry->needsDeepStack && !isStackDeep()))
      return std::nullopt;
    for (Array &array : arrays_) {
      if (!array.copy)
        array.copy = allocateCopyOfArray(array);
      arguments_[array.argument] +=
          reinterpret_cast<uint64_t>(startOfArrayIn(array.copy, array)) - array.low;
    }
    CheckedLaunch checked(std::make_shared<const LaunchNote>());
    KernelRun run(kernel, *form.entry, shape, arguments_.data(), &checked);
    checked.begin(run, form.sites);
    runner.run(run, 0, shape.grid.count());
    RecordedAccesses found = checked.takeAccesses();
    for (const Array &array : arrays_)
      found.memory.moveCells(reinterpret_cast<uint64_t>(startOfArrayIn(array.copy, array)),
                             array.low, array.bytes);
    return found;
  } catch (const std::exception &) { // CompileError, std::bad_alloc
    return std::nullopt;
  }
}

} // namespace heddle::cpu
