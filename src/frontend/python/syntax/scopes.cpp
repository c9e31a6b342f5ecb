#include "frontend/python/syntax/scopes.h"

#include <algorithm>
#include <optional>

namespace heddle::python {
namespace {

/// Calls `visit` for every node in the function's body, excluding nested functions.
template <typename Visit>
void visitDescendants(const std::vector<NodePtr> &nodes, const Visit &visit) {
  for (const NodePtr &node : nodes) {
    if (!node)
      continue;
    visit(*node);
    visitDescendants(node->children, visit);
    visitDescendants(node->body, visit);
    visitDescendants(node->orelse, visit);
  }
}

void collectTargetNames(const Node &target, std::map<std::string, std::vector<Span>> &names) {
  if (target.kind == NodeKind::Name)
    names[target.text].push_back(target.span);
  else if (target.kind == NodeKind::Tuple)
    for (const NodePtr &kid : target.children)
      collectTargetNames(*kid, names);
}

/// The names that the function reads but does not define, including those of nested functions.
std::set<std::string> collectFreeNames(const FunctionSource &f) {
  std::set<std::string> read, globals;
  visitDescendants(f.body, [&](const Node &node) {
    if (node.kind == NodeKind::Name)
      read.insert(node.text);
    if (node.kind == NodeKind::Global)
      globals.insert(node.names.begin(), node.names.end());
    if (node.function)
      read.merge(collectFreeNames(*node.function));
  });
  for (const auto &[name, places] : collectLocalNames(f))
    read.erase(name);
  for (const std::string &name : globals)
    read.erase(name);
  return read;
}

void computeCapturedParameters(Node &definition, FunctionSource &around,
                               const std::map<std::string, std::vector<Span>> &locals) {
  FunctionSource &f = *definition.function;
  f.environment = around.environment;
  std::erase_if(f.parameters, [](const Parameter &p) { return p.kind == ParameterKind::Captured; });
  std::vector<Parameter> captured;
  for (const std::string &name : collectFreeNames(f)) {
    if (definition.kind == NodeKind::Function && name == definition.text)
      f.ownName = name;
    else if (locals.count(name))
      captured.push_back({.name = name, .span = f.span, .kind = ParameterKind::Captured});
  }
  for (const Parameter &p : f.parameters)
    if (!p.capturedDefault.empty())
      captured.push_back(
          {.name = p.capturedDefault, .span = p.span, .kind = ParameterKind::Captured});
  f.parameters.insert(f.parameters.end(), captured.begin(), captured.end());
  computeCapturesOfNestedFunctions(f);
}

} // namespace

void addAssignedNames(const Node &node, std::map<std::string, std::vector<Span>> &names) {
  switch (node.kind) {
  case NodeKind::Assign:
    for (size_t i = 0; i + 1 < node.children.size(); ++i)
      collectTargetNames(*node.children[i], names);
    return;
  case NodeKind::AugAssign:
  case NodeKind::For:
  case NodeKind::ChunkLoop:
  case NodeKind::Walrus:
    return collectTargetNames(*node.children[0], names);
  case NodeKind::Comprehension:
    names[node.text].push_back(node.span);
    return;
  case NodeKind::Parallel:
    for (const std::string &name : node.names)
      names[name].push_back(node.span);
    return;
  case NodeKind::Delete:
    for (const NodePtr &kid : node.children)
      collectTargetNames(*kid, names);
    return;
  case NodeKind::MatchAs:
  case NodeKind::Except:
    if (!node.text.empty())
      names[node.text].push_back(node.span);
    return;
  case NodeKind::Function:
    names[node.text].push_back(node.span);
    return;
  default:
    return;
  }
}

std::map<std::string, std::vector<Span>> collectLocalNames(const FunctionSource &f) {
  std::map<std::string, std::vector<Span>> names;
  std::set<std::string> globals;
  for (const Parameter &p : f.parameters)
    names[p.name].push_back(p.span);
  if (!f.ownName.empty())
    names[f.ownName].push_back(f.span);
  visitDescendants(f.body, [&](const Node &node) {
    addAssignedNames(node, names);
    if (node.kind == NodeKind::Global)
      globals.insert(node.names.begin(), node.names.end());
  });
  for (const std::string &name : globals)
    names.erase(name);
  return names;
}

void computeCapturesOfNestedFunctions(FunctionSource &f) {
  // Computed on demand: most functions define no others.
  std::optional<std::map<std::string, std::vector<Span>>> locals;
  auto visit = [&](auto &self, std::vector<NodePtr> &nodes) -> void {
    for (NodePtr &node : nodes) {
      if (!node)
        continue;
      if (node->function) {
        if (!locals)
          locals = collectLocalNames(f);
        computeCapturedParameters(*node, f, *locals);
      }
      self(self, node->children);
      self(self, node->body);
      self(self, node->orelse);
    }
  };
  visit(visit, f.body);
}

} // namespace heddle::python
