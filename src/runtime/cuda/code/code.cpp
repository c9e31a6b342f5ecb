#include "runtime/cuda/code/code.h"

#include <cstring>

namespace heddle::cuda {

namespace {

/// Another number for each change of the format.
constexpr uint64_t formatVersion = 3;

class Writer {
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

class Reader {
public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  uint64_t number() {
    uint64_t n = 0;
    if (rest_.size() < 8) {
      good_ = false;
      return 0;
    }
    std::memcpy(&n, rest_.data(), 8);
    rest_.remove_prefix(8);
    return n;
  }
  std::string text() {
    uint64_t length = number();
    if (length > rest_.size()) {
      good_ = false;
      return {};
    }
    std::string t(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return t;
  }
  bool good() const { return good_; }
  bool atEnd() const { return good_ && rest_.empty(); }

private:
  std::string_view rest_;
  bool good_ = true;
};

} // namespace

std::string pack(const CudaCode &code) {
  Writer w;
  w.add(formatVersion);
  w.add(code.cubin);
  w.add(code.ptx.text);
  w.add(uint64_t(code.ptx.hasAtomicLoops));
  w.add(uint64_t(code.ptx.reportsErrors));
  w.add(uint64_t(code.ptx.kernels.size()));
  for (const nvptx::KernelCode &kernel : code.ptx.kernels) {
    w.add(kernel.name);
    w.add(uint64_t(kernel.coarsening));
    w.add(kernel.coarsened);
    w.add(uint64_t(kernel.cooperative));
    w.add(uint64_t(kernel.recursive));
  }
  w.add(uint64_t(code.ptx.remarks.size()));
  for (const std::string &remark : code.ptx.remarks)
    w.add(remark);
  return w.take();
}

std::optional<CudaCode> unpack(std::string_view bytes) {
  Reader r(bytes);
  if (r.number() != formatVersion)
    return std::nullopt;
  CudaCode code;
  code.cubin = r.text();
  code.ptx.text = r.text();
  code.ptx.hasAtomicLoops = r.number();
  code.ptx.reportsErrors = r.number();
  for (uint64_t n = r.number(); n && r.good(); --n) {
    nvptx::KernelCode kernel;
    kernel.name = r.text();
    kernel.coarsening = unsigned(r.number());
    kernel.coarsened = r.text();
    kernel.cooperative = r.number();
    kernel.recursive = r.number();
    code.ptx.kernels.push_back(std::move(kernel));
  }
  for (uint64_t n = r.number(); n && r.good(); --n)
    code.ptx.remarks.push_back(r.text());
  if (!r.atEnd())
    return std::nullopt;
  return code;
}

} // namespace heddle::cuda
