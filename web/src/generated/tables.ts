// Made by `make generate` from the lists of columns in src; do not edit.

/** A row of steps: a step. */
export interface Step {
  /** what the file calls it. */
  name: string;
  /** its number. */
  number: number;
  /** when its marker begins. */
  host_start_ns: number;
  /** length of its marker. */
  host_duration_ns: number;
  /** when the interval begins that all else refers to. */
  start_ns: number;
  /** length of that interval. */
  duration_ns: number;
  /** whether it counts in medians and sums. */
  used: boolean;
  /** why it does not. */
  why_unused: string | null;
  /** where its time goes on each device. */
  devices: DeviceStep[];
  /** the TensorBoard plugin's partition; adds up to duration_ns. */
  priority_ns: {
    /** kernels. */
    kernel: number;
    /** copies. */
    memcpy: number;
    /** memsets. */
    memset: number;
    /** communication. */
    communication: number;
    /** runtime calls. */
    runtime: number;
    /** data loader. */
    dataloader: number;
    /** ops on the host. */
    cpu_exec: number;
    /** the rest. */
    other: number;
  } | null;
}

/** A row of step_devices: a step on one device: duration = compute + exposed communication + exposed copy + exposed memset + idle. */
export interface DeviceStep {
  /** the device. */
  device: string;
  /** time in which anything ran. */
  busy_ns: number;
  /** time in which kernels computed. */
  compute_ns: number;
  /** time of collectives. */
  communication_ns: number;
  /** of it without computation beside it. */
  exposed_communication_ns: number;
  /** time of copies. */
  copy_ns: number;
  /** of it with nothing else beside it. */
  exposed_copy_ns: number;
  /** time of memsets. */
  memset_ns: number;
  /** of it with nothing else beside it. */
  exposed_memset_ns: number;
  /** time in which nothing ran. */
  idle_ns: number;
  /** adds up to idle_ns. */
  idle_causes: {
    /** why the device idles. */
    cause: string;
    /** idle time with this cause. */
    ns: number;
  }[];
}

/** A row of idle_causes: a cause of idle time on one device, over all steps. */
export interface IdleCause {
  /** the device that idles. */
  device: string;
  /** why it idles. */
  cause: string;
  /** idle time with this cause. */
  ns: number;
  /** how many stretches. */
  gaps: number;
  /** the longest stretch. */
  longest: {
    /** when it begins. */
    start_ns: number;
    /** how long it lasts. */
    ns: number;
    /** event ids: what the host was doing, and the work that ended the gap. */
    evidence: number[];
  };
  /** the code that most of it is spent in. */
  example: string;
}

/** A row of ops: an op or annotation, by name. */
export interface OpRow {
  /** name of the op or annotation. */
  name: string;
  /** framework_op or user_annotation. */
  kind: string;
  /** how often it ran. */
  calls: number;
  /** time on the host less the ops inside. */
  host_self_ns: number;
  /** time on the host, ops inside included. */
  host_total_ns: number;
  /** device work that it launched itself, added up. */
  device_self_ns: number;
  /** device work that it or an op inside launched. */
  device_total_ns: number;
  /** the part of device_self_ns in tensor-core kernels. */
  tensor_core_ns: number;
  /** host_total_ns of the calls that are not inside a call of the same name. */
  host_total_outermost_ns: number;
  /** device_total_ns of the calls that are not inside a call of the same name. */
  device_total_outermost_ns: number;
  /** calls that are not inside a call of the same name. */
  calls_outermost: number;
  /** host_self_ns less the runtime calls inside. */
  host_self_excl_runtime_ns: number;
  /** time in which at least one piece of its own device work ran. */
  device_self_union_ns: number;
  /** calls that launched device work themselves. */
  calls_launching: number;
  /** whether the op can use tensor cores. */
  tensor_core_eligible: boolean;
  /** the part of device_total_ns in tensor-core kernels. */
  tensor_core_total_ns: number;
}

