#include "simt/thresholds.h"

#include <utility>

namespace heddle::thresholds {

namespace {

struct Threshold {
  llvm::StringRef name;
  unsigned initial;
  unsigned value = initial;
};

namespace table {
#define THRESHOLD(name, value, reason) Threshold name{#name, value};
#include "simt/thresholds.def"
} // namespace table

Threshold *const all[] = {
#define THRESHOLD(name, value, reason) &table::name,
#include "simt/thresholds.def"
};

} // namespace

#define THRESHOLD(name, initial, reason) const unsigned &name = table::name.value;
#include "simt/thresholds.def"

std::optional<unsigned> exchangeByName(llvm::StringRef name, unsigned value) {
  for (Threshold *threshold : all)
    if (threshold->name == name)
      return std::exchange(threshold->value, value);
  return std::nullopt;
}

std::string describeChanges() {
  std::string text;
  for (const Threshold *threshold : all)
    if (threshold->value != threshold->initial)
      text += threshold->name.str() + "=" + std::to_string(threshold->value) + ",";
  return text;
}

} // namespace heddle::thresholds
