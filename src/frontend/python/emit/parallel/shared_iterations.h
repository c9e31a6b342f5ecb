// Distributes iterations over the threads of the pool, in chunks.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Values that the chunks read, in memory of the function that distributes the work.
struct ChunkInputs {
  llvm::StructType *type;
  llvm::Value *memory;
};
/// Stores values on the stack of the current function, where the chunks can read them.
ChunkInputs storeChunkInputs(Emitter &e, llvm::ArrayRef<llvm::Value *> values);

/// In a chunk, loads the next input, a value of type `type`, and advances `next` past its parts.
Parts loadChunkInput(Emitter &chunk, const ChunkInputs &shared, Type type, unsigned &next);

/// Declares `void (ptr shared, i64 chunk, i64 first, i64 last)`, which runs the iterations [first, last).
llvm::Function *declareChunkFunction(ModuleEmitter &module, const TypedFunction &f);

/// The number of chunks for a number of iterations: 0 for none, 1 if this thread should run them all.
llvm::Value *emitChunkCount(Emitter &e, llvm::Value *iterations);

/// Emits the call that runs the chunks. If exceptions are caught here, returns an i1 that is set if a chunk has raised.
/// Otherwise returns null, and exceptions leave the call.
llvm::Value *emitCallThatRunsChunks(Emitter &e, llvm::Function *chunk, const ChunkInputs &shared,
                                    llvm::Value *iterations, llvm::Value *chunks);

} // namespace heddle::python
