// GPU memory: allocation, freeing and copies.
#include "cuda_fixture.h"

#include "runtime/driver_error.h"
#include "support/diagnostic.h"

#include <numeric>
#include <thread>

namespace heddle::test {
namespace {

class CudaMemory : public CudaTest {};

std::vector<uint8_t> pattern(size_t bytes, unsigned seed) {
  std::vector<uint8_t> data(bytes);
  uint32_t x = seed + 1;
  for (uint8_t &b : data)
    b = uint8_t((x = x * 1664525 + 1013904223) >> 24);
  return data;
}

size_t allocations() { return fake<FakeCudaAllocations>("fakeCudaAllocations")(); }

class CudaCopy : public CudaTest, public testing::WithParamInterface<size_t> {};

TEST_P(CudaCopy, UploadAndDownloadKeepEveryByte) {
  size_t bytes = GetParam();
  auto data = pattern(bytes, unsigned(bytes));
  std::vector<uint8_t> back(bytes + 2, 0xee);
  auto buffer = gpu().allocate(bytes);
  auto stream = gpu().createStream();
  std::vector<uint8_t> sent = data;
  stream->upload(buffer->address(), sent.data(), bytes);
  std::fill(sent.begin(), sent.end(), 0); // the source may change after upload()
  stream->download(back.data() + 1, buffer->address(), bytes);
  EXPECT_EQ(back.front(), 0xee);
  EXPECT_EQ(back.back(), 0xee);
  EXPECT_TRUE(std::equal(data.begin(), data.end(), back.begin() + 1));
}

// Sizes around the thresholds between strategies, more than the ring of chunks, and 0.
INSTANTIATE_TEST_SUITE_P(Sizes, CudaCopy,
                         testing::Values(0, 1, 3, 4096, 65535, 65536, 65537, 131072, 131073, 524289,
                                         1000003, 4194304, 8388608, 8388609, 33554433));

TEST_F(CudaMemory, ThreadsCopyAtTheSameTime) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto stream = gpu(t % 2).createStream();
      auto data = pattern(3000001 + t, t);
      auto buffer = gpu(t % 2).allocate(data.size());
      for (int round = 0; round < 3; ++round) {
        std::vector<uint8_t> back(data.size());
        stream->upload(buffer->address(), data.data(), data.size());
        stream->download(back.data(), buffer->address(), back.size());
        wrong += back != data;
      }
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CudaMemory, AFailedCopyIsOneError) {
  auto buffer = gpu().allocate(8 << 20);
  std::vector<uint8_t> data(8 << 20);
  auto stream = gpu().createStream();
  failCalls("cuMemcpyHtoDAsync", 400, 5, 1);
  EXPECT_NE(messageOf([&] {
              stream->upload(buffer->address(), data.data(), data.size());
            }).find("cuMemcpyHtoDAsync: CUDA_ERROR_INVALID_HANDLE"),
            std::string::npos);
  stream->upload(buffer->address(), data.data(), data.size());
}

TEST_F(CudaMemory, PageLockedMemoryIsCopiedInPlaceAndReadBeforeReturn) {
  auto pinned = gpu().allocate(1 << 20, MemoryKind::Pinned);
  auto buffer = gpu().allocate(1 << 20);
  auto stream = gpu().createStream();
  std::fill_n(static_cast<uint8_t *>(pinned->address()), 1 << 20, 7);
  stream->upload(buffer->address(), pinned->address(), 1 << 20);
  EXPECT_GE(callsOf("cuStreamQuery"), 1u);
  EXPECT_EQ(callsOf("cuMemcpyHtoDAsync"), 0u);
  std::vector<uint8_t> back(1 << 20);
  stream->download(back.data(), buffer->address(), back.size());
  EXPECT_EQ(back, std::vector<uint8_t>(1 << 20, 7));
}

TEST_F(CudaMemory, HostAccessDependsOnTheKindOfMemory) {
  EXPECT_FALSE(gpu().allocate(10, MemoryKind::Device)->isHostAccessible());
  EXPECT_TRUE(gpu().allocate(10, MemoryKind::Pinned)->isHostAccessible());
  EXPECT_TRUE(gpu().allocate(10, MemoryKind::Mapped)->isHostAccessible());
  EXPECT_TRUE(gpu().allocate(10, MemoryKind::Managed)->isHostAccessible());
  EXPECT_FALSE(gpu().createStream()->allocate(10)->isHostAccessible());
  EXPECT_EQ(&gpu(2).allocate(10)->device(), &gpu(2));
  EXPECT_NE(gpu().allocate(0)->address(), nullptr);
}

TEST_F(CudaMemory, AFreedBlockIsReused) {
  void *first = gpu().allocate(5 << 20)->address();
  size_t calls = callsOf("cuMemAlloc");
  EXPECT_EQ(gpu().allocate(5 << 20)->address(), first);
  EXPECT_EQ(callsOf("cuMemAlloc"), calls);
  EXPECT_EQ(callsOf("cuMemFree"), 0u);
}

TEST_F(CudaMemory, CachedMemoryCountsAsFree) {
  gpu(2).allocate(1);
  uint64_t before = gpu(2).memoryInfo().free;
  auto buffer = gpu(2).allocate(64 << 20);
  EXPECT_EQ(gpu(2).memoryInfo().free, before - (64 << 20));
  buffer.reset();
  EXPECT_EQ(gpu(2).memoryInfo().free, before);
}

TEST_F(CudaMemory, LargeFreedBlocksReturnToTheDriver) {
  uint64_t before = gpu(2).memoryInfo().free;
  gpu(2).allocate(512 << 20).reset();
  EXPECT_GE(gpu(2).memoryInfo().free, before); // counted as free while it is being returned
  EXPECT_TRUE(soon([] { return callsOf("cuMemFree") > 0; }));
}

TEST_F(CudaMemory, OutOfMemoryReportsSizesAndTheDeviceStaysUsable) {
  auto half = gpu(1).allocate(512 << 20);
  std::string message = messageOf([] { gpu(1).allocate(size_t(768) << 20); });
  EXPECT_EQ(
      message.rfind("cannot allocate 805306368 bytes of device memory on GPU 1 (Fake GPU): ", 0),
      0u)
      << message;
  EXPECT_NE(message.find(" of 1073741824 bytes are free"), std::string::npos) << message;
  try {
    gpu(1).allocate(SIZE_MAX);
    FAIL() << "no exception";
  } catch (const CompileError &e) {
    EXPECT_EQ(e.diagnostic().kind, ErrorKind::Memory);
  }
  EXPECT_NE(gpu(1).allocate(1 << 20), nullptr);
}

TEST_F(CudaMemory, OutOfMemoryInAStreamReportsSizesAndTheDeviceStaysUsable) {
  auto stream = gpu(1).createStream();
  std::string message = messageOf([&] { stream->allocate(size_t(2) << 30); });
  EXPECT_EQ(message.rfind("cannot allocate 2147483648 bytes of device memory on GPU 1", 0), 0u)
      << message;
  EXPECT_NE(stream->allocate(1 << 20), nullptr);
}

TEST_F(CudaMemory, CachedMemoryIsReleasedBeforeAnAllocationFails) {
  // Ten blocks of a size that is not requested again.
  std::vector<std::shared_ptr<Buffer>> blocks;
  for (int i = 0; i < 10; ++i)
    blocks.push_back(gpu(2).allocate(12 << 20));
  blocks.clear();
  EXPECT_NE(gpu(2).allocate(size_t(1000) << 20), nullptr);
  EXPECT_NE(gpu(2).createStream()->allocate(size_t(900) << 20), nullptr);
}

TEST_F(CudaMemory, StreamMemoryIsFreedInStreamOrder) {
  auto stream = gpu().createStream();
  size_t before = allocations();
  auto buffer = stream->allocate(100);
  EXPECT_EQ(callsOf("cuMemAllocAsync"), 1u);
  stream.reset(); // the memory keeps the driver's stream alive
  buffer.reset();
  EXPECT_EQ(callsOf("cuMemFreeAsync"), 1u);
  EXPECT_EQ(allocations(), before);
}

TEST_F(CudaMemory, MemoryIsFreedWhileAnAllocationWaitsForTheDriver) {
  auto stream = gpu().createStream();
  auto block = gpu().allocate(9 << 20);
  gpu().allocate(7 << 20).reset();
  size_t before = callsOf("cuEventRecord");
  stall("cuEventRecord");
  std::thread allocating([] { gpu().allocate(7 << 20); });
  EXPECT_TRUE(soon([&] { return callsOf("cuEventRecord") > before; }));
  // A callback may free memory, and the driver waits for callbacks.
  std::atomic<bool> freed{false};
  std::thread freeing([&] {
    block.reset();
    freed = true;
  });
  EXPECT_TRUE(soon([&] { return freed.load(); }));
  stall(nullptr);
  allocating.join();
  freeing.join();
}

TEST_F(CudaMemory, ADeviceWithoutPoolsAllocatesForStreamsToo) {
  failCalls("cuDeviceGetDefaultMemPool", 801);
  // Not GPU 0, whose pool may already be open.
  auto stream = gpu(2).createStream();
  auto buffer = stream->allocate(100);
  std::vector<uint8_t> data(100, 3), back(100);
  stream->upload(buffer->address(), data.data(), 100);
  stream->download(back.data(), buffer->address(), 100);
  EXPECT_EQ(back, data);
}

TEST_F(CudaMemory, ExhaustedPageLockedMemoryIsNotDeviceMemory) {
  failCalls("cuMemHostAlloc", 2, 0, 1);
  EXPECT_EQ(
      messageOf([] { gpu(1).allocate(100, MemoryKind::Pinned); }),
      "cannot allocate 100 bytes of page-locked host memory: the system has no more available");
}

TEST_F(CudaMemory, PageLockedMemoryIsFreedOffTheCallersThread) {
  size_t before = allocations();
  gpu().allocate(100, MemoryKind::Pinned).reset();
  EXPECT_TRUE(soon([&] { return allocations() == before; }));
  gpu().allocate(100, MemoryKind::Managed).reset();
  EXPECT_TRUE(soon([&] { return allocations() == before; }));
}

TEST_F(CudaMemory, ReuseWaitsForStreamsThatTheLegacyStreamDoesNotWaitFor) {
  uint64_t handle = fake<FakeCudaMakeStream>("fakeCudaMakeStream")(1); // non-blocking
  auto outside = gpu().externalStream(handle);
  auto buffer = gpu().allocate(3 << 20);
  outside->fill(buffer->address(), 1, 100, nullptr);
  EXPECT_GE(callsOf("cuEventRecord"), 1u); // recorded after its work
  buffer.reset();
  hold(true);
  size_t waits = callsOf("cuStreamWaitEvent");
  auto again = gpu().allocate(3 << 20);
  EXPECT_EQ(callsOf("cuStreamWaitEvent"), waits + 1); // the legacy stream waits for it
  hold(false);
  outside->fill(again->address(), 1, 100, nullptr);
  EXPECT_EQ(callsOf("cuStreamWaitEvent"), waits + 2); // the stream waits for the fence
}

TEST_F(CudaMemory, MemoryOfAFailedCopyIsReusedAfterTheRest) {
  uint64_t handle = fake<FakeCudaMakeStream>("fakeCudaMakeStream")(1); // non-blocking
  auto outside = gpu().externalStream(handle);
  auto buffer = gpu().allocate(5 << 20);
  std::vector<uint8_t> data(5 << 20);
  failCalls("cuMemcpyHtoDAsync", 400, 5, 1);
  size_t before = callsOf("cuEventRecord");
  EXPECT_THROW(outside->upload(buffer->address(), data.data(), data.size()), DriverError);
  size_t pieces = callsOf("cuMemcpyHtoDAsync") - 1; // without the failed piece
  EXPECT_EQ(callsOf("cuEventRecord") - before, pieces + 1);
}

TEST_F(CudaMemory, AHandleOfASmallerAllocationIsRejected) {
  auto buffer = gpu().allocate(1000);
  IpcHandle handle = gpu().exportMemory(buffer->address());
  EXPECT_THROW(gpu().importMemory(handle, 2'000'000'000), CompileError);
  EXPECT_EQ(callsOf("cuIpcCloseMemHandle"), 1u);
}

TEST_F(CudaMemory, ADeviceArraysMemoryIsSharedWithOtherProcesses) {
  auto buffer = gpu().allocate(1000);
  IpcHandle handle = gpu().exportMemory(static_cast<char *>(buffer->address()) + 100);
  auto opened = gpu().importMemory(handle, 1000);
  EXPECT_EQ(opened->bytes(), 1000u);
  EXPECT_EQ(opened->address(), buffer->address());
  opened.reset();
  EXPECT_TRUE(soon([] { return callsOf("cuIpcCloseMemHandle") == 1; }));
  // The block is not reused, because the other process may still read it.
  buffer.reset();
  EXPECT_TRUE(soon([] { return callsOf("cuMemFree") == 1; }));
}

TEST_F(CudaMemory, SharingStreamOrderedMemoryIsAnError) {
  auto buffer = gpu().createStream()->allocate(1000);
  EXPECT_NE(messageOf([&] {
              gpu().exportMemory(buffer->address());
            }).find("only that of cuda.device_array() and cuda.to_device() can"),
            std::string::npos);
}

TEST_F(CudaMemory, PeerAccessIsEnabledOnRequest) {
  EXPECT_TRUE(gpu(0).canAccess(gpu(1)));
  EXPECT_FALSE(gpu(0).canAccess(*devices().back()));
  failCalls("cuCtxEnablePeerAccess", 704, 0, 1); // another library has enabled it already
  EXPECT_FALSE(gpu(0).hasAccess(gpu(1)));
  gpu(0).enableAccess(gpu(1));
  gpu(0).enableAccess(gpu(1));
  EXPECT_TRUE(gpu(0).hasAccess(gpu(1)));
  EXPECT_EQ(callsOf("cuCtxEnablePeerAccess"), 1u);
  // GPU 0 may still be using the freed memory.
  gpu(1).allocate(100).reset();
  EXPECT_TRUE(soon([] { return callsOf("cuMemFree") > 0; }));
  EXPECT_THROW(gpu(0).enableAccess(*devices().back()), CompileError);
}

TEST_F(CudaMemory, TheCallersMemoryIsPinnedAndUnpinned) {
  std::vector<uint8_t> data(1000);
  gpu().pin(data.data(), data.size());
  EXPECT_THROW(gpu().pin(data.data(), data.size()), DriverError);
  gpu().unpin(data.data());
  EXPECT_THROW(gpu().unpin(data.data()), DriverError);
}

} // namespace
} // namespace heddle::test
