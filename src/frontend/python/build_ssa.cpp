#include "frontend/python/build_ssa.h"

#include "frontend/python/unsupported.h"

#include <map>
#include <set>

namespace heddle::python {
namespace {

/// Every name that the statements assign, so that Python's rule holds: assigned anywhere means local everywhere.
void collectAssigned(const Node *node, std::set<std::string> &names) {
  if (!node)
    return;
  auto target = [&](const Node *t, auto &self) -> void {
    if (t->kind == NodeKind::Name)
      names.insert(t->text);
    else if (t->kind == NodeKind::Tuple)
      for (const NodePtr &kid : t->kids)
        self(kid.get(), self);
  };
  if (node->kind == NodeKind::Assign)
    for (size_t i = 0; i + 1 < node->kids.size(); ++i)
      target(node->kids[i].get(), target);
  if (node->kind == NodeKind::AugAssign || node->kind == NodeKind::For ||
      node->kind == NodeKind::Walrus)
    target(node->kids[0].get(), target);
  for (const auto *list : {&node->kids, &node->body, &node->orelse})
    for (const NodePtr &kid : *list)
      collectAssigned(kid.get(), names);
}

class SsaBuilder {
public:
  explicit SsaBuilder(TypedFunction &f) : f_(f), source_(*f.source) {}

  void build() {
    for (const NodePtr &statement : source_.body)
      collectAssigned(statement.get(), locals_);
    current_ = newBlock();
    seal(current_);
    for (size_t i = 0; i < source_.parameters.size(); ++i) {
      const Parameter &parameter = source_.parameters[i];
      locals_.insert(parameter.name);
      Value *v = append(Opcode::Parameter, parameter.span);
      v->index = i;
      v->name = parameter.name;
      f_.parameterValues.push_back(v);
      write(parameter.name, v);
    }
    statements(source_.body);
    if (current_)
      finish(Opcode::Return, source_.span, {literal(Constant{}, source_.span)}, {});
    removeTrivialPhis();
    dropUnusedPhis();
    locateAssignments();
  }

private:
  struct BlockState {
    std::map<std::string, Value *> variables;
    std::map<std::string, Value *> incompletePhis;
    bool sealed = false;
  };
  struct Loop {
    Block *onContinue;
    Block *onBreak;
  };

  TypedFunction &f_;
  const FunctionSource &source_;
  std::set<std::string> locals_;
  Block *current_ = nullptr; ///< null after a terminator: what follows cannot be reached
  std::vector<BlockState> states_;
  std::vector<Loop> loops_;
  std::map<Value *, Value *> replaced_;
  std::map<std::pair<std::string, Value *>, Span>
      assigned_; ///< where a variable is given a value, for messages
  unsigned temporaries_ = 0;

  // Blocks and values -------------------------------------------------------------------------------------------

  Block *newBlock() {
    f_.blocks.push_back(std::make_unique<Block>());
    f_.blocks.back()->number = f_.blocks.size() - 1;
    states_.emplace_back();
    return f_.blocks.back().get();
  }

  Value *append(Opcode opcode, Span span, std::vector<Value *> operands = {}) {
    Value *v = f_.make(opcode, span);
    v->operands = std::move(operands);
    v->block = current_;
    current_->values.push_back(v);
    return v;
  }

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

  Value *literal(Constant constant, Span span) {
    Value *v = append(Opcode::Constant, span);
    v->constant = std::move(constant);
    return v;
  }

  void finish(Opcode opcode, Span span, std::vector<Value *> operands,
              std::vector<Block *> successors) {
    append(opcode, span, std::move(operands));
    current_->successors = successors;
    for (Block *s : successors)
      s->predecessors.push_back(current_);
    current_ = nullptr;
  }

  void jump(Block *to, Span span) {
    if (current_)
      finish(Opcode::Jump, span, {}, {to});
  }

  void enter(Block *block) {
    seal(block);
    current_ = block;
  }

  [[noreturn]] void unsupported(const Node &node, const std::string &what, std::string hint = "") {
    fail(source_, node.span, ErrorKind::Unsupported, what, "", std::move(hint));
  }

  // Variables ---------------------------------------------------------------------------------------------------

  void write(const std::string &name, Value *v) { states_[current_->number].variables[name] = v; }
  void write(const std::string &name, Value *v, Span from) {
    assigned_.try_emplace({name, v}, from);
    write(name, v);
  }

  Value *newPhi(Block *block, const std::string &name, Span span) {
    Value *phi = f_.make(Opcode::Phi, span);
    phi->block = block;
    phi->name = name;
    block->values.insert(block->values.begin(), phi);
    return phi;
  }

  Value *resolve(Value *v) {
    auto found = replaced_.find(v);
    return found == replaced_.end() ? v : found->second = resolve(found->second);
  }

