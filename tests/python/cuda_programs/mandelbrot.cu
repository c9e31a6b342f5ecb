// How long points of the plane stay near zero under z*z + c: blocks are tiles of the picture, and
// take tiles until there are none left (the tiles' counter is a device variable).
__device__ unsigned int nextTile;

template <class T> __device__ inline int iterations(const T cx, const T cy, const int crunch) {
  T x = 0, y = 0;
  int i = 0;
  while (i < crunch && x * x + y * y <= T(4)) {
    T t = x * x - y * y + cx;
    y = T(2) * x * y + cy;
    x = t;
    i++;
  }
  return i;
}

template <class T>
__global__ void mandelbrot(unsigned short *dst, const int imageW, const int imageH,
                           const int crunch, const T xOff, const T yOff, const T scale,
                           const int gridWidth, const int numTiles) {
  __shared__ unsigned int tile;
  while (true) {
    if (threadIdx.x == 0 && threadIdx.y == 0)
      tile = atomicAdd(&nextTile, 1);
    __syncthreads();
    const int mine = tile;
    if (mine >= numTiles)
      break;
    const int ix = blockDim.x * (mine % gridWidth) + threadIdx.x;
    const int iy = blockDim.y * (mine / gridWidth) + threadIdx.y;
    if (ix < imageW && iy < imageH)
      dst[imageW * iy + ix] = iterations<T>(T(ix) * scale + xOff, T(iy) * scale + yOff, crunch);
    __syncthreads();
  }
}
