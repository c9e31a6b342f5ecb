#include "frontend/python/emit/parallel/parallel_loops.h"

#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/arrays/elements.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/parallel/partial_results.h"
#include "frontend/python/emit/parallel/shared_iterations.h"
#include "frontend/python/infer/written_parameters.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {
namespace {

/// A contiguous array at `memory` with the shape and order of `like`.
Parts makeArrayOverMemory(Emitter &e, Type type, const Parts &like, llvm::Value *memory) {
  ArrayParts shape{like, type->ndim};
  Parts out{e.b.CreateAddrSpaceCast(memory, e.b.getPtrTy(type->space))};
  Parts strides(type->ndim);
  llvm::Value *bytes = e.int64(type->element->bytes());
  for (unsigned i = 0; i < type->ndim; ++i) {
    unsigned axis = type->layout == Layout::F ? i : type->ndim - 1 - i;
    out.push_back(shape.extent(i));
    strides[axis] = bytes;
    bytes = e.b.CreateMul(bytes, shape.extent(axis));
  }
  out.append(strides);
  return out;
}

class ParallelLoop {
public:
  ParallelLoop(Emitter &e, Value &loop)
      : e_(e), loop_(loop), body_(*loop.callee), reductions_(loop.function->reductions) {}

  Parts emitMultithreaded() {
    llvm::IRBuilder<> &b = e_.b;
    llvm::Value *iterations = e_.parts(*loop_.operands[0])[0];
    llvm::Value *chunks = emitChunkCount(e_, iterations);
    if (!hasIndependentIterations(loop_))
      chunks = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, chunks, e_.int64(1));
    for (size_t i = 0; i < reductions_.size(); ++i)
      partials_.emplace_back(e_, chunks, partialResultBytes(i), loop_.span);
    ChunkInputs used = storeLoopOperandsForChunks();
    if (llvm::Value *raised =
            emitCallThatRunsChunks(e_, emitChunkFunction(used), used, iterations, chunks))
      e_.branchToLandingBlockIf(raised);
    Parts totals;
    for (size_t i = 0; i < reductions_.size(); ++i) {
      totals.append(combinePartialResults(i));
      partials_[i].free();
    }
    return totals;
  }

  /// Runs all iterations in this thread.
  Parts emitSingleThreaded() {
    llvm::SmallVector<llvm::Value *, 16> arguments{e_.int64(0), e_.parts(*loop_.operands[0])[0]};
    for (size_t i = 1; i < loop_.operands.size(); ++i)
      arguments.append(convertOperandToParameterType(i));
    return callLoopBody(e_, arguments);
  }

private:
  Type reducedType(size_t i) const { return loop_.type->elements[i]; }
  Type reductionElementType(size_t i) const {
    return reducedType(i).isArray() ? elementOf(reducedType(i)) : reducedType(i);
  }

  Parts convertOperandToParameterType(size_t operand) {
    Value &v = *loop_.operands[operand];
    return convert(e_, e_.parts(v), v.type, body_.parameters[operand + 1]);
  }

  llvm::Value *partialResultBytes(size_t i) {
    llvm::Value *bytes = e_.int64(reductionElementType(i)->bytes());
    return reducedType(i).isArray()
               ? e_.b.CreateMul(
                     bytes,
                     ElementsOf(e_, reducedType(i), convertOperandToParameterType(i + 1)).size())
               : bytes;
  }

  /// Stores the parts of all operands except the first, then the partial results' shared values.
  ChunkInputs storeLoopOperandsForChunks() {
    llvm::SmallVector<llvm::Value *, 16> values;
    for (size_t i = 1; i < loop_.operands.size(); ++i)
      values.append(convertOperandToParameterType(i));
    for (const PartialResults &results : partials_)
      values.append(e_.parts(results.chunkInput()));
    return storeChunkInputs(e_, values);
  }

  llvm::Function *emitChunkFunction(const ChunkInputs &used) {
    llvm::Function *chunk = declareChunkFunction(e_.module(), body_);
    chunk->addFnAttr(simt::sharedIterationsAttribute);
    Emitter c(e_.module(), body_, *chunk);
    auto *first = llvm::BasicBlock::Create(c.b.getContext(), "first", chunk);
    c.endEntryBlock(*first);
    c.b.SetInsertPoint(first);
    unsigned next = 0;
    std::vector<Parts> given;
    for (size_t i = 2; i < body_.parameters.size(); ++i)
      given.push_back(loadChunkInput(c, used, body_.parameters[i], next));
    llvm::SmallVector<llvm::Value *, 16> arguments{chunk->getArg(2), chunk->getArg(3)};
    std::vector<llvm::Value *> places;
    for (size_t i = 0; i < reductions_.size(); ++i) {
      Value &results = partials_[i].chunkInput();
      c.bind(results, loadChunkInput(c, used, results.type, next));
      places.push_back(partials_[i].addressOf(c, chunk->getArg(1)));
      given[i] = chunkStartValue(c, i, given[i], places[i]);
    }
    for (const Parts &parts : given)
      arguments.append(parts);
    Parts results = callLoopBody(c, arguments);
    size_t at = 0;
    for (size_t i = 0; i < reductions_.size(); ++i) {
      size_t count = partTypes(c.b.getContext(), body_.result->elements[i]).size();
      Parts own(results.begin() + at, results.begin() + at + count);
      at += count;
      if (!reducedType(i).isArray())
        storeElement(c, places[i], convert(c, own, body_.result->elements[i], reducedType(i)),
                     reducedType(i));
    }
    c.b.CreateRetVoid();
    return chunk;
  }

