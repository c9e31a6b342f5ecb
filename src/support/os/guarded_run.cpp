#include "support/os/guarded_run.h"

#include "support/os/code_faults.h"
#include "support/os/private_heap.h"
#include "support/os/run_state.h"
#include "support/os/threads.h"

#include <algorithm>
#include <csignal>
#include <cxxabi.h>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>

namespace heddle::os {

constinit thread_local RunState *currentRun = nullptr;

namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

/// The program's handlers, saved before those of guarded runs are installed.
struct sigaction programActions[std::size(signals)];

void handleFault(int number, siginfo_t *info, void *registers) {
  if (currentRun)
    jumpOutOfGuardedRun({Interruption::Fault, number});
  leaveCodeOnFault(number, info, registers);
  struct sigaction &own = programActions[std::find(signals, std::end(signals), number) - signals];
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
bool handlerIsKept = false; ///< one of the users is permanent

void restoreHandlers() {
  for (size_t i = 0; i < std::size(signals); ++i) {
    struct sigaction current;
    sigaction(signals[i], nullptr, &current);
    // Keep a handler that the program has installed since.
    if (current.sa_flags & SA_SIGINFO && current.sa_sigaction == handleFault)
      sigaction(signals[i], &programActions[i], nullptr);
  }
}

/// Resets the handler state in a fork's child. The mutex is not held across fork(): a thread that prepares a fork may
/// hold locks that guarded runs wait for.
void installForkHandler() {
  os::atFork([] {}, [] {},
             [] {
               // The threads that held the mutex or used the handler do not exist in the child.
               new (&handlerMutex) std::mutex;
               handlerUsers = handlerIsKept;
               if (!handlerIsKept)
                 restoreHandlers();
             });
}

std::new_handler programsNewHandler = nullptr;

void leaveRunOnExhaustedMemory() {
  if (currentRun)
    jumpOutOfGuardedRun({Interruption::OutOfMemory});
  if (!programsNewHandler)
    throw std::bad_alloc();
  programsNewHandler(); // may free memory
}

/// Keeps the handler installed while the object lives.
class HandlerUse {
public:
  HandlerUse() {
    static std::once_flag prepared;
    std::call_once(prepared, [] {
      installForkHandler();
      programsNewHandler = std::set_new_handler(leaveRunOnExhaustedMemory);
    });
    std::lock_guard lock(handlerMutex);
    if (handlerUsers++)
      return;
    struct sigaction ours = {};
    ours.sa_sigaction = handleFault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < std::size(signals); ++i) {
      sigaction(signals[i], nullptr, &programActions[i]);
      sigaction(signals[i], &ours, nullptr);
    }
  }
  ~HandlerUse() {
    std::lock_guard lock(handlerMutex);
    if (!--handlerUsers)
      restoreHandlers();
  }
  HandlerUse(const HandlerUse &) = delete;
  HandlerUse &operator=(const HandlerUse &) = delete;
};

/// An alternate signal stack, if the thread has none, so that the handler also works after a stack overflow.
class HandlerStack {
public:
  HandlerStack() {
    stack_t current;
    if (sigaltstack(nullptr, &current) || !(current.ss_flags & SS_DISABLE))
      return;
    constexpr size_t bytes = 64 << 10;
    memory_.reset(new (std::nothrow) char[bytes]);
    if (!memory_)
      return;
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

/// Gives the run a heap: a new one, or that of the enclosing run.
class HeapUse {
public:
  explicit HeapUse(RunState &state) : state_(state) {
    state_.heap = state_.outer ? state_.outer->heap : PrivateHeap::acquire();
  }
  ~HeapUse() {
    if (!state_.outer && state_.heap)
      state_.heap->release();
  }
  HeapUse(const HeapUse &) = delete;
  HeapUse &operator=(const HeapUse &) = delete;

  /// Retires the heap; its blocks stay valid.
  void abandonAndReplaceHeap() {
    if (!state_.heap)
      return;
    state_.heap->abandon();
    PrivateHeap *fresh = PrivateHeap::acquire();
    for (RunState *run = &state_; run; run = run->outer)
      run->heap = fresh;
  }

private:
  RunState &state_;
};

/// The C++ runtime's state for this thread's active exceptions (__cxa_eh_globals, Itanium C++ ABI).
struct ExceptionsInFlight {
  void *caught;
  unsigned uncaught;

  static ExceptionsInFlight &ofCurrentThread() {
    return *reinterpret_cast<ExceptionsInFlight *>(abi::__cxa_get_globals());
  }
};

/// A run that is left jumps back to this frame, so the frame must outlive `work`.
template <class Work> Interruption runInGuardedState(RunState &state, const Work &work) {
  state.outer = currentRun;
  HeapUse heap(state);
  ExceptionsInFlight exceptions = ExceptionsInFlight::ofCurrentThread();
  struct Scope {
    RunState *outer = currentRun;
    ~Scope() { currentRun = outer; }
  } scope;
  // The kernel blocks a signal while its handler runs, so the jump restores the current mask.
  if (sigsetjmp(state.landing, 1) == 0) {
    currentRun = &state;
    work();
    return {};
  }
  currentRun = state.outer;
  ExceptionsInFlight::ofCurrentThread() = exceptions;
  state.locks.unlockAll();
  if (state.why.cause == Interruption::Fault)
    heap.abandonAndReplaceHeap();
  return state.why;
}

} // namespace

Interruption runGuarded(void (*work)(void *), void *argument) {
  HandlerStack stack;
  HandlerUse use;
  RunState state;
  return runInGuardedState(state, [=] { work(argument); });
}

Interruption runOnceGuarded(void (*work)()) {
  RunState state;
  state.inOnce = true;
  return runInGuardedState(state, work);
}

bool inGuardedRun() { return currentRun; }

void keepFaultHandler() {
  static const HandlerUse *const kept = [] {
    auto *use = new HandlerUse;
    handlerIsKept = true;
    return use;
  }();
  (void)kept;
}

void jumpOutOfGuardedRun(const Interruption &why) {
  currentRun->why = why;
  siglongjmp(currentRun->landing, 1);
}

} // namespace heddle::os
