// The disk cache: contents and robustness.
#include "runtime_kernels.h"

#include "runtime/disk_cache.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;

namespace heddle::test {
namespace {

class RuntimeCache : public testing::Test {
protected:
  void SetUp() override {
    char pattern[] = "/tmp/heddle-cache-XXXXXX";
    directory = mkdtemp(pattern);
    setenv("HEDDLE_CACHE_DIR", directory.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("HEDDLE_CACHE_DIR");
    fs::remove_all(directory);
  }
  size_t files() const {
    size_t n = 0;
    for (auto &entry : fs::recursive_directory_iterator(directory))
      n += entry.path().extension() == ".entry";
    return n;
  }
  DiskCache cache() const { return DiskCache(directory + "/kernels"); }
  std::string pathOf(const std::string &key) const {
    return directory + "/kernels/" + key + ".entry";
  }

  std::string directory;
};

TEST_F(RuntimeCache, ReadsBackWrittenEntries) {
  std::string bytes("a\0b\n", 4);
  EXPECT_FALSE(cache().read("key"));
  EXPECT_TRUE(cache().write("key", bytes));
  EXPECT_EQ(cache().read("key"), bytes);
  EXPECT_TRUE(cache().write("empty", ""));
  EXPECT_EQ(cache().read("empty"), "");
}

TEST_F(RuntimeCache, AChangedByteIsAMissAndRemovesTheFile) {
  cache().write("key", std::string(1000, 'x'));
  std::fstream(pathOf("key"), std::ios::in | std::ios::out | std::ios::binary).seekp(500).put('y');
  EXPECT_FALSE(cache().read("key"));
  EXPECT_FALSE(fs::exists(pathOf("key")));
}

TEST_F(RuntimeCache, ATruncatedFileIsAMissAtAnyLength) {
  cache().write("whole", "payload");
  auto length = fs::file_size(pathOf("whole"));
  for (size_t n = 0; n < length; ++n) {
    fs::copy_file(pathOf("whole"), pathOf("cut"));
    fs::resize_file(pathOf("cut"), n);
    EXPECT_FALSE(cache().read("cut")) << n;
    fs::remove(pathOf("cut"));
  }
}

TEST_F(RuntimeCache, ADirectoryOrAPipeInsteadOfAFileIsAMiss) {
  fs::create_directories(pathOf("folder"));
  EXPECT_FALSE(cache().read("folder"));
  EXPECT_FALSE(cache().write("folder", "x"));
  mkfifo(pathOf("pipe").c_str(), 0600);
  EXPECT_FALSE(cache().read("pipe"));
}

TEST_F(RuntimeCache, AnUnusablePathDisablesTheCache) {
  std::ofstream(directory + "/file") << "x";
  DiskCache blocked(directory + "/file/kernels");
  DiskCache::takeCacheWarnings(); // of other tests
  EXPECT_FALSE(blocked.isWritable());
  EXPECT_FALSE(blocked.write("key", "x"));
  EXPECT_FALSE(blocked.read("key"));
  EXPECT_TRUE(blocked.list().empty());
  EXPECT_EQ(blocked.clear(), 0u);
  std::vector<std::string> refusals = DiskCache::takeCacheWarnings();
  ASSERT_EQ(refusals.size(), 1u);
  EXPECT_NE(refusals[0].find("cannot create " + blocked.directory()), std::string::npos);
}

TEST_F(RuntimeCache, AnEmptyPathDisablesTheCache) {
  DiskCache none("");
  EXPECT_FALSE(none.isWritable());
  EXPECT_FALSE(none.write("key", "x"));
  EXPECT_FALSE(none.read("key"));
}

TEST_F(RuntimeCache, AFullDiskLeavesNoFile) {
  ASSERT_TRUE(cache().isWritable());
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{100, 100}; // writes past the limit fail as on a full disk
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(cache().write("key", std::string(10000, 'x')) ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(cache().read("key"));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory + "/kernels"), {}), 0);
}

TEST_F(RuntimeCache, ProcessesThatWriteTheSameKeysReadCompleteEntries) {
  constexpr int processes = 4, keys = 5, rounds = 100;
  auto payload = [](int key) { return std::string(20000 + key, char('a' + key)); };
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    pid_t child = fork();
    if (child == 0) {
      bool good = true;
      for (int i = 0; i < rounds * keys; ++i) {
        int key = i % keys;
        cache().write(std::to_string(key), payload(key));
        auto found = cache().read(std::to_string((i + p) % keys));
        good = good && (!found || *found == payload((i + p) % keys));
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(cache().list().size(), size_t(keys));
}

TEST_F(RuntimeCache, AKilledWriterLeavesOnlyCompleteEntries) {
  std::string payload(1 << 20, 'p');
  for (int i = 0; i < 10; ++i) {
    pid_t child = fork();
    if (child == 0)
      while (true)
        cache().write("key", payload);
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 3 * i));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    auto found = cache().read("key");
    EXPECT_TRUE(!found || *found == payload);
  }
}

TEST_F(RuntimeCache, TemporaryFilesOfKilledWritersAreRemovedLater) {
  cache().write("key", "x");
  std::string left = pathOf("key") + ".tmp1.0";
  std::ofstream(left) << "half";
  cache().shrinkTo(1 << 20);
  EXPECT_TRUE(fs::exists(left));
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(2));
  cache().shrinkTo(1 << 20);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(cache().read("key"));
}

