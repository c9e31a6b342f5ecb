// Loops whose rounds several threads run.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The code of a Opcode::Parallel, and of the function by which a thread runs some of its rounds.
///
///     chunks = heddle_host_chunks(rounds)
///     partials := room for one partial result a chunk, of each reduction
///     heddle_host_parallel(chunk function, what it uses, rounds, chunks)
///     for each chunk, in order:  total := total (+) its partial result
///
/// The chunk function starts each reduction with what changes no result (0, 1, all ones; of a minimum, the value that the
/// variable has before the loop). Where loops are not shared, the rounds are one call.
/// One thread runs all rounds where they are not apart.
Parts emitParallel(Emitter &e, Value &v);

/// Whether no round of a Opcode::Parallel changes a list, a dict, a set or an instance that other rounds see.
bool roundsAreApart(const Value &loop);

} // namespace heddle::python
