#include "backend/cpu/blocks/emit_entries.h"

#include "backend/cpu/blocks/block_context.h"
#include "backend/cpu/prepare/thread_context.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

// More local memory than this does not fit on the small stack of a thread that happens to run a block.
constexpr uint64_t deepStackBytes = 32 * 1024;

StringRef nameOf(const Function &kernel) {
  Attribute given = kernel.getFnAttribute(nameAttribute);
  return given.isValid() ? given.getValueAsString() : kernel.getName();
}

Constant *entryOf(Function &kernel, Function *wide, bool recursive) {
  LLVMContext &c = kernel.getContext();
  Type *i32 = Type::getInt32Ty(c);
  Type *ptr = PointerType::get(c, 0);
  auto number = [&](uint64_t v) { return ConstantInt::get(i32, v); };
  uint64_t local = numberAttribute(kernel, localBytesAttribute);
  bool deep = recursive || local > deepStackBytes;
  Constant *null = ConstantPointerNull::get(cast<PointerType>(ptr));
  auto ifEntered = [&](Function *f, StringRef how) {
    bool is = f && f->getFnAttribute(entryAttribute).getValueAsString() == how;
    return is ? static_cast<Constant *>(f) : null;
  };
  uint64_t shared = numberAttribute(kernel, sharedBytesAttribute);
  if (wide)
    shared = std::max(shared, numberAttribute(*wide, sharedBytesAttribute));
  return ConstantStruct::get(
      StructType::get(c, {i32, i32, i32, i32, i32, i32, i32, ptr, ptr, ptr, ptr}),
      {number(abiVersion), number(shared), number(local), number(deep),
       number(kernel.hasFnAttribute(cooperativeAttribute)),
       number(kernel.hasFnAttribute(warpsAttribute)),
       number(wide ? numberAttribute(*wide, widthAttribute) : 0), ifEntered(&kernel, "block"),
       ifEntered(&kernel, "thread"), ifEntered(wide, "block"), ifEntered(wide, "thread")});
}

/// By the name of the kernel whose wide form it is.
StringMap<Function *> wideForms(Module &m) {
  StringMap<Function *> forms;
  for (Function &f : m)
    if (f.hasFnAttribute(entryAttribute) && f.hasFnAttribute(wideFormAttribute))
      forms[f.getFnAttribute(wideFormAttribute).getValueAsString()] = &f;
  return forms;
}

} // namespace

PreservedAnalyses EmitEntries::run(Module &m, ModuleAnalysisManager &) {
  for (Function &f : make_early_inc_range(m))
    if (f.isDeclaration() && f.use_empty())
      f.eraseFromParent();
  bool recursive = any_of(m, [](Function &f) { return f.hasFnAttribute(recursiveAttribute); });
  StringMap<Function *> wide = wideForms(m);
  for (Function &f : m) {
    if (f.isDeclaration() || !f.hasFnAttribute(entryAttribute) ||
        f.hasFnAttribute(wideFormAttribute))
      continue;
    std::string name = (nameOf(f) + ".entry").str();
    if (GlobalValue *taken = m.getNamedValue(name))
      taken->setName(name + ".function");
    Constant *entry = entryOf(f, wide.lookup(f.getName()), recursive);
    auto *g = new GlobalVariable(m, entry->getType(), /*isConstant=*/true,
                                 GlobalValue::ExternalLinkage, entry, name);
    g->setAlignment(Align(alignof(KernelEntry)));
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
