// NumPy scalar functions applied elementwise to arrays: np.add(x, y, out).
#pragma once

#include "frontend/python/rows/row.h"

namespace heddle::python {

/// True if `call` passes an array to the elementwise NumPy function `row`.
bool isElementwiseCall(const LibraryRow &row, const Value &call);

/// True if `v` is an elementwise call that allocates its result.
bool isArrayExpression(const Value &v);

/// The output array of an elementwise call; null if none is given.
Value *findOutputArgument(const LibraryRow &row, const Value &call);

/// The type of an elementwise call: that of its output array or of a new array. Throws CompileError (Typing).
Type typeElementwiseCall(const TypedFunction &function, const Value &call, const LibraryRow &row);

/// The number of parameters before the output array.
size_t inputCount(const LibraryRow &row);

/// Builds the scalar call on one element of each operand. The row then types and emits that call.
Value makeScalarCallForElement(const Value &call, const LibraryRow &row,
                               llvm::ArrayRef<Value *> elements);

/// True if an output array of `to` accepts results of type `from`. As in NumPy's casting rule "same_kind", numbers do
/// not become bools, and floats do not become integers. Unlike in that rule, signs do not matter.
bool outputAcceptsResult(Type to, Type from);

} // namespace heddle::python
