#include "backend/nvptx/codegen/link_libdevice.h"

#include "support/diagnostic.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"

// Defined in a file that cmake/Libdevice.cmake generates.
extern "C" {
extern const char heddle_libdevice_begin[];
extern const char heddle_libdevice_end[];
}

namespace heddle::nvptx {

using namespace llvm;

namespace {

constexpr const char *prefix = "__nv_";
/// Lets the code generator load two neighbors of a table of doubles at once.
constexpr Align tableAlignment = Align::Constant<16>();

bool callsLibdevice(const llvm::Module &m) {
  return any_of(m, [](const Function &f) {
    return f.isDeclaration() && f.getName().starts_with(prefix) && !f.use_empty();
  });
}

[[noreturn]] void throwLibdeviceError(const std::string &what) {
  throw CompileError(ErrorKind::Internal, "libdevice: " + what);
}

/// Opens libdevice lazily, without reading function bodies.
std::unique_ptr<llvm::Module> openLibdevice(const llvm::Module &m) {
  StringRef bytes(heddle_libdevice_begin, size_t(heddle_libdevice_end - heddle_libdevice_begin));
  Expected<std::unique_ptr<llvm::Module>> read =
      getLazyBitcodeModule(MemoryBufferRef(bytes, "libdevice"), m.getContext());
  if (!read)
    throwLibdeviceError(toString(read.takeError()));
  (*read)->setDataLayout(m.getDataLayout());
  (*read)->setTargetTriple(m.getTargetTriple());
  return std::move(*read);
}

/// The argument of a call of @__nvvm_reflect.
StringRef getReflectArgument(const CallInst &call) {
  const auto *name = dyn_cast<GlobalVariable>(call.getArgOperand(0)->stripPointerCasts());
  if (!name || !name->hasInitializer())
    return {};
  const auto *text = dyn_cast<ConstantDataSequential>(name->getInitializer());
  return text && text->isCString() ? text->getAsCString() : StringRef();
}

/// Removes the hints against unrolling from functions that are inlined. The loop that reduces large arguments of sin and
/// cos stores six elements of a local array. ptxas keeps the array in registers, where each store of the rolled loop needs
/// six selects; unrolled, the elements of a table also become constants. Functions that stay calls are slow paths: their
/// copies would add registers to every kernel that may call them, and time to its first call.
void removeNoUnrollHints(Function &f) {
  for (BasicBlock &block : f)
    block.getTerminator()->setMetadata(LLVMContext::MD_loop, nullptr);
}

} // namespace

PreservedAnalyses LinkLibdevice::run(llvm::Module &m, ModuleAnalysisManager &) {
  if (!callsLibdevice(m))
    return PreservedAnalyses::all();
  SmallPtrSet<const GlobalValue *, 16> own;
  for (const GlobalValue &value : m.global_values())
    if (!value.isDeclaration())
      own.insert(&value);
  if (Linker::linkModules(m, openLibdevice(m), Linker::Flags::LinkOnlyNeeded))
    throwLibdeviceError("does not link");

  for (Function &f : m)
    if (!f.isDeclaration() && !own.contains(&f)) {
      f.setLinkage(GlobalValue::InternalLinkage);
      if (!f.hasFnAttribute(Attribute::NoInline))
        removeNoUnrollHints(f);
    }
  for (GlobalVariable &table : m.globals())
    if (!own.contains(&table) && table.hasInitializer()) {
      table.setConstant(true); // the library writes none of its tables
      table.setAlignment(std::max(table.getAlign().valueOrOne(), tableAlignment));
    }
  if (Function *reflect = m.getFunction("__nvvm_reflect")) {
    for (User *user : make_early_inc_range(reflect->users())) {
      auto *call = cast<CallInst>(user);
      unsigned answer = StringSwitch<unsigned>(getReflectArgument(*call))
                            .Case("__CUDA_FTZ", options.flushDenormals)
                            .Case("__CUDA_ARCH", sm * 10)
                            .Case("__CUDA_PREC_SQRT", options.fastMath == FastMath::None)
                            .Default(0);
      call->replaceAllUsesWith(ConstantInt::get(call->getType(), answer));
      call->eraseFromParent();
    }
    reflect->eraseFromParent();
  }
  if (NamedMDNode *version = m.getNamedMetadata("nvvmir.version"))
    version->eraseFromParent();
  if (NamedMDNode *ident = m.getNamedMetadata("llvm.ident"))
    ident->eraseFromParent();
  for (const Function &f : m)
    if (f.isDeclaration() && f.getName().starts_with(prefix) && !f.use_empty())
      throwLibdeviceError("has no " + f.getName().str());
  return PreservedAnalyses::none();
}

} // namespace heddle::nvptx
