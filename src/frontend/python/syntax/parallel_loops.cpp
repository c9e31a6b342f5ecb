#include "frontend/python/syntax/parallel_loops.h"

#include "frontend/python/syntax/assignments.h"
#include "frontend/python/syntax/scopes.h"

#include <algorithm>
#include <optional>

namespace heddle::python {
namespace {

/// The constant for a global name or a module attribute.
std::optional<Constant> lookupConstant(const Node &node, FunctionSource &f,
                                       const std::set<std::string> &locals) {
  if (node.kind == NodeKind::Name)
    return locals.count(node.text) ? std::nullopt : f.environment->findConstant(node.text);
  if (node.kind != NodeKind::Attribute)
    return {};
  std::optional<Constant> object = lookupConstant(*node.children[0], f, locals);
  return object && object->kind == ConstantKind::Namespace && object->object
             ? object->object->attribute(node.text)
             : std::nullopt;
}

NodePtr makeNode(NodeKind kind, Span span, std::string text = "") {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->span = span;
  node->text = std::move(text);
  return node;
}

/// A copy of a name, an attribute of one, or a literal.
NodePtr copyNode(const Node &node) {
  NodePtr copy = makeNode(node.kind, node.span, node.text);
  copy->value = node.value;
  copy->op = node.op;
  for (const NodePtr &kid : node.children)
    copy->children.push_back(copyNode(*kid));
  return copy;
}

/// True if a statement leaves the loop with the body `list`: a return, or a break outside inner loops.
bool hasStatementThatLeavesLoop(const std::vector<NodePtr> &list, bool inInner = false) {
  return std::any_of(list.begin(), list.end(), [&](const NodePtr &node) {
    bool isLoop = node->kind == NodeKind::For || node->kind == NodeKind::While;
    return node->kind == NodeKind::Return || (node->kind == NodeKind::Break && !inInner) ||
           hasStatementThatLeavesLoop(node->body, inInner || isLoop) ||
           hasStatementThatLeavesLoop(node->orelse, inInner);
  });
}

/// A function `name(a, b)` that returns `result`, applied to its parameter names.
template <typename Result>
std::shared_ptr<FunctionSource> makeBinaryFunction(const FunctionSource &around, Span span,
                                                   Result result) {
  auto f = std::make_shared<FunctionSource>();
  f->name = f->qualifiedName = around.name;
  f->text = around.text;
  f->span = span;
  f->environment = around.environment;
  f->parameters = {{.name = ".a", .span = span}, {.name = ".b", .span = span}};
  NodePtr statement = makeNode(NodeKind::Return, span);
  statement->children.push_back(
      result(makeNode(NodeKind::Name, span, ".a"), makeNode(NodeKind::Name, span, ".b")));
  f->body.push_back(std::move(statement));
  return f;
}

/// The function that combines two partial results.
std::shared_ptr<FunctionSource> makeCombineFunction(const FunctionSource &around,
                                                    ReductionKind kind, Span span) {
  return makeBinaryFunction(around, span, [&](NodePtr a, NodePtr b) {
    if (kind == ReductionKind::Min || kind == ReductionKind::Max) {
      NodePtr call = makeNode(NodeKind::Call, span);
      call->children.push_back(makeNode(NodeKind::Literal, span));
      call->children[0]->value =
          Constant::ofIntrinsic(kind == ReductionKind::Min ? "builtins.min" : "builtins.max");
      call->children.push_back(std::move(a));
      call->children.push_back(std::move(b));
      return call;
    }
    NodePtr binary = makeNode(NodeKind::Binary, span);
    binary->op = uint8_t(kind == ReductionKind::Sum       ? BinaryOp::Add
                         : kind == ReductionKind::Product ? BinaryOp::Mul
                         : kind == ReductionKind::And     ? BinaryOp::And
                         : kind == ReductionKind::Or      ? BinaryOp::Or
                                                          : BinaryOp::Xor);
    binary->children.push_back(std::move(a));
    binary->children.push_back(std::move(b));
    return binary;
  });
}

/// Makes nested functions divide as in NumPy.
void useNumPyDivision(const std::vector<NodePtr> &nodes) {
  for (const NodePtr &node : nodes) {
    if (!node)
      continue;
    for (const auto *list : {&node->children, &node->body, &node->orelse})
      useNumPyDivision(*list);
    if (node->function) {
      node->function->dividesAsNumPy = true;
      useNumPyDivision(node->function->body);
    }
  }
}

class Outliner {
public:
  explicit Outliner(FunctionSource &f) : f_(f), emptyContainers_(findEmptyContainers(f)) {
    for (const auto &[name, places] : collectLocalNames(f))
      locals_[name] = places;
    for (const auto &[name, places] : locals_)
      localSet_.insert(name);
  }

  void run(std::vector<NodePtr> &list) {
    for (NodePtr &node : list) {
      if (!node)
        continue;
      if (isParallel(*node))
        outlineLoop(*node);
      else {
        run(node->body);
        run(node->orelse);
      }
    }
  }

private:
  bool isParallel(const Node &node) const {
    if (node.kind != NodeKind::For || node.children[1]->kind != NodeKind::Call ||
        !node.orelse.empty() || hasStatementThatLeavesLoop(node.body) ||
        addsToContainer(node, emptyContainers_))
      return false;
    const Node &call = *node.children[1];
    std::optional<Constant> function = lookupConstant(*call.children[0], f_, localSet_);
    return function && function->kind == ConstantKind::Intrinsic &&
           function->text == "heddle.prange" && call.names.empty();
  }

