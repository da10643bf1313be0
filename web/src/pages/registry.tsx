import type { JSX } from 'preact';
import type { Words } from '../i18n';
import { CommunicationPage } from './communication';
import { ComparePage } from './compare';
import { GraphPage } from './graph';
import { KernelsPage } from './kernels';
import { LaunchesPage } from './launches';
import { MemoryPage } from './memory';
import { Overview } from './overview';
import { type Known, type Missing, type PageProps, recordFor } from './page';
import { QueryPage } from './query';
import { RanksPage } from './ranks';
import { CodePage, InputPage, OpsPage } from './tables';
import { TimelinePage } from './timeline';

export interface PageEntry {
  id: string;
  group: 'look' | 'device' | 'program' | 'more';
  title: (w: Words) => string;
  view: (page: PageProps) => JSX.Element;
  /** Null when the profile can answer, or when that is not known yet. */
  missing?: (known: Known, w: Words) => Missing | null;
  needsTimeline?: boolean;
  /** About all traces of a profile: no choice of one above it. */
  wholeProfile?: boolean;
  /** Takes the whole window, without the margins of a page. */
  fillsWindow?: boolean;
}

const needsServer = (w: Words): Missing => ({ what: w.notInOneFile, record: w.onlyLive });

/**
 * All pages, in the order of the navigation. A new page is one entry here, one title in the words and one component; the
 * frame does the rest.
 */
export const PAGES: PageEntry[] = [
  { id: 'overview', group: 'look', title: (w) => w.pages.overview, view: Overview },
  {
    id: 'timeline',
    group: 'look',
    title: (w) => w.pages.timeline,
    view: TimelinePage,
    needsTimeline: true,
    wholeProfile: true,
    fillsWindow: true,
  },
  {
    id: 'ranks',
    group: 'look',
    title: (w) => w.pages.ranks,
    view: RanksPage,
    wholeProfile: true,
    missing: ({ job }, w) => (job === false ? { what: w.ranks.none, record: w.ranks.giveAll } : null),
  },
  {
    id: 'ops',
    group: 'device',
    title: (w) => w.pages.ops,
    view: OpsPage,
    missing: ({ report }, w) =>
      report && report.ops.length === 0 ? { what: w.noOps, record: recordFor(report, w).ops } : null,
  },
  {
    id: 'kernels',
    group: 'device',
    title: (w) => w.pages.kernels,
    view: KernelsPage,
    missing: ({ report }, w) =>
      report && report.kernels.length === 0
        ? { what: w.noKernels, record: recordFor(report, w).kernels }
        : null,
  },
  {
    id: 'launches',
    group: 'device',
    title: (w) => w.pages.launches,
    view: LaunchesPage,
    needsTimeline: true,
    missing: ({ report }, w) =>
      report && (!report.launches || report.launches.calls === 0)
        ? { what: w.noLaunches, record: recordFor(report, w).launches }
        : null,
  },
  {
    id: 'memory',
    group: 'device',
    title: (w) => w.pages.memory,
    view: MemoryPage,
    needsTimeline: true,
    missing: ({ report }, w) =>
      report && report.memory.length === 0 ? { what: w.noMemory, record: recordFor(report, w).memory } : null,
  },
  {
    id: 'communication',
    group: 'device',
    title: (w) => w.pages.communication,
    view: CommunicationPage,
    missing: ({ report }, w) =>
      report && !report.communication
        ? { what: w.noCommunication, record: recordFor(report, w).communication }
        : null,
  },
  {
    id: 'input',
    group: 'program',
    title: (w) => w.pages.input,
    view: InputPage,
    missing: ({ report }, w) => {
      const input = report?.input;
      const any = input && (input.stages.length > 0 || input.wait_ns.some((ns) => ns > 0));
      return report && !any ? { what: w.noInput, record: recordFor(report, w).input } : null;
    },
  },
  {
    id: 'code',
    group: 'program',
    title: (w) => w.pages.code,
    view: CodePage,
    needsTimeline: true,
    missing: ({ report, facts }, w) =>
      report &&
      facts &&
      !facts.stacks &&
      !facts.modules &&
      (report.modules ?? []).length === 0 &&
      (report.python ?? []).length === 0
        ? { what: w.noCode, record: recordFor(report, w).code }
        : null,
  },
  {
    id: 'graph',
    group: 'program',
    title: (w) => w.pages.graph,
    view: GraphPage,
    needsTimeline: true,
    missing: ({ report, facts, live }, w) => {
      if (!live) return needsServer(w);
      return facts && !facts.graph ? { what: w.noGraph, record: recordFor(report, w).graph } : null;
    },
  },
  {
    id: 'query',
    group: 'more',
    title: (w) => w.pages.query,
    view: QueryPage,
    wholeProfile: true,
    missing: ({ live }, w) => (live ? null : needsServer(w)),
  },
  {
    id: 'compare',
    group: 'more',
    title: (w) => w.pages.compare,
    view: ComparePage,
    wholeProfile: true,
    missing: ({ live, profiles }, w) => {
      if (!live) return needsServer(w);
      return profiles < 2 ? { what: w.oneProfile, record: w.compareNeedsTwo } : null;
    },
  },
];

export const pageNamed = (id: string): PageEntry => PAGES.find((page) => page.id === id) ?? PAGES[0];
