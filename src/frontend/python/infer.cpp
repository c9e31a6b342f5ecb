#include "frontend/python/infer.h"

#include "frontend/python/build_ssa.h"
#include "frontend/python/constant_parameters.h"
#include "frontend/python/fold.h"
#include "frontend/python/indexing.h"
#include "frontend/python/library.h"
#include "frontend/python/members.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace heddle::python {
namespace {

// A function nested deeper in calls than this is not written by hand; it would end our own stack.
constexpr size_t maxCallDepth = 100;
constexpr size_t maxBlocks = 10000;

std::string variableName(const std::string &name) {
  return name.empty() || name[0] == '.' ? "this expression" : "'" + name + "'";
}

std::string describeType(const Value &v) {
  if (v.type == objectType() && v.constant)
    return v.constant->describe();
  return v.type.name();
}

class Inference {
public:
  Inference(Program &program, TypedFunction &f) : program_(program), f_(f), source_(*f.source) {}

  void run() {
    std::vector<Block *> order = blocksInOrder();
    unsigned rounds = 0;
    for (bool changed = true; changed;) {
      keepTypes_ = ++rounds > mostRounds;
      postponed_ = false;
      changed = markReachable();
      for (Block *block : order)
        if (block->reachable)
          for (Value *v : block->values)
            changed |= visit(*v);
      if (!changed && postponed_ && !mixIntegers_)
        changed = mixIntegers_ = true;
    }
  }

  /// Fails when a value that is used has no type: what only a recursion without an end leaves.
  void checkComplete() {
    for (auto &block : f_.blocks)
      for (Value *v : block->values)
        if (block->reachable && v->opcode == Opcode::Call && !v->type)
          fail(source_, v->span, ErrorKind::Typing,
               "cannot tell the type of this recursive call: no path returns without another call",
               "", "add a path that returns a value without calling '" + source_.name + "'");
    checkAssigned();
    if (!f_.result)
      f_.result = noneType(); // every path ends in raise or in an endless loop
  }

private:
  /// A loop that is the only one to assign a variable, from its own value, gives it no type.
  void checkAssigned() {
    for (auto &block : f_.blocks)
      for (Value *v : block->values)
        for (Value *operand : v->operands)
          if (block->reachable && v->opcode != Opcode::Phi && operand->opcode == Opcode::Phi &&
              !operand->type)
            error(*v, "variable " + variableName(operand->name) + " is used before it is assigned");
  }

  /// `unify`; but a float that only integers of different signs make waits until nothing else changes: one of them may
  /// become another, and what was computed with the float would stay.
  Type merge(Type a, Type b) {
    Type merged = unify(a, b);
    if (mixIntegers_ || !a || !merged.isFloat() || a.isFloat() || b.isFloat())
      return merged;
    postponed_ = true;
    return a;
  }

  /// After so many rounds a variable keeps what it was thought to be, so that the search ends.
  static constexpr unsigned mostRounds = 64;

  Program &program_;
  TypedFunction &f_;
  const FunctionSource &source_;
  bool keepTypes_ = false;
  bool mixIntegers_ = false;
  bool postponed_ = false; ///< some merge waits in this round

  [[noreturn]] void error(const Value &v, std::string message, std::string underlined = "",
                          std::string hint = "", std::vector<std::string> notes = {}) {
    fail(source_, v.span, ErrorKind::Typing, std::move(message), std::move(underlined),
         std::move(hint), std::move(notes));
  }

