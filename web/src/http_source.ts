import type { Report, SelectionBy, Session } from './api';
import type { Capturable, CaptureSource, CaptureState, CaptureWish } from './capture';
import type { Diff } from './diff';
import { language } from './i18n';
import { type ReportsAnswer, withRanks } from './reports_answer';
import type { Source } from './source';
import type { UploadSource } from './ui/open_file';

/** A refusal or failure of the server, worded for people. */
export class ServerError extends Error {
  constructor(
    readonly status: number,
    sentence: string,
  ) {
    super(sentence);
  }
}

/** As much of a text as an address can carry: names of kernels reach thousands of characters. */
export function fitting(text: string): string {
  const most = 6000;
  let end = text.length;
  while (encodeURIComponent(text.slice(0, end).toWellFormed()).length > most) end = Math.floor(end * 0.9);
  return text.slice(0, end).toWellFormed();
}

type Query = Record<string, string | number>;

export class HttpSource implements Source {
  readonly live = true;
  constructor(private readonly token: string) {}

  private async request(path: string, query: Query = {}, init: RequestInit = {}): Promise<Response> {
    const asked = { ...query, lang: language.value };
    const text = new URLSearchParams(Object.entries(asked).map(([k, v]) => [k, String(v)])).toString();
    const response = await fetch(`api/${path}?${text}`, {
      ...init,
      headers: { 'X-Stepscope-Token': this.token },
      cache: 'no-store',
    });
    if (!response.ok) {
      const said = await response.json().catch(() => null);
      const next = said?.next_step ? ` ${said.next_step}` : '';
      const sentence = said?.sentence ?? `${response.status} ${response.statusText}`;
      throw new ServerError(response.status, sentence + next);
    }
    return response;
  }

  private async json<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.request(path, query)).json();
  }

  private ofTrace<T>(profile: number, trace: number, what: string, query: Query = {}): Promise<T> {
    return this.json(`profiles/${profile}/traces/${trace}/${what}`, query);
  }

  watch = (onState: (session: Session) => void, signal: AbortSignal) =>
    this.events('events', onState, signal);

  readonly capture: CaptureSource = {
    targets: async () => (await this.json<{ processes: Capturable[] }>('capture/targets')).processes,
    start: async ({ python, stacks, ...wish }: CaptureWish) => {
      await this.request(
        'capture',
        { ...wish, python: Number(python), stacks: Number(stacks) },
        { method: 'POST' },
      );
    },
    stop: async () => {
      await this.request('capture/stop', {}, { method: 'POST' });
    },
    watch: (onState: (state: CaptureState) => void, signal: AbortSignal) =>
      this.events('capture/events', onState, signal),
  };

  readonly upload: UploadSource = {
    mostBytes: async () => (await this.json<{ most_bytes: number }>('upload')).most_bytes,
    // fetch does not say how much of a body was sent.
    send: (file: File, onShare: (share: number) => void) =>
      new Promise<number>((done, failed) => {
        const request = new XMLHttpRequest();
        request.open(
          'POST',
          `api/upload?name=${encodeURIComponent(fitting(file.name))}&lang=${language.value}`,
        );
        request.setRequestHeader('X-Stepscope-Token', this.token);
        request.responseType = 'json';
        request.upload.onprogress = (event) => onShare(event.loaded / Math.max(1, event.total));
        request.onerror = () => failed(new ServerError(0, ''));
        request.onload = () => {
          const answer = request.response as { id?: number; sentence?: string } | null;
          if (request.status === 200 && answer?.id !== undefined) done(answer.id);
          else failed(new ServerError(request.status, answer?.sentence ?? `${request.status}`));
        };
        request.send(file);
      }),
  };

  /** Server-sent events, each of them JSON. */
  private async events<T>(path: string, onState: (state: T) => void, signal: AbortSignal): Promise<void> {
    const response = await this.request(path, {}, { signal });
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      const parts = text.split('\n\n');
      text = parts.pop()!;
      for (const part of parts) if (part.startsWith('data: ')) onState(JSON.parse(part.slice(6)));
    }
  }

  async reports(profile: number): Promise<Report[]> {
    return withRanks(await this.json<ReportsAnswer>(`profiles/${profile}/report`));
  }

  timeline = (profile: number) =>
    this.json<{ traces: never[] }>(`profiles/${profile}/timeline`).then((a) => a.traces);

  diff = (base: number, other: number, by: string, lang: string) =>
    this.json<Diff>('diff', { base, new: other, by, lang });

  async tiles(
    profile: number,
    trace: number,
    lines: number[],
    shift: number,
    first: number,
    last: number,
  ): Promise<ArrayBuffer> {
    const response = await this.request(`profiles/${profile}/traces/${trace}/tiles`, {
      lines: lines.join(','),
      shift,
      first,
      last,
    });
    return response.arrayBuffer();
  }

  slice = (p: number, t: number, row: number) => this.ofTrace<never>(p, t, 'slice', { row });
  args = (p: number, t: number, row: number) => this.ofTrace<never>(p, t, 'args', { row });
  idle = (p: number, t: number, line: number, gap: number) =>
    this.ofTrace<never>(p, t, 'idle', { line, gap });
  event = (p: number, t: number, ordinal: number) => this.ofTrace<never>(p, t, 'event', { ordinal });
  calls = (p: number, t: number, name: number, kind: string) =>
    this.ofTrace<never>(p, t, 'calls', { name, kind });
  selection = (
    p: number,
    t: number,
    from: number,
    to: number,
    lines: number[] = [],
    by: SelectionBy = 'name',
  ) =>
    this.ofTrace<never>(p, t, 'selection', {
      from: Math.floor(from),
      to: Math.ceil(to),
      lines: lines.join(','),
      by,
    });
  queues = (p: number, t: number) => this.ofTrace<never>(p, t, 'queues');
  criticalPath = (p: number, t: number) => this.ofTrace<never>(p, t, 'critical_path');
  search = (p: number, t: number, text: string, regex: boolean, first: number) =>
    this.ofTrace<never>(p, t, 'search', { text: regex ? text : fitting(text), regex: regex ? 1 : 0, first });
  flame = (p: number, t: number, by: string, metric: string) =>
    this.ofTrace<never>(p, t, 'flame', { by, metric });
  holders = (p: number, t: number, device: string, time: number) =>
    this.ofTrace<never>(p, t, 'memory', { device, at: Math.round(time) });
  graph = (p: number, t: number) => this.ofTrace<never>(p, t, 'graph');
  namesOf = (p: number, t: number, ids: number[]) =>
    this.ofTrace<never>(p, t, 'names', { ids: ids.join(',') });

  query = (profile: number, sql: string) => this.json<never>(`profiles/${profile}/query`, { sql });
  queryTables = (profile: number, lang: string) =>
    this.json<never>(`profiles/${profile}/query/tables`, { lang });

  async open(profile: number): Promise<void> {
    await this.request(`profiles/${profile}/open`);
  }

  async reload(profile: number): Promise<void> {
    await this.request(`profiles/${profile}/reload`, {}, { method: 'POST' });
  }
}
