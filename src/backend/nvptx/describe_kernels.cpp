#include "backend/nvptx/describe_kernels.h"

#include "backend/nvptx/device_code.h"

#include "llvm/IR/CallingConv.h"
#include "llvm/IR/Module.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

void describeKernel(Function &f, const CompileOptions &options, const Target &target) {
  f.setCallingConv(CallingConv::PTX_Kernel);
  auto limit = [&](const char *name, unsigned value) {
    if (value)
      f.addFnAttr(name, std::to_string(value));
  };
  limit("nvvm.maxntid", options.launchBounds[0]);
  limit("nvvm.minctasm", options.launchBounds[1]);
  if (target.sm >= 90) // older GPUs have no clusters
    limit("nvvm.maxclusterrank", options.launchBounds[2]);
  limit("nvvm.maxnreg", options.maxRegisters);
}

} // namespace

PreservedAnalyses DescribeKernels::run(llvm::Module &m, ModuleAnalysisManager &) {
  for (Function &f : m) {
    if (f.isDeclaration())
      continue;
    f.setDoesNotThrow();
    if (options.fastMath)
      f.addFnAttr("denormal-fp-math-f32", "preserve-sign");
    if (isKernel(f))
      describeKernel(f, options, target);
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
