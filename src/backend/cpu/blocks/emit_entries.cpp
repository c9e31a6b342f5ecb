#include "backend/cpu/blocks/emit_entries.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/thread_context.h"
#include "backend/cpu/blocks/resume_loops.h"
#include "simt/ir/remarks.h"
#include "simt/passes/order_threads.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

// Larger frames do not fit on the small stack of an arbitrary thread that runs a block.
constexpr uint64_t deepStackBytes = 32 * 1024;

Constant *createEntryDescriptor(Function &kernel, bool recursive) {
  LLVMContext &c = kernel.getContext();
  Type *i32 = Type::getInt32Ty(c);
  Type *ptr = PointerType::get(c, 0);
  auto number = [&](uint64_t v) { return ConstantInt::get(i32, v); };
  Plan plan = planOf(kernel);
  bool deep = recursive || plan.localBytes > deepStackBytes;
  Constant *null = ConstantPointerNull::get(cast<PointerType>(ptr));
  bool suspends = plan.barriers == BarrierForm::Coroutines;
  bool resumed = suspends && !plan.waitsForWarp;
  std::array<uint32_t, 3> block = plan.block.value_or(std::array<uint32_t, 3>{});
  return ConstantStruct::get(
      StructType::get(c, {i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32,
                          ArrayType::get(i32, 3), ptr, ptr, ptr}),
      {number(abiVersion), number(plan.sharedBytes), number(plan.localBytes), number(deep),
       number(plan.waitsForGrid), number(plan.yields), number(plan.waitsForWarp),
       number(plan.groups.width), number(plan.groups.linear), number(uint32_t(plan.grouped)),
       number(uint32_t(simt::threadOrderOf(kernel))), number(uint32_t(plan.runs)),
       ConstantDataArray::get(c, block), suspends ? null : &kernel, suspends ? &kernel : null,
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
    if (!isKernel(f))
      continue;
    std::string name = (simt::nameOfKernel(f) + ".entry").str();
    if (GlobalValue *taken = m.getNamedValue(name))
      taken->setName(name + ".function");
    Constant *entry = createEntryDescriptor(f, recursive);
    auto *g = new GlobalVariable(m, entry->getType(), /*isConstant=*/true,
                                 GlobalValue::ExternalLinkage, entry, name);
    g->setAlignment(Align(alignof(KernelEntry)));
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
