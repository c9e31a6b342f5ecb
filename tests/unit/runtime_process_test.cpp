// Process-level behavior of the runtime: fork, shutdown, threads, memory.
#include "runtime_kernels.h"

#include "runtime/cpu/blocks/frame_arena.h"
#include "runtime/cpu/device.h"
#include "runtime/cpu/queue/thread_pool.h"
#include "support/diagnostic.h"
#include "support/os/machine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace heddle::test {
namespace {

/// Runs `f` in a forked child and returns its result. Kills a hanging child after 20 seconds.
template <class F> bool inChild(F f) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    bool good = false;
    try {
      good = f();
    } catch (...) {
    }
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool iotaRuns(Module &module) {
  std::vector<int32_t> a(10000, -1);
  uint64_t arguments[] = {slot(a.data()), a.size()};
  cpu().defaultStream().launch(module.kernel("k"), {{40}, {256}}, arguments, nullptr);
  cpu().synchronize();
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != int32_t(i))
      return false;
  return true;
}

/// The number of the runtime's threads, by name, because sanitizers also have threads.
size_t threadsOfHeddle() {
  size_t n = 0;
  for (auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    n += name == "heddle-worker" || name == "heddle-host";
  }
  return n;
}

TEST(RuntimeFork, TheChildLaunchesKernels) {
  auto module = loadIota();
  ASSERT_TRUE(iotaRuns(*module));
  EXPECT_TRUE(inChild([&] { return iotaRuns(*module); }));
  EXPECT_TRUE(iotaRuns(*module));
}

TEST(RuntimeFork, TheChildCompilesKernels) {
  auto module = loadIota();
  EXPECT_TRUE(inChild([] { return iotaRuns(*loadIota()); }));
}

TEST(RuntimeFork, TheChildDoesNotWaitForTheParentsWork) {
  auto slow = loadSlow();
  auto module = loadIota();
  int32_t flag = 0;
  uint64_t arguments[] = {slot(&flag), 200};
  auto stream = cpu().createStream();
  auto event = cpu().createEvent();
  stream->launch(slow->kernel("k"), {{1}, {1}}, arguments, nullptr);
  stream->record(event);
  EXPECT_TRUE(inChild([&] {
    stream->synchronize();
    event->synchronize();
    return flag == 0 && iotaRuns(*module);
  }));
  stream->synchronize();
  EXPECT_EQ(flag, 1);
}

TEST(RuntimeFork, AChildMayBeForkedWhileOtherThreadsLaunch) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer's allocator may be locked by another thread at the fork";
#endif
  auto module = loadIota();
  std::atomic<bool> stop{false};
  std::thread launcher([&] {
    while (!stop)
      iotaRuns(*module);
  });
  bool good = true;
  for (int i = 0; i < 10; ++i)
    good = good && inChild([&] { return iotaRuns(*module); });
  stop = true;
  launcher.join();
  EXPECT_TRUE(good);
}

