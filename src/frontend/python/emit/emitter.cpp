#include "frontend/python/emit/emitter.h"

#include "frontend/python/emit/arrays/arrays.h"
#include "frontend/python/emit/containers/texts.h"
#include "frontend/python/emit/numbers/complex.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "simt/ir/checks.h"
#include "simt/ir/host_memory.h"
#include "simt/ir/verifier.h"

#include <cmath>

namespace heddle::python {

CallEmission::CallEmission(Emitter &emitter, Value &call)
    : e(emitter), call(call), b(emitter.b), row(*call.library) {
  if (row.isValue())
    return;
  std::string problem;
  arguments_ = std::move(*matchArguments(row, call, problem)); // infer has checked that they fit
}

Span CallEmission::spanOf(unsigned i) const {
  for (size_t k = 1; k < call.operands.size(); ++k)
    if (call.operands[k] == arguments_[i])
      return call.spanOf(k);
  return call.span;
}

Emitter::Emitter(ModuleEmitter &module, TypedFunction &f, llvm::Function &function)
    : b(module.context()), module_(module), f_(f), function_(function),
      scope_(module.createSubprogram(f, function)), checks_(module.checks()) {
  checks_.divisors &= !f.source->dividesAsNumPy;
  if (f.rules->makesArrays)
    fused_ = findFusedExpressions(f);
  bool showsVariables = checks_.variables; // also to debuggers that stop after their last use
  if (f.rules->makesArrays && !f.isGenerator && !showsVariables)
    owners_.setLastUses(findLastUses(f, fused_));
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", &function_));
  setLocation(f_.source->span);
}

void Emitter::endEntryBlock(llvm::BasicBlock &first) { allocasEnd_ = b.CreateBr(&first); }

void Emitter::setLocation(Span span) {
  b.SetCurrentDebugLocation(
      llvm::DILocation::get(b.getContext(), span.line, span.column + 1, scope_));
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
    Type part = complexPartType(c.type);
    return {scalarConstant(b.getContext(), Constant::ofFloat(c.real, part)),
            scalarConstant(b.getContext(), Constant::ofFloat(c.imaginary, part))};
  }
  case ConstantKind::Tuple: {
    Parts out;
    for (const Constant &item : c.items) {
      Value part{.opcode = Opcode::Constant};
      part.constant = item;
      part.type = f_.rules->makesArrays ? toRuntimeStringTypes(item.valueType()) : item.valueType();
      out.append(parts(part));
    }
    return out;
  }
  case ConstantKind::Array:
    return makeConstantShapeArray(*this, module_.getOrCreateConstantArray(c.array), c.array->shape,
                                  c.array->element);
  case ConstantKind::DeviceArray: {
    llvm::Type *pointer = partTypes(b.getContext(), c.type).front();
    Parts out{b.CreateIntToPtr(b.getInt64(c.place->address), pointer)};
    for (int64_t extent : c.place->shape)
      out.push_back(int64(extent));
    for (int64_t stride : c.place->strides)
      out.push_back(int64(stride));
    return out;
  }
  case ConstantKind::String:
    return v.type == runtimeStringType() ? emitConstantText(*this, c.text) : Parts{};
  default:
    return {};
  }
}

llvm::Value *Emitter::scalar(Value &v, Type to) { return cast(*this, parts(v)[0], v.type, to); }

llvm::Value *Emitter::convertToInteger(Value &v, Type to, Span span, const std::string &use) {
  bool isWhole = v.constant && v.constant->kind == ConstantKind::Float &&
                 v.constant->real == std::trunc(v.constant->real);
  return isWhole ? scalar(v, to) : convertToInteger(parts(v)[0], v.type, to, span, use);
}

llvm::Value *Emitter::convertToInteger(llvm::Value *part, Type from, Type to, Span span,
                                       const std::string &use) {
  if (from.isFloat())
    module_.warn(f_, span, use + " is " + from.name() + ": it loses its fraction");
  return cast(*this, part, from, to);
}

