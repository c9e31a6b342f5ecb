#include "frontend/python/syntax/assignments.h"

#include "frontend/python/syntax/scopes.h"

#include <algorithm>
#include <map>

namespace heddle::python {
namespace {

bool isName(const Node &node, const std::string &name) {
  return node.kind == NodeKind::Name && node.text == name;
}

/// Calls `visit` for the node and its descendants, except those in nested functions.
template <typename Visit> void visitDescendants(const Node &node, const Visit &visit) {
  visit(node);
  for (const auto *list : {&node.children, &node.body, &node.orelse})
    for (const NodePtr &kid : *list)
      if (kid)
        visitDescendants(*kid, visit);
}

/// True if a function defined at the node captures the name.
bool capturesName(const Node &node, const std::string &name) {
  return node.function &&
         std::any_of(node.function->parameters.begin(), node.function->parameters.end(),
                     [&](const Parameter &p) { return p.name == name; });
}

/// The location of a name in an expression; line 0 if it does not occur.
Span findUseOfName(const Node &node, const std::string &name) {
  Span found;
  visitDescendants(node, [&](const Node &n) {
    if (!found.line && (isName(n, name) || capturesName(n, name)))
      found = n.span;
  });
  return found;
}

std::optional<ReductionKind> reductionKindOf(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add:
  case BinaryOp::Sub:
    return ReductionKind::Sum;
  case BinaryOp::Mul:
  case BinaryOp::TrueDiv:
    return ReductionKind::Product;
  case BinaryOp::And:
    return ReductionKind::And;
  case BinaryOp::Or:
    return ReductionKind::Or;
  case BinaryOp::Xor:
    return ReductionKind::Xor;
  default:
    return {};
  }
}

/// A statement that reduces into `name`, and its operand.
struct Step {
  ReductionKind kind;
  const Node *operand;
};

std::optional<Step> parseReductionStep(const Node &statement, const std::string &name) {
  if (statement.kind == NodeKind::AugAssign && isName(*statement.children[0], name)) {
    std::optional<ReductionKind> kind = reductionKindOf(BinaryOp(statement.op));
    return kind ? std::optional(Step{*kind, statement.children[1].get()}) : std::nullopt;
  }
  if (statement.kind != NodeKind::Assign || statement.children.size() != 2 ||
      !isName(*statement.children[0], name))
    return {};
  const Node &value = *statement.children[1];
  if (value.kind == NodeKind::Binary) {
    std::optional<ReductionKind> kind = reductionKindOf(BinaryOp(value.op));
    bool isLeft = isName(*value.children[0], name);
    bool commutes = BinaryOp(value.op) != BinaryOp::Sub && BinaryOp(value.op) != BinaryOp::TrueDiv;
    bool isRight = isName(*value.children[1], name) && commutes;
    if (kind && (isLeft || isRight))
      return Step{*kind, value.children[isLeft ? 1 : 0].get()};
    // total = total + x + y: the name is the leftmost operand.
    const Node *left = value.children[0].get();
    bool isSum = kind == ReductionKind::Sum && left->kind == NodeKind::Binary;
    if (isSum && reductionKindOf(BinaryOp(left->op)) == kind && isName(*left->children[0], name) &&
        !findUseOfName(*left->children[1], name).line)
      return Step{*kind, value.children[1].get()};
  }
  if (value.kind == NodeKind::Call && value.children.size() == 3 && value.names.empty() &&
      value.children[0]->kind == NodeKind::Name &&
      (value.children[0]->text == "min" || value.children[0]->text == "max")) {
    bool isFirst = isName(*value.children[1], name);
    if (isFirst || isName(*value.children[2], name))
      return Step{value.children[0]->text == "min" ? ReductionKind::Min : ReductionKind::Max,
                  value.children[isFirst ? 2 : 1].get()};
  }
  return {};
}

bool assignsName(const Node &node, const std::string &name) {
  std::map<std::string, std::vector<Span>> names;
  addAssignedNames(node, names);
  return names.count(name);
}

/// A variable may be assigned on no, some, or all paths to a place.
enum class Assigned { No, Perhaps, Yes };

class FirstUseSearch {
public:
  explicit FirstUseSearch(const std::string &name) : name_(name) {}

