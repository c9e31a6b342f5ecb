#include "backend/cpu/abi/thread_context.h"

#include "backend/cpu/abi/runtime_symbols.h"
#include "simt/ir/ops.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

namespace heddle::cpu {

using namespace llvm;

Value *contextOf(Function &f) { return f.getArg(ContextArgument); }

void addContextAttributes(Function &f, unsigned index) {
  LLVMContext &c = f.getContext();
  f.addParamAttr(index, Attribute::NonNull);
  f.addParamAttr(index, Attribute::NoUndef);
  f.addParamAttr(index, Attribute::getWithDereferenceableBytes(c, sizeof(BlockContext)));
  f.addParamAttr(index, Attribute::getWithAlignment(c, Align(alignof(BlockContext))));
}

Value *emitFieldAddress(IRBuilderBase &b, Value *context, size_t offset) {
  return offset ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), context, offset) : context;
}

LoadInst *loadField(IRBuilderBase &b, Value *context, size_t offset, Type *type) {
  return b.CreateLoad(type, emitFieldAddress(b, context, offset));
}

void markInvariantLoad(LoadInst &load) {
  MDNode *empty = MDNode::get(load.getContext(), {});
  load.setMetadata(LLVMContext::MD_invariant_load, empty);
  load.setMetadata(LLVMContext::MD_noundef, empty);
}

LoadInst *loadConstantField(IRBuilderBase &b, Value *context, size_t offset, Type *type,
                            uint64_t min, uint64_t bound) {
  LoadInst *load = loadField(b, context, offset, type);
  markInvariantLoad(*load);
  if (bound) {
    unsigned bits = type->getIntegerBitWidth();
    MDBuilder md(b.getContext());
    load->setMetadata(LLVMContext::MD_range, md.createRange(APInt(bits, min), APInt(bits, bound)));
  }
  return load;
}

CallInst *emitFrameAllocation(IRBuilderBase &b, Value *context, Value *bytes, Value *alignment) {
  Type *i64 = b.getInt64Ty();
  auto *type = FunctionType::get(b.getPtrTy(), {b.getPtrTy(), i64, i64}, false);
  Module &m = *b.GetInsertBlock()->getModule();
  FunctionCallee allocate = m.getOrInsertFunction(allocateFrameSymbol.name, type);
  cast<Function>(allocate.getCallee())->addFnAttr(Attribute::NoUnwind);
  return b.CreateCall(allocate, {context, bytes, alignment});
}

BasicBlock::iterator entryInsertionPoint(Function &f) {
  return f.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
}

} // namespace heddle::cpu
