// Compiles SIMT IR for this host and runs it with a minimal runtime: one block, threads in order.

#include "backend/cpu/compile.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/runtime_symbols.h"
#include "codegen/host_code.h"
#include "runtime/cpu/code/vector_library.h"
#include "support/diagnostic.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <csetjmp>
#include <cstring>
#include <limits>
#include <numeric>

namespace heddle::cpu {
namespace {

using namespace llvm;

/// The runtime behind BlockContext::runtime in these tests: frames, and the jump target for a stopped block.
struct Host {
  std::vector<std::unique_ptr<char[]>> frames;
  jmp_buf stopped;
  bool overflow = false;
  uint32_t site = 0;
  int64_t index = 0;
  int64_t extent = 0;
};

Host &hostOf(BlockContext *context) { return *static_cast<Host *>(context->runtime); }

void *allocateFrame(BlockContext *context, uint64_t bytes, uint64_t alignment) {
  auto &frames = hostOf(context).frames;
  frames.push_back(std::make_unique<char[]>(bytes + alignment));
  auto address = reinterpret_cast<uintptr_t>(frames.back().get());
  return reinterpret_cast<void *>((address + alignment - 1) / alignment * alignment);
}

void trap(BlockContext *context, uint32_t site, int64_t index, int64_t extent) {
  Host &host = hostOf(context);
  host.site = site;
  host.index = index;
  host.extent = extent;
  longjmp(host.stopped, 1);
}

void trapThread(BlockContext *context, uint32_t x, uint32_t y, uint32_t z, uint32_t, uint32_t,
                uint32_t, uint32_t, uint32_t site, int64_t index, int64_t extent) {
  std::copy_n(std::array{x, y, z}.data(), 3, context->thread);
  trap(context, site, index, extent);
}

void stackOverflow(BlockContext *context) {
  hostOf(context).overflow = true;
  longjmp(hostOf(context).stopped, 1);
}

void nanosleep(BlockContext *, uint32_t) {}

const RuntimeEntryPoints entryPoints{.allocateFrame = allocateFrame,
                                     .trap = trap,
                                     .trapThread = trapThread,
                                     .stackOverflow = stackOverflow,
                                     .nanosleep = nanosleep};

/// A loaded object and the state of the block that it runs.
class Loaded {
public:
  explicit Loaded(StringRef text, CompileOptions options = {.width = 1}) {
    SMDiagnostic problem;
    std::unique_ptr<llvm::Module> module = parseAssemblyString(text, problem, llvmContext);
    if (!module) {
      ADD_FAILURE() << problem.getMessage().str() << " in line " << problem.getLineNo();
      return;
    }
    std::unique_ptr<MemoryBuffer> object = compileToObject(*module, options).file;
    jit = cantFail(orc::LLJITBuilder().create());
    orc::SymbolMap symbols;
    for (const RuntimeSymbol &s : runtimeSymbols)
      symbols[jit->mangleAndIntern(s.name)] = {orc::ExecutorAddr::fromPtr(s.address(entryPoints)),
                                               JITSymbolFlags::Exported};
    orc::JITDylib &library = jit->getMainJITDylib();
    cantFail(library.define(orc::absoluteSymbols(symbols)));
    library.addGenerator(cantFail(orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        jit->getDataLayout().getGlobalPrefix())));
    library.addGenerator(std::make_unique<VectorLibrary>());
    cantFail(jit->addObjectFile(std::move(object)));
    context.runtime = &host;
    context.shared = shared;
    auto here = reinterpret_cast<uintptr_t>(&symbols);
    context.stackLimit = reinterpret_cast<char *>(here - 256 * 1024);
  }

  const KernelEntry &entry(StringRef kernel) {
    return *cantFail(jit->lookup((kernel + ".entry").str())).toPtr<KernelEntry *>();
  }

  /// Runs a grid of blocks. Returns false if a block was stopped.
  bool run(StringRef kernel, std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
           std::vector<uint64_t> arguments) {
    const KernelEntry &e = entry(kernel);
    std::copy(block.begin(), block.end(), context.blockDim);
    std::copy(grid.begin(), grid.end(), context.gridDim);
    if (setjmp(host.stopped))
      return false;
    for (context.block[2] = 0; context.block[2] < grid[2]; ++context.block[2])
      for (context.block[1] = 0; context.block[1] < grid[1]; ++context.block[1])
        for (context.block[0] = 0; context.block[0] < grid[0]; ++context.block[0])
          e.block ? e.block(&context, arguments.data()) : runThreads(e, arguments.data());
    return true;
  }

