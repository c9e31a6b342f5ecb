#include "frontend/python/infer/constant_parameters.h"

#include "frontend/python/rows/row.h"

#include <map>
#include <set>

namespace heddle::python {
namespace {

/// Visits the nodes in a function's body and in nested functions, which may use its parameters.
template <class Visit> void forEachNode(const std::vector<NodePtr> &nodes, const Visit &visit) {
  for (const NodePtr &node : nodes) {
    if (!node)
      continue;
    visit(*node);
    for (const auto *list : {&node->children, &node->body, &node->orelse})
      forEachNode(*list, visit);
    if (node->function)
      forEachNode(node->function->body, visit);
  }
}

void collectNames(const Node &node, std::set<std::string> &names) {
  if (node.kind == NodeKind::Name)
    names.insert(node.text);
  for (const NodePtr &kid : node.children)
    if (kid)
      collectNames(*kid, names);
}

/// Resolves the names in a function before type inference.
class Names {
public:
  explicit Names(const FunctionSource &source) : source_(source) {
    forEachNode(source.body, [&](const Node &node) {
      if (node.kind == NodeKind::Assign && node.children[0]->kind == NodeKind::Name)
        variables_.emplace(node.children[0]->text, node.children.back().get());
    });
  }

  /// The constant that a name, or a chain of attributes of one, denotes; empty for computed values. A variable denotes
  /// the first value assigned to it.
  std::optional<Constant> findConstant(const Node &node, unsigned steps = 0) const {
    if (steps > longestChain)
      return {};
    if (node.kind == NodeKind::Name) {
      auto variable = variables_.find(node.text);
      return variable == variables_.end() ? source_.environment->findConstant(node.text)
                                          : findConstant(*variable->second, steps + 1);
    }
    if (node.kind != NodeKind::Attribute)
      return {};
    std::optional<Constant> object = findConstant(*node.children[0], steps + 1);
    return object && object->object ? object->object->attribute(node.text) : std::nullopt;
  }

private:
  static constexpr unsigned longestChain = 16; // variables may be assigned to each other

  const FunctionSource &source_;
  std::map<std::string, const Node *> variables_;
};

bool needsConstantArguments(const Constant &function) {
  const LibraryRow *row =
      function.kind == ConstantKind::Intrinsic ? findLibraryRow(function.text) : nullptr;
  return row && row->ofConstants;
}

} // namespace

std::vector<bool> findConstantParameters(const FunctionSource &source) {
  std::vector<bool> result(source.parameters.size());
  Names names(source);
  forEachNode(source.body, [&](const Node &node) {
    if (node.kind != NodeKind::Call)
      return;
    std::set<std::string> used;
    for (size_t i = 1; i < node.children.size(); ++i)
      collectNames(*node.children[i], used);
    bool usesParameter = llvm::any_of(source.parameters,
                                      [&](const Parameter &p) { return used.count(p.name) != 0; });
    if (!usesParameter)
      return;
    std::optional<Constant> function = names.findConstant(*node.children[0]);
    for (size_t i = 0; function && needsConstantArguments(*function) && i < result.size(); ++i)
      result[i] = result[i] || used.count(source.parameters[i].name);
  });
  return result;
}

} // namespace heddle::python
