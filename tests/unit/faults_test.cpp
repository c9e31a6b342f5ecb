// Code that faults: the process and the program's own signal handlers live on.
#include "support/os/faults.h"

#include "support/os/threads.h"

#include "gtest/gtest.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace heddle {
namespace {

/// A page that nobody may touch.
volatile int *forbidden() {
  static void *page = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return static_cast<volatile int *>(page);
}

void readForbidden() { *forbidden(); }

volatile bool forEver = true;

int recurse(int depth) {
  volatile char frame[1024];
  frame[depth % 1024] = 1;
  // The array is read after the call, so that no compiler makes a loop of it.
  return forEver ? recurse(depth + 1) + frame[depth % 1024] : 0;
}

struct sigaction handlerOf(int signal) {
  struct sigaction action;
  sigaction(signal, nullptr, &action);
  return action;
}

TEST(Faults, WorkThatDoesNotFaultReturnsZero) {
  bool done = false;
  EXPECT_EQ(os::catchFault([&] { done = true; }), 0);
  EXPECT_TRUE(done);
}

TEST(Faults, AFaultIsCaughtEachTime) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(os::catchFault(readForbidden), SIGSEGV);
  EXPECT_EQ(os::catchFault([] { __builtin_trap(); }), SIGILL);
  EXPECT_EQ(os::catchFault([] { std::abort(); }), SIGABRT);
}

TEST(Faults, AStackThatIsUsedUpIsCaught) {
  int signal = 0;
  for (int i = 0; i < 2; ++i) {
    os::Thread thread("recursion", 1 << 20, [&] { signal = os::catchFault([] { recurse(0); }); });
    ASSERT_TRUE(thread.join(60000));
    EXPECT_EQ(signal, SIGSEGV);
  }
}

TEST(Faults, ExceptionsPassAndLaterFaultsAreCaught) {
  EXPECT_THROW(os::catchFault([] { throw std::runtime_error("mine"); }), std::runtime_error);
  EXPECT_EQ(os::catchFault(readForbidden), SIGSEGV);
}

TEST(Faults, TheInnerOfTwoCatches) {
  int inner = 0;
  EXPECT_EQ(os::catchFault([&] {
              inner = os::catchFault(readForbidden);
              std::abort();
            }),
            SIGABRT);
  EXPECT_EQ(inner, SIGSEGV);
}

TEST(Faults, ThreadsCatchTheirOwn) {
  std::vector<std::thread> threads;
  std::vector<int> caught(8);
  for (int &signal : caught)
    threads.emplace_back([&signal] {
      for (int i = 0; i < 100; ++i)
        signal = os::catchFault(readForbidden);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(caught, std::vector<int>(8, SIGSEGV));
}

TEST(Faults, TheProgramsHandlersComeBack) {
  auto before = handlerOf(SIGSEGV);
  os::catchFault(readForbidden);
  EXPECT_EQ(handlerOf(SIGSEGV).sa_handler, before.sa_handler);
}

TEST(Faults, AHandlerInstalledMeanwhileStays) {
  auto before = handlerOf(SIGTRAP);
  os::catchFault([] { std::signal(SIGTRAP, SIG_IGN); });
  EXPECT_EQ(handlerOf(SIGTRAP).sa_handler, SIG_IGN);
  sigaction(SIGTRAP, &before, nullptr);
}

/// How a child process that runs `work` ends, as waitpid() says.
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

// Of a thread that catches no faults, while another one does.
void faultElsewhere() {
  os::catchFault([] { std::thread(readForbidden).join(); });
}

TEST(Faults, OtherThreadsFaultsGoToTheProgramsHandler) {
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

TEST(Faults, OtherThreadsFaultsEndTheProcessWithoutAHandler) {
  int status = endOfChild([] {
    std::signal(SIGSEGV, SIG_DFL);
    faultElsewhere();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
}

TEST(Faults, AChildForkedMeanwhileHasTheProgramsHandlers) {
  auto before = handlerOf(SIGSEGV);
  int status = 0;
  os::catchFault([&] {
    std::thread([&] {
      status = endOfChild([&] { _exit(handlerOf(SIGSEGV).sa_handler == before.sa_handler); });
    }).join();
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
}

} // namespace
} // namespace heddle
