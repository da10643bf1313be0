import type {
  Calls,
  CriticalPath,
  Flame,
  Graph,
  Holders,
  IdleDetails,
  QueryAnswer,
  QueryTables,
  Queues,
  Report,
  SearchAnswer,
  Selection,
  SelectionBy,
  Session,
  SliceDetails,
  SliceRef,
  TimelineInfo,
} from './api';
import type { CaptureSource } from './capture';
import type { Diff } from './diff';
import type { UploadSource } from './ui/open_file';

/** Where the page gets its numbers: the server, or the data inside a one-file report. */
export interface Source {
  /** Whether events can be looked up one by one; a one-file report holds only what was drawn. */
  readonly live: boolean;
  /** The only page there is data for; missing where all are. */
  readonly only?: string;
  /** Takes profiles of running programs; missing where the page cannot. */
  readonly capture?: CaptureSource;
  /** Takes files from the browser; missing where the page cannot. */
  readonly upload?: UploadSource;
  /** Which flame graphs there are ("stack/host"); undefined: all. */
  readonly flames?: string[];
  /** Calls back with the state, and with each new one until the signal ends it. */
  watch(onState: (session: Session) => void, signal: AbortSignal): Promise<void>;
  reports(profile: number): Promise<Report[]>;
  timeline(profile: number): Promise<TimelineInfo[]>;
  /** Two profiles compared; a one-file comparison holds one answer. */
  diff(base: number, other: number, by: string, language: string): Promise<Diff>;
  tiles(
    profile: number,
    trace: number,
    lines: number[],
    shift: number,
    first: number,
    last: number,
  ): Promise<ArrayBuffer>;
  slice(profile: number, trace: number, row: number): Promise<SliceDetails>;
  args(profile: number, trace: number, row: number): Promise<unknown>;
  idle(profile: number, trace: number, line: number, gap: number): Promise<IdleDetails>;
  event(profile: number, trace: number, ordinal: number): Promise<SliceRef | null>;
  calls(profile: number, trace: number, nameId: number, kind: string): Promise<Calls>;
  /** Of some lines, or of all where none is given. */
  selection(
    profile: number,
    trace: number,
    from: number,
    to: number,
    lines?: number[],
    by?: SelectionBy,
  ): Promise<Selection>;
  criticalPath(profile: number, trace: number): Promise<CriticalPath>;
  queues(profile: number, trace: number): Promise<Queues>;
  search(profile: number, trace: number, text: string, regex: boolean, first: number): Promise<SearchAnswer>;
  flame(profile: number, trace: number, by: string, metric: string): Promise<Flame>;
  holders(profile: number, trace: number, device: string, time: number): Promise<Holders>;
  graph(profile: number, trace: number): Promise<Graph>;
  namesOf(profile: number, trace: number, ids: number[]): Promise<Record<string, string>>;
  /** SQL over the profile; missing where nothing can answer it. */
  query?(profile: number, sql: string): Promise<QueryAnswer>;
  queryTables?(profile: number, lang: string): Promise<QueryTables>;
  /** Asks for a profile that waits to be read. */
  open(profile: number): Promise<void>;
  reload(profile: number): Promise<void>;
}
