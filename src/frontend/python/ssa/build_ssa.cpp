#include "frontend/python/ssa/build_ssa.h"

#include "frontend/python/ssa/builder.h"
#include "frontend/python/syntax/scopes.h"
#include "frontend/python/syntax/unsupported.h"

namespace heddle::python {

void SsaBuilder::build() {
  locals_ = localNames(source_);
  current_ = newBlock();
  seal(current_);
  for (size_t i = 0; i < source_.parameters.size(); ++i) {
    const Parameter &parameter = source_.parameters[i];
    Value *v = append(Opcode::Parameter, parameter.span);
    v->index = i;
    v->name = parameter.name;
    f_.parameterValues.push_back(v);
    write(parameter.name, v);
  }
  if (!source_.ownName.empty())
    write(source_.ownName, closureOfItself());
  statements(source_.body);
  if (current_)
    finish(Opcode::Return, source_.span, {literal(Constant{}, source_.span)}, {});
  completePhis();
}

void SsaBuilder::statements(const std::vector<NodePtr> &list) {
  for (const NodePtr &statement : list) {
    if (!current_)
      return;
    this->statement(*statement);
  }
}

void SsaBuilder::statement(const Node &node) {
  switch (node.kind) {
  case NodeKind::Pass:
    return;
  case NodeKind::Expr:
    expression(*node.kids[0]);
    return;
  case NodeKind::Return: {
    Value *v = node.kids.empty() ? literal(Constant{}, node.span) : expression(*node.kids[0]);
    return leaveProtections(0, node.span, [&] {
      finish(Opcode::Return, node.kids.empty() ? node.span : node.kids[0]->span, {v}, {});
    });
  }
  case NodeKind::Assign: {
    Value *v = expression(*node.kids.back());
    for (size_t i = 0; i + 1 < node.kids.size(); ++i)
      assign(*node.kids[i], v, node.kids.back()->span);
    if (node.kids.size() == 2 && node.kids[0]->kind == NodeKind::Name)
      noteDefinition(node.kids[0]->text, v);
    return;
  }
  case NodeKind::AugAssign:
    return augmented(node);
  case NodeKind::If:
    return ifStatement(node);
  case NodeKind::While:
    return whileLoop(node);
  case NodeKind::Match:
    return matchStatement(node);
  case NodeKind::For:
    return forLoop(node);
  case NodeKind::Parallel:
    return parallelLoop(node);
  case NodeKind::Rounds:
    return roundsOfLoop(node);
  case NodeKind::Break:
  case NodeKind::Continue: {
    Loop loop = loops_.back();
    return leaveProtections(loop.protections, node.span, [&] {
      jump(node.kind == NodeKind::Break ? loop.onBreak : loop.onContinue, node.span);
    });
  }
  case NodeKind::Try:
    return tryStatement(node);
  case NodeKind::Assert:
    return assertStatement(node);
  case NodeKind::Raise:
    return raiseStatement(node);
  case NodeKind::Delete:
    for (const NodePtr &target : node.kids)
      deleteTarget(*target);
    return;
  case NodeKind::Global:
    return;
  case NodeKind::Function:
    write(node.text, closure(node));
    noteDefinition(node.text, read(node.text, node.span));
    return noteAssignment(node.text, node.span);
  default:
    unsupported(node,
                (node.kind == NodeKind::Unsupported ? node.text : "expressions here") +
                    " are not supported in " + f_.rules->plural,
                insteadOf(node.text));
  }
}

void SsaBuilder::nested(const std::vector<NodePtr> &list) {
  place_.push_back(places_++);
  statements(list);
  place_.pop_back();
}

void SsaBuilder::unsupported(const Node &node, const std::string &what, std::string hint) {
  fail(source_, node.span, ErrorKind::Unsupported, what, "", std::move(hint));
}

void buildSsa(TypedFunction &f) { SsaBuilder(f).build(); }

} // namespace heddle::python
