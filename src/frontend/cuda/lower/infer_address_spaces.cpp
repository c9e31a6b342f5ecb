#include "frontend/cuda/lower/infer_address_spaces.h"

#include "simt/ir/ops.h"
#include "simt/passes/lowering.h"
#include "support/pass_runner.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

bool isGenericAddress(const Value &v, simt::Op op) {
  return v.getType()->isPointerTy() && v.getType()->getPointerAddressSpace() == simt::Generic &&
         is_contained(simt::info(op).operands, 'P');
}

/// A temporary load from each generic pointer operand of an operation, because LLVM's address space inference follows
/// loads but not calls.
struct InferenceProbe {
  CallInst *operation;
  unsigned operand;
  LoadInst *load;
};

SmallVector<InferenceProbe, 8> insertProbes(llvm::Module &m) {
  SmallVector<InferenceProbe, 8> probes;
  for (Function &f : m)
    for (CallInst *call : simt::simtCalls(f))
      for (const Use &place : call->args())
        if (isGenericAddress(*place, *simt::calledOp(call))) {
          IRBuilder<> b(call);
          probes.push_back({call, place.getOperandNo(), b.CreateLoad(b.getInt8Ty(), place)});
        }
  return probes;
}

void applyProbes(ArrayRef<InferenceProbe> probes) {
  for (auto [operation, operand, load] : probes) {
    Value *place = load->getPointerOperand();
    load->eraseFromParent();
    if (place == operation->getArgOperand(operand))
      continue;
    IRBuilder<> b(operation);
    Type *type = operation->getArgOperand(operand)->getType();
    operation->setArgOperand(operand, b.CreateAddrSpaceCast(place, type));
  }
}

} // namespace

void inferAddressSpaces(llvm::Module &m) {
  PassRunner runner;
  SmallVector<InferenceProbe, 8> probes = insertProbes(m);
  ModulePassManager inference;
  inference.addPass(createModuleToFunctionPassAdaptor(InferAddressSpacesPass(simt::Generic)));
  runner.run(m, inference);
  applyProbes(probes);
  ModulePassManager merging;
  merging.addPass(createModuleToFunctionPassAdaptor(EarlyCSEPass()));
  runner.run(m, merging);
}

void specializeAddressSpaces(Function &f) {
  for (Instruction &i : make_early_inc_range(instructions(f))) {
    std::optional<simt::Op> op = simt::calledOp(&i);
    if (!op)
      continue;
    auto &call = cast<CallInst>(i);
    SmallVector<Value *, 4> operands(call.args());
    bool changed = false;
    for (Value *&v : operands) {
      if (!isGenericAddress(*v, *op))
        continue;
      Value *inner = v->stripPointerCasts();
      unsigned space = inner->getType()->getPointerAddressSpace();
      if (space == simt::Global || space == simt::Shared) {
        v = inner;
        changed = true;
      }
    }
    if (!changed)
      continue;
    IRBuilder<> b(&call);
    CallInst *better = simt::call(b, *op, operands);
    better->setDebugLoc(call.getDebugLoc());
    call.replaceAllUsesWith(better);
    call.eraseFromParent();
  }
}

} // namespace heddle::cudacpp
