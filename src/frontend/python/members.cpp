#include "frontend/python/members.h"

#include "frontend/python/ir.h"
#include "frontend/python/records.h"

namespace heddle::python {

const std::vector<std::string> &arrayMemberNames() {
  static const std::vector<std::string> names{"shape", "strides",  "size",  "nbytes",
                                              "ndim",  "itemsize", "dtype", "T"};
  return names;
}

Member memberOf(Type object, const std::string &name) {
  if (object.is(TypeKind::Grid)) {
    if (name == "sync")
      return {objectType(), Constant::ofIntrinsic("cuda.cg.GridGroup.sync"), ""};
    return {{}, {}, "the group of all threads has sync()"};
  }
  if (object.isTuple() && object->identity) {
    for (size_t i = 0; i < object->names.size(); ++i)
      if (object->names[i] == name)
        return {object->elements[i], {}, ""};
    std::string near = nearest(name, object->names);
    return {{}, {}, near.empty() ? "" : "did you mean '" + near + "'?"};
  }
  if (object.isEnumMember() && name == "value")
    return {object.is(TypeKind::Enum) ? object->element : intType(object->bits, object.isSigned()),
            {},
            ""};
  if (object.isEnumMember())
    return {{}, {}, "a member of an enumeration has value, and name where it is a constant"};
  if (object.isRecord()) {
    if (const Field *field = fieldNamed(object, name))
      return {fieldType(object, *field), {}, ""};
    return {{}, {}, describeFields(object)};
  }
  if (!object.isArray())
    return {};
  Type extents = tupleType(std::vector<Type>(object->ndim, int64Type()));
  auto known = [](Constant c) { return Member{c.valueType(), c, ""}; };
  if (name == "shape" || name == "strides")
    return {extents, {}, ""};
  if (name == "size" || name == "nbytes")
    return {int64Type(), {}, ""};
  if (name == "ndim")
    return known(Constant::ofInt(object->ndim));
  if (name == "itemsize")
    return known(Constant::ofInt(object->element->bytes()));
  if (name == "dtype")
    return known(Constant::ofType(object->element));
  if (name == "T") {
    ArrayTraits traits = traitsOf(object);
    if (object->ndim > 1)
      traits.layout = traits.layout == Layout::C   ? Layout::F
                      : traits.layout == Layout::F ? Layout::C
                                                   : Layout::Any;
    return {arrayType(object->element, object->ndim, traits), {}, ""};
  }
  if (object->element.isRecord())
    if (const Field *field = fieldNamed(object->element, name))
      return {fieldOfEach(object, *field), {}, ""};
  std::string near = nearest(name, arrayMemberNames());
  return {{},
          {},
          near.empty()
              ? "arrays have shape, strides, size, ndim, itemsize, nbytes, dtype and T in kernels"
              : "did you mean '" + near + "'?"};
}

} // namespace heddle::python
