#include "frontend/python/rows/over_arrays.h"

#include "frontend/python/syntax/syntax.h"

namespace heddle::python {
namespace {

std::string numpyName(const LibraryRow &row) { return "np." + std::string(row.lastName()); }

} // namespace

size_t inputCount(const LibraryRow &row) { return parseParameters(row).size(); }

Value makeScalarCallForElement(const Value &call, const LibraryRow &row,
                               llvm::ArrayRef<Value *> elements) {
  Value one{.opcode = Opcode::Call};
  one.span = call.span;
  one.block = call.block;
  one.library = &row;
  one.operands = {call.operands[0]};
  one.operandSpans = {call.spanOf(0)};
  for (size_t i = 0; i < elements.size(); ++i) {
    one.operands.push_back(elements[i]);
    one.operandSpans.push_back(call.spanOf(i + 1));
  }
  return one;
}

bool isElementwiseCall(const LibraryRow &row, const Value &call) {
  if (row.meaning != Meaning::Elementwise)
    return false;
  for (size_t i = 1; i < call.operands.size(); ++i)
    if (call.operands[i]->type.isArray())
      return true;
  return false;
}

bool isArrayExpression(const Value &v) {
  return v.opcode == Opcode::Call && v.library && isElementwiseCall(*v.library, v) &&
         !findOutputArgument(*v.library, v);
}

Value *findOutputArgument(const LibraryRow &row, const Value &call) {
  size_t positional = call.operands.size() - 1 - call.names.size(), inputs = inputCount(row);
  if (positional == inputs + 1 && call.names.empty())
    return call.operands[inputs + 1];
  if (positional == inputs && call.names.size() == 1 && call.names[0] == "out")
    return call.operands.back();
  return nullptr;
}

bool outputAcceptsResult(Type to, Type from) {
  auto rank = [](Type t) {
    return t.isBool() ? 0 : t.isInteger() ? 1 : t.isFloat() ? 2 : t.isComplex() ? 3 : 4;
  };
  return rank(to) >= rank(from);
}

namespace {

/// The result type for one element of each array.
Type typeElementCall(const TypedFunction &function, const Value &call, const LibraryRow &row) {
  std::vector<Value> elements(inputCount(row), Value{.opcode = Opcode::Undefined});
  llvm::SmallVector<Value *, 4> inputs;
  for (size_t i = 0; i < elements.size(); ++i) {
    Value *input = call.operands[i + 1];
    if (input->type.isArray()) {
      elements[i].type = typeAfterLoad(input->type->element);
      input = &elements[i];
    }
    inputs.push_back(input);
  }
  Value one = makeScalarCallForElement(call, row, inputs);
  CallTyping typing(function, one, row);
  Type result = row.type(typing);
  if (!result.isScalar() && !result.isComplex() && !result.isTime())
    fail(*function.source, call.span, ErrorKind::Typing,
         numpyName(row) + " does not work on arrays in " + function.rules->plural);
  return result;
}

Type typeArrayExpression(const TypedFunction &function, const Value &call, const LibraryRow &row) {
  if (call.operands.size() != inputCount(row) + 1 || !call.names.empty())
    fail(*function.source, call.span, ErrorKind::Typing,
         numpyName(row) + row.signature + " of arrays was given " +
             std::to_string(call.operands.size() - 1) + " arguments");
  unsigned ndim = 0;
  bool hasC = false, hasF = false; // as in numba, F order if there are only F-ordered arrays
  for (size_t i = 1; i < call.operands.size(); ++i)
    if (Type input = call.operands[i]->type; input.isArray()) {
      ndim = std::max(ndim, input->ndim);
      hasC = hasC || input->layout == Layout::C;
      hasF = hasF || input->layout == Layout::F;
    }
  ArrayTraits traits{.layout = hasF && !hasC && ndim > 1 ? Layout::F : Layout::C};
  return arrayType(typeElementCall(function, call, row), ndim, traits);
}

} // namespace

Type typeElementwiseCall(const TypedFunction &function, const Value &call, const LibraryRow &row) {
  const FunctionSource &source = *function.source;
  std::string name = numpyName(row);
  Value *out = findOutputArgument(row, call);
  if (!out && function.rules->makesArrays)
    return typeArrayExpression(function, call, row);
  if (!out)
    fail(source, call.span, ErrorKind::Typing, name + " of an array would make a new array", "",
         "give it an array to write to, as in " + name +
             (inputCount(row) == 1 ? "(x, out)" : "(x, y, out)"));
  Span at = call.spanOf(call.operands.size() - 1);
  if (!out->type.isArray())
    fail(source, at, ErrorKind::Typing, "the output of " + name + " must be an array",
         out->type.name());
  if (out->type->readOnly)
    fail(source, at, ErrorKind::Typing, "cannot write to a read-only array", out->type.name(),
         "pass an array whose flags.writeable is True");
  for (size_t i = 0; i < inputCount(row); ++i) {
    Value *input = call.operands[i + 1];
    if (input->type.isArray()) {
      if (input->type->ndim > out->type->ndim)
        fail(source, call.spanOf(i + 1), ErrorKind::Typing,
             "this array has more dimensions than the output", input->type.name(), "",
             {"the output is " + out->type.name()});
    }
  }
  Type result = typeElementCall(function, call, row);
  if (!outputAcceptsResult(out->type->element, result))
    fail(source, at, ErrorKind::Typing,
         name + " gives " + result.name() + ", which this array does not take", out->type.name(),
         "use an array of " + result.name());
  return out->type;
}

} // namespace heddle::python