Value &Emitter::makeTemporary(Type type, Span span) {
  Value &v = *f_.makeValue(Opcode::Undefined, span);
  v.type = type;
  return v;
}

bool Emitter::isKernel() const { return function_.hasFnAttribute(simt::kernelAttribute); }

void Emitter::trap(unsigned site, llvm::Value *index, llvm::Value *extent) {
  if (!landing_) {
    index ? simt::call(b, simt::Op::TrapIndex, {int32(site), index, extent})
          : simt::call(b, simt::Op::Trap, {int32(site)});
    b.CreateUnreachable();
    return;
  }
  auto *type = llvm::FunctionType::get(b.getVoidTy(),
                                       {b.getInt32Ty(), b.getInt64Ty(), b.getInt64Ty()}, false);
  llvm::FunctionCallee note = module_.module().getOrInsertFunction(simt::noteFunction, type);
  auto *function = llvm::cast<llvm::Function>(note.getCallee());
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::Cold);
  b.CreateCall(note, {int32(site), index ? index : int64(0), extent ? extent : int64(0)});
  b.CreateBr(landing_);
}

void Emitter::branchToLandingBlockIf(llvm::Value *raised) {
  auto *go = llvm::BasicBlock::Create(b.getContext(), "go", &function_);
  b.CreateCondBr(raised, landing_, go);
  b.SetInsertPoint(go);
}

void Emitter::trapIf(llvm::Value *wrong, Span span, const char *kind, std::string message) {
  unsigned site = module_.addSite(f_, span, kind, std::move(message));
  if (!f_.rules->makesArrays && !landing_)
    return simt::emitCheck(b, site, wrong);
  llvm::BasicBlock *stop = llvm::BasicBlock::Create(b.getContext(), "trap", &function_);
  llvm::BasicBlock *go = llvm::BasicBlock::Create(b.getContext(), "go", &function_);
  b.CreateCondBr(wrong, stop, go);
  b.SetInsertPoint(stop);
  trap(site);
  b.SetInsertPoint(go);
}

void Emitter::checkIndex(llvm::Value *given, llvm::Value *index, llvm::Value *extent, Span span,
                         std::string message) {
  unsigned site = module_.addSite(f_, span, "IndexError", std::move(message));
  if (!f_.rules->makesArrays) {
    llvm::Value *low = given == index ? int64(0) : b.CreateNSWNeg(extent);
    simt::call(b, simt::Op::CheckIndex, {int32(site), given, given, int64(0), low, extent});
    return;
  }
  llvm::BasicBlock *wrong = llvm::BasicBlock::Create(b.getContext(), "out_of_bounds", &function_);
  llvm::BasicBlock *right = llvm::BasicBlock::Create(b.getContext(), "in_bounds", &function_);
  b.CreateCondBr(b.CreateICmpUGE(index, extent), wrong, right);
  b.SetInsertPoint(wrong);
  trap(site, given, extent);
  b.SetInsertPoint(right);
}

llvm::Value *Emitter::wrapNegativeIndex(llvm::Value *i, llvm::Value *count) {
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(i))
    return known->isNegative() ? b.CreateAdd(i, count) : i;
  return simt::call(b, simt::Op::Wrap, {i, count});
}

void Emitter::emitLoop(llvm::Value *count, llvm::function_ref<void(llvm::Value *)> body) {
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

llvm::AllocaInst *Emitter::makeStackSlot(llvm::Type *type, uint64_t count, llvm::Align align) {
  llvm::IRBuilder<> entry(allocasEnd_);
  entry.SetCurrentDebugLocation(b.getCurrentDebugLocation());
  llvm::AllocaInst *slot = entry.CreateAlloca(llvm::ArrayType::get(type, count));
  slot->setAlignment(align);
  return slot;
}

} // namespace heddle::python
