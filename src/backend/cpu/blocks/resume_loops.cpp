#include "backend/cpu/blocks/resume_loops.h"

#include "backend/cpu/abi/block_context.h"
#include "backend/cpu/abi/thread_context.h"
#include "simt/ir/source_positions.h"

#include "llvm/Transforms/Utils/Cloning.h"

namespace heddle::cpu {

using namespace llvm;

namespace {

std::string resumeLoopName(const Function &thread) {
  return (thread.getName() + ".resume_loop").str();
}

/// Emits the loop around a call of `resume`.
CallInst *emitResumeLoop(Function &together, Function &resume) {
  LLVMContext &c = together.getContext();
  Value *context = together.getArg(0), *threads = together.getArg(1), *count = together.getArg(2);
  context->setName("context");
  BasicBlock *entry = BasicBlock::Create(c, "entry", &together);
  BasicBlock *loop = BasicBlock::Create(c, "thread", &together);
  BasicBlock *end = BasicBlock::Create(c, "end", &together);
  IRBuilder<> b(entry);
  b.SetCurrentDebugLocation(simt::artificialLocation(together));
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *i = b.CreatePHI(b.getInt64Ty(), 2, "i"), *waiting = b.CreatePHI(b.getInt64Ty(), 2);
  auto address = [&](Value *index, size_t offset) {
    Value *start = b.CreateMul(index, b.getInt64(sizeof(Waiting)), "", true, true);
    return b.CreateInBoundsPtrAdd(b.CreateInBoundsPtrAdd(threads, start), b.getInt64(offset));
  };
  Value *frame = b.CreateLoad(b.getPtrTy(), address(i, offsetof(Waiting, frame)), "frame");
  CallInst *call = b.CreateCall(&resume, frame);
  call->setCallingConv(resume.getCallingConv());
  Value *waits = b.CreateIsNotNull(b.CreateLoad(b.getPtrTy(), frame));
  Value *site = loadField(b, context, offsetof(BlockContext, barrierSite), b.getInt32Ty());
  Value *thread = b.CreateLoad(b.getInt32Ty(), address(i, offsetof(Waiting, thread)));
  // Also stored for a thread that has returned: the next thread overwrites the entry.
  b.CreateStore(frame, address(waiting, offsetof(Waiting, frame)));
  b.CreateStore(site, address(waiting, offsetof(Waiting, site)));
  b.CreateStore(thread, address(waiting, offsetof(Waiting, thread)));
  Value *next = b.CreateAdd(i, b.getInt64(1), "", true, true);
  Value *stillWaiting = b.CreateAdd(waiting, b.CreateZExt(waits, b.getInt64Ty()), "", true, true);
  for (auto [phi, value] : {std::pair(i, next), std::pair(waiting, stillWaiting)}) {
    phi->addIncoming(b.getInt64(0), entry);
    phi->addIncoming(value, loop);
  }
  b.CreateCondBr(b.CreateICmpULT(next, count), loop, end);
  b.SetInsertPoint(end);
  b.CreateRet(stillWaiting);
  return call;
}

void defineResumeLoop(Function &together, Function &resume) {
  LLVMContext &c = together.getContext();
  together.setLinkage(GlobalValue::InternalLinkage);
  AttributeSet attributes = resume.getAttributes().getFnAttrs();
  together.setAttributes(AttributeList().addFnAttributes(c, AttrBuilder(c, attributes)));
  addContextAttributes(together, 0);
  together.setSubprogram(resume.getSubprogram());
  CallInst *call = emitResumeLoop(together, resume);
  InlineFunctionInfo info;
  if (!InlineFunction(*call, info).isSuccess())
    return;
  resume.replaceAllUsesWith(&together);
  resume.eraseFromParent();
}

} // namespace

Function *declareResumeLoop(Function &thread) {
  LLVMContext &c = thread.getContext();
  Type *ptr = PointerType::get(c, 0), *i64 = Type::getInt64Ty(c);
  Function *f =
      Function::Create(FunctionType::get(i64, {ptr, ptr, i64}, false), GlobalValue::ExternalLinkage,
                       resumeLoopName(thread), thread.getParent());
  return f;
}

PreservedAnalyses EmitResumeLoops::run(Module &m, ModuleAnalysisManager &) {
  bool changed = false;
  for (Function &f : m) {
    Function *loop = isKernel(f) ? m.getFunction(resumeLoopName(f)) : nullptr;
    if (!loop || !loop->isDeclaration())
      continue;
    defineResumeLoop(*loop, *m.getFunction((f.getName() + ".resume").str()));
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::cpu