TEST(RuntimeShutDown, EndsAllThreads) {
  auto module = loadIota();
  EXPECT_TRUE(inChild([&] {
    if (!iotaRuns(*module))
      return false;
    cpu().defaultStream().addCallback([] {});
    cpu().synchronize();
    if (threadsOfHeddle() == 0)
      return false;
    cpu::shutDown();
    // A joined thread may remain in /proc for a moment.
    for (int tries = 0; threadsOfHeddle() != 0 && tries < 1000; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return threadsOfHeddle() == 0;
  }));
}

TEST(RuntimeShutDown, LaterLaunchesStartNewThreads) {
  auto module = loadIota();
  ASSERT_TRUE(iotaRuns(*module));
  cpu::shutDown();
  EXPECT_TRUE(iotaRuns(*module));
}

TEST(RuntimeShutDown, StopsALongRunningKernel) {
  auto slow = loadSlow();
  int32_t flag = 0;
  uint64_t arguments[] = {slot(&flag), 10};
  cpu().defaultStream().launch(slow->kernel("k"), {{1000000}, {1}}, arguments, nullptr);
  cpu::shutDown();
  EXPECT_TRUE(cpu().defaultStream().done());
}

TEST(RuntimeMemory, ATooLargeAllocationIsRejectedWithBothSizes) {
  try {
    cpu().allocate(size_t(1) << 60);
    FAIL();
  } catch (const CompileError &e) {
    EXPECT_EQ(e.diagnostic().kind, ErrorKind::Memory);
    EXPECT_NE(e.diagnostic().message.find("cannot allocate 1152921504606846976 bytes: "),
              std::string::npos);
  }
}

TEST(RuntimeMemory, AllocationsAreAlignedAndCounted) {
  auto nothing = cpu().allocate(0), few = cpu().allocate(100);
  EXPECT_NE(nothing->address(), nullptr);
  EXPECT_NE(nothing->address(), few->address());
  EXPECT_EQ(slot(few->address()) % 256, 0u);
  EXPECT_EQ(few->bytes(), 100u);
  EXPECT_LE(cpu().memoryInfo().free, cpu().memoryInfo().total);
}

TEST(RuntimeMemory, FramesAreAdjacentAndReused) {
  cpu::FrameArena arena;
  char *first = static_cast<char *>(arena.allocate(100, 16));
  char *second = static_cast<char *>(arena.allocate(100, 128));
  EXPECT_EQ(slot(first) % 64, 0u);
  EXPECT_EQ(slot(second) % 128, 0u);
  EXPECT_GE(second, first + 100);
  arena.reset();
  EXPECT_EQ(arena.allocate(100, 16), first);
}

TEST(RuntimeMemory, TooLargeFramesAreRejected) {
  cpu::FrameArena arena;
  EXPECT_EQ(arena.allocate(uint64_t(1) << 45, 16), nullptr);
  EXPECT_EQ(arena.allocate(uint64_t(1) << 60, 16), nullptr);
  EXPECT_NE(arena.allocate(1000, 16), nullptr);
}

struct CountingJob : cpu::Job {
  explicit CountingJob(uint64_t items) : Job(items), runs(items) {}
  void run(cpu::BlockRunner &, uint64_t begin, uint64_t end) noexcept override {
    for (uint64_t i = begin; i < end; ++i)
      ++runs[i];
  }
  void onFinished() noexcept override { over = true; }
  void wait() const {
    while (!over)
      std::this_thread::yield();
  }

  std::vector<std::atomic<int>> runs;
  std::atomic<bool> over{false};
};

TEST(RuntimeThreadPool, EveryItemRunsOnce) {
  cpu::ThreadPool pool(4);
  CountingJob job(100000);
  pool.submit(job);
  job.wait();
  for (auto &n : job.runs)
    ASSERT_EQ(n, 1);
  EXPECT_TRUE(pool.shutDown(1000));
}

TEST(RuntimeThreadPool, JobsRunAtTheSameTime) {
  cpu::ThreadPool pool(2);
  struct Blocked : CountingJob {
    using CountingJob::CountingJob;
    void run(cpu::BlockRunner &, uint64_t, uint64_t) noexcept override {
      while (!release)
        std::this_thread::yield();
    }
    std::atomic<bool> release{false};
  } blocked(1);
  CountingJob quick(1);
  pool.submit(blocked);
  pool.submit(quick);
  quick.wait();
  EXPECT_FALSE(blocked.over);
  blocked.release = true;
  blocked.wait();
  EXPECT_TRUE(pool.shutDown(1000));
}

TEST(RuntimeThreadPool, AStoppedJobFinishes) {
  cpu::ThreadPool pool(2);
  CountingJob job(uint64_t(1) << 20);
  job.stop();
  pool.submit(job);
  pool.wakeWorkers();
  job.wait();
  EXPECT_TRUE(pool.shutDown(1000));
}

TEST(RuntimeDevice, EveryListedAttributeHasAValue) {
  for (std::string_view name : cpu().attributeNames())
    EXPECT_TRUE(cpu().attribute(name)) << name;
  EXPECT_EQ(cpu().attribute("WARP_SIZE"), 32);
  EXPECT_EQ(cpu().attribute("MAX_THREADS_PER_BLOCK"), 1024);
  EXPECT_EQ(cpu().attribute("NO_SUCH_THING"), std::nullopt);
}

} // namespace
} // namespace heddle::test
