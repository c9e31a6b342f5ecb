// Loading the driver, its devices, and the errors for its failures.
#include "cuda_fixture.h"

#include "runtime/driver_error.h"
#include "support/diagnostic.h"

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::test {
namespace {

/// Runs in a separate process that has not loaded a driver yet.
[[noreturn]] void printWhyThereIsNoGpu() {
  std::fprintf(stderr, "%s\n", noGpuReason().c_str());
  std::_Exit(devices().size() == 1 && devices()[0]->type() == "cpu" ? 0 : 1);
}

class CudaDriverAbsent : public testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(CudaDriverAbsent, AMachineWithoutADriverHasOnlyTheCpu) {
  setenv("HEDDLE_LIBCUDA", "/nowhere/libcuda.so.1", 1);
  EXPECT_EXIT(printWhyThereIsNoGpu(), testing::ExitedWithCode(0),
              "there is no NVIDIA driver: .*nowhere/libcuda.so.1");
  setenv("HEDDLE_LIBCUDA", HEDDLE_FAKE_CUDA, 1);
}

TEST_F(CudaDriverAbsent, AnOldDriverIsRejectedWithTheRequiredVersion) {
  setenv("FAKE_CUDA_VERSION", "11080", 1);
  EXPECT_EXIT(printWhyThereIsNoGpu(), testing::ExitedWithCode(0),
              "the NVIDIA driver supports CUDA 11.8; heddle needs a driver for CUDA 12.0 or newer");
  unsetenv("FAKE_CUDA_VERSION");
}

TEST_F(CudaDriverAbsent, TheErrorOfADriverWithoutAGpuIsReported) {
  setenv("FAKE_CUDA_DEVICES", "0", 1);
  EXPECT_EXIT(printWhyThereIsNoGpu(), testing::ExitedWithCode(0),
              "cuInit: CUDA_ERROR_NO_DEVICE \\(100\\): no CUDA-capable device is detected");
  setenv("FAKE_CUDA_DEVICES", "4", 1);
}

class CudaDriver : public CudaTest {};

TEST_F(CudaDriver, EveryGpuIsADeviceBeforeTheCpu) {
  ASSERT_EQ(devices().size(), 5u);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(devices()[i]->type(), "cuda");
    EXPECT_EQ(devices()[i]->index(), i);
  }
  EXPECT_EQ(devices()[4]->type(), "cpu");
  EXPECT_EQ(devices()[4]->index(), 4u);
  EXPECT_EQ(&defaultDevice(), devices()[0].get());
  EXPECT_EQ(noGpuReason(), "");
}

TEST_F(CudaDriver, ADeviceReportsItsProperties) {
  EXPECT_EQ(gpu(1).name(), "Fake GPU");
  EXPECT_EQ(gpu(1).uuid(), "GPU-f0f1f2f3-f4f5-f6f7-f8f9-fafbfcfdfe01");
  EXPECT_EQ(gpu(1).computeCapability(), std::pair(9, 0));
  EXPECT_EQ(gpu(1).driverVersion(), 13000);
  EXPECT_EQ(gpu(1).attribute("MULTIPROCESSOR_COUNT"), 132);
  EXPECT_EQ(gpu(1).attribute("NO_SUCH_THING"), std::nullopt);
  EXPECT_EQ(gpu(1).attributeNames().size(), devices().back()->attributeNames().size());
  EXPECT_EQ(gpu(1).limits().maxSharedBytesPerBlock, 232448u);
  EXPECT_EQ(gpu(1).limits().maxGrid.y, 65535u);
  EXPECT_FALSE(gpu(1).usesHostMemory());
}

TEST_F(CudaDriver, AFailedCallReportsTheDriversError) {
  failCalls("cuStreamCreate", 801, 0, 1);
  try {
    gpu().createStream();
    FAIL() << "no exception";
  } catch (const DriverError &e) {
    EXPECT_EQ(e.code(), 801);
    EXPECT_EQ(e.name(), "CUDA_ERROR_NOT_SUPPORTED");
    EXPECT_STREQ(e.what(), "cuStreamCreate: CUDA_ERROR_NOT_SUPPORTED (801): operation not "
                           "supported, on GPU 0 (Fake GPU)");
  }
  EXPECT_NE(gpu().createStream(), nullptr);
}

TEST_F(CudaDriver, ALostContextRaisesTheSameErrorAtEveryUse) {
  Device &device = gpu(gpuToLose);
  auto buffer = device.allocate(100);
  auto event = device.createEvent();
  auto stream = device.createStream();
  failCalls("cuStreamQuery", 700, 0, 1);
  std::string first = messageOf([&] { stream->synchronize(); });
  EXPECT_EQ(first, "cuStreamQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was "
                   "encountered, on GPU 3 (Fake GPU)\n"
                   "  the device's context is lost: every array and kernel on it is gone, and each "
                   "further use of it in this process fails with this error\n"
                   "  hint: restart the process; to find the invalid access, run with "
                   "HEDDLE_REPLAY=1 (records the launch for 'heddle check'), with "
                   "@cuda.jit(debug=True), on the CPU device (HEDDLE_DEVICE=cpu), or under "
                   "compute-sanitizer");
  EXPECT_EQ(messageOf([&] { device.allocate(10); }), first);
  EXPECT_EQ(messageOf([&] { device.synchronize(); }), first);
  EXPECT_EQ(messageOf([&] { event->done(); }), first);
  EXPECT_THROW(stream->record(event), DriverError);
  // Destructors have nothing to free.
  buffer.reset();
  event.reset();
  stream.reset();
  EXPECT_EQ(messageOf([&] { gpu(0).attribute("WARP_SIZE"); }), "");
}

TEST_F(CudaDriver, CudaInAForkedChildIsAnError) {
  auto buffer = gpu().allocate(100);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    std::string message = messageOf([] { gpu().allocate(1); });
    buffer.reset();
    ssize_t written = write(ends[1], message.data(), message.size());
    _exit(written == ssize_t(message.size()) ? 0 : 1);
  }
  close(ends[1]);
  char text[1000] = "";
  ssize_t length = read(ends[0], text, sizeof text - 1);
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_NE(std::string(text, std::max<ssize_t>(length, 0))
                .find("CUDA does not work in this process: it was forked"),
            std::string::npos)
      << text;
}

TEST_F(CudaDriver, TheCurrentContextOfAnotherLibraryIsRestored) {
  auto first = gpu(0).createStream(), second = gpu(1).createStream();
  size_t before = callsOf("cuCtxSetCurrent");
  first->synchronize(); // the current context here is that of GPU 0, or none
  size_t changes = callsOf("cuCtxSetCurrent") - before;
  second->synchronize();
  // To GPU 1 and back.
  EXPECT_EQ(callsOf("cuCtxSetCurrent") - before - changes, 2u);
}

} // namespace
} // namespace heddle::test
