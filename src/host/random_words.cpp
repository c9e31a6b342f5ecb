#include "host/random_words.h"

#include "simt/ir/host_memory.h"
#include "support/os/threads.h"

#include <memory>
#include <random>

namespace heddle::host {

namespace {

constexpr unsigned generators = 2;
constexpr unsigned stateWords = 624;

struct alignas(8) Generator {
  uint32_t words[simt::randomWords] = {};

  Generator() {
    std::random_device source;
    for (unsigned i = 0; i < stateWords; ++i)
      words[i] = source();
    words[stateWords] = stateWords;
  }
};

// Pointers, because libraries loaded at run time have little static TLS space.
thread_local std::unique_ptr<Generator> ofThread[generators];

/// Reseeds in a forked process, as numba does. Otherwise all processes of a pool would draw the same numbers.
void registerReseedAfterFork() {
  os::atFork(nullptr, nullptr, [] {
    for (std::unique_ptr<Generator> &own : ofThread)
      own.reset();
  });
}

} // namespace

uint32_t *generatorStateOfThread(uint32_t generator) {
  [[maybe_unused]] static const bool watching = (registerReseedAfterFork(), true);
  std::unique_ptr<Generator> &own = ofThread[generator];
  if (!own)
    own = std::make_unique<Generator>();
  return own->words;
}

} // namespace heddle::host
