import type { Report, Session, TimelineInfo } from './api';
import { language } from './i18n';
import type { Source } from './source';
import { BlockType, decodeTiles, MAGIC } from './timeline/tiles';

/** What `report --html` puts into the page. Tiles are the server's bytes in base64. */
interface Embedded {
  version: string;
  language: string;
  name: string;
  report: Report & { reports?: Report[] };
  timelines: TimelineInfo[];
  tiles: { trace: number; base64: string }[];
}

const refuse = () => Promise.reject(new Error('not in a one-file report'));

/** The source inside a one-file report, or null when the page comes from a server. */
export function embeddedSource(document: Document): Source | null {
  const element = document.getElementById('stepscope-data');
  if (!element?.textContent) return null;
  const data = JSON.parse(element.textContent) as Embedded;
  // The sentences of the report are in this language; the address may still ask for another.
  if (!new URLSearchParams(location.search).has('lang')) language.value = data.language;
  return new EmbeddedSource(data);
}

const HEADER = 24;

export class EmbeddedSource implements Source {
  readonly live = false;
  private readonly blocks = new Map<string, Uint8Array>();
  private readonly names: Uint8Array[] = []; // by trace: the dictionary that ends an answer
  private readonly coarsest: number[] = [];
  private readonly stored = new Set<string>();

  constructor(private readonly data: Embedded) {
    for (const { trace, base64 } of data.tiles) {
      this.add(
        trace,
        Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)),
      );
    }
  }

  private add(trace: number, bytes: Uint8Array<ArrayBuffer>): void {
    let at = 8;
    for (const { line, shift, tile, block } of decodeTiles(bytes.buffer).tiles) {
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

  watch = async (onState: (session: Session) => void): Promise<void> =>
    onState({
      version: this.data.version,
      profiles: [
        {
          id: 0,
          name: this.data.name,
          paths: [this.data.name],
          state: 'ready',
          share: 1,
          what: '',
          error: null,
          revision: 1,
          changed: false,
          bytes: 0,
        },
      ],
    });
  reports = () => Promise.resolve(this.data.report.reports ?? [this.data.report]);

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

  slice = refuse;
  args = refuse;
  idle = refuse;
  event = refuse;
  calls = refuse;
  selection = refuse;
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
