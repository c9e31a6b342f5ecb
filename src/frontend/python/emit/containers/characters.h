// Texts of fixed length, see types/characters.h.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

Parts loadCharacters(Emitter &e, llvm::Value *address, Type text, llvm::Align align);
void storeCharacters(Emitter &e, llvm::Value *address, const Parts &value, Type text,
                     llvm::Align align);
/// Writes a string of a function of the host, or as much of it as there is room for.
void storeString(Emitter &e, llvm::Value *address, const Parts &string, Type text,
                 llvm::Align align);
/// A text as one that is longer, or as much of it as there is room for.
Parts resizeCharacters(Emitter &e, Parts words, Type from, Type to);
/// A value that becomes a text (see becomesCharacters) as one of type `text`: as much of it as there is room for.
Parts charactersOf(Emitter &e, Value &v, Type text);
/// How many characters there are before the unused ones.
llvm::Value *lengthOfCharacters(Emitter &e, const Parts &value, Type text);
/// Character number `index`, a number.
llvm::Value *characterAt(Emitter &e, Value &text, Value &index, Span span);
llvm::Value *compareCharacters(Emitter &e, CompareOp op, Value &a, Value &b);
/// The same text as a string of a function of the host.
Parts stringOf(Emitter &e, const Parts &value, Type text);

} // namespace heddle::python
