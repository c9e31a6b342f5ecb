#include "backend/nvptx/compile.h"

#include "backend/nvptx/codegen/target_machine.h"
#include "backend/nvptx/operations/device_code.h"
#include "backend/nvptx/operations/error_record.h"
#include "backend/nvptx/passes.h"
#include "backend/nvptx/tune/coarsen_threads.h"
#include "simt/ir/kernel_parameters.h"
#include "simt/ir/remarks.h"
#include "simt/ir/verifier.h"
#include "simt/passes/order_threads.h"
#include "simt/passes/passes.h"
#include "simt/thresholds.h"
#include "support/codegen_pipeline.h"
#include "support/diagnostic.h"
#include "support/llvm_errors.h"
#include "support/pass_runner.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/LegacyPassManager.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

bool shouldOptimize(const llvm::Module &module, const CompileOptions &options) {
  return options.optimize && all_of(module, [](const Function &f) {
           return f.getInstructionCount() <= thresholds::maxGpuModuleSize;
         });
}

/// The properties that a launch needs of each kernel, in the module's order. Reads attributes set by the passes.
std::vector<KernelCode> collectKernelProperties(const llvm::Module &module) {
  std::vector<KernelCode> kernels;
  StringSet<> coarsenedForms;
  for (const Function &f : module) {
    if (!isKernel(f))
      continue;
    KernelCode code;
    code.name = f.getName().str();
    code.cooperative = f.hasFnAttribute(cooperativeAttribute);
    code.recursive = f.hasFnAttribute(recursiveAttribute);
    code.order = simt::threadOrderOf(f);
    if (any_of(f.args(), [](const Argument &a) { return simt::structureBytesOf(a) != 0; }))
      for (const Argument &a : f.args())
        code.parameterBytes.push_back(uint32_t(std::max<uint64_t>(1, simt::structureBytesOf(a))));
    auto [factor, name] = f.getFnAttribute(coarsenedAttribute).getValueAsString().split(',');
    if (!factor.getAsInteger(10, code.coarsening)) {
      code.coarsened = name.str();
      coarsenedForms.insert(name);
    }
    kernels.push_back(std::move(code));
  }
  erase_if(kernels, [&](const KernelCode &k) { return coarsenedForms.contains(k.name); });
  return kernels;
}

/// Restricts the compile units of `module` to `.loc` and `.file` directives: the driver's assembler does not optimize
/// code with a debug information section.
void keepLineDirectivesOnly(llvm::Module &module) {
  stripNonLineTableDebugInfo(module);
  DenseMap<const DICompileUnit *, DICompileUnit *> replaced;
  LLVMContext &c = module.getContext();
  for (Function &f : module) {
    DISubprogram *s = f.getSubprogram();
    if (!s || !s->getUnit())
      continue;
    DICompileUnit *&unit = replaced[s->getUnit()];
    if (!unit) {
      const DICompileUnit *old = s->getUnit();
      unit = DICompileUnit::getDistinct(
          c, old->getSourceLanguage(), old->getFile(), old->getProducer(), old->isOptimized(),
          old->getFlags(), old->getRuntimeVersion(), old->getSplitDebugFilename(),
          DICompileUnit::DebugDirectivesOnly, nullptr, nullptr, nullptr, nullptr, nullptr,
          old->getDWOId(), old->getSplitDebugInlining(), old->getDebugInfoForProfiling(),
          old->getNameTableKind(), old->getRangesBaseAddress(), old->getSysRoot(), old->getSDK());
    }
    s->replaceUnit(unit);
  }
  if (NamedMDNode *units = module.getNamedMetadata("llvm.dbg.cu")) {
    units->clearOperands();
    for (auto [old, unit] : replaced)
      units->addOperand(unit);
  }
}

/// Removes source locations that the options do not ask for.
void reduceDebugInfo(llvm::Module &module, const CompileOptions &options) {
  if (options.debug)
    return;
  if (options.lineInfo)
    keepLineDirectivesOnly(module);
  else
    StripDebugInfo(module);
}

/// Runs all passes before code generation. The result has no text yet.
Ptx lowerAndOptimize(llvm::Module &module, TargetMachine &machine, const CompileOptions &options,
                     const Target &target) {
  if (std::string broken = simt::verify(module); !broken.empty())
    throw CompileError(ErrorKind::Internal, "not SIMT IR:\n" + broken);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());

  PassRunner runner(&machine);
  simt::registerAnalyses(runner.functions());
  ModulePassManager passes;
  addLoweringPasses(passes, options, target);
  runner.run(module, passes);
  Ptx ptx;
  ptx.kernels = collectKernelProperties(module);
  ptx.hasAtomicLoops =
      any_of(module, [](const Function &f) { return f.hasFnAttribute(atomicLoopAttribute); });
  ptx.reportsErrors = module.getNamedGlobal(errorChannelName);
  reduceDebugInfo(module, options);

  ModulePassManager optimization;
  addOptimizationPasses(optimization, shouldOptimize(module, options));
  runner.run(module, optimization);
  ptx.remarks = simt::remarksOf(module);
  return ptx;
}

/// Returns Off for a module without loops. There, sinking only stretches long expressions over the branches that follow,
/// one instruction each. In between, their operands occupy registers: a public kernel of an FFT needs 80 registers with
/// it. In a module with loops, it moves computations past loops, where their results would occupy registers.
Sinking chooseInstructionSinking(llvm::Module &module) {
  for (Function &f : module) {
    if (f.isDeclaration())
      continue;
    DominatorTree tree(f);
    if (!LoopInfo(tree).empty())
      return Sinking::On;
  }
  return Sinking::Off;
}

std::string generatePtx(llvm::Module &module, TargetMachine &target) {
  SmallString<0> text;
  raw_svector_ostream os(text);
  legacy::PassManager codegen;
  if (!addCodeGeneration(codegen, target, os, CodeGenFileType::AssemblyFile,
                         chooseInstructionSinking(module)))
    throw CompileError(ErrorKind::Internal, "LLVM's NVPTX target cannot write PTX");
  codegen.run(module);
  return std::string(text);
}

std::string formatIr(const llvm::Module &module) {
  std::string text;
  raw_string_ostream(text) << module;
  return text;
}

} // namespace

Ptx compileToPtx(llvm::Module &module, const CompileOptions &options, const Target &target) {
  std::unique_ptr<TargetMachine> machine =
      makeTargetMachine(specializeTarget(target, module), options.optimize);
  LlvmErrorScope errors(module.getContext());
  Ptx ptx = lowerAndOptimize(module, *machine, options, target);
  errors.throwIfErrors();
  ptx.text = generatePtx(module, *machine);
  errors.throwIfErrors();
  return ptx;
}

std::string compileToLlvmIr(llvm::Module &module, const CompileOptions &options,
                            const Target &target) {
  std::unique_ptr<TargetMachine> machine =
      makeTargetMachine(specializeTarget(target, module), options.optimize);
  LlvmErrorScope errors(module.getContext());
  lowerAndOptimize(module, *machine, options, target);
  errors.throwIfErrors();
  return formatIr(module);
}

} // namespace heddle::nvptx
