#include "bindings/source/ast_reader.h"

#include "bindings/interpreter/serialized_scope.h"
#include "bindings/source/constants.h"
#include "frontend/python/ssa/text_in_source.h"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using namespace python;

namespace {

// Deeper trees come from generated code; the compiler's recursive functions would overflow a thread's stack.
constexpr unsigned maxTreeDepth = 1000;

/// The class name of a node, cached because every node needs it. AST and literal classes are never freed.
const std::string &className(nb::handle object) {
  static auto *names = new std::unordered_map<PyObject *, std::string>;
  static TableLock mutex;
  nb::handle type = object.type();
  {
    std::lock_guard lock(mutex);
    if (auto known = names->find(type.ptr()); known != names->end())
      return known->second;
  }
  auto name = nb::cast<std::string>(type.attr("__name__"));
  std::lock_guard lock(mutex);
  return names->try_emplace(type.ptr(), std::move(name)).first->second;
}

/// Interned names of the four source position attributes, which every node needs.
struct PlaceNames {
  PyObject *line = PyUnicode_InternFromString("lineno");
  PyObject *column = PyUnicode_InternFromString("col_offset");
  PyObject *endLine = PyUnicode_InternFromString("end_lineno");
  PyObject *endColumn = PyUnicode_InternFromString("end_col_offset");
};

template <typename Enum>
uint8_t operatorCode(const std::map<std::string, Enum> &table, nb::handle op) {
  return uint8_t(table.at(className(op)));
}

const std::map<std::string, BinaryOp> binaryOps = {
    {"Add", BinaryOp::Add},       {"Sub", BinaryOp::Sub},           {"Mult", BinaryOp::Mul},
    {"Div", BinaryOp::TrueDiv},   {"FloorDiv", BinaryOp::FloorDiv}, {"Mod", BinaryOp::Mod},
    {"Pow", BinaryOp::Pow},       {"LShift", BinaryOp::LShift},     {"RShift", BinaryOp::RShift},
    {"BitAnd", BinaryOp::And},    {"BitOr", BinaryOp::Or},          {"BitXor", BinaryOp::Xor},
    {"MatMult", BinaryOp::MatMul}};
const std::map<std::string, UnaryOp> unaryOps = {{"UAdd", UnaryOp::Pos},
                                                 {"USub", UnaryOp::Neg},
                                                 {"Invert", UnaryOp::Invert},
                                                 {"Not", UnaryOp::Not}};
const std::map<std::string, CompareOp> compareOps = {
    {"Eq", CompareOp::Eq},      {"NotEq", CompareOp::Ne},    {"Lt", CompareOp::Lt},
    {"LtE", CompareOp::Le},     {"Gt", CompareOp::Gt},       {"GtE", CompareOp::Ge},
    {"Is", CompareOp::Is},      {"IsNot", CompareOp::IsNot}, {"In", CompareOp::In},
    {"NotIn", CompareOp::NotIn}};

/// Names of unsupported syntax in messages.
const std::map<std::string, std::string> unsupportedNames = {
    {"Await", "await expressions"},
    {"TryStar", "except* clauses"},
    {"With", "with statements"},
    {"AsyncWith", "with statements"},
    {"AsyncFor", "async for loops"},
    {"Import", "imports"},
    {"ImportFrom", "imports"},
    {"Nonlocal", "nonlocal statements"},
    {"ClassDef", "classes"},
    {"AsyncFunctionDef", "async functions"},
    {"MatchSequence", "patterns of sequences"},
    {"MatchStar", "patterns of sequences"},
    {"MatchMapping", "patterns of mappings"},
    {"MatchClass", "patterns of classes"},
    {"TypeAlias", "type aliases"},
};

[[noreturn]] void rejectParameters(const FunctionSource &source, const std::string &what) {
  throw CompileError(
      Diagnostic{.kind = ErrorKind::Unsupported,
                 .message = source.name + "() has " + what + ", which kernels do not have",
                 .file = source.text.file,
                 .span = source.span,
                 .sourceLine = source.text.line(source.span.line),
                 .hint = "name every parameter, in the order of the call"});
}

class AstReader {
public:
  AstReader(int lineOffset, const FunctionSource &source)
      : lineOffset_(lineOffset), source_(source) {}

