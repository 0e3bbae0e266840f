// Reports that are empty, very large, hostile, or of two contexts.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { PHONE, column, launch, open, overflow, shown, violations } from './support/browser.mjs';
import { AT, cronJob, many } from './support/cluster.mjs';
import { contained, pageOnly, snapshot } from './support/doctor.mjs';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test('empty report', async () => {
  const report = pageOnly('empty', ['-f', snapshot('nothing', []), ...AT]);
  for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark', viewport: PHONE }]) {
    const { page, end } = await open(browser, report.url, options);
    assert.ok(await page.getByText('No CronJobs found.').isVisible());
    assert.match(await page.title(), /^CronJobs in .*nothing\.json, \d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    assert.equal(await page.locator('.lead').textContent(), '0 CronJobs');
    assert.equal(await overflow(page), 0);
    assert.deepEqual(await violations(page), []);
    await end();
  }
});

const MARKUP = '</script><script>document.title = "taken"</script><img src=x onerror=alert(1)>"\'><!--<svg onload=alert(2)>]]>&amp;${1}`';
const LONG = 'very-long-'.repeat(60);
const TURNED = 'shop\u202Egnihtemos \u2066\u0627\u0644\u0639\u0631\u0628\u064A\u0629\u2028\u2029\u0000\u001b[31m';

function hostile() {
  const reason = { 'cronjob-doctor/suspend-reason': MARKUP };
  return [
    cronJob(MARKUP, MARKUP, '0 2 * * *', { suspend: true }, {}, reason),
    cronJob('shop', LONG, '0 0 31 2 *', {}, {}, { note: MARKUP }),
    cronJob(TURNED, TURNED, '*/7 * * * *', { timeZone: `Europe/${MARKUP}` }),
    cronJob('shop', 'schedule', MARKUP),
    cronJob('shop', '__proto__', '5 * * * *'),
    cronJob('shop', 'pod', '5 * * * *', {}, { active: [{ kind: 'Job', namespace: 'shop', name: MARKUP }] }),
  ];
}

test('hostile names are only text', async () => {
  const report = pageOnly('hostile', ['-f', snapshot('hostile', hostile()), ...AT]);
  for (const viewport of [{ width: 1280, height: 900 }, PHONE]) {
    const { page, end } = await open(browser, report.url, { viewport });
    await page.locator('.fold').evaluateAll((all) => { for (const one of all) one.click(); });
    await page.locator('.case').nth(5).waitFor();
    await page.locator('details').evaluateAll((all) => { for (const one of all) one.open = true; });
    assert.match(await page.title(), /^CronJobs in .*hostile\.json, /);
    assert.match(await page.locator('.lead').textContent(), /^6 CronJobs/);
    assert.equal(await page.locator('img, iframe, script:not([id]):not(:nth-of-type(1))').count() > 1, false);
    assert.equal(await page.locator('body img, [onerror], [onload]').count(), 0);
    assert.equal(await overflow(page), 0);
    const names = await column(page, 'cronjobs', 2);
    assert.ok(names.includes(`${MARKUP}/${MARKUP}`), names[0]);
    assert.ok(names.includes(`shop/${LONG}`));
    // Characters that cannot be seen are shown as escapes.
    assert.ok(names.some((name) => name.startsWith('shop\\u{202e}gnihtemos')), names.join('\n'));
    assert.ok(names.includes('shop/__proto__'));
    const option = page.getByLabel('Namespace', { exact: true }).locator('option').filter({ hasText: 'onerror' });
    assert.equal(await option.textContent(), MARKUP);
    // Right-to-left text does not affect the text around it.
    const isolated = await page.locator('.cronjobs bdi').evaluateAll((all) => all.every((one) => getComputedStyle(one).unicodeBidi === 'isolate'));
    assert.ok(isolated);
    if (viewport === PHONE) assert.deepEqual(await violations(page), []);
    await end();
  }
});

test('the policy blocks injected markup', async () => {
  const report = pageOnly('policy', ['-f', snapshot('one', [cronJob('shop', 'nightly', '0 2 * * *')]), ...AT]);
  const context = await browser.newContext();
  const page = await context.newPage();
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(report.url);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'document.title = "taken"';
    const image = document.createElement('img');
    image.src = 'https://example.com/x.png';
    const button = document.createElement('div');
    button.innerHTML = '<p onclick="document.title = \'taken\'">x</p>';
    document.body.append(script, image, button);
    button.firstChild.click();
  });
  assert.match(await page.title(), /^CronJobs in /);
  assert.deepEqual(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('https://example.com')), []);
  assert.equal(await page.evaluate(() => document.images[0].naturalWidth), 0);
  await context.close();
});

// The reports of two contexts, whose CronJobs have the same names.
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

// docs/report.md is about 5000.
const MOST = Number(process.env.CRON_JOBS ?? 1100);
const MOST_SHOWN = MOST.toLocaleString('en-US');
// To compute it takes long without optimization, so it is made once.
let large;
const largePage = () => { large ??= pageOnly('many', ['-f', snapshot('many', many(MOST)), ...AT]); return large; };

test('without JavaScript, a long list says what it leaves out', async () => {
  const { page, end } = await open(browser, largePage().url, { javaScriptEnabled: false });
  assert.equal(await page.locator('.cronjobs > tbody > tr').count(), 100);
  assert.ok(await page.locator('#cronjobs').getByText(`only 100 of ${MOST_SHOWN} rows are shown`).isVisible());
  await end();
});

