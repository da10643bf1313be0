import type { Report, TimelineInfo } from '../api';
import type { Words } from '../i18n';
import type { Source } from '../source';

/** What every page gets. Pages about one trace read `report` and `info`, pages about all of them `reports` and `infos`. */
export interface PageProps {
  source: Source;
  profile: number;
  trace: number;
  report: Report;
  info: TimelineInfo | null;
  reports: Report[];
  infos: TimelineInfo[];
}

/** What is known of a profile when the navigation is drawn; null is "not known yet". */
export interface Known {
  report: Report | null;
  facts: TimelineInfo['facts'] | null;
  /** Whether its traces are ranks of one job. */
  job: boolean | null;
  live: boolean;
  profiles: number;
}

/** Why a page has nothing to show, and what a person can do about it. */
export interface Missing {
  what: string;
  record: string;
}

const frameworks: Record<string, keyof Words['record']> = {
  PyTorch: 'torch',
  TensorFlow: 'tensorflow',
  JAX: 'jax',
  'ONNX Runtime': 'onnx',
};

/** How the missing part is recorded with the framework of this profile. */
export function recordFor(report: Report | null, w: Words): Words['record']['torch'] {
  return w.record[frameworks[report?.profile.framework ?? ''] ?? 'other'];
}
