// Symbol visibility and the versioned namespace of this interface.
#pragma once

#define HEDDLE_EXPORT __attribute__((visibility("default")))

// Every name is in heddle::v1, which programs write as heddle. An ABI break changes it to v2. Within the library itself
// v1 is not inline, because namespace heddle has other classes with these names.
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
