// Interrupts threads in code that was made while the process runs, so that a kernel that never ends can be left.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle::os {

/// A thread that runs generated code now and then. Other threads read the fields.
struct CodeThread {
  std::atomic<int> thread{
      0}; ///< the system's number; 0 where the entry is free, -1 where it is reserved
  /// Entries into generated code and exits: odd while the thread is there.
  std::atomic<uint64_t> crossings{0};
  CodeThread *next = nullptr;

  /// Before a FaultExitScope that may be interrupted, and after it.
  void enter();
  void leave() { cross(); }

private:
  void cross() {
    crossings.store(crossings.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
};

/// An entry for a thread that is about to begin, which gives it to codeThread(): made where missing memory can be said.
CodeThread &reserveCodeThread();
/// The calling thread's entry, which is never freed. The thread takes interrupts from the first call on, which allocates
/// an entry where none is reserved.
CodeThread &codeThread(CodeThread *reserved = nullptr);

/// Makes each thread that is in generated code ask its FaultExit (code_faults.h) whether to leave. A thread that is in
/// other functions at that moment stays: ask again.
void interruptCode() noexcept;

/// From now on the process's main thread asks, too, every 50 ms while it stays in generated code. Nothing happens where
/// the system gives no thread for that.
void watchMainThread() noexcept;

} // namespace heddle::os