  void visitIteration(const Node &loop) {
    visitAssignmentTarget(*loop.children[0]);
    visitStatements(loop.body);
  }

  FirstUse found;

private:
  void visitStatements(const std::vector<NodePtr> &list) {
    for (const NodePtr &statement : list)
      this->visitStatement(*statement);
  }

  void recordFirstRead(const Node &node) {
    if (found.read.line || assigned_ == Assigned::Yes)
      return;
    found.read = findUseOfName(node, name_);
    found.isCertain = assigned_ == Assigned::No;
  }

  void visitAssignmentTarget(const Node &target) {
    if (isName(target, name_))
      assigned_ = Assigned::Yes;
    else if (target.kind == NodeKind::Tuple)
      for (const NodePtr &kid : target.children)
        visitAssignmentTarget(*kid);
    else
      recordFirstRead(target);
  }

  /// Visits alternative branches, of which exactly one runs; with `orNone`, at most one.
  void visitAlternatives(std::initializer_list<const std::vector<NodePtr> *> lists, bool orNone) {
    Assigned before = assigned_;
    bool all = !orNone, any = orNone && before == Assigned::Yes;
    for (const auto *list : lists) {
      assigned_ = before;
      visitStatements(*list);
      all &= assigned_ == Assigned::Yes;
      any |= assigned_ != Assigned::No;
    }
    assigned_ = all || before == Assigned::Yes ? Assigned::Yes : any ? Assigned::Perhaps : before;
  }

  void visitStatement(const Node &node) {
    switch (node.kind) {
    case NodeKind::Assign:
      recordFirstRead(*node.children.back());
      for (size_t i = 0; i + 1 < node.children.size(); ++i)
        visitAssignmentTarget(*node.children[i]);
      return;
    case NodeKind::AugAssign:
      recordFirstRead(*node.children[1]);
      recordFirstRead(*node.children[0]);
      return visitAssignmentTarget(*node.children[0]);
    case NodeKind::For: {
      recordFirstRead(*node.children[1]);
      Assigned before = assigned_;
      visitAssignmentTarget(*node.children[0]);
      visitStatements(node.body);
      assigned_ = before == Assigned::Yes || assigned_ == Assigned::No ? before : Assigned::Perhaps;
      return visitStatements(node.orelse);
    }
    case NodeKind::While:
      recordFirstRead(*node.children[0]);
      visitAlternatives({&node.body}, true);
      return visitStatements(node.orelse);
    case NodeKind::If:
      recordFirstRead(*node.children[0]);
      return visitAlternatives({&node.body, &node.orelse}, false);
    case NodeKind::Try: // may end anywhere in its body
      visitAlternatives({&node.body}, true);
      for (const NodePtr &part : node.orelse)
        part->kind == NodeKind::Finally ? visitStatements(part->body)
                                        : visitAlternatives({&part->body}, true);
      return;
    default:
      for (const NodePtr &kid : node.children)
        if (kid)
          recordFirstRead(*kid);
      if (capturesName(node, name_))
        recordFirstRead(node);
      for (const NodePtr &alternative : node.body) // of a match
        visitAlternatives({&alternative->body}, true);
      if (assignsName(node, name_))
        assigned_ = Assigned::Yes;
    }
  }

  const std::string &name_;
  Assigned assigned_ = Assigned::No;
};

} // namespace

std::set<std::string> collectAssignedNames(const Node &loop) {
  std::map<std::string, std::vector<Span>> places;
  visitDescendants(loop, [&](const Node &node) { addAssignedNames(node, places); });
  std::set<std::string> names;
  for (const auto &[name, spans] : places)
    names.insert(name);
  return names;
}

std::set<std::string> collectReadNames(const Node &loop) {
  std::set<std::string> names;
  for (const NodePtr &statement : loop.body)
    visitDescendants(*statement, [&](const Node &node) {
      if (node.kind == NodeKind::Name)
        names.insert(node.text);
      if (node.function)
        for (const Parameter &p : node.function->parameters)
          if (p.kind == ParameterKind::Captured)
            names.insert(p.name);
    });
  return names;
}

