// Texture and surface objects: addresses of descriptors, which heddle/compat/cupy/texture.py creates.
#pragma once

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

enum __heddle_address_mode { __heddle_wrap, __heddle_clamp, __heddle_mirror, __heddle_border };

struct __heddle_texture {
  char *data;
  long long row, layer; // bytes between rows, and between layers
  int extents[3];       // elements along x, y and z
  int channels, bytes;  // channels per element; bytes per channel
  int kind;             // number format: 0 signed, 1 unsigned, 2 float, as in cudaChannelFormatKind
  int modes[3];         // handling of out-of-range coordinates per axis
  // Read modes: cudaFilterModeLinear, normalized coordinates, integers read as normalized floats.
  int linear, normalized, scaled;
  float border[4];

  __HEDDLE_FN bool finds(const int (&at)[3]) const {
    bool inside = true;
    for (int axis = 0; axis < 3; ++axis)
      inside = inside && at[axis] >= 0 && at[axis] < extents[axis];
    return inside;
  }
  __HEDDLE_FN char *place(const int (&at)[3]) const {
    return data + at[2] * layer + at[1] * row + (long long)at[0] * channels * bytes;
  }
  /// One channel of an element, as `T`.
  template <class T> __HEDDLE_FN T number(const char *element, int channel) const {
    const char *p = element + channel * bytes;
    if (kind == 2)
      return bytes == 2 ? (T) * (const _Float16 *)p : (T) * (const float *)p;
    if (kind == 1) {
      unsigned v = bytes == 1   ? *(const unsigned char *)p
                   : bytes == 2 ? *(const unsigned short *)p
                                : *(const unsigned *)p;
      return scaled ? (T)(v / (bytes == 1 ? 255.0f : 65535.0f)) : (T)v;
    }
    int v = bytes == 1 ? *(const signed char *)p : bytes == 2 ? *(const short *)p : *(const int *)p;
    return scaled ? (T)fmaxf(v / (bytes == 1 ? 127.0f : 32767.0f), -1.0f) : (T)v;
  }
  /// Maps an index outside the extent to one inside, according to `modes`; below 0 for the border color.
  __HEDDLE_FN int resolved(int i, int axis) const {
    int n = extents[axis], mode = modes[axis];
    if (i >= 0 && i < n)
      return i;
    if (mode == __heddle_border)
      return -1;
    if (!normalized || mode == __heddle_clamp)
      return i < 0 ? 0 : n - 1;
    int period = mode == __heddle_mirror ? 2 * n : n, at = i % period;
    at = at < 0 ? at + period : at;
    return at < n ? at : period - 1 - at;
  }
  template <class T> __HEDDLE_FN T texel(int x, int y, int z, int channel) const {
    int at[3] = {resolved(x, 0), resolved(y, 1), resolved(z, 2)};
    return finds(at) ? number<T>(place(at), channel) : (T)border[channel];
  }
  /// Reads one channel at a point. The first `axes` coordinates are interpolated if `linear`; the others are indices.
  template <class T> __HEDDLE_FN T at(const float (&point)[3], int axes, int channel) const {
    int low[3];
    float weight[3];
    for (int axis = 0; axis < 3; ++axis) {
      float x = point[axis];
      if (axis < axes)
        x = (normalized ? x * extents[axis] : x) - (linear ? 0.5f : 0.0f);
      float whole = floorf(x);
      low[axis] = (int)whole;
      weight[axis] = axis < axes && linear ? x - whole : 0.0f;
    }
    if (!linear)
      return texel<T>(low[0], low[1], low[2], channel);
    float sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
      float share = 1;
      for (int axis = 0; axis < 3; ++axis)
        share *= corner >> axis & 1 ? weight[axis] : 1 - weight[axis];
      if (share != 0)
        sum += share * texel<float>(low[0] + (corner & 1), low[1] + (corner >> 1 & 1),
                                    low[2] + (corner >> 2), channel);
    }
    return (T)sum;
  }
};

