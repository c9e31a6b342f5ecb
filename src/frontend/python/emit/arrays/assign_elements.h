// Assignment to the elements of an array: views, augmented assignment, expressions of whole arrays, and NumPy's functions
// with an output array.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The array that is assigned to.
struct AssignedArray {
  Type type;
  Parts parts;
  Value *origin;      ///< the array value that it is, or is a view of
  bool isNew = false; ///< nothing else is in its memory
};

inline constexpr const char *shapesDoNotMatch =
    "the shapes of this assignment's two sides do not match";
/// NumPy's words, without the shapes.
inline constexpr const char *cannotBroadcast =
    "operands could not be broadcast together: their shapes differ";

/// `target[...] = compute(sources[...])` for every element. An array among `sources` is broadcast to the target's shape;
/// `compute` gets a value that holds its element, and every other source as it is, and returns the parts of a value of
/// the target's element type.
///
/// The result is that of reading all sources before the first element is written. Where sources and target overlap in
/// memory, which is seen at run time, the elements are visited in an order that reads each before it is overwritten; where
/// the memory is so mixed that no such order is known, up to 32 elements go through the thread's own memory, and more end
/// the kernel with a ValueError.
///
/// One thread computes all elements, in the order of their indices; where the threads share expressions of whole arrays
/// and no element is read after another one was written, each computes some rows. `compute` emits into the emitter that
/// it gets.
///
/// Where indices are checked, a source whose shape does not broadcast ends the kernel with a ValueError.
void assignElements(Emitter &e, const AssignedArray &target, llvm::ArrayRef<Value *> sources,
                    llvm::function_ref<Parts(Emitter &, llvm::ArrayRef<Value *>)> compute,
                    Span span);

/// The elements of an array that nobody makes, `compute(sources[...])` for each element of `array`: a type and a shape.
/// Visits them in the order of the type's memory, with their numbers in it.
void visitElements(Emitter &e, const AssignedArray &array, llvm::ArrayRef<Value *> sources,
                   llvm::function_ref<Parts(Emitter &, llvm::ArrayRef<Value *>)> compute,
                   llvm::function_ref<void(const Parts &element, llvm::Value *number)> visit,
                   Span span);
/// The first of them.
Parts firstElement(Emitter &e, const AssignedArray &array, llvm::ArrayRef<Value *> sources,
                   llvm::function_ref<Parts(Emitter &, llvm::ArrayRef<Value *>)> compute,
                   Span span);

/// Writes operand 2 of a StoreIndex to the elements that an array of integers or of bools selects.
void storeSelection(Emitter &e, Value &store);
/// Whether a StoreIndex is that of `a[i] += b`: the operation has changed the view itself.
bool storesAugmentedView(const Value &store);
/// Writes operand 2 of a StoreIndex to the view that its index selects.
void storeView(Emitter &e, Value &store);
/// An augmented assignment to an array.
Parts emitInPlace(Emitter &e, Value &v);

} // namespace heddle::python
