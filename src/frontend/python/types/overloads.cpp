#include "frontend/python/types/overloads.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace heddle::python {
namespace {

/// The quality of a conversion between number types, best first.
enum Conversion : uint8_t { Exact, Promotion, Safe, Unsafe, Impossible };

constexpr size_t typeCount = 14;

std::array<Type, typeCount> numberTypes() {
  return {boolType(),         intType(8),        intType(16),        intType(32),
          intType(64),        intType(8, false), intType(16, false), intType(32, false),
          intType(64, false), floatType(16),     floatType(32),      floatType(64),
          complexType(64),    complexType(128)};
}

/// The rules that numba states. The others follow from them (numba/core/typeconv/rules.py).
struct Rule {
  Type from, to;
  Conversion forth, back;
};

std::vector<Rule> listNumbaConversionRules() {
  auto i = [](unsigned bits) { return intType(bits); };
  auto u = [](unsigned bits) { return intType(bits, false); };
  auto f = [](unsigned bits) { return floatType(bits); };
  std::vector<Rule> rules{{boolType(), i(8), Safe, Unsafe},
                          {boolType(), u(8), Safe, Unsafe},
                          {u(8), i(16), Safe, Unsafe},
                          {u(16), i(32), Safe, Unsafe},
                          {u(32), i(64), Safe, Unsafe},
                          {i(8), f(16), Safe, Unsafe},
                          {i(16), f(32), Safe, Unsafe},
                          {i(32), f(64), Safe, Unsafe},
                          {i(16), f(16), Unsafe, Unsafe},
                          {i(32), f(32), Unsafe, Unsafe},
                          {i(64), f(64), Safe, Unsafe},
                          {u(64), f(64), Safe, Unsafe},
                          {f(16), f(32), Promotion, Unsafe},
                          {f(32), f(64), Promotion, Unsafe},
                          {f(32), complexType(64), Safe, Impossible},
                          {f(64), complexType(128), Safe, Impossible},
                          {complexType(64), complexType(128), Promotion, Unsafe}};
  for (unsigned bits : {8, 16, 32}) {
    rules.push_back({i(bits), i(2 * bits), Promotion, Unsafe});
    rules.push_back({u(bits), u(2 * bits), Promotion, Unsafe});
  }
  for (unsigned bits : {8, 16, 32, 64})
    rules.push_back({i(bits), u(bits), Unsafe, Unsafe});
  return rules;
}

using Table = std::array<std::array<Conversion, typeCount>, typeCount>;

/// A conversion with several steps is as safe as the worst step.
Table makeConversionTable() {
  Table table;
  for (size_t a = 0; a < typeCount; ++a)
    for (size_t b = 0; b < typeCount; ++b)
      table[a][b] = a == b ? Exact : Impossible;
  std::array<Type, typeCount> types = numberTypes();
  auto number = [&](Type t) { return std::find(types.begin(), types.end(), t) - types.begin(); };
  for (const Rule &rule : listNumbaConversionRules()) {
    table[number(rule.from)][number(rule.to)] = rule.forth;
    table[number(rule.to)][number(rule.from)] = rule.back;
  }
  for (size_t by = 0; by < typeCount; ++by)
    for (size_t a = 0; a < typeCount; ++a)
      for (size_t b = 0; b < typeCount; ++b)
        table[a][b] = std::min(table[a][b], std::max(table[a][by], table[by][b]));
  return table;
}

/// The number type whose rules apply to `t`. Enum members follow the rules of their value type, bfloat16 those of
/// float16, and 8-bit floats those of float32.
Type typeForConversionRules(Type t) {
  if (t.isInteger())
    return intType(t->bits, t.isSigned());
  return t == bfloat16Type() ? floatType(16) : typeAfterLoad(t);
}

Conversion classifyConversion(Type from, Type to) {
  static const std::array<Type, typeCount> types = numberTypes();
  static const Table table = makeConversionTable();
  auto a = std::find(types.begin(), types.end(), typeForConversionRules(from));
  auto b = std::find(types.begin(), types.end(), typeForConversionRules(to));
  return a == types.end() || b == types.end() ? Impossible
                                              : table[a - types.begin()][b - types.begin()];
}

} // namespace

std::optional<size_t> bestSignature(llvm::ArrayRef<Type> arguments,
                                    llvm::ArrayRef<ParameterTypes> signatures) {
  using Rating = std::tuple<unsigned, unsigned, unsigned>;
  std::optional<size_t> best;
  Rating least;
  for (size_t s = 0; s < signatures.size(); ++s) {
    unsigned count[Impossible + 1] = {};
    if (signatures[s].size() != arguments.size())
      continue;
    for (size_t i = 0; i < arguments.size(); ++i)
      ++count[classifyConversion(arguments[i], signatures[s][i])];
    Rating rating{count[Unsafe], count[Safe], count[Promotion]};
    if (count[Impossible] || (best && rating >= least))
      continue;
    best = s;
    least = rating;
  }
  return best;
}

Type bestCommonType(llvm::ArrayRef<Type> arguments, llvm::ArrayRef<Type> candidates) {
  std::vector<std::vector<Type>> parameters;
  for (Type t : candidates)
    parameters.emplace_back(arguments.size(), t);
  std::vector<ParameterTypes> signatures(parameters.begin(), parameters.end());
  std::optional<size_t> best = bestSignature(arguments, signatures);
  return best ? candidates[*best] : Type();
}

} // namespace heddle::python
