#include "support/os/interrupt_signal.h"

#include <csignal>
#include <unistd.h>

namespace heddle::os {

namespace {

std::atomic<std::atomic<uint8_t> *> noted{nullptr};
struct sigaction before;

/// Runs in the signal handler: uses only async-signal-safe operations.
void onInterruptSignal(int signal, siginfo_t *info, void *context) {
  if (std::atomic<uint8_t> *flag = noted.load(std::memory_order_relaxed))
    flag->store(1, std::memory_order_relaxed);
  if (before.sa_flags & SA_SIGINFO)
    before.sa_sigaction(signal, info, context);
  else
    before.sa_handler(signal);
}

} // namespace

void watchInterruptSignal(std::atomic<uint8_t> &flag) {
  struct sigaction present;
  if (sigaction(SIGINT, nullptr, &present) != 0)
    return;
  bool isOurs = (present.sa_flags & SA_SIGINFO) && present.sa_sigaction == onInterruptSignal;
  bool isHandled = (present.sa_flags & SA_SIGINFO) ||
                   (present.sa_handler != SIG_DFL && present.sa_handler != SIG_IGN);
  if (isOurs || !isHandled)
    return;
  noted = &flag;
  before = present;
  struct sigaction own = present;
  own.sa_flags |= SA_SIGINFO;
  own.sa_sigaction = onInterruptSignal;
  sigaction(SIGINT, &own, nullptr);
}

bool isMainThread() { return getpid() == gettid(); }

} // namespace heddle::os
