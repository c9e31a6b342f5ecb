// Runs code that faults, and checks that the process and its signal handlers survive.
#include "support/os/guarded_run.h"

#include "support/os/threads.h"

#include "gtest/gtest.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace heddle {
namespace {

/// An inaccessible page.
volatile int *forbidden() {
  static void *page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return static_cast<volatile int *>(page);
}

void readForbidden() { *forbidden(); }

volatile bool forEver = true;

int recurse(int depth) {
  volatile char frame[1024];
  frame[depth % 1024] = 1;
  // Reading the array after the call keeps the compiler from turning the recursion into a loop.
  return forEver ? recurse(depth + 1) + frame[depth % 1024] : 0;
}

struct sigaction handlerOf(int signal) {
  struct sigaction action;
  sigaction(signal, nullptr, &action);
  return action;
}

/// The signal that ended a guarded run of `work`; 0 if none did.
template <class Work> int catchFault(Work work) { return os::runGuarded(work).signal; }

TEST(GuardedRuns, WorkWithoutFaultsCompletes) {
  bool done = false;
  EXPECT_FALSE(os::runGuarded([&] { done = true; }));
  EXPECT_TRUE(done);
}

TEST(GuardedRuns, AFaultIsCaughtEachTime) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(catchFault(readForbidden), SIGSEGV);
#if defined(__aarch64__)
  EXPECT_EQ(catchFault([] { __builtin_trap(); }), SIGTRAP);
#else
  EXPECT_EQ(catchFault([] { __builtin_trap(); }), SIGILL);
#endif
  EXPECT_EQ(catchFault([] { std::abort(); }), SIGABRT);
}

TEST(GuardedRuns, AStackOverflowIsCaught) {
  int signal = 0;
  for (int i = 0; i < 2; ++i) {
    os::Thread thread("recursion", 1 << 20, [&] { signal = catchFault([] { recurse(0); }); });
    ASSERT_TRUE(thread.join(60000));
    EXPECT_EQ(signal, SIGSEGV);
  }
}

TEST(GuardedRuns, ExceptionsPropagateAndLaterFaultsAreCaught) {
  EXPECT_THROW(catchFault([] { throw std::runtime_error("mine"); }), std::runtime_error);
  EXPECT_EQ(catchFault(readForbidden), SIGSEGV);
}

TEST(GuardedRuns, TheInnerOfTwoCatches) {
  int inner = 0;
  EXPECT_EQ(catchFault([&] {
              inner = catchFault(readForbidden);
              std::abort();
            }),
            SIGABRT);
  EXPECT_EQ(inner, SIGSEGV);
}

