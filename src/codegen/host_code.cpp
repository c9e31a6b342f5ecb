#include "codegen/host_code.h"

#include "codegen/host_target.h"
#include "support/codegen_pipeline.h"
#include "support/diagnostic.h"
#include "support/llvm_errors.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

/// Finds bfloat values. With SVE, LLVM 22 cannot select conversions and masked stores of their vectors; with NEON it can.
bool usesBfloat(const llvm::Module &module) {
  auto isBfloat = [](const Value *v) { return v->getType()->getScalarType()->isBFloatTy(); };
  return any_of(module, [&](const Function &f) {
    return any_of(instructions(f), [&](const Instruction &i) {
      return isBfloat(&i) || any_of(i.operand_values(), isBfloat);
    });
  });
}

SmallVector<char, 0> generateCode(llvm::Module &module, bool optimize, Lowering lower,
                                  CodeGenFileType type) {
  std::unique_ptr<TargetMachine> target = createHostTargetMachine(optimize);
  LlvmErrorScope errors(module.getContext());
  lower(*target);
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  legacy::PassManager codegen;
  if (!addCodeGeneration(codegen, *target, os, type))
    throw CompileError(ErrorKind::Internal, "this host's target cannot write object files");
  codegen.run(module);
  errors.throwIfErrors();
  return bytes;
}

} // namespace

std::unique_ptr<MemoryBuffer> generateHostObject(llvm::Module &module, bool optimize,
                                                 Lowering lower) {
  return std::make_unique<SmallVectorMemoryBuffer>(
      generateCode(module, optimize, lower, CodeGenFileType::ObjectFile),
      module.getModuleIdentifier(),
      /*RequiresNullTerminator=*/false);
}

std::string generateHostAssembly(llvm::Module &module, bool optimize, Lowering lower) {
  SmallVector<char, 0> text = generateCode(module, optimize, lower, CodeGenFileType::AssemblyFile);
  return std::string(text.begin(), text.end());
}

std::string generateHostLlvmIr(llvm::Module &module, bool optimize, Lowering lower) {
  LlvmErrorScope errors(module.getContext());
  lower(*createHostTargetMachine(optimize));
  errors.throwIfErrors();
  std::string text;
  raw_string_ostream(text) << module;
  return text;
}

void setTarget(llvm::Module &module, TargetMachine &target) {
  module.setTargetTriple(target.getTargetTriple());
  module.setDataLayout(target.createDataLayout());
  std::string features = target.getTargetFeatureString().str();
  unsigned scalableUnits = scalableVectorBits() / 128;
  if (scalableUnits && usesBfloat(module)) {
    features += ",-sve";
    scalableUnits = 0;
  }
  for (Function &f : module)
    if (!f.isDeclaration()) {
      f.addFnAttr("target-cpu", target.getTargetCPU());
      f.addFnAttr("target-features", features);
      // The known size of scalable vectors lets fixed ones use their registers.
      if (scalableUnits)
        f.addFnAttr(
            Attribute::getWithVScaleRangeArgs(f.getContext(), scalableUnits, scalableUnits));
    }
}

} // namespace heddle::cpu
