// Emits the values of a function, by kind.

#include "frontend/python/emit/values.h"

#include "frontend/python/emit/arrays/access.h"
#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/arrays/over_arrays.h"
#include "frontend/python/emit/containers/instances.h"
#include "frontend/python/emit/containers/iteration.h"
#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/containers/members.h"
#include "frontend/python/emit/containers/tables.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/generators/resuming.h"
#include "frontend/python/emit/generators/yielding_function.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/emit/operators.h"
#include "frontend/python/emit/parallel/parallel_loops.h"
#include "frontend/python/rows/over_arrays.h"
#include "frontend/python/types/iteration.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {
namespace {

Parts emitUnwrapOptional(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  Value &optional = *v.operands[0];
  Parts all = e.parts(optional);
  if (!optional.type.is(TypeKind::Optional))
    return all;
  if (e.checks().nones)
    e.trapIf(b.CreateNot(all[0]), v.span, "TypeError",
             "expected " + optional.type->element.name() + ", got None");
  return Parts(all.begin() + 1, all.end());
}

Parts emitUnpack(Emitter &e, Value &v) {
  Value &from = *v.operands[0];
  Parts parts = e.parts(from);
  if (from.type.isTuple() || from.type.is(TypeKind::Closure))
    return tupleElement(e, parts, from.type, v.index);
  if (v.index == 0) // the others follow
    e.trapIf(e.b.CreateICmpNE(emitTripCount(e, from.type, parts), e.int64(v.count)), v.span,
             "ValueError",
             "unpacking needs " + std::to_string(v.count) + (v.count == 1 ? " value" : " values"));
  return loadItem(e, from.type, parts, e.int64(v.index));
}

Parts emitCompiledCall(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  llvm::SmallVector<llvm::Value *, 8> arguments;
  for (size_t i = 0; i < v.callee->parameters.size(); ++i) {
    Value &argument = *v.operands[i + 1];
    arguments.append(convert(e, e.parts(argument), argument.type, v.callee->parameters[i]));
  }
  for (size_t i = 0; i < v.callee->parameters.size(); ++i)
    arguments.append(e.owners().convertedOwners(*v.operands[i + 1], v.callee->parameters[i]));
  llvm::CallInst *call = b.CreateCall(e.module().getOrDeclareFunction(*v.callee), arguments);
  llvm::Type *result = call->getType();
  if (result->isVoidTy())
    return {};
  Parts out;
  if (!result->isStructTy())
    out.push_back(call);
  else
    for (unsigned i = 0; i < result->getStructNumElements(); ++i)
      out.push_back(b.CreateExtractValue(call, i));
  if (v.callee->returnsRaised())
    e.branchToLandingBlockIf(out.pop_back_val());
  size_t owners = countOwners(v.callee->result, *v.callee->rules);
  e.owners().takeOverReferences(v, OwnerList(out.end() - owners, out.end()));
  out.truncate(out.size() - owners);
  return out;
}

Parts emitCall(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  if (v.constant && (v.type.isScalar() || v.type.isComplex() || v.type == runtimeStringType()))
    return e.parts(v);
  if (v.library && isElementwiseCall(*v.library, v))
    return emitElementwiseCall(e, v, *v.library);
  if (v.library) {
    CallEmission call(e, v);
    return v.library->emit(call);
  }
  if (v.callee)
    return emitCompiledCall(e, v);
  if (v.type.isTime()) { // np.datetime64(x, unit)
    Value &from = *v.operands[1];
    if (from.type.isString())
      return {natConstant(b)};
    return from.type.isTime() ? convert(e, e.parts(from), from.type, v.type)
                              : Parts{e.scalar(from, int64Type())};
  }
  if (v.type.isTuple()) { // a named tuple class
    Parts out;
    for (size_t i = 1; i < v.operands.size(); ++i)
      out.append(e.parts(*v.operands[i]));
    return out;
  }
  // A type used as a function.
  Parts converted = convert(e, e.parts(*v.operands[1]), v.operands[1]->type, v.type);
  Type named = v.operands[0]->constant->type;
  if (typeAfterLoad(named) == named)
    return converted;
  return {
      convertFromMemory(b, convertToMemory(b, converted[0], named), named)}; // rounds as in memory
}

} // namespace

