import type { CriticalPath, Flame, Session, SliceDetails, TimelineInfo } from './api';
import { KINDS } from './colors';
import type { Diff } from './diff';
import { language } from './i18n';
import { type ReportsAnswer, withRanks } from './reports_answer';
import type { Source } from './source';
import { BlockType, decodeTiles, MAGIC, type SpanBlock } from './timeline/tiles';

/** What `report --html` puts into the page. Tiles are the server's bytes in base64. */
interface Embedded {
  version: string;
  language: string;
  name: string;
  report: ReportsAnswer;
  timelines: TimelineInfo[];
  tiles: { trace: number; base64: string }[];
  flames?: { trace: number; by: string; metric: string; flame: Flame }[];
  paths?: (CriticalPath | null)[];
}

/** What `diff --html` puts into the page; a side that is a stored baseline has no data of its own. */
interface EmbeddedDiff {
  version: string;
  language: string;
  names: [string, string];
  diff: Diff;
  sides: (Embedded | null)[];
}

const refuse = () => Promise.reject(new Error('not in a one-file report'));

/** The source inside a one-file report, or null when the page comes from a server. */
export function embeddedSource(document: Document): Source | null {
  const element = document.getElementById('stepscope-data');
  if (!element?.textContent) return null;
  const data = JSON.parse(element.textContent) as Embedded | EmbeddedDiff;
  // The sentences inside are in this language; the address may still ask for another.
  if (!new URLSearchParams(location.search).has('lang')) language.value = data.language;
  return 'diff' in data ? new DiffSource(data) : new EmbeddedSource(data);
}

const HEADER = 24;

const stateOf = (id: number, name: string): Session['profiles'][0] => ({
  id,
  name,
  paths: [name],
  state: 'ready',
  share: 1,
  what: '',
  error: null,
  revision: 1,
  changed: false,
  bytes: 0,
});

export class EmbeddedSource implements Source {
  readonly live = false;
  readonly flames: string[];
  /** By trace and row: spans that stand alone in some tile. */
  private readonly spans = new Map<string, SliceDetails>();
  private readonly texts: Map<number, string>[] = [];
  private readonly blocks = new Map<string, Uint8Array>();
  private readonly names: Uint8Array[] = []; // by trace: the dictionary that ends an answer
  private readonly coarsest: number[] = [];
  private readonly stored = new Set<string>();

