#include "frontend/ptx/lower_inline_ptx.h"

#include "frontend/ptx/translate.h"
#include "simt/ir/source_positions.h"
#include "simt/passes/make_loops_reducible.h"
#include "support/pass_names.h"
#include "support/pass_runner.h"

#include "llvm/IR/InstIterator.h"

namespace heddle::ptx {

using namespace llvm;

namespace {

SmallVector<CallInst *, 8> assemblyCalls(Function &f) {
  SmallVector<CallInst *, 8> calls;
  for (Instruction &i : instructions(f))
    if (auto *call = dyn_cast<CallInst>(&i); call && call->isInlineAsm())
      calls.push_back(call);
  return calls;
}

} // namespace

PreservedAnalyses LowerInlinePtx::run(Function &f, FunctionAnalysisManager &am) {
  SmallVector<CallInst *, 8> calls = assemblyCalls(f);
  if (calls.empty())
    return PreservedAnalyses::all();
  EnclosingFunction enclosing{f};
  bool jumps = false;
  for (CallInst *call : calls) {
    simt::SourcePosition place = simt::sourcePositionOf(*call);
    try {
      jumps |= translate(*call, enclosing);
    } catch (const Refusal &refusal) {
      throw simt::makeErrorAt(place, ErrorKind::Unsupported,
                              std::string("inline PTX: ") + refusal.what());
    }
  }
  if (jumps) {
    am.invalidate(f, PreservedAnalyses::none());
    simt::MakeLoopsReducible().run(f, am);
  }
  return PreservedAnalyses::none();
}

void translateInlinePtx(llvm::Module &module) {
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(LowerInlinePtx()));
  PassRunner().run(module, passes);
}

void registerPasses(PassBuilder &builder) {
  PassNames(builder).addFunctionPass("lower-inline-ptx", [] { return LowerInlinePtx(); });
}

} // namespace heddle::ptx