/** A row of ops_by_shape: an op, by name and input shapes. */
export interface OpByShapeRow {
  /** name of the op or annotation. */
  name: string;
  /** framework_op or user_annotation. */
  kind: string;
  /** nested lists of sizes, or the file's own text where it is none. */
  input_shapes: unknown;
  /** how often it ran. */
  calls: number;
  /** time on the host less the ops inside. */
  host_self_ns: number;
  /** time on the host, ops inside included. */
  host_total_ns: number;
  /** device work that it launched itself, added up. */
  device_self_ns: number;
  /** device work that it or an op inside launched. */
  device_total_ns: number;
  /** the part of device_self_ns in tensor-core kernels. */
  tensor_core_ns: number;
  /** host_total_ns of the calls that are not inside a call of the same name. */
  host_total_outermost_ns: number;
  /** device_total_ns of the calls that are not inside a call of the same name. */
  device_total_outermost_ns: number;
  /** calls that are not inside a call of the same name. */
  calls_outermost: number;
  /** host_self_ns less the runtime calls inside. */
  host_self_excl_runtime_ns: number;
  /** time in which at least one piece of its own device work ran. */
  device_self_union_ns: number;
  /** calls that launched device work themselves. */
  calls_launching: number;
  /** whether the op can use tensor cores. */
  tensor_core_eligible: boolean;
  /** the part of device_total_ns in tensor-core kernels. */
  tensor_core_total_ns: number;
}

/** A row of kernels: a kernel, copy or memset, by device, kind and name. */
export interface KernelRow {
  /** name as the file spells it. */
  name: string;
  /** kernel, memcpy or memset. */
  kind: string;
  /** where it ran: gpu:N, tpu:N or cpu:0. */
  device: string;
  /** how often it ran. */
  calls: number;
  /** time of all calls, added up. */
  total_ns: number;
  /** the shortest call. */
  min_ns: number;
  /** the longest call. */
  max_ns: number;
  /** the median call. */
  p50_ns: number;
  /** what the name says it does: gemm, convolution, …. */
  category: string;
  /** whether it runs on tensor cores. */
  tensor_core: boolean;
  /** the ops that launched it, the largest first. */
  launched_by: {
    /** name of the op. */
    op: string;
    /** time of the kernels that it launched. */
    ns: number;
  }[];
  /** blocks per multiprocessor, mean over time. */
  mean_blocks_per_sm: number | null;
  /** estimated occupancy, mean over time. */
  mean_occupancy_percent: number | null;
}

/** A row of hlo: an XLA instruction. */
export interface HloRow {
  /** the XLA instruction. */
  name: string;
  /** the compiled module it is in. */
  module: string | null;
  /** XLA's category, else the opcode. */
  category: string | null;
  /** the framework's call path. */
  op_name: string | null;
  /** the Python line that made it. */
  source: string | null;
  /** how often it ran. */
  calls: number;
  /** time of all calls, added up. */
  total_ns: number;
  /** floating-point operations of one call. */
  flops: number | null;
  /** memory traffic of one call. */
  bytes: number | null;
}

/** A row of modules: a module of the program, parents first. */
export interface ModuleRow {
  /** names from the root to the module, joined by " > ". */
  path: string;
  /** how often it ran. */
  calls: number;
  /** time on the host. */
  host_total_ns: number;
  /** device work launched inside. */
  device_total_ns: number;
}

/** A row of memory: a device's memory. */
export interface MemoryRow {
  /** whose memory it is. */
  device: string;
  /** the most that the allocator says it had handed out. */
  peak_allocated_bytes: number | null;
  /** peak of allocations less frees. */
  peak_of_running_sum_bytes: number;
  /** the most that the allocator says it had reserved. */
  peak_reserved_bytes: number | null;
  /** when the peak was. */
  peak_at_ns: number | null;
  /** what is allocated at the end. */
  end_allocated_bytes: number | null;
  /** what each step adds. */
  growth_bytes_per_step: number | null;
  /** the allocators that share the device, where the file names them. */
  allocators?: {
    /** its name. */
    name: string;
    /** the most it says it had handed out. */
    peak_allocated_bytes: number | null;
    /** peak of allocations less frees. */
    peak_of_running_sum_bytes: number;
    /** what it says is handed out at the end. */
    end_allocated_bytes: number | null;
    /** how many. */
    allocations: number;
  }[];
  /** the ops that held the peak. */
  top_ops: {
    /** name of the op. */
    op: string;
    /** allocated by it and live at the peak. */
    bytes: number;
  }[];
}

