// Work that the threads of the pool share: rounds, in chunks.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Values that the chunks read, in memory of the function that shares the work.
struct SharedValues {
  llvm::StructType *type;
  llvm::Value *memory;
};
SharedValues storeShared(Emitter &e, llvm::ArrayRef<llvm::Value *> values);

/// The next parts, of a value of type `type`, in a chunk; `next` moves behind them.
Parts loadShared(Emitter &chunk, const SharedValues &shared, Type type, unsigned &next);

/// `void (ptr shared, i64 chunk, i64 first, i64 last)`, without a body: it runs the rounds from `first` to before `last`.
llvm::Function *makeChunk(ModuleEmitter &module, const TypedFunction &f);

/// How many chunks the threads make of so many rounds: none of none, one where this thread is to run them.
llvm::Value *chunksOf(Emitter &e, llvm::Value *rounds);

/// Runs the chunks. What one raises leaves the call; where exceptions are caught, it is the result whether one has raised,
/// else null.
llvm::Value *runChunks(Emitter &e, llvm::Function *chunk, const SharedValues &shared,
                       llvm::Value *rounds, llvm::Value *chunks);

} // namespace heddle::python
