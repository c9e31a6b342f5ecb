#include "bindings/arguments/declared_types.h"

#include "frontend/python/types/promotion.h"
#include "frontend/python/types/records.h"

#include <algorithm>

namespace heddle {

using python::Type;

namespace {

/// Whether elements of one type may be read as those of the other: integers of the same size, the same fields.
bool haveSameBits(Type a, Type b) {
  if (a.isRecord() && b.isRecord())
    return python::sameFields(a, b) && std::max(a->recordAlignment, b->recordAlignment) <= 8;
  return a.isInteger() && b.isInteger() && a->bits == b->bits;
}

} // namespace

bool accepts(Type from, Type to, bool isOnly) {
  if (isOnly && from.isArray() && to.isArray() && haveSameBits(from->element, to->element))
    from = python::arrayType(to->element, from->ndim, traitsOf(from));
  if (to.isPointer()) // an address is an integer in Python
    return from.isInteger() && from->bits == 64;
  return from.isTime() ? from == to : python::convertible(from, to);
}

unsigned conversions(llvm::ArrayRef<python::KernelArgument> given,
                     llvm::ArrayRef<python::KernelArgument> declared) {
  unsigned n = 0;
  for (size_t i = 0; i < declared.size(); ++i) {
    Type from = given[i].type, to = declared[i].type;
    if ((from.isScalar() || from.isComplex()) && from != to)
      n += to.isFloat() || to.isComplex() || !from.isFloat()
               ? 1
               : 100; // a float to an integer loses its fraction
    else if (from.isArray() && from->layout != to->layout)
      n += 1;
  }
  return n;
}

std::string listOf(const std::vector<Type> &types) {
  std::string out = "(";
  for (size_t i = 0; i < types.size(); ++i)
    out += (i ? ", " : "") + types[i].name();
  return out + ")";
}

} // namespace heddle