  BlockContext context{};
  Host host;
  std::vector<uint32_t> barrierSites;

private:
  void runThreads(const KernelEntry &e, const uint64_t *arguments) {
    std::vector<Waiting> threads;
    for (uint32_t z = 0; z < context.blockDim[2]; ++z)
      for (uint32_t y = 0; y < context.blockDim[1]; ++y)
        for (uint32_t x = 0; x < context.blockDim[0]; ++x)
          threads.push_back({e.thread(&context, arguments, x, y, z), 0, 0});
    std::erase_if(threads, [](const Waiting &w) { return !*static_cast<void **>(w.frame); });
    while (!threads.empty()) {
      barrierSites.push_back(context.barrierSite);
      context.barrierArrivedResult = std::exchange(context.barrierArrived, 0);
      context.barrierTrueResult = std::exchange(context.barrierTrue, 0);
      threads.resize(e.resume(&context, threads.data(), threads.size()));
    }
    host.frames.clear();
  }

  LLVMContext llvmContext;
  std::unique_ptr<orc::LLJIT> jit;
  alignas(64) char shared[49152];
};

uint64_t slot(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

constexpr const char *vectorAdd = R"(
define void @add(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c, i32 %n) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %d = call i32 @simt.ntid.x()
  %g = call i32 @simt.ctaid.x()
  %m = mul i32 %d, %g
  %i = add i32 %m, %t
  %in = icmp slt i32 %i, %n
  br i1 %in, label %work, label %done
work:
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %i
  %pb = getelementptr float, ptr addrspace(1) %b, i32 %i
  %pc = getelementptr float, ptr addrspace(1) %c, i32 %i
  %x = load float, ptr addrspace(1) %pa
  %y = load float, ptr addrspace(1) %pb
  %s = fadd float %x, %y
  store float %s, ptr addrspace(1) %pc
  br label %done
done:
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.ntid.x()
declare i32 @simt.ctaid.x()
)";

TEST(CpuCompile, RunsAKernelWithoutBarriersAsLoopsOverThreads) {
  Loaded k(vectorAdd);
  std::vector<float> a(1000), b(1000), c(1024, -1);
  std::iota(a.begin(), a.end(), 0.f);
  std::iota(b.begin(), b.end(), 5.f);
  ASSERT_TRUE(k.run("add", {4, 1, 1}, {256, 1, 1}, {slot(&a[0]), slot(&b[0]), slot(&c[0]), 1000}));
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(c[i], 2 * i + 5);
  EXPECT_EQ(c[1000], -1);
}

TEST(CpuCompile, DescribesAKernelInItsEntry) {
  Loaded k(vectorAdd);
  const KernelEntry &e = k.entry("add");
  EXPECT_EQ(e.version, abiVersion);
  EXPECT_NE(e.block, nullptr);
  EXPECT_EQ(e.thread, nullptr);
  EXPECT_EQ(e.staticSharedBytes, 0u);
  EXPECT_EQ(e.needsDeepStack, 0u);
}

TEST(CpuCompile, CompilesWithoutOptimization) {
  CompileOptions options{.width = 1};
  options.optimize = false;
  Loaded k(vectorAdd, options);
  std::vector<float> a(8, 1), b(8, 2), c(8);
  ASSERT_TRUE(k.run("add", {1, 1, 1}, {8, 1, 1}, {slot(&a[0]), slot(&b[0]), slot(&c[0]), 8}));
  EXPECT_EQ(c, std::vector<float>(8, 3));
}

// Reverses each block through shared memory, then counts the threads with odd values.
constexpr const char *reverse = R"(
@tile = internal addrspace(3) global [64 x i32] poison
define void @reverse(ptr addrspace(1) %a, ptr addrspace(1) %count) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %n = call i32 @simt.ntid.x()
  %pa = getelementptr i32, ptr addrspace(1) %a, i32 %t
  %x = load i32, ptr addrspace(1) %pa
  %ps = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  store i32 %x, ptr addrspace(3) %ps
  call void @simt.barrier(i32 0)
  %last = sub i32 %n, 1
  %from = sub i32 %last, %t
  %pf = getelementptr i32, ptr addrspace(3) @tile, i32 %from
  %y = load i32, ptr addrspace(3) %pf
  store i32 %y, ptr addrspace(1) %pa
  %odd = trunc i32 %y to i1
  %c = call i32 @simt.barrier.count(i32 1, i1 %odd)
  %pc = getelementptr i32, ptr addrspace(1) %count, i32 %t
  store i32 %c, ptr addrspace(1) %pc
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.ntid.x()
declare void @simt.barrier(i32) convergent
declare i32 @simt.barrier.count(i32, i1) convergent
!simt.sites = !{!0, !1}
!0 = !{!"barrier", !"", !"reverse", !"k.py", i32 7, i32 8}
!1 = !{!"barrier", !"", !"reverse", !"k.py", i32 9, i32 8}
)";

