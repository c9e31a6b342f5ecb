#include "frontend/python/emit/inline_ptx.h"

#include "llvm/IR/InlineAsm.h"

namespace heddle::python {

void PtxCall::addOutput(char constraint, llvm::Type *type) {
  constraints += std::string(constraints.empty() ? "=" : ",=") + constraint;
  outputs.push_back(type);
}

void PtxCall::addInput(char constraint, llvm::Value *value) {
  constraints += (constraints.empty() ? "" : ",") + std::string(1, constraint);
  inputs.push_back(value);
}

void PtxCall::addTiedInput(unsigned i, llvm::Value *value) {
  constraints += "," + std::to_string(i);
  inputs.push_back(value);
}

llvm::SmallVector<llvm::Value *, 8> emitInlinePtx(llvm::IRBuilder<> &b, const PtxCall &call) {
  llvm::SmallVector<llvm::Type *, 24> types;
  for (llvm::Value *input : call.inputs)
    types.push_back(input->getType());
  llvm::Type *result = returnTypeOfParts(b.getContext(), call.outputs);
  auto *type = llvm::FunctionType::get(result, types, /*isVarArg=*/false);
  std::string constraints = call.constraints + (!call.accessesMemory       ? ""
                                                : call.constraints.empty() ? "~{memory}"
                                                                           : ",~{memory}");
  llvm::CallInst *made = b.CreateCall(
      type, llvm::InlineAsm::get(type, call.text, constraints, call.accessesMemory), call.inputs);
  made->setDoesNotThrow();
  if (!call.accessesMemory)
    made->setDoesNotAccessMemory();
  if (call.isConvergent)
    made->setConvergent();
  if (call.outputs.size() == 1)
    return {made};
  llvm::SmallVector<llvm::Value *, 8> outputs;
  for (unsigned i = 0; i < call.outputs.size(); ++i)
    outputs.push_back(b.CreateExtractValue(made, i));
  return outputs;
}

void addSharedAddressInput(Emitter &e, PtxCall &call, llvm::Value *pointer) {
  if (e.module().architecture().isGpu)
    call.addInput('r', e.b.CreatePtrToInt(pointer, e.b.getInt32Ty()));
  else // with a pointer, analyses see the array
    call.addInput('l', pointer);
}

const char *addAddressInputAndGetSpace(Emitter &e, PtxCall &call, llvm::Value *pointer) {
  unsigned space = pointer->getType()->getPointerAddressSpace();
  if (e.module().architecture().isGpu && space == simt::Shared) {
    addSharedAddressInput(e, call, pointer);
    return ".shared";
  }
  bool isGlobal = e.module().architecture().isGpu && space == simt::Global;
  call.addInput('l',
                isGlobal ? pointer : e.b.CreateAddrSpaceCast(pointer, e.b.getPtrTy(simt::Generic)));
  return isGlobal ? ".global" : "";
}

} // namespace heddle::python
