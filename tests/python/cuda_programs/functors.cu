// A map over an array by function objects, lambdas and members: classes with operators,
// inheritance, constant expressions and variadic templates, all compiled away.
template <typename T> class Vec2 {
public:
  T x, y;
  __host__ __device__ constexpr Vec2(T x = T(), T y = T()) : x(x), y(y) {}
  __host__ __device__ constexpr Vec2 operator+(const Vec2 &o) const { return {x + o.x, y + o.y}; }
  __host__ __device__ constexpr Vec2 operator*(T s) const { return {x * s, y * s}; }
  __host__ __device__ Vec2 &operator+=(const Vec2 &o) {
    *this = *this + o;
    return *this;
  }
  __host__ __device__ friend constexpr T dot(const Vec2 &a, const Vec2 &b) {
    return a.x * b.x + a.y * b.y;
  }
};
using Vec2f = Vec2<float>;

template <typename Derived> struct Shape {
  __device__ bool contains(Vec2f p) const {
    return static_cast<const Derived *>(this)->distance(p) <= 0;
  }
};
struct Circle : Shape<Circle> {
  Vec2f center;
  float radius;
  __device__ Circle(Vec2f center, float radius) : center(center), radius(radius) {}
  __device__ float distance(Vec2f p) const {
    Vec2f d = p + center * -1.0f;
    return sqrtf(dot(d, d)) - radius;
  }
};

__host__ __device__ constexpr unsigned factorial(unsigned n) {
  unsigned product = 1;
  for (unsigned i = 2; i <= n; ++i)
    product *= i;
  return product;
}
static_assert(factorial(5) == 120, "known when it is compiled");

struct View {
  Vec2f *data;
  int size;
  __device__ Vec2f &operator[](int i) const { return data[i]; }
};

template <typename View, typename... Steps>
__device__ void transformEach(View view, Steps... steps) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < view.size; i += gridDim.x * blockDim.x)
    (steps(view[i]), ...);
}

struct Scale {
  float by;
  __device__ void operator()(Vec2f &v) const { v = v * by; }
};

extern "C" __global__ void classes(Vec2f *points, int n, float by, int *inside) {
  const Circle circle(Vec2f(1.0f, 2.0f), 3.0f);
  auto count = [=](Vec2f &v) {
    if (circle.contains(v))
      atomicAdd(inside, 1);
  };
  auto shift = [](auto &v) { v += Vec2f(factorial(3), factorial(4)); };
  transformEach(View{points, n}, count, Scale{by}, shift);
}
