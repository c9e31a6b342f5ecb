// Launches on the CPU device: execution, rejected launches, error messages.
#include "runtime_kernels.h"

#include "support/diagnostic.h"

#include <gtest/gtest.h>

#include <cfenv>
#include <chrono>
#include <numeric>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace heddle::test {
namespace {

std::vector<int32_t> iota(size_t n) {
  std::vector<int32_t> v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

template <class Thrown, class F> std::string messageOf(F f) {
  try {
    f();
  } catch (const Thrown &e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(RuntimeLaunch, EveryThreadOfEveryBlockRuns) {
  auto module = loadIota();
  std::vector<int32_t> a(100000, -1);
  uint64_t arguments[] = {slot(a.data()), a.size()};
  auto stream = cpu().createStream();
  stream->launch(module->kernel("k"), {{391}, {256}}, arguments, nullptr);
  stream->synchronize();
  EXPECT_EQ(a, iota(a.size()));
}

TEST(RuntimeLaunch, ACheapLaunchRunsOnTheCallingThread) {
  auto module = loadIota();
  std::vector<int32_t> a(64, -1);
  uint64_t arguments[] = {slot(a.data()), a.size()};
  Stream &stream = cpu().defaultStream();
  for (int i = 0; i < 100; ++i) {
    stream.launch(module->kernel("k"), {{1}, {64}}, arguments, nullptr);
    stream.synchronize();
  }
  std::fill(a.begin(), a.end(), -1);
  stream.launch(module->kernel("k"), {{1}, {64}}, arguments, nullptr);
  EXPECT_TRUE(stream.done());
  EXPECT_EQ(a, iota(a.size()));
}

TEST(RuntimeLaunch, BlocksHaveTheirThreeIndices) {
  auto module = loadKernel("ptr addrspace(1) %a", R"(
  %x = call i32 @simt.ctaid.x()
  %y = call i32 @simt.ctaid.y()
  %z = call i32 @simt.ctaid.z()
  %nx = call i32 @simt.nctaid.x()
  %ny = call i32 @simt.nctaid.y()
  %zny = mul i32 %z, %ny
  %row = add i32 %zny, %y
  %rnx = mul i32 %row, %nx
  %i = add i32 %rnx, %x
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 %i, ptr addrspace(1) %p
  ret void)");
  std::vector<int32_t> a(7 * 5 * 3, -1);
  uint64_t arguments[] = {slot(a.data())};
  cpu().defaultStream().launch(module->kernel("k"), {{7, 5, 3}, {1}}, arguments, nullptr);
  cpu().synchronize();
  EXPECT_EQ(a, iota(a.size()));
}

TEST(RuntimeLaunch, TheCallersFloatingPointSettingsStayAndDoNotReachTheKernel) {
#if defined(__x86_64__)
  auto module = loadKernel("ptr addrspace(1) %a", R"(
  %x = load float, ptr addrspace(1) %a
  %h = fmul float %x, 0.5
  store float %h, ptr addrspace(1) %a
  ret void)");
  unsigned before = _mm_getcsr();
  for (int i = 0; i < 20; ++i) {
    float subnormal = 1e-40f;
    uint64_t arguments[] = {slot(&subnormal)};
    _mm_setcsr(before | 0x8040); // flush to zero, denormals are zero
    cpu().defaultStream().launch(module->kernel("k"), {{1}, {1}}, arguments, nullptr);
    cpu().synchronize();
    unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(after & 0x8040, 0x8040u);
    EXPECT_GT(subnormal, 0.0f);
  }
#endif
}

TEST(RuntimeLaunch, ABlockWithTooManyThreadsIsRejectedWithTheLimit) {
  auto module = loadIota();
  EXPECT_EQ(
      messageOf<CompileError>([&] { checkLaunch(cpu(), module->kernel("k"), {{1}, {2048}}); }),
      "block of 2048 threads (2048, 1, 1): this device takes at most 1024 threads per block "
      "(MAX_THREADS_PER_BLOCK)\n  kernel k\n"
      "  hint: use more blocks of fewer threads; 128 or 256 is a good number");
}

TEST(RuntimeLaunch, AnEmptyBlockIsRejected) {
  auto module = loadIota();
  EXPECT_EQ(
      messageOf<CompileError>([&] { checkLaunch(cpu(), module->kernel("k"), {{1}, {8, 0, 1}}); }),
      "block of shape (8, 0, 1): every extent must be at least 1\n  kernel k");
}

TEST(RuntimeLaunch, AnEmptyGridIsRejected) {
  auto module = loadIota();
  EXPECT_EQ(messageOf<CompileError>([&] { checkLaunch(cpu(), module->kernel("k"), {{0}, {8}}); }),
            "grid of shape (0, 1, 1): every extent must be at least 1\n  kernel k");
}

TEST(RuntimeLaunch, ATooHighGridIsRejectedWithTheAxis) {
  auto module = loadIota();
  EXPECT_EQ(
      messageOf<CompileError>([&] { checkLaunch(cpu(), module->kernel("k"), {{1, 70000}, {8}}); }),
      "grid of shape (1, 70000, 1): this device takes at most 65535 along y (MAX_GRID_DIM_Y)\n  "
      "kernel k");
}

TEST(RuntimeLaunch, ATooDeepBlockIsRejectedWithTheAxis) {
  auto module = loadIota();
  EXPECT_EQ(
      messageOf<CompileError>([&] { checkLaunch(cpu(), module->kernel("k"), {{1}, {1, 1, 65}}); }),
      "block of shape (1, 1, 65): this device takes at most 64 along z (MAX_BLOCK_DIM_Z)\n  kernel "
      "k");
}

TEST(RuntimeLaunch, TooMuchSharedMemoryIsRejectedWithBothParts) {
  auto module = loadIota();
  EXPECT_EQ(
      messageOf<CompileError>([&] { checkLaunch(cpu(), module->kernel("k"), {{1}, {8}, 300000}); }),
      "shared memory of 300000 bytes per block (static 0, dynamic 300000): this device takes at "
      "most 232448 "
      "(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)\n  kernel k");
}

TEST(RuntimeLaunch, AMissingKernelIsNamed) {
  auto module = loadIota();
  EXPECT_EQ(messageOf<CompileError>([&] { module->kernel("missing"); }),
            "there is no kernel named missing in this module");
}

constexpr const char *trapSites = R"(
!simt.sites = !{!0, !1}
!0 = !{!"IndexError", !"index {index} is out of bounds for axis 0 of 'a' with size {extent}", !"k", !"/tmp/k.py", i32 14, i32 8}
!1 = !{!"ZeroDivisionError", !"division by zero", !"f", !"/tmp/k.py", i32 3, i32 1}
)";

std::shared_ptr<Module> loadTrapping() {
  return loadKernel("i32 %who", R"(
  %b = call i32 @simt.ctaid.x()
  %t = call i32 @simt.tid.x()
  %here = icmp eq i32 %b, %who
  %last = icmp eq i32 %t, 24
  %both = and i1 %here, %last
  br i1 %both, label %stop, label %end
stop:
  call void @simt.trap.index(i32 0, i64 12, i64 10)
  unreachable
end:
  ret void)",
                    trapSites);
}

TEST(RuntimeLaunch, ATrapReportsLocationBlockAndThread) {
  auto module = loadTrapping();
  uint64_t arguments[] = {3};
  cpu().defaultStream().launch(module->kernel("k"), {{8}, {32}}, arguments, nullptr);
  EXPECT_EQ(messageOf<KernelError>([] { cpu().synchronize(); }),
            "k.py:14: index 12 is out of bounds for axis 0 of 'a' with size 10\n"
            "  kernel k, block (3, 0, 0), thread (24, 0, 0)");
}

TEST(RuntimeLaunch, ATrapOnTheCallersThreadHasTheSameMessage) {
  auto module = loadTrapping();
  uint64_t arguments[] = {100};
  for (int i = 0; i < 50; ++i) {
    cpu().defaultStream().launch(module->kernel("k"), {{1}, {32}}, arguments, nullptr);
    cpu().synchronize();
  }
  arguments[0] = 0;
  cpu().defaultStream().launch(module->kernel("k"), {{1}, {32}}, arguments, nullptr);
  EXPECT_EQ(messageOf<KernelError>([] { cpu().synchronize(); }),
            "k.py:14: index 12 is out of bounds for axis 0 of 'a' with size 10\n"
            "  kernel k, block (0, 0, 0), thread (24, 0, 0)");
}

TEST(RuntimeLaunch, TheDeviceWorksAfterATrap) {
  auto trapping = loadTrapping();
  uint64_t who[] = {0};
  cpu().defaultStream().launch(trapping->kernel("k"), {{64}, {32}}, who, nullptr);
  EXPECT_THROW(cpu().synchronize(), KernelError);
  EXPECT_NO_THROW(cpu().synchronize());
  auto module = loadIota();
  std::vector<int32_t> a(1000, -1);
  uint64_t arguments[] = {slot(a.data()), a.size()};
  cpu().defaultStream().launch(module->kernel("k"), {{4}, {256}}, arguments, nullptr);
  cpu().synchronize();
  EXPECT_EQ(a, iota(a.size()));
}

TEST(RuntimeLaunch, AnErrorIsThrownOnceByTheFirstWait) {
  auto module = loadTrapping();
  uint64_t who[] = {0};
  auto stream = cpu().createStream();
  stream->launch(module->kernel("k"), {{4}, {32}}, who, nullptr);
  EXPECT_THROW(stream->synchronize(), KernelError);
  EXPECT_NO_THROW(cpu().synchronize());
}

TEST(RuntimeLaunch, AnErrorOfADestroyedStreamReachesTheDevice) {
  auto module = loadTrapping();
  uint64_t who[] = {0};
  cpu().createStream()->launch(module->kernel("k"), {{4}, {32}}, who, nullptr);
  EXPECT_THROW(cpu().synchronize(), KernelError);
}

TEST(RuntimeLaunch, ThreadsSeeEachOthersSharedMemoryAfterABarrier) {
  auto module = loadKernel(
      "ptr addrspace(1) %a", R"(
  %s = call ptr addrspace(3) @simt.shared.dynamic()
  %t = call i32 @simt.tid.x()
  %p = getelementptr i32, ptr addrspace(3) %s, i32 %t
  store i32 %t, ptr addrspace(3) %p
  call void @simt.barrier(i32 0)
  %r = sub i32 63, %t
  %q = getelementptr i32, ptr addrspace(3) %s, i32 %r
  %v = load i32, ptr addrspace(3) %q
  %o = getelementptr i32, ptr addrspace(1) %a, i32 %t
  store i32 %v, ptr addrspace(1) %o
  ret void)",
      "!simt.sites = !{!0}\n!0 = !{!\"barrier\", !\"\", !\"k\", !\"k.py\", i32 5, i32 1}\n");
  std::vector<int32_t> a(64, -1);
  uint64_t arguments[] = {slot(a.data())};
  cpu().defaultStream().launch(module->kernel("k"), {{1}, {64}, 256}, arguments, nullptr);
  cpu().synchronize();
  auto expected = iota(64);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(a, expected);
}

constexpr const char *barrierSites = R"(
!simt.sites = !{!0, !1}
!0 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 5, i32 1}
!1 = !{!"barrier", !"simt.barrier", !"k", !"k.py", i32 9, i32 1}
)";

