#include "frontend/cuda/lower/infer_address_spaces.h"

#include "simt/ir/ops.h"
#include "simt/passes/lowering.h"
#include "support/pass_runner.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"

#include <optional>

namespace heddle::cudacpp {

using namespace llvm;

namespace {

bool isGenericAddress(const Value &v, simt::Op op) {
  return v.getType()->isPointerTy() && v.getType()->getPointerAddressSpace() == simt::Generic &&
         is_contained(simt::info(op).operands, 'P');
}

/// A temporary load from each generic pointer operand of an operation or address space query, because LLVM's address
/// space inference follows loads but not calls.
struct InferenceProbe {
  CallInst *operation;
  unsigned operand;
  LoadInst *load;
};

/// A call in the device headers that asks for the address space of a pointer.
struct SpaceQuery {
  unsigned space;
  StringRef nameInPtx;
  bool asksWhetherKnown; ///< false for pointers whose address space is unknown
};

std::optional<SpaceQuery> matchSpaceQuery(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  StringRef name = callee ? callee->getName() : "";
  if (!name.consume_front("__heddle_is_"))
    return std::nullopt;
  bool asksWhetherKnown = name.consume_front("known_");
  if (name == "in_global")
    return SpaceQuery{simt::Global, "global", asksWhetherKnown};
  if (name == "in_shared")
    return SpaceQuery{simt::Shared, "shared", asksWhetherKnown};
  if (name == "in_constant")
    return SpaceQuery{simt::Constant, "const", asksWhetherKnown};
  return SpaceQuery{simt::Local, "local", asksWhetherKnown};
}

/// Returns Generic if the address space is unknown.
unsigned knownSpaceOf(const Value &pointer) {
  return isa<AllocaInst>(getUnderlyingObject(&pointer))
             ? unsigned(simt::Local)
             : pointer.getType()->getPointerAddressSpace();
}

Value *emitSpaceQuery(CallInst &call, const SpaceQuery &asked) {
  std::string text =
      ("{ .reg .pred p; isspacep." + asked.nameInPtx + " p, $1; selp.u32 $0, 1, 0, p; }").str();
  IRBuilder<> b(&call);
  CallInst *query = b.CreateCall(InlineAsm::get(call.getFunctionType(), text, "=r,l", false),
                                 call.getArgOperand(0));
  query->setDoesNotAccessMemory();
  query->setDoesNotThrow();
  return query;
}

SmallVector<InferenceProbe, 8> insertInferenceProbes(llvm::Module &m) {
  SmallVector<InferenceProbe, 8> probes;
  auto add = [&](CallInst *call, const Use &place) {
    IRBuilder<> b(call);
    probes.push_back({call, place.getOperandNo(), b.CreateLoad(b.getInt8Ty(), place)});
  };
  for (Function &f : m) {
    for (CallInst *call : simt::simtCalls(f))
      for (const Use &place : call->args())
        if (isGenericAddress(*place, *simt::calledOp(call)))
          add(call, place);
    for (Instruction &i : instructions(f))
      if (auto *call = dyn_cast<CallInst>(&i); call && matchSpaceQuery(*call))
        add(call, call->getArgOperandUse(0));
  }
  return probes;
}

void useInferredAddresses(ArrayRef<InferenceProbe> probes) {
  for (auto [operation, operand, load] : probes) {
    Value *place = load->getPointerOperand();
    load->eraseFromParent();
    if (std::optional<SpaceQuery> asked = matchSpaceQuery(*operation)) {
      unsigned known = knownSpaceOf(*place);
      operation->replaceAllUsesWith(
          known == simt::Generic && !asked->asksWhetherKnown
              ? emitSpaceQuery(*operation, *asked)
              : ConstantInt::get(operation->getType(), known == asked->space));
      operation->eraseFromParent();
      continue;
    }
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
  SmallVector<InferenceProbe, 8> probes = insertInferenceProbes(m);
  ModulePassManager inference;
  inference.addPass(createModuleToFunctionPassAdaptor(InferAddressSpacesPass(simt::Generic)));
  runner.run(m, inference);
  useInferredAddresses(probes);
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
