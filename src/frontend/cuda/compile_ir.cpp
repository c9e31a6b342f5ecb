#include "frontend/cuda/compile_ir.h"

#include "frontend/cuda/lower/simplify.h"
#include "simt/ir/ops.h"
#include "simt/ir/verifier.h"
#include "support/compiler_run.h"
#include "support/diagnostic.h"
#include "support/llvm_errors.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::cudacpp {

namespace {

[[noreturn]] void refuseFunction(const std::string &name, const std::string &why) {
  throw CompileError(ErrorKind::Lowering, "the LLVM IR of " + name + "() " + why);
}

/// LLVM's message with the source line.
std::string formatDiagnostic(const llvm::SMDiagnostic &problem) {
  return problem.getMessage().str() + "\n  " + problem.getLineContents().str();
}

void rejectUndefinedCalls(const llvm::Module &m, const std::string &name) {
  for (const llvm::Function &f : m)
    if (f.isDeclaration() && !f.isIntrinsic() && !simt::opNamed(f.getName()))
      refuseFunction(
          name, "calls '" + f.getName().str() +
                    "', which is not defined\n  hint: define the function in the module, or use "
                    "an LLVM instruction or intrinsic");
}

simt::OwnedModule parseIr(const std::string &text, const std::string &symbol,
                          const std::string &name) {
  simt::OwnedModule code;
  code.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic problem;
  code.module = llvm::parseAssemblyString(text, problem, *code.context);
  if (!code.module)
    refuseFunction(name, "is none: " + formatDiagnostic(problem));
  llvm::Function *f = code.module->getFunction(symbol);
  std::string broken;
  llvm::raw_string_ostream out(broken);
  if (!f || llvm::verifyModule(*code.module, &out))
    refuseFunction(name, "is not valid: " + broken);
  rejectUndefinedCalls(*code.module, name);
  for (llvm::GlobalValue &g : code.module->global_values())
    if (!g.isDeclaration())
      g.setLinkage(llvm::GlobalValue::InternalLinkage);
  f->setLinkage(llvm::GlobalValue::ExternalLinkage);
  f->addFnAttr(simt::exportAttribute);
  f->addFnAttr(llvm::Attribute::AlwaysInline);
  return code;
}

} // namespace

simt::OwnedModule readIr(const std::string &text, const std::string &symbol,
                         const std::string &name) {
  return runCompiler("reading LLVM IR", [=] { return parseIr(text, symbol, name); });
}

simt::OwnedModule compileIr(const std::string &text, const std::string &symbol,
                            const std::string &name) {
  return runCompiler("compiling LLVM IR", [=] {
    simt::OwnedModule code = parseIr(text, symbol, name);
    LlvmErrorScope errors(*code.context);
    Options unchecked;
    unchecked.backEnd.bounds = false;
    lowerToSimt(*code.module, unchecked);
    errors.throwIfErrors();
    if (std::string problem = simt::verify(*code.module); !problem.empty())
      throw CompileError(ErrorKind::Unsupported,
                         "kernels cannot run the LLVM IR of " + name + "(): " + problem);
    return code;
  });
}

} // namespace heddle::cudacpp