  constructor(private readonly data: Embedded) {
    this.flames = (data.flames ?? []).map(({ by, metric }) => `${by}/${metric}`);
    for (const { trace, base64 } of data.tiles) {
      this.add(
        trace,
        Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)),
      );
    }
  }

  private add(trace: number, bytes: Uint8Array<ArrayBuffer>): void {
    let at = 8;
    const { tiles, names } = decodeTiles(bytes.buffer);
    this.texts[trace] ??= new Map();
    for (const [id, name] of names) this.texts[trace].set(id, name);
    for (const { line, shift, tile, block } of tiles) {
      if (block.type === BlockType.Spans) this.remember(trace, line, block);
      const pad = (size: number) => Math.ceil((block.items * size) / 8) * 8;
      const columns =
        block.type === BlockType.Counter
          ? pad(8) + 4 * pad(4)
          : 2 * pad(8) + 4 * pad(4) + pad(2) + 2 * pad(1);
      this.blocks.set(`${trace}/${line}/${shift}/${tile}`, bytes.slice(at, at + HEADER + columns));
      this.stored.add(`${trace}/${line}`);
      this.coarsest[trace] = Math.max(this.coarsest[trace] ?? 0, shift);
      at += HEADER + columns;
    }
    this.names[trace] = joinNames(this.names[trace], bytes.slice(at));
  }

  /** A span that a tile holds alone has its own name and length there. */
  private remember(trace: number, line: number, block: SpanBlock): void {
    for (let i = 0; i < block.items; ++i) {
      if (block.count[i] > 1) continue;
      const row = block.row[i];
      this.spans.set(`${trace}/${row}`, {
        row,
        name: this.texts[trace].get(block.name[i]) ?? '',
        kind: KINDS[block.kind[i]],
        line,
        depth: block.depth[i],
        start_ns: block.start[i],
        duration_ns: block.extent[i],
        event: -1,
        parent: null,
        ancestors: [],
        previous: null,
        next: null,
        self_ns: -1,
        flags: block.flags[i],
        facts: [],
        links: [],
        links_left_out: 0,
        name_id: block.name[i],
        calls: 0,
      });
    }
  }

  slice = (_profile: number, trace: number, row: number): Promise<SliceDetails> => {
    const found = this.spans.get(`${trace}/${row}`);
    return found ? Promise.resolve(found) : refuse();
  };
  flame = (_profile: number, trace: number, by: string, metric: string): Promise<Flame> => {
    const found = this.data.flames?.find((f) => f.trace === trace && f.by === by && f.metric === metric);
    return found ? Promise.resolve(found.flame) : refuse();
  };
  criticalPath = (_profile: number, trace: number): Promise<CriticalPath> => {
    const path = this.data.paths?.[trace];
    return path ? Promise.resolve(path) : refuse();
  };

  watch = async (onState: (session: Session) => void): Promise<void> =>
    onState({
      version: this.data.version,
      profiles: [stateOf(0, this.data.name)],
    });
  reports = () => Promise.resolve(withRanks(this.data.report));

  /** Lines whose tiles did not fit into the file are not shown: an empty line would say that nothing ran. */
  timeline = (): Promise<TimelineInfo[]> =>
    Promise.resolve(
      this.data.timelines.map((info, trace) => ({
        ...info,
        lines: info.lines.map((line, index) =>
          this.stored.has(`${trace}/${index}`) ? line : { ...line, spans: 0 },
        ),
      })),
    );

  /** Each tile from the finest stored one that holds it, relabelled; an empty one where nothing is stored. */
  async tiles(
    _profile: number,
    trace: number,
    lines: number[],
    shift: number,
    first: number,
    last: number,
  ): Promise<ArrayBuffer> {
    const parts: Uint8Array[] = [];
    for (const line of lines) {
      for (let tile = first; tile <= last; ++tile) {
        const block = this.holding(trace, line, shift, tile)?.slice() ?? new Uint8Array(HEADER);
        const header = new DataView(block.buffer);
        header.setUint32(0, line, true);
        header.setInt32(8, shift, true);
        header.setFloat64(16, tile, true);
        parts.push(block);
      }
    }
    const names = this.names[trace] ?? new Uint8Array(4);
    const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 8) + names.length);
    const header = new DataView(out.buffer);
    header.setUint32(0, MAGIC, true);
    header.setUint32(4, parts.length, true);
    let at = 8;
    for (const part of [...parts, names]) {
      out.set(part, at);
      at += part.length;
    }
    return out.buffer;
  }

  private holding(trace: number, line: number, shift: number, tile: number): Uint8Array | undefined {
    for (let s = shift; s <= (this.coarsest[trace] ?? 0); ++s) {
      const block = this.blocks.get(`${trace}/${line}/${s}/${Math.floor(tile / 2 ** (s - shift))}`);
      if (block) return block;
    }
    return undefined;
  }

  args = refuse;
  idle = refuse;
  event = refuse;
  calls = refuse;
  selection = refuse;
  queues = refuse;
  search = refuse;
  diff = refuse;
  holders = refuse;
  graph = refuse;
  namesOf = refuse;
  open = refuse;
  reload = refuse;
}

/** The source inside a one-file comparison: profile 0 is the base, profile 1 the other. */
export class DiffSource implements Source {
  readonly live = false;
  readonly only = 'compare';
  private readonly sides: (EmbeddedSource | null)[];

  constructor(private readonly data: EmbeddedDiff) {
    this.sides = data.sides.map((side) => side && new EmbeddedSource(side));
  }

  watch = async (onState: (session: Session) => void): Promise<void> =>
    onState({
      version: this.data.version,
      profiles: this.data.names.map((name, id) => stateOf(id, name)),
    });
  diff = () => Promise.resolve(this.data.diff);
  reports = (profile: number) => this.sides[profile]?.reports() ?? Promise.resolve([]);
  timeline = (profile: number) => this.sides[profile]?.timeline() ?? Promise.resolve([]);
  tiles = (profile: number, ...of: [number, number[], number, number, number]) =>
    this.sides[profile]?.tiles(0, ...of) ?? refuse();

  slice = refuse;
  args = refuse;
  idle = refuse;
  event = refuse;
  calls = refuse;
  selection = refuse;
  criticalPath = refuse;
  queues = refuse;
  search = refuse;
  flame = refuse;
  holders = refuse;
  graph = refuse;
  namesOf = refuse;
  open = refuse;
  reload = refuse;
}

/** One dictionary out of two; an id that is in both is harmless. */
function joinNames(a: Uint8Array | undefined, b: Uint8Array): Uint8Array {
  if (!a) return b;
  const joined = new Uint8Array(a.length + b.length - 4);
  joined.set(a);
  joined.set(b.subarray(4), a.length);
  const count = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  new DataView(joined.buffer).setUint32(0, count(a) + count(b), true);
  return joined;
}