template <class _T, bool = __is_class(_T)> struct __heddle_part {
  typedef _T type;
};
template <class _T> struct __heddle_part<_T, true> {
  typedef decltype(_T::x) type;
};

__HEDDLE_FN const __heddle_texture *__heddle_texture_of(unsigned long long object) {
  return (const __heddle_texture *)object;
}

template <class _T> __HEDDLE_FN _T __heddle_read(const __heddle_texture *t, float3 p, int axes) {
  float point[3] = {p.x, p.y, p.z};
  typedef typename __heddle_part<_T>::type _Part;
  _T value{};
  _Part *parts = (_Part *)&value;
  for (int c = 0; c < (int)(sizeof(_T) / sizeof(_Part)); ++c)
    parts[c] = c < t->channels ? t->at<_Part>(point, axes, c) : _Part(0);
  return value;
}

// Each function also has a variant that stores the result through its first argument.
#define __HEDDLE_TEXTURE(name, axes, point, names, ...)                                            \
  template <class _T> __HEDDLE_FN _T name(cudaTextureObject_t t, __VA_ARGS__) {                    \
    return __heddle_read<_T>(__heddle_texture_of(t), make_float3 point, axes);                     \
  }                                                                                                \
  template <class _T> __HEDDLE_FN void name(_T *to, cudaTextureObject_t t, __VA_ARGS__) {          \
    *to = name<_T> names;                                                                          \
  }
__HEDDLE_TEXTURE(tex1D, 1, (x, 0, 0), (t, x), float x)
__HEDDLE_TEXTURE(tex2D, 2, (x, y, 0), (t, x, y), float x, float y)
__HEDDLE_TEXTURE(tex3D, 3, (x, y, z), (t, x, y, z), float x, float y, float z)
__HEDDLE_TEXTURE(tex1DLayered, 1, (x, 0, layer), (t, x, layer), float x, int layer)
__HEDDLE_TEXTURE(tex2DLayered, 2, (x, y, layer), (t, x, y, layer), float x, float y, int layer)
// Textures have a single mipmap level, so the level of detail is ignored.
__HEDDLE_TEXTURE(tex1DLod, 1, (x, 0, 0), (t, x, level), float x, float level)
__HEDDLE_TEXTURE(tex2DLod, 2, (x, y, 0), (t, x, y, level), float x, float y, float level)
__HEDDLE_TEXTURE(tex3DLod, 3, (x, y, z), (t, x, y, z, level), float x, float y, float z,
                 float level)
__HEDDLE_TEXTURE(tex2DLayeredLod, 2, (x, y, layer), (t, x, y, layer, level), float x, float y,
                 int layer, float level)
__HEDDLE_TEXTURE(tex1DLayeredLod, 1, (x, 0, layer), (t, x, layer, level), float x, int layer,
                 float level)
__HEDDLE_TEXTURE(tex1DGrad, 1, (x, 0, 0), (t, x, dx, dy), float x, float dx, float dy)
__HEDDLE_TEXTURE(tex2DGrad, 2, (x, y, 0), (t, x, y, dx, dy), float x, float y, float2 dx, float2 dy)
__HEDDLE_TEXTURE(tex3DGrad, 3, (x, y, z), (t, x, y, z, dx, dy), float x, float y, float z,
                 float4 dx, float4 dy)
__HEDDLE_TEXTURE(tex1DLayeredGrad, 1, (x, 0, layer), (t, x, layer, dx, dy), float x, int layer,
                 float dx, float dy)
__HEDDLE_TEXTURE(tex2DLayeredGrad, 2, (x, y, layer), (t, x, y, layer, dx, dy), float x, float y,
                 int layer, float2 dx, float2 dy)
#undef __HEDDLE_TEXTURE

