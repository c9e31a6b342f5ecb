#include "backend/cpu/operations/shared.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/plan.h"
#include "backend/cpu/abi/thread_context.h"
#include "simt/ir/inline_assembly.h"
#include "simt/ir/ops.h"
#include "support/diagnostic.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

// The runtime's alignment of BlockContext::shared.
constexpr uint64_t blockMemoryAlignment = 64;
constexpr uint64_t dynamicAlignment = 16;
// Of the tiles that bulk copies take. Programs often leave it out, because ptxas aligns arrays in practice.
constexpr uint64_t tileAlignment = 16;

using Variables = SmallSetVector<GlobalVariable *, 8>;

/// The shared variables used by a function, and whether it uses dynamic shared memory or its start.
struct SharedUse {
  Variables variables;
  bool dynamic = false;
  bool start = false;
};

SharedUse collectSharedUse(Function &f) {
  SharedUse use;
  for (Instruction &i : instructions(f)) {
    for (Value *v : i.operands())
      if (auto *g = dyn_cast<GlobalVariable>(v); g && g->getAddressSpace() == simt::Shared)
        use.variables.insert(g);
    use.dynamic |= simt::calledOp(&i) == simt::Op::DynamicShared;
    use.start |= simt::calledOp(&i) == simt::Op::SharedStart;
  }
  return use;
}

/// True if variables may be factors of warpgroups, which are aligned relative to the start of shared memory.
bool mayHaveWarpgroupFactors(const Module &m) { return m.getNamedMetadata(simt::warpgroupFactors); }

/// Lays out variables consecutively.
struct Layout {
  uint64_t bytes = 0;
  MapVector<GlobalVariable *, uint64_t> offsets;

  void addVariable(GlobalVariable &g) {
    if (offsets.contains(&g))
      return;
    const DataLayout &dl = g.getDataLayout();
    uint64_t size = dl.getTypeAllocSize(g.getValueType()).getFixedValue();
    uint64_t alignment = std::min(dl.getPreferredAlign(&g).value(), blockMemoryAlignment);
    if (size >= tileAlignment)
      alignment = std::max(alignment, tileAlignment);
    if (mayHaveWarpgroupFactors(*g.getParent()) && size >= simt::warpgroupAlignment)
      alignment = simt::warpgroupAlignment;
    bytes = alignTo(bytes, alignment);
    offsets[&g] = bytes;
    bytes = SaturatingAdd(bytes, size);
    // Keeps offsets far from overflow; the launch checks the sum against the device's limit.
    if (bytes > UINT32_MAX)
      throw CompileError(ErrorKind::Lowering, "shared variable '" +
                                                  demangle(g.getName().rsplit(".data").first) +
                                                  "' of " + std::to_string(size) +
                                                  " bytes does not fit in a block's shared memory");
  }
};

/// Lowers a function's accesses for a layout. Dynamic shared memory starts at `dynamicOffset`.
void lowerSharedUses(Function &f, const SharedUse &use, const Layout &layout,
                     uint64_t dynamicOffset) {
  if (use.variables.empty() && !use.dynamic && !use.start)
    return;
  IRBuilder<> b(f.getContext());
  b.SetInsertPoint(entryInsertionPoint(f));
  LoadInst *generic =
      loadConstantField(b, contextOf(f), offsetof(BlockContext, shared), b.getPtrTy());
  LLVMContext &c = f.getContext();
  generic->setMetadata(LLVMContext::MD_nonnull, MDNode::get(c, {}));
  generic->setMetadata(LLVMContext::MD_align,
                       MDNode::get(c, ConstantAsMetadata::get(b.getInt64(blockMemoryAlignment))));
  Value *base = b.CreateAddrSpaceCast(generic, b.getPtrTy(simt::Shared), "shared");
  auto at = [&](uint64_t offset) {
    return offset ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset) : base;
  };
  for (GlobalVariable *g : use.variables) {
    Value *address = at(layout.offsets.find(g)->second);
    g->replaceUsesWithIf(address, [&](Use &u) {
      auto *i = dyn_cast<Instruction>(u.getUser());
      return i && i->getFunction() == &f;
    });
  }
  Value *dynamic = use.dynamic ? at(dynamicOffset) : nullptr;
  for (CallInst *call : simtCalls(f)) {
    std::optional<simt::Op> op = simt::calledOp(call);
    if (op != simt::Op::DynamicShared && op != simt::Op::SharedStart)
      continue;
    call->replaceAllUsesWith(op == simt::Op::DynamicShared ? dynamic : base);
    call->eraseFromParent();
  }
}

} // namespace

PreservedAnalyses LowerShared::run(Module &m, ModuleAnalysisManager &) {
  SmallVector<Constant *> variables;
  for (GlobalVariable &g : m.globals())
    if (g.getAddressSpace() == simt::Shared)
      variables.push_back(&g);
  convertUsersOfConstantsToInstructions(variables);

  MapVector<Function *, SharedUse> uses;
  Layout common;
  bool dynamicOutOfLine = false;
  for (Function &f : m) {
    if (f.isDeclaration())
      continue;
    SharedUse use = collectSharedUse(f);
    if (!isKernel(f)) {
      for (GlobalVariable *g : use.variables)
        common.addVariable(*g);
      dynamicOutOfLine |= use.dynamic;
    }
    uses[&f] = std::move(use);
  }

  MapVector<Function *, Layout> layouts;
  uint64_t largest = common.bytes;
  for (auto &[f, use] : uses) {
    Layout layout = common;
    for (GlobalVariable *g : use.variables)
      layout.addVariable(*g);
    largest = std::max(largest, layout.bytes);
    layouts[f] = std::move(layout);
  }
  for (auto &[f, use] : uses) {
    // An out-of-line function does not know its kernel, so all kernels use the same offset.
    uint64_t bytes = dynamicOutOfLine ? largest : layouts[f].bytes;
    if ((use.dynamic || dynamicOutOfLine) && mayHaveWarpgroupFactors(m))
      bytes = alignTo(bytes, simt::warpgroupAlignment);
    if (isKernel(*f)) {
      Plan plan = planOf(*f);
      plan.sharedBytes = bytes;
      setPlan(*f, plan);
    }
    lowerSharedUses(*f, use, layouts[f], alignTo(bytes, dynamicAlignment));
  }
  for (Constant *g : variables)
    if (g->use_empty())
      cast<GlobalVariable>(g)->eraseFromParent();
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
