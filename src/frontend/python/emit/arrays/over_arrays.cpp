#include "frontend/python/emit/arrays/over_arrays.h"

#include "frontend/python/emit/arrays/assign_elements.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/parallel/shared_rounds.h"
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
  auto compute = [&](llvm::ArrayRef<Value *> elements) {
    return callOfElements(e, call, elements, out.type->element);
  };
  assignElements(e, target, inputs, compute, call.span);
  return target.parts;
}

/// Fewer elements are one thread's: waking the others takes as long.
constexpr int64_t fewestShared = 1 << 14;

/// An array expression, with those that are part of it.
class ArrayExpression {
public:
  ArrayExpression(Emitter &e, Value &root) : e_(e), root_(root) { addSources(root); }

  Parts emit() {
    Parts array = newArray(e_, root_, extents(), /*zeroed=*/false);
    if (sharesExpressions(e_.function()) && root_.type->ndim)
      share(array);
    else
      computeInto(array);
    return array;
  }

private:
  Emitter &e_;
  Value &root_;
  llvm::SmallVector<Value *, 4> sources_; ///< what the whole expression reads
  std::map<const Value *, Value *> temporaries_;

  void computeInto(const Parts &array) {
    AssignedArray target{root_.type, array, &root_, /*isNew=*/true};
    Type element = root_.type->element;
    assignElements(
        e_, target, sources_,
        [&](llvm::ArrayRef<Value *> elements) { return value(root_, elements, element); },
        root_.span);
  }

  /// The same by several threads, each of which computes some rows: parts along the axis with the longest steps.
  void share(const Parts &array) {
    llvm::IRBuilder<> &b = e_.b;
    checkShapes(array);
    llvm::Value *elements = e_.int64(1);
    for (unsigned axis = 0; axis < root_.type->ndim; ++axis)
      elements = b.CreateMul(elements, array[1 + axis]);
    llvm::Value *rows = array[1 + axisOfRows()];
    llvm::Value *alone = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, rows, e_.int64(1));
    llvm::Value *chunks = b.CreateSelect(b.CreateICmpSLT(elements, e_.int64(fewestShared)), alone,
                                         chunksOf(e_, rows));
    llvm::SmallVector<llvm::Value *, 16> values(array.begin(), array.end());
    for (Value *source : sources_)
      values.append(sharedParts(*source));
    SharedValues shared = storeShared(e_, values);
    if (llvm::Value *raised = runChunks(e_, emitChunk(shared), shared, rows, chunks))
      e_.landIf(raised);
  }

  unsigned axisOfRows() const { return root_.type->layout == Layout::F ? root_.type->ndim - 1 : 0; }

  /// Those that a chunk cannot make itself.
  Parts sharedParts(Value &source) { return source.constant ? Parts() : e_.parts(source); }

  void checkShapes(const Parts &array) {
    llvm::IRBuilder<> &b = e_.b;
    llvm::Value *wrong = b.getFalse();
    for (Value *source : sources_) {
      if (!source->type.isArray())
        continue;
      Parts parts = e_.parts(*source);
      unsigned own = source->type->ndim, missing = root_.type->ndim - own;
      for (unsigned axis = 0; axis < own; ++axis) {
        llvm::Value *differs = b.CreateICmpNE(parts[1 + axis], array[1 + missing + axis]);
        llvm::Value *isOne = b.CreateICmpEQ(parts[1 + axis], e_.int64(1));
        wrong = b.CreateOr(wrong, b.CreateAnd(differs, b.CreateNot(isOne)));
      }
    }
    e_.trapIf(wrong, root_.span, "ValueError", shapesDoNotMatch);
  }

  llvm::Function *emitChunk(const SharedValues &shared) {
    llvm::Function *function = makeChunk(e_.module(), e_.function());
    Emitter chunk(e_.module(), e_.function(), *function);
    auto *first = llvm::BasicBlock::Create(chunk.b.getContext(), "first", function);
    chunk.endEntry(*first);
    chunk.b.SetInsertPoint(first);
    unsigned next = 0;
    Parts array = loadShared(chunk, shared, root_.type, next);
    llvm::Value *rows = array[1 + axisOfRows()];
    for (Value *source : sources_) {
      if (source->constant)
        continue;
      Parts parts = loadShared(chunk, shared, source->type, next);
      unsigned missing = source->type.isArray() ? root_.type->ndim - source->type->ndim : 0;
      if (source->type.isArray() && axisOfRows() >= missing)
        takeRows(chunk, parts, source->type->ndim, axisOfRows() - missing, rows);
      chunk.bind(*source, std::move(parts));
    }
    takeRows(chunk, array, root_.type->ndim, axisOfRows(), rows);
    ArrayExpression(chunk, root_).computeInto(array);
    chunk.b.CreateRetVoid();
    return function;
  }

  /// Makes an array of the chunk's rows of it, unless it has one row for all `rows`.
  static void takeRows(Emitter &chunk, Parts &array, unsigned ndim, unsigned axis,
                       llvm::Value *rows) {
    llvm::IRBuilder<> &b = chunk.b;
    llvm::Value *first = chunk.llvmFunction().getArg(2), *last = chunk.llvmFunction().getArg(3);
    llvm::Value *&extent = array[1 + axis], *stride = array[1 + ndim + axis];
    llvm::Value *hasRows = b.CreateICmpEQ(extent, rows);
    llvm::Value *skipped = b.CreateSelect(hasRows, b.CreateMul(first, stride), chunk.int64(0));
    array[0] = b.CreatePtrAdd(array[0], skipped);
    extent = b.CreateSelect(hasRows, b.CreateSub(last, first), extent);
  }

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
  Parts value(Value &call, llvm::ArrayRef<Value *> elements, Type to) {
    llvm::SmallVector<Value *, 4> inputs;
    for (size_t i = 1; i < call.operands.size(); ++i) {
      Value *operand = call.operands[i];
      if (!e_.isFused(*operand)) {
        inputs.push_back(
            elements[std::find(sources_.begin(), sources_.end(), operand) - sources_.begin()]);
        continue;
      }
      Type type = operand->type->element;
      Value *&inner = temporaries_[operand];
      if (!inner)
        inner = &e_.temporary(type, operand->span);
      e_.bind(*inner, value(*operand, elements, type));
      inputs.push_back(temporaries_[operand]);
    }
    return callOfElements(e_, call, inputs, to);
  }
};

} // namespace

Parts emitOverArrays(Emitter &e, Value &call, const LibraryRow &row) {
  if (Value *out = outputOf(row, call))
    return emitIntoOutput(e, call, *out);
  return ArrayExpression(e, call).emit();
}

} // namespace heddle::python
