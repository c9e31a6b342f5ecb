#include "frontend/python/syntax/constant_parameters.h"

#include <set>

namespace heddle::python {
namespace {

/// The last name of what a call calls: "array" of `cuda.shared.array(...)`.
const std::string &calledName(const Node &call) { return call.kids[0]->text; }

void collectNames(const Node &node, std::set<std::string> &names) {
  if (node.kind == NodeKind::Name)
    names.insert(node.text);
  for (const NodePtr &kid : node.kids)
    if (kid)
      collectNames(*kid, names);
}

void collectFrom(const Node &node, std::set<std::string> &names) {
  if (node.kind == NodeKind::Call) {
    const std::string &called = calledName(node);
    if (called == "array" || called == "grid" || called == "gridsize")
      for (size_t i = 1; i < node.kids.size(); ++i)
        collectNames(*node.kids[i], names);
  }
  for (const auto *list : {&node.kids, &node.body, &node.orelse})
    for (const NodePtr &kid : *list)
      if (kid)
        collectFrom(*kid, names);
  if (node.function) // may use them as captured variables
    for (const NodePtr &statement : node.function->body)
      collectFrom(*statement, names);
}

} // namespace

std::vector<bool> constantParameters(const FunctionSource &source) {
  std::set<std::string> names;
  for (const NodePtr &statement : source.body)
    collectFrom(*statement, names);
  std::vector<bool> result;
  for (const Parameter &parameter : source.parameters)
    result.push_back(names.count(parameter.name));
  return result;
}

} // namespace heddle::python
