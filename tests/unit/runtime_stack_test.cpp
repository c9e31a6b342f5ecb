// Kernels with large stack or memory use: recursion, large local arrays, large frames.
#include "runtime_kernels.h"

#include "support/diagnostic.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::test {
namespace {

std::string errorOf(Module &module, const LaunchShape &shape, std::vector<uint64_t> arguments) {
  cpu().defaultStream().launch(module.kernel("k"), shape, arguments, nullptr);
  try {
    cpu().synchronize();
  } catch (const KernelError &e) {
    return e.site().kind + ": " + e.what();
  }
  return "";
}

/// *out = depth, by a recursion of that depth; endless if depth is negative.
std::shared_ptr<Module> loadRecursion() {
  return loadText(R"(
define internal i32 @down(i32 %n) {
  %end = icmp eq i32 %n, 0
  br i1 %end, label %stop, label %more
more:
  %m = sub i32 %n, 1
  %r = call i32 @down(i32 %m)
  %s = add i32 %r, 1
  %x = xor i32 %s, %n
  %y = xor i32 %x, %n
  ret i32 %y
stop:
  ret i32 0
}
define void @k(ptr addrspace(1) %out, i32 %depth) "simt.kernel" {
  %r = call i32 @down(i32 %depth)
  store i32 %r, ptr addrspace(1) %out
  ret void
}
)",
                  {.optimize = false});
}

TEST(RuntimeStack, ARecursionOfThousandsOfCallsFits) {
  int32_t out = 0;
  EXPECT_EQ(errorOf(*loadRecursion(), {{2}, {1}}, {slot(&out), 50000}), "");
  EXPECT_EQ(out, 50000);
}

TEST(RuntimeStack, AnEndlessRecursionIsAnErrorAndTheDeviceStaysUsable) {
  auto module = loadRecursion();
  int32_t out = 0;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(errorOf(*module, {{2}, {1}}, {slot(&out), uint64_t(-1)}).substr(0, 58),
              "RecursionError: a recursion in the kernel ran out of stack");
  EXPECT_EQ(errorOf(*module, {{1}, {1}}, {slot(&out), 10}), "");
  EXPECT_EQ(out, 10);
}

constexpr const char *siteOfBarrier =
    "!simt.sites = !{!0}\n!0 = !{!\"barrier\", !\"\", !\"k\", !\"k.py\", i32 5, i32 1}\n";

std::string kernelWithLocalArray(const std::string &bytes) {
  return R"(
  %local = alloca [)" +
         bytes + R"( x i8]
  %t = call i32 @simt.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i8, ptr %local, i64 %i
  store volatile i8 7, ptr %p
  call void @simt.barrier(i32 0)
  %v = load volatile i8, ptr %p
  store i8 %v, ptr addrspace(1) %out
  ret void)";
}

TEST(RuntimeStack, ALocalArrayLivesAcrossABarrier) {
  auto module = loadKernel("ptr addrspace(1) %out", kernelWithLocalArray("4096"), siteOfBarrier);
  int8_t out = 0;
  EXPECT_EQ(errorOf(*module, {{4}, {256}}, {slot(&out)}), "");
  EXPECT_EQ(out, 7);
}

TEST(RuntimeStack, AKernelWithALargeLocalArrayRunsEveryTime) {
  auto module = loadKernel("ptr addrspace(1) %out", R"(
  %local = alloca [500000 x i8]
  %t = call i32 @simt.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i8, ptr %local, i64 %i
  store volatile i8 7, ptr %p
  %v = load volatile i8, ptr %p
  store i8 %v, ptr addrspace(1) %out
  ret void)");
  int8_t out = 0;
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(errorOf(*module, {{1}, {4}}, {slot(&out)}), "");
  EXPECT_EQ(out, 7);
}

} // namespace
} // namespace heddle::test
