// Fixed-length strings, see types/characters.h.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

Parts loadCharacters(Emitter &e, llvm::Value *address, Type text, llvm::Align align);
void storeCharacters(Emitter &e, llvm::Value *address, const Parts &value, Type text,
                     llvm::Align align);
/// Stores a host string, truncated to the capacity of `text`.
void storeStringAsCharacters(Emitter &e, llvm::Value *address, const Parts &string, Type text,
                             llvm::Align align);
/// Pads or truncates a string to another length.
Parts resizeCharacters(Emitter &e, Parts words, Type from, Type to);
/// Converts a value for which convertsToCharacters() holds to `text`, truncated to its capacity.
Parts convertToCharacters(Emitter &e, Value &v, Type text);
/// The number of characters without the padding.
llvm::Value *charactersLength(Emitter &e, const Parts &value, Type text);
/// The character at `index`, as a number.
llvm::Value *characterAt(Emitter &e, Value &text, Value &index, Span span);
llvm::Value *compareCharacters(Emitter &e, CompareOp op, Value &a, Value &b);
/// Converts to a host string.
Parts charactersToString(Emitter &e, const Parts &value, Type text);

} // namespace heddle::python