  NodePtr readNode(nb::handle object) {
    if (++depth_ > maxTreeDepth) {
      Span span = spanOf(object);
      throw CompileError(Diagnostic{
          .kind = ErrorKind::Unsupported,
          .message = "this code is nested too deeply for a kernel (more than " +
                     std::to_string(maxTreeDepth) + " levels)",
          .file = source_.text.file,
          .span = span,
          .sourceLine = source_.text.line(span.line),
          .hint = "split the expression over several statements, or the branches over functions"});
    }
    auto node = std::make_unique<Node>();
    node->span = spanOf(object);
    std::string name = className(object);
    auto reader = nodeReaders().find(name);
    if (reader == nodeReaders().end()) {
      node->kind = NodeKind::Unsupported;
      auto known = unsupportedNames.find(name);
      node->text = known == unsupportedNames.end() ? name + " expressions" : known->second;
    } else {
      reader->second(*this, object, *node);
    }
    --depth_;
    return node;
  }

  std::vector<NodePtr> readNodes(nb::handle list) {
    std::vector<NodePtr> out;
    for (nb::handle item : list)
      out.push_back(readNode(item));
    return out;
  }

  Span spanOf(nb::handle object) {
    static const PlaceNames *names = new PlaceNames;
    auto number = [&](PyObject *name) -> std::optional<int> {
      nb::object value = nb::steal(PyObject_GetAttr(object.ptr(), name));
      if (!value.is_valid())
        PyErr_Clear();
      else if (!value.is_none())
        return int(PyLong_AsLong(value.ptr()));
      return std::nullopt;
    };
    std::optional<int> line = number(names->line);
    if (!line)
      return {};
    Span span;
    span.line = *line + lineOffset_;
    span.column = toCharacterColumn(span.line, number(names->column).value_or(0));
    span.endLine = number(names->endLine).value_or(*line) + lineOffset_;
    std::optional<int> endColumn = number(names->endColumn);
    span.endColumn = endColumn ? toCharacterColumn(span.endLine, *endColumn) : span.column + 1;
    return span;
  }

  /// Reads the span, parameters and body of a `def` or `lambda`.
  void readDefinition(nb::handle definition, FunctionSource &f) {
    f.span = spanOf(definition);
    if (f.span.endLine != f.span.line || className(definition) != "Lambda") {
      f.span.endLine = f.span.line;
      f.span.endColumn = f.text.line(f.span.line).size();
    }
    if (className(definition) == "AsyncFunctionDef")
      throw CompileError(
          Diagnostic{.kind = ErrorKind::Unsupported,
                     .message = "'" + f.name + "' is an async function, which kernels cannot be",
                     .file = f.text.file,
                     .span = f.span,
                     .sourceLine = f.text.line(f.span.line),
                     .hint = "leave out async: a launch returns before the kernel has run"});
    nb::object arguments = definition.attr("args");
    if (!arguments.attr("kwarg").is_none())
      rejectParameters(f, "a **parameter");
    for (const char *list : {"posonlyargs", "args"})
      for (nb::handle argument : arguments.attr(list))
        f.parameters.push_back(
            {.name = nb::cast<std::string>(argument.attr("arg")), .span = spanOf(argument)});
    if (nb::object rest = arguments.attr("vararg"); !rest.is_none())
      f.parameters.push_back({.name = nb::cast<std::string>(rest.attr("arg")),
                              .span = spanOf(rest),
                              .kind = ParameterKind::Variadic});
    for (nb::handle argument : arguments.attr("kwonlyargs"))
      f.parameters.push_back({.name = nb::cast<std::string>(argument.attr("arg")),
                              .span = spanOf(argument),
                              .kind = ParameterKind::KeywordOnly});
    bool around = std::exchange(yields_, false);
    if (className(definition) == "Lambda")
      f.body.push_back(wrapInReturn(readNode(definition.attr("body"))));
    else
      f.body = readNodes(definition.attr("body"));
    f.yields = std::exchange(yields_, around);
  }

private:
  using Reader = std::function<void(AstReader &, nb::handle, Node &)>;

  static NodePtr wrapInReturn(NodePtr value) {
    auto result = std::make_unique<Node>();
    result->kind = NodeKind::Return;
    result->span = value->span;
    result->children.push_back(std::move(value));
    return result;
  }

