#include "frontend/python/emit/complex.h"

#include "frontend/python/emit/over_arrays.h"
#include "frontend/python/infer/live_edges.h"
#include "frontend/python/rows/over_arrays.h"
#include "simt/ir/verifier.h"

#include <algorithm>
#include <set>

namespace heddle::python {

CallEmission::CallEmission(Emitter &emitter, Value &call)
    : e(emitter), call(call), b(emitter.b), entry(*call.library) {
  if (entry.isValue())
    return;
  std::string problem;
  arguments_ = std::move(*matchArguments(entry, call, problem)); // infer has checked that they fit
}

Emitter::Emitter(ModuleEmitter &module, TypedFunction &f, llvm::Function &function)
    : b(module.context()), module_(module), f_(f), function_(function) {}

void Emitter::run() {
  scope_ = module_.subprogram(f_, function_);
  llvm::BasicBlock *entry = llvm::BasicBlock::Create(b.getContext(), "entry", &function_);
  b.SetInsertPoint(entry);
  locate(f_.source->span);
  if (f_.source->declaration)
    return runDeclared();
  bindParameters();

  // Reverse post-order over live edges: definitions come before their uses, but for phis.
  std::vector<Block *> order;
  std::set<Block *> seen;
  auto visit = [&](Block *block) {
    // An explicit stack: the graph may be as deep as the function is long.
    struct Step {
      Block *block;
      size_t next;
    };
    std::vector<Step> stack{{block, 0}};
    seen.insert(block);
    while (!stack.empty()) {
      Step &top = stack.back();
      if (top.next == top.block->successors.size()) {
        order.push_back(top.block);
        stack.pop_back();
        continue;
      }
      Block *s = top.block->successors[top.next++];
      if (s->reachable && isLiveEdge(*top.block, *s) && seen.insert(s).second)
        stack.push_back({s, 0});
    }
  };
  visit(f_.blocks[0].get());
  std::reverse(order.begin(), order.end());

  for (Block *block : order)
    entries_[block] = llvm::BasicBlock::Create(b.getContext(),
                                               "block" + std::to_string(block->number), &function_);
  allocasEnd_ = b.CreateBr(entries_[order[0]]);
  for (Block *block : order)
    emitBlock(*block);
  completePhis();
}

void Emitter::locate(Span span) {
  b.SetCurrentDebugLocation(
      llvm::DILocation::get(b.getContext(), span.line, span.column + 1, scope_));
}

void Emitter::bindParameters() {
  unsigned next = 0;
  for (Value *parameter : f_.parameterValues) {
    Parts parts;
    for (llvm::Type *type : partTypes(b.getContext(), parameter->type)) {
      llvm::Value *argument = function_.getArg(next++);
      if (argument->getType() != type) // a kernel's bool is a byte
        argument = b.CreateICmpNE(argument, b.getInt8(0));
      parts.push_back(argument);
    }
    parts_[parameter] = std::move(parts);
  }
}

void Emitter::emitBlock(Block &block) {
  b.SetInsertPoint(entries_[&block]);
  for (Value *v : block.values)
    if (v->opcode == Opcode::Phi && v->type) {
      locate(v->span);
      Parts parts;
      for (llvm::Type *type : partTypes(b.getContext(), v->type))
        parts.push_back(b.CreatePHI(type, v->operands.size()));
      parts_[v] = std::move(parts);
      phis_.push_back(v);
    }
  for (Value *v : block.values) {
    if (v->opcode == Opcode::Phi || v->opcode == Opcode::Parameter ||
        v->opcode == Opcode::Undefined)
      continue;
    locate(v->span);
    emitValue(*v);
  }
  exits_[&block] = b.GetInsertBlock();
}

void Emitter::completePhis() {
  for (Value *phi : phis_) {
    Parts &merged = parts_[phi];
    for (size_t i = 0; i < phi->operands.size(); ++i) {
      Block *from = phi->block->predecessors[i];
      if (!exits_.count(from) || !isLiveEdge(*from, *phi->block))
        continue;
      b.SetInsertPoint(exits_[from]->getTerminator());
      locate(phi->span);
      Value &operand = *phi->operands[i];
      Parts parts;
      if (operand.type)
        parts = convert(this->parts(operand), operand.type, phi->type);
      else // assigned on other paths only: any value serves, zero is the same on every device
        for (llvm::Value *part : merged)
          parts.push_back(llvm::Constant::getNullValue(part->getType()));
      for (size_t k = 0; k < merged.size(); ++k)
        llvm::cast<llvm::PHINode>(merged[k])->addIncoming(parts[k], exits_[from]);
    }
  }
}

Parts Emitter::parts(Value &v) {
  auto known = parts_.find(&v);
  if (known != parts_.end())
    return known->second;
  if (!v.constant)
    return {};
  const Constant &c = *v.constant;
  switch (c.kind) {
  case ConstantKind::Bool:
  case ConstantKind::Int:
  case ConstantKind::Float:
    return {scalarConstant(b.getContext(), c)};
  case ConstantKind::Complex: {
    Type part = partOf(c.type);
    return {scalarConstant(b.getContext(), Constant::ofFloat(c.real, part)),
            scalarConstant(b.getContext(), Constant::ofFloat(c.imaginary, part))};
  }
  case ConstantKind::Tuple: {
    Parts out;
    for (const Constant &item : c.items) {
      Value part{.opcode = Opcode::Constant};
      part.constant = item;
      part.type = item.valueType();
      out.append(parts(part));
    }
    return out;
  }
  case ConstantKind::Array:
    return arrayAt(module_.constantArray(c.array), c.array->shape, c.array->element);
  default:
    return {};
  }
}

llvm::Value *Emitter::scalar(Value &v, Type to) { return cast(parts(v)[0], v.type, to); }

Parts Emitter::convert(const Parts &parts, Type from, Type to) {
  if (from == to)
    return parts;
  if (to.is(TypeKind::Optional)) {
    if (from.is(TypeKind::None))
      return emptyParts(to);
    bool isOptional = from.is(TypeKind::Optional);
    Parts value = convert(Parts(parts.begin() + isOptional, parts.end()),
                          isOptional ? from->element : from, to->element);
    value.insert(value.begin(), isOptional ? parts[0] : b.getTrue());
    return value;
  }
  if (to.isComplex())
    return toComplex(*this, parts, from, to);
  if (from.isScalar())
    return {cast(parts[0], from, to)};
  if (from.isTime())
    return {convertTime(b, parts[0], from, to)};
  if (from.isArray() || from.isRecord() || from.isPointer()) {
    Parts out = parts;
    if (to.isPointer())
      out.resize(1);
    if (from->space != to->space)
      out[0] = b.CreateAddrSpaceCast(parts[0], b.getPtrTy(to->space));
    return out;
  }
  if (from.is(TypeKind::Range))
    return {cast(parts[0], from->element, to->element), cast(parts[1], from->element, to->element),
            parts[2]};
  Parts out;
  for (size_t i = 0; i < from->elements.size(); ++i)
    out.append(convert(tupleElement(parts, from, i), from->elements[i], to->elements[i]));
  return out;
}

Parts Emitter::tupleElement(const Parts &parts, Type tuple, size_t i) {
  unsigned first = 0;
  for (size_t k = 0; k < i; ++k)
    first += partTypes(b.getContext(), tuple->elements[k]).size();
  unsigned count = partTypes(b.getContext(), tuple->elements[i]).size();
  return Parts(parts.begin() + first, parts.begin() + first + count);
}

void Emitter::trapIf(llvm::Value *wrong, Span span, const char *kind, std::string message) {
  unsigned site = module_.site(f_, span, kind, std::move(message));
  llvm::BasicBlock *stop = llvm::BasicBlock::Create(b.getContext(), "trap", &function_);
  llvm::BasicBlock *go = llvm::BasicBlock::Create(b.getContext(), "go", &function_);
  b.CreateCondBr(wrong, stop, go);
  b.SetInsertPoint(stop);
  simt::call(b, simt::Op::Trap, {int32(site)});
  b.CreateUnreachable();
  b.SetInsertPoint(go);
}

void Emitter::loop(llvm::Value *count, llvm::function_ref<void(llvm::Value *)> body) {
  auto block = [&](const char *name) {
    return llvm::BasicBlock::Create(b.getContext(), name, &function_);
  };
  llvm::BasicBlock *before = b.GetInsertBlock(), *head = block("loop"), *inside = block("inside"),
                   *after = block("after");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  llvm::PHINode *i = b.CreatePHI(b.getInt64Ty(), 2);
  b.CreateCondBr(b.CreateICmpSLT(i, count), inside, after);
  b.SetInsertPoint(inside);
  body(i);
  i->addIncoming(int64(0), before);
  i->addIncoming(b.CreateAdd(i, int64(1), "", true, true), b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(after);
}

Value &Emitter::temporary(Type type, Span span) {
  Value &v = *f_.make(Opcode::Undefined, span);
  v.type = type;
  return v;
}

bool Emitter::inKernel() const { return function_.hasFnAttribute(simt::kernelAttribute); }

llvm::AllocaInst *Emitter::stackSlot(llvm::Type *type, uint64_t count, llvm::Align align) {
  llvm::IRBuilder<> entry(allocasEnd_);
  entry.SetCurrentDebugLocation(b.getCurrentDebugLocation());
  llvm::AllocaInst *slot = entry.CreateAlloca(llvm::ArrayType::get(type, count));
  slot->setAlignment(align);
  return slot;
}

// Values ----------------------------------------------------------------------------------------------------------

void Emitter::emitValue(Value &v) {
  switch (v.opcode) {
  case Opcode::Constant:
  case Opcode::Slice:
    return;
  case Opcode::Global:
  case Opcode::Attribute:
    if (v.library) {
      CallEmission call(*this, v);
      parts_[&v] = v.library->emit(call);
    } else if (!v.constant) {
      parts_[&v] = member(*v.operands[0], v.name);
    }
    return;
  case Opcode::Unary:
    if (!v.constant && v.type.isComplex())
      parts_[&v] = complexUnary(*this, UnaryOp(v.op), parts(*v.operands[0]));
    else if (!v.constant)
      parts_[&v] = {unary(UnaryOp(v.op), parts(*v.operands[0])[0], v.operands[0]->type, v.type)};
    return;
  case Opcode::Binary:
    if ((!v.constant && v.type != stringType()) || v.type.isTuple())
      parts_[&v] = emitBinary(v);
    return;
  case Opcode::Compare:
    if (!v.constant)
      parts_[&v] = emitCompare(v);
    return;
  case Opcode::Truth:
    if (!v.constant)
      parts_[&v] = {emitTruth(*v.operands[0])};
    return;
  case Opcode::Index:
    if (v.constant && v.constant->isWhole())
      return;
    parts_[&v] = emitIndex(v);
    return;
  case Opcode::StoreIndex:
    return emitStore(v);
  case Opcode::Call:
    parts_[&v] = emitCall(v);
    return;
  case Opcode::Unwrap:
    parts_[&v] = emitUnwrap(v);
    return;
  case Opcode::Starred: // its elements are the call's operands by now
    return;
  case Opcode::Closure:
  case Opcode::Tuple: {
    Parts out;
    for (Value *element : v.operands)
      out.append(parts(*element));
    parts_[&v] = std::move(out);
    return;
  }
  case Opcode::Unpack:
    parts_[&v] = tupleElement(parts(*v.operands[0]), v.operands[0]->type, v.index);
    return;
  case Opcode::IterCount:
    if (!v.constant)
      parts_[&v] = {rounds(v.operands[0]->type, parts(*v.operands[0]))};
    return;
  case Opcode::IterValue:
    parts_[&v] = emitIterValue(v);
    return;
  case Opcode::Advance:
    parts_[&v] = {b.CreateAdd(parts(*v.operands[0])[0], int64(1), "", true, true)};
    return;
  case Opcode::More:
    if (!v.constant)
      parts_[&v] = {b.CreateICmpSLT(parts(*v.operands[0])[0], parts(*v.operands[1])[0])};
    return;
  default:
    emitTerminator(v);
  }
}

void Emitter::emitTerminator(Value &v) {
  switch (v.opcode) {
  case Opcode::Jump:
    b.CreateBr(entries_[v.block->successors[0]]);
    return;
  case Opcode::Branch: {
    Block *yes = v.block->successors[0], *no = v.block->successors[1];
    bool mayBeYes = isLiveEdge(*v.block, *yes), mayBeNo = isLiveEdge(*v.block, *no);
    if (mayBeYes && mayBeNo)
      b.CreateCondBr(parts(*v.operands[0])[0], entries_[yes], entries_[no]);
    else
      b.CreateBr(entries_[mayBeYes ? yes : no]);
    return;
  }
  case Opcode::Raise:
    return emitRaise(v);
  default:
    return emitReturn(v);
  }
}

void Emitter::emitRaise(Value &v) {
  unsigned site = module_.site(f_, v.span, v.name, v.constant ? v.constant->text : "");
  simt::call(b, simt::Op::Trap, {int32(site)});
  b.CreateUnreachable();
}

void Emitter::emitReturn(Value &v) {
  Value &result = *v.operands[0];
  if (function_.getReturnType()->isVoidTy()) {
    b.CreateRetVoid();
    return;
  }
  Parts parts = convert(this->parts(result), result.type, f_.result);
  if (parts.size() == 1) {
    b.CreateRet(parts[0]);
    return;
  }
  b.CreateAggregateRet(parts.data(), parts.size());
}

TimeOperand Emitter::timeOperand(Value &v) {
  if (v.type.isTime())
    return {parts(v)[0], v.type};
  Type wide = v.type.isFloat() ? float64Type() : int64Type();
  return {scalar(v, wide), wide};
}

Parts Emitter::emitBinary(Value &v) {
  if (v.inPlace && v.type.isArray())
    return emitInPlace(v);
  if (v.type.isTuple()) {
    Parts out = parts(*v.operands[0]);
    out.append(parts(*v.operands[1]));
    return out;
  }
  Value &x = *v.operands[0], &y = *v.operands[1];
  if (v.type.isComplex())
    return complexOperation(*this, BinaryOp(v.op), x, y, v.type, v.span);
  if (x.type.isTime() || y.type.isTime())
    return {timeBinary(b, BinaryOp(v.op), timeOperand(x), timeOperand(y), v.type)};
  return {binary(BinaryOp(v.op), x, y, v.type, v.span)};
}

llvm::Value *Emitter::emitTruth(Value &v) {
  Parts all = parts(v);
  if (!v.type.is(TypeKind::Optional))
    return v.type.isComplex() ? complexTruth(*this, all) : truth(all[0], v.type);
  Type element = v.type->element;
  return element.isScalar() ? b.CreateAnd(all[0], truth(all[1], element)) : all[0];
}

Parts Emitter::emitCompare(Value &v) {
  Value &a = *v.operands[0], &c = *v.operands[1];
  CompareOp op = CompareOp(v.op);
  for (Value *side : {&a, &c})
    if (side->type.is(TypeKind::Optional)) { // with None
      llvm::Value *isSome = parts(*side)[0];
      bool wantsNone = op == CompareOp::Is || op == CompareOp::Eq;
      return {wantsNone ? b.CreateNot(isSome) : isSome};
    }
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    llvm::Value *found = b.getFalse();
    Parts candidates = parts(c);
    for (size_t i = 0; i < c.type->elements.size(); ++i)
      found =
          b.CreateOr(found, equalNumbers(*this, parts(a), a.type,
                                         tupleElement(candidates, c.type, i), c.type->elements[i]));
    return {op == CompareOp::In ? found : b.CreateNot(found)};
  }
  if (a.type.isTuple())
    return {compareTuples(op, a, c)};
  auto numberOf = [](Type t) { return t.is(TypeKind::Enum) ? t->element : t; };
  Type ta = numberOf(a.type), tc = numberOf(c.type);
  if (ta.isComplex() || tc.isComplex()) {
    llvm::Value *equal = equalNumbers(*this, parts(a), ta, parts(c), tc);
    return {op == CompareOp::Eq ? equal : b.CreateNot(equal)};
  }
  return {compare(op, parts(a)[0], ta, parts(c)[0], tc)};
}

/// Tuples of scalars compare by their first elements that differ.
llvm::Value *Emitter::compareTuples(CompareOp op, Value &a, Value &c) {
  std::vector<Type> left, right;
  auto flatten = [](Type t, std::vector<Type> &out, auto &self) -> void {
    if (t.isTuple())
      for (Type e : t->elements)
        self(e, out, self);
    else if (t.isComplex()) // == and != alone, with another complex number
      out.insert(out.end(), 2, partOf(t));
    else
      out.push_back(t);
  };
  Parts x = parts(a), y = parts(c);
  Type common =
      x.size() == y.size() ? Type() : unify(a.type, c.type); // a real number beside a complex one
  flatten(common ? common : a.type, left, flatten);
  flatten(common ? common : c.type, right, flatten);
  if (common) {
    x = convert(x, a.type, common);
    y = convert(y, c.type, common);
  }
  bool orEqual = op == CompareOp::Eq || op == CompareOp::Le || op == CompareOp::Ge;
  llvm::Value *result = b.getInt1(orEqual);
  CompareOp strict = op == CompareOp::Le ? CompareOp::Lt : op == CompareOp::Ge ? CompareOp::Gt : op;
  for (size_t i = x.size(); i-- > 0;) {
    llvm::Value *equal = compare(CompareOp::Eq, x[i], left[i], y[i], right[i]);
    llvm::Value *decided = compare(strict, x[i], left[i], y[i], right[i]);
    result = b.CreateSelect(equal, result, decided);
  }
  return result;
}

Parts Emitter::emptyParts(Type type) {
  Parts out;
  for (llvm::Type *part : partTypes(b.getContext(), type))
    out.push_back(llvm::Constant::getNullValue(part));
  return out;
}

Parts Emitter::emitUnwrap(Value &v) {
  Value &optional = *v.operands[0];
  Parts all = parts(optional);
  if (!optional.type.is(TypeKind::Optional))
    return all;
  if (debug())
    trapIf(b.CreateNot(all[0]), v.span, "TypeError",
           "expected " + optional.type->element.name() + ", got None");
  return Parts(all.begin() + 1, all.end());
}

Parts Emitter::emitCall(Value &v) {
  if (v.constant && (v.type.isScalar() || v.type.isComplex()))
    return parts(v);
  if (v.library && isOverArrays(*v.library, v))
    return emitOverArrays(*this, v, *v.library);
  if (v.library) {
    CallEmission call(*this, v);
    return v.library->emit(call);
  }
  if (v.callee)
    return emitDeviceCall(v);
  if (v.type.isTime()) { // np.datetime64(x, unit)
    Value &from = *v.operands[1];
    if (from.type == stringType())
      return {nat(b)};
    return from.type.isTime() ? convert(parts(from), from.type, v.type)
                              : Parts{scalar(from, int64Type())};
  }
  if (v.type.isTuple()) { // a class of named tuples
    Parts out;
    for (size_t i = 1; i < v.operands.size(); ++i)
      out.append(parts(*v.operands[i]));
    return out;
  }
  return convert(parts(*v.operands[1]), v.operands[1]->type, v.type); // a type used as a function
}

Parts Emitter::emitDeviceCall(Value &v) {
  llvm::SmallVector<llvm::Value *, 8> arguments;
  for (size_t i = 0; i < v.callee->parameters.size(); ++i) {
    Value &argument = *v.operands[i + 1];
    arguments.append(convert(parts(argument), argument.type, v.callee->parameters[i]));
  }
  llvm::CallInst *call = b.CreateCall(module_.functionFor(*v.callee), arguments);
  llvm::Type *result = call->getType();
  if (result->isVoidTy())
    return {};
  if (!result->isStructTy())
    return {call};
  Parts out;
  for (unsigned i = 0; i < result->getStructNumElements(); ++i)
    out.push_back(b.CreateExtractValue(call, i));
  return out;
}

} // namespace heddle::python
