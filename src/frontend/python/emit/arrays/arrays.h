// Addresses of array elements, element loads and stores, and views.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// An element of an array: its index along each axis, counted from the start, and its address.
struct ElementPlace {
  llvm::SmallVector<llvm::Value *, 4> indices;
  llvm::Value *address = nullptr;
};
/// The array element that `index` selects; `items` are the parsed index. Checks bounds if index checks are enabled.
ElementPlace emitElementPlace(Emitter &e, Value &array, const std::vector<IndexItem> &items,
                              Value &index, Span span);
/// The address of the element that emitElementPlace() finds.
llvm::Value *elementAddress(Emitter &e, Value &array, const std::vector<IndexItem> &items,
                            Value &index, Span span);
/// The view of `array` that an index selects; `items` are the parsed index. Raises ValueError for a step of zero.
Parts makeView(Emitter &e, Value &array, const std::vector<IndexItem> &items, Value &index,
               Span span);
/// Convert a number between its memory representation, memoryType(element), and a value of type typeAfterLoad(element).
llvm::Value *convertFromMemory(llvm::IRBuilder<> &b, llvm::Value *stored, Type element);
llvm::Value *convertToMemory(llvm::IRBuilder<> &b, llvm::Value *value, Type element);
/// Load or store an element of type `element`. `align` is the known alignment of the address, by default that of the
/// type.
Parts loadElement(Emitter &e, llvm::Value *address, Type element, llvm::MaybeAlign align = {});
void storeElement(Emitter &e, llvm::Value *address, const Parts &value, Type element,
                  llvm::MaybeAlign align = {});
/// An array of constant shape at `pointer`, in C order.
Parts makeConstantShapeArray(Emitter &e, llvm::Value *pointer, llvm::ArrayRef<int64_t> shape,
                             Type element);

} // namespace heddle::python
