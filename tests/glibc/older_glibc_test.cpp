// The C++ runtime of this program calls the functions of older_glibc.cpp, as that of the wheel does.
#include "support/os/older_glibc.cpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

int depthOfCaughtException(int depth) {
  struct Unwound {
    int &count;
    ~Unwound() { ++count; }
  };
  struct Thrower {
    static int descend(int left, int &count) {
      Unwound unwound{count};
      if (left == 0)
        throw std::runtime_error("thrown");
      return descend(left - 1, count) + 1;
    }
  };
  int count = 0;
  try {
    Thrower::descend(depth, count);
  } catch (const std::runtime_error &error) {
    return std::string(error.what()) == "thrown" ? count : -1;
  }
  return -1;
}

TEST(OlderGlibc, ExceptionsRunDestructorsAndReachTheirHandler) {
  EXPECT_EQ(depthOfCaughtException(20), 21);
}

TEST(OlderGlibc, ThreadsThrowExceptionsAtTheSameTime) {
  std::vector<std::thread> threads;
  std::atomic<int> caught = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 500; ++round)
        caught += depthOfCaughtException(5) == 6;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(caught, 4000);
}

TEST(OlderGlibc, ExceptionsCrossFramesOfAnotherLibrary) {
  int values[] = {2, 1};
  auto compare = [](const void *, const void *) -> int { throw std::runtime_error("from qsort"); };
  EXPECT_THROW(qsort(values, 2, sizeof(int), compare), std::runtime_error);
}

TEST(OlderGlibc, FindsTheFramesThatGlibcFinds) {
  using Find = int(void *, dl_find_object *);
  auto *find = reinterpret_cast<Find *>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
  ASSERT_TRUE(find);
  for (void *address :
       {dlsym(RTLD_DEFAULT, "puts"), reinterpret_cast<void *>(&depthOfCaughtException)}) {
    dl_find_object ours = {}, theirs = {};
    ASSERT_EQ(_dl_find_object(address, &ours), 0);
    ASSERT_EQ(find(address, &theirs), 0);
    EXPECT_EQ(ours.dlfo_eh_frame, theirs.dlfo_eh_frame);
    // On AArch64, glibc's range of a program begins at its code.
    EXPECT_LE(ours.dlfo_map_start, theirs.dlfo_map_start);
    EXPECT_LE(theirs.dlfo_map_start, address);
    EXPECT_GT(ours.dlfo_map_end, address);
  }
}

TEST(OlderGlibc, FindsNothingAtAnAddressOutsideOfLibraries) {
  int local = 0;
  dl_find_object found;
  EXPECT_EQ(_dl_find_object(&local, &found), -1);
}

TEST(OlderGlibc, AWaitEndsAtItsTime) {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int64_t end = readNanoseconds(CLOCK_MONOTONIC) + 20000000;
  timespec until = {time_t(end / 1000000000), long(end % 1000000000)};
  pthread_mutex_lock(&mutex);
  int result = 0;
  while (!result)
    result = waitOnRealTime(&condition, &mutex, CLOCK_MONOTONIC, &until);
  EXPECT_EQ(result, ETIMEDOUT);
  EXPECT_GE(readNanoseconds(CLOCK_MONOTONIC), end);
  pthread_mutex_unlock(&mutex);
}

TEST(OlderGlibc, ANotificationEndsAWait) {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int64_t end = readNanoseconds(CLOCK_MONOTONIC) + 60'000'000'000;
  timespec until = {time_t(end / 1000000000), long(end % 1000000000)};
  bool ready = false;
  pthread_mutex_lock(&mutex);
  std::thread notifier([&] {
    pthread_mutex_lock(&mutex);
    ready = true;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  });
  int result = 0;
  while (!ready && !result)
    result = waitOnRealTime(&condition, &mutex, CLOCK_MONOTONIC, &until);
  pthread_mutex_unlock(&mutex);
  notifier.join();
  EXPECT_EQ(result, 0);
}

TEST(OlderGlibc, ConditionVariablesWaitOnTheSteadyClock) {
  std::mutex mutex;
  std::condition_variable condition;
  std::unique_lock lock(mutex);
  auto end = std::chrono::steady_clock::now() + 20ms;
  EXPECT_FALSE(condition.wait_until(lock, end, [] { return false; }));
  EXPECT_GE(std::chrono::steady_clock::now(), end);
}

TEST(OlderGlibc, DescribesFilesAsLinuxDoes) {
  struct stat byPath = {}, byFile = {}, ofLink = {};
  // Not /proc/self/exe, which is the emulator in an emulator.
  const char *path = "/etc/passwd", *link = "/proc/self/cwd";
  ASSERT_EQ(stat(path, &byPath), 0);
  ASSERT_EQ(lstat(link, &ofLink), 0);
  int file = open(path, O_RDONLY);
  ASSERT_EQ(fstat(file, &byFile), 0);
  EXPECT_TRUE(S_ISREG(byPath.st_mode));
  EXPECT_TRUE(S_ISLNK(ofLink.st_mode));
  EXPECT_EQ(byPath.st_size, byFile.st_size);
  EXPECT_EQ(byPath.st_size, lseek(file, 0, SEEK_END));
  close(file);
}

TEST(OlderGlibc, AMissingFileSetsErrno) {
  struct stat64 information;
  errno = 0;
  EXPECT_EQ(stat64("/no such file", &information), -1);
  EXPECT_EQ(errno, ENOENT);
}

TEST(OlderGlibc, RandomWordsDiffer) { EXPECT_NE(arc4random(), arc4random()); }

TEST(OlderGlibc, CountsAllocatedBytes) {
  size_t before = mallinfo2().uordblks;
  void *volatile block = malloc(100000); // volatile: the compiler keeps the call
  EXPECT_GE(mallinfo2().uordblks, before + 100000);
  free(block);
}

TEST(OlderGlibc, TheMainThreadHasTheIdOfTheProcess) { EXPECT_EQ(gettid(), getpid()); }

} // namespace
