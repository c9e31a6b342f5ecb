#include "support/os/code_faults.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <link.h>
#include <pthread.h>
#include <ucontext.h>

namespace heddle::os {

constinit thread_local const FaultExit *faultExit = nullptr;

namespace {

struct Range {
  std::atomic<uintptr_t> begin{0}, end{0};
};

/// A ring of the most recent ranges. A fault in older code ends the process.
std::array<Range, 1 << 14> ranges;
std::atomic<size_t> added{0};

bool isGeneratedCode(uintptr_t address) {
  size_t count = std::min(added.load(std::memory_order_acquire), ranges.size());
  for (size_t i = 0; i < count; ++i)
    if (address >= ranges[i].begin.load(std::memory_order_relaxed) &&
        address < ranges[i].end.load(std::memory_order_relaxed))
      return true;
  return false;
}

/// The program counter at which the signal arrived; 0 on systems where this is not implemented.
uintptr_t programCounter([[maybe_unused]] const ucontext_t &context) {
#if defined(__linux__) && defined(__x86_64__)
  return uintptr_t(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__linux__) && defined(__aarch64__)
  return uintptr_t(context.uc_mcontext.pc);
#else
  return 0;
#endif
}

/// Unblocks the signal, because a jump out of the handler does not.
void unblockSignal(int signal) {
  sigset_t arrived;
  sigemptyset(&arrived);
  sigaddset(&arrived, signal);
  pthread_sigmask(SIG_UNBLOCK, &arrived, nullptr);
}

} // namespace

void registerCode(const void *begin, const void *end) {
  size_t n = added.load(std::memory_order_relaxed);
  Range &range = ranges[n % ranges.size()];
  range.end.store(0, std::memory_order_relaxed); // empty while it changes
  range.begin.store(uintptr_t(begin), std::memory_order_relaxed);
  range.end.store(uintptr_t(end), std::memory_order_release);
  added.store(n + 1, std::memory_order_release);
}

void registerLibraryCode(const void *address) {
  auto add = [](dl_phdr_info *library, size_t, void *wanted) {
    auto startOf = [&](const auto &segment) {
      return static_cast<uintptr_t>(library->dlpi_addr + segment.p_vaddr);
    };
    auto runs = [](const auto &segment) {
      return segment.p_type == PT_LOAD && (segment.p_flags & PF_X);
    };
    const auto *segments = library->dlpi_phdr, *end = segments + library->dlpi_phnum;
    bool isIt = std::any_of(segments, end, [&](const auto &segment) {
      return runs(segment) && uintptr_t(wanted) - startOf(segment) < segment.p_memsz;
    });
    for (const auto *segment = segments; isIt && segment != end; ++segment)
      if (runs(*segment))
        registerCode(reinterpret_cast<const void *>(startOf(*segment)),
                     reinterpret_cast<const void *>(startOf(*segment) + segment->p_memsz));
    return int(isIt);
  };
  dl_iterate_phdr(add, const_cast<void *>(address));
}

bool isAccessFault(int signal) { return signal == SIGSEGV || signal == SIGBUS; }

void leaveCodeOnFault(int signal, const void *information, const void *registers) {
  const FaultExit *exit = faultExit;
  const auto &info = *static_cast<const siginfo_t *>(information);
  bool isFault = info.si_code > 0; // otherwise another process sent the signal
  if (!exit || !isFault ||
      !isGeneratedCode(programCounter(*static_cast<const ucontext_t *>(registers))))
    return;
  unblockSignal(signal);
  exit->leave(exit->owner, signal, info.si_code == SI_KERNEL ? unreportedAddress : info.si_addr);
}

void interruptCodeAt(int signal, const void *registers) {
  const FaultExit *exit = faultExit;
  bool inCode = isGeneratedCode(programCounter(*static_cast<const ucontext_t *>(registers)));
  if (!exit->interrupt || !exit->interrupt(exit->owner, inCode) || !inCode)
    return;
  unblockSignal(signal);
  exit->leave(exit->owner, 0, nullptr);
}

} // namespace heddle::os