/** A row of collectives: a collective, by name. */
export interface CollectiveRow {
  /** the collective: allreduce, …. */
  name: string;
  /** how often it ran. */
  calls: number;
  /** time of all calls, added up. */
  ns: number;
  /** what all calls moved. */
  bytes: number | null;
}

/** A row of input_stages: a stage of the input pipeline, the bottleneck first. */
export interface InputStage {
  /** the stage. */
  name: string;
  /** where it is in the pipeline. */
  path: string;
  /** its time less the stages inside. */
  self_ns: number;
  /** how often it ran. */
  calls: number;
  /** whether it runs the user's own code. */
  user_written: boolean;
  /** tf.data: its time, stages inside included. */
  total_ns?: number;
  /** tf.data: of the program's waits; adds up to them over all stages. */
  blocking_ns?: number;
  /** tf.data: the dataset's own name. */
  written_as?: string;
  /** tf.data: how many run at once. */
  parallelism?: number;
  /** tf.data: elements that its buffer holds. */
  buffer_limit?: number;
  /** tf.data: elements that calls found in the buffer, mean. */
  buffered_mean?: number;
  /** tf.data: calls that say so. */
  buffer_seen?: number;
  /** tf.data: of them those that found none. */
  buffer_empty?: number;
  /** tf.data: whether it tunes itself. */
  autotuned?: boolean;
}

/** A row of counters: a series of a counter. */
export interface CounterRow {
  /** the counter. */
  name: string;
  /** the series of it. */
  series: string;
  /** how many samples. */
  samples: number;
  /** the smallest. */
  min: number | null;
  /** the largest. */
  max: number | null;
  /** mean of the samples. */
  mean: number | null;
  /** the last. */
  last: number | null;
}

/** A row of critical_path: what the critical path of the median step goes through, the longest first. */
export interface CriticalRow {
  /** what the path goes through. */
  name: string;
  /** its kind. */
  kind: string;
  /** whether it runs on a device. */
  device: boolean;
  /** how often the path goes through it. */
  spans: number;
  /** its part of the path. */
  ns: number;
}

/** A row of device_timeline: a device over the whole profile. */
export interface DeviceTimeline {
  /** the device. */
  device: string;
  /** work whose launch is in the file. */
  linked: {
    /** computation, memsets included. */
    compute_ns: number;
    /** communication without computation beside it. */
    exposed_communication_ns: number;
    /** copies with nothing else beside them. */
    exposed_copy_ns: number;
    /** anything ran. */
    busy_ns: number;
    /** nothing ran. */
    idle_ns: number;
    /** first start to last end. */
    total_ns: number;
  };
  /** all work. */
  all: {
    /** computation, memsets included. */
    compute_ns: number;
    /** communication without computation beside it. */
    exposed_communication_ns: number;
    /** copies with nothing else beside them. */
    exposed_copy_ns: number;
    /** anything ran. */
    busy_ns: number;
    /** nothing ran. */
    idle_ns: number;
    /** first start to last end. */
    total_ns: number;
  };
  /** GPU utilization of the TensorBoard plugin. */
  utilization_percent: number | null;
  /** its estimated SM efficiency. */
  sm_efficiency_percent: number | null;
  /** its estimated achieved occupancy. */
  occupancy_percent: number | null;
  /** share of kernel time on tensor cores. */
  tensor_core_percent: number | null;
}

/** A row of queues: a stream: work handed to it and not yet started. */
export interface StreamQueue {
  /** the device. */
  device: string;
  /** the stream. */
  stream: number;
  /** pairs of call and work. */
  pairs: number;
  /** the longest queue. */
  max: number;
  /** mean length over time, from the first call to the last start. */
  mean: number;
  /** work that started when nothing else was queued. */
  empty: number;
  /** launches that brought the queue to 1,024 or more. */
  full: number;
}

/** A row of python: a line of Python that samples of a recording found, by its own time. */
export interface PythonRow {
  /** the function, as Python names it. */
  function: string;
  /** the file of the function. */
  file: string;
  /** the line in the file. */
  line: number;
  /** samples that found it on the stack. */
  samples: number;
  /** time on the line itself. */
  self_ns: number;
  /** time on the line and in what it called. */
  total_ns: number;
}

