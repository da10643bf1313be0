import { signal } from '@preact/signals';

/** A process of the server's machine that uses a framework (docs/capture.md). */
export interface Capturable {
  pid: number;
  framework: string;
  /** Empty: it cannot be captured, `missing` says why and `fix` what to do. */
  target: string;
  missing: string;
  fix: string;
  command: string;
}

export interface CaptureState {
  state: 'idle' | 'running' | 'done' | 'failed';
  sentence: string;
  next: string;
  profile: number | null;
}

export interface CaptureWish {
  target: string;
  for: string;
  python: boolean;
  stacks: boolean;
}

/** The part of the server that takes profiles of running programs. */
export interface CaptureSource {
  targets(): Promise<Capturable[]>;
  start(wish: CaptureWish): Promise<void>;
  stop(): Promise<void>;
  watch(onState: (state: CaptureState) => void, signal: AbortSignal): Promise<void>;
}

/** Whether the dialog is open. */
export const capturing = signal(false);
