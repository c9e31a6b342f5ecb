// Assignments to the elements of an array whose rows several threads compute.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Fewer elements are one thread's: waking the others takes as long.
inline constexpr int64_t fewestShared = 1 << 14;

/// In how many chunks the threads of the pool compute the rows of an array: parts along the axis with the longest steps.
llvm::Value *chunksOfRows(Emitter &e, Type type, const Parts &array);

/// Has the threads of the pool compute `array` from `sources`, in so many chunks of rows. `emitPart` emits, into a chunk in
/// which the sources are bound to what belongs to its rows, the computation of the rows that it is given.
///
/// Needs: sources of the array's shape, or broadcast to it, which no row but the same one of the array overlaps.
void shareRows(Emitter &e, Type type, const Parts &array, llvm::Value *chunks,
               llvm::ArrayRef<Value *> sources,
               llvm::function_ref<void(Emitter &chunk, const Parts &rows)> emitPart);

/// How many elements an array of type `type` has.
llvm::Value *countElements(Emitter &e, Type type, const Parts &array);

} // namespace heddle::python
