// Moves particles, an array of structures, under a box's parameters, a structure by value: both
// have members of several types, vectors and arrays.
struct __align__(16) Particle {
  float4 position;
  float3 velocity;
  int bounces;
};

struct Box {
  float lower[3], upper[3];
  double gravity;
  short steps;
  bool elastic;
};

__device__ void bounce(float &x, float &v, float lower, float upper, const Box &box, int &bounces) {
  if (x >= lower && x <= upper)
    return;
  x = fminf(fmaxf(x, lower), upper);
  v = box.elastic ? -v : 0.0f;
  ++bounces;
}

__global__ void move(Particle *particles, int n, const Box box, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Particle p = particles[i];
  for (short s = 0; s < box.steps; ++s) {
    p.velocity.z -= float(box.gravity) * dt;
    p.position.x += p.velocity.x * dt;
    p.position.y += p.velocity.y * dt;
    p.position.z += p.velocity.z * dt;
    bounce(p.position.x, p.velocity.x, box.lower[0], box.upper[0], box, p.bounces);
    bounce(p.position.y, p.velocity.y, box.lower[1], box.upper[1], box, p.bounces);
    bounce(p.position.z, p.velocity.z, box.lower[2], box.upper[2], box, p.bounces);
  }
  particles[i] = p;
}
