// How the names of this interface are seen from outside the library, and their version.
#pragma once

#define HEDDLE_EXPORT __attribute__((visibility("default")))

// Every name is in heddle::v1, which programs write as heddle. A change that old programs could not link with would make
// it v2. The library itself has other things of those names in heddle.
#ifdef HEDDLE_BUILDS_LIBRARY
#define HEDDLE_BEGIN_NAMESPACE                                                                     \
  namespace heddle {                                                                               \
  namespace v1 {
#else
#define HEDDLE_BEGIN_NAMESPACE                                                                     \
  namespace heddle {                                                                               \
  inline namespace v1 {
#endif
#define HEDDLE_END_NAMESPACE                                                                       \
  }                                                                                                \
  }
