#include "backend/nvptx/device_code.h"

#include "simt/ops.h"
#include "simt/verifier.h"
#include "support/diagnostic.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

namespace heddle::nvptx {

using namespace llvm;

bool isKernel(const Function &f) {
  return !f.isDeclaration() && f.hasFnAttribute(simt::kernelAttribute);
}

SmallVector<CallInst *, 8> simtCalls(Function &f) {
  SmallVector<CallInst *, 8> calls;
  for (Instruction &i : instructions(f))
    if (simt::calledOp(&i))
      calls.push_back(cast<CallInst>(&i));
  return calls;
}

void replaceCall(CallInst &call, Value *v) {
  call.replaceAllUsesWith(v);
  call.eraseFromParent();
}

void addCode(llvm::Module &m, StringRef text) {
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
