#include "backend/nvptx/operations/shared.h"

#include "backend/nvptx/operations/device_code.h"
#include "simt/ir/inline_assembly.h"
#include "simt/ir/ops.h"

namespace heddle::nvptx {

using namespace llvm;

namespace {

const Align vectorAlignment(16); // the widest load (PTX ISA, ld: .v4.b32)

/// Adds the external variable for dynamic shared memory. Kernels must not have its name (check_resources.cpp), because
/// PTX has one name space per module.
GlobalVariable *addDynamicShared(Module &m, Align alignment) {
  auto *type = ArrayType::get(Type::getInt8Ty(m.getContext()), 0);
  auto *v = new GlobalVariable(m, type, /*isConstant=*/false, GlobalValue::ExternalLinkage,
                               /*Initializer=*/nullptr, "heddle_dynamic_shared", nullptr,
                               GlobalValue::NotThreadLocal, simt::Shared);
  v->setAlignment(alignment);
  return v;
}

bool alignSharedVariables(Module &m, Align alignment) {
  bool changed = false;
  const DataLayout &dl = m.getDataLayout();
  for (GlobalVariable &g : m.globals()) {
    if (g.getAddressSpace() != simt::Shared || g.isDeclaration() ||
        dl.getTypeAllocSize(g.getValueType()) < alignment.value())
      continue;
    g.setAlignment(std::max(g.getAlign().valueOrOne(), alignment));
    changed = true;
  }
  return changed;
}

} // namespace

PreservedAnalyses LowerShared::run(Module &m, ModuleAnalysisManager &) {
  bool changed = alignSharedVariables(m, vectorAlignment);
  Align dynamicAlignment = vectorAlignment;
  if (m.getNamedMetadata(simt::warpgroupFactors) || usesWarpgroupProducts(m)) {
    dynamicAlignment = Align(simt::warpgroupAlignment);
    changed |= alignSharedVariables(m, dynamicAlignment);
  }
  GlobalVariable *dynamic = nullptr;
  for (Function &f : m) {
    for (CallInst *call : simtCalls(f)) {
      std::optional<simt::Op> op = simt::calledOp(call);
      if (op == simt::Op::SharedStart) {
        // The shared window starts at address 0, which is not a null pointer in this address space.
        replaceCall(*call, ConstantPointerNull::get(cast<PointerType>(call->getType())));
        changed = true;
      } else if (op == simt::Op::DynamicShared) {
        if (!dynamic)
          dynamic = addDynamicShared(m, dynamicAlignment);
        replaceCall(*call, dynamic);
        changed = true;
      }
    }
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::nvptx
