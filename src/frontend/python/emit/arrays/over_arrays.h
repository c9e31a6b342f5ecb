// The code of NumPy's functions of numbers over arrays: np.add(x, y, out).
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// An array expression with those that are part of it, as a loop sees it: what it reads of each array.
class ArrayExpression {
public:
  /// Any other array than the result of an expression is read itself.
  ArrayExpression(Emitter &e, Value &root, bool isComputed);

  llvm::ArrayRef<Value *> sources() const { return sources_; }
  /// Of the shape that the arrays are broadcast to; whether they can be is checked with each of them.
  Parts extents(Emitter &e) const;
  /// The element, as a value of type `to`, for one element of each source.
  Parts value(Emitter &at, llvm::ArrayRef<Value *> elements, Type to) const;

private:
  Value &root_;
  bool isComputed_;
  llvm::SmallVector<Value *, 4> sources_;

  void addSource(Value &source);
  void addSourcesOf(Emitter &e, Value &call);
  Parts valueOf(Emitter &at, Value &call, llvm::ArrayRef<Value *> elements, Type to) const;
};

/// Emits a call that isOverArrays().
Parts emitOverArrays(Emitter &e, Value &call, const LibraryRow &row);

} // namespace heddle::python
