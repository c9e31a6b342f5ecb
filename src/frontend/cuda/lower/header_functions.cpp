#include "frontend/cuda/lower/header_functions.h"

#include "simt/ir/ops.h"
#include "simt/passes/relax_floats.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

Value *emitExactOperation(CallInst &call, StringRef operation) {
  IRBuilder<> b(&call);
  Value *x = call.getArgOperand(0), *y = call.getArgOperand(1);
  Value *result = operation.starts_with("add") ? b.CreateFAdd(x, y) : b.CreateFMul(x, y);
  if (auto *i = dyn_cast<Instruction>(result))
    i->setMetadata(simt::exactMetadata, MDNode::get(call.getContext(), {}));
  return result;
}

Value *emitFastOperation(CallInst &call, StringRef operation) {
  IRBuilder<> b(&call);
  if (operation == "divide") {
    FastMathFlags fast;
    fast.setApproxFunc();
    return b.CreateFDivFMF(call.getArgOperand(0), call.getArgOperand(1), fast);
  }
  std::optional<simt::Op> op = simt::opNamed(("simt.math." + operation + ".f32").str());
  if (!op)
    return nullptr;
  CallInst *result = simt::call(b, *op, SmallVector<Value *, 2>(call.args()));
  result->setHasApproxFunc(true);
  return result;
}

Value *expandHeaderFunctionCall(CallInst &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee)
    return nullptr;
  StringRef name = callee->getName();
  if (name.consume_front("__heddle_exact_"))
    return emitExactOperation(call, name);
  if (name.consume_front("__heddle_fast_"))
    return emitFastOperation(call, name);
  return nullptr;
}

} // namespace

PreservedAnalyses ExpandHeaderFunctions::run(Function &f, FunctionAnalysisManager &) {
  for (Instruction &i : make_early_inc_range(instructions(f)))
    if (auto *call = dyn_cast<CallInst>(&i))
      if (Value *result = expandHeaderFunctionCall(*call)) {
        result->takeName(call);
        call->replaceAllUsesWith(result);
        call->eraseFromParent();
      }
  return PreservedAnalyses::none();
}

} // namespace heddle::cudacpp
