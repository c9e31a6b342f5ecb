// SIMT IR operations as C++ values.

#include "simt/ir/ops.h"
#include "simt/ir/sites.h"
#include "simt/ir/verifier.h"
#include "simt_interpreter/atomics.h"
#include "simt_interpreter/warp.h"

#include "support/diagnostic.h"

#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/LLVMContext.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle::simt {
namespace {

using namespace llvm;

struct SimtOps : testing::Test {
  LLVMContext context;
  llvm::Module module{"test", context};
};

TEST_F(SimtOps, OperationsAreFoundByName) {
  EXPECT_EQ(opNamed("simt.barrier"), Op::Barrier);
  EXPECT_EQ(opNamed("simt.barrier.count"), Op::BarrierCount);
  EXPECT_EQ(opNamed("simt.shared.dynamic.size"), Op::DynamicSharedSize);
}

TEST_F(SimtOps, OverloadSuffixesArePartOfTheName) {
  EXPECT_EQ(opNamed("simt.atomic.add.i32.p1"), Op::AtomicAdd);
  EXPECT_EQ(opNamed("simt.math.frexp.exponent.f64"), Op::FrexpExponent);
}

TEST_F(SimtOps, OtherNamesAreNotOperations) {
  for (const char *name :
       {"simt", "simt.", "simt.tid", "simt.tid.x.i32", "simt.atomic.add", "simt.atomic.add.i32",
        "simt.atomic.add.i16.p1", "simt.atomic.add.i32.p4", "simt.atomic.umin.f32.p1",
        "simt.math.sin.f32.p1", "simt.math.sin", "sin", ""})
    EXPECT_EQ(opNamed(name), std::nullopt) << name;
}

TEST_F(SimtOps, TheRowsOfAWarpSayThatItsLanesRunThemTogether) {
  for (const OpInfo &row : allOps())
    EXPECT_EQ(row.has(Warp), row.name.starts_with("simt.warp.")) << row.name.str();
}

TEST_F(SimtOps, EveryFormOfEveryRowIsFoundByTheNameItIsDeclaredWith) {
  Type *types[] = {Type::getInt32Ty(context), Type::getInt64Ty(context), Type::getFloatTy(context),
                   Type::getDoubleTy(context)};
  const char *names[] = {"i32", "i64", "f32", "f64"};
  for (const OpInfo &row : allOps()) {
    EXPECT_EQ(&info(row.op), &row);
    if (!row.overloaded()) {
      EXPECT_EQ(opNamed(declare(module, row.op)->getName()), row.op);
      continue;
    }
    for (unsigned t = 0; t < 4; ++t) {
      if (!row.overloads.contains(names[t]))
        continue;
      for (unsigned space : {0, 1, 3}) {
        Function *f = declare(module, row.op, types[t], PointerType::get(context, space));
        EXPECT_EQ(opNamed(f->getName()), row.op);
      }
    }
  }
  EXPECT_EQ(verify(module), "");
}

TEST_F(SimtOps, PropertiesBecomeAttributes) {
  Function *tid = declare(module, Op::ThreadIdX);
  EXPECT_TRUE(tid->doesNotAccessMemory());
  EXPECT_TRUE(tid->hasFnAttribute(Attribute::Speculatable));
  EXPECT_TRUE(declare(module, Op::Barrier)->isConvergent());
  EXPECT_FALSE(declare(module, Op::Barrier)->doesNotAccessMemory());
  EXPECT_TRUE(declare(module, Op::Trap)->doesNotReturn());
  Function *add =
      declare(module, Op::AtomicAdd, Type::getInt32Ty(context), PointerType::get(context, 1));
  EXPECT_TRUE(add->onlyAccessesArgMemory());
}

/// 32-bit numbers at and between the ends of both signs.
std::vector<APInt> sampleWords() {
  std::vector<APInt> words;
  for (uint32_t n : {0u, 1u, 2u, 3u, 5u, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu})
    words.emplace_back(32, n);
  return words;
}

TEST_F(SimtOps, AtomicsCommuteAndRepeatAsTheirRowsSay) {
  Type *type = Type::getInt32Ty(context);
  std::vector<APInt> words = sampleWords();
  for (const OpInfo &row : allOps()) {
    if (!row.has(ArgMemory) || !row.overloads.contains("i32"))
      continue;
    bool commutes = true, isIdempotent = true;
    for (const APInt &old : words)
      for (const APInt &a : words)
        for (const APInt &b : words) {
          auto after = [&](const APInt &before, const APInt &value, const APInt &expected) {
            return interpreter::computeAtomic(row.op, type, before, value, expected);
          };
          commutes &= after(after(old, a, b), b, a) == after(after(old, b, a), a, b);
          isIdempotent &= after(after(old, a, b), a, b) == after(old, a, b);
        }
    EXPECT_EQ(row.has(Commutes), commutes) << row.name.str();
    EXPECT_EQ(row.has(Idempotent), isIdempotent) << row.name.str();
  }
}

TEST_F(SimtOps, WarpOperationsAreUniformAsTheirRowsSay) {
  std::vector<APInt> words = sampleWords();
  for (const OpInfo &row : allOps()) {
    if (!row.has(Warp) || row.result == "void")
      continue;
    bool isVote = StringRef(row.operands).ends_with("i1");
    std::array<interpreter::WarpRequest, 32> requests;
    for (unsigned lane = 0; lane < 32; ++lane)
      requests[lane] = {row.op, ~0u, isVote ? APInt(1, lane % 2) : words[lane % words.size()],
                        /*lane=*/1 + lane % 2};
    std::set<uint64_t> results;
    uint64_t undefinedReads = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      results.insert(
          interpreter::computeWarpResult(lane, ~0u, requests, undefinedReads).getZExtValue());
    EXPECT_EQ(row.has(Uniform), results.size() == 1) << row.name.str();
  }
}

TEST_F(SimtOps, BoundsBecomeRanges) {
  ConstantRange tid =
      declare(module, Op::ThreadIdX)->getAttributes().getRetAttr(Attribute::Range).getRange();
  EXPECT_EQ(tid, ConstantRange(APInt(32, 0), APInt(32, 1024)));
  ConstantRange ntid =
      declare(module, Op::BlockDimZ)->getAttributes().getRetAttr(Attribute::Range).getRange();
  EXPECT_EQ(ntid, ConstantRange(APInt(32, 1), APInt(32, 65)));
}

TEST_F(SimtOps, ACallReadsItsOverloadOffItsOperands) {
  Function *f = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {PointerType::get(context, 3)}, false),
      GlobalValue::InternalLinkage, "f", module);
  IRBuilder<> b(BasicBlock::Create(context, "", f));
  CallInst *c =
      call(b, Op::AtomicMax, {f->getArg(0), ConstantFP::get(b.getDoubleTy(), 1), b.getInt32(0)});
  EXPECT_EQ(c->getCalledFunction()->getName(), "simt.atomic.max.f64.p3");
  EXPECT_EQ(calledOp(c), Op::AtomicMax);
  EXPECT_EQ(calledOp(f), std::nullopt);
}