TEST(CpuCompile, RunsAKernelWithTwoBarriersAsCoroutines) {
  Loaded k(reverse);
  EXPECT_EQ(k.entry("reverse").staticSharedBytes, 256u);
  EXPECT_EQ(k.entry("reverse").block, nullptr);
  std::vector<int32_t> a(50), count(50), expected(50);
  std::iota(a.begin(), a.end(), 0);
  std::iota(expected.rbegin(), expected.rend(), 0);
  ASSERT_TRUE(k.run("reverse", {1, 1, 1}, {50, 1, 1}, {slot(&a[0]), slot(&count[0])}));
  EXPECT_EQ(a, expected);
  EXPECT_EQ(count, std::vector<int32_t>(50, 25));
  EXPECT_EQ(k.barrierSites, (std::vector<uint32_t>{0, 1}));
}

TEST(CpuCompile, RunsBarriersWithoutOptimization) {
  CompileOptions options{.width = 1};
  options.optimize = false;
  Loaded k(reverse, options);
  std::vector<int32_t> a{1, 2, 3}, count(3);
  ASSERT_TRUE(k.run("reverse", {1, 1, 1}, {3, 1, 1}, {slot(&a[0]), slot(&count[0])}));
  EXPECT_EQ(a, (std::vector<int32_t>{3, 2, 1}));
}

TEST(CpuCompile, KeepsBarriersInLoopsWithARunTimeTripCount) {
  // In each iteration every thread adds its right neighbor's value from before the iteration.
  Loaded k(R"(
@v = internal addrspace(3) global [32 x i64] poison
define void @rounds(ptr addrspace(1) %a, i64 %n) "simt.kernel" {
entry:
  %t = call i32 @simt.tid.x()
  %d = call i32 @simt.ntid.x()
  %pa = getelementptr i64, ptr addrspace(1) %a, i32 %t
  %x = load i64, ptr addrspace(1) %pa
  %ps = getelementptr i64, ptr addrspace(3) @v, i32 %t
  store i64 %x, ptr addrspace(3) %ps
  %t1 = add i32 %t, 1
  %wrap = icmp eq i32 %t1, %d
  %r = select i1 %wrap, i32 0, i32 %t1
  %pr = getelementptr i64, ptr addrspace(3) @v, i32 %r
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i1, %body ]
  %s = phi i64 [ %x, %entry ], [ %s1, %body ]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %done
body:
  call void @simt.barrier(i32 0)
  %y = load i64, ptr addrspace(3) %pr
  call void @simt.barrier(i32 0)
  %s1 = add i64 %s, %y
  store i64 %s1, ptr addrspace(3) %ps
  %i1 = add i64 %i, 1
  br label %head
done:
  store i64 %s, ptr addrspace(1) %pa
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.ntid.x()
declare void @simt.barrier(i32) convergent
!simt.sites = !{!0}
!0 = !{!"barrier", !"", !"rounds", !"k.py", i32 7, i32 8}
)");
  std::vector<int64_t> a(32), expected(32), next(32);
  std::iota(a.begin(), a.end(), 1);
  expected = a;
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 32; ++i)
      next[i] = expected[i] + expected[(i + 1) % 32];
    expected = next;
  }
  ASSERT_TRUE(k.run("rounds", {1, 1, 1}, {32, 1, 1}, {slot(&a[0]), 5}));
  EXPECT_EQ(a, expected);
}