  /// The start value of reduction `i` in a chunk.
  Parts chunkStartValue(Emitter &e, size_t i, const Parts &before, llvm::Value *place) {
    Type element = reductionElementType(i);
    if (!reducedType(i).isArray())
      return identityOfReduction(e, i, element, before);
    llvm::Value *count = ElementsOf(e, reducedType(i), before).size();
    Parts start = identityOfReduction(e, i, element, {});
    e.emitLoop(count, [&](llvm::Value *k) {
      storeElement(e, e.b.CreatePtrAdd(place, e.b.CreateMul(k, e.int64(element->bytes()))), start,
                   element);
    });
    return makeArrayOverMemory(e, reducedType(i), before, place);
  }

  Parts identityOfReduction(Emitter &e, size_t i, Type type, const Parts &before) {
    int64_t number = 0;
    switch (reductions_[i].kind) {
    case ReductionKind::Min:
    case ReductionKind::Max:
      return before;
    case ReductionKind::Product:
      number = 1;
      break;
    case ReductionKind::And:
      number = -1;
      break;
    default:
      break;
    }
    return convert(e, {e.int64(number)}, int64Type(), type);
  }

  /// Calls the loop body's function, and returns the parts of its result, which belong to the caller.
  Parts callLoopBody(Emitter &e, llvm::SmallVectorImpl<llvm::Value *> &arguments) {
    llvm::Function *function = e.module().getOrDeclareFunction(body_);
    // Null owners: this function keeps the arrays alive.
    while (arguments.size() < function->arg_size())
      arguments.push_back(llvm::ConstantPointerNull::get(e.b.getPtrTy()));
    llvm::CallInst *call = e.b.CreateCall(function, arguments);
    if (call->getType()->isVoidTy())
      return {};
    if (!call->getType()->isStructTy())
      return {call};
    Parts out;
    for (unsigned i = 0; i < call->getType()->getStructNumElements(); ++i)
      out.push_back(e.b.CreateExtractValue(call, i));
    return out;
  }

  /// Combines reduction `i` with the partial results of all chunks.
  Parts combinePartialResults(size_t i) {
    Type type = reducedType(i), element = reductionElementType(i);
    Parts before = convertOperandToParameterType(i + 1);
    TypedFunction &function = *loop_.combines[i];
    auto both = [&](const Parts &a, const Parts &c) {
      llvm::SmallVector<llvm::Value *, 4> arguments(a);
      arguments.append(c);
      llvm::CallInst *call = e_.b.CreateCall(e_.module().getOrDeclareFunction(function), arguments);
      Parts out{call};
      if (call->getType()->isStructTy())
        out = {e_.b.CreateExtractValue(call, 0), e_.b.CreateExtractValue(call, 1)};
      return convert(e_, out, function.result, element);
    };
    if (!type.isArray()) {
      Variable total(e_, before);
      partials_[i].forEach([&](llvm::Value *place) {
        total.set(both(total.get(), loadElement(e_, place, element)));
      });
      return total.get();
    }
    ElementsOf target(e_, type, before);
    partials_[i].forEach([&](llvm::Value *place) {
      ElementsOf partial(e_, type, makeArrayOverMemory(e_, type, before, place));
      e_.emitLoop(target.size(), [&](llvm::Value *number) {
        Parts sum = both(target.elementInOrder(number), partial.elementInOrder(number));
        storeElement(e_, target.addressOfElementNumber(number), sum, element,
                     llvm::Align(type->elementAlignment()));
      });
    });
    return before;
  }

  Emitter &e_;
  Value &loop_;
  TypedFunction &body_;
  const std::vector<Reduction> &reductions_;
  std::vector<PartialResults> partials_; ///< of each reduction
};

} // namespace

bool hasIndependentIterations(const Value &loop) { return !changesContainers(*loop.callee); }

Parts emitParallel(Emitter &e, Value &v) {
  ParallelLoop loop(e, v);
  return runsArrayExpressionsOnThreadPool(e.function()) ? loop.emitMultithreaded()
                                                        : loop.emitSingleThreaded();
}

} // namespace heddle::python
