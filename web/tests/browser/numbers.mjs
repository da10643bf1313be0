// Reads the numbers of the overview off the page and compares them with what `report --json` says.
import assert from 'node:assert/strict';
import { settled } from './waiting.mjs';

/** The cells of a column of a table, as raw values. */
const values = (page, id, column) =>
  page
    .locator(`[data-table=${id}] .table-row`)
    .evaluateAll((rows, at) => rows.map((row) => row.children[at].dataset.value), column);

async function compareParts(page, wanted) {
  const cells = await page.locator('table.parts[data-device] td[data-part]').evaluateAll((all) =>
    all.map((cell) => {
      const { device, step } = cell.closest('table').dataset;
      const href = cell.querySelector('a')?.getAttribute('href');
      return { device, start: Number(step), part: cell.dataset.part, ns: Number(cell.dataset.ns), href };
    }),
  );
  for (const { device, start, part, ns, href } of cells) {
    const step = wanted.steps.items
      .find((s) => s.start_ns === start)
      .devices.find((d) => d.device === device);
    const expected = part.startsWith('idle ')
      ? step.idle_causes.find((c) => `idle ${c.cause}` === part).ns
      : step[`${part}_ns`];
    assert.equal(ns, expected, `${device} ${part}`);
    assert.match(href ?? '', /^#\/\d+\/timeline\?/, `${device} ${part} leads to where it comes from`);
  }
}

async function compareSteps(page, wanted) {
  const shown = await page
    .locator('.breakdown-step > a')
    .evaluateAll((all) => all.map((a) => ({ ns: Number(a.dataset.ns), href: a.getAttribute('href') })));
  const steps = wanted.steps.items.slice(0, 40);
  assert.deepEqual(
    shown.map(({ ns }) => ns),
    steps.map((step) => step.duration_ns),
  );
  shown.forEach(({ href }, i) => {
    const params = new URLSearchParams(href.split('?')[1]);
    const { start_ns: start, duration_ns: length } = steps[i];
    assert.ok(Number(params.get('from')) <= start && Number(params.get('to')) >= start + length, href);
  });
}

async function compareMemory(page, wanted) {
  const shown = await page
    .locator('[data-memory]')
    .evaluateAll((all) => all.map((li) => [li.dataset.memory, Number(li.dataset.peak)]));
  assert.deepEqual(
    shown,
    wanted.memory.map((row) => [row.device, row.peak_allocated_bytes ?? row.peak_of_running_sum_bytes]),
  );
}

async function compareFindings(page, findings) {
  const shown = await page.locator('.findings > li').evaluateAll((all) =>
    all.map((li) => ({
      rule: li.dataset.rule,
      severity: li.className,
      text: li.innerText,
      links: [...li.querySelectorAll('.evidence a')].map((a) => a.getAttribute('href')),
    })),
  );
  assert.deepEqual(
    shown.map(({ rule, severity }) => [rule, severity]),
    findings.map(({ rule, severity }) => [rule, severity]),
  );
  shown.forEach(({ rule, text, links }, i) => {
    const { sentence, fix, evidence, causes } = findings[i];
    for (const words of [sentence, fix, ...causes.map((cause) => cause.sentence)]) {
      const flat = (s) => s.replace(/\s+/g, ' ').trim();
      assert.ok(flat(text).includes(flat(words)), `${rule}: ${words}`);
    }
    assert.equal(links.length, evidence.length, rule);
    links.forEach((href, n) => {
      const params = new URLSearchParams(href.split('?')[1]);
      const { start_ns: start, ns } = evidence[n];
      assert.ok(Number(params.get('from')) <= start && Number(params.get('to')) >= start + ns, href);
    });
  });
}

export async function compareOverview(page, wanted, findings) {
  const verdict = page.locator('[data-testid=verdict]');
  await verdict.waitFor({ timeout: 60_000 });
  await settled(page);
  assert.equal(await verdict.getAttribute('data-bound'), wanted.verdict.bound_by);
  assert.equal(await page.locator('.sentence').innerText(), wanted.verdict.sentence);
  if (wanted.steps.median_ns !== null) {
    const median = await page.locator('[data-testid=median]').getAttribute('data-ns');
    assert.equal(Number(median), wanted.steps.median_ns);
    const unprofiled = page.locator('[data-testid=unprofiled]');
    const estimate = wanted.steps.unprofiled_median_ns;
    assert.equal(await unprofiled.count(), estimate === null ? 0 : 1);
    if (estimate !== null) assert.equal(Number(await unprofiled.getAttribute('data-ns')), estimate);
  }
  await compareParts(page, wanted);
  await compareSteps(page, wanted);
  await compareMemory(page, wanted);
  const columns = [
    ['top-ops', 2, wanted.ops.slice(0, 12).map((op) => op.device_self_ns)],
    ['top-kernels', 3, wanted.kernels.slice(0, 12).map((kernel) => kernel.total_ns)],
    // A snapshot of memory says nothing of work on a device.
    wanted.profile.format !== 'memory_snapshot' && [
      'idle-causes',
      2,
      wanted.idle_causes.map((cause) => cause.ns),
    ],
  ].filter(Boolean);
  for (const [id, column, expected] of columns) {
    assert.deepEqual(await values(page, id, column), expected.map(String), id);
  }
  const trust = await page.locator('[data-testid=trust]').innerText();
  for (const { sentence } of wanted.quality) assert.ok(trust.includes(sentence), sentence);
  // Where the report itself carries findings, they are those of `advise`.
  if (wanted.rules.checked > 0) assert.deepEqual(wanted.findings, findings);
  await compareFindings(page, findings);
}
