#include "frontend/python/rows/hints.h"

#include "frontend/python/rows/row.h"
#include "frontend/python/syntax/syntax.h"

#include <algorithm>
#include <initializer_list>

namespace heddle::python {
namespace {

/// The source text at a single-line span; empty for other spans.
std::string sourceTextAt(const FunctionSource &source, Span span) {
  std::string line = source.text.line(span.line);
  if (span.endLine != span.line || span.endColumn > line.size() || span.column >= span.endColumn)
    return "";
  return line.substr(span.column, span.endColumn - span.column);
}

bool assignsTo(const Node &target, const std::string &name) {
  if (target.kind == NodeKind::Name)
    return target.text == name;
  if (target.kind == NodeKind::Tuple)
    for (const NodePtr &kid : target.children)
      if (assignsTo(*kid, name))
        return true;
  return false;
}

/// The line of the first statement or expression that assigns to the name; 0 if there is none.
unsigned findAssignmentLine(const std::vector<NodePtr> &nodes, const std::string &name) {
  for (const NodePtr &node : nodes) {
    if (!node)
      continue;
    bool first = node->kind == NodeKind::AugAssign || node->kind == NodeKind::For ||
                 node->kind == NodeKind::Walrus;
    size_t targets = first ? 1 : node->kind == NodeKind::Assign ? node->children.size() - 1 : 0;
    for (size_t i = 0; i < targets; ++i)
      if (assignsTo(*node->children[i], name))
        return node->span.line;
    for (const auto *list : {&node->children, &node->body, &node->orelse})
      if (unsigned line = findAssignmentLine(*list, name))
        return line;
  }
  return 0;
}

std::string hintForTypo(const std::string &name, const std::vector<std::string> &known) {
  std::string near = findClosestName(name, known);
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

/// "write cuda.atomic.add(ary, idx, val)", without the optional parameters.
std::string suggestCallOfRow(const LibraryRow &row) {
  std::string text = "write " + std::string(row.displayName());
  if (row.isValue())
    return text;
  std::string parameters;
  for (const SignatureParameter &parameter : parseParameters(row))
    if (!parameter.optional)
      parameters += (parameters.empty() ? "" : ", ") + parameter.name;
  return text + "(" + parameters + ")";
}

/// The name of a group of indices, such as "cuda.threadIdx"; empty for other values.
std::string nameOfThreadIndexVector(const Value &v) {
  if (!v.constant || v.constant->kind != ConstantKind::Namespace)
    return "";
  const LibraryRow *x = findLibraryRow(v.constant->text + ".x");
  return x && x->isValue() ? v.constant->text : "";
}

/// The library row for a name of CUDA C++, such as __syncthreads, atomicAdd or sqrtf, or for an operation without its
/// module, such as syncthreads or sqrt.
const LibraryRow *findRowOfShortName(llvm::StringRef name, Target target) {
  name.consume_front("__");
  auto find = [&](const llvm::Twine &full) { return findLibraryRow(full.str(), target); };
  if (const LibraryRow *row = find("cuda." + name))
    return row;
  llvm::StringRef atomic = name;
  if (atomic.consume_front("atomic") && !atomic.empty()) {
    atomic.consume_front("_");
    for (const char *ending : {"", "_"})
      if (const LibraryRow *row = find("cuda.atomic." + atomic.lower() + ending))
        return row;
  }
  if (const LibraryRow *row = find("math." + name))
    return row;
  return name.consume_back("f") ? find("math." + name) : nullptr;
}

/// A hint for a name of CUDA C++ or one without its module; empty if no library row corresponds to it.
std::string hintForShortName(const std::string &name, Target target) {
  if (target == Target::Kernel && findLibraryRow("cuda." + name + ".x"))
    return "write cuda." + name;
  if (target == Target::Kernel)
    for (const char *space : {"shared", "local"})
      if (name == space || name == std::string(space) + "_array")
        return suggestCallOfRow(*findLibraryRow(std::string("cuda.") + space + ".array"));
  const LibraryRow *row = findRowOfShortName(name, target);
  return row ? suggestCallOfRow(*row) : "";
}

/// A hint from a compile-time object, for code that follows `rules`.
std::string hintForObject(const Value &v, const TargetRules &rules) {
  if (!v.constant)
    return "";
  const Constant &c = *v.constant;
  if (c.kind == ConstantKind::Other && c.object) {
    std::string hint = c.object->hintForCalling();
    for (auto &[kernels, own] :
         {std::pair{kernelRules.decorator, rules.decorator},
          std::pair{kernelRules.plural, rules.plural}, std::pair{kernelRules.noun, rules.noun}})
      if (size_t at = hint.find(kernels); at != std::string::npos)
        hint.replace(at, kernels.size(), own);
    return hint;
  }
  if (c.text == "an integer that does not fit in 64 bits")
    return "write a float, as in 1e20, which holds large numbers approximately";
  if (c.kind == ConstantKind::Intrinsic || c.kind == ConstantKind::Function)
    return "call it, as in " + std::string(nameWithoutBuiltinsPrefix(c.text)) + "(...)";
  return "";
}

std::string hintForCall(const TypedFunction &f, const Value &v) {
  const Value &function = *v.operands[0];
  std::string name = sourceTextAt(*f.source, v.spanOf(0));
  if (!name.empty() && findAssignmentLine(f.source->body, name) &&
      findLibraryRow("builtins." + name, f.rules->target))
    return "the variable '" + name + "' hides the builtin: give it another name";
  if (function.opcode == Opcode::Attribute && function.type.isScalar())
    return name + " is a number, not a method: write it without parentheses";
  if (function.type.isScalar())
    return function.type.name() + " is a number: write * to multiply";
  if (function.type.isTuple() && !name.empty())
    return "a tuple is indexed with brackets: " + name + "[0]";
  if (function.constant && function.constant->kind == ConstantKind::Namespace)
    for (const char *member : {".array", ".x"})
      if (const LibraryRow *row = findLibraryRow(function.constant->text + member))
        return suggestCallOfRow(*row);
  return function.type.isArray() ? "an array is indexed with brackets: a[i]" : "";
}

std::string hintForStrings(const TargetRules &rules) {
  return rules.plural + " do not make strings: print takes several values, as in print(\"x =\", x)";
}

/// The hint for an assignment to an element of a value that has none.
std::string hintForStore(const Value &object) {
  bool isNone = object.type.is(TypeKind::None);
  if (!object.type.isScalar() && !isNone)
    return "";
  std::string shown = isNone ? "None" : "a number";
  if (object.opcode == Opcode::Parameter)
    return "the argument is " + shown + ": pass an array, such as np.zeros(1), in its position";
  return "this is " + shown + "; only arrays have elements that can be assigned";
}

std::string hintForOperands(const Value &v, const TargetRules &rules) {
  bool array = false, tuple = false, string = false;
  for (const Value *operand : v.operands) {
    if (std::string group = nameOfThreadIndexVector(*operand); !group.empty())
      return "use a component, as in " + group +
             ".x; cuda.grid(1) is the thread's index in the grid";
    array = array || operand->type.isArray();
    tuple = tuple || operand->type.isTuple();
    string = string || operand->type.is(TypeKind::String);
  }
  if (array)
    return rules.plural + " compute element by element: index the array, as in a[i]";
  if (string)
    return hintForStrings(rules);
  return tuple ? "take one element, as in t[0], or unpack the tuple: i, j = t" : "";
}

std::string hintForUnpack(const Value &v) {
  const Value &tuple = *v.operands[0];
  if (tuple.opcode == Opcode::Call && tuple.library &&
      tuple.library->meaning == Meaning::GridPosition)
    return "write " + std::string(tuple.library->displayName()) + "(" + std::to_string(v.count) +
           ")";
  if (tuple.opcode == Opcode::Attribute && tuple.type.isTuple())
    return "the array has " + std::to_string(tuple.type->elements.size()) +
           (tuple.type->elements.size() == 1 ? " dimension" : " dimensions");
  if (tuple.type.isTuple())
    return "write one name for each value";
  return tuple.type.isScalar() ? "a number is one value: assign it to one name" : "";
}

} // namespace

std::string hintForUndefined(const std::string &name, const std::vector<std::string> &known,
                             const TargetRules &rules) {
  if (name == "math" || name == "cmath" || name == "operator" || name == "numpy")
    return "add 'import " + name + "'";
  if (name == "np")
    return "add 'import numpy as np'";
  if (name == "cuda" || scalarTypeNamed(name))
    return "add 'from heddle import " + name + "'";
  std::string library = name.size() > 1 ? hintForShortName(name, rules.target) : "";
  std::string hint = library.empty() ? hintForTypo(name, known) : library;
  return hint.empty() ? "assign it before the call, or pass it as an argument" : hint;
}

std::string hintForMember(const std::string &object, const std::string &name,
                          const std::vector<std::string> &known) {
  if (object == "module 'heddle.cuda'")
    if (std::string hint = hintForShortName(name, Target::Kernel); !hint.empty())
      return hint;
  if (object == "module 'numpy'" && (name == "float" || name == "int" || name == "complex"))
    return "NumPy no longer has this name: write np." + name + (name == "complex" ? "128" : "64");
  if (std::string hint = hintForTypo(name, known); !hint.empty())
    return hint;
  if (object == "cuda.shared" || object == "cuda.local")
    return suggestCallOfRow(*findLibraryRow(object + ".array")) +
           ", and assign the elements after it";
  if (object == "cuda.atomic")
    return "a loop around cuda.atomic.cas(ary, idx, old, val) makes other atomic operations";
  return findLibraryRow(object + ".x") ? "its components are x, y and z" : "";
}

std::string hintForUnassigned(const FunctionSource &source, const std::string &name) {
  unsigned line = findAssignmentLine(source.body, name);
  if (!line)
    return "";
  std::string at = "line " + std::to_string(line);
  if (source.environment->findConstant(name))
    return at + " assigns it, which makes it local to this function: use another name there";
  return "give it a value before; " + at + " is the first to assign it";
}

std::string hintForNonNumber(const Value &v) {
  if (v.type.isArray())
    return "index the array, as in a[i]";
  if (v.type.isTuple())
    return "take one element of the tuple, as in t[0]";
  return hintForObject(v, kernelRules);
}

namespace {

/// The equivalents of other languages' or containers' method names.
struct Synonym {
  const char *names, *hint;
};
constexpr Synonym ofLists[] = {
    {" push add push_back ", "write x.append(item)"},
    {" addAll concat update ", "write x.extend(items)"},
    {" contains has ", "write item in x"},
    {" shape ndim dtype reshape sum mean min max ", "np.array(x) makes an array of a list"},
};
constexpr Synonym ofSets[] = {
    {" append push insert extend ", "write x.add(item), or x.update(items)"},
    {" contains has ", "write item in x"},
};
constexpr Synonym ofDicts[] = {
    {" add put insert append set ", "write x[key] = value"},
    {" contains has has_key ", "write key in x"},
    {" iteritems iterkeys itervalues ", "write x.items(), x.keys() or x.values()"},
};
constexpr Synonym ofTexts[] = {
    {" contains has ", "write part in x"},
    {" append push add concat ", "write x + part"},
    {" trim ", "write x.strip()"},
    {" format ", "write f\"{value}\""},
};

struct Container {
  llvm::ArrayRef<Synonym> synonyms;
  std::vector<std::string> methods; ///< names of Python methods
};

const Container *findContainerOfMethod(Type type) {
  static const Container list{ofLists,
                              {"append", "clear", "copy", "count", "extend", "index", "insert",
                               "pop", "remove", "reverse", "sort"}};
  static const Container set{ofSets,
                             {"add", "clear", "copy", "difference", "discard", "intersection",
                              "isdisjoint", "issubset", "issuperset", "pop", "remove",
                              "symmetric_difference", "union", "update"}};
  static const Container dict{ofDicts,
                              {"clear", "copy", "get", "items", "keys", "pop", "popitem",
                               "setdefault", "update", "values"}};
  static const Container text{
      ofTexts, {"capitalize", "center",     "count",     "endswith",  "expandtabs", "find",
                "index",      "isalnum",    "isalpha",   "isdecimal", "isdigit",    "islower",
                "isnumeric",  "isspace",    "istitle",   "isupper",   "join",       "ljust",
                "lower",      "lstrip",     "partition", "replace",   "rfind",      "rindex",
                "rjust",      "rpartition", "rsplit",    "rstrip",    "split",      "splitlines",
                "startswith", "strip",      "swapcase",  "title",     "upper",      "zfill"}};
  return type.isList()                 ? &list
         : type.isSet()                ? &set
         : type.isDict()               ? &dict
         : type == runtimeStringType() ? &text
                                       : nullptr;
}

std::string hintForContainerMethod(const Container &container, const std::string &name) {
  for (const Synonym &synonym : container.synonyms)
    if (llvm::StringRef(synonym.names).contains(" " + name + " "))
      return synonym.hint;
  std::string near = findClosestName(name, container.methods);
  return near.empty() || near == name ? "" : "did you mean '" + near + "'?";
}

/// A library function for an attribute that numbers lack: "math.sqrt" for "sqrt".
std::string hintForMethodThatIsFunction(const std::string &name, const TargetRules &rules) {
  for (const char *module : {"builtins.", "math."})
    if (const LibraryRow *row = findLibraryRow(module + name, rules.target);
        row && std::string_view(row->signature) == "(x)")
      return "write " + std::string(row->displayName()) + "(x)";
  return "";
}

} // namespace

std::string hintForAttribute(Type object, const std::string &name, const TargetRules &rules) {
  bool isKernel = rules.target == Target::Kernel;
  if (name == "length" || name == "len")
    if (object.isArray() || object.isTuple() || findContainerOfMethod(object))
      return "write len(x)";
  if (object.is(TypeKind::String) && isKernel)
    return hintForStrings(rules);
  Type text = object.is(TypeKind::String) ? runtimeStringType() : object;
  if (const Container *container = findContainerOfMethod(text))
    return hintForContainerMethod(*container, name);
  if (object.isScalar() || object.isComplex())
    return hintForMethodThatIsFunction(name, rules);
  if (!object.isArray())
    return "";
  auto isOneOf = [&](std::initializer_list<const char *> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (isOneOf({"append", "extend", "insert", "push", "pop", "remove", "resize"}))
    return isKernel ? "arrays do not grow: write to an element, whose index threads may take from "
                      "cuda.atomic.add"
                    : "arrays do not grow: np.append makes a larger one, and lists grow";
  if (std::string function = hintForMethodThatIsFunction(name, rules); !function.empty())
    return isKernel ? function + " of an element x = a[i]" : "write np." + name + "(a)";
  if (!isKernel)
    return "";
  if (isOneOf({"cumsum", "cumprod", "trace", "ptp"}))
    return "loop over the elements; threads combine their results with cuda.atomic or shared "
           "memory";
  if (isOneOf({"copy", "astype"}))
    return "kernels cannot allocate arrays: copy into one of constant length, r = "
           "cuda.local.array(8, a.dtype) and r[:] = a, or into one that is passed";
  if (isOneOf({"sort", "argsort"}))
    return hintForSort();
  if (isOneOf({"repeat", "flatten", "tolist", "round", "clip", "conj", "take", "nonzero", "fill",
               "put"}))
    return "loop over the elements; cuda.local.array and cuda.shared.array make arrays";
  return "";
}

std::string hintForSort() {
  return "sort with loops, in a cuda.local.array or in place: the recipe \"Sort a few elements in "
         "each thread\" has a program";
}

std::string hintForArguments(const LibraryRow &row, const TargetRules &rules) {
  if (row.meaning == Meaning::Reduction)
    return "a " + rules.noun +
           " reduces whole arrays to a number: for an axis, loop over views, as in "
           "a[i].sum()";
  if (std::string_view(row.name) == "builtins.print")
    return "print separates its values by spaces and ends the line, as in print(\"x =\", x)";
  return std::string(row.displayName()) + ": " + llvm::StringRef(row.doc).rtrim('.').str();
}

std::string hintForIndex(const Value &index) {
  if (index.type.isFloat())
    return "convert it with int(...), or divide with //";
  if (index.type.is(TypeKind::String))
    return "the array has no fields: its elements are indexed by number";
  if (std::string group = nameOfThreadIndexVector(index); !group.empty())
    return "use a component, as in " + group + ".x";
  return hintForObject(index, kernelRules);
}

std::string hintForOperandTypes(const TypedFunction &function, const Value &v) {
  for (const Value *operand : v.operands)
    if (operand->constant && operand->constant->kind == ConstantKind::Other)
      return hintForObject(*operand, *function.rules);
  switch (v.opcode) {
  case Opcode::Call:
    return hintForCall(function, v);
  case Opcode::Binary:
  case Opcode::Unary:
  case Opcode::Compare:
    return hintForOperands(v, *function.rules);
  case Opcode::Unpack:
    return hintForUnpack(v);
  case Opcode::Index:
    if (v.operands[0]->constant && v.operands[0]->constant->kind == ConstantKind::Function)
      return "a kernel cannot launch another one: call it as a device function, or launch it on "
             "the host";
    return v.operands[0]->type.isScalar()
               ? v.operands[0]->type.name() + " is one number; arrays and tuples have elements"
               : "";
  case Opcode::StoreIndex:
    if (!v.name.empty())
      return "only fields of records can be assigned; elements are, as in a[i] = value";
    if (std::string hint = hintForStore(*v.operands[0]); !hint.empty())
      return hint;
    return hintForNonNumber(*v.operands[2]);
  case Opcode::IterCount:
    return v.operands[0]->type.isInteger() ? "write range(...) around the number" : "";
  default:
    return "";
  }
}

} // namespace heddle::python
