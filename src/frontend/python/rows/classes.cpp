#include "frontend/python/rows/classes.h"
#include "frontend/python/rows/row.h"

namespace heddle::python {
namespace {

/// True if values of both types have the same Python class. Numbers of different sizes do not.
bool haveSameClass(Type a, Type b) {
  if (a == b)
    return true;
  if (a.kind() != b.kind() || a->identity != b->identity || a->shared != b->shared ||
      a->iterator != b->iterator)
    return false;
  if (a.isTime()) // of any unit
    return true;
  return a.isArray() ? a->ofBytes == b->ofBytes
                     : a.isTuple() || a.isContainer() || a.isString() || a.is(TypeKind::Range);
}

const LibraryRow *classRow(const Constant &c) {
  const LibraryRow *row = c.kind == ConstantKind::Intrinsic ? findLibraryRow(c.text) : nullptr;
  return row && row->isClassOf ? row : nullptr;
}

} // namespace

std::optional<bool> isInstance(Type type, const Constant &c) {
  switch (c.kind) {
  case ConstantKind::Tuple: {
    bool any = false;
    for (const Constant &item : c.items) {
      std::optional<bool> one = isInstance(type, item);
      if (!one)
        return {};
      any = any || *one;
    }
    return any;
  }
  case ConstantKind::Type:
    return haveSameClass(type, c.type);
  case ConstantKind::Exception:
    return type.is(TypeKind::Caught) ? std::nullopt : std::optional(false);
  default:
    if (const LibraryRow *row = classRow(c))
      return row->isClassOf(type);
    return c.object ? c.object->isClassOf(type) : std::nullopt;
  }
}

std::optional<bool> isExactClass(Type type, const Constant &c) {
  if (c.kind == ConstantKind::Type)
    return haveSameClass(type, c.type);
  if (const LibraryRow *row = classRow(c)) {
    bool isDerived = type->identity || type->shared || type.isEnumMember();
    return row->isClassOf(type) && (!isDerived || row->module() != "builtins");
  }
  return c.object ? c.object->isExactClassOf(type) : std::nullopt;
}

} // namespace heddle::python
