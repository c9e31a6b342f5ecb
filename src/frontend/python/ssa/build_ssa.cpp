#include "frontend/python/ssa/build_ssa.h"

#include "frontend/python/ssa/blocks.h"
#include "frontend/python/syntax/scopes.h"
#include "frontend/python/syntax/unsupported.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>

namespace heddle::python {
namespace {

class SsaBuilder : private SsaBlocks {
public:
  explicit SsaBuilder(TypedFunction &f) : SsaBlocks(f), source_(*f.source) {}

  void build() {
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

private:
  struct Loop {
    Block *onContinue;
    Block *onBreak;
    size_t protections; ///< that the loop is in
  };
  /// The body of a try statement that this place is in.
  struct Protection {
    Block *handler;
    const Node *finally; ///< what runs when a jump leaves the body; null for nothing
    size_t loops;        ///< that the statement is in
  };

  const FunctionSource &source_;
  std::map<std::string, std::vector<Span>> locals_; ///< and where they are assigned
  /// A function that is the only value its variable ever has, and where it is defined: see place_.
  struct Definition {
    Value *function;
    std::vector<unsigned> place;
  };
  std::map<std::string, Definition> definitions_;
  std::vector<unsigned> place_; ///< the branches and loop bodies around this statement, by number
  unsigned places_ = 0;
  std::map<Value *, Value *>
      renewals_; ///< functions, with what their variables are now; null on the way
  std::vector<Loop> loops_;
  std::vector<Protection> protections_;
  std::vector<Value *> caught_; ///< by the except clauses that this place is in
  unsigned temporaries_ = 0;
  std::string
      copies_; ///< of the bodies of loops around this place that are unrolled: which ones this is in

  /// The value of `nodes`, in that order.
  Value *appendOf(Opcode opcode, const Node &node, std::vector<Value *> operands,
                  std::initializer_list<const Node *> nodes) {
    Value *v = append(opcode, node.span, std::move(operands));
    for (const Node *n : nodes)
      v->operandSpans.push_back(n->span);
    return v;
  }

  Value *appendOfKids(Opcode opcode, const Node &node, std::vector<Value *> operands) {
    Value *v = append(opcode, node.span, std::move(operands));
    for (const NodePtr &kid : node.kids)
      v->operandSpans.push_back(kid ? kid->span : node.span);
    return v;
  }

  [[noreturn]] void unsupported(const Node &node, const std::string &what, std::string hint = "") {
    fail(source_, node.span, ErrorKind::Unsupported, what, "", std::move(hint));
  }

  // Expressions -------------------------------------------------------------------------------------------------

  std::string temporary() { return "." + std::to_string(temporaries_++); }

  Value *expression(const Node &node) {
    switch (node.kind) {
    case NodeKind::Name:
      return nameValue(node);
    case NodeKind::Literal:
      return literal(node.value, node.span);
    case NodeKind::Binary: {
      Value *left = expression(*node.kids[0]);
      Value *right = expression(*node.kids[1]);
      Value *v = appendOfKids(Opcode::Binary, node, {left, right});
      v->op = node.op;
      return v;
    }
    case NodeKind::Unary: {
      Value *operand = expression(*node.kids[0]);
      if (UnaryOp(node.op) == UnaryOp::Not)
        operand = append(Opcode::Truth, node.kids[0]->span, {operand});
      Value *v = appendOfKids(Opcode::Unary, node, {operand});
      v->op = node.op;
      return v;
    }
    case NodeKind::And:
    case NodeKind::Or:
      return shortCircuit(node);
    case NodeKind::Compare:
      return node.ops.size() == 1
                 ? compare(node.ops[0], expression(*node.kids[0]), *node.kids[1], node.span)
                 : chainedCompare(node);
    case NodeKind::Call:
      return call(node);
    case NodeKind::IfElse:
      return conditional(node);
    case NodeKind::Attribute: {
      Value *v = appendOfKids(Opcode::Attribute, node, {expression(*node.kids[0])});
      v->name = node.text;
      return v;
    }
    case NodeKind::Subscript: {
      Value *object = expression(*node.kids[0]);
      Value *index = expression(*node.kids[1]);
      return appendOfKids(Opcode::Index, node, {object, index});
    }
    case NodeKind::Slice: {
      std::vector<Value *> parts;
      for (const NodePtr &kid : node.kids)
        parts.push_back(kid ? expression(*kid) : literal(Constant{}, node.span));
      return appendOfKids(Opcode::Slice, node, std::move(parts));
    }
    case NodeKind::Tuple:
      return appendOfKids(Opcode::Tuple, node, elements(node.kids));
    case NodeKind::List:
      if (f_.rules->makesArrays)
        return appendOfKids(Opcode::List, node, elements(node.kids));
      unsupported(node, node.text + " are not supported in " + f_.rules->plural,
                  insteadOf(node.text));
    case NodeKind::Dict:
      return dict(node);
    case NodeKind::Set:
      return set(node);
    case NodeKind::Comprehension:
      return comprehension(node);
    case NodeKind::Walrus: {
      Value *v = expression(*node.kids[1]);
      assign(*node.kids[0], v, node.kids[1]->span);
      return v;
    }
    case NodeKind::Lambda:
      return closure(node);
    case NodeKind::Yield: {
      if (!f_.rules->makesArrays || !source_.yields)
        unsupported(node,
                    f_.rules->makesArrays ? "yield is not supported here"
                                          : "generators are not supported in " + f_.rules->plural,
                    insteadOf("generators"));
      if (!node.text.empty())
        unsupported(node, "yield from is not supported in " + f_.rules->plural,
                    insteadOf("yield from"));
      Value *given = node.kids.empty() ? literal(Constant{}, node.span) : expression(*node.kids[0]);
      return appendOfKids(Opcode::Yield, node, {given});
    }
    case NodeKind::Starred:
      unsupported(node,
                  "unpacking with * outside of a call or a tuple is not supported in " +
                      f_.rules->plural,
                  "concatenate tuples with +");
    default:
      unsupported(node, node.text + " are not supported in " + f_.rules->plural,
                  insteadOf(node.text));
    }
  }

  /// The values of expressions of which some may be written as `*t`. `takesLists`: lists are tuples there.
  std::vector<Value *> elements(const std::vector<NodePtr> &nodes, bool takesLists = false) {
    std::vector<Value *> values;
    for (const NodePtr &node : nodes)
      values.push_back(node->kind == NodeKind::Starred
                           ? appendOfKids(Opcode::Starred, *node, {expression(*node->kids[0])})
                       : node->kind == NodeKind::List && takesLists
                           ? appendOfKids(Opcode::Tuple, *node, elements(node->kids, true))
                           : expression(*node));
    return values;
  }

  void needContainers(const Node &node, const std::string &noun) {
    if (!f_.rules->makesArrays)
      unsupported(node, noun + " are not supported in " + f_.rules->plural, insteadOf(noun));
  }

  /// An empty one, to whose keys values are assigned.
  Value *dict(const Node &node) {
    needContainers(node, "dicts");
    Value *made = append(Opcode::Dict, node.span);
    for (size_t i = 0; i < node.kids.size(); i += 2) {
      const Node &key = *node.kids[i], &item = *node.kids[i + 1];
      Value *k = expression(key), *v = expression(item);
      append(Opcode::StoreIndex, node.span, {made, k, v})->operandSpans = {node.span, key.span,
                                                                           item.span};
    }
    return made;
  }

  /// An empty one, to which items are added.
  Value *set(const Node &node) {
    needContainers(node, "sets");
    Value *made = append(Opcode::Set, node.span);
    for (const NodePtr &kid : node.kids) {
      Value *item = expression(*kid);
      Value *add = append(Opcode::Attribute, kid->span, {made});
      add->name = "add";
      append(Opcode::Call, node.span, {add, item});
    }
    return made;
  }

  Value *comprehension(const Node &node) {
    needContainers(node, node.names[0]);
    Opcode made = node.names[0] == "dict comprehensions"  ? Opcode::Dict
                  : node.names[0] == "set comprehensions" ? Opcode::Set
                                                          : Opcode::List;
    write(node.text, append(made, node.span));
    statements(node.body);
    return read(node.text, node.span);
  }

  /// What stands to the right of `in`: a list written there is a tuple.
  Value *container(const Node &node) {
    return node.kind == NodeKind::List ? appendOfKids(Opcode::Tuple, node, elements(node.kids))
                                       : expression(node);
  }

  Value *nameValue(const Node &node) {
    if (locals_.count(node.text))
      return present(node.text, node.span);
    Value *v = append(Opcode::Global, node.span);
    v->name = node.text;
    return v;
  }

  Value *compare(uint8_t op, Value *left, const Node &right, Span span) {
    bool isIn = CompareOp(op) == CompareOp::In || CompareOp(op) == CompareOp::NotIn;
    Value *v = append(Opcode::Compare, span, {left, isIn ? container(right) : expression(right)});
    v->op = op;
    return v;
  }

  Value *chainedCompare(const Node &node) {
    std::string result = temporary();
    Block *done = newBlock();
    Value *left = expression(*node.kids[0]);
    for (size_t i = 0; i < node.ops.size(); ++i) {
      Value *test = compare(node.ops[i], left, *node.kids[i + 1], node.span);
      left = test->operands[1];
      write(result, test);
      if (i + 1 == node.ops.size()) {
        jump(done, node.span);
        break;
      }
      Block *next = newBlock();
      finish(Opcode::Branch, node.span, {truth(test, node.span)}, {next, done});
      enter(next);
    }
    enter(done);
    return read(result, node.span);
  }

  Value *shortCircuit(const Node &node) {
    std::string result = temporary();
    Block *done = newBlock();
    for (size_t i = 0; i < node.kids.size(); ++i) {
      Value *v = expression(*node.kids[i]);
      write(result, v);
      if (i + 1 == node.kids.size()) {
        jump(done, node.span);
        break;
      }
      Block *next = newBlock();
      Value *test = truth(v, node.kids[i]->span);
      bool isAnd = node.kind == NodeKind::And;
      finish(Opcode::Branch, node.span, {test}, {isAnd ? next : done, isAnd ? done : next});
      enter(next);
    }
    enter(done);
    return read(result, node.span);
  }

  Value *conditional(const Node &node) {
    std::string result = temporary();
    Block *yes = newBlock(), *no = newBlock(), *done = newBlock();
    condition(*node.kids[0], yes, no);
    enter(yes);
    Value *a = expression(*node.kids[1]);
    write(result, a);
    jump(done, node.span);
    enter(no);
    Value *b = expression(*node.kids[2]);
    write(result, b);
    jump(done, node.span);
    enter(done);
    return read(result, node.span);
  }

  /// Whether a list that is written as an argument of `function` is a tuple: the shape or the numbers that a function of
  /// the library takes. Functions of the program and lists get lists.
  bool takesTuples(const Node &function) {
    static const std::set<std::string> ofLists = {"append", "insert", "remove",     "index",
                                                  "count",  "get",    "setdefault", "pop"};
    if (!f_.rules->makesArrays)
      return false;
    if (function.kind == NodeKind::Name) {
      std::optional<Constant> named;
      if (!locals_.count(function.text))
        named = source_.environment->lookup(function.text);
      return named && named->kind != ConstantKind::Function;
    }
    if (function.kind != NodeKind::Attribute || !ofLists.count(function.text))
      return true;
    const Node *root = function.kids[0].get();
    while (root->kind == NodeKind::Attribute)
      root = root->kids[0].get();
    return root->kind == NodeKind::Name && !locals_.count(root->text);
  }

  Value *call(const Node &node) {
    Value *v = appendOfKids(Opcode::Call, node, elements(node.kids, takesTuples(*node.kids[0])));
    v->names = node.names;
    return v;
  }

  /// The function that `node` defines, with the present values of what it captures.
  Value *closure(const Node &node) {
    std::vector<Value *> captured = capturedBy(*node.function, node.span);
    for (const NodePtr &defaultValue : node.kids)
      captured.push_back(expression(*defaultValue));
    Value *v = append(Opcode::Closure, node.span, std::move(captured));
    v->function = node.function.get();
    return v;
  }

  /// The present values of the variables that `function` captures.
  std::vector<Value *> capturedBy(const FunctionSource &function, Span span) {
    std::vector<Value *> captured;
    for (const Parameter &p : function.parameters)
      if (p.kind == ParameterKind::Captured && p.name[0] != '.')
        captured.push_back(present(p.name, span));
    return captured;
  }

  /// What the variable is now.
  Value *present(const std::string &name, Span span) {
    auto found = definitions_.find(name);
    bool defined = found != definitions_.end() && isPassed(found->second.place);
    Value *v = defined ? found->second.function : read(name, span);
    if (v->opcode != Opcode::Closure || v->function == f_.source)
      return v;
    bool outermost = renewals_.empty();
    auto [renewal, isNew] = renewals_.try_emplace(v);
    if (!isNew) // it may be on the way: functions that call each other
      return renewal->second ? renewal->second : v;
    Value *now = renewed(*v, span);
    renewals_[v] = now;
    if (outermost)
      renewals_.clear();
    return now;
  }

  /// Whether a statement at `place` that came before this one runs before it on every path.
  bool isPassed(const std::vector<unsigned> &place) const {
    return place.size() <= place_.size() && std::equal(place.begin(), place.end(), place_.begin());
  }

  /// Notes that a statement makes `v` the variable's value. In a loop that assigns what a function captures, its name
  /// alone does not tell yet whether it is still the same function.
  void noteDefinition(const std::string &name, Value *v) {
    if (v->opcode == Opcode::Closure && locals_[name].size() == 1)
      definitions_[name] = {v, place_};
  }

  /// The statements of a branch or of a loop's body.
  void nested(const std::vector<NodePtr> &list) {
    place_.push_back(places_++);
    statements(list);
    place_.pop_back();
  }

  /// The same function with the variables' present values, as its name stands for: Python's looks them up when it runs.
  /// The default values of its parameters are those of its definition.
  Value *renewed(const Value &definition, Span span) {
    std::vector<Value *> captured = capturedBy(*definition.function, span);
    captured.insert(captured.end(), definition.operands.begin() + captured.size(),
                    definition.operands.end());
    Value *v = append(Opcode::Closure, span, std::move(captured));
    v->function = definition.function;
    return v;
  }

  /// The variable is given another value, at this place of the program.
  void noteAssignment(const std::string &name, Span span, Value *value = nullptr) {
    Value *last = current_->values.empty() ? nullptr : current_->values.back();
    bool atStart = !last || last->opcode == Opcode::Phi;
    f_.assignments.push_back({name, span, value, current_, atStart ? nullptr : last});
  }

  Value *closureOfItself() {
    std::vector<Value *> captured;
    for (size_t i = 0; i < source_.parameters.size(); ++i)
      if (source_.parameters[i].kind == ParameterKind::Captured)
        captured.push_back(f_.parameterValues[i]);
    Value *v = append(Opcode::Closure, source_.span, std::move(captured));
    v->function = f_.source;
    return v;
  }

  Value *truth(Value *v, Span span) { return append(Opcode::Truth, span, {v}); }

  /// Branches on `node` without making its value: `and`, `or` and `not` become control flow.
  void condition(const Node &node, Block *yes, Block *no) {
    if (node.kind == NodeKind::Unary && UnaryOp(node.op) == UnaryOp::Not)
      return condition(*node.kids[0], no, yes);
    if (node.kind == NodeKind::And || node.kind == NodeKind::Or) {
      for (size_t i = 0; i + 1 < node.kids.size(); ++i) {
        Block *next = newBlock();
        condition(*node.kids[i], node.kind == NodeKind::And ? next : yes,
                  node.kind == NodeKind::And ? no : next);
        enter(next);
      }
      return condition(*node.kids.back(), yes, no);
    }
    Value *test = truth(expression(node), node.span);
    finish(Opcode::Branch, node.span, {test}, {yes, no});
  }

  // Statements --------------------------------------------------------------------------------------------------

  void statements(const std::vector<NodePtr> &list) {
    for (const NodePtr &statement : list) {
      if (!current_)
        return;
      this->statement(*statement);
    }
  }

  void statement(const Node &node) {
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

  void deleteTarget(const Node &target) {
    if (target.kind == NodeKind::Tuple) {
      for (const NodePtr &kid : target.kids)
        deleteTarget(*kid);
      return;
    }
    if (target.kind == NodeKind::Subscript && f_.rules->makesArrays) {
      Value *object = expression(*target.kids[0]);
      Value *method = appendOfKids(Opcode::Attribute, target, {object});
      method->name = "__delitem__";
      Value *index = expression(*target.kids[1]);
      std::vector<Value *> call{method};
      if (index->opcode == Opcode::Slice) // a list's method gets the bounds
        call.insert(call.end(), index->operands.begin(), index->operands.end());
      else
        call.push_back(index);
      append(Opcode::Call, target.span, std::move(call));
      return;
    }
    if (target.kind != NodeKind::Name)
      unsupported(target,
                  "del of an element or an attribute is not supported in " + f_.rules->plural,
                  "del takes the names of variables");
    Value *v = append(Opcode::Undefined, target.span);
    v->name = target.text;
    write(target.text, v);
    noteAssignment(target.text, target.span);
  }

  /// The container that is made for target `i` of so many, as in `a, b = [], {}`; null where there is none. It may have a
  /// type before the whole tuple has one.
  static Value *madeFor(size_t i, size_t count, const Value &tuple) {
    if (tuple.opcode != Opcode::Tuple || tuple.operands.size() != count)
      return nullptr;
    for (const Value *element : tuple.operands)
      if (element->opcode == Opcode::Starred)
        return nullptr;
    Opcode made = tuple.operands[i]->opcode;
    bool isContainer = made == Opcode::List || made == Opcode::Dict || made == Opcode::Set;
    return isContainer ? tuple.operands[i] : nullptr;
  }

  /// `from` is where the value is written.
  void assign(const Node &target, Value *v, Span from) {
    switch (target.kind) {
    case NodeKind::Name:
      if (!locals_.count(target.text))
        unsupported(target,
                    "assignment to the global '" + target.text + "' is not supported in " +
                        f_.rules->plural,
                    "pass an array of one element and write to it");
      if (auto type = source_.declaredVariables.find(target.text);
          type != source_.declaredVariables.end())
        v = append(Opcode::Call, from, {literal(Constant::ofType(type->second), from), v});
      write(target.text, v, from);
      return noteAssignment(target.text, target.span, v);
    case NodeKind::Tuple:
      for (size_t i = 0; i < target.kids.size(); ++i) {
        if (Value *made = madeFor(i, target.kids.size(), *v)) {
          assign(*target.kids[i], made, from);
          continue;
        }
        Value *part = append(Opcode::Unpack, target.span, {v});
        part->index = i;
        part->count = target.kids.size();
        assign(*target.kids[i], part, from);
      }
      return;
    case NodeKind::Subscript: {
      Value *object = expression(*target.kids[0]);
      Value *index = expression(*target.kids[1]);
      Value *store = appendOf(Opcode::StoreIndex, target, {object, index, v},
                              {target.kids[0].get(), target.kids[1].get()});
      store->operandSpans.push_back(from);
      return;
    }
    case NodeKind::Attribute:
      storeField(target, expression(*target.kids[0]), v, from);
      return;
    default:
      unsupported(target, "this assignment target is not supported in " + f_.rules->plural);
    }
  }

  /// `object.x = v` is `object['x'] = v` where anything can be assigned to.
  void storeField(const Node &target, Value *object, Value *v, Span from) {
    Value *name = literal(Constant::ofString(target.text), target.span);
    Value *store = append(Opcode::StoreIndex, target.span, {object, name, v});
    store->name = target.text;
    store->operandSpans = {target.kids[0]->span, target.span, from};
  }

  void augmented(const Node &node) {
    const Node &target = *node.kids[0];
    auto combine = [&](Value *old) {
      Value *operand = expression(*node.kids[1]);
      Value *v = appendOfKids(Opcode::Binary, node, {old, operand});
      v->op = node.op;
      v->inPlace = true;
      return v;
    };
    if (target.kind == NodeKind::Name)
      return assign(target, combine(nameValue(target)), node.kids[1]->span);
    if (target.kind == NodeKind::Attribute) {
      Value *object = expression(*target.kids[0]);
      Value *old = appendOfKids(Opcode::Attribute, target, {object});
      old->name = target.text;
      storeField(target, object, combine(old), node.span);
      return;
    }
    if (target.kind != NodeKind::Subscript)
      unsupported(target, "this assignment target is not supported in " + f_.rules->plural);
    Value *object = expression(*target.kids[0]);
    Value *index = expression(*target.kids[1]);
    Value *v = combine(appendOfKids(Opcode::Index, target, {object, index}));
    Value *store = appendOfKids(Opcode::StoreIndex, target, {object, index, v});
    store->operandSpans.push_back(node.span);
  }

  void ifStatement(const Node &node) {
    Block *yes = newBlock(), *done = newBlock();
    Block *no = node.orelse.empty() ? done : newBlock();
    condition(*node.kids[0], yes, no);
    enter(yes);
    nested(node.body);
    jump(done, node.span);
    if (no != done) {
      enter(no);
      nested(node.orelse);
      jump(done, node.span);
    }
    leaveTo(done);
  }

  void matchStatement(const Node &node) {
    Value *subject = expression(*node.kids[0]);
    Block *done = newBlock();
    for (const NodePtr &alternative : node.body) {
      const Node &pattern = *alternative->kids[0];
      Block *body = newBlock(), *next = newBlock();
      matchPattern(pattern, subject, node.kids[0]->span, next);
      if (const NodePtr &guard = alternative->kids[1])
        condition(*guard, body, next);
      else
        jump(body, pattern.span);
      enter(body);
      nested(alternative->body);
      jump(done, node.span);
      leaveTo(next);
      if (!current_)
        break; // the pattern fits everything
    }
    jump(done, node.span);
    leaveTo(done);
  }

  /// Goes on where the value fits the pattern, and to `otherwise` where it does not. Variables of the pattern take the
  /// value, which is written at `from`.
  void matchPattern(const Node &pattern, Value *v, Span from, Block *otherwise) {
    switch (pattern.kind) {
    case NodeKind::MatchValue: {
      Block *fits = newBlock();
      Value *test = compare(pattern.op, v, *pattern.kids[0], pattern.span);
      finish(Opcode::Branch, pattern.span, {truth(test, pattern.span)}, {fits, otherwise});
      return enter(fits);
    }
    case NodeKind::MatchAs:
      if (pattern.kids[0])
        matchPattern(*pattern.kids[0], v, from, otherwise);
      if (pattern.text.empty())
        return;
      write(pattern.text, v, from);
      return noteAssignment(pattern.text, pattern.span, v);
    case NodeKind::MatchOr: {
      Block *fits = newBlock();
      for (const NodePtr &one : pattern.kids) {
        Block *next = one == pattern.kids.back() ? otherwise : newBlock();
        matchPattern(*one, v, from, next);
        jump(fits, one->span);
        if (next == otherwise)
          break;
        leaveTo(next);
        if (!current_)
          break;
      }
      return enter(fits);
    }
    default:
      unsupported(pattern, pattern.text + " are not supported in " + f_.rules->plural,
                  insteadOf(pattern.text));
    }
  }

  void whileLoop(const Node &node) {
    Block *head = newBlock(), *body = newBlock(), *done = newBlock();
    Block *otherwise = node.orelse.empty() ? done : newBlock();
    jump(head, node.span);
    current_ = head;
    condition(*node.kids[0], body, otherwise);
    enter(body);
    loopBody(node, head, done);
    seal(head);
    afterLoop(node, otherwise, done);
  }

  /// The item of round `k` of the loop that `count` counts.
  Value *item(const Value &count, Span at, Value *iterable, Value *k) {
    Value *v = append(Opcode::IterValue, at, {iterable, k});
    v->name = count.name;
    return v;
  }

  void forLoop(const Node &node) {
    Span at = node.kids[1]->span;
    Value *iterable = container(*node.kids[1]);
    Value *count = append(Opcode::IterCount, at, {iterable});
    count->name = keyOf(node);
    if (std::optional<size_t> copies = copiesOf(count->name)) {
      count->index = true;
      count->count = *copies;
      return unrolledLoop(node, iterable, count);
    }
    std::string counter = temporary();
    write(counter, literal(Constant::ofInt(0), at));
    Block *head = newBlock(), *body = newBlock(), *next = newBlock(), *done = newBlock();
    Block *otherwise = node.orelse.empty() ? done : newBlock();
    jump(head, at);
    current_ = head;
    Value *k = read(counter, at);
    Value *more = append(Opcode::More, at, {k, count});
    finish(Opcode::Branch, at, {more}, {body, otherwise});
    enter(body);
    assign(*node.kids[0], item(*count, at, iterable, k), at);
    loopBody(node, next, done);
    enter(next);
    write(counter, append(Opcode::Advance, at, {k}));
    jump(head, at);
    seal(head);
    afterLoop(node, otherwise, done);
  }

  /// A call of the function that runs rounds of the loop; what it reduces has a new value then, what its rounds assign has
  /// none.
  void parallelLoop(const Node &node) {
    const Node &call = *node.kids[0];
    std::vector<Value *> bounds = elements(call.kids);
    Value *range = appendOfKids(Opcode::Call, call, bounds);
    Value *count = append(Opcode::IterCount, call.span, {range});
    count->name = keyOf(node);
    std::vector<Value *> operands{count};
    for (const Parameter &p : llvm::drop_begin(node.function->parameters, 2)) {
      bool isBound = p.name.starts_with(".bound"), isStart = p.name.starts_with(".start ");
      operands.push_back(isBound   ? bounds[p.name.back() - '0']
                         : isStart ? read(p.name.substr(7), node.span)
                                   : present(p.name, node.span));
    }
    Value *loop = append(Opcode::Parallel, node.span, std::move(operands));
    loop->function = node.function.get();
    for (const std::string &name : node.names) {
      Value *after = append(Opcode::Undefined, node.span);
      after->name = name;
      after->function = node.function.get();
      write(name, after);
      noteAssignment(name, node.span);
    }
    const std::vector<Reduction> &reductions = node.function->reductions;
    for (size_t i = 0; i < reductions.size(); ++i) {
      Value *total = append(Opcode::Unpack, reductions[i].span, {loop});
      total->index = i;
      total->count = reductions.size();
      write(reductions[i].name, total, reductions[i].span);
    }
  }

  /// The rounds `.first` to `.last` of a loop. A variable that is a round's own begins each with the value that it had
  /// before the loop, if it had one.
  void roundsOfLoop(const Node &node) {
    Span at = node.kids[1]->span;
    Value *iterable = expression(*node.kids[1]);
    std::string counter = temporary();
    Value *last = read(".last", at);
    write(counter, read(".first", at));
    Block *head = newBlock(), *body = newBlock(), *next = newBlock(), *done = newBlock();
    jump(head, at);
    current_ = head;
    Value *k = read(counter, at);
    finish(Opcode::Branch, at, {append(Opcode::More, at, {k, last})}, {body, done});
    enter(body);
    for (const std::string &name : node.names) {
      std::string start = ".start " + name;
      Value *initial =
          locals_.count(start) ? read(start, at) : append(Opcode::Undefined, node.span);
      if (initial->opcode == Opcode::Undefined)
        initial->name = name;
      write(name, initial);
    }
    assign(*node.kids[0], append(Opcode::IterValue, at, {iterable, k}), at);
    loopBody(node, next, done);
    enter(next);
    write(counter, append(Opcode::Advance, at, {k}));
    jump(head, at);
    seal(head);
    leaveTo(done);
  }

  /// Names the loop, then the copies of the bodies of other loops that it is in.
  std::string keyOf(const Node &loop) const {
    return "." + std::to_string(loop.span.line) + ":" + std::to_string(loop.span.column) + "/" +
           copies_;
  }

  /// How many copies of its body stand for the loop; nothing for one that runs.
  std::optional<size_t> copiesOf(const std::string &key) const {
    for (const std::string &known : {key, key.substr(0, key.find('/'))})
      if (auto found = f_.unrolled.find(known); found != f_.unrolled.end())
        return found->second == neverUnrolled ? std::nullopt : std::optional(found->second);
    return std::nullopt;
  }

  void unrolledLoop(const Node &node, Value *iterable, Value *count) {
    Span at = node.kids[1]->span;
    std::string outer = copies_;
    Block *done = newBlock();
    Block *otherwise = node.orelse.empty() ? done : newBlock();
    for (size_t k = 0; k < count->count && current_; ++k) {
      copies_ = outer + std::to_string(k) + ",";
      Block *body = newBlock(), *next = newBlock();
      Value *round = literal(Constant::ofInt(int64_t(k)), at);
      finish(Opcode::Branch, at, {append(Opcode::More, at, {round, count})}, {body, otherwise});
      enter(body);
      assign(*node.kids[0], item(*count, at, iterable, round), at);
      loopBody(node, next, done);
      leaveTo(next);
    }
    copies_ = outer;
    jump(otherwise, at);
    afterLoop(node, otherwise, done);
  }

  /// The loop's `else`, which a break skips, and what follows the loop.
  void afterLoop(const Node &node, Block *otherwise, Block *done) {
    if (otherwise != done) {
      leaveTo(otherwise);
      nested(node.orelse);
      jump(done, node.span);
    }
    leaveTo(done);
  }

  void loopBody(const Node &node, Block *onContinue, Block *onBreak) {
    loops_.push_back({onContinue, onBreak, protections_.size()});
    nested(node.body);
    jump(onContinue, node.span);
    loops_.pop_back();
  }

  void tryStatement(const Node &node) {
    if (f_.rules->raise != Raise::Throws)
      unsupported(node, "try statements are not supported in " + f_.rules->plural,
                  insteadOf("try statements"));
    node.orelse[0]->kind == NodeKind::Finally ? tryFinally(node) : tryExcept(node);
  }

  /// Statements that `handler` is entered from where one raises.
  void guarded(const std::vector<NodePtr> &list, Block *handler, const Node *finally, Span span) {
    protections_.push_back({handler, finally, loops_.size()});
    protectBy(handler, span);
    nested(list);
    protections_.pop_back();
    protectByInnermost(span);
  }

  void protectByInnermost(Span span) {
    protectBy(protections_.empty() ? nullptr : protections_.back().handler, span);
  }

  void tryExcept(const Node &node) {
    Block *handler = newBlock(), *done = newBlock();
    guarded(node.body, handler, nullptr, node.span);
    if (current_ && node.orelse.back()->kind == NodeKind::Else)
      nested(node.orelse.back()->body);
    jump(done, node.span);
    leaveTo(handler);
    if (current_)
      exceptClauses(node, done);
    leaveTo(done);
  }

  /// The first clause that the exception belongs to runs; where there is none, it is raised again.
  void exceptClauses(const Node &node, Block *done) {
    Value *caught = append(Opcode::Caught, node.orelse[0]->span);
    for (const NodePtr &clause : node.orelse) {
      if (clause->kind != NodeKind::Except || !current_)
        break;
      Block *next = nullptr;
      if (clause->kids[0]) {
        Block *body = newBlock();
        next = newBlock();
        Span at = clause->kids[0]->span;
        Value *test = append(Opcode::Catches, at, {caught, expression(*clause->kids[0])});
        finish(Opcode::Branch, at, {test}, {body, next});
        enter(body);
      }
      exceptClause(*clause, caught);
      jump(done, clause->span);
      current_ = nullptr;
      if (next)
        enter(next);
    }
    if (current_)
      raiseAgain(caught, node.span);
  }

  /// The clause's variable is there in the clause alone.
  void exceptClause(const Node &clause, Value *caught) {
    if (!clause.text.empty()) {
      write(clause.text, caught);
      noteAssignment(clause.text, clause.span);
    }
    caught_.push_back(caught);
    nested(clause.body);
    caught_.pop_back();
    if (clause.text.empty() || !current_)
      return;
    Value *gone = append(Opcode::Undefined, clause.span);
    gone->name = clause.text;
    write(clause.text, gone);
  }

  void tryFinally(const Node &node) {
    const Node &last = *node.orelse[0];
    Block *handler = newBlock(), *done = newBlock();
    guarded(node.body, handler, &last, node.span);
    if (current_)
      nested(last.body);
    jump(done, node.span);
    leaveTo(handler);
    if (current_) {
      Value *caught = append(Opcode::Caught, last.span);
      nested(last.body);
      if (current_)
        raiseAgain(caught, last.span);
    }
    leaveTo(done);
  }

  void raiseAgain(Value *caught, Span span) {
    append(Opcode::Raise, span, {caught});
    current_ = nullptr;
  }

  /// Runs what `finally` clauses say on the way out of all but the first `kept` protections, then `leave`.
  template <class Leave> void leaveProtections(size_t kept, Span span, const Leave &leave) {
    std::vector<Protection> around = protections_;
    std::vector<Loop> loopsAround = loops_;
    while (current_ && protections_.size() > kept) {
      const Node *finally = protections_.back().finally;
      loops_.resize(protections_.back().loops);
      protections_.pop_back();
      if (!finally)
        continue;
      protectByInnermost(span);
      nested(finally->body);
    }
    if (current_)
      leave();
    protections_ = std::move(around);
    loops_ = std::move(loopsAround);
    protectByInnermost(span);
  }

  void assertStatement(const Node &node) {
    Block *wrong = newBlock(), *right = newBlock();
    condition(*node.kids[0], right, wrong);
    enter(wrong);
    std::vector<Value *> operands{
        literal({.kind = ConstantKind::Exception, .text = "AssertionError"}, node.span)};
    std::vector<Span> spans{node.span};
    std::vector<std::string> pieces;
    if (node.kids.size() > 1)
      addArgument(*node.kids[1], operands, spans, pieces);
    raise(node, std::move(operands), std::move(spans), std::move(pieces));
    enter(right);
  }

  void raise(const Node &node, std::vector<Value *> operands, std::vector<Span> spans,
             std::vector<std::string> pieces) {
    Value *v = append(Opcode::Raise, node.span, std::move(operands));
    v->operandSpans = std::move(spans);
    v->names = std::move(pieces);
  }

  /// An argument of an exception. Where exceptions can have values of run time, an f-string is its pieces: the first is named
  /// "text" among `pieces`, those that continue it "more"; what is an argument by itself has no name.
  void addArgument(const Node &node, std::vector<Value *> &operands, std::vector<Span> &spans,
                   std::vector<std::string> &pieces) {
    std::vector<const Node *> parts;
    bool isText = f_.rules->raise == Raise::Throws && addPieces(node, parts);
    if (!isText)
      parts = {&node};
    for (const Node *part : parts) {
      bool isWritten = isText && part->kind == NodeKind::Call;
      operands.push_back(expression(isWritten ? *part->kids[1] : *part));
      spans.push_back(part->span);
      pieces.push_back(!isText ? "" : part == parts.front() ? "text" : "more");
    }
  }

  /// The pieces of an f-string: strings, and calls of what makes a text of a value. Whether it has any of the latter, and
  /// nothing else.
  static bool addPieces(const Node &node, std::vector<const Node *> &parts) {
    if (node.kind == NodeKind::Binary && BinaryOp(node.op) == BinaryOp::Add) {
      bool left = addPieces(*node.kids[0], parts), right = addPieces(*node.kids[1], parts);
      return left || right;
    }
    parts.push_back(&node);
    return node.kind == NodeKind::Call && node.kids[0]->kind == NodeKind::Literal &&
           node.kids[0]->value.text == "builtins.str";
  }

  void raiseStatement(const Node &node) {
    if (node.kids.empty() && !caught_.empty())
      return raiseAgain(caught_.back(), node.span);
    if (node.kids.empty()) { // there is no exception that could be raised again
      append(Opcode::Raise, node.span,
             {literal({.kind = ConstantKind::Exception, .text = "RuntimeError"}, node.span),
              literal(Constant::ofString("no active exception to raise again"), node.span)});
      current_ = nullptr;
      return;
    }
    const Node &what = *node.kids[0];
    if (what.kind != NodeKind::Call) {
      appendOf(Opcode::Raise, node, {expression(what)}, {&what});
    } else {
      std::vector<Value *> operands{expression(*what.kids[0])};
      std::vector<Span> spans{what.kids[0]->span};
      std::vector<std::string> pieces;
      for (size_t i = 1; i < what.kids.size(); ++i)
        addArgument(*what.kids[i], operands, spans, pieces);
      raise(node, std::move(operands), std::move(spans), std::move(pieces));
    }
    current_ = nullptr;
  }
};

} // namespace

void buildSsa(TypedFunction &f) { SsaBuilder(f).build(); }

} // namespace heddle::python
