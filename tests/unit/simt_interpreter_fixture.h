// SIMT IR kernels for tests of the interpreter.
#pragma once

#include "simt/ir/verifier.h"
#include "simt_interpreter/interpret.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <cstring>

namespace heddle::interpreter {

/// A kernel `k(ptr addrspace(1) %out)` with a body from the test. %i is the thread's linear index in its block, x
/// fastest, and %p the address of its element in `out`, which has an i32 for each thread of the block.
struct SimtInterpreter : testing::Test {
  llvm::LLVMContext context;
  Launch launch{.block = {4, 1, 1}, .arguments = {{.buffer = 0}}};
  std::vector<Buffer> buffers;
  std::map<std::string, Buffer> variables;
  Outcome outcome;

  static constexpr const char *begin = R"(
    define void @k(ptr addrspace(1) %out) "simt.kernel" {
    entry:
      %i = call i32 @simt.tid.x()
      %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  )";
  static constexpr const char *declarations = R"(
    declare i32 @simt.tid.x()
    declare i32 @simt.tid.y()
    declare i32 @simt.ctaid.x()
    declare i32 @simt.ntid.x()
    declare i32 @simt.nctaid.x()
    declare i32 @simt.laneid()
    declare void @simt.barrier(i32) convergent
    declare i32 @simt.barrier.count(i32, i1) convergent
    declare i32 @simt.barrier.and(i32, i1) convergent
    declare i32 @simt.barrier.or(i32, i1) convergent
    declare void @simt.named.barrier(i32, i32, i32) convergent
    declare void @simt.named.barrier.arrive(i32, i32, i32) convergent
    declare void @simt.grid.barrier(i32) convergent
    declare void @simt.yield() convergent
    declare void @simt.warp.barrier(i32, i32) convergent
    declare i32 @simt.warp.active(i32) convergent
    declare i32 @simt.warp.ballot(i32, i32, i1) convergent
    declare i1 @simt.warp.all(i32, i32, i1) convergent
    declare i1 @simt.warp.any(i32, i32, i1) convergent
    declare i1 @simt.warp.equal(i32, i32, i1) convergent
    declare ptr addrspace(3) @simt.shared.dynamic()
    declare i64 @simt.shared.dynamic.size()
    declare void @simt.trap(i32)
    declare void @simt.trap.index(i32, i64, i64)
    declare void @simt.print(i32, ptr)
    !simt.sites = !{!0, !1, !2}
    !0 = !{!"barrier", !"", !"k", !"k.py", i32 10, i32 1}
    !1 = !{!"barrier", !"", !"k", !"k.py", i32 20, i32 1}
    !2 = !{!"IndexError", !"%d and %5.2f%%\0A", !"k", !"k.py", i32 30, i32 4}
  )";

  /// Runs a whole module on `out`, which has an i32 for each thread of the block, initially -1.
  std::vector<int32_t> runModule(const std::string &text) {
    llvm::SMDiagnostic problem;
    auto module = llvm::parseAssemblyString(text, problem, context);
    if (!module) {
      ADD_FAILURE() << problem.getLineNo() << ": " << problem.getMessage().str();
      return {};
    }
    EXPECT_EQ(simt::verify(*module), "");
    if (buffers.empty())
      buffers.push_back(Buffer(4 * launch.block[0] * launch.block[1], 0xff));
    outcome = interpret(*module, launch, buffers, variables);
    std::vector<int32_t> out(buffers[0].size() / 4);
    std::memcpy(out.data(), buffers[0].data(), out.size() * 4);
    return out;
  }
  /// Runs a kernel with this body and expects no error. Each thread must end with `ret void`.
  std::vector<int32_t> run(const std::string &body, const std::string &more = "") {
    auto out = runModule(begin + body + "}\n" + more + declarations);
    EXPECT_FALSE(outcome.error) << outcome.error->failure.message;
    return out;
  }
  FailureKind failureOf(const std::string &body, const std::string &more = "") {
    runModule(begin + body + "}\n" + more + declarations);
    EXPECT_TRUE(outcome.error);
    return outcome.error ? outcome.error->failure.kind : FailureKind::Unsupported;
  }
  /// The results of a warp operation of all four lanes. Operations without overloads are declared already.
  std::vector<int32_t> warp(const std::string &call, const std::string &more = "") {
    return run("%odd = trunc i32 %i to i1\n %square = mul i32 %i, %i\n %r = call i32 " + call +
                   "\n store i32 %r, ptr addrspace(1) %p\n ret void\n",
               more);
  }
  std::vector<int32_t> vote(const std::string &call) {
    return run("%odd = trunc i32 %i to i1\n %v = call i1 " + call +
               "\n %r = zext i1 %v to i32\n store i32 %r, ptr addrspace(1) %p\n ret void\n");
  }
  std::vector<int32_t> shuffle(const std::string &kind, int lane, int width) {
    std::string name = "@simt.warp.shuffle." + kind + ".i32";
    std::string operands = std::to_string(lane) + ", i32 " + std::to_string(width) + ")";
    return warp(name + "(i32 0, i32 -1, i32 %i, i32 " + operands,
                "declare i32 " + name + "(i32, i32, i32, i32, i32) convergent\n");
  }
  /// {the new value in memory, the old value} of an atomic operation in one thread.
  std::vector<int32_t> atomic(const std::string &name, int old, int value) {
    buffers = {Buffer(8)};
    std::memcpy(buffers[0].data(), &old, 4);
    launch.block = {1, 1, 1};
    std::string call = "@simt.atomic." + name + ".i32.p1";
    return run("%q = getelementptr i32, ptr addrspace(1) %out, i32 1\n %r = call i32 " + call +
                   "(ptr addrspace(1) %out, i32 " + std::to_string(value) +
                   ", i32 1)\n store i32 %r, ptr addrspace(1) %q\n ret void\n",
               "declare i32 " + call + "(ptr addrspace(1), i32, i32)\n");
  }
};

using Values = std::vector<int32_t>;

} // namespace heddle::interpreter
