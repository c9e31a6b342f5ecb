#include "frontend/python/types/iteration.h"
#include "frontend/python/types/fragments.h"
#include "frontend/python/types/literal_dicts.h"

#include <algorithm>

namespace heddle::python {
namespace {

bool isIterator(Type t, IteratorKind kind) {
  return t.is(TypeKind::Iterator) && t->iterator == kind;
}

/// The item type of an array: an element, or a view without the first dimension.
Type arrayItemType(Type array) {
  if (array->ndim == 1)
    return elementOf(array);
  ArrayTraits traits = traitsOfArray(array);
  if (traits.layout == Layout::F)
    traits.layout = Layout::Any;
  if (array->fragment)
    return fragmentType(*array->fragment, array->ndim - 1, traits.layout);
  return arrayType(array->element, array->ndim - 1, traits);
}

Type indexTupleType(Type array) { return tupleType(std::vector<Type>(array->ndim, int64Type())); }

/// The item type of an nditer: a zero-dimensional array for each array.
Type nditerItemType(const std::vector<Type> &arrays) {
  std::vector<Type> places;
  for (Type array : arrays)
    places.push_back(arrayType(array->element, 0, traitsOfArray(array)));
  return places.size() == 1 ? places[0] : tupleType(std::move(places));
}

Type indexIteratorItemType(Type iterable) {
  Type first = iterable->elements[0];
  switch (iterable->iterator) {
  case IteratorKind::NdIndex:
    return first;
  case IteratorKind::NdEnumerate:
    return tupleType({indexTupleType(first), elementOf(first)});
  case IteratorKind::NdIter:
    return nditerItemType(iterable->elements);
  default:
    return elementOf(first);
  }
}

} // namespace

bool iteratesIndices(Type type) {
  return type.is(TypeKind::Iterator) && type->iterator >= IteratorKind::NdIndex;
}

bool resumesGenerators(Type iterable) {
  return iterable.isGenerator() ||
         (iterable.is(TypeKind::Iterator) &&
          std::any_of(iterable->elements.begin(), iterable->elements.end(), resumesGenerators));
}

bool isFlatIterator(Type type) { return isIterator(type, IteratorKind::Flat); }

bool isIterable(Type type) {
  if (iteratesIndices(type))
    return true;
  if (isLiteralDict(type)) // loops do not iterate over its elements
    return false;
  if (type.is(TypeKind::Range) || type.isTuple() || type.isList() || type == runtimeStringType() ||
      type.isGenerator())
    return true;
  if (type.isArray())
    return type->ndim > 0;
  return type.is(TypeKind::Iterator) &&
         std::all_of(type->elements.begin(), type->elements.end(), isIterable);
}

std::optional<size_t> maxTripCount(Type iterable) {
  if (iterable.isTuple())
    return iterable->elements.size();
  if (!iterable.is(TypeKind::Iterator) || iteratesIndices(iterable))
    return {};
  if (iterable->elements.empty()) // zip()
    return 0;
  std::optional<size_t> least;
  for (Type element : iterable->elements)
    if (std::optional<size_t> tripCount = maxTripCount(element))
      least = least ? std::min(*least, *tripCount) : *tripCount;
  return least;
}

bool hasFixedTripCount(Type iterable) {
  if (iteratesIndices(iterable))
    return false;
  if (iterable.is(TypeKind::Iterator))
    return std::all_of(iterable->elements.begin(), iterable->elements.end(), hasFixedTripCount);
  return iterable.isTuple();
}

bool needsUnrolling(Type iterable) {
  if (iteratesIndices(iterable))
    return false;
  if (iterable.isTuple()) {
    const std::vector<Type> &elements = iterable->elements;
    return elements.empty() || holdsCompileTimeObject(elements[0]) ||
           !std::equal(elements.begin() + 1, elements.end(), elements.begin());
  }
  return isIterator(iterable, IteratorKind::Unroll) ||
         (iterable.is(TypeKind::Iterator) &&
          (iterable->elements.empty() ||
           std::any_of(iterable->elements.begin(), iterable->elements.end(), needsUnrolling)));
}

Type itemType(Type iterable, std::optional<size_t> iteration) {
  if (iteratesIndices(iterable))
    return indexIteratorItemType(iterable);
  if (iterable.is(TypeKind::Range) || iterable.isList() || iterable.isGenerator())
    return iterable->element;
  if (iterable == runtimeStringType())
    return iterable;
  if (iterable.isArray())
    return arrayItemType(iterable);
  if (iterable.isTuple())
    return iterable->elements[iteration.value_or(0)];
  if (isIterator(iterable, IteratorKind::Unroll))
    return itemType(iterable->elements[0], iteration);
  if (isIterator(iterable, IteratorKind::Reversed)) {
    Type inner = iterable->elements[0];
    if (iteration && inner.isTuple())
      iteration = inner->elements.size() - 1 - *iteration;
    return itemType(inner, iteration);
  }
  std::vector<Type> items;
  if (isIterator(iterable, IteratorKind::Enumerate))
    items.push_back(int64Type());
  for (Type element : iterable->elements)
    items.push_back(itemType(element, iteration));
  return tupleType(std::move(items));
}

std::optional<Constant> constantOfItem(Type iterable, const Constant &known, size_t iteration) {
  if (known.kind != ConstantKind::Tuple || known.items.empty())
    return {};
  auto whenKnown = [](const Constant &c) {
    return c.kind == ConstantKind::Unknown ? std::nullopt : std::optional(c);
  };
  if (iterable.isTuple())
    return whenKnown(known.items[iteration]);
  if (!iterable.is(TypeKind::Iterator) || iteratesIndices(iterable))
    return {};
  Type inner = iterable->elements[0];
  if (isIterator(iterable, IteratorKind::Unroll))
    return constantOfItem(inner, known.items[0], iteration);
  if (isIterator(iterable, IteratorKind::Reversed))
    return inner.isTuple()
               ? constantOfItem(inner, known.items[0], inner->elements.size() - 1 - iteration)
               : std::nullopt;
  Constant out{.kind = ConstantKind::Tuple};
  if (isIterator(iterable, IteratorKind::Enumerate))
    out.items.push_back(known.items.size() > 1
                            ? Constant::ofInt(known.items[1].integer + int64_t(iteration))
                            : Constant{.kind = ConstantKind::Unknown});
  for (size_t i = 0; i < iterable->elements.size(); ++i)
    out.items.push_back(constantOfItem(iterable->elements[i], known.items[i], iteration)
                            .value_or(Constant{.kind = ConstantKind::Unknown}));
  return out;
}

} // namespace heddle::python
