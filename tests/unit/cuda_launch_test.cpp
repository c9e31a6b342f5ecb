// Modules and launches on GPUs, checked by the driver calls.
#include "cuda_fixture.h"
#include "runtime_kernels.h"

#include "backend/nvptx/operations/error_record.h"
#include "support/diagnostic.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

namespace heddle::test {
namespace {

class CudaLaunch : public CudaTest {};

std::shared_ptr<Module> loadOnGpu(const std::string &parameters, const std::string &body,
                                  const std::string &rest = "", CompileOptions options = {},
                                  unsigned device = 0) {
  return loadText("define void @k(" + parameters + ") \"simt.kernel\" {\n" + body + "\n}\n" + rest,
                  options, gpu(device));
}

/// a[i] = 7 for i < n, a kernel that can be coarsened: accesses of 16 aligned bytes hold four elements.
std::shared_ptr<Module> loadGuardedStore(CompileOptions options = {}) {
  return loadOnGpu("ptr addrspace(1) noalias align 16 %a, i64 %n", R"(
  %ntid = call i32 @simt.ntid.x() #0
  %d = zext nneg i32 %ntid to i64
  %ctaid = call i32 @simt.ctaid.x() #0
  %c = zext nneg i32 %ctaid to i64
  %m = mul nuw nsw i64 %c, %d
  %tid = call i32 @simt.tid.x() #0
  %t = zext nneg i32 %tid to i64
  %i = add nuw nsw i64 %m, %t
  %in = icmp slt i64 %i, %n
  br i1 %in, label %store, label %end
store:
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %i
  store i32 7, ptr addrspace(1) %p, align 4
  br label %end
end:
  ret void)",
                   "attributes #0 = { nounwind willreturn memory(none) }", options);
}

TEST_F(CudaLaunch, ArgumentsKeepTheirSizes) {
  auto module = loadOnGpu("ptr addrspace(1) %a, i32 %n, i64 %m, i8 %b, double %x", R"(
  %p = getelementptr i8, ptr addrspace(1) %a, i32 %n
  %q = getelementptr i8, ptr addrspace(1) %p, i64 %m
  store i8 %b, ptr addrspace(1) %q
  store double %x, ptr addrspace(1) %a
  ret void)");
  auto stream = gpu().createStream();
  uint64_t arguments[] = {0x1000, 0xffffffff00000005, 1ull << 40, 0xaabb, 0x4000000000000000};
  stream->launch(module->kernel("k"), {{2, 3, 4}, {8, 4, 2}, 100}, arguments, nullptr);
  ASSERT_EQ(launchCount(), 1u);
  const FakeLaunch &launch = launchAt(0);
  EXPECT_STREQ(launch.kernel, "k");
  EXPECT_EQ(launch.grid[0], 2u);
  EXPECT_EQ(launch.grid[1], 3u);
  EXPECT_EQ(launch.grid[2], 4u);
  EXPECT_EQ(launch.block[0], 8u);
  EXPECT_EQ(launch.block[2], 2u);
  EXPECT_EQ(launch.sharedBytes, 100u);
  EXPECT_EQ(reinterpret_cast<uint64_t>(launch.stream), stream->nativeHandle());
  EXPECT_FALSE(launch.cooperative);
  ASSERT_EQ(launch.argumentCount, 5u);
  EXPECT_EQ(launch.arguments[0], 0x1000u);
  EXPECT_EQ(launch.arguments[1], 5u);
  EXPECT_EQ(launch.arguments[2], 1ull << 40);
  EXPECT_EQ(launch.arguments[3], 0xbbu);
  EXPECT_EQ(launch.arguments[4], 0x4000000000000000u);
}

TEST_F(CudaLaunch, AKernelMayHaveManyArguments) {
  std::string parameters, body;
  std::vector<uint64_t> arguments;
  for (int i = 0; i < 200; ++i) {
    parameters += (i ? ", i64 %p" : "i64 %p") + std::to_string(i);
    arguments.push_back(i);
  }
  auto module = loadOnGpu(parameters, "ret void");
  gpu().defaultStream().launch(module->kernel("k"), {{1}, {1}}, arguments, nullptr);
  ASSERT_EQ(launchAt(0).argumentCount, 200u);
  EXPECT_EQ(launchAt(0).arguments[199], 199u);
}

TEST_F(CudaLaunch, ALargeGridTakesTheCoarsenedFormWithFewerBlocks) {
  auto module = loadGuardedStore();
  uint64_t arguments[] = {0x1000, 5};
  // From 4224 blocks of 256 threads on, each of the device's 132 * 2048 threads has four elements.
  gpu().defaultStream().launch(module->kernel("k"), {{4223}, {256}}, arguments, nullptr);
  gpu().defaultStream().launch(module->kernel("k"), {{4226}, {256}}, arguments, nullptr);
  EXPECT_STREQ(launchAt(0).kernel, "k");
  EXPECT_EQ(launchAt(0).grid[0], 4223u);
  EXPECT_EQ(launchAt(0).argumentCount, 2u);
  ASSERT_STRNE(launchAt(1).kernel, "k") << module->assembly();
  EXPECT_EQ(launchAt(1).grid[0], 1057u); // a quarter, rounded up
  EXPECT_EQ(launchAt(1).argumentCount, 3u);
  EXPECT_EQ(launchAt(1).arguments[1], 5u);
  EXPECT_EQ(launchAt(1).arguments[2], 4226u);
}

TEST_F(CudaLaunch, ATwoDimensionalGridIsNotCoarsened) {
  auto module = loadGuardedStore();
  uint64_t arguments[] = {0x1000, 5};
  gpu().defaultStream().launch(module->kernel("k"), {{10000, 2}, {256}}, arguments, nullptr);
  gpu().defaultStream().launch(module->kernel("k"), {{10000}, {128, 2}}, arguments, nullptr);
  EXPECT_STREQ(launchAt(0).kernel, "k");
  EXPECT_STREQ(launchAt(1).kernel, "k");
}

TEST_F(CudaLaunch, AKernelThatWaitsForItsGridIsLaunchedCooperatively) {
  auto module = loadOnGpu(
      "", "call void @simt.grid.barrier(i32 0)\nret void",
      "!simt.sites = !{!0}\n!0 = !{!\"barrier\", !\"\", !\"k\", !\"k.py\", i32 3, i32 1}");
  Kernel &kernel = module->kernel("k");
  EXPECT_TRUE(kernel.isCooperative());
  EXPECT_EQ(gpu().maxCooperativeBlocks(kernel, 256, 0), 132u * 8);
  gpu().defaultStream().launch(kernel, {{16}, {32}}, {}, nullptr);
  EXPECT_TRUE(launchAt(0).cooperative);
  std::string message = messageOf([&] { checkLaunch(gpu(), kernel, {{2000}, {256}}); });
  EXPECT_NE(message.find("1056"), std::string::npos) << message;
}

TEST_F(CudaLaunch, ARecursiveKernelRaisesTheStackLimitOnce) {
  const char *down = R"(define internal i32 @down(i32 %n) {
  %m = lshr i32 %n, 1
  %end = icmp eq i32 %n, 0
  br i1 %end, label %stop, label %more
more:
  %r = call i32 @down(i32 %m)
  %s = add i32 %r, 1
  ret i32 %s
stop:
  ret i32 0
})";
  loadOnGpu("", "ret void");
  EXPECT_EQ(callsOf("cuCtxSetLimit"), 0u);
  for (int times = 0; times < 2; ++times)
    loadOnGpu("ptr addrspace(1) %out, i32 %n",
              "%r = call i32 @down(i32 %n)\nstore i32 %r, ptr addrspace(1) %out\nret void", down);
  EXPECT_EQ(callsOf("cuCtxSetLimit"), 1u);
}

