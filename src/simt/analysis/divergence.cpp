#include "simt/analysis/divergence.h"

#include "simt/ir/checks.h"
#include "simt/ir/ops.h"
#include "simt/ir/verifier.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Passes/PassBuilder.h"

namespace heddle::simt {

using namespace llvm;

namespace {

class DivergentTarget final : public TargetTransformInfoImplCRTPBase<DivergentTarget> {
public:
  DivergentTarget(const DataLayout &layout, Uniformity uniformity)
      : TargetTransformInfoImplCRTPBase(layout), uniformity(std::move(uniformity)) {}

  bool hasBranchDivergence(const Function * = nullptr) const override { return true; }
  InstructionUniformity getInstructionUniformity(const Value *v) const override {
    return uniformity(*v);
  }
  /// No instruction has zero latency: structurizecfg hoists such instructions out of an else block, and in LLVM 22.1
  /// then loses the value on some of the paths to the block.
  InstructionCost getInstructionCost(const User *user, ArrayRef<const Value *> operands,
                                     TargetTransformInfo::TargetCostKind kind) const override {
    // Free, so that loops are unrolled as if without checks. Most checks then turn out to pass.
    if (isCheck(*user))
      return TargetTransformInfo::TCC_Free;
    if (kind == TargetTransformInfo::TCK_Latency)
      return TargetTransformInfo::TCC_Basic;
    return TargetTransformInfoImplCRTPBase::getInstructionCost(user, operands, kind);
  }

private:
  Uniformity uniformity;
};

/// Returns true if all threads of a block that compute the value together get the same result.
bool isUniformAcrossThreads(const Value &v, unsigned depth) {
  if (const auto *a = dyn_cast<Argument>(&v))
    return a->getParent()->hasFnAttribute(kernelAttribute);
  if (isa<llvm::Constant>(v))
    return true;
  const auto *i = dyn_cast<Instruction>(&v);
  if (!i || depth == 0)
    return false;
  if (std::optional<Op> op = calledOp(i))
    return *op == Op::WarpActive || *op == Op::BlockDimX || *op == Op::BlockDimY ||
           *op == Op::BlockDimZ;
  return isa<BinaryOperator, CastInst, CmpInst, SelectInst>(i) &&
         all_of(i->operands(), [&](const Use &u) { return isUniformAcrossThreads(*u, depth - 1); });
}

} // namespace

bool isDivergenceSource(const Value &v, Neighbors neighbors) {
  if (isa<AllocaInst>(v))
    return true;
  std::optional<Op> op = calledOp(&v);
  if (!op)
    return false;
  if (*op == Op::ThreadIdY || *op == Op::ThreadIdZ)
    return neighbors == Neighbors::InOrder;
  if (info(*op).has(Warp))
    return !hasUniformResult(v);
  return *op == Op::ThreadIdX || *op == Op::LaneId || info(*op).has(ArgMemory);
}

bool hasUniformResult(const Value &operation) {
  std::optional<Op> op = calledOp(&operation);
  if (!op || !info(*op).has(Uniform))
    return false;
  return !info(*op).has(Warp) || hasUniformMask(cast<CallInst>(operation));
}

bool hasUniformMask(const CallInst &operation) {
  constexpr unsigned maskOperand = 1;
  return operation.arg_size() <= maskOperand ||
         isUniformAcrossThreads(*operation.getArgOperand(maskOperand),
                                thresholds::maxExpressionDepth);
}

struct DivergenceAnalyses::Managers {
  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
};

DivergenceAnalyses::DivergenceAnalyses(Uniformity uniformity)
    : managers_(std::make_unique<Managers>()) {
  Managers &m = *managers_;
  // The first registration of an analysis wins.
  m.functions.registerPass([uniformity = std::move(uniformity)] {
    return TargetIRAnalysis([uniformity](const Function &f) {
      return TargetTransformInfo(std::make_unique<DivergentTarget>(f.getDataLayout(), uniformity));
    });
  });
  m.builder.registerModuleAnalyses(m.modules);
  m.builder.registerCGSCCAnalyses(m.components);
  m.builder.registerFunctionAnalyses(m.functions);
  m.builder.registerLoopAnalyses(m.loops);
  m.builder.crossRegisterProxies(m.loops, m.functions, m.components, m.modules);
}

Uniformity makeBlockUniformity() {
  return [](const Value &v) {
    std::optional<Op> op = calledOp(&v);
    if ((op && info(*op).has(Warp)) || isDivergenceSource(v, Neighbors::InOrder))
      return InstructionUniformity::NeverUniform;
    return hasUniformResult(v) ? InstructionUniformity::AlwaysUniform
                               : InstructionUniformity::Default;
  };
}

DivergenceAnalyses::DivergenceAnalyses(Neighbors neighbors)
    : DivergenceAnalyses([neighbors](const Value &v) {
        if (hasUniformResult(v))
          return InstructionUniformity::AlwaysUniform;
        return isDivergenceSource(v, neighbors) ? InstructionUniformity::NeverUniform
                                                : InstructionUniformity::Default;
      }) {}

DivergenceAnalyses::~DivergenceAnalyses() = default;

FunctionAnalysisManager &DivergenceAnalyses::functionAnalyses() { return managers_->functions; }

} // namespace heddle::simt
