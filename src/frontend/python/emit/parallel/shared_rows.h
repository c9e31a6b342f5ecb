// Distributes the rows of an array assignment over several threads.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Smaller arrays are computed by one thread, because waking the others takes as long.
inline constexpr int64_t minSharedElements = 1 << 14;

/// The number of chunks for computing the rows of an array, split along the axis with the largest stride.
llvm::Value *emitRowChunkCount(Emitter &e, Type type, const Parts &array);

/// Makes the threads of the pool compute `array` from `sources`, split into chunks of rows. `emitPart` emits the
/// computation of the given rows into a chunk, in which the sources are bound to their corresponding rows.
///
/// Needs: sources with the array's shape, or broadcast to it. A row of the array overlaps only the same row of a
/// source.
void distributeRowsToThreads(Emitter &e, Type type, const Parts &array, llvm::Value *chunks,
                             llvm::ArrayRef<Value *> sources,
                             llvm::function_ref<void(Emitter &chunk, const Parts &rows)> emitPart);

/// The number of elements of an array of type `type`.
llvm::Value *countElements(Emitter &e, Type type, const Parts &array);

} // namespace heddle::python
