// Conditions that tests wait for instead of a fixed time, because everything takes longer on a busy
// machine.
import { cpus, loadavg } from 'node:os';

/** How many times longer than on a quiet machine something may take here and now. */
export const patience = () => Math.max(1, (2 * loadavg()[0]) / cpus().length);

/** The timeline has its lines, and all tiles in sight. */
export const laidOut = (page, lines = 3) =>
  page.waitForFunction((least) => {
    const view = globalThis.stepscopeTimeline;
    return view && view.rows.value.length > least && !view.loading.value;
  }, lines);

/** The address says what is in sight: it is written when the view rests. */
export const addressRests = (page) =>
  page.waitForFunction(() => {
    const { from, to } = globalThis.stepscopeTimeline.window.value;
    const params = new URLSearchParams(location.hash.split('?')[1]);
    return params.get('from') === from.toFixed(0) && params.get('to') === to.toFixed(0);
  });

/** No part of the page is still being asked for, or put together. */
export const settled = (page) =>
  page.waitForFunction(() => !document.querySelector('.working, [aria-busy=true]'));

/** The pane tells of the stretch that is selected now, not of one while it was being drawn. */
export const addedUp = (page) =>
  page.waitForFunction(() => {
    const range = globalThis.stepscopeTimeline.overlay.value.range;
    const shown = document.querySelector('[data-testid=selection]')?.dataset;
    return (
      range &&
      shown &&
      Number(shown.from) === Math.floor(range.from) &&
      Number(shown.to) === Math.ceil(range.to)
    );
  });
