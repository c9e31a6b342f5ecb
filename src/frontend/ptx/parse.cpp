#include "frontend/ptx/syntax.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Error.h"

#include <map>

namespace heddle::ptx {

using namespace llvm;

namespace {

bool startsName(char c) { return isAlpha(c) || c == '_' || c == '%' || c == '$' || c == '.'; }
bool isInName(char c) { return isAlnum(c) || c == '_' || c == '%' || c == '$' || c == '.'; }

struct Token {
  enum Kind { End, Name, Number, Argument, Symbol } kind = End;
  std::string text; ///< for an Argument: its number
};

/// Splits the text, in LLVM's form, into tokens.
class Lexer {
public:
  Lexer(StringRef text, unsigned unique) : text_(text), unique_(std::to_string(unique)) {}

  std::vector<Token> tokenize() {
    std::vector<Token> all;
    for (skipBlank(); at_ < text_.size(); skipBlank())
      all.push_back(lexToken());
    all.push_back({});
    return all;
  }

private:
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void skipBlank() {
    while (at_ < text_.size()) {
      StringRef rest = text_.drop_front(at_);
      if (isSpace(rest[0]) || rest[0] == '\0')
        ++at_;
      else if (rest.starts_with("//"))
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (rest.starts_with("/*"))
        at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
      else
        return;
    }
  }

  Token lexToken() {
    if (peek() == '$' && peek(1) != '$' && !(peek(1) == '{' && peek(2) == ':'))
      return lexArgument();
    if (peek() == '"')
      return lexString();
    if (startsName(peek()) && !(peek() == '.' && isDigit(peek(1))))
      return lexName();
    if (isDigit(peek()) || peek() == '.')
      return lexNumber();
    return {Token::Symbol, std::string(1, text_[at_++])};
  }

  Token lexArgument() { // $0, ${0:u}
    ++at_;
    bool braced = peek() == '{';
    at_ += braced;
    std::string digits;
    while (isDigit(peek()))
      digits += text_[at_++];
    if (braced)
      at_ = std::min(text_.find('}', at_), text_.size() - 1) + 1;
    return {Token::Argument, digits};
  }

  Token lexString() {
    size_t end = std::min(text_.find('"', at_ + 1), text_.size() - 1) + 1;
    Token token{Token::Symbol, text_.slice(at_, end).str()};
    at_ = end;
    return token;
  }

  Token lexName() {
    Token token{Token::Name, ""};
    while (at_ < text_.size()) {
      StringRef rest = text_.drop_front(at_);
      if (rest.starts_with("::")) { // of "shared::cta"
        token.text += "::";
        at_ += 2;
      } else if (rest.starts_with("$$")) {
        token.text += '$';
        at_ += 2;
      } else if (rest.starts_with("${:uid}")) {
        token.text += unique_;
        at_ += 7;
      } else if (rest[0] != '$' && isInName(rest[0])) {
        token.text += rest[0];
        ++at_;
      } else {
        break;
      }
    }
    return token;
  }

  Token lexNumber() {
    Token token{Token::Number, ""};
    bool decimal = !StringRef(text_.drop_front(at_)).starts_with("0x");
    for (; isAlnum(peek()) || peek() == '.'; ++at_) {
      token.text += peek();
      bool exponent = decimal && (peek() == 'e' || peek() == 'E');
      if (exponent && (peek(1) == '+' || peek(1) == '-') && token.text[1] != 'f' &&
          token.text[1] != 'd')
        token.text += text_[++at_];
    }
    return token;
  }

  StringRef text_;
  std::string unique_;
  size_t at_ = 0;
};

class Parser {
public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Text parse() {
    scopes_.push_back({});
    parents_.push_back(0);
    open_.push_back(0);
    while (token().kind != Token::End)
      parseStatement();
    if (open_.size() > 1)
      throw Refusal("a '{' is never closed");
    resolveLabels();
    return std::move(out_);
  }

private:
  /// The names declared inside one `{` ... `}`.
  struct Scope {
    std::map<std::string, unsigned> registers, labels;
  };
  struct Jump {
    size_t statement, scope;
  };

  const Token &token() const { return tokens_[at_]; }
  bool isSymbol(StringRef symbol) const {
    return token().kind == Token::Symbol && token().text == symbol;
  }
  bool takeSymbol(StringRef symbol) {
    bool found = isSymbol(symbol);
    at_ += found;
    return found;
  }
  void expect(StringRef symbol) {
    if (!takeSymbol(symbol))
      throw Refusal("expected '" + symbol.str() + "' before " + describeToken());
  }
  std::string describeToken() const {
    return token().kind == Token::End ? "the end" : "'" + token().text + "'";
  }
  std::string takeName(const char *what) {
    if (token().kind != Token::Name)
      throw Refusal(std::string("expected ") + what + " before " + describeToken());
    return tokens_[at_++].text;
  }

