// Emission of elementwise NumPy functions: np.add(x, y, out).
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// An array expression and its fused subexpressions, evaluated element by element in one loop.
class ArrayExpression {
public:
  /// If `isComputed` is false, `root` is an array to read instead of an expression to evaluate.
  ArrayExpression(Emitter &e, Value &root, bool isComputed);

  llvm::ArrayRef<Value *> sources() const { return sources_; }
  /// The extents after broadcasting. Does not check that the shapes are compatible.
  Parts emitExtents(Emitter &e) const;
  /// The result for one element of each source, converted to `to`.
  Parts emitElement(Emitter &at, llvm::ArrayRef<Value *> elements, Type to) const;

private:
  Value &root_;
  bool isComputed_;
  llvm::SmallVector<Value *, 4> sources_;

  void addSource(Value &source);
  void addSourcesOfCall(Emitter &e, Value &call);
  Parts emitElementOfCall(Emitter &at, Value &call, llvm::ArrayRef<Value *> elements,
                          Type to) const;
};

/// Emits a call for which isElementwiseCall() is true.
Parts emitElementwiseCall(Emitter &e, Value &call, const LibraryRow &row);

} // namespace heddle::python
