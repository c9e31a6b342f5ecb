// CUDA vector types such as float32x4: a constructor for each type, and for each of its names in CUDA C.

#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/rows/row_families.h"

#include <string>
#include <vector>

namespace heddle::python {
namespace {

/// An element type of vectors, with its names in CUDA C.
struct Base {
  Type type;
  std::vector<const char *> names;
};

const std::vector<Base> &vectorBaseTypes() {
  static const std::vector<Base> all{
      {intType(8), {"char"}},         {intType(16), {"short"}},
      {intType(32), {"int"}},         {intType(64), {"long", "longlong"}},
      {intType(8, false), {"uchar"}}, {intType(16, false), {"ushort"}},
      {intType(32, false), {"uint"}}, {intType(64, false), {"ulong", "ulonglong"}},
      {floatType(32), {"float"}},     {floatType(64), {"double"}},
  };
  return all;
}

constexpr unsigned longest = 4;

/// The vector type that a table row constructs: `data` encodes the base and the length.
Type vectorTypeOf(const LibraryRow &row) {
  return vectorType(vectorBaseTypes()[row.data / longest].type, row.data % longest + 1);
}

Type typeVector(CallTyping &t) {
  Type vector = vectorTypeOf(t.row());
  size_t given = 0;
  for (unsigned i = 0; i < t.argumentCount(); ++i) {
    if (!t.type(i).isScalar() && !t.type(i).isVector())
      t.failAt(i, std::string(t.row().displayName()) + " takes numbers and vectors, not " +
                      t.type(i).name());
    given += t.type(i).isVector() ? t.type(i)->elements.size() : 1;
  }
  size_t wanted = vector->elements.size();
  if (given != wanted)
    t.fail(std::string(t.row().displayName()) + " takes " + std::to_string(wanted) +
           (wanted == 1 ? " number, " : " numbers, ") + std::to_string(given) + " were given");
  return vector;
}
Parts emitVector(CallEmission &c) {
  Type element = c.call.type->elements[0];
  Parts out;
  for (unsigned i = 0; i < c.argumentCount(); ++i) {
    Type from = c.argument(i)->type;
    for (llvm::Value *part : c.e.parts(*c.argument(i)))
      out.push_back(cast(c.e, part, from.isVector() ? from->elements[0] : from, element));
  }
  return out;
}

void addRowsForNames(GeneratedRows &table, const Base &base, unsigned data, unsigned n) {
  const LibraryRow row{"", "(*values)", "", typeVector, emitVector, data};
  std::string count = std::to_string(n), type = base.type.name() + "x" + count;
  std::string fields = std::string("x, y, z, w").substr(0, 3 * n - 2);
  table.add(row, "cuda." + type,
            "A vector of " + count + " " + base.type.name() + (n == 1 ? "" : "s") +
                " from numbers and vectors, with the field" + (n == 1 ? " " : "s ") + fields + ".");
  for (const char *name : base.names)
    table.add(row, std::string("cuda.") + name + count, "cuda." + type + " under its CUDA C name.");
}

GeneratedRows makeVectorRows() {
  GeneratedRows table;
  for (unsigned i = 0; i < vectorBaseTypes().size(); ++i)
    for (unsigned n = 1; n <= longest; ++n)
      addRowsForNames(table, vectorBaseTypes()[i], i * longest + n - 1, n);
  return table;
}

} // namespace

llvm::ArrayRef<LibraryRow> vectorLibrary() {
  static const GeneratedRows table = makeVectorRows();
  return table.rows();
}

} // namespace heddle::python
