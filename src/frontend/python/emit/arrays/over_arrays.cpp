#include "frontend/python/emit/arrays/over_arrays.h"

#include "frontend/python/emit/arrays/assign_elements.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/rows/over_arrays.h"

#include <algorithm>

namespace heddle::python {
namespace {

/// Emits the scalar call of `call`'s row for one element of each array, and converts the result to `to`.
Parts emitElementCall(Emitter &e, const Value &call, llvm::ArrayRef<Value *> elements, Type to) {
  Value one = makeScalarCallForElement(call, *call.library, elements);
  CallTyping typing(e.function(), one, *call.library);
  one.type = call.library->type(typing);
  CallEmission emission(e, one);
  return convert(e, call.library->emit(emission), one.type, to);
}

Parts emitCallIntoOutput(Emitter &e, Value &call, Value &out) {
  AssignedArray target{out.type, e.parts(out), &out};
  llvm::SmallVector<Value *, 4> inputs;
  for (size_t i = 0; i < inputCount(*call.library); ++i)
    inputs.push_back(call.operands[i + 1]);
  auto compute = [&](Emitter &at, llvm::ArrayRef<Value *> elements) {
    return emitElementCall(at, call, elements, out.type->element);
  };
  assignElements(e, target, inputs, compute, call.span);
  return target.parts;
}

} // namespace

ArrayExpression::ArrayExpression(Emitter &e, Value &root, bool isComputed)
    : root_(root), isComputed_(isComputed) {
  if (isComputed)
    addSourcesOfCall(e, root);
  else
    addSource(root);
}

void ArrayExpression::addSource(Value &source) {
  if (std::find(sources_.begin(), sources_.end(), &source) == sources_.end())
    sources_.push_back(&source);
}

void ArrayExpression::addSourcesOfCall(Emitter &e, Value &call) {
  for (size_t i = 1; i < call.operands.size(); ++i)
    if (e.isFused(*call.operands[i]))
      addSourcesOfCall(e, *call.operands[i]);
    else
      addSource(*call.operands[i]);
}

Parts ArrayExpression::emitExtents(Emitter &e) const {
  unsigned ndim = root_.type->ndim;
  Parts out(ndim, e.int64(1));
  for (Value *source : sources_) {
    if (!source->type.isArray())
      continue;
    Parts parts = e.parts(*source);
    unsigned own = source->type->ndim;
    for (unsigned axis = 0; axis < own; ++axis) {
      llvm::Value *&extent = out[axis + ndim - own];
      llvm::Value *isOne = e.b.CreateICmpEQ(extent, e.int64(1));
      extent = e.b.CreateSelect(isOne, parts[1 + axis], extent);
    }
  }
  return out;
}

Parts ArrayExpression::emitElement(Emitter &at, llvm::ArrayRef<Value *> elements, Type to) const {
  return isComputed_ ? emitElementOfCall(at, root_, elements, to)
                     : convert(at, at.parts(*elements[0]), elements[0]->type, to);
}

Parts ArrayExpression::emitElementOfCall(Emitter &at, Value &call, llvm::ArrayRef<Value *> elements,
                                         Type to) const {
  llvm::SmallVector<Value *, 4> inputs;
  for (size_t i = 1; i < call.operands.size(); ++i) {
    Value *operand = call.operands[i];
    if (!at.isFused(*operand)) {
      inputs.push_back(
          elements[std::find(sources_.begin(), sources_.end(), operand) - sources_.begin()]);
      continue;
    }
    Type type = operand->type->element;
    Value &inner = at.makeTemporary(type, operand->span);
    at.bind(inner, emitElementOfCall(at, *operand, elements, type));
    inputs.push_back(&inner);
  }
  return emitElementCall(at, call, inputs, to);
}

Parts emitElementwiseCall(Emitter &e, Value &call, const LibraryRow &row) {
  if (Value *out = findOutputArgument(row, call))
    return emitCallIntoOutput(e, call, *out);
  ArrayExpression expression(e, call, /*isComputed=*/true);
  Parts array = allocateArray(e, call, expression.emitExtents(e), /*zeroed=*/false);
  auto compute = [&](Emitter &at, llvm::ArrayRef<Value *> elements) {
    return expression.emitElement(at, elements, call.type->element);
  };
  AssignedArray target{call.type, array, &call, /*isNew=*/true};
  assignElements(e, target, expression.sources(), compute, call.span);
  return array;
}

} // namespace heddle::python
