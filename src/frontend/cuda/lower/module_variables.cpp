#include "frontend/cuda/lower/module_variables.h"

#include "simt/ir/ops.h"
#include "simt/ir/source_positions.h"
#include "support/diagnostic.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/ReplaceConstant.h"

namespace heddle::cudacpp {

using namespace llvm;

namespace {

/// Replaces `g` by the start of the launch's dynamic shared memory, queried at the top of each function that uses it.
void replaceUsesByDynamicShared(GlobalVariable &g) {
  Constant *constants[] = {&g};
  convertUsersOfConstantsToInstructions(constants);
  DenseMap<Function *, Value *> starts;
  for (Use &use : make_early_inc_range(g.uses())) {
    auto *user = dyn_cast<Instruction>(use.getUser());
    if (!user)
      continue;
    Function *f = user->getFunction();
    Value *&start = starts[f];
    if (!start) {
      IRBuilder<> b(&*f->getEntryBlock().getFirstInsertionPt());
      b.SetCurrentDebugLocation(simt::artificialLocation(*f));
      start = simt::call(b, simt::Op::DynamicShared, {});
    }
    use.set(start);
  }
}

/// True if it is declared as `x[]`.
bool hasNoSize(const GlobalVariable &g) {
  const auto *array = dyn_cast<ArrayType>(g.getValueType());
  return array && array->getNumElements() == 0;
}

/// Moves a constant to address space 4.
void moveToConstantMemory(GlobalVariable &g) {
  auto *moved = new GlobalVariable(*g.getParent(), g.getValueType(), /*isConstant=*/true,
                                   GlobalValue::InternalLinkage, g.getInitializer(), "", nullptr,
                                   GlobalValue::NotThreadLocal, simt::Constant);
  moved->takeName(&g);
  moved->setAlignment(g.getAlign());
  g.replaceAllUsesWith(ConstantExpr::getPointerBitCastOrAddrSpaceCast(moved, g.getType()));
  g.eraseFromParent();
}

[[noreturn]] void refuse(const GlobalVariable &g, const std::string &why) {
  throw CompileError(ErrorKind::Unsupported, "'" + demangle(g.getName()) + "': " + why);
}

} // namespace

void lowerModuleVariables(llvm::Module &m) {
  SmallVector<GlobalVariable *, 16> all(make_pointer_range(m.globals()));
  for (GlobalVariable *variable : all) {
    GlobalVariable &g = *variable;
    g.removeDeadConstantUsers();
    g.setVisibility(GlobalValue::DefaultVisibility);
    g.setComdat(nullptr);
    g.setDSOLocal(false);
    if (g.use_empty() && !g.isExternallyInitialized()) {
      g.eraseFromParent();
      continue;
    }
    if (g.getAddressSpace() == simt::Shared) {
      if (!g.hasInitializer() && hasNoSize(g)) {
        replaceUsesByDynamicShared(g);
        g.removeDeadConstantUsers();
        g.eraseFromParent();
      } else {
        g.setLinkage(GlobalValue::InternalLinkage);
        g.setInitializer(PoisonValue::get(g.getValueType()));
      }
      continue;
    }
    if (!g.hasInitializer())
      refuse(g, "declared, but not defined in this program\n  hint: a program is a single source: "
                "define the variable in it");
    if (g.isConstant() && !g.isExternallyInitialized()) {
      moveToConstantMemory(g);
    } else {
      g.setConstant(false); // the host may write it even if kernels may not
      g.setLinkage(GlobalValue::ExternalLinkage);
    }
  }
}

} // namespace heddle::cudacpp