TEST(CpuCompile, CountsEveryThreadOfThreeDimensions) {
  Loaded k(R"(
define void @number(ptr addrspace(1) %out) "simt.kernel" {
  %x = call i32 @simt.tid.x()
  %y = call i32 @simt.tid.y()
  %z = call i32 @simt.tid.z()
  %nx = call i32 @simt.ntid.x()
  %ny = call i32 @simt.ntid.y()
  %lane = call i32 @simt.laneid()
  %zy = mul i32 %z, %ny
  %row = add i32 %zy, %y
  %rows = mul i32 %row, %nx
  %i = add i32 %rows, %x
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %lane, ptr addrspace(1) %p
  ret void
}
declare i32 @simt.tid.x()
declare i32 @simt.tid.y()
declare i32 @simt.tid.z()
declare i32 @simt.ntid.x()
declare i32 @simt.ntid.y()
declare i32 @simt.laneid()
)");
  std::vector<int32_t> out(5 * 4 * 3, -1);
  ASSERT_TRUE(k.run("number", {1, 1, 1}, {5, 4, 3}, {slot(&out[0])}));
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(out[i], i % 32);
}

TEST(CpuCompile, AtomicMinimumLeavesANaNInMemoryAndIgnoresANaNValue) {
  Loaded k(R"(
define void @k(ptr addrspace(1) %p, float %v) "simt.kernel" {
  %old = call float @simt.atomic.min.f32.p1(ptr addrspace(1) %p, float %v, i32 1)
  ret void
}
declare float @simt.atomic.min.f32.p1(ptr addrspace(1), float, i32)
)");
  auto after = [&](float memory, float value) {
    EXPECT_TRUE(k.run("k", {1, 1, 1}, {1, 1, 1}, {slot(&memory), std::bit_cast<uint32_t>(value)}));
    return memory;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(after(3, 2), 2);
  EXPECT_EQ(after(2, 3), 2);
  EXPECT_EQ(after(2, nan), 2);
  EXPECT_TRUE(std::isnan(after(nan, 2)));
}

TEST(CpuCompile, AtomicsOnSharedMemoryAddUp) {
  Loaded k(R"(
@sum = internal addrspace(3) global i32 poison
define void @k(ptr addrspace(1) %p) "simt.kernel" {
  store i32 0, ptr addrspace(3) @sum
  call void @simt.barrier(i32 0)
  %old = call i32 @simt.atomic.add.i32.p3(ptr addrspace(3) @sum, i32 3, i32 1)
  call void @simt.barrier(i32 0)
  %v = load i32, ptr addrspace(3) @sum
  store i32 %v, ptr addrspace(1) %p
  ret void
}
declare i32 @simt.atomic.add.i32.p3(ptr addrspace(3), i32, i32)
declare void @simt.barrier(i32) convergent
!simt.sites = !{!0}
!0 = !{!"barrier", !"", !"k", !"k.py", i32 7, i32 8}
)");
  int32_t sum = -1;
  ASSERT_TRUE(k.run("k", {1, 1, 1}, {100, 1, 1}, {slot(&sum)}));
  EXPECT_EQ(sum, 300);
}

TEST(CpuCompile, CallsLibrariesForMath) {
  Loaded k(R"(
define void @k(ptr addrspace(1) %p, double %x) "simt.kernel" {
  %s = call double @simt.math.sin.f64(double %x)
  store double %s, ptr addrspace(1) %p
  %p1 = getelementptr double, ptr addrspace(1) %p, i32 1
  %g = call double @simt.math.lgamma.f64(double %x)
  store double %g, ptr addrspace(1) %p1
  %p2 = getelementptr double, ptr addrspace(1) %p, i32 2
  %f = call double @simt.math.frexp.fraction.f64(double %x)
  store double %f, ptr addrspace(1) %p2
  %e = call i32 @simt.math.frexp.exponent.f64(double %x)
  %ef = sitofp i32 %e to double
  %p3 = getelementptr double, ptr addrspace(1) %p, i32 3
  store double %ef, ptr addrspace(1) %p3
  %l = call double @simt.math.ldexp.f64(double %x, i32 3)
  %p4 = getelementptr double, ptr addrspace(1) %p, i32 4
  store double %l, ptr addrspace(1) %p4
  ret void
}
declare double @simt.math.sin.f64(double)
declare double @simt.math.lgamma.f64(double)
declare double @simt.math.frexp.fraction.f64(double)
declare i32 @simt.math.frexp.exponent.f64(double)
declare double @simt.math.ldexp.f64(double, i32)
)");
  double out[5];
  ASSERT_TRUE(k.run("k", {1, 1, 1}, {1, 1, 1}, {slot(out), std::bit_cast<uint64_t>(10.5)}));
  EXPECT_DOUBLE_EQ(out[0], std::sin(10.5));
  EXPECT_DOUBLE_EQ(out[1], std::lgamma(10.5));
  EXPECT_EQ(out[2], 10.5 / 16);
  EXPECT_EQ(out[3], 4);
  EXPECT_EQ(out[4], 84);
}

TEST(CpuCompile, ATrapNamesSiteIndexExtentAndThread) {
  Loaded k(R"(
define void @k() "simt.kernel" {
  %t = call i32 @simt.tid.y()
  %hit = icmp eq i32 %t, 2
  br i1 %hit, label %stop, label %go
stop:
  call void @simt.trap.index(i32 1, i64 -7, i64 5)
  unreachable
go:
  ret void
}
declare i32 @simt.tid.y()
declare void @simt.trap.index(i32, i64, i64) noreturn
!simt.sites = !{!0, !1}
!0 = !{!"barrier", !"", !"k", !"k.py", i32 7, i32 8}
!1 = !{!"IndexError", !"{index} of {extent}", !"k", !"k.py", i32 7, i32 8}
)");
  EXPECT_FALSE(k.run("k", {1, 1, 1}, {2, 4, 1}, {}));
  EXPECT_EQ(k.host.site, 1u);
  EXPECT_EQ(k.host.index, -7);
  EXPECT_EQ(k.host.extent, 5);
  EXPECT_EQ(k.context.thread[0], 0u);
  EXPECT_EQ(k.context.thread[1], 2u);
}

constexpr const char *recursive = R"(
define internal i64 @fib(i64 %n) {
  %base = icmp slt i64 %n, 2
  br i1 %base, label %one, label %more
one:
  ret i64 %n
more:
  %n1 = sub i64 %n, 1
  %n2 = sub i64 %n, 2
  %a = call i64 @fib(i64 %n1)
  %b = call i64 @fib(i64 %n2)
  %s = add i64 %a, %b
  ret i64 %s
}
define internal i64 @forever(i64 %n) {
  %m = add i64 %n, 1
  %r = call i64 @forever(i64 %m)
  ret i64 %r
}
define void @k(ptr addrspace(1) %out, i64 %n) "simt.kernel" {
  %r = call i64 @fib(i64 %n)
  store i64 %r, ptr addrspace(1) %out
  ret void
}
define void @endless(ptr addrspace(1) %out) "simt.kernel" {
  %r = call i64 @forever(i64 0)
  store i64 %r, ptr addrspace(1) %out
  ret void
}
)";

