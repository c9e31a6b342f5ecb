#include "bindings/source/select_implementation.h"

#include "bindings/source/constants.h"
#include "bindings/types/types.h"
#include "frontend/python/ssa/target_rules.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using namespace python;

const char *nameOfTarget(Target target) { return target == Target::Host ? "cpu" : "cuda"; }

namespace {

bool isInt64OrBool(const Constant &constant) {
  return (constant.kind == ConstantKind::Int && constant.type == python::int64Type()) ||
         constant.kind == ConstantKind::Bool;
}

/// An argument as the Python implementation selector sees it: its type; for a constant string also the string; for a
/// type the type itself. takesNumbers: the same for constant integers and bools.
nb::object convertArgumentForSelector(const CallArgument &argument, bool takesNumbers) {
  if (takesNumbers && argument.constant && isInt64OrBool(*argument.constant)) {
    bool isBool = argument.constant->kind == ConstantKind::Bool;
    nb::object value = isBool ? nb::object(nb::bool_(argument.constant->integer != 0))
                              : nb::object(nb::int_(argument.constant->integer));
    nb::object literal = nb::module_::import_("heddle.types").attr("literal")(value);
    if (argument.isWanted)
      literal.attr("is_wanted") = true;
    return literal;
  }
  if (argument.type.is(TypeKind::String) && argument.constant)
    return nb::module_::import_("heddle.types").attr("StringLiteral")(argument.constant->text);
  if (argument.constant && argument.constant->kind == ConstantKind::Type)
    return nb::module_::import_("heddle.types")
        .attr("TypeRef")(nb::cast(PythonType{argument.constant->type}));
  return nb::cast(PythonType{argument.type});
}

/// Converts a constant integer, or a tuple of them, to Python; null for other arguments.
nb::object convertConstantIntegers(const Constant *constant) {
  if (constant && constant->kind == ConstantKind::Int)
    return nb::int_(constant->integer);
  if (!constant || constant->kind != ConstantKind::Tuple)
    return {};
  nb::list items;
  for (const Constant &item : constant->items) {
    if (item.kind != ConstantKind::Int)
      return {};
    items.append(nb::int_(item.integer));
  }
  return nb::tuple(items);
}

} // namespace

std::optional<Constant> selectImplementation(nb::handle implementations,
                                             const std::vector<CallArgument> &arguments,
                                             Target target) {
  nb::list positional;
  nb::dict named;
  bool takesNumbers = nb::hasattr(implementations, "takes_literals");
  bool takesIntegers = nb::hasattr(implementations, "takes_integers");
  for (const CallArgument &a : arguments) {
    nb::object type = takesIntegers ? convertConstantIntegers(a.constant) : nb::object();
    if (!type.is_valid())
      type = convertArgumentForSelector(a, takesNumbers);
    if (a.name.empty())
      positional.append(type);
    else
      named[a.name.c_str()] = type;
  }
  nb::object found =
      implementations.attr("choose_implementation")(positional, named, nameOfTarget(target));
  return found.is_none() ? std::nullopt : std::optional(constantOfObject(found));
}

} // namespace heddle
