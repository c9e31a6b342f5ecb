#include "simt/analysis/divergence.h"

#include "simt/ir/ops.h"

#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Passes/PassBuilder.h"

namespace heddle::simt {

using namespace llvm;

namespace {

class DivergentTarget final : public TargetTransformInfoImplCRTPBase<DivergentTarget> {
public:
  explicit DivergentTarget(const DataLayout &layout) : TargetTransformInfoImplCRTPBase(layout) {}

  bool hasBranchDivergence(const Function * = nullptr) const override { return true; }
  InstructionUniformity getInstructionUniformity(const Value *v) const override {
    return isDivergenceSource(*v) ? InstructionUniformity::NeverUniform
                                  : InstructionUniformity::Default;
  }
};

} // namespace

bool isDivergenceSource(const Value &v) {
  if (isa<AllocaInst>(v))
    return true;
  std::optional<Op> op = calledOp(&v);
  return op && (*op == Op::ThreadIdX || *op == Op::LaneId || info(*op).has(ArgMemory));
}

TargetTransformInfo divergentTarget(const DataLayout &layout) {
  return TargetTransformInfo(std::make_unique<DivergentTarget>(layout));
}

struct DivergenceAnalyses::Managers {
  PassBuilder builder;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
};

DivergenceAnalyses::DivergenceAnalyses() : managers_(std::make_unique<Managers>()) {
  Managers &m = *managers_;
  // The first registration of an analysis counts.
  m.functions.registerPass([] {
    return TargetIRAnalysis([](const Function &f) { return divergentTarget(f.getDataLayout()); });
  });
  m.builder.registerModuleAnalyses(m.modules);
  m.builder.registerCGSCCAnalyses(m.components);
  m.builder.registerFunctionAnalyses(m.functions);
  m.builder.registerLoopAnalyses(m.loops);
  m.builder.crossRegisterProxies(m.loops, m.functions, m.components, m.modules);
}

DivergenceAnalyses::~DivergenceAnalyses() = default;

FunctionAnalysisManager &DivergenceAnalyses::functions() { return managers_->functions; }

} // namespace heddle::simt
