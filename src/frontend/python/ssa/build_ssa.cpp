#include "frontend/python/ssa/build_ssa.h"

#include "frontend/python/ssa/builder.h"
#include "frontend/python/syntax/scopes.h"
#include "frontend/python/syntax/unsupported.h"

namespace heddle::python {

void SsaBuilder::build() {
  locals_ = collectLocalNames(source_);
  current_ = newBlock();
  sealBlock(current_);
  for (size_t i = 0; i < source_.parameters.size(); ++i) {
    const Parameter &parameter = source_.parameters[i];
    Value *v = append(Opcode::Parameter, parameter.span);
    v->index = i;
    v->name = parameter.name;
    f_.parameterValues.push_back(v);
    writeVariable(parameter.name, v);
  }
  if (!source_.ownName.empty())
    writeVariable(source_.ownName, buildSelfClosure());
  buildStatements(source_.body);
  if (current_)
    terminateBlock(Opcode::Return, source_.span, {appendConstant(Constant{}, source_.span)}, {});
  removeTrivialPhisAndUnusedValues();
}

void SsaBuilder::buildStatements(const std::vector<NodePtr> &list) {
  for (const NodePtr &statement : list) {
    if (!current_)
      return;
    buildStatement(*statement);
  }
}

void SsaBuilder::buildStatement(const Node &node) {
  switch (node.kind) {
  case NodeKind::Pass:
    return;
  case NodeKind::Expr:
    buildExpression(*node.children[0]);
    return;
  case NodeKind::Return: {
    Value *v = node.children.empty() ? appendConstant(Constant{}, node.span)
                                     : buildExpression(*node.children[0]);
    return leaveWithFinallyClauses(0, node.span, [&] {
      terminateBlock(Opcode::Return, node.children.empty() ? node.span : node.children[0]->span,
                     {v}, {});
    });
  }
  case NodeKind::Assign: {
    Value *v = buildExpression(*node.children.back());
    for (size_t i = 0; i + 1 < node.children.size(); ++i)
      assign(*node.children[i], v, node.children.back()->span);
    if (node.children.size() == 2 && node.children[0]->kind == NodeKind::Name)
      recordFunctionDefinition(node.children[0]->text, v);
    return;
  }
  case NodeKind::AugAssign:
    return buildAugmentedAssignment(node);
  case NodeKind::If:
    return buildIf(node);
  case NodeKind::While:
    return buildWhile(node);
  case NodeKind::Match:
    return buildMatch(node);
  case NodeKind::For:
    return buildFor(node);
  case NodeKind::Parallel:
    return buildParallelLoop(node);
  case NodeKind::ChunkLoop:
    return buildChunkLoop(node);
  case NodeKind::Break:
  case NodeKind::Continue: {
    Loop loop = loops_.back();
    return leaveWithFinallyClauses(loop.protections, node.span, [&] {
      jump(node.kind == NodeKind::Break ? loop.onBreak : loop.onContinue, node.span);
    });
  }
  case NodeKind::Try:
    return buildTry(node);
  case NodeKind::Assert:
    return buildAssert(node);
  case NodeKind::Raise:
    return buildRaise(node);
  case NodeKind::Delete:
    for (const NodePtr &target : node.children)
      deleteTarget(*target);
    return;
  case NodeKind::Global:
    return;
  case NodeKind::Function:
    writeVariable(node.text, buildClosure(node));
    recordFunctionDefinition(node.text, readVariable(node.text, node.span));
    return recordAssignment(node.text, node.span);
  default:
    failUnsupported(node,
                    (node.kind == NodeKind::Unsupported ? node.text : "expressions here") +
                        " are not supported in " + f_.rules->plural,
                    hintForUnsupported(node.text));
  }
}

void SsaBuilder::buildNestedStatements(const std::vector<NodePtr> &list) {
  place_.push_back(places_++);
  buildStatements(list);
  place_.pop_back();
}

void SsaBuilder::failUnsupported(const Node &node, const std::string &what, std::string hint) {
  fail(source_, node.span, ErrorKind::Unsupported, what, "", std::move(hint));
}

void buildSsa(TypedFunction &f) { SsaBuilder(f).build(); }

} // namespace heddle::python