test(`${MOST} CronJobs open quickly`, async () => {
  const report = largePage();
  const { page, end } = await open(browser, report.url);
  await page.waitForFunction(() => globalThis.laidOutAfter);
  const [painted, laidOut] = await page.evaluate(() => [
    performance.getEntriesByName('first-contentful-paint')[0].startTime, globalThis.laidOutAfter,
  ]);
  const megabytes = (report.text.length / 1e6).toFixed(1);
  console.log(`${MOST} CronJobs: ${megabytes} MB, first paint after ${painted.toFixed(0)} ms, all laid out after ${laidOut.toFixed(0)} ms`);
  // Two seconds is the goal; a busy machine may need longer.
  assert.ok(laidOut < 10_000, `${laidOut} ms`);
  assert.ok(report.text.length < 4e6, `${megabytes} MB`);

  const said = contained(report.text);
  assert.equal(said.scan.items.length, MOST);
  assert.equal(await shown(page, 'cronjobs').count(), 100);
  await page.locator('#cronjobs').getByRole('button', { name: 'Show 100 more' }).click();
  assert.equal(await shown(page, 'cronjobs').count(), 200);
  // Findings of many CronJobs are grouped by rule.
  const rules = await page.locator('.rule').evaluateAll((all) => all.map((rule) => [
    rule.dataset.code, rule.querySelector('.count').textContent, rule.open, rule.querySelectorAll('.found').length,
  ]));
  const findings = said.scan.items.flatMap((item) => item.findings);
  assert.deepEqual(rules, said.figures.findings.map(({ code }) => {
    const count = findings.filter((finding) => finding.code === code).length;
    return [code, count === 1 ? '1 finding' : `${count.toLocaleString('en-US')} findings`, false, count];
  }));
  await page.locator('#by-finding').selectOption(rules[0][0]);
  assert.deepEqual(await page.locator('.rule:visible').evaluateAll((all) => all.map((rule) => [rule.dataset.code, rule.open])), [[rules[0][0], true]]);
  await page.getByRole('button', { name: 'Clear filter' }).click();
  const last = said.scan.items.at(-1);
  await page.getByRole('searchbox').fill(last.name);
  assert.deepEqual(await column(page, 'cronjobs', 2), [`${last.namespace}/${last.name}`]);
  await shown(page, 'cronjobs').locator('.fold').click();
  await page.getByRole('group', { name: `${last.namespace}/${last.name}` }).getByText(last.verdict).waitFor();
  await page.getByRole('button', { name: 'Clear filter' }).click();
  await page.locator('#by-health').selectOption('error');
  assert.equal(await page.getByRole('status').textContent(),
    `${said.scan.items.flatMap((item) => item.findings).filter((finding) => finding.severity === 'error').length} of ${said.scan.items.flatMap((item) => item.findings).length.toLocaleString('en-US')} findings, ${said.scan.summary.error} of ${MOST_SHOWN} CronJobs`);
  await page.locator('.cronjobs thead th', { hasText: 'CronJob' }).getByRole('button').click();
  const first = said.scan.items.filter((item) => item.health === 'error').map((item) => `${item.namespace}/${item.name}`).sort();
  assert.deepEqual(await column(page, 'cronjobs', 2), first.slice(0, 100));
  assert.equal(await overflow(page), 0);
  await end();
});

const RECORDED_RUNS = ['-f', 'examples/recorder/cluster.yaml', '--now', '2026-03-31T12:00:00Z', '--kubernetes-version', '1.36', '--recorder', 'examples/recorder/runs.db'];

test('days of a calendar are in lines of four weeks, the newest on the right', async () => {
  const places = (page) => page.locator('.days').first().locator('.day').evaluateAll((all) => all.map((day) => [day.offsetLeft, day.offsetTop]));
  for (const [name, args, lines] of [['weeks', [], 1], ['more', ['--since', '2026-02-20T00:00:00Z'], 2]]) {
    const report = pageOnly(name, [...RECORDED_RUNS, ...args]);
    for (const width of [1280, 1600]) {
      const { page, end } = await open(browser, report.url, { viewport: { width, height: 900 } });
      const days = await places(page);
      assert.ok(days.length >= 28, days.length);
      assert.equal(new Set(days.map(([, top]) => top)).size, lines);
      const [left, top] = days.at(-1);
      assert.deepEqual([left, top], [Math.max(...days.map(([left]) => left)), Math.max(...days.map(([, top]) => top))]);
      assert.equal(await overflow(page), 0);
      assert.deepEqual(await violations(page), []);
      await end();
    }
    const { page, end } = await open(browser, report.url, { viewport: PHONE });
    assert.equal(await overflow(page), 0);
    await end();
  }
});

test('an address with a name opens the row', async () => {
  const report = pageOnly('addressed', RECORDED_RUNS);
  const { page } = await open(browser, `${report.url}#shop/billing`);
  await page.getByRole('group', { name: 'shop/billing', exact: true }).waitFor();
  await page.context().close();
});

test('summary for a mail', async () => {
  const report = pageOnly('summary', [...RECORDED_RUNS, '--summary']);
  for (const viewport of [{ width: 1280, height: 900 }, PHONE]) {
    const { page, end } = await open(browser, report.url, { viewport });
    assert.equal(await overflow(page), 0);
    assert.deepEqual(await violations(page), []);
    await end();
  }
});
