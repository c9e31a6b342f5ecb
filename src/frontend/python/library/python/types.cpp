// Types as compile-time values: type(x), np.dtype, np.finfo, np.iinfo.

#include "frontend/python/rows/calls_as_operators.h"
#include "frontend/python/rows/dtypes.h"
#include "frontend/python/rows/typing_rules.h"

#include <cmath>
#include <map>

namespace heddle::python {
namespace {

/// The class of a named tuple.
Constant namedTupleClass(Type type) {
  Constant c{.kind = ConstantKind::TupleClass};
  c.text = type.name().substr(0, type.name().find('('));
  c.type = tupleTypeLike(type, {});
  return c;
}

Type typeOfTypeCall(CallTyping &t) {
  Type type = t.type(0);
  if (type.isTuple() && type->identity && !type.isStructure()) {
    t.call().constant = namedTupleClass(type);
    return objectType();
  }
  if (type.is(TypeKind::Optional))
    t.failAt(0, "type() is evaluated at compile time, and this may or may not be None",
             "compare it with None first");
  if (type.is(TypeKind::Object))
    t.failAt(0, "type() takes values, not " + t.constant(0)->describe(),
             "isinstance(x, C) asks for the type of anything");
  t.call().constant = Constant::ofType(type);
  return objectType();
}

Type typeDtype(CallTyping &t) {
  t.call().constant = Constant::ofType(parseDtype(t, 0));
  return objectType();
}

/// The attributes of np.finfo and np.iinfo.
class Limits : public HostObject {
public:
  Limits(std::string text, std::map<std::string, Constant> attributes)
      : text_(std::move(text)), attributes_(std::move(attributes)) {}
  std::optional<Constant> attribute(const std::string &name) override {
    auto found = attributes_.find(name);
    return found == attributes_.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> attributeNames() override {
    std::vector<std::string> names;
    for (const auto &[name, value] : attributes_)
      names.push_back(name);
    return names;
  }
  std::string describe() override { return text_; }
  bool isReturnable() override { return true; }

private:
  std::string text_;
  std::map<std::string, Constant> attributes_;
};

/// A type argument, or the type of a value.
Type typeOrTypeOfValue(CallTyping &t) {
  Type type = t.type(0);
  Type measured = type.isScalar() || type.isComplex() ? type : parseDtype(t, 0);
  return measured.isComplex() ? floatType(measured->bits / 2) : measured;
}

Type typeLimits(CallTyping &t, Type type, std::map<std::string, Constant> attributes) {
  attributes["bits"] = Constant::ofInt(type->bits);
  attributes["dtype"] = Constant::ofType(type);
  std::string text = "np." + std::string(t.row().lastName()) + "(" + type.name() + ")";
  t.call().constant = Constant{.kind = ConstantKind::Namespace,
                               .text = text,
                               .object = std::make_shared<Limits>(text, std::move(attributes))};
  return objectType();
}

/// Parameters of a float format (IEEE 754): the number of fraction bits and the largest exponent of 2.
struct FloatFormat {
  int fraction, maxExponent;
};
FloatFormat floatFormatOf(Type type) {
  if (type == bfloat16Type())
    return {7, 127};
  return type->bits == 16   ? FloatFormat{10, 15}
         : type->bits == 32 ? FloatFormat{23, 127}
                            : FloatFormat{52, 1023};
}

Type typeFinfo(CallTyping &t) {
  Type type = typeOrTypeOfValue(t);
  if (!type.isFloat())
    t.failAt(0, "np.finfo takes types of floats, not " + type.name(),
             "np.iinfo takes types of integers");
  auto [fraction, maxExponent] = floatFormatOf(type);
  int minExponent = 1 - maxExponent;
  auto power = [&](int n) { return Constant::ofFloat(std::ldexp(1.0, n), type); };
  double largest = std::ldexp(2 - std::ldexp(1.0, -fraction), maxExponent);
  // The number of reliable decimal digits: floor of the digits of 2 ** fraction.
  int precision = int(fraction * 0.30102999566398120);
  return typeLimits(t, type,
                    {{"eps", power(-fraction)},
                     {"epsneg", power(-fraction - 1)},
                     {"max", Constant::ofFloat(largest, type)},
                     {"min", Constant::ofFloat(-largest, type)},
                     {"tiny", power(minExponent)},
                     {"smallest_normal", power(minExponent)},
                     {"smallest_subnormal", power(minExponent - fraction)},
                     {"resolution", Constant::ofFloat(std::pow(10.0, -precision), type)},
                     {"precision", Constant::ofInt(precision)},
                     {"nmant", Constant::ofInt(fraction)},
                     {"nexp", Constant::ofInt(int(type->bits) - fraction - 1)},
                     {"iexp", Constant::ofInt(int(type->bits) - fraction - 1)},
                     {"maxexp", Constant::ofInt(maxExponent + 1)},
                     {"minexp", Constant::ofInt(minExponent)},
                     {"machep", Constant::ofInt(-fraction)},
                     {"negep", Constant::ofInt(-fraction - 1)}});
}

Type typeIinfo(CallTyping &t) {
  Type type = typeOrTypeOfValue(t);
  if (!type.isInteger())
    t.failAt(0, "np.iinfo takes types of integers, not " + type.name(),
             "np.finfo takes types of floats");
  uint64_t all = ~uint64_t(0) >> (64 - type->bits);
  bool wide = all == ~uint64_t(0) && !type.isSigned();
  int64_t most = type.isSigned() ? int64_t(all >> 1) : int64_t(all);
  return typeLimits(t, type,
                    {{"max", Constant::ofInt(most, wide ? intType(64, false) : int64Type())},
                     {"min", Constant::ofInt(type.isSigned() ? -most - 1 : 0)}});
}

constexpr LibraryRow rows[] = {
    withNoneArguments(forClass(
        {"builtins.type", "(x)",
         "The type of x, for comparison with a class. A number's type can be called: type(x)(1).",
         typeOfTypeCall, emitNoValue},
        [](Type) { return false; })),
    asUnlisted({"numpy.dtype", "(dtype)", "The dtype with this name, or of this type.", typeDtype,
                emitNoValue}),
    asUnlisted({"numpy.finfo", "(dtype)",
                "The limits of a float type: eps, max, min, tiny and so on, in that type.",
                typeFinfo, emitNoValue}),
    asUnlisted({"numpy.iinfo", "(type)", "The limits of an integer type: max and min.", typeIinfo,
                emitNoValue}),
};

} // namespace

llvm::ArrayRef<LibraryRow> typeLibrary() {
  static constexpr auto table = mapRows(rows, onAllTargets, withKnownEffects);
  return table;
}

} // namespace heddle::python