TEST(CpuCompile, DeviceFunctionsMayRecurse) {
  Loaded k(recursive);
  EXPECT_EQ(k.entry("k").needsDeepStack, 1u);
  int64_t out = 0;
  ASSERT_TRUE(k.run("k", {1, 1, 1}, {1, 1, 1}, {slot(&out), 20}));
  EXPECT_EQ(out, 6765);
}

TEST(CpuCompile, EndlessRecursionStopsTheBlock) {
  Loaded k(recursive);
  int64_t out = 0;
  EXPECT_FALSE(k.run("endless", {1, 1, 1}, {1, 1, 1}, {slot(&out)}));
  EXPECT_TRUE(k.host.overflow);
}

TEST(CpuCompile, SmallParametersUseTheLowBytesOfTheirSlots) {
  Loaded k(R"(
define void @k(i8 %a, ptr addrspace(1) %out, i16 %b, float %c) "simt.kernel" {
  %a32 = zext i8 %a to i32
  %b32 = sext i16 %b to i32
  %c32 = call i32 @llvm.fptosi.sat.i32.f32(float %c)
  %ab = add i32 %a32, %b32
  %s = add i32 %ab, %c32
  store i32 %s, ptr addrspace(1) %out
  ret void
}
declare i32 @llvm.fptosi.sat.i32.f32(float)
)");
  int32_t out = 0;
  ASSERT_TRUE(k.run("k", {1, 1, 1}, {1, 1, 1},
                    {0xffffffffffffff05, slot(&out), 0xdeadffff, std::bit_cast<uint32_t>(40.f)}));
  EXPECT_EQ(out, 5 - 1 + 40);
}