  /// Converts a column from UTF-8 bytes, as in the ast, to characters, as in messages.
  unsigned toCharacterColumn(unsigned line, unsigned bytes) {
    if (line != currentLine_) {
      currentLine_ = line;
      currentText_ = source_.text.line(line);
      isAscii_ =
          std::all_of(currentText_.begin(), currentText_.end(), [](char c) { return !(c & 0x80); });
    }
    if (isAscii_)
      return bytes;
    auto end = currentText_.begin() + std::min<size_t>(bytes, currentText_.size());
    return std::count_if(currentText_.begin(), end, [](char c) { return (c & 0xC0) != 0x80; });
  }

  void addChild(Node &node, nb::handle object) { node.children.push_back(readNode(object)); }
  void addOptionalChild(Node &node, nb::handle object) {
    node.children.push_back(object.is_none() ? nullptr : readNode(object));
  }
  void readChildren(Node &node, nb::handle list) {
    for (nb::handle item : list)
      addChild(node, item);
  }

  static Constant literalConstant(nb::handle value) {
    if (value.is_none())
      return {};
    if (nb::isinstance<nb::bool_>(value))
      return Constant::ofBool(nb::cast<bool>(value));
    if (value.is(nb::handle(Py_Ellipsis)))
      return {.kind = ConstantKind::Ellipsis};
    if (nb::isinstance<nb::str>(value)) {
      std::string text;
      return nb::try_cast(value, text) ? Constant::ofString(std::move(text))
                                       : Constant{.kind = ConstantKind::Other,
                                                  .text = "a string that is not valid Unicode"};
    }
    if (nb::isinstance<nb::float_>(value))
      return Constant::ofFloat(nb::cast<double>(value));
    if (PyComplex_CheckExact(value.ptr()))
      return Constant::ofComplex(PyComplex_RealAsDouble(value.ptr()),
                                 PyComplex_ImagAsDouble(value.ptr()));
    if (nb::isinstance<nb::int_>(value)) {
      int64_t small = 0;
      if (nb::try_cast(value, small))
        return Constant::ofInt(small);
      uint64_t large = 0;
      if (nb::try_cast(value, large))
        return Constant::ofInt(int64_t(large), intType(64, false));
      return {.kind = ConstantKind::Other, .text = "an integer that does not fit in 64 bits"};
    }
    if (nb::isinstance<nb::bytes>(value))
      return bytesConstant(value);
    return {.kind = ConstantKind::Other, .text = "a literal of type " + className(value)};
  }

  /// Folds an expression of literals to a number, as CPython's compiler does: `2**63` is a uint64, and `2**64 - 1` fits
  /// in one. Invalid for other expressions, and for those that CPython evaluates at run time.
  static nb::object foldLiteral(nb::handle o, unsigned depth = 0) {
    std::string name = className(o);
    auto known = [](PyObject *result) {
      if (!result)
        PyErr_Clear(); // for example a division by zero
      nb::object value = nb::steal(result);
      bool isNumber = result && (PyLong_CheckExact(result) || PyFloat_CheckExact(result) ||
                                 PyComplex_CheckExact(result));
      return isNumber ? value : nb::object();
    };
    constexpr unsigned deepestFold = 100;
    if (depth > deepestFold)
      return {};
    if (name == "Constant")
      return known(nb::object(o.attr("value")).release().ptr());
    if (name == "UnaryOp" && className(o.attr("op")) != "Not") {
      nb::object a = foldLiteral(o.attr("operand"), depth + 1);
      if (!a.is_valid())
        return {};
      UnaryOp op = UnaryOp(operatorCode(unaryOps, o.attr("op")));
      return known(op == UnaryOp::Neg   ? PyNumber_Negative(a.ptr())
                   : op == UnaryOp::Pos ? PyNumber_Positive(a.ptr())
                                        : PyNumber_Invert(a.ptr()));
    }
    if (name != "BinOp")
      return {};
    // Right side first: in a long sum of variables it is a leaf, so folding stops early.
    nb::object c = foldLiteral(o.attr("right"), depth + 1);
    nb::object a = c.is_valid() ? foldLiteral(o.attr("left"), depth + 1) : nb::object();
    BinaryOp op = BinaryOp(operatorCode(binaryOps, o.attr("op")));
    if (!a.is_valid() || !hasFoldableSize(op, a, c))
      return {};
    static constexpr PyObject *(*functions[])(PyObject *, PyObject *) = {
        PyNumber_Add,           PyNumber_Subtract,  PyNumber_Multiply, PyNumber_TrueDivide,
        PyNumber_FloorDivide,   PyNumber_Remainder, nullptr,           PyNumber_Lshift,
        PyNumber_Rshift,        PyNumber_And,       PyNumber_Or,       PyNumber_Xor,
        PyNumber_MatrixMultiply};
    return known(op == BinaryOp::Pow ? PyNumber_Power(a.ptr(), c.ptr(), Py_None)
                                     : functions[unsigned(op)](a.ptr(), c.ptr()));
  }

