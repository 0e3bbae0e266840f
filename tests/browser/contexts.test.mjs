// One page with the reports of two contexts, whose CronJobs have the same names. The path of the page is in
// PAGE_OF_TWO_CONTEXTS.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, open, shown, violations } from './support/browser.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test('each context is a report of its own, and can be chosen', async () => {
  const { page, end } = await open(browser, `file://${process.env.PAGE_OF_TWO_CONTEXTS}`);
  const rows = await page.locator('table.contexts tbody tr').evaluateAll((all) => all.map((row) => row.cells[0].textContent));
  assert.deepEqual(rows, ['eu', 'us']);
  for (const [context, next] of [['eu', '2026-11-22 02:00'], ['us', '2026-11-21 04:30']]) {
    const frame = page.frameLocator(`iframe[title="Report of context ${context}"]`);
    await shown(frame, 'cronjobs').locator('.fold', { hasText: 'shop/nightly' }).click();
    await frame.getByRole('group', { name: 'shop/nightly', exact: true }).getByText(next).first().waitFor();
    // A link leads to a place in its own report.
    await frame.locator('nav').getByRole('link', { name: 'CronJobs', exact: true }).click();
    assert.equal(await frame.locator('h1').count(), 1);
    assert.equal(await frame.locator('iframe').count(), 0);
  }
  assert.deepEqual(await violations(page), []);
  await page.getByLabel('Context', { exact: true }).selectOption('us');
  assert.deepEqual(await page.locator('.context:visible h2').allTextContents(), ['us']);
  await page.getByLabel('Context', { exact: true }).selectOption('');
  assert.equal(await page.locator('.context:visible').count(), 2);
  await end();
});
