// Tests the SIMT IR interpreter against values derived by hand from CUDA's rules.
#include "simt_interpreter_fixture.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

namespace heddle::interpreter {
namespace {

// Indices, arithmetic, control flow, calls

TEST_F(SimtInterpreter, ThreadsHaveIndices) {
  launch.block = {3, 2, 1};
  launch.grid = {2, 1, 1};
  EXPECT_EQ(run(R"(
      %y = call i32 @simt.tid.y()
      %width = call i32 @simt.ntid.x()
      %row = mul i32 %y, %width
      %t = add i32 %row, %i
      %lane = call i32 @simt.laneid()
      %blocks = call i32 @simt.nctaid.x()
      %hundreds = mul i32 %blocks, 100
      %r = add i32 %hundreds, %lane
      %q = getelementptr i32, ptr addrspace(1) %out, i32 %t
      store i32 %r, ptr addrspace(1) %q
      ret void)"),
            (Values{200, 201, 202, 203, 204, 205}));
}

TEST_F(SimtInterpreter, PhisOfABlockChangeAtOnce) {
  EXPECT_EQ(run(R"(
      br label %loop
    loop:
      %a = phi i32 [ 1, %entry ], [ %b, %loop ]
      %b = phi i32 [ 2, %entry ], [ %a, %loop ]
      %n = phi i32 [ 0, %entry ], [ %next, %loop ]
      %next = add i32 %n, 1
      %more = icmp slt i32 %n, %i
      br i1 %more, label %loop, label %end
    end:
      store i32 %a, ptr addrspace(1) %p
      ret void)"),
            (Values{1, 2, 1, 2}));
}

TEST_F(SimtInterpreter, FunctionsCallThemselvesAndReturnStructures) {
  EXPECT_EQ(run(R"(
      %pair = call { i32, i32 } @factorial(i32 %i)
      %r = extractvalue { i32, i32 } %pair, 1
      store i32 %r, ptr addrspace(1) %p
      ret void)",
                R"(
    define internal { i32, i32 } @factorial(i32 %n) {
      %zero = icmp eq i32 %n, 0
      br i1 %zero, label %one, label %more
    one:
      ret { i32, i32 } { i32 0, i32 1 }
    more:
      %less = sub i32 %n, 1
      %before = call { i32, i32 } @factorial(i32 %less)
      %f = extractvalue { i32, i32 } %before, 1
      %product = mul i32 %f, %n
      %r = insertvalue { i32, i32 } %before, i32 %product, 1
      ret { i32, i32 } %r
    })"),
            (Values{1, 1, 2, 6}));
}

TEST_F(SimtInterpreter, EachCallHasItsOwnLocalMemory) {
  EXPECT_EQ(run(R"(
      %a = alloca [2 x i32]
      %second = getelementptr [2 x i32], ptr %a, i32 0, i32 1
      store i32 7, ptr %second
      %x = call i32 @fill(i32 %i)
      %y = load i32, ptr %second
      %r = add i32 %x, %y
      store i32 %r, ptr addrspace(1) %p
      ret void)",
                R"(
    define internal i32 @fill(i32 %n) {
      %a = alloca i32
      store i32 %n, ptr %a
      %r = load i32, ptr %a
      ret i32 %r
    })"),
            (Values{7, 8, 9, 10}));
}

TEST_F(SimtInterpreter, FloatsRoundToNearestEven) {
  EXPECT_EQ(run(R"(
      %x = uitofp i32 %i to float
      %big = fadd float %x, 16777216.0
      %r = call i32 @llvm.fptosi.sat.i32.f32(float %big)
      store i32 %r, ptr addrspace(1) %p
      ret void)",
                "declare i32 @llvm.fptosi.sat.i32.f32(float)\n"),
            (Values{16777216, 16777216, 16777218, 16777220}));
}

