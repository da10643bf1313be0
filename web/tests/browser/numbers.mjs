// Reads the numbers of the overview off the page and compares them with what `report --json` says.
import assert from 'node:assert/strict';

/** The cells of a column of a table, as raw values. */
const values = (page, id, column) =>
  page
    .locator(`[data-table=${id}] .table-row`)
    .evaluateAll((rows, at) => rows.map((row) => row.children[at].dataset.value), column);

async function compareParts(page, wanted) {
  const cells = await page.locator('table.parts[data-device] td[data-part]').evaluateAll((all) =>
    all.map((cell) => {
      const { device, step } = cell.closest('table').dataset;
      return { device, start: Number(step), part: cell.dataset.part, ns: Number(cell.dataset.ns) };
    }),
  );
  for (const { device, start, part, ns } of cells) {
    const step = wanted.steps.items
      .find((s) => s.start_ns === start)
      .devices.find((d) => d.device === device);
    const expected = part.startsWith('idle ')
      ? step.idle_causes.find((c) => `idle ${c.cause}` === part).ns
      : step[`${part}_ns`];
    assert.equal(ns, expected, `${device} ${part}`);
  }
}

export async function compareOverview(page, wanted, rules) {
  const verdict = page.locator('[data-testid=verdict]');
  await verdict.waitFor({ timeout: 60_000 });
  assert.equal(await verdict.getAttribute('data-bound'), wanted.verdict.bound_by);
  if (wanted.steps.median_ns !== null) {
    const median = await page.locator('[data-testid=median]').getAttribute('data-ns');
    assert.equal(Number(median), wanted.steps.median_ns);
  }
  await compareParts(page, wanted);
  const columns = [
    ['top-ops', 2, wanted.ops.slice(0, 12).map((op) => op.device_self_ns)],
    ['top-kernels', 3, wanted.kernels.slice(0, 12).map((kernel) => kernel.total_ns)],
    ['idle-causes', 2, wanted.idle_causes.map((cause) => cause.ns)],
  ];
  for (const [id, column, expected] of columns) {
    assert.deepEqual(await values(page, id, column), expected.map(String), id);
  }
  const shown = await page.locator('.findings > li').evaluateAll((all) => all.map((li) => li.dataset.rule));
  assert.deepEqual(shown, rules);
}
