// C interface for barriers with separate arrive and wait.
#pragma once
#include "heddle/mbarrier.h"

typedef __heddle_block_arrivals __mbarrier_t;
typedef __mbarrier_t::token __mbarrier_token_t;

__HEDDLE_FN unsigned __mbarrier_maximum_count() { return (1u << 20) - 1; }
__HEDDLE_FN void __mbarrier_init(__mbarrier_t *barrier, unsigned expected) {
  barrier->begin(expected);
}
__HEDDLE_FN void __mbarrier_inval(__mbarrier_t *barrier) { barrier->end(); }
__HEDDLE_FN __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *barrier) {
  return barrier->arrive(1);
}
__HEDDLE_FN __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *barrier) {
  return barrier->drop([] {});
}
__HEDDLE_FN bool __mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token) {
  return barrier->isOver(token);
}
__HEDDLE_FN bool __mbarrier_test_wait_parity(__mbarrier_t *barrier, bool parity) {
  return barrier->isParityOver(parity);
}
// A call may return before the time has passed.
__HEDDLE_FN bool __mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token, unsigned) {
  return barrier->isOver(token);
}
__HEDDLE_FN bool __mbarrier_try_wait_parity(__mbarrier_t *barrier, bool parity, unsigned) {
  return barrier->isParityOver(parity);
}
