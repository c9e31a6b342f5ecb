#include "frontend/cuda/compile.h"

#include "frontend/cuda/clang_session.h"
#include "frontend/cuda/kernel_interface.h"
#include "frontend/cuda/simplify.h"
#include "simt/verifier.h"
#include "support/diagnostic.h"
#include "support/llvm_errors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"

namespace heddle::cudacpp {

namespace {

constexpr const char *expressionPrefix = "__heddle_expression_";

/// A name expression inside the quotes of a #line.
std::string quoted(llvm::StringRef expression) {
  std::string text;
  for (char c : expression) {
    if (c == '"' || c == '\\')
      text += '\\';
    text += llvm::isPrint(c) || c < 0 ? c : ' ';
  }
  return text;
}

/// The source with a variable for each name expression, which instantiates what the expression names and leads to it.
/// The expression has a line of its own: the one that messages show.
std::string withExpressions(const std::string &source, std::span<const std::string> expressions) {
  if (expressions.empty())
    return source;
  std::string text = source + "\n";
  for (size_t i = 0; i < expressions.size(); ++i)
    text += "#line 1 \"name expression '" + quoted(expressions[i]) + "'\"\n" +
            "extern \"C\" __device__ const void *const " + expressionPrefix + std::to_string(i) +
            " = (const void *)(\n#line 1\n" + expressions[i] + "\n);\n";
  return text;
}

/// Reads those variables, and removes them.
void readExpressions(Program &program, std::span<const std::string> expressions) {
  for (size_t i = 0; i < expressions.size(); ++i) {
    llvm::GlobalVariable *g =
        program.module->getGlobalVariable(expressionPrefix + std::to_string(i), true);
    const llvm::Value *named =
        g && g->hasInitializer() ? g->getInitializer()->stripPointerCasts() : nullptr;
    if (!named || !named->hasName())
      throw CompileError(ErrorKind::Value, "the name expression '" + expressions[i] +
                                               "' names no kernel and no variable of this program");
    program.expressions[expressions[i]] = named->getName().str();
    g->eraseFromParent();
  }
  llvm::erase_if(program.variables, [](const VariableInfo &v) {
    return llvm::StringRef(v.symbol).starts_with(expressionPrefix);
  });
}

/// The host sets variables that are the program's own for C++ (static, of a type without a name), too.
void openToTheHost(llvm::Module &m, std::span<const VariableInfo> variables) {
  for (const VariableInfo &v : variables)
    if (llvm::GlobalVariable *g = m.getNamedGlobal(v.symbol); g && !v.isConst) {
      g->setLinkage(llvm::GlobalValue::ExternalLinkage);
      g->setExternallyInitialized(true);
    }
}

/// What Clang leaves in a module for linkers and other targets.
void dropForeignMetadata(llvm::Module &m) {
  for (const char *name : {"llvm.used", "llvm.compiler.used"})
    if (llvm::GlobalVariable *g = m.getGlobalVariable(name, true))
      g->eraseFromParent();
  for (const char *name : {"nvvm.annotations", "llvm.ident", "nvvmir.version", "llvm.errno.tbaa"})
    if (llvm::NamedMDNode *node = m.getNamedMetadata(name))
      node->eraseFromParent();
}

} // namespace

Program compile(const std::string &source, const std::string &file, const Options &options,
                std::span<const std::string> expressions, unsigned architecture) {
  Program program;
  program.context = std::make_unique<llvm::LLVMContext>();
  LlvmErrorScope errors(*program.context);
  Translation translation = translate(withExpressions(source, expressions), file, options,
                                      architecture, *program.context);
  program.module = std::move(translation.module);
  program.kernels = std::move(translation.facts.kernels);
  program.variables = std::move(translation.facts.variables);
  program.log = std::move(translation.log);

  llvm::Module &m = *program.module;
  readExpressions(program, expressions);
  dropForeignMetadata(m);
  openToTheHost(m, program.variables);
  makeKernelInterface(m, program.kernels);
  simplify(m, options);
  llvm::erase_if(program.variables, [&](const VariableInfo &v) {
    const llvm::GlobalValue *g = m.getNamedValue(v.symbol);
    return !g || g->hasLocalLinkage();
  });
  errors.check();
  if (std::string problem = simt::verify(m); !problem.empty())
    throw CompileError(ErrorKind::Internal, "the front end made invalid SIMT IR: " + problem);
  return program;
}

} // namespace heddle::cudacpp