TEST_F(SimtInterpreter, ConversionsSaturate) {
  launch.block = {1, 1, 1};
  EXPECT_EQ(run(R"(
      %r = call i32 @llvm.fptosi.sat.i32.f64(double 1.0e20)
      store i32 %r, ptr addrspace(1) %p
      ret void)",
                "declare i32 @llvm.fptosi.sat.i32.f64(double)\n"),
            (Values{INT32_MAX}));
}

TEST_F(SimtInterpreter, DirectedRoundingIsExact) {
  launch.block = {2, 1, 1};
  EXPECT_EQ(run(R"(
      %down = call float @simt.math.div.rd.f32(float 1.0, float 3.0)
      %up = call float @simt.math.div.ru.f32(float 1.0, float 3.0)
      %second = icmp eq i32 %i, 1
      %x = select i1 %second, float %up, float %down
      %r = bitcast float %x to i32
      store i32 %r, ptr addrspace(1) %p
      ret void)",
                "declare float @simt.math.div.rd.f32(float, float)\n"
                "declare float @simt.math.div.ru.f32(float, float)\n"),
            (Values{0x3eaaaaaa, 0x3eaaaaab}));
}

// Memory

TEST_F(SimtInterpreter, ThreadsOfABlockShareMemoryAndBlocksDoNot) {
  launch.grid = {2, 1, 1};
  EXPECT_EQ(run(R"(
      %block = call i32 @simt.ctaid.x()
      %value = add i32 %i, %block
      %own = getelementptr [4 x i32], ptr addrspace(3) @s, i32 0, i32 %i
      store i32 %value, ptr addrspace(3) %own
      call void @simt.barrier(i32 0)
      %other = xor i32 %i, 3
      %its = getelementptr [4 x i32], ptr addrspace(3) @s, i32 0, i32 %other
      %r = load i32, ptr addrspace(3) %its
      %first = icmp eq i32 %block, 0
      br i1 %first, label %write, label %end
    write:
      store i32 %r, ptr addrspace(1) %p
      br label %end
    end:
      ret void)",
                "@s = internal addrspace(3) global [4 x i32] poison\n"),
            (Values{3, 2, 1, 0}));
}

TEST_F(SimtInterpreter, DynamicSharedMemoryHasTheLaunchsSize) {
  launch.block = {1, 1, 1};
  launch.dynamicSharedBytes = 8;
  const std::string body = R"(
      %s = call ptr addrspace(3) @simt.shared.dynamic()
      %bytes = call i64 @simt.shared.dynamic.size()
      %r = trunc i64 %bytes to i32
      %q = getelementptr i32, ptr addrspace(3) %s, i32 )";
  const std::string end =
      "\n store i32 %r, ptr addrspace(3) %q\n store i32 %r, ptr addrspace(1) %p\n ret void";
  EXPECT_EQ(run(body + "1" + end), Values{8});
  EXPECT_EQ(failureOf(body + "2" + end), FailureKind::Bounds);
}

TEST_F(SimtInterpreter, ModuleVariablesAreReadAndWritten) {
  launch.block = {1, 1, 1};
  variables["given"] = {5, 0, 0, 0};
  EXPECT_EQ(run(R"(
      %a = load i32, ptr addrspace(1) @given
      %b = load i32, ptr addrspace(4) @constant
      %c = load i32, ptr addrspace(1) @initial
      store i32 9, ptr addrspace(1) @initial
      %ab = add i32 %a, %b
      %r = add i32 %ab, %c
      store i32 %r, ptr addrspace(1) %p
      ret void)",
                "@given = addrspace(1) global i32 1\n@initial = addrspace(1) global i32 20\n"
                "@constant = internal addrspace(4) constant i32 300\n"),
            Values{325});
  EXPECT_EQ(variables["initial"], (Buffer{9, 0, 0, 0}));
}

