#include "backend/cpu/blocks/emit_entries.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/blocks/resume_loops.h"
#include "simt/ir/remarks.h"
#include "simt/passes/order_threads.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

// Larger frames do not fit on the small stack of an arbitrary thread that runs a block.
constexpr uint64_t deepStackBytes = 32 * 1024;

Constant *createEntry(Function &kernel, bool recursive) {
  LLVMContext &c = kernel.getContext();
  Type *i32 = Type::getInt32Ty(c);
  Type *ptr = PointerType::get(c, 0);
  auto number = [&](uint64_t v) { return ConstantInt::get(i32, v); };
  uint64_t local = numberAttribute(kernel, localBytesAttribute);
  bool deep = recursive || local > deepStackBytes;
  Constant *null = ConstantPointerNull::get(cast<PointerType>(ptr));
  auto ifEntered = [&](StringRef how) {
    bool is = kernel.getFnAttribute(entryAttribute).getValueAsString() == how;
    return is ? static_cast<Constant *>(&kernel) : null;
  };
  bool resumed = kernel.getFnAttribute(entryAttribute).getValueAsString() == "thread" &&
                 !kernel.hasFnAttribute(warpsAttribute);
  std::array<uint32_t, 3> block = fixedBlock(kernel).value_or(std::array<uint32_t, 3>{});
  return ConstantStruct::get(
      StructType::get(c, {i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32,
                          ArrayType::get(i32, 3), ptr, ptr, ptr}),
      {number(abiVersion), number(numberAttribute(kernel, sharedBytesAttribute)), number(local),
       number(deep), number(kernel.hasFnAttribute(cooperativeAttribute)),
       number(kernel.hasFnAttribute(yieldsAttribute)),
       number(kernel.hasFnAttribute(warpsAttribute)), number(widthOf(kernel)),
       number(kernel.hasFnAttribute(linearAttribute)), number(uint32_t(groupedOf(kernel))),
       number(uint32_t(simt::threadOrderOf(kernel))),
       number(numberAttribute(kernel, runsAttribute)), ConstantDataArray::get(c, block),
       ifEntered("block"), ifEntered("thread"),
       resumed ? static_cast<Constant *>(declareResumeLoop(kernel)) : null});
}

} // namespace

PreservedAnalyses EmitEntries::run(Module &m, ModuleAnalysisManager &) {
  for (Function &f : make_early_inc_range(m))
    if (f.isDeclaration() && f.use_empty())
      f.eraseFromParent();
  for (GlobalVariable &g : m.globals())
    if (g.hasAttribute(definedElsewhereAttribute))
      g.setInitializer(nullptr);
  bool recursive = any_of(m, [](Function &f) { return f.hasFnAttribute(recursiveAttribute); });
  for (Function &f : m) {
    if (f.isDeclaration() || !f.hasFnAttribute(entryAttribute))
      continue;
    std::string name = (simt::nameOf(f) + ".entry").str();
    if (GlobalValue *taken = m.getNamedValue(name))
      taken->setName(name + ".function");
    Constant *entry = createEntry(f, recursive);
    auto *g = new GlobalVariable(m, entry->getType(), /*isConstant=*/true,
                                 GlobalValue::ExternalLinkage, entry, name);
    g->setAlignment(Align(alignof(KernelEntry)));
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
