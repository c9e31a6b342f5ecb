// Texts of fixed length: elements and fields of NumPy's dtypes S and U. Unused characters at the end are 0. A value is a copy,
// which does not change: words of 64 bits with the bytes that lie in memory, 0 behind them.
#pragma once

#include "frontend/python/types/constant.h"

namespace heddle::python {

/// A text with room for `count` characters, 1 or more: bytes ("S5", numba's [char x 5]), or code points ("U5", numba's
/// [unichr x 5]), each a uint32. `character` is the type of one.
Type charactersType(Type character, int64_t count);
inline bool isCharacters(Type type) { return type.is(TypeKind::Characters); }
int64_t roomIn(Type text);
/// How many words a value has.
inline unsigned wordsIn(Type text) { return (text->bytes() + 7) / 8; }

/// The bytes in memory of a known text whose characters have that type: of a string for uint32, of an array of uint8 (bytes
/// are one) for uint8. Nothing for others.
std::optional<std::string> bytesOfKnown(const Constant &text, Type character);

} // namespace heddle::python