  Value *read(Block *block, const std::string &name, Span span) {
    BlockState &state = states_[block->number];
    auto known = state.variables.find(name);
    if (known != state.variables.end())
      return resolve(known->second);
    Value *v = nullptr;
    if (!state.sealed) {
      v = newPhi(block, name, span);
      state.incompletePhis[name] = v;
    } else if (block->predecessors.empty()) {
      v = f_.make(Opcode::Undefined, span);
      v->name = name;
      v->block = block;
      block->values.insert(block->values.begin(), v);
    } else if (block->predecessors.size() == 1) {
      v = read(block->predecessors[0], name, span);
    } else {
      Value *phi = newPhi(block, name, span);
      states_[block->number].variables[name] = phi;
      v = complete(phi);
    }
    states_[block->number].variables[name] = v;
    return v;
  }

  Value *complete(Value *phi) {
    for (Block *p : phi->block->predecessors)
      phi->operands.push_back(read(p, phi->name, phi->span));
    return simplify(phi);
  }

  void seal(Block *block) {
    std::map<std::string, Value *> incomplete;
    incomplete.swap(states_[block->number].incompletePhis);
    states_[block->number].sealed = true;
    for (auto &[name, phi] : incomplete)
      complete(phi);
  }

  /// A phi whose operands are all one value, or itself, is that value.
  Value *simplify(Value *phi) {
    Value *only = nullptr;
    for (Value *operand : phi->operands) {
      operand = resolve(operand);
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

  void removeTrivialPhis() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto &block : f_.blocks)
        for (Value *v : block->values)
          if (v->opcode == Opcode::Phi && !replaced_.count(v))
            changed |= simplify(v) != v;
    }
    for (auto &v : f_.values)
      for (Value *&operand : v->operands)
        operand = resolve(operand);
    for (auto &block : f_.blocks)
      std::erase_if(block->values, [&](Value *v) { return replaced_.count(v); });
  }

  /// Lets a merge of a variable's values tell where each was assigned.
  void locateAssignments() {
    for (auto &block : f_.blocks)
      for (Value *phi : block->values) {
        if (phi->opcode != Opcode::Phi)
          continue;
        for (Value *operand : phi->operands) {
          auto found = assigned_.find({phi->name, operand});
          phi->operandSpans.push_back(found == assigned_.end() ? operand->span : found->second);
        }
      }
  }

  /// A variable may hold unrelated types at different times; only a merge that somebody reads must have one type.
  void dropUnusedPhis() {
    std::set<Value *> used;
    std::vector<Value *> work;
    auto use = [&](Value *v) {
      if (v->opcode == Opcode::Phi && used.insert(v).second)
        work.push_back(v);
    };
    for (auto &block : f_.blocks)
      for (Value *v : block->values)
        if (v->opcode != Opcode::Phi)
          for (Value *operand : v->operands)
            use(operand);
    while (!work.empty()) {
      Value *phi = work.back();
      work.pop_back();
      for (Value *operand : phi->operands)
        use(operand);
    }
    for (auto &block : f_.blocks)
      std::erase_if(block->values,
                    [&](Value *v) { return v->opcode == Opcode::Phi && !used.count(v); });
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
    case NodeKind::Tuple: {
      std::vector<Value *> elements;
      for (const NodePtr &kid : node.kids)
        elements.push_back(expression(*kid));
      return appendOfKids(Opcode::Tuple, node, std::move(elements));
    }
    case NodeKind::Walrus: {
      Value *v = expression(*node.kids[1]);
      assign(*node.kids[0], v, node.kids[1]->span);
      return v;
    }
    case NodeKind::Starred:
      unsupported(node, "argument unpacking with * is not supported in kernels",
                  "write the arguments out");
    default:
      unsupported(node, node.text + " are not supported in kernels", insteadOf(node.text));
    }
  }

  Value *nameValue(const Node &node) {
    if (locals_.count(node.text)) {
      Value *v = read(current_, node.text, node.span);
      return v;
    }
    Value *v = append(Opcode::Global, node.span);
    v->name = node.text;
    return v;
  }

  Value *compare(uint8_t op, Value *left, const Node &right, Span span) {
    Value *v = append(Opcode::Compare, span, {left, expression(right)});
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
    return read(done, result, node.span);
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
    return read(done, result, node.span);
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
    return read(done, result, node.span);
  }

