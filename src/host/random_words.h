// The state of this thread's random number generators.
#pragma once

#include <cstdint>

namespace heddle::host {

/// Returns this thread's Mersenne Twister, seeded from the system's random source: 624 words of state, the number of
/// used words, a flag that is set if a normal number is cached, and this number as a float64. Functions written in
/// Python read and write these words (heddle/host_library/mersenne_twister.py).
///
/// generator: 0 for numpy.random, 1 for Python's random.
uint32_t *generatorStateOfThread(uint32_t generator);

} // namespace heddle::host
