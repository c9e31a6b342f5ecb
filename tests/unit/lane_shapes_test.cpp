// Tests the shapes that the rules derive, as an estimate and as a proof.
#include "backend/cpu/vectorize/lanes/shapes.h"
#include "simt/analysis/polynomial.h"
#include "simt/analysis/thread_strides.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

/// A kernel with this body; %t is the thread index along x as i32, %i as i64.
struct KernelWithResult {
  explicit KernelWithResult(const std::string &body) {
    llvm::SMDiagnostic problem;
    module = llvm::parseAssemblyString(R"(
declare i32 @simt.tid.x()
declare i32 @simt.tid.y()
declare i32 @simt.ntid.x()
declare i64 @simt.wrap(i64, i64)
declare i32 @llvm.smin.i32(i32, i32)
define void @k(ptr addrspace(1) %a, i32 %n, i64 %m, i1 %c) "simt.kernel" {
  %t = call i32 @simt.tid.x()
  %i = zext nneg i32 %t to i64
)" + body + "  ret void\n}\n",
                                       problem, context);
    EXPECT_TRUE(module) << problem.getMessage().str();
  }

  llvm::Function &function() { return *module->getFunction("k"); }
  const llvm::Value &result() {
    for (llvm::Instruction &i : instructions(function()))
      if (i.getName() == "r")
        return i;
    ADD_FAILURE() << "no %r";
    return *function().getArg(0);
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

std::string estimate(const std::string &body, simt::Axis axis = simt::Axis::X) {
  KernelWithResult kernel(body);
  std::optional<int64_t> stride = simt::ThreadStrides(kernel.function(), axis).of(kernel.result());
  return stride ? std::to_string(*stride) : "unknown";
}

/// For groups of 8 threads along x.
std::string proof(const std::string &body) {
  KernelWithResult kernel(body);
  llvm::DominatorTree dominators(kernel.function());
  llvm::PostDominatorTree postDominators(kernel.function());
  llvm::LoopInfo loops(dominators);
  cpu::LaneShapes shapes(kernel.function(), {.width = 8}, postDominators, loops);
  simt::LaneShape shape = shapes.shapeOf(kernel.result());
  if (shape.hasRuntimeStride())
    return "at run time";
  return shape.isVarying() ? "unknown" : std::to_string(shape.stride);
}

/// The estimate of the value of %r, with its terms in the order of their names.
std::string formOf(const std::string &body) {
  KernelWithResult kernel(body);
  simt::PolynomialBuilder builder(kernel.module->getDataLayout(), simt::View::Estimate);
  simt::Polynomial form = builder.of(kernel.result());
  std::map<std::string, int64_t> terms;
  for (const auto &[factors, factor] : form.terms()) {
    std::string name;
    for (const llvm::Value *value : factors)
      name += " " + value->getName().str();
    if (!name.empty())
      terms[name] = factor;
  }
  std::string text = std::to_string(form.constant());
  for (const auto &[name, factor] : terms)
    text += " + " + std::to_string(factor) + name;
  return text;
}

const char *const addressOfX = "  %r = getelementptr float, ptr addrspace(1) %a, i64 %x\n";

} // namespace

TEST(LaneShapes, SumsAndProductsScaleTheStride) {
  std::string body = "  %y = add i64 %i, %m\n  %x = mul i64 %y, 3\n" + std::string(addressOfX);
  EXPECT_EQ(estimate(body), "12");
  EXPECT_EQ(proof(body), "12");
}

TEST(LaneShapes, DifferencesAndComplementsRunBackwards) {
  for (const char *index : {"  %x = sub i64 %m, %i\n", "  %x = xor i64 %i, -1\n"}) {
    EXPECT_EQ(estimate(std::string(index) + addressOfX), "-4");
    EXPECT_EQ(proof(std::string(index) + addressOfX), "-4");
  }
}

TEST(LaneShapes, ExtensionsOfSumsMayWrapAround) {
  std::string body = "  %y = add i32 %t, %n\n  %x = sext i32 %y to i64\n" + std::string(addressOfX);
  EXPECT_EQ(estimate(body), "4");
  EXPECT_EQ(proof(body), "unknown");
}

TEST(LaneShapes, NarrowIndicesMayWrapAround) {
  std::string body = "  %y = add i32 %t, %n\n"
                     "  %r = getelementptr float, ptr addrspace(1) %a, i32 %y\n";
  EXPECT_EQ(estimate(body), "4");
  EXPECT_EQ(proof(body), "unknown");
}

TEST(LaneShapes, UniformFactorsGiveRuntimeStrides) {
  std::string body = "  %x = mul i64 %i, %m\n" + std::string(addressOfX);
  EXPECT_EQ(estimate(body), "unknown");
  EXPECT_EQ(proof(body), "at run time");
}

TEST(LaneShapes, OnlyEstimatesIgnoreClamps) {
  for (const char *index :
       {"  %r = call i32 @llvm.smin.i32(i32 %t, i32 %n)\n",
        "  %o = icmp slt i32 %t, %n\n  %r = select i1 %o, i32 %t, i32 0\n",
        "  %r = urem i32 %t, %n\n", "  %r = call i64 @simt.wrap(i64 %i, i64 %m)\n"}) {
    EXPECT_EQ(estimate(index), "1") << index;
    EXPECT_EQ(proof(index), "unknown") << index;
  }
}

