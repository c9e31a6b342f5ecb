#include "frontend/python/members.h"

#include "frontend/python/library.h"
#include "frontend/python/records.h"
#include "frontend/python/syntax.h"

namespace heddle::python {

namespace {

/// The flags of an array, which its type tells.
class ArrayFlags : public HostObject {
public:
  ArrayFlags(bool c, bool f) : c_(c), f_(f) {}
  std::optional<Constant> attribute(const std::string &name) override {
    if (name == "c_contiguous")
      return Constant::ofBool(c_);
    if (name == "f_contiguous")
      return Constant::ofBool(f_);
    if (name == "contiguous" || name == "forc")
      return Constant::ofBool(c_ || f_);
    return std::nullopt;
  }
  std::vector<std::string> attributeNames() override {
    return {"c_contiguous", "f_contiguous", "contiguous", "forc"};
  }
  std::string describe() override { return "the flags of an array"; }

private:
  bool c_, f_;
};

Constant flagsOf(Type array) {
  bool c = array->layout == Layout::C, f = array->layout == Layout::F;
  if (array->ndim <= 1)
    c = f = c || f || array->ndim == 0;
  // One object for each answer, so that equal constants are the same.
  static const std::shared_ptr<HostObject> objects[2][2] = {
      {std::make_shared<ArrayFlags>(false, false), std::make_shared<ArrayFlags>(false, true)},
      {std::make_shared<ArrayFlags>(true, false), std::make_shared<ArrayFlags>(true, true)}};
  return {
      .kind = ConstantKind::Namespace, .text = "the flags of an array", .object = objects[c][f]};
}

/// The array that `flat` is: one dimension, in the order of C. Unknown where no strides describe it.
Type flatType(Type array) {
  if (array->ndim == 1)
    return array;
  if (array->layout != Layout::C && array->ndim > 0)
    return {};
  ArrayTraits traits = traitsOf(array);
  traits.layout = Layout::C;
  traits.smallExtents = false;
  return arrayType(array->element, 1, traits);
}

std::string joined(const std::vector<std::string> &words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i)
    out += (!i ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return out;
}

constexpr const char *fields[] = {"x", "y", "z", "w"};

Member fieldOf(Type vector, const std::string &name) {
  std::string known;
  for (size_t i = 0; i < vector->elements.size(); ++i) {
    if (name == fields[i])
      return {vector->elements[i], {}, ""};
    known += std::string(i ? ", " : "") + fields[i];
  }
  return {{}, {}, "its fields are " + known};
}

} // namespace

const std::vector<std::string> &arrayMemberNames() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names{"shape", "strides", "size", "nbytes", "ndim", "itemsize",
                                   "dtype", "T",       "flat", "flags",  "real"};
    for (const LibraryEntry &entry : arrayLibrary())
      if (std::string_view(entry.name).starts_with("array."))
        names.push_back(entry.name + sizeof("array.") - 1);
    return names;
  }();
  return all;
}

Member memberOf(Type object, const std::string &name) {
  if (object.is(TypeKind::Grid)) {
    if (name == "sync")
      return {objectType(), Constant::ofIntrinsic("cuda.cg.GridGroup.sync"), ""};
    return {{}, {}, "the group of all threads has sync()"};
  }
  if (object.isVector())
    return fieldOf(object, name);
  if (object.isEnumMember() && name == "value")
    return {object.is(TypeKind::Enum) ? object->element : intType(object->bits, object.isSigned()),
            {},
            ""};
  if (object.isEnumMember())
    return {{}, {}, "a member of an enumeration has value, and name where it is a constant"};
  if (object.isNumber() || object.isComplex()) {
    Type part = object.isComplex() ? floatType(object->bits / 2) : object;
    if (name == "real" || name == "imag")
      return {part, {}, ""};
    if (name == "conjugate")
      return {objectType(), Constant::ofIntrinsic("number.conjugate"), ""};
    if (name == "bit_count" && object.isInteger())
      return {objectType(), Constant::ofIntrinsic("int.bit_count"), ""};
    return {{},
            {},
            object.isInteger() ? "integers have real, imag, conjugate() and bit_count() in kernels"
                               : "numbers have real, imag and conjugate() in kernels"};
  }
  if (object.isTuple() && object->identity) {
    for (size_t i = 0; i < object->names.size(); ++i)
      if (object->names[i] == name)
        return {object->elements[i], {}, ""};
    std::string near = nearest(name, object->names);
    return {{}, {}, near.empty() ? "" : "did you mean '" + near + "'?"};
  }
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
  if (name == "flags")
    return known(flagsOf(object));
  if ((name == "real" || name == "imag") && object->element.isComplex()) {
    ArrayTraits traits = traitsOf(object);
    traits.layout = object->ndim ? Layout::Any : traits.layout;
    traits.aligned = false;
    return {arrayType(floatType(object->element->bits / 2), object->ndim, traits), {}, ""};
  }
  if (name == "real")
    return {object, {}, ""};
  if (name == "flat") {
    Type flat = flatType(object);
    return {flat,
            {},
            flat ? "" : "flat needs a C-contiguous array here: index the dimensions in loops"};
  }
  if (name == "imag")
    return {{}, {}, "the elements of " + object.name() + " have no imaginary part"};
  if (name == "ctypes" || name == "data" || name == "base")
    return {{}, {}, "kernels have the array itself: index it, or pass it on"};
  if (const LibraryEntry *method = findLibraryEntry("array." + name))
    return known(Constant::ofIntrinsic(method->name));
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
          near.empty() ? "arrays have " + joined(arrayMemberNames()) + " in kernels"
                       : "did you mean '" + near + "'?"};
}

bool hasAttribute(const FunctionSource &source, const Value &object, const std::string &name) {
  if (object.constant && object.type == objectType())
    return object.constant->object && object.constant->object->attribute(name);
  return source.environment->extension(object.type, name) || memberOf(object.type, name).type;
}

} // namespace heddle::python
