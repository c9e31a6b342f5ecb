// The CUDA runtime on the fake driver (see fake_cuda/fake_cuda.h): four GPUs of 1 GiB.
#pragma once

#include "fake_cuda/fake_cuda.h"
#include "runtime/cuda/host_work.h"
#include "runtime/device.h"

#include <gtest/gtest.h>

namespace heddle::test {

/// A function of the fake driver's own, by its name there.
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

/// One of the fake GPUs. The last is for tests after which a device works no more.
Device &gpu(unsigned index = 0);
inline constexpr unsigned gpuToLose = 3;

/// Waits until `done()` says yes, for what another thread does; whether it did within ten seconds.
bool soon(const std::function<bool()> &done);

/// Nothing planned before a test, and no misuse of the driver in it.
class CudaTest : public testing::Test {
protected:
  void SetUp() override { fake<FakeCudaReset>("fakeCudaReset")(); }
  void TearDown() override {
    hold(false);
    stall(nullptr);
    // What this test freed is not freed in the middle of the next.
    cuda::finishLater();
    EXPECT_EQ(fake<FakeCudaMisuse>("fakeCudaMisuse")(), 0u);
  }
};

/// The text of the exception that `f` throws; empty when it throws none.
template <typename F> std::string messageOf(F f) {
  try {
    f();
  } catch (const std::exception &e) {
    return e.what();
  }
  return "";
}

} // namespace heddle::test