TEST(GuardedRuns, ThreadsCatchTheirOwnFaults) {
  std::vector<std::thread> threads;
  std::vector<int> caught(8);
  for (int &signal : caught)
    threads.emplace_back([&signal] {
      for (int i = 0; i < 100; ++i)
        signal = catchFault(readForbidden);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(caught, std::vector<int>(8, SIGSEGV));
}

TEST(GuardedRuns, TheProgramsHandlersAreRestored) {
  auto before = handlerOf(SIGSEGV);
  catchFault(readForbidden);
  EXPECT_EQ(handlerOf(SIGSEGV).sa_handler, before.sa_handler);
}

TEST(GuardedRuns, AHandlerInstalledDuringARunStays) {
  auto before = handlerOf(SIGTRAP);
  catchFault([] { std::signal(SIGTRAP, SIG_IGN); });
  EXPECT_EQ(handlerOf(SIGTRAP).sa_handler, SIG_IGN);
  sigaction(SIGTRAP, &before, nullptr);
}

/// The waitpid() status of a child process that runs `work`.
template <class Work> int endOfChild(Work work) {
  pid_t child = fork();
  if (!child) {
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// Faults on a thread without a guarded run, while another thread has one.
void faultElsewhere() {
  catchFault([] { std::thread(readForbidden).join(); });
}

TEST(GuardedRuns, OtherThreadsFaultsGoToTheProgramsHandler) {
  int status = endOfChild([] {
    struct sigaction action = {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t *info, void *) {
      _exit(info->si_addr == forbidden() ? 42 : 1);
    };
    sigaction(SIGSEGV, &action, nullptr);
    faultElsewhere();
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << status;
}

TEST(GuardedRuns, OtherThreadsFaultsEndTheProcessWithoutAHandler) {
  int status = endOfChild([] {
    std::signal(SIGSEGV, SIG_DFL);
    faultElsewhere();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
}

TEST(GuardedRuns, AChildForkedDuringARunHasTheProgramsHandlers) {
  auto before = handlerOf(SIGSEGV);
  int status = 0;
  catchFault([&] {
    std::thread([&] {
      status = endOfChild([&] { _exit(handlerOf(SIGSEGV).sa_handler == before.sa_handler); });
    }).join();
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
}

#ifndef __SANITIZE_ADDRESS__ // ASan's operator new returns null
TEST(GuardedRuns, ExhaustedMemoryLeavesTheRunWithoutDestructors) {
  bool destroyed = false;
  os::Interruption why = os::runGuarded([&] {
    struct Scope {
      bool &destroyed;
      ~Scope() { destroyed = true; }
    } scope{destroyed};
    volatile size_t tooMuch = size_t(1) << 62;
    ::operator delete(::operator new(tooMuch));
  });
  EXPECT_EQ(why.cause, os::Interruption::OutOfMemory);
  EXPECT_FALSE(destroyed);
}

TEST(GuardedRuns, ExhaustedMemoryOutsideARunIsAnException) {
  os::runGuarded([] {});
  volatile size_t tooMuch = size_t(1) << 62;
  EXPECT_THROW(::operator delete(::operator new(tooMuch)), std::bad_alloc);
}
#endif

TEST(GuardedRuns, TheMessageOfAFatalErrorIsReported) {
  os::Interruption why = os::runGuarded(
      [] { os::jumpOutOfGuardedRun({os::Interruption::GaveUp, 0, "no such thing"}); });
  EXPECT_EQ(why.cause, os::Interruption::GaveUp);
  EXPECT_STREQ(why.text, "no such thing");
}

TEST(GuardedRuns, AnActiveExceptionIsDiscarded) {
  os::runGuarded([] {
    try {
      throw std::runtime_error("mine");
    } catch (const std::exception &) {
      std::abort();
    }
  });
  EXPECT_EQ(std::current_exception(), nullptr);
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

/// True if another thread completes `work` within ten seconds. Otherwise the thread is abandoned.
template <class Work> bool endsElsewhere(Work work) {
  auto done = std::make_shared<std::promise<void>>();
  std::thread([=] {
    work();
    done->set_value();
  }).detach();
  return done->get_future().wait_for(std::chrono::seconds(10)) == std::future_status::ready;
}

TEST(GuardedRuns, LocksAreReleasedAfterAFault) {
  static std::mutex plain;
  static std::recursive_mutex recursive;
  static std::shared_mutex shared;
  catchFault([] {
    std::lock_guard first(plain);
    std::lock_guard second(recursive), third(recursive);
    std::shared_lock fourth(shared);
    readForbidden();
  });
  EXPECT_TRUE(endsElsewhere([] { std::scoped_lock all(plain, recursive, shared); }));
}

TEST(GuardedRuns, LocksAcquiredBeforeTheRunStayHeld) {
  static std::mutex before;
  std::lock_guard lock(before);
  catchFault(readForbidden);
  EXPECT_FALSE(before.try_lock());
}

TEST(GuardedRuns, AStaticIsInitializedAgainAfterAFault) {
  static bool faults = true;
  auto value = [] {
    static int made = [] {
      if (faults)
        readForbidden();
      return 42;
    }();
    return made;
  };
  EXPECT_EQ(catchFault([&] { value(); }), SIGSEGV);
  faults = false;
  EXPECT_TRUE(endsElsewhere([=] { EXPECT_EQ(value(), 42); }));
}

TEST(GuardedRuns, CallOnceIsRetriedAfterAFault) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer's pthread_once does not take an exception for a failure";
#endif
  static std::once_flag flag;
  static int calls = 0;
  auto once = [] {
    std::call_once(flag, [] {
      if (++calls == 1)
        readForbidden();
    });
  };
  EXPECT_EQ(catchFault(once), SIGSEGV);
  EXPECT_TRUE(endsElsewhere(once));
  EXPECT_EQ(catchFault(once), 0);
  EXPECT_EQ(calls, 2);
}

TEST(GuardedRuns, AnExceptionInCallOncePropagates) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer's pthread_once does not take an exception for a failure";
#endif
  static std::once_flag flag;
  auto once = [] { std::call_once(flag, [] { throw std::runtime_error("mine"); }); };
  EXPECT_THROW(os::runGuarded(once), std::runtime_error);
  EXPECT_THROW(os::runGuarded(once), std::runtime_error);
}

} // namespace
} // namespace heddle
