// What the server answers (docs/serve.md) and what `report --json` holds (docs/report-json.md): only what the page reads.

import type {
  CollectiveRow,
  DeviceTimeline,
  HloRow,
  IdleCause,
  InputStage,
  KernelRow,
  MemoryRow,
  ModuleRow,
  OpByShapeRow,
  OpRow,
  PythonRow,
  Quality,
  Step,
} from './generated/tables';

export type {
  CollectiveRow,
  DeviceStep,
  DeviceTimeline,
  IdleCause,
  InputStage,
  KernelRow,
  MemoryRow,
  ModuleRow,
  OpByShapeRow,
  OpRow,
  PythonRow,
  Quality,
  Step,
} from './generated/tables';

export interface Failure {
  sentence: string;
  file: string;
  offset: number | null;
  next_step: string;
}

export interface ProfileState {
  id: number;
  name: string;
  paths: string[];
  state: 'waiting' | 'loading' | 'ready' | 'failed';
  share: number;
  what: string;
  error: Failure | null;
  revision: number;
  changed: boolean;
  bytes: number;
  /** What a card says of a profile; null until it is read. */
  about?: About | null;
}

export interface About {
  traces: number;
  framework: string | null;
  devices: { name: string; count: number }[];
  bound_by: string;
  median_step_ns: number | null;
  start_unix_ns: number | null;
  findings: { severity: Finding['severity']; title: string }[];
  facts: TimelineInfo['facts'];
}

export interface Session {
  version: string;
  profiles: ProfileState[];
}

export interface Evidence {
  device?: string;
  rank?: number;
  step: number | null;
  start_ns: number;
  ns: number;
  events: number[];
}

export interface Finding {
  rule: string;
  severity: 'high' | 'medium' | 'low' | 'note';
  title: string;
  sentence: string;
  causes: { rule: string; sentence: string }[];
  saving: { lo_ns: number; hi_ns: number; replayed: boolean; note?: string } | null;
  evidence: Evidence[];
  fix: string;
  refuted_by: string;
  confidence: string;
}

export interface RankRow {
  rank: number;
  path: string;
  steps: number;
  step_ns: number;
  own_ns: number;
  compute_ns: number;
  exposed_transfer_ns: number;
  exposed_wait_ns: number;
  copy_ns: number;
  input_ns: number;
  idle_ns: number;
  wait_ns: number;
  last: number;
  first: number;
  z: number | null;
}

export interface RankCollective {
  group: number;
  type: string;
  dtype: string | null;
  bytes: number | null;
  calls: number;
  complete: number;
  transfer_ns: { median: number } | null;
  wait_ns: { median: number };
  arrival_skew_ns: { median: number };
  busbw_bytes_per_s: number | null;
  cost: string;
}

/** One job of several ranks: stepscope.ranks/1 (docs/ranks.md). */
export interface Ranks {
  name: string;
  world_size: number;
  clock: {
    marks: number;
    ranks: { rank: number; offset_ns: number; error_ns: number; aligned: boolean }[];
  };
  ranks: RankRow[];
  collectives: RankCollective[];
  straggler: {
    rank: number;
    consistent: boolean;
    excess_ns: number;
    gain_lo_ns: number;
    gain_hi_ns: number;
    sentence: string;
  } | null;
  steps: { step: number; late_ns: number[]; own_ns: (number | null)[] }[];
  calls: { collective: number; step: number | null; ranks: ([number, number, number] | null)[] }[];
  mismatches: { rank: number; index: number; expected: string | null; found: string | null }[];
  other_jobs?: Ranks[];
}

export interface Report {
  /** Of the first report of several that are ranks of one job. */
  ranks?: Ranks;
  schema: string;
  profile: {
    paths: string[];
    format: string;
    framework: string | null;
    framework_version: string | null;
    host: string | null;
    rank: number | null;
    world_size: number | null;
    span_ns: number;
    events: { in_file: number; stored: number; diagnosed: number };
    devices: {
      id: string;
      name: string | null;
      memory_bytes: number | null;
      compute_capability: string | null;
      sm_count: number | null;
    }[];
  };
  quality: Quality[];
  verdict: { bound_by: string; sentence: string };
  steps: {
    source: string;
    count: number;
    used: number;
    median_ns: number | null;
    min_ns: number | null;
    max_ns: number | null;
    p95_ns: number | null;
    /** What a step takes without the profiler: timed where `unprofiled` counts steps, else estimated. */
    unprofiled_median_ns: number | null;
    unprofiled: number;
    items: Step[];
  };
  idle_causes: IdleCause[];
  ops: OpRow[];
  ops_by_shape: OpByShapeRow[];
  kernels: KernelRow[];
  links: { device_events: number; linked: number; unlinked: number };
  device_timeline: DeviceTimeline[];
  hlo?: HloRow[];
  launches: {
    calls: number;
    median_call_ns: number | null;
    median_delay_ns: number | null;
    queue_empty: number;
  } | null;
  memory: MemoryRow[];
  communication: {
    union_ns: number;
    overlap_with_kernels_ns: number;
    exposed_vs_kernels_ns: number;
    by_collective: CollectiveRow[];
  } | null;
  critical_path?: {
    step: number;
    ns: number;
    host_ns: number;
    device_ns: number;
    delay_ns: number;
    rows: { name: string; kind: string; device: boolean; spans: number; ns: number }[];
  } | null;
  input: {
    wait_ns: number[];
    stages: InputStage[];
  } | null;
  modules?: ModuleRow[];
  /** Lines of Python that samples of a recording found. */
  python?: PythonRow[];
  findings?: Finding[];
  rules?: {
    checked: number;
    fired: string[];
    quiet: string[];
    cannot_tell: { rule: string; needs: string }[];
  };
}

