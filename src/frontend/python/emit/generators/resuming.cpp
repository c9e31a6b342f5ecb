#include "frontend/python/emit/generators/resuming.h"

#include "frontend/python/emit/containers/iteration.h"
#include "frontend/python/emit/generators/frame.h"
#include "frontend/python/emit/generators/yielding_function.h"
#include "frontend/python/types/iteration.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {

namespace {

TypedFunction &generatorFunction(Type generator) {
  return *static_cast<TypedFunction *>(const_cast<void *>(generator->identity));
}

/// Resumes one generator; true if it has yielded a value.
llvm::Value *emitResume(Emitter &e, Type generator, llvm::Value *frame) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *step =
      b.CreateCall(getOrDeclareResumeFunction(e.module(), generatorFunction(generator)), {frame});
  llvm::Value *raised = b.CreateICmpEQ(step, b.getInt8(simt::GeneratorRaised));
  if (e.landingBlock()) {
    e.branchToLandingBlockIf(raised);
  } else {
    auto block = [&](const char *name) {
      return llvm::BasicBlock::Create(b.getContext(), name, &e.llvmFunction());
    };
    llvm::BasicBlock *leave = block("leave"), *go = block("go");
    b.CreateCondBr(raised, leave, go);
    b.SetInsertPoint(leave);
    auto *type = llvm::FunctionType::get(b.getVoidTy(), false);
    b.CreateCall(e.module().module().getOrInsertFunction(simt::leaveFunction, type))
        ->setDoesNotReturn();
    b.CreateUnreachable();
    b.SetInsertPoint(go);
  }
  return b.CreateICmpEQ(step, b.getInt8(simt::GeneratorYielded));
}

} // namespace

llvm::Value *emitResumeGenerators(Emitter &e, Type iterable, llvm::ArrayRef<llvm::Value *> parts,
                                  llvm::Value *iteration) {
  llvm::IRBuilder<> &b = e.b;
  if (iterable.isGenerator())
    return emitResume(e, iterable, parts[0]);
  if (!resumesGenerators(iterable))
    return b.CreateICmpSLT(iteration,
                           emitTripCount(e, iterable, Parts(parts.begin(), parts.end())));
  // The first generator without a further value ends the loop. The remaining ones are not resumed.
  parts = parts.drop_front(iterable->iterator == IteratorKind::Enumerate);
  auto *done = llvm::BasicBlock::Create(b.getContext(), "resumed", &e.llvmFunction());
  llvm::SmallVector<std::pair<llvm::Value *, llvm::BasicBlock *>, 4> ends;
  for (Type element : iterable->elements) {
    size_t size = partTypes(b.getContext(), element).size();
    llvm::Value *more = emitResumeGenerators(e, element, parts.take_front(size), iteration);
    parts = parts.drop_front(size);
    ends.push_back({more, b.GetInsertBlock()});
    auto *next = llvm::BasicBlock::Create(b.getContext(), "next", &e.llvmFunction());
    b.CreateCondBr(more, next, done);
    b.SetInsertPoint(next);
  }
  ends.push_back({b.getTrue(), b.GetInsertBlock()});
  b.CreateBr(done);
  b.SetInsertPoint(done);
  llvm::PHINode *all = b.CreatePHI(b.getInt1Ty(), ends.size());
  for (auto [more, end] : ends)
    all->addIncoming(more, end);
  return all;
}

Parts emitNextCall(Emitter &e, Value &call, Value &generator) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *frame = e.parts(generator)[0];
  llvm::Value *more = emitResume(e, generator.type, frame);
  auto *ended = llvm::BasicBlock::Create(b.getContext(), "ended", &e.llvmFunction());
  auto *go = llvm::BasicBlock::Create(b.getContext(), "go", &e.llvmFunction());
  b.CreateCondBr(more, go, ended);
  b.SetInsertPoint(ended);
  unsigned site = e.module().addRaiseSite(e.function(), call.span, "StopIteration", {});
  e.trap(site);
  b.SetInsertPoint(go);
  StoredValue yielded = yieldedValue(b, generator.type, frame);
  OwnerList owners = yielded.owners();
  e.owners().retain(owners);
  e.owners().takeOverReferences(call, std::move(owners));
  return yielded.parts();
}

} // namespace heddle::python