  [[noreturn]] void failAt(Span span, std::string message, std::string hint) const {
    throw CompileError(Diagnostic{.kind = ErrorKind::Typing,
                                  .message = std::move(message),
                                  .file = f_.text.file,
                                  .span = span,
                                  .sourceLine = f_.text.line(span.line),
                                  .hint = std::move(hint)});
  }

  /// True if the program assigns the variable before the loop in source order.
  bool isAssignedBefore(const std::string &name, const Node &loop) const {
    auto found = locals_.find(name);
    return found != locals_.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](const Span &at) { return at.line < loop.span.line; });
  }

  std::string describeLoop(const Node &loop) const {
    return "the prange loop of line " + std::to_string(loop.span.line);
  }

  /// Classifies a variable of the enclosing function by its uses in the loop body.
  void classifyVariable(const Node &loop, const std::string &name,
                        std::vector<Reduction> &reductions,
                        std::vector<std::string> &startingValues) const {
    if (std::optional<Reduction> reduction = findReduction(loop.body, name)) {
      if (reduction->conflict.line)
        failAt(reduction->conflict,
               "'" + name + "' is reduced in two ways in " + describeLoop(loop) +
                   ", by one operator in line " + std::to_string(reduction->span.line) +
                   " and by another here",
               "use a variable for each");
      if (reduction->otherRead.line)
        failAt(reduction->otherRead,
               "'" + name + "' is a reduction of " + describeLoop(loop) +
                   ": its value is unknown while the iterations run",
               "read it after the loop, or omit parallel=True");
      reduction->combine = makeCombineFunction(f_, reduction->kind, reduction->span);
      reductions.push_back(std::move(*reduction));
      return;
    }
    FirstUse use = findFirstUse(loop, name);
    if (!use.read.line || !isAssignedBefore(name, loop))
      return;
    if (use.isCertain)
      failAt(use.read,
             "'" + name + "' is read here before the iteration of " + describeLoop(loop) +
                 " assigns it: iterations run concurrently and do not see each other's assignments",
             "write a reduction, as in total += x or best = max(best, x), or write to an element "
             "of an array");
    startingValues.push_back(name);
  }

  void outlineLoop(Node &loop) {
    std::set<std::string> assigned = collectAssignedNames(loop);
    auto loopFunction = std::make_shared<FunctionSource>();
    std::vector<std::string> starting;
    for (const std::string &name : assigned)
      classifyVariable(loop, name, loopFunction->reductions, starting);

    // The arguments of prange are evaluated once, before the loop.
    Node &call = *loop.children[1];
    NodePtr parallel = makeNode(NodeKind::Parallel, loop.span);
    std::vector<std::string> bounds;
    NodePtr range = makeNode(NodeKind::Call, call.span);
    range->children.push_back(copyNode(*call.children[0]));
    for (size_t i = 1; i < call.children.size(); ++i) {
      bool isLiteral = call.children[i]->kind == NodeKind::Literal;
      if (!isLiteral)
        bounds.push_back(".bound" + std::to_string(i));
      range->children.push_back(
          isLiteral ? copyNode(*call.children[i])
                    : makeNode(NodeKind::Name, call.children[i]->span, bounds.back()));
    }

    loopFunction->name = loopFunction->qualifiedName = f_.name;
    loopFunction->text = f_.text;
    loopFunction->span = loop.span;
    loopFunction->environment = f_.environment;
    loopFunction->declaredVariables = f_.declaredVariables;
    loopFunction->dividesAsNumPy = true;
    useNumPyDivision(loop.body);
    auto add = [&](const std::string &name) {
      loopFunction->parameters.push_back({.name = name, .span = loop.span});
    };
    add(".first");
    add(".last");
    for (const Reduction &reduction : loopFunction->reductions)
      add(reduction.name);
    for (const std::string &bound : bounds)
      add(bound);
    for (const std::string &name : starting)
      add(".start " + name);
    for (const std::string &name : collectReadNames(loop))
      if (locals_.count(name) && !assigned.count(name))
        add(name);

    NodePtr body = makeNode(NodeKind::ChunkLoop, loop.span);
    body->children.push_back(std::move(loop.children[0]));
    body->children.push_back(std::move(range));
    body->body = std::move(loop.body);
    for (const std::string &name : assigned)
      if (std::none_of(loopFunction->reductions.begin(), loopFunction->reductions.end(),
                       [&](const Reduction &r) { return r.name == name; }))
        body->names.push_back(name);
    parallel->names.assign(assigned.begin(), assigned.end());
    loopFunction->body.push_back(std::move(body));
    NodePtr result = makeNode(NodeKind::Return, loop.span);
    result->children.push_back(makeNode(NodeKind::Tuple, loop.span));
    for (const Reduction &reduction : loopFunction->reductions)
      result->children[0]->children.push_back(
          makeNode(NodeKind::Name, reduction.span, reduction.name));
    loopFunction->body.push_back(std::move(result));

    parallel->children.push_back(std::move(loop.children[1]));
    parallel->function = std::move(loopFunction);
    loop = std::move(*parallel);
  }

  FunctionSource &f_;
  std::map<std::string, std::vector<Span>> locals_;
  std::set<std::string> localSet_;
  std::set<std::string> emptyContainers_;
};

} // namespace

void outlineParallelLoops(FunctionSource &f) {
  if (!f.parallel || f.yields) // a generator's iterations run between its values
    return;
  f.parallel = false;
  f.runsArrayExpressionsOnThreadPool = !f.sharesAsCaller;
  Outliner(f).run(f.body);
}

} // namespace heddle::python
