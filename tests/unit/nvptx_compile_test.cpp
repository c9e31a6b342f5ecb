// Compiles SIMT IR to PTX and checks the properties reported to the runtime. tests/ir checks the PTX itself.

#include "backend/nvptx/compile.h"

#include "backend/nvptx/operations/error_record.h"
#include "support/diagnostic.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <thread>

namespace heddle::nvptx {
namespace {

using namespace llvm;

constexpr Target hopper{90, 90};

Ptx compile(StringRef text, const CompileOptions &options = {}, const Target &target = hopper) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = parseAssemblyString(text, problem, context);
  if (!module) {
    ADD_FAILURE() << problem.getMessage().str() << " in line " << problem.getLineNo();
    return {};
  }
  return compileToPtx(*module, options, target);
}

/// The message of the CompileError that `f` throws; empty if it throws none.
template <typename F> std::string errorOf(F &&f) {
  try {
    f();
  } catch (const CompileError &e) {
    return e.what();
  }
  return "";
}

bool contains(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(NvptxTarget, TakesTheNewestPtxThatTheDriverReads) {
  EXPECT_EQ(targetFor({9, 0}, 13000).ptxVersion, 90u);
  EXPECT_EQ(targetFor({9, 0}, 12080).ptxVersion, 87u);
  EXPECT_EQ(targetFor({9, 0}, 12060).ptxVersion, 85u);
  EXPECT_EQ(targetFor({7, 5}, 10010).ptxVersion, 64u);
}

TEST(NvptxTarget, TakesTheDevicesOwnArchitecture) {
  for (std::pair<int, int> capability :
       {std::pair(7, 5), {8, 0}, {8, 6}, {8, 9}, {9, 0}, {10, 0}, {12, 0}})
    EXPECT_EQ(targetFor(capability, 13000).sm, unsigned(10 * capability.first + capability.second));
}

TEST(NvptxTarget, ANewerDeviceOrDriverGetsTheNewestThatBothKnow) {
  EXPECT_EQ(targetFor({13, 0}, 14000).sm, 121u);
  EXPECT_EQ(targetFor({13, 0}, 14000).ptxVersion, 90u);
  EXPECT_EQ(targetFor({12, 0}, 12060).sm, 90u);
  EXPECT_EQ(targetFor({9, 2}, 13000).sm, 90u);
}

TEST(NvptxTarget, WithoutADriverTheOldestPtxThatHasTheArchitecture) {
  EXPECT_EQ(targetFor({7, 5}).ptxVersion, 63u);
  EXPECT_EQ(targetFor({9, 0}).ptxVersion, 78u);
  EXPECT_EQ(targetFor({12, 0}).ptxVersion, 87u);
}

TEST(NvptxTarget, RefusesAGpuThatIsTooOld) {
  std::string error = errorOf([] { targetFor({7, 0}, 13000); });
  EXPECT_TRUE(contains(error, "compute capability 7.0; the oldest that heddle compiles for is 7.5"))
      << error;
}

TEST(NvptxTarget, RefusesADriverThatIsTooOld) {
  std::string error = errorOf([] { targetFor({7, 5}, 9020); });
  EXPECT_TRUE(contains(error, "CUDA 9.2; compiling for a GPU needs one for CUDA 10.0 or later"))
      << error;
}

TEST(NvptxTarget, RefusesPtxThatLacksTheArchitecture) {
  std::string error = errorOf([] { compile("", {}, {90, 70}); });
  EXPECT_TRUE(
      contains(error, "PTX ISA 7.0 does not support sm_90; the first version that does is 7.8"))
      << error;
  EXPECT_TRUE(contains(errorOf([] { compile("", {}, {77, 90}); }), "does not compile for sm_77"));
  EXPECT_TRUE(contains(errorOf([] { compile("", {}, {90, 79}); }), "does not write PTX ISA 7.9"));
}

constexpr const char *twoKernels = R"(
define void @first(ptr addrspace(1) %a) "simt.kernel" {
  store i32 1, ptr addrspace(1) %a
  ret void
}
define void @second(ptr addrspace(1) %a) "simt.kernel" {
  call void @helper(ptr addrspace(1) %a)
  ret void
}
define internal void @helper(ptr addrspace(1) %a) {
  call void @simt.grid.barrier(i32 0)
  store i32 2, ptr addrspace(1) %a
  ret void
}
define i32 @offered(i32 %x) "simt.export" {
  %y = add i32 %x, 1
  ret i32 %y
}
declare void @simt.grid.barrier(i32) convergent
!simt.sites = !{!0}
!0 = !{!"barrier", !"", !"second", !"k.py", i32 7, i32 8}
)";

TEST(NvptxCompile, ListsKernelsByTheirNames) {
  Ptx ptx = compile(twoKernels);
  ASSERT_EQ(ptx.kernels.size(), 2u);
  EXPECT_EQ(ptx.kernels[0].name, "first");
  EXPECT_EQ(ptx.kernels[1].name, "second");
  EXPECT_TRUE(contains(ptx.text, ".visible .entry first("));
  EXPECT_TRUE(contains(ptx.text, ".visible .func  (.param .b32 func_retval0) offered("));
  EXPECT_FALSE(contains(ptx.text, "helper("));
  EXPECT_TRUE(contains(ptx.text, ".version 9.0\n.target sm_90\n"));
}

TEST(NvptxCompile, AKernelThatWaitsForTheGridIsCooperative) {
  Ptx ptx = compile(twoKernels);
  EXPECT_FALSE(ptx.kernels[0].cooperative);
  EXPECT_TRUE(ptx.kernels[1].cooperative);
}

TEST(NvptxCompile, OnlyAModuleThatTrapsReportsErrors) {
  EXPECT_FALSE(compile(twoKernels).reportsErrors);
  Ptx ptx = compile(R"(
define void @k(i32 %x) "simt.kernel" {
  %zero = icmp eq i32 %x, 0
  br i1 %zero, label %stop, label %go
stop:
  call void @simt.trap(i32 0)
  unreachable
go:
  ret void
}
declare void @simt.trap(i32) noreturn
!simt.sites = !{!0}
!0 = !{!"ValueError", !"zero", !"k", !"k.py", i32 7, i32 8}
)");
  EXPECT_TRUE(ptx.reportsErrors);
  EXPECT_TRUE(contains(ptx.text, std::string(".visible .global .align 16 .b8 ") + errorChannelName +
                                     "[24];"));
}

constexpr const char *scale = R"(
define void @scale(ptr addrspace(1) noalias align 16 %a, i64 range(i64 0, 2147483648) %n) "simt.kernel" {
entry:
  %ntid = call i32 @simt.ntid.x()
  %d = zext nneg i32 %ntid to i64
  %ctaid = call i32 @simt.ctaid.x()
  %c = zext nneg i32 %ctaid to i64
  %m = mul nuw nsw i64 %c, %d
  %tid = call i32 @simt.tid.x()
  %t = zext nneg i32 %tid to i64
  %i = add nuw nsw i64 %m, %t
  %in = icmp slt i64 %i, %n
  br i1 %in, label %body, label %exit
body:
  %p = getelementptr inbounds float, ptr addrspace(1) %a, i64 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %s = fmul float %v, 2.0
  store float %s, ptr addrspace(1) %p, align 4
  br label %exit
exit:
  ret void
}
declare range(i32 0, 1024) i32 @simt.tid.x() nounwind willreturn memory(none)
declare range(i32 0, 2147483647) i32 @simt.ctaid.x() nounwind willreturn memory(none)
declare range(i32 1, 1025) i32 @simt.ntid.x() nounwind willreturn memory(none)
)";