TEST(LaneShapes, RemaindersByConstantsAreNoClamps) {
  EXPECT_EQ(estimate("  %r = urem i32 %t, 10\n"), "unknown");
}

TEST(LaneShapes, UniformConditionsSelectEqualStrides) {
  std::string body = "  %y = add i32 %t, 5\n  %r = select i1 %c, i32 %t, i32 %y\n";
  EXPECT_EQ(estimate(body), "1");
  EXPECT_EQ(proof(body), "1");
}

TEST(LaneShapes, UpperBitsAreUniformAndLowerBitsAreStrided) {
  EXPECT_EQ(estimate("  %r = lshr i32 %t, 5\n"), "0");
  EXPECT_EQ(estimate("  %r = lshr i32 %t, 4\n"), "unknown"); // two values in a warp
  EXPECT_EQ(estimate("  %r = and i32 %t, 31\n"), "1");
  EXPECT_EQ(estimate("  %r = and i32 %t, 15\n"), "unknown");
  EXPECT_EQ(proof("  %r = lshr i32 %t, 3\n"), "0");
  EXPECT_EQ(proof("  %r = lshr i32 %t, 2\n"), "unknown");
  EXPECT_EQ(proof("  %r = and i32 %t, 7\n"), "1");
  EXPECT_EQ(proof("  %y = add i32 %t, %n\n  %r = and i32 %y, 7\n"), "unknown");
}

TEST(LaneShapes, EstimatesCompareNeighborsAlongOneAxis) {
  std::string body = "  %y = call i32 @simt.tid.y()\n  %z = shl i32 %y, 4\n"
                     "  %r = add i32 %z, %t\n";
  EXPECT_EQ(estimate(body, simt::Axis::X), "1");
  EXPECT_EQ(estimate(body, simt::Axis::Y), "16");
  EXPECT_EQ(estimate(body, simt::Axis::Z), "0");
}

TEST(LaneShapes, LoopCountersKeepTheStrideOfTheirStart) {
  std::string body = "  br label %loop\nloop:\n"
                     "  %r = phi i64 [ %i, %0 ], [ %next, %loop ]\n"
                     "  %next = add i64 %r, %m\n  br i1 %c, label %loop, label %end\nend:\n";
  EXPECT_EQ(estimate(body), "1");
  EXPECT_EQ(proof(body), "1");
}

TEST(LaneShapes, LoadedValuesAreUnknown) {
  std::string body = "  %p = getelementptr i32, ptr addrspace(1) %a, i64 %i\n"
                     "  %r = load i32, ptr addrspace(1) %p\n";
  EXPECT_EQ(estimate(body), "unknown");
  EXPECT_EQ(proof(body), "unknown");
}

TEST(Polynomials, SumMultiplesOfValues) {
  std::string body = "  %y = mul i64 %i, 3\n  %z = sub i64 %y, %m\n  %x = add i64 %z, 4\n" +
                     std::string(addressOfX);
  EXPECT_EQ(formOf(body), "16 + 1 a + -4 m + 12 simt.tid.x");
}

TEST(Polynomials, IgnoreThatNarrowSumsWrapAround) {
  std::string body = "  %y = add i32 %t, %n\n  %x = sext i32 %y to i64\n" + std::string(addressOfX);
  EXPECT_EQ(formOf(body), "0 + 1 a + 4 n + 4 simt.tid.x");
}

TEST(Polynomials, HaveProductsOfValues) {
  std::string body = "  %y = mul i64 %m, %m\n  %x = add i64 %y, %i\n" + std::string(addressOfX);
  EXPECT_EQ(formOf(body), "0 + 1 a + 4 m m + 4 simt.tid.x");
}

TEST(Polynomials, IgnoreThatNegativeIndicesCountFromTheEnd) {
  std::string wrap = "  %r = call i64 @simt.wrap(i64 %i, i64 %m)\n";
  EXPECT_EQ(formOf(wrap), "0 + 1 simt.tid.x");
  std::string select = "  %c1 = icmp slt i64 %m, -2\n  %k = add i64 %m, 2\n"
                       "  %l = add i64 %m, 34\n  %r = select i1 %c1, i64 %l, i64 %k\n";
  EXPECT_EQ(formOf(select), "2 + 1 m");
  EXPECT_EQ(formOf("  %s = lshr i64 %m, 58\n  %o = and i64 %s, 32\n"
                   "  %r = add i64 %m, %o\n"),
            "0 + 1 m");
}

TEST(Polynomials, AreEqualIfTheirDifferenceIsZero) {
  KernelWithResult kernel("  %x = add i64 %i, %m\n  %r = sub i64 %x, %m\n");
  simt::PolynomialBuilder builder(kernel.module->getDataLayout(), simt::View::Estimate);
  const llvm::Value &i = *std::next(kernel.function().getEntryBlock().begin());
  EXPECT_TRUE(builder.of(kernel.result()) == builder.of(i));
  EXPECT_FALSE(builder.of(kernel.result()) == builder.of(*kernel.function().getArg(2)));
}