namespace {

/// The iterable of the loop with trip count `count`, if it resumes generators; otherwise null.
Value *generatorIterable(const Value &count) {
  bool is = count.opcode == Opcode::IterCount && resumesGenerators(count.operands[0]->type);
  return is ? count.operands[0] : nullptr;
}

bool iteratesLists(Type iterable) {
  return iterable.isList() ||
         (iterable.is(TypeKind::Iterator) && llvm::any_of(iterable->elements, iteratesLists));
}

/// The dicts, sets and numba.typed lists that the loop with trip count `count` iterates over.
llvm::ArrayRef<Value *> sizeCheckedContainers(const Value &count) {
  return count.opcode == Opcode::IterCount ? llvm::ArrayRef(count.operands).drop_front()
                                           : llvm::ArrayRef<Value *>();
}

/// The current trip count of the loop with initial trip count `count`: the body may shorten or extend a Python list.
llvm::Value *currentTripCount(Emitter &e, Value &count) {
  Value *iterable = count.opcode == Opcode::IterCount ? count.operands[0] : nullptr;
  if (iterable && iteratesLists(iterable->type) && sizeCheckedContainers(count).empty())
    return emitTripCount(e, iterable->type, e.parts(*iterable));
  return e.parts(count)[0];
}

llvm::Value *containerSize(Emitter &e, Value &container) {
  llvm::Value *owner = e.parts(container)[0];
  return container.type.isList() ? loadListSize(e, owner) : tableSize(e, container.type, owner);
}

std::string sizeChangedMessage(Type container) {
  return container.isList()   ? "list was mutated during iteration"
         : container.isDict() ? "dictionary changed size during iteration"
                              : "Set changed size during iteration";
}

/// The trip count, and the sizes of containers that must not change.
Parts emitTripCountAndContainerSizes(Emitter &e, Value &v) {
  Parts out{v.constant ? e.int64(v.constant->integer)
            : generatorIterable(v)
                ? e.int64(0) // unknown
                : emitTripCount(e, v.operands[0]->type, e.parts(*v.operands[0]))};
  for (Value *container : sizeCheckedContainers(v))
    out.push_back(containerSize(e, *container));
  return out;
}

/// Ends the call if an iteration has changed the size of a container in the loop. As in Python, the first container is
/// checked even if there are no more items. A loop over a Python list sees appended items.
void checkContainerSizesUnchanged(Emitter &e, const Value &more) {
  llvm::IRBuilder<> &b = e.b;
  Value &count = *more.operands[1];
  size_t i = 1;
  for (Value *container : sizeCheckedContainers(count)) {
    llvm::Value *now = containerSize(e, *container);
    llvm::Value *changed = b.CreateICmpNE(now, e.parts(count)[i]);
    if (i > 1 && !generatorIterable(count))
      changed =
          b.CreateAnd(changed, b.CreateICmpSLT(e.parts(*more.operands[0])[0], e.parts(count)[0]));
    e.trapIf(changed, more.span, "RuntimeError", sizeChangedMessage(container->type));
    ++i;
  }
}

/// The class of an exception follows from the site that raised it.
llvm::Value *emitDoesExceptClauseCatch(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Value *address =
      b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), e.parts(*v.operands[0])[0], simt::caughtSite);
  return b.CreateCall(e.module().getOrDeclareCatchPredicate(v.names),
                      {b.CreateLoad(b.getInt32Ty(), address)});
}

} // namespace

