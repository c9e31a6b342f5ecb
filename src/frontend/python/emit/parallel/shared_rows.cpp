#include "frontend/python/emit/parallel/shared_rows.h"

#include "frontend/python/emit/parallel/shared_iterations.h"

namespace heddle::python {
namespace {

unsigned rowAxis(Type array) { return array->layout == Layout::F ? array->ndim - 1 : 0; }

/// The parts that a chunk cannot recreate.
Parts chunkInputParts(Emitter &e, Value &source) {
  return source.constant ? Parts() : e.parts(source);
}

/// Restricts an array to the rows of the chunk, unless a single row is broadcast to all `rows`.
void restrictArrayToRows(Emitter &chunk, Parts &array, unsigned ndim, unsigned axis,
                         llvm::Value *rows) {
  llvm::IRBuilder<> &b = chunk.b;
  llvm::Value *first = chunk.llvmFunction().getArg(2), *last = chunk.llvmFunction().getArg(3);
  llvm::Value *&extent = array[1 + axis], *stride = array[1 + ndim + axis];
  llvm::Value *hasRows = b.CreateICmpEQ(extent, rows);
  llvm::Value *skipped = b.CreateSelect(hasRows, b.CreateMul(first, stride), chunk.int64(0));
  array[0] = b.CreatePtrAdd(array[0], skipped);
  extent = b.CreateSelect(hasRows, b.CreateSub(last, first), extent);
}

} // namespace

llvm::Value *countElements(Emitter &e, Type type, const Parts &array) {
  llvm::Value *elements = e.int64(1);
  for (unsigned axis = 0; axis < type->ndim; ++axis)
    elements = e.b.CreateMul(elements, array[1 + axis]);
  return elements;
}

llvm::Value *emitRowChunkCount(Emitter &e, Type type, const Parts &array) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *rows = array[1 + rowAxis(type)];
  llvm::Value *alone = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rows, e.int64(1));
  llvm::Value *isShort = b.CreateICmpSLT(countElements(e, type, array), e.int64(minSharedElements));
  return b.CreateSelect(isShort, alone, emitChunkCount(e, rows));
}

void distributeRowsToThreads(Emitter &e, Type type, const Parts &array, llvm::Value *chunks,
                             llvm::ArrayRef<Value *> sources,
                             llvm::function_ref<void(Emitter &chunk, const Parts &rows)> emitPart) {
  unsigned axis = rowAxis(type);
  llvm::Value *rows = array[1 + axis];
  llvm::SmallVector<llvm::Value *, 16> values(array.begin(), array.end());
  for (Value *source : sources)
    values.append(chunkInputParts(e, *source));
  ChunkInputs shared = storeChunkInputs(e, values);

  llvm::Function *function = declareChunkFunction(e.module(), e.function());
  Emitter chunk(e.module(), e.function(), *function);
  auto *start = llvm::BasicBlock::Create(chunk.b.getContext(), "first", function);
  chunk.endEntryBlock(*start);
  chunk.b.SetInsertPoint(start);
  unsigned next = 0;
  Parts part = loadChunkInput(chunk, shared, type, next);
  llvm::Value *allRows = part[1 + axis];
  for (Value *source : sources) {
    if (source->constant)
      continue;
    Parts parts = loadChunkInput(chunk, shared, source->type, next);
    unsigned missing = source->type.isArray() ? type->ndim - source->type->ndim : 0;
    if (source->type.isArray() && axis >= missing)
      restrictArrayToRows(chunk, parts, source->type->ndim, axis - missing, allRows);
    chunk.bind(*source, std::move(parts));
  }
  restrictArrayToRows(chunk, part, type->ndim, axis, allRows);
  emitPart(chunk, part);
  chunk.b.CreateRetVoid();

  if (llvm::Value *raised = emitCallThatRunsChunks(e, function, shared, rows, chunks))
    e.branchToLandingBlockIf(raised);
}

} // namespace heddle::python