  Value *call(const Node &node) {
    std::vector<Value *> operands;
    for (const NodePtr &kid : node.kids)
      operands.push_back(expression(*kid));
    Value *v = appendOfKids(Opcode::Call, node, std::move(operands));
    v->names = node.names;
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
      finish(Opcode::Return, node.kids.empty() ? node.span : node.kids[0]->span, {v}, {});
      return;
    }
    case NodeKind::Assign: {
      Value *v = expression(*node.kids.back());
      for (size_t i = 0; i + 1 < node.kids.size(); ++i)
        assign(*node.kids[i], v, node.kids.back()->span);
      return;
    }
    case NodeKind::AugAssign:
      return augmented(node);
    case NodeKind::If:
      return ifStatement(node);
    case NodeKind::While:
      return whileLoop(node);
    case NodeKind::For:
      return forLoop(node);
    case NodeKind::Break:
      return jump(loops_.back().onBreak, node.span);
    case NodeKind::Continue:
      return jump(loops_.back().onContinue, node.span);
    case NodeKind::Assert:
      return assertStatement(node);
    case NodeKind::Raise:
      return raiseStatement(node);
    default:
      unsupported(node,
                  (node.kind == NodeKind::Unsupported ? node.text : "expressions here") +
                      " are not supported in kernels",
                  insteadOf(node.text));
    }
  }

  /// `from` is where the value is written.
  void assign(const Node &target, Value *v, Span from) {
    switch (target.kind) {
    case NodeKind::Name:
      return write(target.text, v, from);
    case NodeKind::Tuple:
      for (size_t i = 0; i < target.kids.size(); ++i) {
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
      unsupported(target, "this assignment target is not supported in kernels");
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
    if (target.kind == NodeKind::Name) {
      Value *v = combine(nameValue(target));
      write(target.text, v);
      return;
    }
    if (target.kind == NodeKind::Attribute) {
      Value *object = expression(*target.kids[0]);
      Value *old = appendOfKids(Opcode::Attribute, target, {object});
      old->name = target.text;
      storeField(target, object, combine(old), node.span);
      return;
    }
    if (target.kind != NodeKind::Subscript)
      unsupported(target, "this assignment target is not supported in kernels");
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
    statements(node.body);
    jump(done, node.span);
    if (no != done) {
      enter(no);
      statements(node.orelse);
      jump(done, node.span);
    }
    leaveTo(done);
  }

  /// Continues at `block` when anything jumps there.
  void leaveTo(Block *block) {
    enter(block);
    if (block->predecessors.empty())
      current_ = nullptr;
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

  void forLoop(const Node &node) {
    Span at = node.kids[1]->span;
    Value *iterable = expression(*node.kids[1]);
    Value *count = append(Opcode::IterCount, at, {iterable});
    std::string counter = temporary();
    write(counter, literal(Constant::ofInt(0), at));
    Block *head = newBlock(), *body = newBlock(), *next = newBlock(), *done = newBlock();
    Block *otherwise = node.orelse.empty() ? done : newBlock();
    jump(head, at);
    current_ = head;
    Value *k = read(head, counter, at);
    Value *more = append(Opcode::More, at, {k, count});
    finish(Opcode::Branch, at, {more}, {body, otherwise});
    enter(body);
    assign(*node.kids[0], append(Opcode::IterValue, at, {iterable, k}), at);
    loopBody(node, next, done);
    enter(next);
    write(counter, append(Opcode::Advance, at, {k}));
    jump(head, at);
    seal(head);
    afterLoop(node, otherwise, done);
  }

  /// The loop's `else`, which a break skips, and what follows the loop.
  void afterLoop(const Node &node, Block *otherwise, Block *done) {
    if (otherwise != done) {
      enter(otherwise);
      statements(node.orelse);
      jump(done, node.span);
    }
    leaveTo(done);
  }

  void loopBody(const Node &node, Block *onContinue, Block *onBreak) {
    loops_.push_back({onContinue, onBreak});
    statements(node.body);
    jump(onContinue, node.span);
    loops_.pop_back();
  }

  void assertStatement(const Node &node) {
    Block *wrong = newBlock(), *right = newBlock();
    condition(*node.kids[0], right, wrong);
    enter(wrong);
    Value *v = append(Opcode::Raise, node.span);
    v->name = "AssertionError";
    v->constant = Constant::ofString(node.text.empty() ? "assertion failed" : node.text);
    current_ = nullptr;
    enter(right);
  }

  void raiseStatement(const Node &node) {
    if (node.kids.empty())
      unsupported(node, "raise without an exception is not supported in kernels",
                  "name the exception to raise");
    const Node &what = *node.kids[0];
    const Node &exception = what.kind == NodeKind::Call ? *what.kids[0] : what;
    std::string message;
    if (what.kind == NodeKind::Call)
      for (size_t i = 1; i < what.kids.size(); ++i) {
        if (what.kids[i]->kind != NodeKind::Literal)
          unsupported(*what.kids[i],
                      "the arguments of an exception raised in a kernel must be constants");
        const Constant &c = what.kids[i]->value;
        message += (i > 1 ? ", " : "") + (c.kind == ConstantKind::String ? c.text : c.describe());
      }
    Value *type = expression(exception);
    Value *v = append(Opcode::Raise, node.span, {type});
    v->constant = Constant::ofString(message);
    current_ = nullptr;
  }
};

} // namespace

void buildSsa(TypedFunction &f) { SsaBuilder(f).build(); }

} // namespace heddle::python