export type LineKind = 'track' | 'instants' | 'idle' | 'counter';

export interface Line {
  kind: LineKind;
  name: string;
  series: string;
  process: number;
  track: number;
  track_kind: 'thread' | 'stream' | 'async' | 'other';
  key: string;
  lane: number;
  device: string;
  stream: number;
  sort: number;
  depths: number;
  spans: number;
  min: number;
  max: number;
  unit: 'bytes' | '';
}

export interface TimelineInfo {
  span_ns: number;
  offset_ns: number;
  host: string;
  rank: number | null;
  processes: { key: string; name: string; labels: string; sort: number }[];
  lines: Line[];
  facts: { shapes: boolean; stacks: boolean; modules: boolean; memory: boolean; graph: boolean };
}

export interface SliceRef {
  row: number;
  name: string;
  kind: string;
  line: number;
  depth: number;
  start_ns: number;
  duration_ns: number;
}

export interface SliceDetails extends SliceRef {
  event: number;
  parent: SliceRef | null;
  ancestors: SliceRef[];
  previous: number | null;
  next: number | null;
  self_ns: number;
  flags: number;
  facts: [string, string | number][];
  links: { relation: string; slice: SliceRef }[];
  links_left_out: number;
  name_id: number;
  calls: number;
}

export interface Calls {
  name: string;
  calls: number;
  total_ns: number;
  min_ns: number;
  max_ns: number;
  p50_ns: number;
  p90_ns: number;
  p99_ns: number;
  histogram: { from_ns: number; to_ns: number; count: number }[];
  longest: SliceRef[];
}

export interface Selection {
  from_ns: number;
  to_ns: number;
  spans: number;
  rows: {
    kind: string;
    name: string;
    calls: number;
    total_ns: number;
    self_ns: number;
    max_ns: number;
    longest: number;
  }[];
  rows_left_out: number;
  idle: { device: string; cause: string; ns: number }[];
  busy: { device: string; ns: number }[];
}

/** What a row of a selection is about. */
export type SelectionBy = 'name' | 'kind' | 'op';

/** Work launched and not started, by stream over time. */
export interface Queues {
  queues: { device: string; stream: number; time_ns: number[]; depth: number[] }[];
}

/** The critical path of a step, span by span; row and name are -1 where it waits for a launch to arrive. */
export interface CriticalPath {
  start_ns: number[];
  ns: number[];
  row: number[];
  kind: string[];
  name: number[];
  names: Record<string, string>;
}

export interface SearchAnswer {
  count: number;
  names: number;
  name_ids: number[];
  hits: SliceRef[];
  first: number;
  error: string | null;
}

export interface Flame {
  names: string[];
  name: number[];
  parent: number[];
  value: number[];
  calls: number[];
  kind: string[];
  left_out: number;
}

export interface Holders {
  device: string;
  time_ns: number;
  allocated_bytes: number;
  before_bytes: number;
  live: number;
  holders: { op: string; bytes: number; blocks: number }[];
}

export interface GraphNode {
  name: string;
  op: string;
  device: string;
  shape: string;
  host_ns: number;
  device_ns: number;
  /** What it asked for over the whole profile. */
  allocated_bytes: number;
  inputs: number[];
}

export interface Graph {
  nodes: GraphNode[];
}

export interface IdleDetails {
  device: string;
  cause: string;
  start_ns: number;
  duration_ns: number;
  blamed: SliceRef | null;
  next: SliceRef | null;
  step: string | null;
}

/** stepscope.query/1 */
export interface QueryAnswer {
  schema: string;
  columns: { name: string; type: 'integer' | 'real' | 'text' | 'null' }[];
  rows: (string | number | null)[][];
  truncated: boolean;
  elapsed_ns: number;
}

export interface QuerySchema {
  tables: { name: string; meaning: string; columns: string[] }[];
  views: { name: string; meaning: string; columns: string[] }[];
  functions: { call: string; meaning: string }[];
  library: { name: string; usage: string; meaning: string; sql: string }[];
}

export interface QueryTables {
  /** Of each trace: row numbers of SQL count through all of them. */
  slices: number[];
  schema: QuerySchema;
}
