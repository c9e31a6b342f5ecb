// Tests the check that passes do not move side effects across barriers.
#include "simt/analysis/effect_order.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

/// A kernel with this body; !10 to !12 are locations in lines 10 to 12.
struct ParsedKernel {
  explicit ParsedKernel(const std::string &body) {
    llvm::SMDiagnostic problem;
    module = llvm::parseAssemblyString("declare void @simt.barrier(i32) convergent\n"
                                       "define void @k(ptr addrspace(1) %a, ptr addrspace(3) %s, "
                                       "i1 %c) \"simt.kernel\" !dbg !4 {\n" +
                                           body + R"(}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k.py", directory: "")
!2 = !DISubroutineType(types: !5)
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !2, unit: !0, spFlags: DISPFlagDefinition)
!5 = !{}
!10 = !DILocation(line: 10, column: 1, scope: !4)
!11 = !DILocation(line: 11, column: 1, scope: !4)
)",
                                       problem, context);
    EXPECT_TRUE(module) << problem.getMessage().str();
  }
  llvm::Function &function() { return *module->getFunction("k"); }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

const char *const storeThenBarrier = "  store i32 1, ptr addrspace(1) %a, !dbg !10\n"
                                     "  call void @simt.barrier(i32 0), !dbg !11\n  ret void\n";
const char *const barrierThenStore = "  call void @simt.barrier(i32 0), !dbg !11\n"
                                     "  store i32 1, ptr addrspace(1) %a, !dbg !10\n  ret void\n";

} // namespace

TEST(EffectOrder, IsKeptByTheSameFunction) {
  ParsedKernel kernel(storeThenBarrier);
  simt::EffectOrder order(kernel.function());
  EXPECT_FALSE(order.findMovedEffect(kernel.function(), /*isStructured=*/false));
}

TEST(EffectOrder, SeesAStoreMovedPastABarrier) {
  ParsedKernel before(storeThenBarrier), after(barrierThenStore);
  EXPECT_EQ(
      simt::EffectOrder(before.function()).findMovedEffect(after.function(), /*isStructured=*/true),
      "the access at line 10 moved past the barrier of site 0");
}

TEST(EffectOrder, SeesAStoreMovedBeforeABarrier) {
  ParsedKernel before(barrierThenStore), after(storeThenBarrier);
  EXPECT_EQ(simt::EffectOrder(before.function())
                .findMovedEffect(after.function(), /*isStructured=*/false),
            "the access at line 10 moved before the barrier of site 0");
}

TEST(EffectOrder, SeesTheSideWithTheBarrierFirst) {
  ParsedKernel before("  br i1 %c, label %out, label %on\n"
                      "out:\n  store i32 1, ptr addrspace(1) %a, !dbg !10\n  ret void\n"
                      "on:\n  call void @simt.barrier(i32 0), !dbg !11\n  ret void\n");
  ParsedKernel after("  br i1 %c, label %flow, label %on\n"
                     "on:\n  call void @simt.barrier(i32 0), !dbg !11\n  br label %flow\n"
                     "flow:\n  br i1 %c, label %out, label %end\n"
                     "out:\n  store i32 1, ptr addrspace(1) %a, !dbg !10\n  br label %end\n"
                     "end:\n  ret void\n");
  EXPECT_TRUE(simt::EffectOrder(before.function())
                  .findMovedEffect(after.function(), /*isStructured=*/true));
}

TEST(EffectOrder, IgnoresThreadPrivateMemory) {
  ParsedKernel before("  %p = alloca i32\n  store i32 1, ptr %p, !dbg !10\n"
                      "  call void @simt.barrier(i32 0), !dbg !11\n  ret void\n");
  ParsedKernel after("  %p = alloca i32\n  call void @simt.barrier(i32 0), !dbg !11\n"
                     "  store i32 1, ptr %p, !dbg !10\n  ret void\n");
  EXPECT_FALSE(simt::EffectOrder(before.function())
                   .findMovedEffect(after.function(), /*isStructured=*/true));
}
