// Tests of the CUDA runtime with the fake driver (see fake_cuda/fake_cuda.h): four GPUs with 1 GiB each.
#pragma once

#include "fake_cuda/fake_cuda.h"
#include "runtime/cuda/host_work.h"
#include "runtime/device.h"

#include <gtest/gtest.h>

namespace heddle::test {

/// An additional function of the fake driver, by name.
void *fakeFunction(const char *name);
template <typename F> F fake(const char *name) { return reinterpret_cast<F>(fakeFunction(name)); }

inline void failCalls(const char *function, int code, int skip = 0, int times = -1) {
  fake<FakeCudaFail>("fakeCudaFail")(function, code, skip, times);
}
inline size_t callsOf(const char *function) {
  return fake<FakeCudaCalls>("fakeCudaCalls")(function);
}
inline void hold(bool on) { fake<FakeCudaHold>("fakeCudaHold")(on); }
inline void stall(const char *function) { fake<FakeCudaStall>("fakeCudaStall")(function); }
inline size_t launchCount() { return fake<FakeCudaLaunchCount>("fakeCudaLaunchCount")(); }
inline const FakeLaunch &launchAt(size_t i) {
  return *fake<FakeCudaLaunchAt>("fakeCudaLaunchAt")(i);
}

/// A fake GPU. The last one is for tests that make a device unusable.
Device &gpu(unsigned index = 0);
inline constexpr unsigned gpuToLose = 3;

/// Waits up to ten seconds until `done()` returns true, for results of other threads. Returns false on a timeout.
bool soon(const std::function<bool()> &done);

/// Resets the fake driver before each test, and checks after it that the test did not misuse the driver.
class CudaTest : public testing::Test {
protected:
  void SetUp() override { fake<FakeCudaReset>("fakeCudaReset")(); }
  void TearDown() override {
    hold(false);
    stall(nullptr);
    // Finish pending frees of this test before the next one.
    cuda::waitForHelperTasks();
    EXPECT_EQ(fake<FakeCudaMisuse>("fakeCudaMisuse")(), 0u);
  }
};

/// The message of the exception that `f` throws; empty if it throws none.
template <typename F> std::string messageOf(F f) {
  try {
    f();
  } catch (const std::exception &e) {
    return e.what();
  }
  return "";
}

} // namespace heddle::test
