#include "frontend/python/ssa/blocks.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

namespace heddle::python {

namespace {

// Larger functions result from unrolled loops over tuples.
constexpr size_t maxBlocks = 10000;
constexpr size_t maxValues = 500000;

} // namespace

void SsaBlocks::failTooLarge() {
  fail(*f_.source, f_.source->span, ErrorKind::Unsupported,
       f_.source->name + "() has too many branches for a " + f_.rules->noun + " (more than " +
           std::to_string(maxBlocks) + " basic blocks)");
}

Block *SsaBlocks::newBlock() {
  if (f_.blocks.size() == maxBlocks)
    failTooLarge();
  f_.blocks.push_back(std::make_unique<Block>());
  f_.blocks.back()->number = f_.blocks.size() - 1;
  states_.emplace_back();
  return f_.blocks.back().get();
}

Value *SsaBlocks::append(Opcode opcode, Span span, std::vector<Value *> operands) {
  if (f_.values.size() > maxValues)
    failTooLarge();
  if (handler_)
    startProtectedBlock(opcode, span);
  Value *v = f_.makeValue(opcode, span);
  v->operands = std::move(operands);
  v->block = current_;
  current_->values.push_back(v);
  return v;
}

void SsaBlocks::startProtectedBlock(Opcode next, Span span) {
  switch (next) {
  case Opcode::Parameter:
  case Opcode::Constant:
  case Opcode::Global:
  case Opcode::Undefined:
  case Opcode::Phi:
  case Opcode::Tuple:
  case Opcode::Starred:
  case Opcode::Closure:
  case Opcode::Slice:
  case Opcode::Advance:
  case Opcode::Assigns:
  case Opcode::Caught:
  case Opcode::Catches:
  case Opcode::Protect:
  case Opcode::Jump:
  case Opcode::Branch:
  case Opcode::Return:
    return;
  default:
    break;
  }
  if (protected_ == current_)
    return;
  Block *before = current_, *block = newBlock();
  terminateBlock(Opcode::Protect, span, {}, {block, handler_});
  sealAndEnterBlock(block);
  block->protection = before;
  protected_ = block;
}

void SsaBlocks::setExceptionHandler(Block *handler, Span span) {
  if (current_ && current_->protection) {
    Block *next = newBlock();
    jump(next, span);
    sealAndEnterBlock(next);
  }
  handler_ = handler;
  protected_ = nullptr;
}

Value *SsaBlocks::appendConstant(Constant constant, Span span) {
  Value *v = append(Opcode::Constant, span);
  v->constant = std::move(constant);
  return v;
}

void SsaBlocks::terminateBlock(Opcode opcode, Span span, std::vector<Value *> operands,
                               std::vector<Block *> successors) {
  append(opcode, span, std::move(operands));
  for (Block *s : successors)
    s->predecessors.push_back(current_);
  current_->successors = std::move(successors);
  current_ = nullptr;
}

void SsaBlocks::jump(Block *to, Span span) {
  if (current_)
    terminateBlock(Opcode::Jump, span, {}, {to});
}

void SsaBlocks::sealAndEnterBlock(Block *block) {
  sealBlock(block);
  current_ = block;
}

void SsaBlocks::enterBlockIfReachable(Block *block) {
  sealAndEnterBlock(block);
  if (block->predecessors.empty())
    current_ = nullptr;
}

void SsaBlocks::sealBlock(Block *block) {
  std::map<std::string, Value *> incomplete;
  incomplete.swap(states_[block->number].incompletePhis);
  states_[block->number].sealed = true;
  for (auto &[name, phi] : incomplete)
    addPhiOperands(phi);
}

void SsaBlocks::writeVariable(const std::string &name, Value *v) {
  states_[current_->number].variables[name] = v;
  if (name[0] != '.') // no handler reads compiler-generated names
    protected_ = nullptr;
}

void SsaBlocks::writeVariable(const std::string &name, Value *v, Span from) {
  assigned_.try_emplace({name, v}, from);
  writeVariable(name, v);
}

Value *SsaBlocks::newPhi(Block *block, const std::string &name, Span span) {
  Value *phi = f_.makeValue(Opcode::Phi, span);
  phi->block = block;
  phi->name = name;
  block->values.insert(block->values.begin(), phi);
  phis_.push_back(phi);
  return phi;
}

Value *SsaBlocks::findFinalReplacement(Value *v) {
  auto found = replaced_.find(v);
  if (found == replaced_.end())
    return v;
  Value *last = found->second;
  for (auto next = replaced_.find(last); next != replaced_.end(); next = replaced_.find(last))
    last = next->second;
  return found->second = last;
}

Value *SsaBlocks::readVariable(Block *block, const std::string &name, Span span) {
  BlockState &state = states_[block->number];
  auto known = state.variables.find(name);
  if (known != state.variables.end())
    return findFinalReplacement(known->second);
  Value *v = nullptr;
  if (!state.sealed) {
    v = newPhi(block, name, span);
    v->opensLoop = true;
    state.incompletePhis[name] = v;
  } else if (block->predecessors.empty()) {
    v = f_.makeValue(Opcode::Undefined, span);
    v->name = name;
    v->block = block;
    block->values.insert(block->values.begin(), v);
  } else if (block->predecessors.size() == 1) {
    v = readVariable(block->predecessors[0], name, span);
  } else {
    Value *phi = newPhi(block, name, span);
    state.variables[name] = phi; // its operands may lead back to it
    v = addPhiOperands(phi);
  }
  state.variables[name] = v;
  return v;
}

Value *SsaBlocks::addPhiOperands(Value *phi) {
  for (Block *p : phi->block->predecessors)
    phi->operands.push_back(readVariable(p, phi->name, phi->span));
  return simplifyPhi(phi);
}

/// Replaces a phi whose operands are all the same value or the phi itself.
Value *SsaBlocks::simplifyPhi(Value *phi) {
  Value *only = nullptr;
  for (Value *operand : phi->operands) {
    operand = findFinalReplacement(operand);
    if (operand == phi || operand == only)
      continue;
    if (only)
      return phi;
    only = operand;
  }
  if (!only)
    return phi;
  replaced_[phi] = only;
  return only;
}

void SsaBlocks::removeTrivialPhisAndUnusedValues() {
  removeTrivialPhis();
  removeUnusedValues();
  setPhiSpansToAssignments();
}

void SsaBlocks::removeTrivialPhis() {
  for (bool changed = true; changed;) {
    changed = false;
    std::erase_if(phis_, [&](Value *phi) { return replaced_.count(phi); });
    for (Value *phi : phis_)
      changed |= simplifyPhi(phi) != phi;
  }
  for (auto &v : f_.values)
    for (Value *&operand : v->operands)
      operand = findFinalReplacement(operand);
  for (VariableAssignment &assignment : f_.assignments)
    if (assignment.value)
      assignment.value = findFinalReplacement(assignment.value);
}

/// Removes unused phis, because a variable may hold unrelated types at different times. Only merges that are read must
/// have one type. Also removes unused closures, which otherwise require their captures at the definition.
void SsaBlocks::removeUnusedValues() {
  auto mayGo = [](const Value *v) {
    return v->opcode == Opcode::Phi || v->opcode == Opcode::Closure || v->opcode == Opcode::Caught;
  };
  llvm::DenseSet<Value *> used;
  std::vector<Value *> work;
  auto useOperands = [&](Value *v) {
    for (Value *operand : v->operands)
      if (mayGo(operand) && used.insert(operand).second)
        work.push_back(operand);
  };
  for (auto &v : f_.values)
    if (!mayGo(v.get()))
      useOperands(v.get());
  while (!work.empty()) {
    Value *user = work.back();
    work.pop_back();
    useOperands(user);
  }
  auto goes = [&](Value *v) { return mayGo(v) && !used.contains(v); };
  for (VariableAssignment &assignment : f_.assignments) {
    if (assignment.value && goes(assignment.value))
      assignment.value = nullptr;
    if (assignment.after && goes(assignment.after)) {
      const std::vector<Value *> &values = assignment.block->values;
      auto at = std::find(values.begin(), values.end(), assignment.after);
      while (at != values.begin() && goes(*at))
        --at;
      assignment.after = goes(*at) ? nullptr : *at;
    }
  }
  for (auto &block : f_.blocks)
    std::erase_if(block->values, goes);
  std::erase_if(phis_, [&](Value *phi) { return !used.contains(phi); });
}

/// Sets the operand locations of phis to the assignments that gave the variable these values.
void SsaBlocks::setPhiSpansToAssignments() {
  for (Value *phi : phis_)
    for (Value *operand : phi->operands) {
      auto found = assigned_.find({phi->name, operand});
      phi->operandSpans.push_back(found == assigned_.end() ? operand->span : found->second);
    }
}

} // namespace heddle::python
