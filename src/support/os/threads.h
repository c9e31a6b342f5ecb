// Processors, threads and their stacks, and what happens to them at fork.
#pragma once

#include <cstddef>
#include <functional>

namespace heddle::os {

/// Processors that this process may run on (its affinity mask), at least 1.
unsigned cpuCount();

/// A thread's stack: it grows down from `high` and must not pass `low`.
struct StackBounds {
  char *low = nullptr;
  char *high = nullptr;
};

/// The calling thread's stack. The first call of a thread may be slow; later ones read a thread-local.
StackBounds currentStack();

/// A thread with a stack of a chosen size. The stack is address space only until touched, with an inaccessible page
/// below it. The thread takes no signals: they go to the threads of the program.
class Thread {
public:
  Thread() = default;
  /// Throws CompileError (Memory) when the system gives no further thread or address space.
  Thread(const char *name, size_t stackBytes, std::function<void()> body);
  Thread(Thread &&other) noexcept { *this = static_cast<Thread &&>(other); }
  Thread &operator=(Thread &&other) noexcept;
  /// A thread that was neither joined nor abandoned is abandoned.
  ~Thread();

  /// Waits for the body to return, at most `milliseconds`; whether it did. When it did, its stack is returned.
  bool join(unsigned milliseconds);
  /// Lets the thread and its stack be: it ends with the process. Also for a fork's child, where it does not exist.
  void abandon() { state_ = nullptr; }

private:
  struct State;
  State *state_ = nullptr;
};

/// Functions to run around fork(): `prepare` in the parent before it, then `parent` and `child`.
void atFork(void (*prepare)(), void (*parent)(), void (*child)());

/// Tells the processor that this is a spin loop.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace heddle::os