TEST(RuntimeLaunch, AReturnedThreadDoesNotBlockABarrier) {
  auto module = loadKernel("ptr addrspace(1) %a", R"(
  %t = call i32 @simt.tid.x()
  %out = icmp sge i32 %t, 40
  br i1 %out, label %end, label %stay
stay:
  %odd = trunc i32 %t to i1
  %n = call i32 @simt.barrier.count(i32 0, i1 %odd)
  %o = getelementptr i32, ptr addrspace(1) %a, i32 %t
  store i32 %n, ptr addrspace(1) %o
  br label %end
end:
  ret void)",
                           barrierSites);
  std::vector<int32_t> a(40, -1);
  uint64_t arguments[] = {slot(a.data())};
  cpu().defaultStream().launch(module->kernel("k"), {{1}, {64}}, arguments, nullptr);
  cpu().synchronize();
  EXPECT_EQ(a, std::vector<int32_t>(40, 20));
}

TEST(RuntimeLaunch, ABarrierThatSomeThreadsDoNotReachIsAnError) {
  auto module = loadKernel("", R"(
  %t = call i32 @simt.tid.x()
  %few = icmp slt i32 %t, 3
  br i1 %few, label %one, label %other
one:
  call void @simt.barrier(i32 0)
  br label %end
other:
  call void @simt.barrier(i32 1)
  br label %end
end:
  ret void)",
                           barrierSites);
  cpu().defaultStream().launch(module->kernel("k"), {{1}, {32}}, {}, nullptr);
  std::string message = messageOf<KernelError>([] { cpu().synchronize(); });
  EXPECT_EQ(
      message.substr(0, message.find('\n')),
      "k.py:5: barrier at line 5 is not reached by every thread of warp 0 of block (0, 0, 0): 3 "
      "threads wait there while "
      "29 wait at the barrier at line 9");
}

TEST(RuntimeLaunch, ADivergenceErrorNamesAWaitingThread) {
  auto module = loadKernel("", R"(
  %t = call i32 @simt.tid.x()
  %many = icmp slt i32 %t, 5
  br i1 %many, label %other, label %one
one:
  call void @simt.barrier(i32 0)
  br label %end
other:
  call void @simt.barrier(i32 1)
  br label %end
end:
  ret void)",
                           barrierSites);
  cpu().defaultStream().launch(module->kernel("k"), {{1}, {32}}, {}, nullptr);
  try {
    cpu().synchronize();
    FAIL() << "no error";
  } catch (const KernelError &error) {
    EXPECT_EQ(error.thread()[0], 5u);
  }
}

} // namespace
} // namespace heddle::test
