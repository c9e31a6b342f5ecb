// Arrival counters with phases, the basis of barriers and pipelines.
#pragma once
#include "heddle/background_copies.h"

// A phase ends after `expected` arrivals. begin() replaces a constructor, which variables in shared memory cannot have.
struct __heddle_arrivals {
  typedef unsigned token; // the number of a phase

  unsigned expected, pending, phase;

  __HEDDLE_FN void begin(unsigned count) {
    expected = pending = count;
    phase = 0;
    __threadfence_block();
  }
  // Ends the use of the counters. The memory may be reused afterwards.
  __HEDDLE_FN void end() {}
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
  // Arrives in this phase, and lowers the number of expected arrivals in later ones.
  template <class Complete> __HEDDLE_FN unsigned drop(Complete complete) {
    __heddle_atomic_add(&expected, 0u - 1, 0);
    return arrive(1, complete);
  }
  __HEDDLE_FN bool isOver(unsigned which) const {
    bool over = (int)(now() - which) > 0;
    __threadfence_block();
    return over;
  }
  // True if the last phase whose number has this parity is over.
  __HEDDLE_FN bool isParityOver(bool parity) const {
    bool over = (now() & 1) != parity;
    __threadfence_block();
    return over;
  }
  __HEDDLE_FN void wait(unsigned which) const {
    while (!isOver(which))
      __nanosleep(20);
  }
  __HEDDLE_FN void waitForParity(bool parity) const {
    while (!isParityOver(parity))
      __nanosleep(20);
  }
  __HEDDLE_FN void waitForPhase(unsigned number) const { wait(number); }
  // Makes the current phase wait for the thread's copies so far, by waiting for them now.
  __HEDDLE_FN void includeCopies() { __heddle_wait_for_all_copies(); }
};
