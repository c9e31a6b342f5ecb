// The parts of <utility> and <initializer_list> that NVRTC programs can use without including them.
#pragma once
#include <initializer_list>

template <class _T> struct __heddle_referred {
  typedef _T type;
};
template <class _T> struct __heddle_referred<_T &> {
  typedef _T type;
};
template <class _T> struct __heddle_referred<_T &&> {
  typedef _T type;
};

namespace std {

template <class _T> __HEDDLE_LIB typename __heddle_referred<_T>::type &&move(_T &&v) noexcept {
  return static_cast<typename __heddle_referred<_T>::type &&>(v);
}
template <class _T> __HEDDLE_LIB _T &&forward(typename __heddle_referred<_T>::type &v) noexcept {
  return static_cast<_T &&>(v);
}
template <class _T> __HEDDLE_LIB _T &&forward(typename __heddle_referred<_T>::type &&v) noexcept {
  return static_cast<_T &&>(v);
}

} // namespace std