TEST_F(SimtInterpreter, AnAccessOutsideItsBufferIsReportedAndSkipped) {
  EXPECT_EQ(failureOf(R"(
      %q = getelementptr i32, ptr addrspace(1) %p, i32 1
      store i32 1, ptr addrspace(1) %q
      ret void)"),
            FailureKind::Bounds);
  EXPECT_EQ(outcome.error->thread, (Extents{3, 0, 0}));
  EXPECT_EQ(outcome.error->failure.message, "write of 4 bytes at byte 16 of 16");
}

TEST_F(SimtInterpreter, AnIndexBelowTheBufferIsReported) {
  launch.block = {1, 1, 1};
  EXPECT_EQ(failureOf(R"(
      %q = getelementptr i32, ptr addrspace(1) %p, i32 -1
      %x = load i32, ptr addrspace(1) %q
      ret void)"),
            FailureKind::Bounds);
}

TEST_F(SimtInterpreter, LocalArraysHaveBounds) {
  EXPECT_EQ(failureOf(R"(
      %a = alloca [3 x i32]
      %q = getelementptr i32, ptr %a, i32 %i
      store i32 1, ptr %q
      ret void)"),
            FailureKind::Bounds);
}

TEST_F(SimtInterpreter, MemoryOfACallThatReturnedIsOutOfBounds) {
  EXPECT_EQ(failureOf(R"(
      %q = call ptr @own()
      store i32 1, ptr %q
      ret void)",
                      "define internal ptr @own() {\n %a = alloca i32\n ret ptr %a\n}\n"),
            FailureKind::Bounds);
}

TEST_F(SimtInterpreter, AMisalignedAccessIsReported) {
  EXPECT_EQ(failureOf(R"(
      %q = getelementptr i8, ptr addrspace(1) %out, i32 2
      store i32 1, ptr addrspace(1) %q, align 4
      ret void)"),
            FailureKind::Misaligned);
}

TEST_F(SimtInterpreter, APointerAccessesOnlyItsAddressSpace) {
  EXPECT_EQ(failureOf(R"(
      %a = addrspacecast ptr addrspace(1) %p to ptr
      %q = addrspacecast ptr %a to ptr addrspace(3)
      store i32 1, ptr addrspace(3) %q
      ret void)"),
            FailureKind::Space);
}

// Atomics: {after, before}

TEST_F(SimtInterpreter, AtomicsFollowPtx) {
  EXPECT_EQ(atomic("add", 5, 3), (Values{8, 5}));
  EXPECT_EQ(atomic("sub", 5, 3), (Values{2, 5}));
  EXPECT_EQ(atomic("exch", 5, 3), (Values{3, 5}));
  EXPECT_EQ(atomic("min", 5, -3), (Values{-3, 5}));
  EXPECT_EQ(atomic("max", 5, -3), (Values{5, 5}));
  EXPECT_EQ(atomic("umin", 5, -3), (Values{5, 5}));
  EXPECT_EQ(atomic("umax", 5, -3), (Values{-3, 5}));
  EXPECT_EQ(atomic("and", 6, 3), (Values{2, 6}));
  EXPECT_EQ(atomic("or", 6, 3), (Values{7, 6}));
  EXPECT_EQ(atomic("xor", 6, 3), (Values{5, 6}));
}

TEST_F(SimtInterpreter, CountersWrapAround) {
  EXPECT_EQ(atomic("inc", 2, 3), (Values{3, 2}));
  EXPECT_EQ(atomic("inc", 3, 3), (Values{0, 3}));
  EXPECT_EQ(atomic("dec", 2, 3), (Values{1, 2}));
  EXPECT_EQ(atomic("dec", 0, 3), (Values{3, 0}));
  EXPECT_EQ(atomic("dec", 4, 3), (Values{3, 4}));
}

TEST_F(SimtInterpreter, ComparedValuesAreExchangedWhenEqual) {
  buffers = {{5, 0, 0, 0}};
  launch.block = {2, 1, 1};
  EXPECT_EQ(run(R"(
      %old = call i32 @simt.atomic.cas.i32.p1(ptr addrspace(1) %out, i32 5, i32 6, i32 1)
      ret void)",
                "declare i32 @simt.atomic.cas.i32.p1(ptr addrspace(1), i32, i32, i32)\n"),
            Values{6});
}

