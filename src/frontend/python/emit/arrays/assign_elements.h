// Assignments to the elements of an array: views, augmented assignment, array expressions, and NumPy functions with an
// output array.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// The array that is the target of an assignment.
struct AssignedArray {
  Type type;
  Parts parts;
  Value *origin;      ///< the value of the array, or of the array that it is a view of
  bool isNew = false; ///< freshly allocated: no other array shares its memory
};

inline constexpr const char *shapesDoNotMatch =
    "the shapes of this assignment's two sides do not match";
/// NumPy's message, without the shapes.
inline constexpr const char *cannotBroadcast =
    "operands could not be broadcast together: their shapes differ";

/// Computes `target[...] = compute(sources[...])` for every element. Array sources are broadcast to the target's shape.
/// `compute` receives one element of each array source and the other sources unchanged. It returns the parts of a value
/// of the target's element type, and must emit into the emitter that it receives.
///
/// The result is as if all sources were read before the first write. Overlap between sources and target is tested at
/// run time. If they overlap, the elements are visited in an order that reads each one before it is overwritten. If no
/// such order is known, up to 32 elements are buffered in thread-private memory; larger arrays raise a ValueError.
///
/// One thread computes all elements in index order. However, if threads share array expressions, and no element is read
/// after another one is written, each thread computes some of the rows.
///
/// If indices are checked, a source whose shape does not broadcast raises a ValueError.
void assignElements(Emitter &e, const AssignedArray &target, llvm::ArrayRef<Value *> sources,
                    llvm::function_ref<Parts(Emitter &, llvm::ArrayRef<Value *>)> compute,
                    Span span);

/// Calls `visit` with each element `compute(sources[...])` of a virtual array, which is never stored. `array` gives its
/// type and shape. The elements are visited in the type's memory order; `number` is the position in this order.
void forEachComputedElement(
    Emitter &e, const AssignedArray &array, llvm::ArrayRef<Value *> sources,
    llvm::function_ref<Parts(Emitter &, llvm::ArrayRef<Value *>)> compute,
    llvm::function_ref<void(const Parts &element, llvm::Value *number)> visit, Span span);
/// Computes the first element that forEachComputedElement() would visit.
Parts computeFirstElement(Emitter &e, const AssignedArray &array, llvm::ArrayRef<Value *> sources,
                          llvm::function_ref<Parts(Emitter &, llvm::ArrayRef<Value *>)> compute,
                          Span span);

/// Writes operand 2 of a StoreIndex to the elements that an integer or bool array selects.
void storeByFancyIndex(Emitter &e, Value &store);
/// True for the StoreIndex of `a[i] += b` if the operation has already changed the view `a[i]`.
bool storesAugmentedView(const Value &store);
/// Writes operand 2 of a StoreIndex to the view that its index selects.
void storeView(Emitter &e, Value &store);
/// Emits an augmented assignment to an array.
Parts emitInPlaceArrayOperator(Emitter &e, Value &v);

} // namespace heddle::python
