#include "simt/passes/add_parameters.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"

namespace heddle::simt {

using namespace llvm;

Function *addParameters(Function &f, ArrayRef<Type *> front, ArrayRef<Type *> back) {
  SmallVector<Type *, 16> types(front);
  append_range(types, f.getFunctionType()->params());
  append_range(types, back);
  auto *type = FunctionType::get(f.getReturnType(), types, f.isVarArg());
  Function *g = Function::Create(type, f.getLinkage(), f.getAddressSpace());
  f.getParent()->getFunctionList().insert(f.getIterator(), g);
  g->takeName(&f);
  g->splice(g->begin(), &f);
  AttributeList old = f.getAttributes();
  SmallVector<AttributeSet, 16> attributes(front.size());
  for (Argument &a : f.args()) {
    Argument *moved = g->getArg(unsigned(front.size()) + a.getArgNo());
    moved->takeName(&a);
    a.replaceAllUsesWith(moved);
    attributes.push_back(old.getParamAttrs(a.getArgNo()));
  }
  g->copyAttributesFrom(&f);
  g->setAttributes(
      AttributeList::get(f.getContext(), old.getFnAttrs(), old.getRetAttrs(), attributes));
  g->copyMetadata(&f, 0);
  f.clearMetadata();
  return g;
}

} // namespace heddle::simt
