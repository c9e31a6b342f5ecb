// Arrival counters with phases, the basis of barriers and pipelines.
#pragma once

// A phase ends after `expected` arrivals. begin() replaces a constructor, which variables in shared memory cannot have.
struct __heddle_arrivals {
  unsigned expected, pending, phase;

  __HEDDLE_FN void begin(unsigned count) {
    expected = pending = count;
    phase = 0;
    __threadfence_block();
  }
  // The number of the current phase.
  __HEDDLE_FN unsigned now() const { return *(const volatile unsigned *)&phase; }
  // Counts `count` arrivals and returns their phase. The last arrival of a phase runs `complete`.
  template <class Complete> __HEDDLE_FN unsigned arrive(unsigned count, Complete complete) {
    __threadfence_block();
    unsigned mine = now();
    if (__heddle_atomic_add(&pending, 0 - count, 0) == count) {
      complete();
      *(volatile unsigned *)&pending = *(const volatile unsigned *)&expected;
      __threadfence_block();
      *(volatile unsigned *)&phase = mine + 1;
    }
    return mine;
  }
  __HEDDLE_FN unsigned arrive(unsigned count) {
    return arrive(count, [] {});
  }
  __HEDDLE_FN bool isOver(unsigned which) const {
    bool over = (int)(now() - which) > 0;
    __threadfence_block();
    return over;
  }
  __HEDDLE_FN void wait(unsigned which) const {
    while (!isOver(which))
      __nanosleep(20);
  }
};
