// Interrupts threads in generated code, so that an endless kernel can be stopped.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::os {

/// A thread that can run generated code. Other threads read the fields.
struct CodeThread {
  std::atomic<int> thread{0}; ///< system thread id; 0 if the entry is free, -1 if it is reserved
  /// Counts entries to and exits from generated code: odd while the thread runs generated code.
  std::atomic<uint64_t> crossings{0};
  CodeThread *next = nullptr;

  /// enter() is called before an interruptible FaultExitScope begins, leave() after it ends.
  void enter();
  void leave() { countCrossing(); }

private:
  void countCrossing() {
    crossings.store(crossings.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
};

/// Reserves an entry for a thread that is about to start; the thread passes it to currentCodeThread(). Throws
/// std::bad_alloc.
CodeThread &reserveCodeThread();
/// The calling thread's entry, which is never freed. The first call enables interrupts for the thread, and allocates an
/// entry if none is reserved.
CodeThread &currentCodeThread(CodeThread *reserved = nullptr);

/// Makes each thread that is in generated code call FaultExit::interrupt (code_faults.h). A thread that is inside
/// another function at that moment does not leave; call again.
void interruptCode() noexcept;

/// Starts to interrupt the main thread every 50 ms while it stays in generated code. Does nothing if no thread can be
/// created.
void enableMainThreadWatch() noexcept;

} // namespace heddle::os
