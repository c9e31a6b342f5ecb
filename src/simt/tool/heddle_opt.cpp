// heddle-opt: runs passes on a file of SIMT IR (LLVM's text form), as LLVM's opt does on LLVM IR.
//
//     heddle-opt -passes=verify-simt,lower-shared -S kernel.ll -o -
//
// Knows heddle's passes (src/simt/passes.def, src/backend/cpu/passes.def) and LLVM's own. For developers and tests.

#include "backend/cpu/compile.h"
#include "backend/cpu/passes.h"
#include "simt/passes.h"
#include "support/llvm_errors.h"

#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;

namespace {

cl::OptionCategory category("heddle-opt");
cl::opt<std::string> input(cl::Positional, cl::desc("<file, or - for standard input>"),
                           cl::init("-"), cl::cat(category));
cl::opt<std::string> output("o", cl::desc("Output file"), cl::value_desc("file"), cl::init("-"),
                            cl::cat(category));
cl::opt<std::string> passNames("passes", cl::desc("Passes to run, separated by commas"),
                               cl::cat(category));
cl::opt<bool> asText("S", cl::desc("Write text (always the case)"), cl::cat(category));
cl::opt<bool> asAssembly("assembly", cl::desc("Compile for this host and write its assembly"),
                         cl::cat(category));
cl::opt<bool> hostLayout("host", cl::desc("Set the module's target to this host first"),
                         cl::cat(category));

/// What every failure of this program is: a text for standard error.
struct Failure {
  std::string text;
};

std::unique_ptr<Module> read(LLVMContext &context) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module = parseIRFile(input, problem, context);
  if (module)
    return module;
  std::string text;
  raw_string_ostream os(text);
  problem.print("heddle-opt", os, /*ShowColors=*/false);
  throw Failure{text};
}

void runPasses(Module &module, TargetMachine &target) {
  PassBuilder builder(&target);
  heddle::simt::registerPasses(builder);
  heddle::cpu::registerPasses(builder);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  if (Error e = builder.parsePassPipeline(passes, passNames))
    throw Failure{toString(std::move(e))};
  passes.run(module, modules);

  std::string broken;
  raw_string_ostream os(broken);
  if (verifyModule(module, &os))
    throw Failure{"the passes left broken IR:\n" + broken};
}

void write(const Module &module, const std::string &assembly) {
  std::error_code problem;
  ToolOutputFile file(output, problem, sys::fs::OF_Text);
  if (problem)
    throw Failure{"cannot write '" + output + "': " + problem.message()};
  if (asAssembly)
    file.os() << assembly;
  else
    module.print(file.os(), nullptr);
  file.keep();
}

void transform() {
  LLVMContext context;
  std::unique_ptr<Module> module = read(context);
  heddle::LlvmErrorScope errors(context);
  std::unique_ptr<TargetMachine> target = heddle::cpu::hostTargetMachine(true);
  if (hostLayout) {
    module->setTargetTriple(target->getTargetTriple());
    module->setDataLayout(target->createDataLayout());
  }
  if (!passNames.empty())
    runPasses(*module, *target);
  std::string assembly;
  if (asAssembly)
    assembly = heddle::cpu::compileToAssembly(*module, {});
  errors.check();
  write(*module, assembly);
}

} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "runs passes on SIMT IR\n");
  try {
    transform();
    return 0;
  } catch (const Failure &f) {
    errs() << "heddle-opt: " << f.text << "\n";
  } catch (const std::exception &e) {
    errs() << "heddle-opt: " << e.what() << "\n";
  }
  return 1;
}
