#include "simt/trace/traced_step.h"

#include <algorithm>
#include <charconv>

namespace heddle::simt {

std::string TracedStep::encode() const {
  std::string text = std::to_string(block) + "," + std::to_string(index);
  for (uint32_t header : loops)
    text += "," + std::to_string(header);
  return text;
}

TracedStep TracedStep::decode(std::string_view text) {
  auto takeNumber = [&] {
    uint32_t n = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    text.remove_prefix(std::min(text.size(), size_t(end - text.data()) + 1));
    return n;
  };
  TracedStep step;
  step.block = takeNumber();
  step.index = takeNumber();
  while (!text.empty())
    step.loops.push_back(takeNumber());
  return step;
}

} // namespace heddle::simt