  /// Reverse post-order: a block comes after all that lead to it but for loops, so that a merge sees the type of
  /// every path before a use of it does.
  std::vector<Block *> blocksInOrder() {
    struct Step {
      Block *block;
      size_t next;
    };
    std::vector<Block *> order;
    std::vector<Step> stack{{f_.blocks[0].get(), 0}};
    std::set<Block *> seen{stack[0].block};
    while (!stack.empty()) {
      auto &[block, next] = stack.back();
      if (next == block->successors.size()) {
        order.push_back(block);
        stack.pop_back();
      } else if (Block *s = block->successors[next++]; seen.insert(s).second) {
        stack.push_back({s, 0});
      }
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  /// An error under operand `i` of `v`.
  [[noreturn]] void errorAt(const Value &v, size_t i, std::string message,
                            std::string underlined = "", std::string hint = "") {
    fail(source_, v.spanOf(i), ErrorKind::Typing, std::move(message), std::move(underlined),
         std::move(hint));
  }

  bool markReachable() {
    bool changed = false;
    std::vector<Block *> work{f_.blocks[0].get()};
    std::set<Block *> seen{work[0]};
    while (!work.empty()) {
      Block *block = work.back();
      work.pop_back();
      changed |= !block->reachable;
      block->reachable = true;
      for (Block *s : block->successors)
        if (isLiveEdge(*block, *s) && branchKnown(*block) && seen.insert(s).second)
          work.push_back(s);
    }
    return changed;
  }

  /// A branch whose condition has no type yet is not followed: it may turn out to be constant.
  bool branchKnown(const Block &block) {
    const Value &end = *block.values.back();
    return end.opcode != Opcode::Branch || end.operands[0]->type;
  }

  bool set(Value &v, Type type) {
    bool changed = v.type != type;
    v.type = type;
    return changed;
  }

  bool setConstant(Value &v, Constant constant) {
    v.constant = std::move(constant);
    return set(v, v.constant->valueType());
  }

  bool visit(Value &v) {
    if (v.opcode == Opcode::Phi)
      return visitPhi(v);
    for (Value *operand : v.operands)
      if (!operand->type) {
        if (operand->opcode == Opcode::Undefined)
          error(v.opcode == Opcode::Truth || v.opcode == Opcode::Return ? *operand : v,
                "variable " + variableName(operand->name) + " is used before it is assigned");
        return false;
      }
    switch (v.opcode) {
    case Opcode::Parameter:
    case Opcode::Undefined:
    case Opcode::Jump:
    case Opcode::Branch:
    case Opcode::Phi:
      return false;
    case Opcode::Constant:
      return set(v, v.constant->valueType());
    case Opcode::Global:
      return visitGlobal(v);
    case Opcode::Unary:
      return visitUnary(v);
    case Opcode::Binary:
      return visitBinary(v);
    case Opcode::Compare:
      return visitCompare(v);
    case Opcode::Truth:
      return visitTruth(v);
    case Opcode::Attribute:
      return visitAttribute(v);
    case Opcode::Index:
      return visitIndex(v);
    case Opcode::StoreIndex:
      return visitStore(v);
    case Opcode::Call:
      return visitCall(v);
    case Opcode::Tuple:
      return visitTuple(v);
    case Opcode::Unpack:
      return visitUnpack(v);
    case Opcode::Slice:
      for (size_t i = 0; i < v.operands.size(); ++i)
        if (Type t = v.operands[i]->type; !t.isInteger() && !t.isBool() && !t.is(TypeKind::None))
          errorAt(v, i, "slice bounds must be integers", t.name());
      return set(v, sliceType());
    case Opcode::IterCount:
      if (!v.operands[0]->type.is(TypeKind::Range))
        error(v, "cannot loop over " + describeType(*v.operands[0]), "",
              "kernels loop over range(...); use an index to visit an array's elements");
      return set(v, int64Type());
    case Opcode::IterValue:
      return set(v, v.operands[0]->type->element);
    case Opcode::Advance:
      return set(v, int64Type());
    case Opcode::More:
      return set(v, boolType());
    case Opcode::Raise:
      return visitRaise(v);
    case Opcode::Return:
      return visitReturn(v);
    }
    return false;
  }

  bool visitPhi(Value &phi) {
    Type type = keepTypes_ ? phi.type : Type();
    for (size_t i = 0; i < phi.operands.size(); ++i) {
      Block *from = phi.block->predecessors[i];
      Value *operand = phi.operands[i];
      if (!from->reachable || !isLiveEdge(*from, *phi.block) || !operand->type)
        continue;
      if (operand->type == objectType() && !mergeConstant(phi, *operand))
        error(phi, variableName(phi.name) + " is a different object on each path",
              describeType(*operand),
              "functions, modules and types must be the same on every path");
      Type merged = merge(type, operand->type);
      if (!merged)
        mergeError(phi, type, *operand);
      type = merged;
    }
    return type && set(phi, type);
  }

  /// Merges of compile-time objects keep the object when every path has the same.
  bool mergeConstant(Value &phi, const Value &operand) {
    if (!phi.constant)
      phi.constant = operand.constant;
    return operand.constant && *phi.constant == *operand.constant;
  }

  [[noreturn]] void mergeError(const Value &phi, Type type, const Value &second) {
    const Value *first = nullptr;
    for (const Value *operand : phi.operands)
      if (operand != &second && operand->type && !unify(operand->type, second.type))
        first = operand;
    std::vector<std::string> notes;
    for (const Value *v : {first, &second})
      if (v)
        notes.push_back(describeType(*v) + " from line " + std::to_string(v->span.line) + ": " +
                        trimmed(source_.text.line(v->span.line)));
    error(second,
          variableName(phi.name) + " cannot be both " + type.name() + " and " + second.type.name(),
          second.type.name(), "give the two values different names, or convert one of them",
          std::move(notes));
  }

  static std::string trimmed(const std::string &line) {
    size_t start = line.find_first_not_of(" \t");
    return start == std::string::npos ? "" : line.substr(start);
  }

  bool visitGlobal(Value &v) {
    if (v.type)
      return false;
    std::optional<Constant> found = source_.environment->lookup(v.name);
    if (!found) {
      std::string near = nearest(v.name, source_.environment->names());
      error(v, "name '" + v.name + "' is not defined", "",
            near.empty() ? "" : "did you mean '" + near + "'?");
    }
    return resolved(v, std::move(*found), v.name);
  }

  /// `v` is the constant that its name or attribute stands for.
  bool resolved(Value &v, Constant constant, const std::string &name) {
    if (constant.kind == ConstantKind::Intrinsic) {
      const LibraryEntry *entry = findLibraryEntry(constant.text);
      if (!entry)
        error(v, constant.text + " is not supported in kernels", "", suggestion(constant.text));
      if (entry->isValue()) {
        v.library = entry;
        CallTyping typing(source_, v, *entry);
        return set(v, entry->type(typing));
      }
    }
    return setConstant(v, std::move(constant));
  }

  std::string suggestion(const std::string &name) {
    std::vector<std::string> names;
    for (const LibraryEntry *entry : libraryEntries())
      names.push_back(entry->name);
    std::string near = nearest(name, names);
    return near.empty() ? "" : "did you mean " + near + "?";
  }

  bool visitUnary(Value &v) {
    Value &a = *v.operands[0];
    Type type = unaryType(UnaryOp(v.op), a.type);
    if (!type)
      error(v, "bad operand for " + std::string(symbolOf(UnaryOp(v.op))), describeType(a),
            UnaryOp(v.op) == UnaryOp::Invert && a.type.isFloat() ? "~ works on integers and bool"
                                                                 : "");
    if (a.constant && !v.constant)
      v.constant = foldUnary(UnaryOp(v.op), *a.constant);
    return set(v, type);
  }

  bool visitBinary(Value &v) {
    Value &a = *v.operands[0], &b = *v.operands[1];
    BinaryOp op = BinaryOp(v.op);
    if (op == BinaryOp::Add && a.type.isTuple() && b.type.isTuple()) {
      std::vector<Type> elements = a.type->elements;
      elements.insert(elements.end(), b.type->elements.begin(), b.type->elements.end());
      return set(v, tupleType(std::move(elements)));
    }
    Type type = binaryType(op, a.type, b.type);
    if (!type) {
      std::string hint;
      if (a.type.isArray() || b.type.isArray())
        hint = "kernels compute element by element: index the array, as in a[i]";
      else if (a.type.isScalar() && b.type.isScalar() && (a.type.isFloat() || b.type.isFloat()))
        hint = std::string(symbolOf(op)) + " works on integers; convert with int(x)";
      error(v, "bad operands for " + std::string(symbolOf(op)),
            describeType(a) + " and " + describeType(b), hint);
    }
    if (a.constant && b.constant && !v.constant)
      v.constant = foldBinary(op, *a.constant, *b.constant);
    return set(v, type);
  }

  bool visitCompare(Value &v) {
    Value &a = *v.operands[0], &b = *v.operands[1];
    CompareOp op = CompareOp(v.op);
    if (op == CompareOp::Is || op == CompareOp::IsNot) {
      bool none = a.type.is(TypeKind::None) || b.type.is(TypeKind::None);
      bool objects = a.constant && b.constant;
      if (!none && !objects)
        error(v, "'is' compares with None only in kernels",
              describeType(a) + " and " + describeType(b), "use ==");
      bool same = none ? a.type == b.type : *a.constant == *b.constant;
      return setConstant(v, Constant::ofBool(same == (op == CompareOp::Is)));
    }
    if (op == CompareOp::In || op == CompareOp::NotIn) {
      if (!b.type.isTuple() || !a.type.isScalar() ||
          !std::all_of(b.type->elements.begin(), b.type->elements.end(),
                       [](Type t) { return t.isScalar(); }))
        error(v, "'in' takes a number and a tuple of numbers",
              describeType(a) + " and " + describeType(b));
      return set(v, boolType());
    }
    if (a.constant && b.constant && !v.constant)
      v.constant = foldCompare(op, *a.constant, *b.constant);
    if (v.constant)
      return set(v, boolType());
    bool equality = op == CompareOp::Eq || op == CompareOp::Ne;
    if (equality && a.type.isTuple() && b.type.isTuple() &&
        a.type->elements.size() != b.type->elements.size())
      return setConstant(v, Constant::ofBool(op == CompareOp::Ne));
    if (!comparable(a.type, b.type, op))
      error(v, "cannot compare with " + std::string(symbolOf(op)),
            describeType(a) + " and " + describeType(b),
            a.type.isArray() || b.type.isArray() ? "index the array to compare its elements" : "");
    return set(v, boolType());
  }

  static bool comparable(Type a, Type b, CompareOp op) {
    if (a.isScalar() && b.isScalar())
      return true;
    if (a.isTuple() && b.isTuple() && a->elements.size() == b->elements.size()) {
      for (size_t i = 0; i < a->elements.size(); ++i)
        if (!comparable(a->elements[i], b->elements[i], op))
          return false;
      return true;
    }
    return false;
  }

  bool visitTruth(Value &v) {
    Value &a = *v.operands[0];
    if (a.constant && !v.constant) {
      std::optional<bool> truth = truthOf(*a.constant);
      if (truth)
        v.constant = Constant::ofBool(*truth);
    }
    if (a.type.is(TypeKind::None))
      v.constant = Constant::ofBool(false);
    if (a.type.isTuple())
      v.constant = Constant::ofBool(!a.type->elements.empty());
    if (!v.constant && !a.type.isScalar())
      error(v, describeType(a) + " has no truth value in a kernel", a.type.name(),
            a.type.isArray() ? "test an element, or a.size" : "");
    return set(v, boolType());
  }

  bool visitAttribute(Value &v) {
    Value &object = *v.operands[0];
    if (object.constant && object.type == objectType()) {
      if (v.type)
        return false;
      if (object.constant->kind == ConstantKind::Type && !object.constant->object)
        error(v, object.constant->describe() + " has no attribute '" + v.name + "' in kernels");
      if (!object.constant->object)
        error(v, object.constant->describe() + " has no attribute '" + v.name + "'");
      std::optional<Constant> found = object.constant->object->attribute(v.name);
      if (!found) {
        std::string near = nearest(v.name, object.constant->object->attributeNames());
        error(v, object.constant->object->missing(v.name), "",
              near.empty() ? "" : "did you mean '" + near + "'?");
      }
      return resolved(v, std::move(*found), v.name);
    }
    Member member = memberOf(object.type, v.name);
    if (!member.type)
      error(v, describeType(object) + " has no attribute '" + v.name + "' in kernels", "",
            member.hint);
    v.constant = member.constant;
    return set(v, member.type);
  }

  bool visitIndex(Value &v) {
    Value &object = *v.operands[0], &index = *v.operands[1];
    if (object.type.isArray())
      return set(v, indexedType(object.type, indexItems(source_, v)));
    if (object.type.isTuple())
      return visitTupleIndex(v, object, index);
    error(v, "cannot index " + describeType(object), describeType(object));
  }

  bool visitTupleIndex(Value &v, Value &object, Value &index) {
    const std::vector<Type> &elements = object.type->elements;
    if (index.type == sliceType()) {
      auto [from, to] = constantSlice(index, elements.size());
      return set(v, tupleType({elements.begin() + from, elements.begin() + std::max(from, to)}));
    }
    if (!index.type.isInteger() && !index.type.isBool())
      errorAt(v, 1, "a tuple's index must be an integer", index.type.name());
    bool uniform =
        !elements.empty() && std::equal(elements.begin() + 1, elements.end(), elements.begin());
    if (!index.constant) {
      if (!uniform)
        errorAt(v, 1, "the index of a tuple with elements of different types must be a constant",
                object.type.name());
      return set(v, elements[0]);
    }
    int64_t i = index.constant->integer;
    i += i < 0 ? int64_t(elements.size()) : 0;
    if (i < 0 || size_t(i) >= elements.size())
      errorAt(v, 1,
              "tuple index " + std::to_string(index.constant->integer) + " is out of range for " +
                  std::to_string(elements.size()) +
                  (elements.size() == 1 ? " element" : " elements"));
    if (object.constant && object.constant->kind == ConstantKind::Tuple)
      v.constant = object.constant->items[i];
    return set(v, elements[i]);
  }

  std::pair<size_t, size_t> constantSlice(Value &index, size_t size) {
    if (index.opcode != Opcode::Slice)
      error(index, "a slice of a tuple must be written in the brackets");
    int64_t bounds[2] = {0, int64_t(size)};
    for (int k = 0; k < 3; ++k) {
      Value &part = *index.operands[k];
      if (part.type.is(TypeKind::None))
        continue;
      if (!part.constant || (k == 2 && part.constant->integer != 1))
        error(part, "a slice of a tuple needs constant bounds and no step");
      if (k < 2) {
        int64_t i = part.constant->integer;
        bounds[k] = std::clamp<int64_t>(i < 0 ? i + int64_t(size) : i, 0, size);
      }
    }
    return {bounds[0], bounds[1]};
  }

  bool visitStore(Value &v) {
    Value &object = *v.operands[0], &value = *v.operands[2];
    if (!object.type.isArray())
      error(v, "cannot assign to an element of " + describeType(object), describeType(object),
            object.type.isTuple() ? "tuples cannot be changed; build a new one" : "");
    Type target = indexedType(object.type, indexItems(source_, v));
    if (object.type->readOnly)
      error(v, "cannot write to a read-only array", object.type.name(),
            "pass an array whose flags.writeable is True");
    if (target.isArray())
      fail(source_, v.span, ErrorKind::Unsupported,
           "assignment to a slice of an array is not supported in kernels", target.name(),
           "assign the elements one by one");
    if (!value.type.isScalar())
      errorAt(v, 2,
              "cannot store " + describeType(value) + " in an element of " + object.type.name(),
              describeType(value));
    return set(v, noneType());
  }

  bool visitCall(Value &v) {
    Value &function = *v.operands[0];
    if (function.constant)
      switch (function.constant->kind) {
      case ConstantKind::Intrinsic:
        return visitLibraryCall(v, *function.constant);
      case ConstantKind::Type:
        return visitCast(v, function.constant->type);
      case ConstantKind::Function:
        return visitDeviceCall(v, *function.constant->object->function());
      default:
        break;
      }
    std::string hint;
    if (function.constant && function.constant->kind == ConstantKind::Other &&
        function.constant->object)
      hint = function.constant->object->insteadOfCalling();
    error(v, "a kernel cannot call " + describeType(function), "", hint);
  }

  bool visitLibraryCall(Value &v, const Constant &constant) {
    const LibraryEntry *entry = findLibraryEntry(constant.text);
    v.library = entry;
    CallTyping typing(source_, v, *entry);
    return set(v, entry->type(typing));
  }

  bool visitCast(Value &v, Type to) {
    if (v.operands.size() != 2 || !v.names.empty())
      error(v, to.name() + "() takes one argument, " + std::to_string(v.operands.size() - 1) +
                   " were given");
    if (!v.operands[1]->type.isScalar())
      errorAt(v, 1, "cannot convert " + describeType(*v.operands[1]) + " to " + to.name(),
              v.operands[1]->type.name());
    if (v.operands[1]->constant)
      v.constant = foldCast(*v.operands[1]->constant, to);
    return set(v, to);
  }

  bool visitDeviceCall(Value &v, FunctionSource &callee) {
    std::vector<Argument> arguments = bindArguments(v, callee);
    TypedFunction &target = program_.instance(callee, arguments);
    v.callee = &target;
    return target.result && set(v, target.result);
  }

  /// Arguments in the order of the callee's parameters: keywords in their places, defaults filled in. The call's
  /// operands are put in that order.
  std::vector<Argument> bindArguments(Value &v, FunctionSource &callee) {
    size_t positional = v.operands.size() - 1 - v.names.size();
    size_t wanted = callee.parameters.size();
    std::vector<Value *> bound(wanted, nullptr);
    std::vector<Span> spans(wanted, v.span);
    auto take = [&](size_t parameter, size_t operand) {
      bound[parameter] = v.operands[operand];
      spans[parameter] = v.spanOf(operand);
    };
    auto wrong = [&](const std::string &message) {
      error(v, message, "", "it is defined as " + headOf(callee));
    };
    if (positional > wanted)
      wrong(callee.name + "() takes " + std::to_string(wanted) +
            (wanted == 1 ? " argument, " : " arguments, ") + std::to_string(positional) +
            " were given");
    for (size_t i = 0; i < positional; ++i)
      take(i, i + 1);
    for (size_t k = 0; k < v.names.size(); ++k) {
      size_t i = 0;
      while (i < wanted && callee.parameters[i].name != v.names[k])
        ++i;
      if (i == wanted || bound[i])
        wrong(callee.name + "() got " + (i == wanted ? "an unknown" : "a second") + " argument '" +
              v.names[k] + "'");
      take(i, 1 + positional + k);
    }
    std::vector<Argument> arguments;
    const std::vector<bool> &constants = program_.constantParametersOf(callee);
    for (size_t i = 0; i < wanted; ++i) {
      if (!bound[i]) {
        if (!callee.parameters[i].defaultValue)
          wrong(callee.name + "() needs an argument for '" + callee.parameters[i].name + "'");
        bound[i] = f_.make(Opcode::Constant, v.span);
        bound[i]->constant = callee.parameters[i].defaultValue;
        bound[i]->type = bound[i]->constant->valueType();
        bound[i]->block = v.block;
      }
      Argument argument{bound[i]->type, {}};
      if (argument.type == objectType() || argument.type == stringType()) {
        if (!bound[i]->constant)
          fail(source_, spans[i], ErrorKind::Typing, "this argument is not known while compiling",
               argument.type.name());
        argument.constant = bound[i]->constant;
      }
      if (constants[i])
        argument.constant = bound[i]->constant;
      if (i < callee.declaredParameters.size()) {
        if (!convertible(argument.type, callee.declaredParameters[i]))
          fail(source_, spans[i], ErrorKind::Typing,
               callee.name + "() declares '" + callee.parameters[i].name + "' as " +
                   callee.declaredParameters[i].name(),
               argument.type.name());
        argument.type = callee.declaredParameters[i];
      }
      arguments.push_back(std::move(argument));
    }
    bound.insert(bound.begin(), v.operands[0]);
    spans.insert(spans.begin(), v.spanOf(0));
    v.operandSpans = std::move(spans);
    v.operands = std::move(bound);
    v.names.clear();
    return arguments;
  }

  static std::string headOf(const FunctionSource &f) {
    std::string head = f.name + "(";
    for (size_t i = 0; i < f.parameters.size(); ++i)
      head += (i ? ", " : "") + f.parameters[i].name + (f.parameters[i].defaultValue ? "=..." : "");
    return head + ")";
  }

  bool visitTuple(Value &v) {
    std::vector<Type> elements;
    bool constants = true;
    for (Value *e : v.operands) {
      elements.push_back(e->type);
      constants = constants && e->constant;
    }
    if (constants) {
      Constant tuple{.kind = ConstantKind::Tuple};
      for (Value *e : v.operands)
        tuple.items.push_back(*e->constant);
      v.constant = std::move(tuple);
    }
    return set(v, tupleType(std::move(elements)));
  }

  bool visitUnpack(Value &v) {
    Value &tuple = *v.operands[0];
    if (!tuple.type.isTuple())
      error(v,
            "cannot unpack " + describeType(tuple) + " into " + std::to_string(v.count) + " names",
            describeType(tuple));
    size_t size = tuple.type->elements.size();
    if (size != v.count)
      error(v,
            "cannot unpack " + std::to_string(size) + " values into " + std::to_string(v.count) +
                " names",
            tuple.type.name());
    if (tuple.constant && tuple.constant->kind == ConstantKind::Tuple)
      v.constant = tuple.constant->items[v.index];
    return set(v, tuple.type->elements[v.index]);
  }

  bool visitRaise(Value &v) {
    if (!v.operands.empty()) {
      const Value &type = *v.operands[0];
      if (!type.constant || type.constant->kind != ConstantKind::Exception)
        error(v, "raise takes an exception class, not " + describeType(type));
      v.name = type.constant->text;
    }
    return set(v, noneType());
  }

  /// What the other return statements return by what is known now; unknown when there is no other. Not what the function
  /// was thought to return before: a value that was a uint64 at first and is an int64 now makes it no float64.
  Type otherReturns(const Value &v) const {
    Type merged;
    for (auto &block : f_.blocks)
      for (Value *other : block->values)
        if (block->reachable && other != &v && other->opcode == Opcode::Return &&
            other->operands[0]->type)
          if (Type both = unify(merged, other->operands[0]->type))
            merged = both;
    return merged;
  }

  bool visitReturn(Value &v) {
    Type type = v.operands[0]->type;
    if (source_.declaredResult) {
      if (!convertible(type, source_.declaredResult))
        error(v, source_.name + "() is declared to return " + source_.declaredResult.name(),
              type.name());
      f_.result = source_.declaredResult;
      return set(v, noneType());
    }
    if (type == objectType() || type == stringType())
      error(v, "a device function cannot return " + describeType(*v.operands[0]));
    Type others = otherReturns(v);
    Type merged = merge(others, type);
    if (!merged) {
      std::string hint = type.is(TypeKind::None) || others.is(TypeKind::None)
                             ? "return a value on every path, also at the end of the function"
                             : "";
      error(v,
            source_.name + "() returns " + others.name() + " on one path and " + type.name() +
                " on another",
            type.name(), hint);
    }
    bool changed = merged != f_.result;
    f_.result = merged;
    return set(v, noneType()) || changed;
  }
};

std::string keyOf(const FunctionSource &source, const std::vector<Argument> &arguments) {
  std::string key = std::to_string(reinterpret_cast<uintptr_t>(&source));
  for (const Argument &a : arguments) {
    key += " " + std::to_string(reinterpret_cast<uintptr_t>(a.type.operator->()));
    if (a.constant)
      key += "=" + a.constant->describe() + "@" +
             std::to_string(reinterpret_cast<uintptr_t>(a.constant->object.get()));
  }
  return key;
}

} // namespace

bool isLiveEdge(const Block &from, const Block &to) {
  const Value &end = *from.values.back();
  if (end.opcode != Opcode::Branch || !end.operands[0]->constant)
    return true;
  return from.successors[end.operands[0]->constant->integer ? 0 : 1] == &to;
}

const std::vector<bool> &Program::constantParametersOf(const FunctionSource &source) {
  auto found = constantParameters_.find(&source);
  if (found == constantParameters_.end())
    found = constantParameters_.emplace(&source, constantParameters(source)).first;
  return found->second;
}

TypedFunction &Program::instance(FunctionSource &source, const std::vector<Argument> &arguments) {
  // The first function is the kernel. One that calls itself calls a device function of the same source.
  TypedFunction *kernel = nullptr;
  TypedFunction *&f = functions_.empty() ? kernel : byKey_[keyOf(source, arguments)];
  if (!f) {
    functions_.push_back(std::make_unique<TypedFunction>());
    f = functions_.back().get();
    f->source = &source;
    f->symbol =
        source.name + (functions_.size() == 1 ? "" : "." + std::to_string(functions_.size() - 1));
    f->result = source.declaredResult;
    buildSsa(*f);
    if (f->blocks.size() > maxBlocks)
      fail(source, source.span, ErrorKind::Unsupported,
           source.name + "() has too many branches for a kernel (" +
               std::to_string(f->blocks.size()) + " basic blocks, at most " +
               std::to_string(maxBlocks) + ")");
    for (size_t i = 0; i < arguments.size(); ++i) {
      f->parameters.push_back(arguments[i].type);
      f->parameterValues[i]->type = arguments[i].type;
      f->parameterValues[i]->constant = arguments[i].constant;
    }
  }
  TypedFunction &result = *f;
  auto running = std::find_if(inProgress_.begin(), inProgress_.end(),
                              [&](const Frame &frame) { return frame.function == &result; });
  if (running != inProgress_.end()) {
    size_t depth = running - inProgress_.begin();
    inProgress_.back().dependsOn = std::min(inProgress_.back().dependsOn, depth);
    return result;
  }
  if (result.complete)
    return result;
  if (inProgress_.size() >= maxCallDepth)
    fail(source, source.span, ErrorKind::Unsupported,
         "device functions call each other more than " + std::to_string(maxCallDepth) + " deep", "",
         "give a function that calls itself the same types at each call, or write calls as a loop");
  size_t depth = inProgress_.size();
  inProgress_.push_back({&result, depth});
  Inference inference(*this, result);
  inference.run();
  size_t dependsOn = inProgress_.back().dependsOn;
  inProgress_.pop_back();
  circular_.push_back(&result);
  // A function that calls one still in progress is inferred again, with what is known by then, until the first
  // function of the circle is done.
  if (dependsOn < depth) {
    inProgress_.back().dependsOn = std::min(inProgress_.back().dependsOn, dependsOn);
    return result;
  }
  for (TypedFunction *member : circular_) {
    member->complete = true;
    Inference(*this, *member).checkComplete();
  }
  circular_.clear();
  return result;
}

} // namespace heddle::python