TEST(CpuCompile, LocalArraysKeepTheirValuesAcrossABarrier) {
  Loaded k(R"(
define void @k(ptr addrspace(1) %out, i32 %j) "simt.kernel" {
  %local = alloca [16 x i32]
  %t = call i32 @simt.tid.x()
  %p = getelementptr i32, ptr %local, i32 %j
  store i32 %t, ptr %p
  call void @simt.barrier(i32 0)
  %v = load i32, ptr %p
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %o
  ret void
}
declare i32 @simt.tid.x()
declare void @simt.barrier(i32) convergent
!simt.sites = !{!0}
!0 = !{!"barrier", !"", !"k", !"k.py", i32 7, i32 8}
)");
  std::vector<int32_t> out(20), expected(20);
  std::iota(expected.begin(), expected.end(), 0);
  ASSERT_TRUE(k.run("k", {1, 1, 1}, {20, 1, 1}, {slot(&out[0]), 7}));
  EXPECT_EQ(out, expected);
  EXPECT_EQ(k.entry("k").localBytes, 64u);
}

TEST(CpuCompile, UserFunctionsMayHaveNamesOfLibmFunctions) {
  Loaded k(R"(
@cosf = internal addrspace(4) constant float 4.0
define void @sinf(ptr addrspace(1) %out) "simt.kernel" {
  %a = call float @powf(float 3.0, float 2.0)
  %b = call float @simt.math.sin.f32(float 0.0)
  %c = call float @simt.math.cos.f32(float 0.0)
  %d = call float @simt.math.pow.f32(float %c, float 2.5)
  %e = load float, ptr addrspace(4) @cosf
  %ab = fadd float %a, %b
  %abd = fadd float %ab, %d
  %s = fadd float %abd, %e
  store float %s, ptr addrspace(1) %out
  ret void
}
define internal float @powf(float %x, float %y) {
  %r = fsub float %x, %y
  ret float %r
}
declare float @simt.math.sin.f32(float)
declare float @simt.math.cos.f32(float)
declare float @simt.math.pow.f32(float, float)
)");
  float out = 0;
  ASSERT_TRUE(k.run("sinf", {1, 1, 1}, {1, 1, 1}, {slot(&out)}));
  EXPECT_EQ(out, 1 + 0 + 1 + 4);
}

std::string compileError(StringRef text) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = parseAssemblyString(text, problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  try {
    compileToObject(*module, {});
  } catch (const CompileError &e) {
    return e.what();
  }
  return "";
}

TEST(CpuCompile, RefusesABarrierInARecursiveFunction) {
  std::string error = compileError(R"(
define internal void @down(i32 %n) {
  %go = icmp sgt i32 %n, 0
  br i1 %go, label %more, label %done
more:
  call void @simt.barrier(i32 0)
  %m = sub i32 %n, 1
  call void @down(i32 %m)
  ret void
done:
  ret void
}
define void @k() "simt.kernel" {
  call void @down(i32 3)
  ret void
}
declare void @simt.barrier(i32) convergent
!simt.sites = !{!0}
!0 = !{!"barrier", !"", !"k", !"k.py", i32 7, i32 8}
)");
  EXPECT_NE(error.find("'down' calls itself and can reach a barrier"), std::string::npos) << error;
}

TEST(CpuCompile, RefusesMoreLocalMemoryThanAGpuThreadHas) {
  std::string error = compileError(R"(
define void @k(ptr addrspace(1) %out, i32 %i) "simt.kernel" {
  %a = alloca [131073 x float]
  %p = getelementptr float, ptr %a, i32 %i
  store float 1.0, ptr %p
  ret void
}
)");
  EXPECT_NE(error.find("'k' needs 524292 bytes of local memory per thread; the limit is 524288"),
            std::string::npos)
      << error;
}

/// On processors with IFMA instructions, LLVM 22 crashes on this product if it may use them, as for Intel's processors.
TEST(CpuCompile, MultipliesNarrowIntegersInVectorsThatPreferHalfRegisters) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(R"(
define <8 x i64> @product(i32 %x, <8 x i8> %y) "min-legal-vector-width"="0" "tune-cpu"="icelake-server" {
  %wide = zext i32 %x to i64
  %scaled = mul i64 %wide, 5
  %left = insertelement <8 x i64> zeroinitializer, i64 %scaled, i64 0
  %right = zext <8 x i8> %y to <8 x i64>
  %product = mul <8 x i64> %left, %right
  ret <8 x i64> %product
}
)",
                                                       diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  auto prepare = [&](TargetMachine &target) { setTarget(*module, target); };
  EXPECT_GT(generateHostObject(*module, /*optimize=*/true, prepare)->getBufferSize(), 0);
}

} // namespace
} // namespace heddle::cpu
