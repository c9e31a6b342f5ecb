#include "frontend/cuda/compile.h"

#include "frontend/cuda/clang/session.h"
#include "frontend/cuda/libraries.h"
#include "frontend/cuda/lower/kernel_interface.h"
#include "frontend/cuda/lower/simplify.h"
#include "simt/ir/verifier.h"
#include "support/compiler_run.h"
#include "support/diagnostic.h"
#include "support/llvm_errors.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"

namespace heddle::cudacpp {

namespace {

constexpr const char *expressionPrefix = "__heddle_expression_";

/// Escapes a name expression for a #line directive.
std::string escapeExpression(llvm::StringRef expression) {
  std::string text;
  for (char c : expression) {
    if (c == '"' || c == '\\')
      text += '\\';
    text += llvm::isPrint(c) || c < 0 ? c : ' ';
  }
  return text;
}

/// Appends a variable for each name expression, which instantiates the template and refers to it. Each expression has
/// its own #line for messages.
std::string appendNameExpressions(const std::string &source,
                                  std::span<const std::string> expressions) {
  // Clang finds the start of a line through the next one; the final newline avoids repeated searches.
  std::string text = source + "\n";
  for (size_t i = 0; i < expressions.size(); ++i)
    text += "#line 1 \"name expression '" + escapeExpression(expressions[i]) + "'\"\n" +
            "extern \"C\" __device__ const void *const " + expressionPrefix + std::to_string(i) +
            " = (const void *)(\n#line 1\n" + expressions[i] + "\n);\n";
  return text;
}

/// Records the symbol that each name expression refers to, and removes the variables of appendNameExpressions().
void resolveNameExpressions(CompiledProgram &program, std::span<const std::string> expressions) {
  for (size_t i = 0; i < expressions.size(); ++i) {
    llvm::GlobalVariable *g =
        program.code.module->getGlobalVariable(expressionPrefix + std::to_string(i), true);
    const llvm::Value *named =
        g && g->hasInitializer() ? g->getInitializer()->stripPointerCasts() : nullptr;
    if (!named || !named->hasName())
      throw CompileError(ErrorKind::Value,
                         "the name expression '" + expressions[i] +
                             "' does not name a kernel or variable of this program");
    program.expressions[expressions[i]] = named->getName().str();
    g->eraseFromParent();
  }
  llvm::erase_if(program.variables, [](const VariableInfo &v) {
    return llvm::StringRef(v.symbol).starts_with(expressionPrefix);
  });
}

/// Makes variables with internal C++ linkage (static, or of an unnamed type) accessible to the host too.
void makeVariablesExternal(llvm::Module &m, std::span<const VariableInfo> variables) {
  for (const VariableInfo &v : variables)
    if (llvm::GlobalVariable *g = m.getNamedGlobal(v.symbol); g && !v.isConst) {
      g->setLinkage(llvm::GlobalValue::ExternalLinkage);
      g->setExternallyInitialized(true);
    }
}

/// Removes globals and metadata that Clang adds for linkers and other targets.
void dropForeignMetadata(llvm::Module &m) {
  for (const char *name : {"llvm.used", "llvm.compiler.used"})
    if (llvm::GlobalVariable *g = m.getGlobalVariable(name, true))
      g->eraseFromParent();
  for (const char *name : {"nvvm.annotations", "llvm.ident", "nvvmir.version", "llvm.errno.tbaa"})
    if (llvm::NamedMDNode *node = m.getNamedMetadata(name))
      node->eraseFromParent();
}

CompiledProgram translateProgram(const std::string &source, const std::string &file,
                                 const Options &options, Architecture architecture) {
  Translation translation = translate(source, file, options, architecture);
  CompiledProgram program;
  program.code = std::move(translation.code);
  program.kernels = std::move(translation.facts.kernels);
  program.variables = std::move(translation.facts.variables);
  program.functions = std::move(translation.facts.functions);
  program.functionTemplates = std::move(translation.facts.functionTemplates);
  program.log = std::move(translation.log);
  return program;
}

void lowerProgramToSimt(CompiledProgram &program, const Options &options) {
  llvm::Module &m = *program.code.module;
  lowerToSimt(m, options);
  llvm::erase_if(program.variables, [&](const VariableInfo &v) {
    const llvm::GlobalValue *g = m.getNamedValue(v.symbol);
    return !g || g->hasLocalLinkage();
  });
}

void verify(const llvm::Module &m) {
  if (std::string problem = simt::verify(m); !problem.empty())
    throw CompileError(ErrorKind::Internal, "the front end generated invalid SIMT IR: " + problem);
}

CompiledProgram compileKernels(const std::string &source, const std::string &file,
                               const Options &options, std::span<const std::string> expressions,
                               Architecture architecture) {
  CompiledProgram program =
      translateProgram(appendNameExpressions(source, expressions), file, options, architecture);
  LlvmErrorScope errors(*program.code.context);
  resolveNameExpressions(program, expressions);
  dropForeignMetadata(*program.code.module);
  makeVariablesExternal(*program.code.module, program.variables);
  makeKernelInterface(*program.code.module, program.kernels, options.backEnd.bounds);
  lowerProgramToSimt(program, options);
  errors.throwIfErrors();
  verify(*program.code.module);
  return program;
}

CompiledProgram compileFunctions(const std::string &source, const std::string &file,
                                 const Options &options, Architecture architecture) {
  CompiledProgram program = translateProgram(source, file, options, architecture);
  LlvmErrorScope errors(*program.code.context);
  llvm::Module &m = *program.code.module;
  dropForeignMetadata(m);
  makeVariablesExternal(m, program.variables);
  program.kernels.clear(); // also removes the functions that only kernels call
  makeKernelInterface(m, program.kernels, /*bounds=*/false);
  llvm::erase_if(program.functions, [&](const FunctionInfo &info) {
    llvm::Function *f = m.getFunction(info.symbol);
    if (!f || f->isDeclaration())
      return true;
    f->setLinkage(llvm::GlobalValue::ExternalLinkage);
    f->addFnAttr(simt::exportAttribute);
    return false;
  });
  Options unchecked = options; // they may be compiled for a GPU
  unchecked.backEnd.bounds = false;
  lowerProgramToSimt(program, unchecked);
  errors.throwIfErrors();
  verify(m);
  return program;
}

/// Runs `compile`, and runs it again with the folder of CUDA's libraries if a header is missing. Most programs do not
/// include the libraries, and compile faster without them.
template <class Compile>
CompiledProgram compileWithLibrariesIfNeeded(Options options, const Compile &compile) {
  constexpr const char *doing = "compiling a CUDA C++ program";
  llvm::erase_if(options.includeFolders, isNvidiaFolder);
  try {
    return runCompiler(doing, [&] { return compile(options); });
  } catch (const LibrariesMissing &) {
    Options more = options;
    more.librariesFolder = findLibrariesFolder();
    if (more.librariesFolder.empty())
      throw;
    return runCompiler(doing, [&] { return compile(more); });
  }
}

} // namespace

CompiledProgram compile(const std::string &source, const std::string &file, const Options &options,
                        std::span<const std::string> expressions, Architecture architecture) {
  return compileWithLibrariesIfNeeded(options, [&](const Options &used) {
    return compileKernels(source, file, used, expressions, architecture);
  });
}

CompiledProgram compileDeviceFunctions(const std::string &source, const std::string &file,
                                       const Options &options, Architecture architecture) {
  return compileWithLibrariesIfNeeded(options, [&](const Options &used) {
    return compileFunctions(source, file, used, architecture);
  });
}

} // namespace heddle::cudacpp
