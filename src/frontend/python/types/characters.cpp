#include "frontend/python/types/characters.h"

#include "llvm/Support/ConvertUTF.h"

namespace heddle::python {

Type charactersType(Type character, int64_t count) {
  TypeData data;
  data.kind = TypeKind::Characters;
  data.element = character;
  data.bits = character->bits * unsigned(count);
  data.name =
      std::string(character->bits == 8 ? "[char x " : "[unichr x ") + std::to_string(count) + "]";
  std::string key = "characters " + data.name;
  return uniqueType(key, std::move(data));
}

int64_t characterCapacity(Type text) { return text->bits / text->element->bits; }

std::optional<std::string> encodeConstantText(const Constant &text, Type character) {
  if (text.kind == ConstantKind::Array) {
    bool isBytes = text.array->element == intType(8, false) && text.array->shape.size() == 1;
    return isBytes && character->bits == 8 ? std::optional(text.array->bytes) : std::nullopt;
  }
  if (text.kind != ConstantKind::String || character->bits != 32)
    return std::nullopt;
  std::vector<llvm::UTF32> points(text.text.size());
  auto *from = reinterpret_cast<const llvm::UTF8 *>(text.text.data());
  llvm::UTF32 *to = points.data();
  llvm::ConvertUTF8toUTF32(&from, from + text.text.size(), &to, to + points.size(),
                           llvm::lenientConversion);
  return std::string(reinterpret_cast<const char *>(points.data()),
                     reinterpret_cast<const char *>(to));
}

} // namespace heddle::python