TEST_F(RuntimeCache, TheLeastRecentlyUsedEntriesAreRemovedFirst) {
  for (int i = 0; i < 4; ++i) {
    std::string key(1, char('a' + i));
    cache().write(key, std::string(1000, 'x'));
    fs::last_write_time(pathOf(key), fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
  }
  cache().read("a"); // used now
  cache().shrinkTo(2500);
  EXPECT_TRUE(cache().read("a"));
  EXPECT_FALSE(cache().read("b"));
  EXPECT_FALSE(cache().read("c"));
  EXPECT_TRUE(cache().read("d"));
}

TEST_F(RuntimeCache, ListsAndClears) {
  cache().write("one", "1");
  cache().write("two", "22");
  EXPECT_EQ(cache().list().size(), 2u);
  EXPECT_EQ(cache().clear(), 2u);
  EXPECT_TRUE(cache().list().empty());
}

TEST_F(RuntimeCache, AnEntryHasTheNamesOfItsFunctionsAndItsTarget) {
  cache().write("key", "payload", {{"scale", "_Z3addIfEvPT_"}, "sm_90"});
  EXPECT_EQ(cache().read("key"), "payload");
  DiskCache::Label label = cache().readLabelOfEntry("key");
  EXPECT_EQ(label.functions, (std::vector<std::string>{"scale", "void add<float>(float*)"}));
  EXPECT_EQ(label.target, "sm_90");
  EXPECT_TRUE(cache().readLabelOfEntry("missing").functions.empty());
}

TEST_F(RuntimeCache, TheLimitAcceptsSuffixesAndIgnoresInvalidText) {
  auto limit = [](const char *text) {
    setenv("HEDDLE_CACHE_MAXSIZE", text, 1);
    uint64_t bytes = DiskCache::configuredMaxBytes();
    unsetenv("HEDDLE_CACHE_MAXSIZE");
    return bytes;
  };
  EXPECT_EQ(limit("1000"), 1000u);
  EXPECT_EQ(limit("2K"), 2048u);
  EXPECT_EQ(limit("0.5M"), uint64_t(1) << 19);
  EXPECT_EQ(limit("much"), uint64_t(1) << 30);
  EXPECT_EQ(limit("-5"), uint64_t(1) << 30);
  EXPECT_EQ(limit("3MB"), uint64_t(3) << 20);
  EXPECT_EQ(limit("3GiB"), uint64_t(3) << 30);
  EXPECT_EQ(limit("1X"), uint64_t(1) << 30);
  EXPECT_EQ(limit("1Kb"), uint64_t(1) << 30);
}

constexpr const char *addOne = R"(
  %v = load i32, ptr addrspace(1) %a
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %a
  ret void)";

int32_t resultOf(Module &module) {
  int32_t value = 41;
  uint64_t arguments[] = {slot(&value)};
  cpu().defaultStream().launch(module.kernel("k"), {{1}, {1}}, arguments, nullptr);
  cpu().synchronize();
  return value;
}

TEST_F(RuntimeCache, ASecondLoadComesFromDiskAndGivesTheSameResults) {
  auto first = loadKernel("ptr addrspace(1) %a", addOne, "", {.cache = true});
  auto second = loadKernel("ptr addrspace(1) %a", addOne, "", {.cache = true});
  EXPECT_FALSE(first->fromCache());
  EXPECT_TRUE(second->fromCache());
  EXPECT_EQ(resultOf(*first), 42);
  EXPECT_EQ(resultOf(*second), 42);
}

TEST_F(RuntimeCache, DifferentOptionsHaveDifferentEntries) {
  loadKernel("ptr addrspace(1) %a", addOne, "", {.cache = true});
  auto other = loadKernel("ptr addrspace(1) %a", addOne, "", {.optimize = false, .cache = true});
  EXPECT_FALSE(other->fromCache());
  EXPECT_EQ(files(), 2u);
}

TEST_F(RuntimeCache, ACompiledModuleIsLabeledWithItsKernel) {
  loadKernel("ptr addrspace(1) %a", addOne, "", {.cache = true});
  DiskCache kernels = DiskCache::forKernels();
  DiskCache::Label label = kernels.readLabelOfEntry(kernels.list().at(0).key);
  EXPECT_EQ(label.functions, std::vector<std::string>{"k"});
  EXPECT_EQ(label.target, "cpu");
}

TEST_F(RuntimeCache, WithoutTheOptionNothingIsWritten) {
  loadKernel("ptr addrspace(1) %a", addOne);
  EXPECT_EQ(files(), 0u);
}

TEST_F(RuntimeCache, AnInvalidEntryIsCompiledAgain) {
  loadKernel("ptr addrspace(1) %a", addOne, "", {.cache = true});
  DiskCache kernels = DiskCache::forKernels();
  kernels.write(kernels.list().at(0).key, "no object file");
  auto module = loadKernel("ptr addrspace(1) %a", addOne, "", {.cache = true});
  EXPECT_FALSE(module->fromCache());
  EXPECT_EQ(resultOf(*module), 42);
}

} // namespace
} // namespace heddle::test