TEST_F(SimtInterpreter, FloatAtomicsHandleNaNs) {
  const float nan = std::bit_cast<float>(0x7fc00000);
  auto after = [&](const std::string &name, float old, float value) {
    buffers = {Buffer(4)};
    std::memcpy(buffers[0].data(), &old, 4);
    launch.block = {1, 1, 1};
    std::string call = "@simt.atomic." + name + ".f32.p1";
    auto bits = std::to_string(std::bit_cast<int32_t>(value));
    int32_t result = run("%v = bitcast i32 " + bits + " to float\n %r = call float " + call +
                             "(ptr addrspace(1) %out, float %v, i32 1)\n ret void\n",
                         "declare float " + call + "(ptr addrspace(1), float, i32)\n")[0];
    return std::bit_cast<float>(result);
  };
  EXPECT_EQ(after("add", 1.5f, 2), 3.5f);
  EXPECT_EQ(after("min", 1.5f, nan), 1.5f);
  EXPECT_TRUE(std::isnan(after("min", nan, 1.5f)));
  EXPECT_EQ(after("nanmax", nan, 1.5f), 1.5f);
  EXPECT_EQ(after("nanmax", 2, 1.5f), 2.0f);
}

// Errors and output

TEST_F(SimtInterpreter, ATrapReportsSiteThreadAndBlock) {
  launch.grid = {2, 1, 1};
  EXPECT_EQ(failureOf(R"(
      %block = call i32 @simt.ctaid.x()
      %sum = add i32 %block, %i
      %bad = icmp eq i32 %sum, 4
      br i1 %bad, label %trap, label %end
    trap:
      call void @simt.trap.index(i32 2, i64 9, i64 8)
      unreachable
    end:
      ret void)"),
            FailureKind::Trap);
  EXPECT_EQ(outcome.error->site->line, 30u);
  EXPECT_EQ(outcome.error->thread, (Extents{3, 0, 0}));
  EXPECT_EQ(outcome.error->block, (Extents{1, 0, 0}));
  EXPECT_EQ(outcome.error->failure.index, 9);
  EXPECT_EQ(outcome.error->failure.extent, 8);
}

TEST_F(SimtInterpreter, PrintsFollowTheFormat) {
  launch.block = {1, 1, 1};
  run(R"(
      %v = alloca [2 x i64]
      store i64 -7, ptr %v
      %q = getelementptr i64, ptr %v, i32 1
      store double 2.5, ptr %q
      call void @simt.print(i32 2, ptr %v)
      ret void)");
  EXPECT_EQ(outcome.output, "-7 and  2.50%\n");
}

TEST_F(SimtInterpreter, AFalseAssumptionIsAnError) {
  EXPECT_EQ(failureOf(R"(
      %small = icmp slt i32 %i, 3
      call void @llvm.assume(i1 %small)
      ret void)",
                      "declare void @llvm.assume(i1)\n"),
            FailureKind::Undefined);
}

TEST_F(SimtInterpreter, RacesAreVisibleInSomeInterleaving) {
  std::set<Values> found;
  for (launch.seed = 0; launch.seed < 20; ++launch.seed) {
    buffers = {Buffer(4)};
    found.insert(run("store i32 %i, ptr addrspace(1) %out\n ret void"));
  }
  EXPECT_GT(found.size(), 1u);
}

TEST_F(SimtInterpreter, InterleavingIsDeterministicForASeed) {
  launch.seed = 3;
  auto once = [&] {
    buffers = {Buffer(4)};
    return run("store i32 %i, ptr addrspace(1) %out\n ret void");
  };
  EXPECT_EQ(once(), once());
}

} // namespace
} // namespace heddle::interpreter
