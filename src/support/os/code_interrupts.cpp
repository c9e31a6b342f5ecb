#include "support/os/code_interrupts.h"

#include "support/os/code_faults.h"
#include "support/os/interrupt_signal.h"
#include "support/os/threads.h"

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::os {

namespace {

/// SIGURG is ignored by default, so a signal that arrives without a handler does no harm.
constexpr int interruptSignal = SIGURG;
constexpr auto watchPeriod = std::chrono::milliseconds(50);
/// After this many periods without generated code on the main thread, the watch sleeps for idleTime or until called.
constexpr unsigned idlePeriods = 20;
constexpr auto idleTime = std::chrono::seconds(1);
constexpr size_t watchStackBytes = size_t(256) << 10;

/// Entries are never freed, so that a fork's child can walk the list. A new thread reuses the entry of an ended thread.
std::atomic<CodeThread *> codeThreads{nullptr};
std::atomic<CodeThread *> mainThread{nullptr};
int forkingThread = 0;

enum class Watching { Off, Asleep, On };
std::atomic<Watching> watching{Watching::Off};

struct Watch {
  std::mutex mutex;
  std::condition_variable called;
  bool hasThread = false;
};
/// Never destroyed, because the watch thread may outlive static objects.
Watch &watchOfProcess() {
  static auto *watch = new Watch;
  return *watch;
}

struct sigaction programsInterrupt;
constinit thread_local bool inProgramsHandler __attribute__((tls_model("initial-exec"))) = false;

void onInterrupt(int number, siginfo_t *info, void *registers) {
  if (faultExit)
    return interruptCodeAt(number, registers);
  if (inProgramsHandler) // the program's handler chained to ours
    return;
  inProgramsHandler = true;
  if (programsInterrupt.sa_flags & SA_SIGINFO)
    programsInterrupt.sa_sigaction(number, info, registers);
  else if (programsInterrupt.sa_handler != SIG_DFL && programsInterrupt.sa_handler != SIG_IGN)
    programsInterrupt.sa_handler(number);
  inProgramsHandler = false;
}

/// Reinstalls the handler if the program has replaced it. Runs on the thread's normal stack, because it may call the
/// program's handler.
void installInterruptHandler() {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  struct sigaction present;
  if (sigaction(interruptSignal, nullptr, &present) != 0 ||
      ((present.sa_flags & SA_SIGINFO) && present.sa_sigaction == onInterrupt))
    return;
  programsInterrupt = present;
  struct sigaction ours = {};
  ours.sa_sigaction = onInterrupt;
  ours.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&ours.sa_mask);
  sigaction(interruptSignal, &ours, nullptr);
}

void interruptThread(const CodeThread &thread) {
  if (int number = thread.thread)
    syscall(SYS_tgkill, getpid(), number, interruptSignal);
}

bool isInCode(uint64_t crossings) { return crossings & 1; }

/// The thread id of an entry whose thread has not started.
constexpr int reservedEntry = -1;

/// In a fork's child, frees all entries except that of the forking thread.
void keepOnlyForkingThread() {
  mainThread = nullptr;
  for (CodeThread *t = codeThreads; t; t = t->next) {
    if (t->thread == forkingThread) {
      t->thread = gettid();
      mainThread = t;
    } else {
      t->thread = 0;
      t->crossings = 0;
    }
  }
  new (&watchOfProcess()) Watch;
  if (watching != Watching::Off)
    watching = Watching::Asleep;
}

CodeThread &addCodeThread(int number) {
  for (CodeThread *t = codeThreads; t; t = t->next)
    if (int nobody = 0; t->thread.compare_exchange_strong(nobody, number))
      return *t;
  static const bool watchesForks = [] {
    atFork([] { forkingThread = gettid(); }, [] {}, keepOnlyForkingThread);
    return true;
  }();
  (void)watchesForks;
  auto *added = new CodeThread;
  added->thread = number;
  added->next = codeThreads;
  while (!codeThreads.compare_exchange_weak(added->next, added)) {
  }
  return *added;
}

struct ThisCodeThread {
  explicit ThisCodeThread(CodeThread *reserved)
      : entry(reserved ? *reserved : addCodeThread(gettid())) {
    entry.thread = gettid();
    installInterruptHandler();
    sigset_t taken;
    sigemptyset(&taken);
    sigaddset(&taken, interruptSignal);
    pthread_sigmask(SIG_UNBLOCK, &taken, nullptr);
    if (isMainThread())
      mainThread = &entry;
  }
  ~ThisCodeThread() {
    if (mainThread == &entry)
      mainThread = nullptr;
    entry.crossings = 0;
    entry.thread = 0;
  }
  CodeThread &entry;
};

void runWatchThread() {
  std::unique_lock lock(watchOfProcess().mutex);
  uint64_t seen = 0;
  for (unsigned idle = 0;; ++idle) {
    if (idle > idlePeriods) {
      watching = Watching::Asleep;
      watchOfProcess().called.wait_for(lock, idleTime, [] { return watching == Watching::On; });
      watching = Watching::On;
    } else {
      watchOfProcess().called.wait_for(lock, watchPeriod, [] { return false; });
    }
    const CodeThread *main = mainThread;
    uint64_t crossings = main ? main->crossings.load() : 0;
    if (isInCode(crossings) && crossings == seen) {
      installInterruptHandler();
      interruptThread(*main);
    }
    if (isInCode(crossings) || crossings != seen)
      idle = 0;
    seen = crossings;
  }
}

/// Called by the main thread, before it enters generated code. Without memory for the watch, nothing watches the
/// thread.
void wakeOrStartWatchThread() {
  try {
    std::lock_guard lock(watchOfProcess().mutex);
    watching = Watching::On;
    if (watchOfProcess().hasThread)
      return watchOfProcess().called.notify_one();
    Thread("heddle-watch", watchStackBytes, runWatchThread).abandon();
    watchOfProcess().hasThread = true;
  } catch (const std::exception &) { // CompileError, std::bad_alloc
    watching = Watching::Off;
  }
}

} // namespace

void CodeThread::enter() {
  if (watching.load(std::memory_order_relaxed) == Watching::Asleep &&
      this == mainThread.load(std::memory_order_relaxed))
    wakeOrStartWatchThread();
  countCrossing();
}

CodeThread &reserveCodeThread() { return addCodeThread(reservedEntry); }

CodeThread &currentCodeThread(CodeThread *reserved) {
  thread_local ThisCodeThread self(reserved);
  return self.entry;
}

void interruptCode() noexcept {
  installInterruptHandler();
  for (const CodeThread *t = codeThreads; t; t = t->next)
    if (isInCode(t->crossings))
      interruptThread(*t);
}

void enableMainThreadWatch() noexcept {
  if (watching == Watching::Off)
    watching = Watching::Asleep;
}

} // namespace heddle::os
