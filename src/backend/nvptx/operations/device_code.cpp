#include "backend/nvptx/operations/device_code.h"

#include "support/diagnostic.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

namespace heddle::nvptx {

using namespace llvm;

void replaceCall(CallInst &call, Value *v) {
  call.replaceAllUsesWith(v);
  call.eraseFromParent();
}

bool lowerCalls(Function &f, function_ref<Value *(CallInst &)> lowered) {
  bool changed = false;
  for (CallInst *call : simtCalls(f))
    if (Value *v = lowered(*call)) {
      replaceCall(*call, v);
      changed = true;
    }
  return changed;
}

Value *emitPtx(IRBuilder<> &b, const Twine &text, ArrayRef<Value *> operands) {
  Type *type = operands[0]->getType();
  std::string reg = type->isIntegerTy(64) ? "l" : "r", constraints = "=" + reg;
  for (size_t i = 0; i < operands.size(); ++i)
    constraints += "," + reg;
  SmallVector<Type *, 2> types(operands.size(), type);
  auto *code = InlineAsm::get(FunctionType::get(type, types, false), text.str(), constraints,
                              /*hasSideEffects=*/false);
  CallInst *call = b.CreateCall(code, operands);
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

void linkDeviceCode(llvm::Module &m, StringRef text) {
  SMDiagnostic problem;
  std::unique_ptr<llvm::Module> code = parseAssemblyString(text, problem, m.getContext());
  if (!code)
    throw CompileError(ErrorKind::Internal, "device code in line " +
                                                std::to_string(problem.getLineNo()) + ": " +
                                                problem.getMessage().str());
  code->setDataLayout(m.getDataLayout());
  code->setTargetTriple(m.getTargetTriple());
  SmallVector<std::string, 4> names;
  for (const Function &f : *code)
    if (!f.isDeclaration())
      names.push_back(f.getName().str());
  if (Linker::linkModules(m, std::move(code)))
    throw CompileError(ErrorKind::Internal, "device code does not link");
  for (const std::string &name : names)
    m.getFunction(name)->setLinkage(GlobalValue::InternalLinkage);
}

} // namespace heddle::nvptx
