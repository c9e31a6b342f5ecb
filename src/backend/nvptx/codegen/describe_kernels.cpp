#include "backend/nvptx/codegen/describe_kernels.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/kernel_parameters.h"

#include "llvm/IR/CallingConv.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

void addKernelAttributes(Function &f, const CompileOptions &options, const Target &target) {
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

/// Passes structures in parameter memory, which all threads read.
void passStructuresByValue(Function &kernel) {
  LLVMContext &c = kernel.getContext();
  for (Argument &a : kernel.args())
    if (uint64_t bytes = simt::structureBytesOf(a))
      a.addAttr(Attribute::getWithByValType(c, ArrayType::get(Type::getInt8Ty(c), bytes)));
}

bool usesBfloat(const Function &f) {
  return any_of(instructions(f), [](const Instruction &i) {
    return i.getType()->isBFloatTy() ||
           any_of(i.operands(), [](const Use &u) { return u->getType()->isBFloatTy(); });
  });
}

} // namespace

PreservedAnalyses DescribeKernels::run(llvm::Module &m, ModuleAnalysisManager &) {
  for (Function &f : m) {
    if (f.isDeclaration())
      continue;
    f.setDoesNotThrow();
    // Lanes that take different branches are better off with comparisons.
    f.addFnAttr("no-jump-tables", "true");
    // LLVM 22 also flushes comparisons of bfloats, for which PTX has no instruction.
    if (options.flushDenormals && !usesBfloat(f))
      f.addFnAttr("denormal-fp-math-f32", "preserve-sign");
    if (isKernel(f)) {
      addKernelAttributes(f, options, target);
      passStructuresByValue(f);
    }
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
