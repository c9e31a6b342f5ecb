// Tests the list of a kernel's loads and stores.
#include "simt/analysis/accesses.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

/// One line for each access, such as "load 4 bytes of a, strides 4 ? 0, depth 1".
std::string describeAccesses(const simt::Accesses &accesses) {
  std::string text;
  for (const simt::Access &access : accesses.all()) {
    text += access.isLoad() ? "load " : "store ";
    text += std::to_string(access.bytes()) + " bytes of " + access.object->getName().str();
    text += access.isShared() ? " (shared), strides" : ", strides";
    for (std::optional<int64_t> stride : access.strides)
      text += stride ? " " + std::to_string(*stride) : " ?";
    text += ", depth " + std::to_string(access.loop ? access.loop->getLoopDepth() : 0) + "\n";
  }
  return text;
}

std::string describeAccesses(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(R"(
@s = internal addrspace(3) global [64 x float] poison
declare i32 @simt.tid.x()
declare i32 @simt.tid.y()
define void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, i64 %n) "simt.kernel" {
  %x32 = call i32 @simt.tid.x()
  %x = zext nneg i32 %x32 to i64
  %y32 = call i32 @simt.tid.y()
  %y = zext nneg i32 %y32 to i64
)" + body + "}\n",
                                          problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  llvm::Function &kernel = *module->getFunction("k");
  llvm::DominatorTree dominators(kernel);
  llvm::LoopInfo loops(dominators);
  return describeAccesses(simt::Accesses(kernel, loops));
}

} // namespace

TEST(Accesses, HaveObjectsAndStrides) {
  EXPECT_EQ(describeAccesses(R"(
  %column = mul i64 %x, %n
  %from = add i64 %column, %y
  %p = getelementptr float, ptr addrspace(1) %a, i64 %from
  %v = load float, ptr addrspace(1) %p
  %q = getelementptr double, ptr addrspace(1) %b, i64 %x
  store double 0.0, ptr addrspace(1) %q
  ret void
)"),
            "load 4 bytes of a, strides ? 4 0, depth 0\n"
            "store 8 bytes of b, strides 8 0 0, depth 0\n");
}

TEST(Accesses, SeeSharedMemoryThroughGenericAddresses) {
  EXPECT_EQ(describeAccesses(R"(
  %g = addrspacecast ptr addrspace(3) @s to ptr
  %p = getelementptr float, ptr %g, i64 %x
  %v = load volatile float, ptr %p
  ret void
)"),
            "load 4 bytes of s (shared), strides 4 0 0, depth 0\n");
}

TEST(Accesses, KnowTheirInnermostLoop) {
  EXPECT_EQ(describeAccesses(R"(
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %row = mul i64 %k, %n
  %from = add i64 %row, %x
  %p = getelementptr float, ptr addrspace(1) %a, i64 %from
  %v = load float, ptr addrspace(1) %p
  %next = add i64 %k, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  store float %v, ptr addrspace(1) %b
  ret void
)"),
            "load 4 bytes of a, strides 4 0 0, depth 1\n"
            "store 4 bytes of b, strides 0 0 0, depth 0\n");
}
