#include "frontend/python/emit/function.h"

#include "frontend/python/emit/containers/characters.h"
#include "frontend/python/emit/containers/texts.h"
#include "frontend/python/emit/conversions.h"
#include "frontend/python/emit/declared.h"
#include "frontend/python/emit/generators/yielding_function.h"
#include "frontend/python/emit/slots.h"
#include "frontend/python/emit/values.h"
#include "frontend/python/infer/live_edges.h"
#include "frontend/python/types/characters.h"
#include "simt/ir/host_memory.h"

#include <algorithm>
#include <set>

namespace heddle::python {
namespace {

/// Stores the run-time arguments of an exception in slots, for its handler.
void storeExceptionArguments(Emitter &e, Value &raise) {
  llvm::IRBuilder<> &b = e.b;
  llvm::SmallVector<llvm::Value *, 8> parts;
  llvm::SmallVector<bool, 8> isSigned;
  llvm::SmallVector<unsigned, 2> texts;
  for (Value *argument : llvm::drop_begin(raise.operands)) {
    if (argument->constant && argument->constant->isFullyKnown())
      continue;
    for (unsigned place : partsThatAreStringAddresses(argument->type, b.getContext()))
      texts.push_back(parts.size() + place);
    parts.append(e.parts(*argument));
    isSigned.append(signednessOfParts(argument->type, b.getContext()));
  }
  if (parts.empty())
    return;
  auto *type = llvm::FunctionType::get(b.getPtrTy(), {b.getInt64Ty()}, false);
  llvm::Value *slots =
      b.CreateCall(e.module().module().getOrInsertFunction(simt::raisedFunction, type),
                   {e.int64(int64_t(parts.size()))});
  for (unsigned i = 0; i < parts.size(); ++i)
    storeSlot(b, slotAt(b, slots, i), parts[i], isSigned[i]);
  for (unsigned place : texts)
    b.CreateCall(declareRuntimeFunction(e, simt::keepTextFunction, b.getVoidTy(), {b.getInt64Ty()}),
                 {e.int64(place)});
}

void emitRaise(Emitter &e, Value &v) {
  bool throws = e.function().rules->raise == Raise::Throws;
  const std::vector<Constant> &arguments = v.constant->items;
  if (!throws) {
    e.trap(e.module().addSite(e.function(), v.span, v.name, arguments[0].text,
                              arguments.size() == 1 ? "" : arguments[1].text));
    return;
  }
  unsigned site = e.module().addRaiseSite(e.function(), v.span, v.name, arguments);
  if (!arguments.empty())
    storeExceptionArguments(e, v);
  e.trap(site);
}

/// Raises the exception of an except clause again.
void emitReraise(Emitter &e, Value &caught) {
  llvm::IRBuilder<> &b = e.b;
  llvm::Module &module = e.module().module();
  auto *note = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  b.CreateCall(module.getOrInsertFunction(simt::noteAgainFunction, note), e.parts(caught));
  if (e.landingBlock()) {
    b.CreateBr(e.landingBlock());
    return;
  }
  auto *leave = llvm::FunctionType::get(b.getVoidTy(), false);
  b.CreateCall(module.getOrInsertFunction(simt::leaveFunction, leave))->setDoesNotReturn();
  b.CreateUnreachable();
}

void emitReturn(Emitter &e, Value &v) {
  llvm::IRBuilder<> &b = e.b;
  if (e.function().isGenerator) {
    b.CreateRet(b.getInt8(simt::GeneratorEnded));
    return;
  }
  Value &result = *v.operands[0];
  if (e.llvmFunction().getReturnType()->isVoidTy()) {
    b.CreateRetVoid();
    return;
  }
  Parts parts = convert(e, e.parts(result), result.type, e.function().result);
  OwnerList owners = e.owners().convertedOwners(result, e.function().result);
  e.owners().retain(owners);
  parts.append(owners);
  if (e.function().returnsRaised())
    parts.push_back(b.getFalse());
  if (parts.size() == 1) {
    b.CreateRet(parts[0]);
    return;
  }
  b.CreateAggregateRet(parts.data(), parts.size());
}

} // namespace

void FunctionEmitter::run() {
  if (e_.function().source->declaration)
    return emitDeclaredBody(e_);
  e_.function().isGenerator ? bindGeneratorArguments(e_) : bindParameters();

  // Reverse post-order over live edges: definitions come before uses, except for phis.
  std::vector<Block *> order;
  std::set<Block *> seen;
  auto visit = [&](Block *block) {
    // An explicit stack, because the graph may be as deep as the function is long.
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
  visit(e_.function().blocks[0].get());
  std::reverse(order.begin(), order.end());

  for (Block *block : order)
    entries_[block] = llvm::BasicBlock::Create(
        e_.b.getContext(), "block" + std::to_string(block->number), &e_.llvmFunction());
  e_.endEntryBlock(*entries_[order[0]]);
  for (Block *block : order)
    emitBlock(*block);
  completePhis();
  e_.owners().releaseSlotsAtReturns();
  // Except in generators, whose variables move.
  if (e_.checks().variables && !e_.function().isGenerator)
    describeVariables(e_, assigned_);
}

void FunctionEmitter::recordAssignmentPositions(const Block &block, const Value *v) {
  if (!e_.checks().variables)
    return;
  llvm::BasicBlock *here = e_.b.GetInsertBlock();
  for (const VariableAssignment &assignment : e_.function().assignments)
    if (assignment.block == &block && assignment.after == v && assignment.value)
      assigned_.push_back({&assignment, here, here->empty() ? nullptr : &here->back()});
}

void FunctionEmitter::bindParameters() {
  unsigned next = 0;
  for (Value *parameter : e_.function().parameterValues) {
    Parts parts;
    for (llvm::Type *type : partTypes(e_.b.getContext(), parameter->type)) {
      llvm::Value *argument = e_.llvmFunction().getArg(next++);
      if (argument->getType() != type) // a kernel's bool is a byte
        argument = e_.b.CreateICmpNE(argument, e_.b.getInt8(0));
      parts.push_back(argument);
    }
    e_.bind(*parameter, std::move(parts));
  }
  for (Value *parameter : e_.function().parameterValues) {
    OwnerList owners;
    for (size_t i = 0; i < countOwners(parameter->type, *e_.function().rules); ++i)
      owners.push_back(e_.llvmFunction().getArg(next++));
    e_.owners().borrow(*parameter, std::move(owners));
  }
}

llvm::BasicBlock *FunctionEmitter::getOrCreateLandingBlock(Block &block) {
  bool isCaught = block.protection;
  if (!isCaught && !e_.function().guarded)
    return nullptr;
  llvm::BasicBlock *&landing = landings_[block.protection];
  if (landing)
    return landing;
  landing = llvm::BasicBlock::Create(e_.b.getContext(), isCaught ? "landing" : "raised",
                                     &e_.llvmFunction());
  llvm::IRBuilderBase::InsertPointGuard guard(e_.b);
  e_.b.SetInsertPoint(landing);
  if (isCaught) {
    e_.b.CreateBr(entries_[block.protection->successors[1]]);
    return landing;
  }
  if (e_.function().isGenerator) {
    e_.b.CreateRet(e_.b.getInt8(simt::GeneratorRaised));
    return landing;
  }
  llvm::Type *result = e_.llvmFunction().getReturnType();
  llvm::Value *raised = e_.b.getTrue();
  if (auto *structure = llvm::dyn_cast<llvm::StructType>(result))
    raised = e_.b.CreateInsertValue(llvm::Constant::getNullValue(result), raised,
                                    structure->getNumElements() - 1);
  e_.b.CreateRet(raised);
  return landing;
}

void FunctionEmitter::emitBlock(Block &block) {
  e_.b.SetInsertPoint(entries_[&block]);
  e_.setLocation(e_.function().source->span);
  e_.setLandingBlock(getOrCreateLandingBlock(block));
  llvm::SmallVector<Value *, 4> here;
  for (Value *v : block.values)
    if (v->opcode == Opcode::Phi && v->type) {
      e_.setLocation(v->span);
      Parts parts;
      for (llvm::Type *type : partTypes(e_.b.getContext(), v->type))
        parts.push_back(e_.b.CreatePHI(type, v->operands.size()));
      e_.bind(*v, std::move(parts));
      OwnerList owners;
      for (size_t i = 0; i < countOwners(v->type, *e_.function().rules); ++i)
        owners.push_back(e_.b.CreatePHI(e_.b.getPtrTy(), v->operands.size()));
      e_.owners().borrow(*v, std::move(owners));
      phis_.push_back(v);
      here.push_back(v);
    }
  e_.owners().retainOwnersOfPhis(here);
  e_.owners().releaseValuesDeadAtHead(block);
  recordAssignmentPositions(block, nullptr);
  for (Value *v : block.values) {
    bool isThere = v->opcode == Opcode::Parameter || v->opcode == Opcode::Undefined;
    if (v->opcode == Opcode::Phi)
      continue;
    if (v->opcode == Opcode::Undefined && v->type)
      bindUnassignedVariableToZero(*v);
    if (!isThere)
      e_.setLocation(v->span);
    if (v == block.values.back())
      emitTerminator(*v);
    else if (!isThere) {
      e_.owners().beginValue(*v);
      emitValue(e_, *v);
      e_.owners().releaseValuesDeadAfter(*v);
    }
    recordAssignmentPositions(block, v);
  }
  exits_[&block] = e_.b.GetInsertBlock();
}

/// Binds a variable that has no value on this path. Any value is valid; zero is the same on every device.
void FunctionEmitter::bindUnassignedVariableToZero(Value &v) {
  Parts zeros;
  for (llvm::Type *type : partTypes(e_.b.getContext(), v.type))
    zeros.push_back(llvm::Constant::getNullValue(type));
  e_.bind(v, std::move(zeros));
  e_.owners().borrow(
      v, OwnerList(countOwners(v.type, *e_.function().rules),
                   llvm::ConstantPointerNull::get(llvm::PointerType::get(e_.b.getContext(), 0))));
}

void FunctionEmitter::emitTerminator(Value &v) {
  switch (v.opcode) {
  case Opcode::Jump:
  case Opcode::Protect:
    e_.b.CreateBr(entries_[v.block->successors[0]]);
    return;
  case Opcode::Branch: {
    Block *yes = v.block->successors[0], *no = v.block->successors[1];
    bool mayBeYes = isLiveEdge(*v.block, *yes), mayBeNo = isLiveEdge(*v.block, *no);
    if (mayBeYes && mayBeNo)
      e_.b.CreateCondBr(e_.parts(*v.operands[0])[0], entries_[yes], entries_[no]);
    else
      e_.b.CreateBr(entries_[mayBeYes ? yes : no]);
    return;
  }
  case Opcode::Raise:
    return v.operands[0]->type.is(TypeKind::Caught) ? emitReraise(e_, *v.operands[0])
                                                    : emitRaise(e_, v);
  default:
    return emitReturn(e_, v);
  }
}

void FunctionEmitter::completePhis() {
  for (Value *phi : phis_) {
    Parts merged = e_.parts(*phi);
    for (size_t i = 0; i < phi->operands.size(); ++i) {
      Block *from = phi->block->predecessors[i];
      if (!exits_.count(from) || !isLiveEdge(*from, *phi->block))
        continue;
      bool raises =
          from->values.back()->opcode == Opcode::Protect && from->successors[1] == phi->block;
      llvm::BasicBlock *end = raises ? landings_[from] : exits_[from];
      if (!end) // the protected code does not raise
        continue;
      e_.setLandingBlock(getOrCreateLandingBlock(*from));
      e_.b.SetInsertPoint(end->getTerminator());
      e_.setLocation(phi->span);
      Value &operand = *phi->operands[i];
      Parts parts;
      if (isCharacters(phi->type) && operand.type && operand.opcode != Opcode::Undefined)
        parts = convertToCharacters(e_, operand, phi->type);
      else if (operand.type && operand.opcode != Opcode::Undefined)
        parts = convert(e_, e_.parts(operand), operand.type, phi->type);
      else // only assigned on other paths: any value is valid, zero is the same on every device
        for (llvm::Value *part : merged)
          parts.push_back(llvm::Constant::getNullValue(part->getType()));
      for (size_t k = 0; k < merged.size(); ++k)
        llvm::cast<llvm::PHINode>(merged[k])->addIncoming(parts[k], end);
      OwnerList owners = e_.owners().ownersOf(*phi),
                incoming = e_.owners().convertedOwners(operand, phi->type);
      for (size_t k = 0; k < owners.size(); ++k)
        llvm::cast<llvm::PHINode>(owners[k])->addIncoming(incoming[k], end);
    }
  }
}

} // namespace heddle::python