TEST_F(CudaLaunch, AWaitWritesTheOutputOfKernels) {
  loadOnGpu("", "ret void");
  gpu().defaultStream().synchronize();
  size_t before = callsOf("cuStreamSynchronize");
  loadOnGpu("", "call void @simt.print(i32 0, ptr null)\nret void",
            "declare void @simt.print(i32, ptr)\n"
            "!simt.sites = !{!0}\n!0 = !{!\"print\", !\"hello\", !\"k\", !\"k.py\", i32 3, i32 1}");
  gpu().defaultStream().synchronize();
  EXPECT_EQ(callsOf("cuStreamSynchronize"), before + 1);
}

TEST_F(CudaLaunch, AnAtomicLoopIsAssembledAtLevelOne) {
  auto level = fake<FakeCudaJitLevel>("fakeCudaJitLevel");
  loadOnGpu("ptr addrspace(1) %p, i32 %v",
            "%a = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %p, i32 %v, i32 1)\nret void");
  EXPECT_EQ(level(), 4); // the driver's default
  loadOnGpu("ptr addrspace(1) %p, float %v",
            "%a = call float @simt.atomic.min.f32.p1(ptr addrspace(1) %p, float %v, i32 1)\n"
            "ret void",
            "declare float @simt.atomic.min.f32.p1(ptr addrspace(1), float, i32)");
  EXPECT_EQ(level(), 1);
}

