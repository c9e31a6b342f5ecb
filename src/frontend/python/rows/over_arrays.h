// NumPy's functions of numbers over arrays, element by element into an output array: np.add(x, y, out).
#pragma once

#include "frontend/python/rows/row.h"

namespace heddle::python {

/// Whether `call`, of `row`, gives one of NumPy's functions of numbers an array.
bool isOverArrays(const LibraryRow &row, const Value &call);

/// Whether `v` is such a call that makes the array of its results.
bool isArrayExpression(const Value &v);

/// The output array of such a call; null when none is given.
Value *outputOf(const LibraryRow &row, const Value &call);

/// The type of such a call: its output array's, or that of a new array. Throws CompileError (Typing) when the call cannot be.
Type typeOverArrays(const TypedFunction &function, const Value &call, const LibraryRow &row);

/// How many arguments come before the output array.
size_t inputsOf(const LibraryRow &row);

/// The call of the function for one element of each operand: what its row knows to type and emit.
Value callForElements(const Value &call, const LibraryRow &row, llvm::ArrayRef<Value *> elements);

/// Whether elements of type `to` take values of type `from` as an output: no number becomes a bool, no float an integer
/// (NumPy's casting rule "same_kind", but for signs).
bool takesOutput(Type to, Type from);

} // namespace heddle::python
