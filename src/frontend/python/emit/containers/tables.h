// Dicts and sets in host functions. heddle/host_library/hash_tables.py implements their operations on the fields of
// their memory, see dictType.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Number of key slots of a new table, a power of 2.
inline constexpr int64_t smallestTable = 16;

/// Makes an empty dict or set of the type of `v`, with `places` key slots.
Parts emitEmptyDictOrSet(Emitter &e, Value &v, llvm::Value *places);
/// The number of keys.
llvm::Value *tableSize(Emitter &e, Type table, llvm::Value *owner);
/// Field `number` of the table, without a new reference.
Parts loadTableField(Emitter &e, const Value &v, Value &table, unsigned number);
/// Swaps all fields, or only the last ones, of two tables of one type.
void swapTableFields(Emitter &e, Value &a, Value &b, bool onlyLast);
/// The hash of a key.
llvm::Value *computeHash(Emitter &e, Type key, const Parts &parts);

} // namespace heddle::python