TEST_F(CudaLaunch, LargeDynamicSharedMemoryIsEnabledAutomatically) {
  auto module = loadOnGpu("", "ret void");
  gpu().defaultStream().launch(module->kernel("k"), {{1}, {32}, 49152}, {}, nullptr);
  EXPECT_EQ(callsOf("cuFuncSetAttribute"), 0u);
  gpu().defaultStream().launch(module->kernel("k"), {{1}, {32}, 100000}, {}, nullptr);
  gpu().defaultStream().launch(module->kernel("k"), {{1}, {32}, 200000}, {}, nullptr);
  EXPECT_EQ(callsOf("cuFuncSetAttribute"), 1u);
  EXPECT_EQ(launchAt(2).sharedBytes, 200000u);
}

TEST_F(CudaLaunch, AKernelOfAnotherGpuIsRejected) {
  auto module = loadOnGpu("", "ret void", "", {}, 1);
  EXPECT_NE(messageOf([&] {
              gpu(0).defaultStream().launch(module->kernel("k"), {{1}, {1}}, {}, nullptr);
            }).find("kernel k is loaded on GPU 1 (Fake GPU)"),
            std::string::npos);
}

TEST_F(CudaLaunch, AModuleReturnsItsPtx) {
  auto module = loadOnGpu("", "ret void");
  EXPECT_NE(module->assembly().find(".entry k"), std::string::npos);
  EXPECT_NE(module->machineCode().find("fake cubin"), std::string::npos);
  EXPECT_EQ(module->kernel("k").registers(), 32u);
  EXPECT_THROW(module->kernel("nothing"), CompileError);
}

TEST_F(CudaLaunch, OccupancyComesFromTheDriver) {
  auto module = loadOnGpu("", "ret void");
  EXPECT_EQ(gpu().activeBlocksPerMultiprocessor(module->kernel("k"), 256, 0), 8u);
  EXPECT_EQ(gpu().suggestedBlockSize(module->kernel("k"), 0), 1024u);
}

TEST_F(CudaLaunch, PtxThatTheDriverRejectsIsAnInternalErrorWithItsLog) {
  failCalls("cuModuleLoadDataEx", 218);
  std::string message = messageOf([] { loadOnGpu("", "ret void"); });
  EXPECT_NE(message.find("cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX"), std::string::npos)
      << message;
}

/// Exits with 0 if each use of a GPU after the crash raises an error; the fake driver still holds its lock.
[[noreturn]] void useGpusAfterACrash() {
  auto array = gpu().allocate(64);
  failCalls("cuModuleLoadDataEx", -SIGSEGV, 0, 1);
  for (const auto &use : std::initializer_list<std::function<void()>>{
           [] { loadOnGpu("", "ret void"); }, [] { loadOnGpu("", "ret void"); },
           [] { gpu(1).allocate(64); }, [] { gpu().synchronize(); }})
    std::fprintf(stderr, "%s\n", messageOf(use).c_str());
  array.reset();
  std::exit(0);
}

TEST_F(CudaLaunch, AfterACrashOfTheDriverNoCallWaitsForIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(useGpusAfterACrash(), testing::ExitedWithCode(0),
              "the compiler crashed while the driver assembled PTX \\(Segmentation fault\\)(.|\n)*"
              "(the driver crashed in an earlier call(.|\n)*){3}");
}

constexpr const char *sitesOfTrap = R"(
!simt.sites = !{!0}
!0 = !{!"IndexError", !"index {index} is out of bounds for axis 0 of 'a' with size {extent}", !"k", !"k.py", i32 7, i32 8}
)";

std::shared_ptr<Module> loadTrap() {
  return loadOnGpu("i64 %i, i64 %n", R"(
  %bad = icmp sge i64 %i, %n
  br i1 %bad, label %trap, label %end
trap:
  call void @simt.trap.index(i32 0, i64 %i, i64 %n)
  unreachable
end:
  ret void)",
                   sitesOfTrap);
}

