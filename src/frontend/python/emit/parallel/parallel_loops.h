// Emits prange loops, whose iterations are divided among threads.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Emits an Opcode::Parallel, and the chunk function with which a thread runs some of the iterations.
///
///     chunks = heddle_host_chunks(iterations)
///     partials := one partial result per reduction and chunk
///     heddle_host_parallel(chunk function, inputs, iterations, chunks)
///     for each chunk, in order:  total := total (+) its partial result
///
/// The chunk function starts each reduction with the identity of its operation (0, 1, all ones); min and max start with
/// the value from before the loop. If loops are not shared, one call runs all iterations. One thread also runs them all
/// if they are not independent.
Parts emitParallel(Emitter &e, Value &v);

/// True if no iteration of an Opcode::Parallel changes a list, dict, set or instance that other iterations see.
bool hasIndependentIterations(const Value &loop);

} // namespace heddle::python
