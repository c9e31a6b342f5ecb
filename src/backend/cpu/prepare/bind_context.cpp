#include "backend/cpu/prepare/bind_context.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/thread_context.h"
#include "simt/passes/add_parameters.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

Function *prependNamedParameters(Function &f, ArrayRef<Type *> types, ArrayRef<StringRef> names) {
  Function *g = simt::addParameters(f, types, {});
  g->setLinkage(GlobalValue::InternalLinkage);
  for (auto [i, name] : enumerate(names))
    g->getArg(unsigned(i))->setName(name);
  return g;
}

Function *addKernelContextParameters(Function &f) {
  LLVMContext &c = f.getContext();
  Type *i32 = Type::getInt32Ty(c);
  Function *g = prependNamedParameters(f, {PointerType::get(c, 0), i32, i32, i32},
                                       {"context", "tid.x", "tid.y", "tid.z"});
  for (unsigned i = 1; i < kernelContextParameters; ++i)
    g->addParamAttr(i, Attribute::NoUndef);
  return g;
}

Function *addContextParameter(Function &f) {
  Function *g = prependNamedParameters(f, {PointerType::get(f.getContext(), 0)}, {"context"});
  // Turning a tail call into a jump would hide infinite recursion from the stack check.
  if (g->hasFnAttribute(recursiveAttribute))
    g->addFnAttr("disable-tail-calls", "true");
  return g;
}

void passContextToCallee(CallInst &call, Function &callee) {
  IRBuilder<> b(&call);
  storeThreadIndex(b);
  SmallVector<Value *, 8> arguments{contextOf(*call.getFunction())};
  append_range(arguments, call.args());
  AttributeList old = call.getAttributes();
  SmallVector<AttributeSet, 8> parameters(1);
  for (unsigned i = 0; i < call.arg_size(); ++i)
    parameters.push_back(old.getParamAttrs(i));
  CallInst *bound = b.CreateCall(&callee, arguments);
  // The call now reads the context, so drop its memory attribute.
  AttributeSet function = old.getFnAttrs().removeAttribute(b.getContext(), Attribute::Memory);
  bound->setAttributes(AttributeList::get(b.getContext(), function, old.getRetAttrs(), parameters));
  bound->setDebugLoc(call.getDebugLoc());
  if (isa<FPMathOperator>(bound))
    bound->copyFastMathFlags(&call);
  bound->takeName(&call);
  call.replaceAllUsesWith(bound);
  call.eraseFromParent();
}

} // namespace

void storeThreadIndex(IRBuilderBase &b) {
  Function &f = *b.GetInsertBlock()->getParent();
  if (!isKernel(f))
    return;
  for (unsigned i = 0; i < 3; ++i)
    b.CreateStore(f.getArg(ThreadXArgument + i),
                  emitFieldAddress(b, contextOf(f), offsetof(BlockContext, thread) + 4 * i));
}

PreservedAnalyses BindContext::run(Module &m, ModuleAnalysisManager &) {
  SmallVector<std::pair<Function *, Function *>> bound;
  for (Function &f : make_early_inc_range(m)) {
    if (f.isDeclaration())
      continue;
    Function *g = isKernel(f) ? addKernelContextParameters(f) : addContextParameter(f);
    g->removeFnAttr(Attribute::Memory);
    g->addFnAttr(Attribute::NoUnwind);
    addContextAttributes(*g, ContextArgument);
    bound.push_back({&f, g});
  }
  for (auto [from, to] : bound) {
    for (Use &use : make_early_inc_range(from->uses()))
      if (auto *call = dyn_cast<CallInst>(use.getUser()); call && call->isCallee(&use))
        passContextToCallee(*call, *to);
      else // passed to a callee, which calls it
        use.set(to);
    from->eraseFromParent();
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::cpu