TEST(NvptxCompile, ACoarsenedFormBelongsToItsKernel) {
  Ptx ptx = compile(scale);
  ASSERT_EQ(ptx.kernels.size(), 1u);
  EXPECT_EQ(ptx.kernels[0].coarsening, 4u);
  EXPECT_FALSE(ptx.kernels[0].coarsened.empty());
  EXPECT_TRUE(contains(ptx.text, ".v4.b32"));
  ASSERT_EQ(ptx.remarks.size(), 1u);
  EXPECT_TRUE(contains(ptx.remarks[0], "4 threads")) << ptx.remarks[0];
  // The runtime finds it by this name.
  EXPECT_TRUE(contains(ptx.text, ".visible .entry " + ptx.kernels[0].coarsened + "("));
}

TEST(NvptxCompile, WithoutOptimizationThereIsNoCoarsenedForm) {
  CompileOptions options;
  options.optimize = false;
  Ptx ptx = compile(scale, options);
  ASSERT_EQ(ptx.kernels.size(), 1u);
  EXPECT_EQ(ptx.kernels[0].coarsening, 1u);
}

TEST(NvptxCompile, IsTheSameEveryTime) { EXPECT_EQ(compile(scale).text, compile(scale).text); }

TEST(NvptxCompile, CompilesOnSeveralThreadsAtOnce) {
  std::string expected = compile(scale).text;
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::string &text : texts)
    threads.emplace_back([&text] { text = compile(scale).text; });
  for (std::thread &t : threads)
    t.join();
  for (const std::string &text : texts)
    EXPECT_EQ(text, expected);
}

TEST(NvptxCompile, RefusesMoreParametersThanTheTargetTakes) {
  std::string parameters;
  for (int i = 0; i < 600; ++i)
    parameters += (i ? ", i64 %p" : "i64 %p") + std::to_string(i);
  std::string text = "define void @k(" + parameters + ") \"simt.kernel\" {\n  ret void\n}\n";
  std::string error = errorOf([&] { compile(text, {}, {75, 63}); });
  EXPECT_TRUE(contains(error, "kernel 'k' needs 4804 bytes of parameters; the limit is 4352"))
      << error;
  EXPECT_EQ(errorOf([&] { compile(text, {}, {90, 90}); }), "");
}

TEST(NvptxCompile, RefusesTooManyConstants) {
  std::string error = errorOf([] {
    compile(R"(
@table = internal addrspace(4) constant [65537 x i8] zeroinitializer
define void @k(ptr addrspace(1) %o, i32 %i) "simt.kernel" {
  %p = getelementptr i8, ptr addrspace(4) @table, i32 %i
  %v = load i8, ptr addrspace(4) %p
  store i8 %v, ptr addrspace(1) %o
  ret void
}
)");
  });
  EXPECT_TRUE(contains(error, "take 65537 bytes; the limit is 65536")) << error;
}

TEST(NvptxCompile, RejectsInvalidSimtIr) {
  std::string error = errorOf([] {
    compile(R"(
define void @k(ptr %p) "simt.kernel" {
  ret void
}
)");
  });
  EXPECT_TRUE(contains(error, "not SIMT IR")) << error;
}

} // namespace
} // namespace heddle::nvptx