/// Writes the record as a trapping thread does, after the previous record has been read: a dropped module may be
/// unloaded with a delay.
void report(uint32_t site, int64_t index, int64_t extent) {
  nvptx::ErrorChannel channel;
  std::memcpy(&channel, fake<FakeCudaGlobal>("fakeCudaGlobal")(nvptx::errorChannelName),
              sizeof channel);
  auto *record = reinterpret_cast<nvptx::ErrorRecord *>(channel.record);
  std::atomic_ref<uint32_t> state(record->state);
  for (int wait = 0; state != 0 && wait < 5000; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(state, 0u);
  *record = {2, channel.module, site, {3, 0, 0}, {1, 2, 0}, 0, {index, extent}};
}

TEST_F(CudaLaunch, ATrapIsThrownByTheNextWaitOnce) {
  auto module = loadTrap();
  auto stream = gpu().createStream();
  report(0, 12, 10);
  std::string message = messageOf([&] { stream->synchronize(); });
  EXPECT_EQ(message, "k.py:7: index 12 is out of bounds for axis 0 of 'a' with size 10\n"
                     "  kernel k, block (1, 2, 0), thread (3, 0, 0)");
  stream->synchronize();
  report(0, 5, 5);
  EXPECT_THROW(gpu().synchronize(), KernelError);
  report(0, 5, 5);
  auto event = gpu().createEvent();
  EXPECT_THROW(event->synchronize(), KernelError);
  report(0, 5, 5);
  auto buffer = gpu().allocate(4);
  uint8_t bytes[4];
  EXPECT_THROW(stream->download(bytes, buffer->address(), 4), KernelError);
}

TEST_F(CudaLaunch, ATrapIsThrownAfterItsModuleIsUnloaded) {
  auto module = loadTrap();
  report(0, 12, 10);
  module.reset();
  EXPECT_THROW(gpu().synchronize(), KernelError);
  gpu().synchronize();
}

TEST_F(CudaLaunch, TheFirstOfTwoTrapsOfUnloadedModulesIsThrown) {
  auto first = loadTrap();
  report(0, 12, 10);
  first.reset();
  auto second = loadTrap();
  report(0, 5, 5);
  second.reset();
  std::string message = messageOf([] { gpu().synchronize(); });
  EXPECT_NE(message.find("index 12"), std::string::npos) << message;
  gpu().synchronize();
}

/// Tests with a private cache directory.
class CudaCache : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    directory_ =
        std::filesystem::temp_directory_path() / ("heddle-cuda-cache-" + std::to_string(getpid()));
    setenv("HEDDLE_CACHE_DIR", directory_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("HEDDLE_CACHE_DIR");
    std::filesystem::remove_all(directory_);
    CudaTest::TearDown();
  }

  std::filesystem::path directory_;
};

TEST_F(CudaCache, TheSecondLoadComesFromTheDisk) {
  CompileOptions options{.cache = true};
  auto first = loadGuardedStore(options);
  EXPECT_FALSE(first->fromCache());
  auto second = loadGuardedStore(options);
  EXPECT_TRUE(second->fromCache());
  EXPECT_EQ(second->assembly(), first->assembly());
  EXPECT_EQ(second->machineCode(), first->machineCode());
  EXPECT_EQ(second->remarks(), first->remarks());
  uint64_t arguments[] = {0x1000, 5};
  gpu().defaultStream().launch(second->kernel("k"), {{10000}, {256}}, arguments, nullptr);
  EXPECT_EQ(launchAt(0).grid[0], 2500u);
}

TEST_F(CudaCache, DifferentOptionsHaveDifferentEntries) {
  loadGuardedStore({.cache = true});
  EXPECT_FALSE(loadGuardedStore({.cache = true, .maxRegisters = 16})->fromCache());
  EXPECT_FALSE(loadGuardedStore({.cache = true, .lineInfo = true})->fromCache());
}

TEST_F(CudaCache, CodeThatTheDriverRejectsIsNotCached) {
  failCalls("cuModuleLoadDataEx", 218, 0, 1); // CUDA_ERROR_INVALID_PTX
  EXPECT_THROW(loadGuardedStore({.cache = true}), CompileError);
  EXPECT_FALSE(loadGuardedStore({.cache = true})->fromCache());
}

// The driver's linker assembles relocatable code, which may hang (driver_jit.h).
TEST_F(CudaCache, KernelsAreNeverLoadedFromTheDriversLinker) {
  loadGuardedStore({.cache = true});
  loadGuardedStore({.cache = true});
  loadGuardedStore({});
  EXPECT_EQ(callsOf("cuLinkComplete"), 0u);
  EXPECT_EQ(callsOf("cuModuleLoadDataEx"), 3u);
}

} // namespace
} // namespace heddle::test
