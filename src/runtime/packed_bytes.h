// Serializes numbers and strings for cache files.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace heddle {

/// Appends numbers and strings to a byte string.
class PackedWriter {
public:
  void add(uint64_t number) { bytes_.append(reinterpret_cast<const char *>(&number), 8); }
  void add(std::string_view text) {
    add(uint64_t(text.size()));
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// Reads the numbers and strings of a PackedWriter, in the same order. Missing data reads as 0 or an empty string and
/// makes isGood() false.
class PackedReader {
public:
  explicit PackedReader(std::string_view bytes) : rest_(bytes) {}

  uint64_t readNumber() {
    uint64_t n = 0;
    if (rest_.size() < 8) {
      good_ = false;
      return 0;
    }
    std::memcpy(&n, rest_.data(), 8);
    rest_.remove_prefix(8);
    return n;
  }
  std::string readText() {
    uint64_t length = readNumber();
    if (length > rest_.size()) {
      good_ = false;
      return {};
    }
    std::string t(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return t;
  }
  bool isGood() const { return good_; }
  bool atEnd() const { return good_ && rest_.empty(); }

private:
  std::string_view rest_;
  bool good_ = true;
};

} // namespace heddle
