#include "frontend/python/emit/arrays/over_arrays.h"

#include "frontend/python/emit/arrays/assign_elements.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/rows/over_arrays.h"

#include <algorithm>

namespace heddle::python {
namespace {

/// The call of `call`'s row for one element of each array: the parts of its result as a value of type `to`.
Parts callOfElements(Emitter &e, const Value &call, llvm::ArrayRef<Value *> elements, Type to) {
  Value one = callForElements(call, *call.library, elements);
  CallTyping typing(e.function(), one, *call.library);
  one.type = call.library->type(typing);
  CallEmission emission(e, one);
  return convert(e, call.library->emit(emission), one.type, to);
}

Parts emitIntoOutput(Emitter &e, Value &call, Value &out) {
  AssignedArray target{out.type, e.parts(out), &out};
  llvm::SmallVector<Value *, 4> inputs;
  for (size_t i = 0; i < inputsOf(*call.library); ++i)
    inputs.push_back(call.operands[i + 1]);
  auto compute = [&](Emitter &at, llvm::ArrayRef<Value *> elements) {
    return callOfElements(at, call, elements, out.type->element);
  };
  assignElements(e, target, inputs, compute, call.span);
  return target.parts;
}

/// An array expression, with those that are part of it.
class ArrayExpression {
public:
  ArrayExpression(Emitter &e, Value &root) : e_(e), root_(root) { addSources(root); }

  Parts emit() {
    Parts array = newArray(e_, root_, extents(), /*zeroed=*/false);
    AssignedArray target{root_.type, array, &root_, /*isNew=*/true};
    Type element = root_.type->element;
    assignElements(
        e_, target, sources_,
        [&](Emitter &at, llvm::ArrayRef<Value *> elements) {
          return value(at, root_, elements, element);
        },
        root_.span);
    return array;
  }

private:
  Emitter &e_;
  Value &root_;
  llvm::SmallVector<Value *, 4> sources_; ///< what the whole expression reads

  void addSources(Value &call) {
    for (size_t i = 1; i < call.operands.size(); ++i) {
      Value *operand = call.operands[i];
      if (e_.isFused(*operand))
        addSources(*operand);
      else if (std::find(sources_.begin(), sources_.end(), operand) == sources_.end())
        sources_.push_back(operand);
    }
  }

  /// Of the shape that the arrays are broadcast to; whether they can be is checked with each of them.
  Parts extents() {
    unsigned ndim = root_.type->ndim;
    Parts out(ndim, e_.int64(1));
    for (Value *source : sources_) {
      if (!source->type.isArray())
        continue;
      Parts parts = e_.parts(*source);
      unsigned own = source->type->ndim;
      for (unsigned axis = 0; axis < own; ++axis) {
        llvm::Value *&extent = out[axis + ndim - own];
        llvm::Value *isOne = e_.b.CreateICmpEQ(extent, e_.int64(1));
        extent = e_.b.CreateSelect(isOne, parts[1 + axis], extent);
      }
    }
    return out;
  }

  /// `call` for one element of each source.
  Parts value(Emitter &at, Value &call, llvm::ArrayRef<Value *> elements, Type to) {
    llvm::SmallVector<Value *, 4> inputs;
    for (size_t i = 1; i < call.operands.size(); ++i) {
      Value *operand = call.operands[i];
      if (!at.isFused(*operand)) {
        inputs.push_back(
            elements[std::find(sources_.begin(), sources_.end(), operand) - sources_.begin()]);
        continue;
      }
      Type type = operand->type->element;
      Value &inner = at.temporary(type, operand->span);
      at.bind(inner, value(at, *operand, elements, type));
      inputs.push_back(&inner);
    }
    return callOfElements(at, call, inputs, to);
  }
};

} // namespace

Parts emitOverArrays(Emitter &e, Value &call, const LibraryRow &row) {
  if (Value *out = outputOf(row, call))
    return emitIntoOutput(e, call, *out);
  return ArrayExpression(e, call).emit();
}

} // namespace heddle::python
