#include "frontend/python/emit/over_arrays.h"
#include "frontend/python/emit/conversions.h"

#include "frontend/python/emit/assign_elements.h"
#include "frontend/python/rows/over_arrays.h"

namespace heddle::python {

Parts emitOverArrays(Emitter &e, Value &call, const LibraryRow &row) {
  Value &out = *outputOf(row, call);
  AssignedArray target{out.type, e.parts(out), &out};
  llvm::SmallVector<Value *, 4> inputs;
  for (size_t i = 0; i < inputsOf(row); ++i)
    inputs.push_back(call.operands[i + 1]);
  auto compute = [&](llvm::ArrayRef<Value *> elements) {
    Value one = callForElements(call, row, elements);
    CallTyping typing(e.function(), one, row);
    one.type = row.type(typing);
    CallEmission emission(e, one);
    return convert(e, row.emit(emission), one.type, out.type->element);
  };
  assignElements(e, target, inputs, compute, call.span);
  return target.parts;
}

} // namespace heddle::python
