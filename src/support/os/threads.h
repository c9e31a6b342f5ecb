// Processors, threads, stacks, and handlers for fork and exit.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle::os {

/// The number of processors in this process's affinity mask, at least 1.
unsigned cpuCount();

/// A thread's stack. It grows down from `high` and must not pass `low`.
struct StackBounds {
  char *low = nullptr;
  char *high = nullptr;
};

/// The calling thread's stack. The first call on a thread may be slow; later calls read a thread-local.
StackBounds currentStack();

/// A thread with a stack of a given size. The stack takes memory only when touched, and has a guard page below it. The
/// thread blocks all signals except faults, because a handler may not fit on the rest of the stack.
class Thread {
public:
  Thread() = default;
  /// Throws CompileError (Memory) if the system cannot create a thread or has no address space left.
  Thread(const char *name, size_t stackBytes, std::function<void()> body);
  Thread(Thread &&other) noexcept { *this = static_cast<Thread &&>(other); }
  Thread &operator=(Thread &&other) noexcept;
  /// Abandons the thread unless it was joined.
  ~Thread();

  /// Waits at most `milliseconds` for the body to return, and frees the stack. Returns false on a timeout.
  bool join(unsigned milliseconds);
  /// Detaches the thread and keeps its stack until the process ends. Also used in a fork's child, where the thread does
  /// not exist.
  void abandon() { state_ = nullptr; }

private:
  struct State;
  State *state_ = nullptr;
};

/// Registers fork handlers: `prepare` runs in the parent before fork(), then `parent` and `child` after it.
void atFork(void (*prepare)(), void (*parent)(), void (*child)());

/// Registers a handler that gets the exit status. It runs before handlers that were registered earlier. Does nothing if
/// the C library has no on_exit().
void atExitWithStatus(void (*handler)(int status));

/// Writes the buffers of C streams and ends the process. No other exit handler runs.
[[noreturn]] void endProcess(int status);

/// Tells the processor that this is a spin loop.
inline void pauseProcessor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace heddle::os
