// The plan of a kernel as an attribute.

#include "backend/cpu/abi/plan.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

namespace heddle::cpu {
namespace {

using namespace llvm;

struct CpuPlan : testing::Test {
  LLVMContext context;
  llvm::Module module{"test", context};

  Function &makeFunction() {
    auto *type = FunctionType::get(Type::getVoidTy(context), false);
    return *Function::Create(type, GlobalValue::ExternalLinkage, "f", module);
  }
  static std::string textOf(const Function &f) {
    return f.getFnAttribute("cpu.plan").getValueAsString().str();
  }
};

TEST_F(CpuPlan, TheDefaultPlanIsNoAttribute) {
  Function &f = makeFunction();
  setPlan(f, {});
  EXPECT_FALSE(f.hasFnAttribute("cpu.plan"));
  EXPECT_FALSE(planOf(f).isVectorized());
}

TEST_F(CpuPlan, EveryFieldIsReadBack) {
  Plan plan{.grouped = Grouped::ByWideRows,
            .groups = {.width = 16, .linear = true, .partial = true},
            .axis = 'y',
            .walksRows = true,
            .accessesColumns = true,
            .isMemoryBound = true,
            .whySingle = "it is large",
            .versions = {1, 2, 3, 4},
            .block = {{256, 2, 1}},
            .barriers = BarrierForm::Coroutines,
            .whyCoroutines = "threads may reach different barriers at line 7",
            .waitsForWarp = true,
            .waitsForGrid = true,
            .yields = true,
            .runs = BlockRuns::AlongY,
            .localBytes = 500,
            .sharedBytes = 28};
  Function &f = makeFunction(), &g = makeFunction();
  setPlan(f, plan);
  EXPECT_EQ(textOf(f),
            "grouped=wide rows; width=16; linear; partial; axis=y; walks-rows; "
            "accesses-columns; memory-bound; "
            "single=it is large; versions.early-exits=1; versions.clamped=2; "
            "versions.unmasked-branches=3; versions.unmasked-loops=4; block=256,2,1; "
            "barriers=coroutines; coroutines=threads may reach different barriers at line 7; "
            "waits-for-warp; waits-for-grid; yields; runs=y; local-bytes=500; shared-bytes=28");
  setPlan(g, planOf(f));
  EXPECT_EQ(textOf(g), textOf(f));
}

TEST_F(CpuPlan, AKernelThatFailsToVectorizeRunsOneThreadAtATime) {
  Plan plan{.grouped = Grouped::ByRows, .groups = {.width = 16}, .versions = {1, 2, 3, 4}};
  plan.disableGroups("it is large");
  EXPECT_EQ(plan.grouped, Grouped::No);
  EXPECT_EQ(plan.versions, CodeVersions());
  EXPECT_EQ(plan.describeGroups(), "runs one thread at a time: it is large");
}

} // namespace
} // namespace heddle::cpu