  void parseStatement() {
    if (takeSymbol(";"))
      return;
    if (takeSymbol("{")) {
      parents_.push_back(open_.back());
      open_.push_back(scopes_.size());
      scopes_.push_back({});
      return;
    }
    if (takeSymbol("}")) {
      if (open_.size() == 1)
        throw Refusal("a '}' has no matching '{'");
      open_.pop_back();
      return;
    }
    if (token().kind == Token::Name && token().text == ".reg")
      return parseRegisters();
    if (token().kind == Token::Name && token().text == ".pragma") {
      while (token().kind != Token::End && !isSymbol(";"))
        ++at_;
      return;
    }
    Statement s;
    if (takeSymbol("@")) {
      bool negated = takeSymbol("!");
      s.guard = parseOperand();
      s.guard->negated = negated;
    }
    std::string name = takeName("an instruction");
    if (!s.guard && takeSymbol(":")) {
      scopes_[open_.back()].labels[name] = s.label = out_.labels++;
      out_.statements.push_back(std::move(s));
      return;
    }
    parseInstruction(std::move(s), name);
  }

  void parseInstruction(Statement s, const std::string &opcode) {
    if (opcode[0] == '.')
      throw Refusal("'" + opcode + "' is not supported: the only directive is .reg");
    s.opcode = opcode;
    SmallVector<StringRef, 8> words;
    StringRef(opcode).split(words, '.');
    s.name = words[0].str();
    for (StringRef word : drop_begin(words))
      s.words.push_back(word.str());
    bool jumps = s.name == "bra";
    if (!isSymbol(";") && token().kind != Token::End)
      do
        s.operands.push_back(jumps ? parseTarget() : parseOperand());
      while (takeSymbol(","));
    if (!takeSymbol(";") && !isSymbol("}") &&
        token().kind != Token::End) // ptxas requires it; optional after the last statement
      throw Refusal("expected ';' after '" + opcode + "', before " + describeToken());
    if (jumps)
      jumps_.push_back({out_.statements.size(), open_.back()});
    out_.statements.push_back(std::move(s));
  }

  Operand parseTarget() {
    Operand o;
    o.form = Operand::Label;
    o.name = takeName("a label");
    return o;
  }

  /// Parses .reg .u32 a, b<4>;
  void parseRegisters() {
    ++at_;
    std::string name = takeName("a type");
    std::optional<ScalarType> type =
        name[0] == '.' ? parseTypeName(StringRef(name).drop_front()) : std::nullopt;
    if (!type || type->bits() > 64)
      throw Refusal("'" + name + "' is not a supported register type");
    do {
      std::string base = takeName("a register's name");
      if (!takeSymbol("<")) {
        declareRegister(base, *type);
        continue;
      }
      unsigned count = 0;
      constexpr unsigned most = 4096;
      if (token().kind != Token::Number || StringRef(tokens_[at_++].text).getAsInteger(10, count) ||
          count > most)
        throw Refusal("the number of registers '" + base + "<...>' is at most 4096");
      expect(">");
      for (unsigned i = 0; i < count; ++i)
        declareRegister(base + std::to_string(i), *type);
    } while (takeSymbol(","));
    expect(";");
  }

  void declareRegister(const std::string &name, ScalarType type) {
    if (!scopes_[open_.back()].registers.emplace(name, out_.registers.size()).second)
      throw Refusal("the register '" + name + "' is declared twice");
    out_.registers.push_back(type);
  }

  Operand parseOperand() {
    Operand o;
    if (takeSymbol("[")) {
      o.form = Operand::Address;
      parseAddress(o);
      return o;
    }
    if (takeSymbol("{")) {
      o.form = Operand::Vector;
      do
        o.parts.push_back(parseSimpleOperand());
      while (takeSymbol(","));
      expect("}");
      return o;
    }
    o = parseSimpleOperand();
    if (takeSymbol("|")) {
      Operand pair;
      pair.form = Operand::Pair;
      pair.parts = {std::move(o), parseSimpleOperand()};
      return pair;
    }
    return o;
  }

  void parseAddress(Operand &o) {
    Operand base = parseSimpleOperand();
    if (base.form == Operand::Integer)
      o.integer = base.integer;
    else
      o.parts.push_back(std::move(base));
    if (!o.parts.empty() && takeSymbol(","))
      o.parts.push_back(parseOperand());
    while (!takeSymbol("]")) {
      bool minus = isSymbol("-");
      if (!takeSymbol("+") && !takeSymbol("-"))
        throw Refusal("expected ']' before " + describeToken());
      Operand offset = parseSimpleOperand();
      if (offset.form != Operand::Integer)
        throw Refusal("an address is a register and a constant: [a+16]");
      o.integer += minus ? 0 - offset.integer : offset.integer;
    }
  }

  Operand parseSimpleOperand() {
    Operand o;
    o.negated = takeSymbol("!");
    bool minus = takeSymbol("-");
    const Token &t = token();
    if (t.kind == Token::Number) {
      ++at_;
      readNumber(o, t.text, minus);
      return o;
    }
    if (minus)
      throw Refusal("expected a number after '-', before " + describeToken());
    if (t.kind == Token::Argument) {
      ++at_;
      o.form = Operand::Argument;
      o.name = "%" + t.text;
      if (StringRef(t.text).getAsInteger(10, o.index))
        throw Refusal("'" + o.name + "' is not an operand");
      if (token().kind == Token::Name && token().text[0] == '.' &&
          isSelector(StringRef(token().text).drop_front()))
        o.selector = tokens_[at_++].text.substr(1);
      return o;
    }
    o.name = takeName("an operand");
    resolveOperandName(o);
    return o;
  }

