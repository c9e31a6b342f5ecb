// Distributes iterations over the threads of the pool, in chunks.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Values that the chunks read, in memory of the function that distributes the work.
struct SharedValues {
  llvm::StructType *type;
  llvm::Value *memory;
};
SharedValues storeShared(Emitter &e, llvm::ArrayRef<llvm::Value *> values);

/// In a chunk, loads the next shared value, which has type `type`, and advances `next` past its parts.
Parts loadShared(Emitter &chunk, const SharedValues &shared, Type type, unsigned &next);

/// Declares `void (ptr shared, i64 chunk, i64 first, i64 last)`, which runs the iterations [first, last).
llvm::Function *makeChunk(ModuleEmitter &module, const TypedFunction &f);

/// The number of chunks for a number of iterations: 0 for none, 1 if this thread should run them all.
llvm::Value *emitChunkCount(Emitter &e, llvm::Value *iterations);

/// Runs the chunks. If exceptions are caught here, returns an i1 that is set if a chunk has raised. Otherwise returns
/// null, and exceptions leave the call.
llvm::Value *runChunks(Emitter &e, llvm::Function *chunk, const SharedValues &shared,
                       llvm::Value *iterations, llvm::Value *chunks);

} // namespace heddle::python
