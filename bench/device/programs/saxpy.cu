// A CUDA C++ program: 3,000 steps of a copy and two kernels.
#include <cstdio>
#include <vector>

__global__ void Saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void Square(int n, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] *= y[i];
}

int main() {
  constexpr int kSize = 1 << 22, kSteps = 3000;
  std::vector<float> host(kSize, 1.0f);
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, kSize * sizeof(float));
  cudaMalloc(&y, kSize * sizeof(float));
  for (int step = 0; step < kSteps; ++step) {
    if (step % 10 == 0) cudaMemcpy(x, host.data(), kSize * sizeof(float), cudaMemcpyHostToDevice);
    Saxpy<<<kSize / 256, 256>>>(kSize, 0.5f, x, y);
    Square<<<kSize / 256, 256>>>(kSize, y);
    if (step % 100 == 99) cudaDeviceSynchronize();
  }
  cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
