// Dicts and sets of functions of the host. What they do is written in Python (heddle/host_library/hash_tables.py), upon the
// fields of their memory, see dictType.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// A power of 2: places for keys in the array of a new table.
inline constexpr int64_t smallestTable = 16;

/// A new dict or set, empty, of the type of `v`, with that many places for keys.
Parts emitTable(Emitter &e, Value &v, llvm::Value *places);
/// How many keys there are.
llvm::Value *sizeOfTable(Emitter &e, Type table, llvm::Value *owner);
/// Field `number`, which is the table's: no reference is taken.
Parts fieldOfTable(Emitter &e, const Value &v, Value &table, unsigned number);
/// Exchanges the last fields of two tables of one type, or all of them.
void exchangeFields(Emitter &e, Value &a, Value &b, bool onlyLast);
/// The hash of a key.
llvm::Value *hashOf(Emitter &e, Type key, const Parts &parts);

} // namespace heddle::python
