import { describe, expect, it } from 'vitest';
import { namesApart } from '../../src/frame/names';
import { shortName, shortNames } from '../../src/short_name';
import { stepNames } from '../../src/steps';
import { jumpTo, parseTime } from '../../src/timeline/jump';
import { linesOf } from '../../src/timeline/picking';

describe('short names of kernels', () => {
  // The same names and answers as in src/present/kernel_name_test.cc.
  it('drop what tells kernels apart the least', () => {
    expect(
      shortName(
        'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>)',
      ),
    ).toBe('vectorized_elementwise_kernel<4, CUDAFunctor_add<…>, array<…>>');
    expect(
      shortName(
        'void (anonymous namespace)::elementwise_kernel_with_index<int, at::native::arange_cuda_out(at::Tensor&)::{lambda()#1}>(int)',
      ),
    ).toBe('elementwise_kernel_with_index<int, arange_cuda_out(Tensor&)::{lambda()#1}>');
    expect(shortName('void at::native::batch_norm<float>(float*)')).toBe('batch_norm<float>');
  });
  it('leave other names alone', () => {
    for (const name of [
      'Memcpy HtoD (Pinned -> Device)',
      'sm90_xmma_gemm_bf16bf16_tn_n_tilesize128x128x64',
      'triton_poi_fused_add_0',
      'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)',
      'aten::mm',
      'autograd::engine::evaluate_function: AddmmBackward0',
      '',
    ]) {
      expect(shortName(name)).toBe(name);
    }
  });
  it('take anything', () => {
    for (const name of ['void ', 'void <', 'a::>>>>', '::(', 'void a::b<c<d', 'std::']) {
      expect(typeof shortName(name)).toBe('string');
    }
  });
  it('keep what tells two rows of a table apart', () => {
    const a = 'void f<g<int> >(int)';
    const b = 'void f<g<float> >(int)';
    const short = shortNames([a, b, 'void h<int>(int)']);
    expect(short.get(a)).not.toBe(short.get(b));
    expect(short.get('void h<int>(int)')).toBe('h<int>');
  });
});

describe('names of steps and profiles', () => {
  it('number steps that the file calls the same', () => {
    expect(
      stepNames([
        { name: 'train', number: 3 },
        { name: 'train', number: 4 },
      ]),
    ).toEqual(['train #3', 'train #4']);
    expect(stepNames([{ name: 'ProfilerStep#2', number: 2 }])).toEqual(['ProfilerStep#2']);
  });
  it('tell profiles of one name apart by their folders', () => {
    const at = (id: number, path: string) => ({ id, name: path.split('/').at(-1)!, paths: [path] });
    const names = namesApart([
      at(0, 'a/x/t.json'),
      at(1, 'a/y/t.json'),
      at(2, 'u.json'),
      at(3, 'a/y/t.json'),
    ]);
    expect([0, 1, 2, 3].map((id) => names.get(id))).toEqual([
      'x/t.json',
      'y/t.json',
      'u.json',
      'y/t.json (2)',
    ]);
  });
});

describe('going to a place', () => {
  const steps = [
    { from: 1000, to: 2000, name: 'train #3', number: 3 },
    { from: 2000, to: 3000, name: 'train #4', number: 4 },
  ];
  it('reads times', () => {
    expect(parseTime('1.25 s')).toBe(1.25e9);
    expect(parseTime('350ms')).toBe(350e6);
    expect(parseTime('12 µs')).toBe(12e3);
    expect(parseTime('7')).toBe(7e6);
    expect(parseTime('fast')).toBeNull();
  });
  it('goes to steps, stretches and times', () => {
    const now = { from: 0, to: 100 };
    expect(jumpTo('step 4', now, steps)).toEqual({ from: 1980, to: 3020 });
    expect(jumpTo('#3', now, steps)).toEqual({ from: 980, to: 2020 });
    expect(jumpTo('第 4 步', now, steps)).toEqual({ from: 1980, to: 3020 });
    expect(jumpTo('train #3', now, steps)).toEqual({ from: 980, to: 2020 });
    expect(jumpTo('1us - 3us', now, steps)).toEqual({ from: 1000, to: 3000 });
    expect(jumpTo('200 ns', now, steps)).toEqual({ from: 150, to: 250 });
    expect(jumpTo('nowhere', now, steps)).toBeNull();
  });
});

describe('chosen lines', () => {
  it('are those of one trace, without lines that are drawn only', () => {
    expect(linesOf(['0.3', '1.4', '0.path', '0.12'], 0)).toEqual([3, 12]);
    expect(linesOf(undefined, 0)).toBeUndefined();
  });
});