namespace {

bool isEmptyContainer(const Node &value) {
  static const std::set<std::string> classes = {"list", "dict", "set"};
  if (value.kind == NodeKind::Call)
    return value.children.size() == 1 && value.children[0]->kind == NodeKind::Name &&
           classes.count(value.children[0]->text);
  return (value.kind == NodeKind::List || value.kind == NodeKind::Dict) && value.children.empty();
}

/// Counts the assignments of empty containers to variables.
void countEmptyAssignments(const Node &target, const Node &value,
                           std::map<std::string, size_t> &empty) {
  if (target.kind == NodeKind::Name && isEmptyContainer(value))
    ++empty[target.text];
  bool arePairs = target.kind == NodeKind::Tuple && value.kind == NodeKind::Tuple &&
                  target.children.size() == value.children.size();
  for (size_t i = 0; arePairs && i < target.children.size(); ++i)
    countEmptyAssignments(*target.children[i], *value.children[i], empty);
}

/// The variable in a subscript or attribute of a variable; null for other expressions.
const Node *variableOfSubscriptOrAttribute(const Node &node, NodeKind kind) {
  return node.kind == kind && node.children[0]->kind == NodeKind::Name ? node.children[0].get()
                                                                       : nullptr;
}

} // namespace

std::set<std::string> findEmptyContainers(const FunctionSource &f) {
  std::map<std::string, size_t> empty;
  for (const NodePtr &statement : f.body)
    visitDescendants(*statement, [&](const Node &node) {
      if (node.kind == NodeKind::Assign)
        for (size_t i = 0; i + 1 < node.children.size(); ++i)
          countEmptyAssignments(*node.children[i], *node.children.back(), empty);
    });
  std::set<std::string> containers;
  for (const auto &[name, places] : collectLocalNames(f))
    if (auto found = empty.find(name); found != empty.end() && found->second == places.size())
      containers.insert(name);
  return containers;
}

bool addsToContainer(const Node &loop, const std::set<std::string> &containers) {
  static const std::set<std::string> methods = {"append", "extend", "insert",
                                                "add",    "update", "setdefault"};
  bool found = false;
  auto note = [&](const Node *variable) { found |= variable && containers.count(variable->text); };
  for (const NodePtr &statement : loop.body)
    visitDescendants(*statement, [&](const Node &node) {
      if (node.kind == NodeKind::Assign || node.kind == NodeKind::AugAssign)
        for (size_t i = 0; i + 1 < node.children.size(); ++i)
          note(variableOfSubscriptOrAttribute(*node.children[i], NodeKind::Subscript));
      if (node.kind == NodeKind::Call && methods.count(node.children[0]->text))
        note(variableOfSubscriptOrAttribute(*node.children[0], NodeKind::Attribute));
    });
  return found;
}

namespace {

/// The uses of a variable in the statements.
struct Uses {
  std::optional<Reduction> reduction;
  Span otherRead;
  bool isAssigned = false; ///< in any other way
};

void collectReductionUses(const Node &node, const std::string &name, Uses &uses) {
  if (std::optional<Step> step = parseReductionStep(node, name)) {
    if (!uses.reduction)
      uses.reduction = Reduction{.name = name, .kind = step->kind, .span = node.span};
    else if (uses.reduction->kind != step->kind && !uses.reduction->conflict.line)
      uses.reduction->conflict = node.span;
    if (node.kind == NodeKind::Assign)
      uses.reduction->rebinding = node.span;
    if (Span read = findUseOfName(*step->operand, name); read.line)
      uses.otherRead = read;
    return;
  }
  uses.isAssigned |= assignsName(node, name);
  if ((isName(node, name) || capturesName(node, name)) && !uses.otherRead.line)
    uses.otherRead = node.span;
  for (const auto *list : {&node.children, &node.body, &node.orelse})
    for (const NodePtr &kid : *list)
      if (kid)
        collectReductionUses(*kid, name, uses);
}

} // namespace

std::optional<Reduction> findReduction(const std::vector<NodePtr> &body, const std::string &name) {
  Uses uses;
  for (const NodePtr &statement : body)
    collectReductionUses(*statement, name, uses);
  if (uses.isAssigned || !uses.reduction)
    return {};
  uses.reduction->otherRead = uses.otherRead;
  return uses.reduction;
}

FirstUse findFirstUse(const Node &loop, const std::string &name) {
  FirstUseSearch search(name);
  search.visitIteration(loop);
  return search.found;
}

} // namespace heddle::python
