// NumPy's functions of numbers over arrays, element by element into an output array: np.add(x, y, out).
#pragma once

#include "frontend/python/emit.h"

namespace heddle::python {

/// Whether `call`, of `entry`, gives one of NumPy's functions of numbers an array.
bool isOverArrays(const LibraryEntry &entry, const Value &call);

/// The output array of such a call; null when none is given.
Value *outputOf(const LibraryEntry &entry, const Value &call);

/// The type of such a call: its output array's. Throws CompileError (Typing) when the call cannot be.
Type typeOverArrays(const FunctionSource &source, const Value &call, const LibraryEntry &entry);

/// Emits such a call: one thread computes all elements, in the order of their indices.
Parts emitOverArrays(Emitter &e, Value &call, const LibraryEntry &entry);

/// Whether elements of type `to` take values of type `from` as an output: no number becomes a bool, no float an integer
/// (NumPy's casting rule "same_kind", but for signs).
bool takesOutput(Type to, Type from);

} // namespace heddle::python