/** A row of quality: a reason to doubt the profile. */
export interface Quality {
  /** stable name, for programs. */
  code: string;
  /** info, warning or error. */
  severity: string;
  /** how often. */
  count: number;
  /** for people. */
  sentence: string;
  /** the first places. */
  examples: {
    /** byte of the file. */
    offset: number | null;
    /** what stands there. */
    text: string;
  }[];
}

export interface DeclaredColumn {
  key: string;
  title: { en: string; zh: string };
  kind: 'number' | 'text' | 'bool' | 'list';
  unit: '' | 'ms' | 'us' | 'bytes' | 'percent';
  brief: boolean;
  bar: boolean;
}

/** The columns that the page shows, from left to right. */
export const declared = {
  ops: [
    {
      key: 'name',
      title: { en: 'Name', zh: '名称' },
      kind: 'text',
      unit: '',
      brief: true,
      bar: false,
    },
    {
      key: 'kind',
      title: { en: 'Kind', zh: '种类' },
      kind: 'text',
      unit: '',
      brief: false,
      bar: false,
    },
    {
      key: 'calls',
      title: { en: 'Calls', zh: '次数' },
      kind: 'number',
      unit: '',
      brief: true,
      bar: false,
    },
    {
      key: 'device_self_ns',
      title: { en: 'Device self', zh: '设备自身' },
      kind: 'number',
      unit: 'ms',
      brief: true,
      bar: true,
    },
    {
      key: 'device_total_ns',
      title: { en: 'Device total', zh: '设备总计' },
      kind: 'number',
      unit: 'ms',
      brief: true,
      bar: false,
    },
    {
      key: 'host_self_ns',
      title: { en: 'Host self', zh: '主机自身' },
      kind: 'number',
      unit: 'ms',
      brief: true,
      bar: true,
    },
    {
      key: 'host_total_ns',
      title: { en: 'Host total', zh: '主机总计' },
      kind: 'number',
      unit: 'ms',
      brief: true,
      bar: false,
    },
    {
      key: 'tensor_core_ns',
      title: { en: 'Tensor cores', zh: '张量核心' },
      kind: 'number',
      unit: 'ms',
      brief: false,
      bar: false,
    },
  ],
  ops_by_shape: [
    {
      key: 'name',
      title: { en: 'Name', zh: '名称' },
      kind: 'text',
      unit: '',
      brief: true,
      bar: false,
    },
    {
      key: 'kind',
      title: { en: 'Kind', zh: '种类' },
      kind: 'text',
      unit: '',
      brief: false,
      bar: false,
    },
    {
      key: 'calls',
      title: { en: 'Calls', zh: '次数' },
      kind: 'number',
      unit: '',
      brief: true,
      bar: false,
    },
    {
      key: 'device_self_ns',
      title: { en: 'Device self', zh: '设备自身' },
      kind: 'number',
      unit: 'ms',
      brief: true,
      bar: true,
    },
    {
      key: 'device_total_ns',
      title: { en: 'Device total', zh: '设备总计' },
      kind: 'number',
      unit: 'ms',
      brief: true,
      bar: false,
    },
    {
      key: 'host_self_ns',
      title: { en: 'Host self', zh: '主机自身' },
      kind: 'number',
      unit: 'ms',
      brief: true,
      bar: true,
    },
    {
      key: 'host_total_ns',
      title: { en: 'Host total', zh: '主机总计' },
      kind: 'number',
      unit: 'ms',
      brief: true,
      bar: false,
    },
    {
      key: 'tensor_core_ns',
      title: { en: 'Tensor cores', zh: '张量核心' },
      kind: 'number',
      unit: 'ms',
      brief: false,
      bar: false,
    },
  ],
  kernels: [
    {
      key: 'name',
      title: { en: 'Name', zh: '名称' },
      kind: 'text',
      unit: '',
      brief: true,
      bar: false,
    },
    {
      key: 'category',
      title: { en: 'Category', zh: '类别' },
      kind: 'text',
      unit: '',
      brief: true,
      bar: false,
    },
    {
      key: 'device',
      title: { en: 'Device', zh: '设备' },
      kind: 'text',
      unit: '',
      brief: false,
      bar: false,
    },
    {
      key: 'calls',
      title: { en: 'Calls', zh: '次数' },
      kind: 'number',
      unit: '',
      brief: true,
      bar: false,
    },
    {
      key: 'total_ns',
      title: { en: 'Total', zh: '总计' },
      kind: 'number',
      unit: 'ms',
      brief: true,
      bar: true,
    },
    {
      key: 'min_ns',
      title: { en: 'Min', zh: '最短' },
      kind: 'number',
      unit: 'us',
      brief: false,
      bar: false,
    },
    {
      key: 'p50_ns',
      title: { en: 'Median', zh: '中位数' },
      kind: 'number',
      unit: 'us',
      brief: false,
      bar: false,
    },
    {
      key: 'max_ns',
      title: { en: 'Max', zh: '最长' },
      kind: 'number',
      unit: 'us',
      brief: false,
      bar: false,
    },
    {
      key: 'tensor_core',
      title: { en: 'Tensor cores', zh: '张量核心' },
      kind: 'bool',
      unit: '',
      brief: false,
      bar: false,
    },
    {
      key: 'mean_occupancy_percent',
      title: { en: 'Occupancy', zh: '占用率' },
      kind: 'number',
      unit: 'percent',
      brief: false,
      bar: false,
    },
    {
      key: 'launched_by',
      title: { en: 'Launched by', zh: '启动者' },
      kind: 'list',
      unit: '',
      brief: true,
      bar: false,
    },
  ],
  modules: [
    {
      key: 'path',
      title: { en: 'Path', zh: '路径' },
      kind: 'text',
      unit: '',
      brief: false,
      bar: false,
    },
    {
      key: 'calls',
      title: { en: 'Calls', zh: '次数' },
      kind: 'number',
      unit: '',
      brief: false,
      bar: false,
    },
    {
      key: 'device_total_ns',
      title: { en: 'Device total', zh: '设备总计' },
      kind: 'number',
      unit: 'ms',
      brief: false,
      bar: true,
    },
    {
      key: 'host_total_ns',
      title: { en: 'Host total', zh: '主机总计' },
      kind: 'number',
      unit: 'ms',
      brief: false,
      bar: false,
    },
  ],
  input_stages: [
    {
      key: 'name',
      title: { en: 'Name', zh: '名称' },
      kind: 'text',
      unit: '',
      brief: false,
      bar: false,
    },
    {
      key: 'path',
      title: { en: 'Path', zh: '路径' },
      kind: 'text',
      unit: '',
      brief: false,
      bar: false,
    },
    {
      key: 'calls',
      title: { en: 'Calls', zh: '次数' },
      kind: 'number',
      unit: '',
      brief: false,
      bar: false,
    },
    {
      key: 'self_ns',
      title: { en: 'Self', zh: '自身' },
      kind: 'number',
      unit: 'ms',
      brief: false,
      bar: true,
    },
    {
      key: 'user_written',
      title: { en: 'User code', zh: '用户代码' },
      kind: 'bool',
      unit: '',
      brief: false,
      bar: false,
    },
  ],
  python: [
    {
      key: 'function',
      title: { en: 'Function', zh: '函数' },
      kind: 'text',
      unit: '',
      brief: true,
      bar: false,
    },
    {
      key: 'file',
      title: { en: 'File', zh: '文件' },
      kind: 'text',
      unit: '',
      brief: true,
      bar: false,
    },
    {
      key: 'line',
      title: { en: 'Line', zh: '行' },
      kind: 'number',
      unit: '',
      brief: true,
      bar: false,
    },
    {
      key: 'self_ns',
      title: { en: 'Self', zh: '自身' },
      kind: 'number',
      unit: 'ms',
      brief: true,
      bar: false,
    },
    {
      key: 'total_ns',
      title: { en: 'Total', zh: '总计' },
      kind: 'number',
      unit: 'ms',
      brief: true,
      bar: false,
    },
    {
      key: 'samples',
      title: { en: 'Samples', zh: '采样数' },
      kind: 'number',
      unit: '',
      brief: false,
      bar: false,
    },
  ],
} satisfies Record<string, DeclaredColumn[]>;
