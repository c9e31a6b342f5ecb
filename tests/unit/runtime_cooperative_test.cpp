// Launches on the CPU device whose blocks wait for each other.
#include "runtime_kernels.h"

#include "support/diagnostic.h"

#include <gtest/gtest.h>

#include <numeric>

namespace heddle::test {
namespace {

constexpr const char *site = R"(
!simt.sites = !{!0}
!0 = !{!"RuntimeError", !"stop", !"k", !"k.py", i32 7, i32 1}
)";

/// Twice: thread i adds the value that its neighbor (i + ntid, in the next block) wrote before the barrier. Both
/// barriers must work.
std::shared_ptr<Module> loadNeighbours(const std::string &between = "") {
  return loadKernel("ptr addrspace(1) %a, i32 %n", R"(
  %b = call i32 @simt.ctaid.x()
  %d = call i32 @simt.ntid.x()
  %t = call i32 @simt.tid.x()
  %bd = mul i32 %b, %d
  %i = add i32 %bd, %t
  %p = getelementptr i32, ptr addrspace(1) %a, i32 %i
  store i32 %i, ptr addrspace(1) %p
  call void @simt.grid.barrier(i32 0)
  %shifted = add i32 %i, %d
  %j = urem i32 %shifted, %n
  %q = getelementptr i32, ptr addrspace(1) %a, i32 %j
  %v = load i32, ptr addrspace(1) %q
)" + between + R"(
  call void @simt.grid.barrier(i32 0)
  store i32 %v, ptr addrspace(1) %p
  ret void)",
                    site);
}

TEST(RuntimeCooperative, EveryBlockSeesWhatTheOthersWroteBeforeTheBarrier) {
  auto module = loadNeighbours();
  constexpr uint32_t blocks = 37, threads = 33, n = blocks * threads;
  std::vector<int32_t> a(n, -1), expected(n);
  for (uint32_t i = 0; i < n; ++i)
    expected[i] = int32_t((i + threads) % n);
  uint64_t arguments[] = {slot(a.data()), n};
  auto stream = cpu().createStream();
  stream->launch(module->kernel("k"), {{blocks}, {threads}}, arguments, nullptr);
  stream->synchronize();
  EXPECT_EQ(a, expected);
}

TEST(RuntimeCooperative, AnErrorBetweenTwoBarriersEndsTheLaunch) {
  auto module = loadNeighbours(R"(
  %bad = icmp eq i32 %i, 5
  br i1 %bad, label %trap, label %go
trap:
  call void @simt.trap(i32 0)
  unreachable
go:)");
  std::vector<int32_t> a(64);
  uint64_t arguments[] = {slot(a.data()), 64};
  auto stream = cpu().createStream();
  stream->launch(module->kernel("k"), {{16}, {4}}, arguments, nullptr);
  try {
    stream->synchronize();
    FAIL() << "nothing was thrown";
  } catch (const KernelError &e) {
    EXPECT_EQ(e.thread()[0], 1u);
    EXPECT_EQ(e.block()[0], 1u);
  }
}

TEST(RuntimeCooperative, AGridThatDoesNotFitIsRejectedWithTheLimit) {
  auto module = loadNeighbours();
  Kernel &kernel = module->kernel("k");
  EXPECT_TRUE(kernel.isCooperative());
  try {
    checkLaunch(cpu(), kernel, {{5000}, {4}});
    FAIL() << "nothing was thrown";
  } catch (const CompileError &e) {
    EXPECT_STREQ(
        e.what(),
        "grid of 5000 blocks (5000, 1, 1) that run at the same time: this device runs at most "
        "1024 blocks of 4 threads of this kernel at once\n  kernel k\n"
        "  hint: launch a grid of at most 1024 blocks, whose threads loop over the work");
  }
}

} // namespace
} // namespace heddle::test
