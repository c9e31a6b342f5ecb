// Arrays of fragments and tiles of matrices, for the operations of warps and of warpgroups.
#pragma once

#include "frontend/python/emit/emitter.h"
#include "frontend/python/types/fragments.h"

namespace heddle::python {

/// The extents of an array of fragments; empty for a single fragment.
std::vector<int64_t> fragmentShapeOf(const Constant *c);
/// Fails unless argument `i` is a shape for fragments.
void requireFragmentShape(CallTyping &t, unsigned i);
/// Makes the fragments of the call's type. `shape` is null for a single fragment.
Parts emitFragments(CallEmission &c, const Value *shape);
/// Calls `visit` with the address of each part of an array of fragments: `size` elements.
void forEachFragmentAddress(CallEmission &c, const Parts &parts, Type type, uint64_t size,
                            llvm::function_ref<void(llvm::Value *)> visit);

/// The text {$first, ...}.
std::string formatOperandList(unsigned first, unsigned count);
/// Fails unless a tile of the last two axes, whose first element has these indices, is in the array.
void checkTileBounds(CallEmission &c, const Fragment &f, llvm::ArrayRef<llvm::Value *> indices,
                     const ArrayParts &array, Span span);

} // namespace heddle::python
