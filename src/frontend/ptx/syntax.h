// Parsed inline PTX: instructions whose operands are resolved, but whose opcodes are not yet interpreted.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace heddle::ptx {

/// Thrown for invalid or unsupported PTX. Gives the reason, without a location.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A fundamental type: ".u32", ".f16x2", ".pred".
struct ScalarType {
  enum Kind { Bits, Signed, Unsigned, Float, BFloat, Predicate } kind = Bits;
  unsigned laneBits = 32; ///< per lane
  unsigned lanes = 1;     ///< 2 in f16x2

  unsigned bits() const { return laneBits * lanes; }
  bool isFloat() const { return kind == Float || kind == BFloat; }
  bool isSigned() const { return kind == Signed; }
};
inline constexpr ScalarType word32{ScalarType::Bits, 32}, word64{ScalarType::Bits, 64},
    number32{ScalarType::Unsigned, 32};
/// Parses the name of a type without its dot ("u32"); nullopt for other names.
std::optional<ScalarType> parseTypeName(llvm::StringRef name);

struct Operand {
  enum Form {
    Register, ///< declared by the text: registers[index]
    Argument, ///< operand `index` of the assembly call
    Special,  ///< "%tid.x", by name
    Integer,
    /// The number with the bits `integer`: a float if realBits is 32, otherwise a double. realBits 0: a decimal number.
    Real,
    Address, ///< [parts[0] + integer], or [integer]; [parts[0], parts[1]] with the coordinates of a tensor map
    Vector,  ///< {parts}
    Pair,    ///< parts[0]|parts[1]
    Label,   ///< index
    Nothing, ///< _
  } form = Nothing;
  unsigned index = 0;
  bool negated = false; ///< !p
  std::string name;     ///< as written
  std::string selector; ///< the bytes or halves that a video instruction takes: "b0", "h32"
  uint64_t integer = 0;
  unsigned realBits = 0;
  std::vector<Operand> parts;
};

/// An instruction, or a label before one.
struct Statement {
  std::string opcode;             ///< "mad.lo.s32"; empty for a label
  std::vector<std::string> words; ///< of the opcode, after the first
  std::string name;               ///< the first
  std::optional<Operand> guard;   ///< @p
  std::vector<Operand> operands;
  unsigned label = 0;
};

struct Text {
  std::vector<ScalarType> registers;
  std::vector<Statement> statements;
  unsigned labels = 0;
};

/// Parses the text of an assembly call in LLVM's form ($0, ${0:u}, $$), in which constants have been substituted.
/// `unique` replaces ${:uid}. Throws Refusal.
Text parse(llvm::StringRef text, unsigned unique);

} // namespace heddle::ptx
