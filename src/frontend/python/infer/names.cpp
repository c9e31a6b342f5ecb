// Types of names.

#include "frontend/python/infer/visits.h"
#include "frontend/python/rows/hints.h"
#include "frontend/python/rows/row.h"

namespace heddle::python {
namespace {

std::string suggestLibraryName(const std::string &name, Target target) {
  std::vector<std::string> names;
  for (const LibraryRow *row : libraryRows())
    if (row->targets.include(target))
      names.push_back(row->name);
  std::string near = findClosestName(name, names);
  return near.empty() ? "" : "did you mean " + near + "?";
}

} // namespace

bool visitGlobal(FunctionTyping &t, Value &v) {
  if (v.type)
    return false;
  const std::optional<Constant> &bound = t.lookupGlobal(v.name);
  if (!bound)
    t.error(v, "name '" + v.name + "' is not defined", "",
            hintForUndefined(v.name, t.source.environment->visibleNames(), t.rules()));
  return bindNameToConstant(t, v, *bound, v.name);
}

namespace {

/// Replaces the name of a slice by the slice, as if it were written in brackets.
bool replaceWithSlice(FunctionTyping &t, Value &v, const Constant &slice) {
  std::vector<Value *> parts;
  for (const Constant &item : slice.items)
    parts.push_back(t.insertConstant(v, v.span, item));
  v.opcode = Opcode::Slice;
  v.operands = std::move(parts);
  v.operandSpans.clear();
  return t.visit(v);
}

} // namespace

std::optional<Constant> FunctionTyping::findLibraryFunction(const std::string &name) const {
  std::optional<Constant> written;
  if (rules().target == Target::Host)
    written = source.environment->findHostImplementation(name);
  if (!findLibraryRow(name, rules().target))
    return written;
  Constant row = Constant::ofIntrinsic(name);
  if (written)
    row.object = written->object;
  return row;
}

bool bindNameToConstant(FunctionTyping &t, Value &v, Constant constant, const std::string &name) {
  if (constant.kind == ConstantKind::Intrinsic && !constant.object) {
    if (std::optional<Constant> found = t.findLibraryFunction(constant.text))
      constant = *found;
  } else if (constant.kind == ConstantKind::Other && constant.object) {
    std::string known = constant.object->libraryName();
    if (std::optional<Constant> found = known.empty() ? std::nullopt : t.findLibraryFunction(known))
      constant = *found;
  }
  if (constant.kind == ConstantKind::Slice)
    return replaceWithSlice(t, v, constant);
  if (constant.kind == ConstantKind::Intrinsic) {
    const LibraryRow *row = findLibraryRow(constant.text, t.rules().target);
    if (!row && findLibraryRow(constant.text, Target::Kernel))
      t.error(v, constant.text + " is not supported in " + t.rules().plural, "",
              "only kernels have it: decorate the function with @cuda.jit and launch it");
    if (!row)
      t.error(v, constant.text + " is not supported in " + t.rules().plural, "",
              suggestLibraryName(constant.text, t.rules().target));
    if (row->isValue()) {
      v.library = row;
      CallTyping typing(t.function, v, *row);
      return setType(v, row->type(typing));
    }
  }
  return setConstant(v, std::move(constant));
}

std::optional<Constant> lookupName(FunctionTyping &t, const Value &v) {
  if (v.opcode == Opcode::Global)
    return t.lookupGlobal(v.name);
  if (v.opcode != Opcode::Attribute || v.constant)
    return v.constant;
  std::optional<Constant> object = lookupName(t, *v.operands[0]);
  return object && object->kind == ConstantKind::Namespace ? object->object->attribute(v.name)
                                                           : std::nullopt;
}

} // namespace heddle::python
