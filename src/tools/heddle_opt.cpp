// heddle-opt: runs passes on a file of SIMT IR (LLVM assembly), as LLVM's opt does on LLVM IR.
//
//     heddle-opt -passes=verify-simt,lower-shared -S kernel.ll -o -
//
//     heddle-opt -ptx -sm=90 -ptx-version=90 kernel.ll
//
// Knows the passes of LLVM and of heddle (passes.def in src/simt, src/backend/cpu, src/backend/nvptx and
// src/host/passes). For developers and tests.

#include "backend/cpu/compile.h"
#include "backend/cpu/passes.h"
#include "backend/nvptx/compile.h"
#include "backend/nvptx/passes.h"
#include "codegen/host_target.h"
#include "frontend/ptx/lower_inline_ptx.h"
#include "host/passes/passes.h"
#include "simt/passes/passes.h"
#include "support/compiler_run.h"
#include "support/llvm_errors.h"
#include "support/pass_runner.h"

#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Target/TargetMachine.h"

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
cl::opt<bool> asPtx("ptx", cl::desc("Compile for an NVIDIA GPU and write PTX"), cl::cat(category));
cl::opt<unsigned> sm("sm", cl::desc("The GPU: 10 * compute capability"), cl::init(75),
                     cl::cat(category));
cl::opt<unsigned> ptxVersion("ptx-version", cl::desc("10 * PTX ISA; the oldest when absent"),
                             cl::cat(category));
cl::opt<bool> fastMath("fastmath", cl::desc("Compile as with cuda.jit(fastmath=True)"),
                       cl::cat(category));
cl::opt<bool> debugInfo("debug", cl::desc("Compile as with cuda.jit(debug=True)"),
                        cl::cat(category));
cl::opt<bool> lineInfo("lineinfo", cl::desc("Compile as with cuda.jit(lineinfo=True)"),
                       cl::cat(category));
cl::opt<bool> noOptimization("no-opt", cl::desc("Compile as with cuda.jit(opt=False)"),
                             cl::cat(category));
cl::opt<unsigned> maxRegisters("max-registers",
                               cl::desc("Compile as with cuda.jit(max_registers=)"),
                               cl::cat(category));
cl::list<unsigned> launchBounds("launch-bounds", cl::CommaSeparated,
                                cl::desc("Compile as with cuda.jit(launch_bounds=)"),
                                cl::cat(category));

heddle::CompileOptions compileOptions() {
  heddle::CompileOptions options;
  options.fastMath = fastMath ? heddle::FastMath::All : heddle::FastMath::None;
  options.flushDenormals = fastMath;
  options.debug = debugInfo;
  options.lineInfo = lineInfo;
  options.optimize = !noOptimization;
  options.maxRegisters = maxRegisters;
  for (size_t i = 0; i < std::min(launchBounds.size(), options.launchBounds.size()); ++i)
    options.launchBounds[i] = launchBounds[unsigned(i)];
  return options;
}

heddle::nvptx::Target ptxTarget() {
  heddle::nvptx::Target target = heddle::nvptx::targetFor({sm / 10, sm % 10});
  if (ptxVersion)
    target.ptxVersion = ptxVersion;
  return target;
}

/// An error of this program, with the text for standard error.
struct Failure {
  std::string text;
};

std::unique_ptr<Module> readModule(LLVMContext &context) {
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
  heddle::PassRunner runner(&target);
  heddle::simt::registerAnalyses(runner.functions());
  heddle::simt::registerPasses(runner.builder());
  heddle::ptx::registerPasses(runner.builder());
  heddle::cpu::registerPasses(runner.builder());
  heddle::host::registerPasses(runner.builder());
  heddle::nvptx::registerPasses(runner.builder(), compileOptions(), ptxTarget());
  ModulePassManager passes;
  if (Error e = runner.builder().parsePassPipeline(passes, passNames))
    throw Failure{toString(std::move(e))};
  runner.run(module, passes);

  std::string broken;
  raw_string_ostream os(broken);
  if (verifyModule(module, &os))
    throw Failure{"the passes left broken IR:\n" + broken};
}

/// Writes PTX, followed by comments with the kernel properties and the remarks.
std::string compileToPtx(Module &module) {
  heddle::nvptx::Ptx ptx = heddle::nvptx::compileToPtx(module, compileOptions(), ptxTarget());
  raw_string_ostream os(ptx.text);
  for (const heddle::nvptx::KernelCode &k : ptx.kernels) {
    os << "// kernel " << k.name;
    if (k.cooperative)
      os << " cooperative";
    if (k.coarsening > 1)
      os << " coarsened " << k.coarsening << " " << k.coarsened;
    os << "\n";
  }
  for (const std::string &remark : ptx.remarks)
    os << "// remark " << remark << "\n";
  return ptx.text;
}

void writeOutput(const Module &module, const std::string &assembly) {
  std::error_code problem;
  ToolOutputFile file(output, problem, sys::fs::OF_Text);
  if (problem)
    throw Failure{"cannot write '" + output + "': " + problem.message()};
  if (asAssembly || asPtx)
    file.os() << assembly;
  else
    module.print(file.os(), nullptr);
  file.keep();
}

void runTool() {
  LLVMContext context;
  std::unique_ptr<Module> module = readModule(context);
  heddle::LlvmErrorScope errors(context);
  std::unique_ptr<TargetMachine> target = heddle::cpu::createHostTargetMachine(true);
  if (hostLayout) {
    module->setTargetTriple(target->getTargetTriple());
    module->setDataLayout(target->createDataLayout());
  }
  if (!passNames.empty())
    runPasses(*module, *target);
  std::string assembly;
  if (asAssembly) {
    heddle::ptx::translateInlinePtx(*module);
    assembly = heddle::cpu::compileToAssembly(*module, {});
  } else if (asPtx)
    assembly = compileToPtx(*module);
  errors.throwIfErrors();
  writeOutput(*module, assembly);
}

} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "runs passes on SIMT IR\n");
  try {
    heddle::runCompiler("running passes", [] { runTool(); });
    return 0;
  } catch (const Failure &f) {
    errs() << "heddle-opt: " << f.text << "\n";
  } catch (const std::exception &e) {
    errs() << "heddle-opt: " << e.what() << "\n";
  }
  return 1;
}
