#include "support/os/faults.h"

#include "support/os/threads.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

namespace heddle::os {

namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

/// Where this thread goes on after a fault; null: its faults are not caught.
thread_local sigjmp_buf *landing __attribute__((tls_model("initial-exec"))) = nullptr;

/// What the program does with each signal. Written before the handler can run.
struct sigaction programs[std::size(signals)];

void handle(int number, siginfo_t *info, void *registers) {
  if (sigjmp_buf *target = landing) {
    landing = nullptr;
    siglongjmp(*target, number);
  }
  struct sigaction &own = programs[std::find(signals, std::end(signals), number) - signals];
  if (own.sa_flags & SA_SIGINFO) {
    own.sa_sigaction(number, info, registers);
  } else if (own.sa_handler == SIG_DFL) {
    sigaction(number, &own, nullptr);
    raise(number); // arrives when this handler returns
  } else if (own.sa_handler != SIG_IGN) {
    own.sa_handler(number);
  }
}

std::mutex handlerMutex;
unsigned handlerUsers = 0;

void giveBack() {
  for (size_t i = 0; i < std::size(signals); ++i) {
    struct sigaction current;
    sigaction(signals[i], nullptr, &current);
    // A handler that the program has installed meanwhile stays.
    if (current.sa_flags & SA_SIGINFO && current.sa_sigaction == handle)
      sigaction(signals[i], &programs[i], nullptr);
  }
}

void watchFork() {
  os::atFork([] { handlerMutex.lock(); }, [] { handlerMutex.unlock(); },
             [] {
               // Those who used it are threads that do not exist here.
               if (std::exchange(handlerUsers, 0))
                 giveBack();
               handlerMutex.unlock();
             });
}

/// Keeps the handler installed.
class HandlerUse {
public:
  HandlerUse() {
    static std::once_flag watching;
    std::call_once(watching, watchFork);
    std::lock_guard lock(handlerMutex);
    if (handlerUsers++)
      return;
    struct sigaction ours = {};
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < std::size(signals); ++i) {
      sigaction(signals[i], nullptr, &programs[i]);
      sigaction(signals[i], &ours, nullptr);
    }
  }
  ~HandlerUse() {
    std::lock_guard lock(handlerMutex);
    if (!--handlerUsers)
      giveBack();
  }
  HandlerUse(const HandlerUse &) = delete;
  HandlerUse &operator=(const HandlerUse &) = delete;
};

/// A stack for the handler, where the thread has none: it runs when the thread's own is used up, too.
class HandlerStack {
public:
  HandlerStack() {
    stack_t current;
    if (sigaltstack(nullptr, &current) || !(current.ss_flags & SS_DISABLE))
      return;
    constexpr size_t bytes = 64 << 10;
    memory_ = std::make_unique<char[]>(bytes);
    stack_t ours = {};
    ours.ss_sp = memory_.get();
    ours.ss_size = bytes;
    sigaltstack(&ours, nullptr);
  }
  ~HandlerStack() {
    if (!memory_)
      return;
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  HandlerStack(const HandlerStack &) = delete;
  HandlerStack &operator=(const HandlerStack &) = delete;

private:
  std::unique_ptr<char[]> memory_;
};

} // namespace

int catchFault(const std::function<void()> &work) {
  HandlerStack stack;
  HandlerUse use;
  struct Scope {
    sigjmp_buf *outer = landing;
    ~Scope() { landing = outer; }
  } scope;
  sigjmp_buf here;
  // The signal is blocked while its handler runs: the mask of now comes back with the jump.
  if (int number = sigsetjmp(here, 1))
    return number;
  landing = &here;
  work();
  return 0;
}

} // namespace heddle::os
