// Single-threaded loops over the elements of an array, and the variables that these loops change.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// A variable of the emitted code: stack slots, until LLVM promotes them to registers.
class Variable {
public:
  Variable(Emitter &e, const Parts &initial);
  Parts get() const;
  void set(const Parts &v);
  /// Assigns `v` if `condition` holds.
  void assignIf(llvm::Value *condition, const Parts &v);

private:
  llvm::IRBuilder<> &b_;
  llvm::SmallVector<llvm::AllocaInst *, 2> slots_;
  llvm::SmallVector<llvm::Type *, 2> types_;
};

/// Accesses the elements of an array.
class ElementsOf {
public:
  ElementsOf(Emitter &e, Type array, Parts parts) : e_(e), type_(array), parts_(std::move(parts)) {}
  ElementsOf(Emitter &e, Value &array) : ElementsOf(e, array.type, e.parts(array)) {}

  using Visit = llvm::function_ref<void(const Parts &element, llvm::Value *number)>;
  /// Calls `visit` with each element and its linear index, an int64, in index order.
  void forEach(Visit visit) { forEachElementFromAxis(0, parts_[0], e_.int64(0), visit); }

  /// Element `number` of a one-dimensional array.
  Parts at(llvm::Value *number) { return load(advanceAlongAxis(parts_[0], number, 0)); }
  /// Element `number` in index order, for any rank.
  Parts elementInOrder(llvm::Value *number) { return load(addressOfElementNumber(number)); }
  llvm::Value *addressOfElementNumber(llvm::Value *number);
  Parts first() { return load(parts_[0]); }
  llvm::Value *extent(unsigned axis) { return parts_[1 + axis]; }
  llvm::Value *size();

private:
  void forEachElementFromAxis(unsigned axis, llvm::Value *pointer, llvm::Value *number,
                              Visit visit);
  llvm::Value *advanceAlongAxis(llvm::Value *pointer, llvm::Value *i, unsigned axis);
  Parts load(llvm::Value *pointer);

  Emitter &e_;
  Type type_;
  Parts parts_;
};

/// The indices of element `number`, in index order, of an array with these extents.
Parts computeIndices(Emitter &e, llvm::Value *number, llvm::ArrayRef<llvm::Value *> extents);

} // namespace heddle::python
