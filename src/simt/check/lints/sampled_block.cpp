#include "simt/check/lints/sampled_block.h"

#include <algorithm>
#include <charconv>

namespace heddle::simt {

std::string SampledBlock::encode() const {
  std::string text =
      std::to_string(number) + "," + std::to_string(cost) + "," + std::to_string(branch);
  for (uint32_t header : loops)
    text += "," + std::to_string(header);
  return text;
}

SampledBlock SampledBlock::decode(std::string_view text) {
  SampledBlock block;
  auto takeNumber = [&] {
    uint32_t n = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    text.remove_prefix(std::min(text.size(), size_t(end - text.data()) + 1));
    return n;
  };
  block.number = takeNumber();
  block.cost = takeNumber();
  block.branch = takeNumber();
  while (!text.empty())
    block.loops.push_back(takeNumber());
  return block;
}

} // namespace heddle::simt
