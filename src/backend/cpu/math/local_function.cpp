#include "backend/cpu/math/local_function.h"

#include "llvm/IR/Module.h"

namespace heddle::cpu {

using namespace llvm;

Function *createPureInternalFunction(Function &caller, FunctionType &type, StringRef name) {
  Function *f = Function::Create(&type, GlobalValue::InternalLinkage, name, *caller.getParent());
  for (StringRef of : {"target-cpu", "target-features", "min-legal-vector-width"})
    if (Attribute a = caller.getFnAttribute(of); a.isStringAttribute())
      f->addFnAttr(a);
  if (Attribute a = caller.getFnAttribute(Attribute::VScaleRange); a.isValid())
    f->addFnAttr(a);
  f->setDoesNotAccessMemory();
  f->setDoesNotThrow();
  f->setWillReturn();
  f->addFnAttr(Attribute::NoInline);
  return f;
}

} // namespace heddle::cpu