void emitValue(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  switch (v.opcode) {
  case Opcode::Constant:
  case Opcode::Slice:
    return;
  case Opcode::Global:
  case Opcode::Attribute:
    if (v.library) {
      CallEmission call(e, v);
      e.bind(v, v.library->emit(call));
    } else if (!v.constant || !v.constant->isFullyKnown()) {
      bool ofInstance = v.operands[0]->type.isInstance();
      e.bind(v,
             ofInstance ? emitInstanceAttribute(e, v) : emitAttribute(e, *v.operands[0], v.name));
    }
    return;
  case Opcode::Unary:
    if (v.constant)
      return;
    if (UnaryOp(v.op) == UnaryOp::Not)
      e.bind(v, {b.CreateNot(emitTruth(e, *v.operands[0]))});
    else if (v.type.isComplex())
      e.bind(v, emitComplexUnaryOperator(e, UnaryOp(v.op), e.parts(*v.operands[0])));
    else
      e.bind(v, {emitUnaryOperator(e, UnaryOp(v.op), e.parts(*v.operands[0])[0],
                                   v.operands[0]->type, v.type)});
    return;
  case Opcode::Binary:
    if ((!v.constant && !v.type.isString()) || v.type.isTuple())
      e.bind(v, emitBinary(e, v));
    return;
  case Opcode::Compare:
    if (!v.constant)
      e.bind(v, emitCompare(e, v));
    return;
  case Opcode::Truth:
    if (!v.constant)
      e.bind(v, {emitTruth(e, *v.operands[0])});
    return;
  case Opcode::Index:
    if (v.constant && v.constant->isFullyKnown())
      return;
    e.bind(v, emitIndex(e, v));
    if (v.operands[0]->type.isTuple())
      e.owners().ownersOf(v);
    return;
  case Opcode::StoreIndex:
    return emitStore(e, v);
  case Opcode::Call:
    if (!e.isFused(v))
      e.bind(v, emitCall(e, v));
    return;
  case Opcode::Choose:
    e.bind(v, v.operands[0]->type == objectType() ? Parts{e.int64(0)} : e.parts(*v.operands[0]));
    return;
  case Opcode::Unwrap:
    e.bind(v, emitUnwrapOptional(e, v));
    return;
  case Opcode::Starred: // already expanded into operands of the call
    return;
  case Opcode::Closure:
  case Opcode::Tuple: {
    Parts out;
    for (Value *element : v.operands)
      out.append(e.parts(*element));
    e.bind(v, std::move(out));
    return;
  }
  case Opcode::Unpack:
    e.bind(v, emitUnpack(e, v));
    if (iteratesItemsWithOwners(v.operands[0]->type))
      e.owners().retainItem(v);
    return;
  case Opcode::List:
    e.bind(v, emitList(e, v));
    return;
  case Opcode::Dict:
  case Opcode::Set:
    e.bind(v, emitEmptyDictOrSet(e, v, e.int64(smallestTable)));
    return;
  case Opcode::Caught: {
    auto *type = llvm::FunctionType::get(b.getPtrTy(), false);
    llvm::Value *owner =
        b.CreateCall(e.module().module().getOrInsertFunction(simt::caughtFunction, type));
    e.owners().takeOverReferences(v, {owner});
    e.bind(v, {owner});
    return;
  }
  case Opcode::Catches:
    if (!v.constant)
      e.bind(v, {emitDoesExceptClauseCatch(e, v)});
    return;
  case Opcode::Parallel:
    e.bind(v, emitParallel(e, v));
    return;
  case Opcode::IterCount:
    if ((!v.constant && !generatorIterable(v)) || !sizeCheckedContainers(v).empty())
      e.bind(v, emitTripCountAndContainerSizes(e, v));
    return;
  case Opcode::IterValue:
    e.bind(v, emitIterValue(e, v));
    if (iteratesItemsWithOwners(v.operands[0]->type))
      e.owners().retainItem(v);
    else
      e.owners().ownersOf(v);
    return;
  case Opcode::Advance:
    e.bind(v, {b.CreateAdd(e.parts(*v.operands[0])[0], e.int64(1), "", true, true)});
    return;
  case Opcode::Yield:
    return emitYield(e, *v.operands[0]);
  case Opcode::More:
    checkContainerSizesUnchanged(e, v);
    if (Value *over = generatorIterable(*v.operands[1]))
      e.bind(v, {emitResumeGenerators(e, over->type, e.parts(*over), e.parts(*v.operands[0])[0])});
    else if (!v.constant)
      e.bind(v, {b.CreateICmpSLT(e.parts(*v.operands[0])[0], currentTripCount(e, *v.operands[1]))});
    return;
  default: // emitted by FunctionEmitter
    return;
  }
}

} // namespace heddle::python