  /// True for "b0", "h1", "b3210".
  static bool isSelector(StringRef word) {
    return (word.consume_front("b") || word.consume_front("h")) && !word.empty() &&
           all_of(word, isDigit);
  }

  /// The index of the register with that name in the innermost scope that declares one.
  std::optional<unsigned> findRegister(const std::string &name) const {
    for (size_t scope = open_.back();; scope = parents_[scope]) {
      auto found = scopes_[scope].registers.find(name);
      if (found != scopes_[scope].registers.end())
        return found->second;
      if (scope == 0)
        return std::nullopt;
    }
  }

  void resolveOperandName(Operand &o) {
    if (o.name == "_")
      return;
    if (o.name == "WARP_SZ") {
      o.form = Operand::Integer;
      o.integer = 32;
      return;
    }
    auto [base, selector] = StringRef(o.name).rsplit('.');
    std::optional<unsigned> found = findRegister(o.name);
    if (!found && isSelector(selector)) {
      found = findRegister(base.str());
      o.selector = selector.str();
    }
    if (found) {
      o.form = Operand::Register;
      o.index = *found;
      return;
    }
    if (o.name[0] != '%')
      throw Refusal("'" + o.name +
                    "' is not declared: declare registers with .reg, and pass variables of the "
                    "program as operands");
    o.form = Operand::Special;
  }

  static void readNumber(Operand &o, StringRef text, bool minus) {
    StringRef digits = text;
    std::string name = text.str();
    auto problem = [&] { return Refusal("'" + name + "' is not a number"); };
    if (text.starts_with_insensitive("0f") || text.starts_with_insensitive("0d")) {
      o.form = Operand::Real;
      o.realBits = toLower(text[1]) == 'f' ? 32 : 64;
      if (digits.drop_front(2).getAsInteger(16, o.integer))
        throw problem();
      if (minus)
        o.integer ^= uint64_t(1) << (o.realBits - 1);
      return;
    }
    if (text.contains('.') || (!text.starts_with("0x") && text.contains_insensitive('e'))) {
      o.form = Operand::Real;
      APFloat value(APFloat::IEEEdouble());
      auto status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
      if (!status) {
        consumeError(status.takeError());
        throw problem();
      }
      if (minus)
        value.changeSign();
      o.integer = value.bitcastToAPInt().getZExtValue();
      return;
    }
    o.form = Operand::Integer;
    digits.consume_back("U");
    if (digits.getAsInteger(0, o.integer))
      throw problem();
    if (minus)
      o.integer = 0 - o.integer;
  }

  void resolveLabels() {
    for (const Jump &jump : jumps_)
      for (Operand &target : out_.statements[jump.statement].operands) {
        bool found = false;
        for (size_t scope = jump.scope; !found; scope = parents_[scope]) {
          auto label = scopes_[scope].labels.find(target.name);
          found = label != scopes_[scope].labels.end();
          if (found)
            target.index = label->second;
          else if (scope == 0)
            throw Refusal("the label '" + target.name + "' is not there");
        }
      }
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
  Text out_;
  std::vector<Scope> scopes_;
  std::vector<size_t> parents_; ///< of each scope
  std::vector<size_t> open_;    ///< from outermost to innermost
  std::vector<Jump> jumps_;
};

} // namespace

std::optional<ScalarType> parseTypeName(StringRef name) {
  using Type = ScalarType;
  return StringSwitch<std::optional<ScalarType>>(name)
      .Case("b8", Type{Type::Bits, 8})
      .Case("b16", Type{Type::Bits, 16})
      .Case("b32", Type{Type::Bits, 32})
      .Case("b64", Type{Type::Bits, 64})
      .Case("b128", Type{Type::Bits, 128})
      .Case("s8", Type{Type::Signed, 8})
      .Case("s16", Type{Type::Signed, 16})
      .Case("s32", Type{Type::Signed, 32})
      .Case("s64", Type{Type::Signed, 64})
      .Case("u8", Type{Type::Unsigned, 8})
      .Case("u16", Type{Type::Unsigned, 16})
      .Case("u32", Type{Type::Unsigned, 32})
      .Case("u64", Type{Type::Unsigned, 64})
      .Case("f16", Type{Type::Float, 16})
      .Case("f16x2", Type{Type::Float, 16, 2})
      .Case("bf16", Type{Type::BFloat, 16})
      .Case("bf16x2", Type{Type::BFloat, 16, 2})
      .Case("f32", Type{Type::Float, 32})
      .Case("f64", Type{Type::Float, 64})
      .Case("pred", Type{Type::Predicate, 1})
      .Default(std::nullopt);
}

Text parse(StringRef text, unsigned unique) {
  return Parser(Lexer(text, unique).tokenize()).parse();
}

} // namespace heddle::ptx