TEST_F(SimtOps, EqualSitesShareAnIndex) {
  SiteInfo here{"IndexError", "message", "k", "k.py", 3, 5};
  SiteInfo there = here;
  there.line = 4;
  EXPECT_EQ(addSite(module, here), 0u);
  EXPECT_EQ(addSite(module, there), 1u);
  EXPECT_EQ(addSite(module, here), 0u);
}

TEST_F(SimtOps, SitesRoundTrip) {
  addSite(module, {"ValueError", "a \"message\"", "k", "/tmp/k.py", 3, 5});
  std::vector<SiteInfo> sites = sitesOf(module);
  ASSERT_EQ(sites.size(), 1u);
  EXPECT_EQ(sites[0].kind, "ValueError");
  EXPECT_EQ(sites[0].message, "a \"message\"");
  EXPECT_EQ(sites[0].function, "k");
  EXPECT_EQ(sites[0].file, "/tmp/k.py");
  EXPECT_EQ(sites[0].line, 3u);
  EXPECT_EQ(sites[0].column, 5u);
}

TEST_F(SimtOps, MalformedSitesAreAnError) {
  module.getOrInsertNamedMetadata("simt.sites")->addOperand(MDNode::get(context, {}));
  EXPECT_THROW(sitesOf(module), CompileError);
}

} // namespace
} // namespace heddle::simt
