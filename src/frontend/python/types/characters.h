// Fixed-length strings: elements and fields with the NumPy dtypes S and U, padded with zeros. Values are immutable
// copies: 64-bit words that contain the bytes in memory, then zeros.
#pragma once

#include "frontend/python/types/constant.h"

#include <algorithm>

namespace heddle::python {

/// The type of a string of at most `count` characters: bytes ("S5", numba's [char x 5]) or uint32 code points
/// ("U5", numba's [unichr x 5]). `character` is the type of one character.
Type charactersType(Type character, int64_t count);
inline bool isCharacters(Type type) { return type.is(TypeKind::Characters); }
int64_t characterCapacity(Type text);
/// The number of 64-bit words that hold a value, at least one.
inline unsigned wordCount(Type text) { return std::max(1u, (text->bytes() + 7) / 8); }

/// The bytes in memory of a constant as a string of `character`: uint32 for a string constant, uint8 for an array of
/// uint8 such as a bytes object. Nothing for other constants.
std::optional<std::string> encodeConstantText(const Constant &text, Type character);

} // namespace heddle::python
