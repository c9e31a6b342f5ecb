#include "frontend/python/emit/parallel/shared_iterations.h"

#include "simt/ir/host_memory.h"

namespace heddle::python {
namespace {

llvm::FunctionCallee declarePoolFunction(Emitter &e, const char *name, llvm::Type *result,
                                         llvm::ArrayRef<llvm::Type *> parameters) {
  return e.module().module().getOrInsertFunction(
      name, llvm::FunctionType::get(result, parameters, false));
}

} // namespace

ChunkInputs storeChunkInputs(Emitter &e, llvm::ArrayRef<llvm::Value *> values) {
  llvm::IRBuilder<> &b = e.b;
  llvm::SmallVector<llvm::Type *, 16> types;
  for (llvm::Value *value : values)
    types.push_back(value->getType());
  auto *type = llvm::StructType::get(b.getContext(), types);
  llvm::Value *memory = e.makeStackSlot(type, 1, llvm::Align(16));
  for (unsigned i = 0; i < values.size(); ++i)
    b.CreateStore(values[i], b.CreateStructGEP(type, memory, i));
  return {type, memory};
}

Parts loadChunkInput(Emitter &chunk, const ChunkInputs &shared, Type type, unsigned &next) {
  llvm::IRBuilder<> &b = chunk.b;
  llvm::Value *memory = chunk.llvmFunction().getArg(0);
  Parts parts;
  for (llvm::Type *part : partTypes(b.getContext(), type))
    parts.push_back(b.CreateLoad(part, b.CreateStructGEP(shared.type, memory, next++)));
  return parts;
}

llvm::Function *declareChunkFunction(ModuleEmitter &module, const TypedFunction &f) {
  llvm::LLVMContext &context = module.context();
  llvm::Type *pointer = llvm::PointerType::get(context, 0), *wide = llvm::Type::getInt64Ty(context);
  auto *type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, wide, wide, wide}, false);
  auto *chunk = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                       f.symbol + ".chunk", module.module());
  chunk->addFnAttr(llvm::Attribute::NoUnwind);
  return chunk;
}

llvm::Value *emitChunkCount(Emitter &e, llvm::Value *iterations) {
  return e.b.CreateCall(
      declarePoolFunction(e, simt::chunksFunction, e.b.getInt64Ty(), {iterations->getType()}),
      {iterations});
}

llvm::Value *emitCallThatRunsChunks(Emitter &e, llvm::Function *chunk, const ChunkInputs &shared,
                                    llvm::Value *iterations, llvm::Value *chunks) {
  llvm::IRBuilder<> &b = e.b;
  bool isGuarded = e.landingBlock();
  llvm::Value *raised = b.CreateCall(
      declarePoolFunction(e, isGuarded ? simt::guardedParallelFunction : simt::parallelFunction,
                          isGuarded ? b.getInt8Ty() : b.getVoidTy(),
                          {b.getPtrTy(), b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty()}),
      {chunk, shared.memory, iterations, chunks});
  return isGuarded ? b.CreateICmpNE(raised, b.getInt8(0)) : nullptr;
}

} // namespace heddle::python