  /// True if an integer result has at most 128 bits, CPython's limit for folding.
  static bool hasFoldableSize(BinaryOp op, nb::handle a, nb::handle c) {
    if (!PyLong_CheckExact(a.ptr()) || !PyLong_CheckExact(c.ptr()))
      return true;
    constexpr int64_t most = 128;
    int64_t bits = nb::cast<int64_t>(a.attr("bit_length")()), n = 0;
    if (bits > most)
      return false;
    if (op != BinaryOp::Pow && op != BinaryOp::LShift)
      return nb::cast<int64_t>(c.attr("bit_length")()) <= most;
    if (!nb::try_cast(c, n) || n > most)
      return false;
    return n < 0 || (op == BinaryOp::Pow ? bits * n : bits + n) <= most;
  }

  /// Replaces `node` by a literal if it folds to one.
  static bool foldToLiteral(nb::handle o, Node &node) {
    nb::object value = foldLiteral(o);
    if (!value.is_valid())
      return false;
    node.kind = NodeKind::Literal;
    node.value = literalConstant(value);
    return true;
  }

  static const std::unordered_map<std::string, Reader> &nodeReaders() {
    static const auto *table = new std::unordered_map<std::string, Reader>{
        {"Name", [](AstReader &, nb::handle o, Node &n) {
           n.kind = NodeKind::Name;
           n.text = nb::cast<std::string>(o.attr("id"));
         }},
        {"Constant", [](AstReader &, nb::handle o, Node &n) {
           n.kind = NodeKind::Literal;
           n.value = literalConstant(o.attr("value"));
         }},
        {"JoinedStr", [](AstReader &r, nb::handle o, Node &n) { r.readFString(o, n); }},
        {"FormattedValue", [](AstReader &r, nb::handle o, Node &n) { r.readFormattedValue(o, n); }},
        {"BinOp", [](AstReader &r, nb::handle o, Node &n) {
           if (foldToLiteral(o, n))
             return;
           n.kind = NodeKind::Binary;
           n.op = operatorCode(binaryOps, o.attr("op"));
           r.addChild(n, o.attr("left"));
           r.addChild(n, o.attr("right"));
         }},
        {"UnaryOp", [](AstReader &r, nb::handle o, Node &n) {
           if (foldToLiteral(o, n))
             return;
           n.kind = NodeKind::Unary;
           n.op = operatorCode(unaryOps, o.attr("op"));
           r.addChild(n, o.attr("operand"));
         }},
        {"BoolOp", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = className(o.attr("op")) == "And" ? NodeKind::And : NodeKind::Or;
           r.readChildren(n, o.attr("values"));
         }},
        {"Compare", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Compare;
           r.addChild(n, o.attr("left"));
           for (nb::handle op : o.attr("ops"))
             n.ops.push_back(operatorCode(compareOps, op));
           r.readChildren(n, o.attr("comparators"));
         }},
        {"Call", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Call;
           r.addChild(n, o.attr("func"));
           r.readChildren(n, o.attr("args"));
           for (nb::handle keyword : o.attr("keywords")) {
             if (keyword.attr("arg").is_none()) {
               n.kind = NodeKind::Unsupported;
               n.text = "calls with **arguments";
               return;
             }
             n.names.push_back(nb::cast<std::string>(keyword.attr("arg")));
             r.addChild(n, keyword.attr("value"));
           }
         }},
        {"IfExp", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::IfElse;
           for (const char *part : {"test", "body", "orelse"})
             r.addChild(n, o.attr(part));
         }},
        {"Attribute", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Attribute;
           n.text = nb::cast<std::string>(o.attr("attr"));
           r.addChild(n, o.attr("value"));
         }},
        {"Subscript", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Subscript;
           r.addChild(n, o.attr("value"));
           r.addChild(n, o.attr("slice"));
         }},
        {"Slice", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Slice;
           for (const char *part : {"lower", "upper", "step"})
             r.addOptionalChild(n, o.attr(part));
         }},
        {"Tuple", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Tuple;
           r.readChildren(n, o.attr("elts"));
         }},
        {"List", [](AstReader &r, nb::handle o, Node &n) {
           bool isTarget = className(o.attr("ctx")) == "Store"; // [a, b] = x means (a, b) = x
           n.kind = isTarget ? NodeKind::Tuple : NodeKind::List;
           n.text = "lists";
           r.readChildren(n, o.attr("elts"));
         }},
        {"ListComp", [](AstReader &r, nb::handle o,
                        Node &n) { r.readComprehension(o, n, "list comprehensions"); }},
        {"SetComp", [](AstReader &r, nb::handle o,
                       Node &n) { r.readComprehension(o, n, "set comprehensions"); }},
        {"DictComp", [](AstReader &r, nb::handle o,
                        Node &n) { r.readComprehension(o, n, "dict comprehensions"); }},
        {"Dict", [](AstReader &r, nb::handle o, Node &n) { r.readDict(o, n); }},
        {"Set", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Set;
           r.readChildren(n, o.attr("elts"));
         }},
        {"GeneratorExp", [](AstReader &r, nb::handle o,
                            Node &n) { r.readComprehension(o, n, "generator expressions"); }},
        {"NamedExpr", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Walrus;
           r.addChild(n, o.attr("target"));
           r.addChild(n, o.attr("value"));
         }},
        {"Starred", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Starred;
           r.addChild(n, o.attr("value"));
         }},
        {"Yield", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Yield;
           r.yields_ = true;
           if (!o.attr("value").is_none())
             r.addChild(n, o.attr("value"));
         }},
        {"YieldFrom", [](AstReader &r, nb::handle, Node &n) {
           n.kind = NodeKind::Yield;
           n.text = "from";
           r.yields_ = true;
         }},
        {"Return", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Return;
           if (!o.attr("value").is_none())
             r.addChild(n, o.attr("value"));
         }},
        {"Assign", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Assign;
           r.readChildren(n, o.attr("targets"));
           r.addChild(n, o.attr("value"));
         }},
        {"AnnAssign", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = o.attr("value").is_none() ? NodeKind::Pass : NodeKind::Assign;
           if (n.kind == NodeKind::Assign) {
             r.addChild(n, o.attr("target"));
             r.addChild(n, o.attr("value"));
           }
         }},
        {"AugAssign", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::AugAssign;
           n.op = operatorCode(binaryOps, o.attr("op"));
           r.addChild(n, o.attr("target"));
           r.addChild(n, o.attr("value"));
         }},
        {"For", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::For;
           r.addChild(n, o.attr("target"));
           r.addChild(n, o.attr("iter"));
           n.body = r.readNodes(o.attr("body"));
           n.orelse = r.readNodes(o.attr("orelse"));
         }},
        {"While", [](AstReader &r, nb::handle o, Node &n) { r.readConditional(NodeKind::While, o, n); }},
        {"If", [](AstReader &r, nb::handle o, Node &n) { r.readConditional(NodeKind::If, o, n); }},
        {"Expr", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Expr;
           nb::object value = o.attr("value");
           if (className(value) == "Constant")
             n.kind = NodeKind::Pass; // a docstring, or `...` as a body
           else
             r.addChild(n, value);
         }},
        {"Pass", [](AstReader &, nb::handle, Node &n) { n.kind = NodeKind::Pass; }},
        {"Break", [](AstReader &, nb::handle, Node &n) { n.kind = NodeKind::Break; }},
        {"Continue", [](AstReader &, nb::handle, Node &n) { n.kind = NodeKind::Continue; }},
        {"Assert", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Assert;
           r.addChild(n, o.attr("test"));
           nb::object message = o.attr("msg");
           if (message.is_none())
             return;
           r.textOrigin_ = TextOrigin::AssertMessage;
           r.addChild(n, message);
           r.textOrigin_ = TextOrigin::FString;
           if (n.children.back()->kind == NodeKind::Unsupported) // accept the assertion anyway
             n.children.pop_back();
         }},
        {"Delete", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Delete;
           r.readChildren(n, o.attr("targets"));
         }},
        {"Global", [](AstReader &, nb::handle o, Node &n) {
           n.kind = NodeKind::Global;
           for (nb::handle name : o.attr("names"))
             n.names.push_back(nb::cast<std::string>(name));
         }},
        {"Lambda", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Lambda;
           r.readNestedFunction(o, "lambda", n);
         }},
        {"FunctionDef", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Function;
           n.text = nb::cast<std::string>(o.attr("name"));
           if (nb::len(nb::object(o.attr("decorator_list")))) {
             n.kind = NodeKind::Unsupported;
             n.text = "decorators of nested functions";
             return;
           }
           r.readNestedFunction(o, n.text, n);
         }},
        {"Match", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Match;
           r.addChild(n, o.attr("subject"));
           n.body = r.readNodes(o.attr("cases"));
         }},
        {"match_case", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Case;
           r.addChild(n, o.attr("pattern"));
           r.addOptionalChild(n, o.attr("guard"));
           n.body = r.readNodes(o.attr("body"));
           n.span = n.children[0]->span; // cases have no source position
         }},
        {"MatchValue", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::MatchValue;
           n.op = uint8_t(CompareOp::Eq);
           r.addChild(n, o.attr("value"));
         }},
        {"MatchSingleton", [](AstReader &, nb::handle o, Node &n) {
           n.kind = NodeKind::MatchValue;
           n.op = uint8_t(CompareOp::Is);
           n.children.push_back(makeLiteralNode(literalConstant(o.attr("value")), n.span));
         }},
        {"MatchAs", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::MatchAs;
           r.addOptionalChild(n, o.attr("pattern"));
           if (nb::object name = o.attr("name"); !name.is_none())
             n.text = nb::cast<std::string>(name);
         }},
        {"MatchOr", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::MatchOr;
           r.readChildren(n, o.attr("patterns"));
         }},
        {"Try", [](AstReader &r, nb::handle o, Node &n) { r.readTry(o, n); }},
        {"Raise", [](AstReader &r, nb::handle o, Node &n) {
           n.kind = NodeKind::Raise;
           if (!o.attr("exc").is_none())
             r.addChild(n, o.attr("exc"));
         }},
    };
    return *table;
  }

  /// Converts an f-string to the sum of its parts.
  void readFString(nb::handle o, Node &n) {
    std::vector<NodePtr> parts;
    for (nb::handle value : o.attr("values")) {
      parts.push_back(readNode(value));
      setSpansOfSubtree(n.span, *parts.back());
      if (parts.back()->kind == NodeKind::Unsupported) {
        n.kind = NodeKind::Unsupported;
        n.text = parts.back()->text;
        return;
      }
    }
    if (parts.empty())
      parts.push_back(makeLiteralNode(Constant::ofString(""), n.span));
    // A balanced tree, so that a long f-string is not a deep tree.
    for (; parts.size() > 1;) {
      std::vector<NodePtr> sums;
      for (size_t i = 0; i + 1 < parts.size(); i += 2) {
        auto sum = std::make_unique<Node>();
        sum->kind = NodeKind::Binary;
        sum->op = uint8_t(BinaryOp::Add);
        sum->span = n.span;
        sum->children.push_back(std::move(parts[i]));
        sum->children.push_back(std::move(parts[i + 1]));
        sums.push_back(std::move(sum));
      }
      if (parts.size() % 2)
        sums.push_back(std::move(parts.back()));
      parts = std::move(sums);
    }
    n = std::move(*parts[0]);
  }

  /// Converts `{x}` to str(x), `{x!r}` to repr(x) and `{x:.2f}` to format(x, ".2f").
  void readFormattedValue(nb::handle o, Node &n) {
    int conversion = nb::cast<int>(o.attr("conversion"));
    if (conversion == 'a') {
      n.kind = NodeKind::Unsupported;
      n.text = "f-strings with !a";
      return;
    }
    bool hasFormat = !o.attr("format_spec").is_none();
    n.kind = NodeKind::Call;
    const char *function = conversion == 'r'             ? "repr"
                           : hasFormat && conversion < 0 ? "format"
                                                         : "str";
    n.children.push_back(makeLiteralNode(textFunction(function, textOrigin_), n.span));
    addChild(n, o.attr("value"));
    if (hasFormat && conversion >= 0) {
      auto text = std::make_unique<Node>(std::move(n));
      n = Node();
      n.kind = NodeKind::Call;
      n.span = text->span;
      n.children.push_back(makeLiteralNode(textFunction("format", textOrigin_), n.span));
      n.children.push_back(std::move(text));
    }
    if (hasFormat)
      addChild(n, o.attr("format_spec"));
  }

  static NodePtr makeLiteralNode(Constant value, Span span) {
    auto node = std::make_unique<Node>();
    node->kind = NodeKind::Literal;
    node->value = std::move(value);
    node->span = span;
    return node;
  }

  /// Sets the spans of a subtree. Python before 3.12 has no positions for expressions in f-strings; replacing them in
  /// all versions makes the messages equal.
  static void setSpansOfSubtree(Span span, Node &node) {
    node.span = span;
    for (const NodePtr &kid : node.children)
      if (kid)
        setSpansOfSubtree(span, *kid);
  }

  /// Reads a nested function; its default values become children of the node.
  void readNestedFunction(nb::handle o, const std::string &name, Node &n) {
    n.function = std::make_shared<FunctionSource>();
    FunctionSource &f = *n.function;
    f.name = name;
    f.qualifiedName = source_.qualifiedName + ".<locals>." + name;
    f.text = source_.text;
    readDefinition(o, f);
    nb::object arguments = o.attr("args");
    nb::list defaults(arguments.attr("defaults"));
    size_t plain = std::count_if(f.parameters.begin(), f.parameters.end(),
                                 [](const Parameter &p) { return p.kind == ParameterKind::Plain; });
    size_t next = plain - nb::len(defaults);
    for (nb::handle value : defaults)
      readNestedDefault(f.parameters[next++], value, n);
    next = f.parameters.size() - nb::len(nb::object(arguments.attr("kw_defaults")));
    for (nb::handle value : arguments.attr("kw_defaults")) {
      if (!value.is_none())
        readNestedDefault(f.parameters[next], value, n);
      ++next;
    }
  }

  void readNestedDefault(Parameter &parameter, nb::handle value, Node &n) {
    parameter.capturedDefault = "." + parameter.name;
    addChild(n, value);
  }

  void readDict(nb::handle o, Node &n) {
    n.kind = NodeKind::Dict;
    nb::list keys(o.attr("keys")), values(o.attr("values"));
    for (size_t i = 0; i < nb::len(keys); ++i) {
      if (keys[i].is_none()) {
        n.kind = NodeKind::Unsupported;
        n.text = "dicts with ** in them";
        return;
      }
      addChild(n, keys[i]);
      addChild(n, values[i]);
    }
  }

  /// The statement in a comprehension that adds an item to the result, the variable `made`.
  NodePtr makeAppendStatement(nb::handle o, const Node &n, bool isList) {
    auto variable = makeNode(NodeKind::Name, n.span);
    variable->text = n.text;
    if (nb::hasattr(o, "key")) {
      auto assign = makeNode(NodeKind::Assign, n.span),
           place = makeNode(NodeKind::Subscript, n.span);
      place->children.push_back(std::move(variable));
      place->children.push_back(readNode(o.attr("key")));
      assign->children.push_back(std::move(place));
      assign->children.push_back(readNode(o.attr("value")));
      return assign;
    }
    auto statement = makeNode(NodeKind::Expr, n.span), call = makeNode(NodeKind::Call, n.span);
    auto method = makeNode(NodeKind::Attribute, n.span);
    method->text = isList ? "append" : "add";
    method->children.push_back(std::move(variable));
    call->children.push_back(std::move(method));
    call->children.push_back(readNode(o.attr("elt")));
    statement->children.push_back(std::move(call));
    return statement;
  }

  /// Converts a comprehension to loops that add items to a container. Its variables are renamed, because the rest of
  /// the function cannot see them.
  void readComprehension(nb::handle o, Node &n, const char *noun) {
    n.kind = NodeKind::Comprehension;
    n.text = ".list" + std::to_string(comprehensions_++);
    n.names = {noun};
    nb::list generators(o.attr("generators"));
    std::vector<NodePtr> loops;
    std::set<std::string> own;
    for (nb::handle generator : generators) {
      auto loop = makeNode(NodeKind::For, n.span);
      loop->children.push_back(readNode(generator.attr("target")));
      loop->children.push_back(readNode(generator.attr("iter")));
      collectNames(*loop->children[0], own);
      for (nb::handle condition : generator.attr("ifs"))
        loop->orelse.push_back(readNode(condition)); // stored here temporarily
      loops.push_back(std::move(loop));
    }
    NodePtr statement = makeAppendStatement(o, n, n.names[0] != "set comprehensions");
    for (size_t i = loops.size(); i-- > 0;) {
      std::vector<NodePtr> conditions = std::exchange(loops[i]->orelse, {});
      while (!conditions.empty()) {
        auto test = makeNode(NodeKind::If, conditions.back()->span);
        test->children.push_back(std::move(conditions.back()));
        test->body.push_back(std::move(statement));
        conditions.pop_back();
        statement = std::move(test);
      }
      loops[i]->body.push_back(std::move(statement));
      statement = std::move(loops[i]);
    }
    // The iterable of the outermost loop is evaluated outside the comprehension.
    NodePtr outermost = std::move(statement->children[1]);
    prefixNames(*statement, own, n.text + ".");
    statement->children[1] = std::move(outermost);
    n.body.push_back(std::move(statement));
  }

  static NodePtr makeNode(NodeKind kind, Span span) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->span = span;
    return node;
  }

  static void collectNames(const Node &target, std::set<std::string> &names) {
    if (target.kind == NodeKind::Name)
      names.insert(target.text);
    for (const NodePtr &kid : target.children)
      collectNames(*kid, names);
  }

  /// Adds `prefix` to each use of `names` in a subtree.
  static void prefixNames(Node &node, const std::set<std::string> &names,
                          const std::string &prefix) {
    if (node.kind == NodeKind::Name && names.count(node.text))
      node.text = prefix + node.text;
    std::vector<std::vector<NodePtr> *> lists{&node.children, &node.body, &node.orelse};
    std::set<std::string> inner = names;
    if (node.function) {
      for (const Parameter &p : node.function->parameters)
        inner.erase(p.name);
      lists.push_back(&node.function->body);
    }
    for (auto *list : lists)
      for (NodePtr &kid : *list)
        if (kid)
          prefixNames(*kid, list == lists.back() && node.function ? inner : names, prefix);
  }

  /// Converts a `try` with handlers and `finally` to two nested `try` statements.
  void readTry(nb::handle o, Node &n) {
    n.kind = NodeKind::Try;
    n.body = readNodes(o.attr("body"));
    auto part = [&](NodeKind kind, Span span, nb::handle body) {
      n.orelse.push_back(makeNode(kind, span));
      n.orelse.back()->body = readNodes(body);
    };
    nb::list handlers(o.attr("handlers"));
    for (nb::handle handler : handlers) {
      part(NodeKind::Except, spanOf(handler), handler.attr("body"));
      addOptionalChild(*n.orelse.back(), handler.attr("type"));
      if (nb::object name = handler.attr("name"); !name.is_none())
        n.orelse.back()->text = nb::cast<std::string>(name);
    }
    if (nb::len(nb::object(o.attr("orelse"))))
      part(NodeKind::Else, n.span, o.attr("orelse"));
    nb::object last = o.attr("finalbody");
    if (!nb::len(last))
      return;
    if (nb::len(handlers)) {
      auto inner = std::make_unique<Node>(std::move(n));
      n = Node{.kind = NodeKind::Try, .span = inner->span};
      n.body.push_back(std::move(inner));
    }
    part(NodeKind::Finally, n.span, last);
  }

  void readConditional(NodeKind kind, nb::handle o, Node &n) {
    n.kind = kind;
    addChild(n, o.attr("test"));
    n.body = readNodes(o.attr("body"));
    n.orelse = readNodes(o.attr("orelse"));
  }

  int lineOffset_;
  const FunctionSource &source_;
  bool yields_ = false; ///< the function being read contains yield
  unsigned depth_ = 0;
  unsigned comprehensions_ = 0;
  TextOrigin textOrigin_ = TextOrigin::FString;
  // Cache of the last line in toCharacterColumn().
  unsigned currentLine_ = 0;
  std::string currentText_;
  bool isAscii_ = true;
};

} // namespace

void readFunction(nb::handle definition, int lineOffset, FunctionSource &source) {
  source.parameters.clear();
  source.body.clear();
  AstReader(lineOffset, source).readDefinition(definition, source);
}

} // namespace heddle