/// Reads one channel of the four elements around a point, counterclockwise from the lower left one.
template <class _T>
__HEDDLE_FN _T tex2Dgather(cudaTextureObject_t object, float x, float y, int channel = 0) {
  const __heddle_texture *t = __heddle_texture_of(object);
  typedef typename __heddle_part<_T>::type _Part;
  static_assert(sizeof(_T) == 4 * sizeof(_Part), "tex2Dgather makes a vector of four");
  int column = (int)floorf((t->normalized ? x * t->extents[0] : x) - 0.5f);
  int row = (int)floorf((t->normalized ? y * t->extents[1] : y) - 0.5f);
  _T value{};
  if (channel < t->channels) {
    value.x = t->texel<_Part>(column, row + 1, 0, channel);
    value.y = t->texel<_Part>(column + 1, row + 1, 0, channel);
    value.z = t->texel<_Part>(column + 1, row, 0, channel);
    value.w = t->texel<_Part>(column, row, 0, channel);
  }
  return value;
}
template <class _T>
__HEDDLE_FN void tex2Dgather(_T *to, cudaTextureObject_t t, float x, float y, int channel = 0) {
  *to = tex2Dgather<_T>(t, x, y, channel);
}

/// Reads element `i` of linear memory; 0 if `i` is out of range.
template <class _T> __HEDDLE_FN _T tex1Dfetch(cudaTextureObject_t object, int i) {
  const __heddle_texture *t = __heddle_texture_of(object);
  typedef typename __heddle_part<_T>::type _Part;
  int at[3] = {i, 0, 0};
  _T value{};
  _Part *parts = (_Part *)&value;
  if (t->finds(at))
    for (int c = 0; c < (int)(sizeof(_T) / sizeof(_Part)) && c < t->channels; ++c)
      parts[c] = t->number<_Part>(t->place(at), c);
  return value;
}
template <class _T> __HEDDLE_FN void tex1Dfetch(_T *to, cudaTextureObject_t t, int i) {
  *to = tex1Dfetch<_T>(t, i);
}

/// The address of a surface element; `p.x` is in bytes. Null if the access must be skipped.
template <class _T>
__HEDDLE_FN _T *__heddle_surface(cudaSurfaceObject_t object, int3 p, cudaSurfaceBoundaryMode mode) {
  const __heddle_texture *t = __heddle_texture_of(object);
  int at[3] = {p.x >= 0 ? p.x / (t->channels * t->bytes) : -1, p.y, p.z};
  if (!t->finds(at)) {
    if (mode == cudaBoundaryModeTrap)
      __trap();
    if (mode == cudaBoundaryModeZero)
      return nullptr;
    for (int axis = 0; axis < 3; ++axis)
      at[axis] = at[axis] < 0 ? 0 : min(at[axis], t->extents[axis] - 1);
  }
  return (_T *)t->place(at);
}

#define __HEDDLE_SURFACE(name, point, ...)                                                         \
  template <class _T>                                                                              \
  __HEDDLE_FN _T name##read(cudaSurfaceObject_t s, __VA_ARGS__,                                    \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                 \
    const _T *place = __heddle_surface<_T>(s, make_int3 point, mode);                              \
    return place ? *place : _T{};                                                                  \
  }                                                                                                \
  template <class _T>                                                                              \
  __HEDDLE_FN void name##read(_T *to, cudaSurfaceObject_t s, __VA_ARGS__,                          \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {               \
    const _T *place = __heddle_surface<_T>(s, make_int3 point, mode);                              \
    *to = place ? *place : _T{};                                                                   \
  }                                                                                                \
  template <class _T>                                                                              \
  __HEDDLE_FN void name##write(_T value, cudaSurfaceObject_t s, __VA_ARGS__,                       \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
    if (_T *place = __heddle_surface<_T>(s, make_int3 point, mode))                                \
      *place = value;                                                                              \
  }
__HEDDLE_SURFACE(surf1D, (x, 0, 0), int x)
__HEDDLE_SURFACE(surf2D, (x, y, 0), int x, int y)
__HEDDLE_SURFACE(surf3D, (x, y, z), int x, int y, int z)
__HEDDLE_SURFACE(surf2DLayered, (x, y, layer), int x, int y, int layer)
#undef __HEDDLE_SURFACE
