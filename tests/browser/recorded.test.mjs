// The report of the recorded cluster shows the data of `-o json`, and can be used.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { PHONE, column, launch, open, overflow, shown, violations } from './support/browser.mjs';
import { RECORDED, contained, page as made } from './support/doctor.mjs';

const report = made('recorded', RECORDED);
const { document: said } = report;
const name = ({ namespace, name: own }) => `${namespace}/${own}`;
const grouped = (number) => number.toLocaleString('en-US');

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** Opens the page, uses it, and checks that it logged no errors and made no requests. */
async function use(action, options) {
  const opened = await open(browser, report.url, options);
  await action(opened.page);
  await opened.end();
}

/** What uses one page for all tests of a suite, which is checked in the same way at the end. */
function onePage() {
  let opened;
  before(async () => { opened = await open(browser, report.url); });
  after(() => opened.end());
  return (action) => action(opened.page);
}

const unfold = async (page, wanted) => {
  await shown(page, 'cronjobs').locator('.fold', { hasText: wanted }).click();
  return page.getByRole('group', { name: wanted, exact: true });
};

// The parts of a remedy, in their order.
const spoken = ({ command, notes, text }) => (command ? [command, ...notes.flatMap((note) => [note.text, note.command ?? []].flat())] : [text]);

describe('the page shows the document', () => {
  const read = onePage();

  test('the page contains the document', () => {
    assert.deepEqual(contained(report.text), said);
  });

  test('counts', () => read(async (page) => {
    const { ok, info, warning, error, suspended } = said.scan.summary;
    const tiles = await page.locator('.tile').evaluateAll((all) => all.map((tile) => [tile.dataset.state, tile.querySelector('b').textContent]));
    assert.deepEqual(Object.fromEntries(tiles), Object.fromEntries(Object.entries({ error, warning, info, ok, suspended }).map(([key, n]) => [key, String(n)])));
    assert.deepEqual([ok, info, warning, error, suspended], [5, 0, 4, 3, 1]);
    assert.deepEqual(await page.locator('.codes tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))),
      said.figures.findings.map((one) => [one.severity, one.code, one.title, String(one.cronJobs)]));
  }));

  test('findings with remedies', () => read(async (page) => {
    const rows = await shown(page, 'findings').evaluateAll((all) => all.flatMap((row) => [...row.querySelectorAll('.found')].map((one) => ({
      severity: (one.querySelector('.badge') ?? row.querySelector('.badge')).textContent,
      who: row.querySelector('a').textContent,
      code: one.querySelector('code').textContent,
      title: one.querySelector('b').textContent,
      detail: one.querySelector('p:nth-of-type(2)').textContent,
      remedy: one.querySelector('.remedy') && [...one.querySelectorAll('.remedy bdi')].map((part) => part.textContent),
    }))));
    const found = said.scan.items.flatMap((item) => item.findings.map(({ severity, code, title, detail, remedy }) => ({ severity, who: name(item), code, title, detail, remedy: remedy && spoken(remedy) })));
    const order = (one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other));
    assert.deepEqual(rows.toSorted(order), found.toSorted(order));
    const rank = ['error', 'warning', 'info'];
    const severities = (await column(page, 'findings', 1)).map((severity) => rank.indexOf(severity));
    assert.deepEqual(severities, severities.toSorted());
  }));

  test('CronJobs', () => read(async (page) => {
    // `Sun 2026-11-22 22:04 UTC, JOB: failed after 24s`
    const outcome = (run) => run ? run.text.slice(run.text.indexOf(': ', run.text.indexOf(run.jobName)) + 2) : '';
    const rows = await shown(page, 'cronjobs').evaluateAll((all) => all.map((row) => ({
      health: row.querySelector('.badge').textContent,
      who: row.querySelector('.fold').textContent,
      schedule: row.querySelector('code').textContent,
      next: row.cells[3].querySelector('time')?.dateTime ?? null,
      last: row.cells[4].querySelector('time')?.dateTime ?? null,
      missed: row.cells[5].textContent,
      result: row.cells[6].textContent,
    })));
    assert.deepEqual(rows, said.scan.items.map((item) => ({
      health: item.health, who: name(item), schedule: item.schedule, next: item.nextRun, last: item.lastScheduleTime, missed: String(item.missed), result: outcome(item.lastScheduledRun),
    })));
  }));

  test('the timeline', () => read(async (page) => {
    const rows = await shown(page, 'timeline').evaluateAll((all) => all.map((row) => ({
      who: row.querySelector('a').textContent,
      runs: row.cells[1].textContent,
      first: row.cells[2].querySelector('time')?.dateTime ?? null,
      outlook: row.querySelector('svg').classList.value,
      bars: [...row.querySelectorAll('svg > path')].map((path) => [path.getAttribute('d'), path.getAttribute('stroke-dasharray')]),
    })));
    const from = Date.parse(said.timeline.from) / 1000;
    const mark = Math.floor(86400 / 300);
    assert.deepEqual(rows, said.timeline.items.map((item) => ({
      who: name(item),
      runs: grouped(item.runs),
      first: item.bands[0]?.from ?? null,
      outlook: item.outlook,
      bars: item.bands.map((band) => {
        const [begin, end] = [band.from, band.to].map((at) => Date.parse(at) / 1000 - from);
        return [`M${begin} 5h${end - begin + mark}`, band.everySeconds >= 2 * mark ? `${mark} ${band.everySeconds - mark}` : null];
      }),
    })));
    // A Job that blocks the runs now may finish at any time, so they count as starts.
    const total = said.timeline.items.filter((item) => ['starts', 'blocked'].includes(item.outlook)).reduce((sum, item) => sum + item.runs, 0);
    assert.equal(total, said.load.summary.starts);
  }));

  test('the heat map', () => read(async (page) => {
    const cells = await page.locator('.heat g').evaluateAll((all) => all.map((cell) => [Number(cell.dataset.most), Number(cell.dataset.starts)]));
    assert.deepEqual(cells, said.load.buckets.map(({ count }) => [count, count]));
    const peaks = await page.locator('.peaks tbody tr').evaluateAll((rows) => rows.map((row) => [row.querySelector('time').dateTime, row.cells[1].textContent]));
    assert.deepEqual(peaks, said.load.peaks.map((peak) => [peak.time, String(peak.count)]));
  }));

  test('the histograms and their tables', () => read(async (page) => {
    for (const [id, classes] of [['delays', said.figures.delays], ['durations', said.figures.durations]]) {
      const counts = classes.map(({ count }) => count);
      const figure = page.locator('figure', { has: page.locator(`#${id}-title`) });
      assert.deepEqual(await figure.locator('rect').evaluateAll((bars) => bars.map((bar) => Number(bar.dataset.count))), counts);
      const numbers = figure.locator('+ details tbody td');
      assert.deepEqual((await numbers.allTextContents()).map(Number), counts);
      const values = said.history.items.flatMap((item) => item.runs.map((run) => (id === 'delays' ? run.delaySeconds : run.durationSeconds)));
      assert.equal(counts.reduce((sum, n) => sum + n, 0), values.filter((value) => value !== null).length);
    }
    // Those that wait, and those that may still start, have their own place if there are any.
    const { onTime, late, running, waiting, pending, skipped, suspended, unknown } = said.figures;
    const legend = await page.locator('#past .legend b').allTextContents();
    const some = (...counts) => counts.filter((count) => count > 0);
    const notStarted = [skipped - suspended, ...some(suspended), unknown];
    assert.deepEqual(legend.map(Number), [onTime, late, running, ...some(waiting, pending), ...notStarted]);
  }));

  test('each explanation with its charts', () => read(async (page) => {
    for (const [index, explained] of said.explanations.items.entries()) {
      const past = said.history.items[index];
      assert.equal(name(explained), name(said.scan.items[index]));
      const group = await unfold(page, name(explained));
      const text = await group.textContent();
      assert.ok(text.startsWith(explained.verdict), text);
      for (const step of explained.decision.steps) assert.ok(text.includes(`${step.check}${step.detail}`), step.detail);
      for (const event of explained.decision.events) assert.ok(text.includes(`${event.reason}: ${event.message}`), event.message);
      for (const finding of explained.findings) assert.ok(text.includes(finding.detail), finding.code);
      const remedies = await group.locator('.remedy').evaluateAll((all) => all.map((one) => [...one.querySelectorAll('bdi')].map((part) => part.textContent)));
      assert.deepEqual(remedies, explained.findings.filter((finding) => finding.remedy).map(({ remedy }) => spoken(remedy)));
      const next = group.getByRole('table', { name: 'Next runs of the schedule' }).locator('td:first-child time');
      assert.deepEqual(await next.evaluateAll((all) => all.map((time) => time.dateTime)), explained.nextRuns.map((run) => run.scheduledTime));
      const notes = group.getByRole('table', { name: 'Next runs of the schedule' }).locator('td p');
      assert.deepEqual(await notes.allTextContents(), explained.nextRuns.flatMap((run) => run.notes));
      for (const [title, field] of [['Durations', 'durationSeconds'], ['Delays', 'delaySeconds']]) {
        const marks = group.getByRole('img', { name: title }).locator('g');
        const values = await marks.evaluateAll((all) => all.map((mark) => mark.dataset.seconds ?? null));
        // Without a run there is nothing to draw.
        const drawn = past.runs.some((run) => run.jobName !== null) ? past.runs : [];
        assert.deepEqual(values, drawn.map((run) => (run[field] === null ? null : String(run[field]))), title);
      }
      const rows = await group.getByRole('table', { name: 'Past runs, oldest first', includeHidden: true }).locator('tbody tr').count();
      // Scheduled times without a run, with the same status and reason, are one row.
      const isAlike = (one, other) => [one, other].every((run) => run.jobName === null) && one.status === other.status && one.reason === other.reason;
      assert.equal(rows, past.runs.filter((run, place) => place === 0 || !isAlike(past.runs[place - 1], run)).length);
    }
  }));
});

test('commands can be copied', () => use(async (page) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const remedy = shown(page, 'findings').locator('.remedy', { has: page.locator('code') }).first();
  const command = await remedy.locator('code').first().textContent();
  assert.match(command, /^kubectl /);
  await remedy.getByRole('button', { name: `Copy ${command}` }).click();
  await remedy.getByText('Copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
  // A command in a comment is copied alone.
  const group = await unfold(page, 'ops/blocked');
  await group.locator('.remedy .copy').nth(1).waitFor();
  assert.deepEqual(await group.locator('.remedy code').allTextContents(), [
    'kubectl describe job blocked-29920451 -n ops', 'kubectl delete job blocked-29920451 -n ops',
  ]);
  assert.equal(await group.locator('.remedy .copy').count(), 2);
}));

describe('filters filter', () => {
  const who = (page, list, place) => column(page, list, place);
  const filter = onePage();
  const clear = (page) => page.getByRole('button', { name: 'Clear filter' }).click();

  test('by text, with the keyboard alone', () => filter(async (page) => {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the findings');
    const field = page.getByRole('searchbox', { name: 'Text' });
    for (let presses = 0; presses < 40 && !(await field.evaluate((one) => one === document.activeElement)); presses += 1) await page.keyboard.press('Tab');
    await page.keyboard.type('BackoffLimit');
    assert.deepEqual(await who(page, 'findings', 2), ['ops/failing']);
    assert.deepEqual(await who(page, 'cronjobs', 2), ['ops/failing']);
    assert.deepEqual(await who(page, 'timeline', 1), ['ops/failing']);
    assert.deepEqual(await who(page, 'past', 1), ['ops/failing']);
    assert.equal(await page.getByRole('status').textContent(), '1 of 8 findings, 1 of 12 CronJobs');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('no such thing');
    assert.equal(await shown(page, 'cronjobs').count(), 0);
    assert.ok(await page.locator('#cronjobs').getByText('Nothing matches the filter.').isVisible());
    await clear(page);
  }));

  test('by health, namespace and finding', () => filter(async (page) => {
    await page.getByLabel('Health', { exact: true }).selectOption('warning');
    assert.deepEqual(new Set(await who(page, 'findings', 1)), new Set(['warning']));
    assert.equal(await shown(page, 'cronjobs').count(), said.scan.summary.warning);
    await page.getByLabel('Namespace', { exact: true }).selectOption('shop');
    assert.deepEqual(await who(page, 'cronjobs', 2), ['shop/nightly', 'shop/office']);
    await page.getByLabel('Finding', { exact: true }).selectOption('missed-without-event');
    assert.deepEqual(await who(page, 'cronjobs', 2), ['shop/office']);
    await clear(page);
    assert.equal(await shown(page, 'cronjobs').count(), 12);
    assert.equal(await shown(page, 'findings').locator('.found').count(), 8);
  }));

  test('by the counts and findings of the overview', () => filter(async (page) => {
    await page.locator('.tile', { hasText: 'suspended' }).click();
    assert.deepEqual(await who(page, 'cronjobs', 2), ['shop/nightly']);
    await page.getByText('8 kinds of findings').click();
    await page.getByRole('link', { name: 'starting-deadline-zero' }).click();
    assert.deepEqual(await who(page, 'findings', 2), ['ops/zero']);
    await clear(page);
  }));

  test('a finding links to its CronJob despite the filter', () => filter(async (page) => {
    await page.getByLabel('Health', { exact: true }).selectOption('info');
    assert.equal(await shown(page, 'cronjobs').count(), 0);
    await shown(page, 'findings').getByRole('link', { name: 'shop/nightly' }).click();
    await page.getByRole('group', { name: 'shop/nightly', exact: true }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'shop/nightly');
    assert.match(page.url(), /#c5$/);
  }));
});

describe('lists can be sorted', () => {
  test('with the mouse', () => use(async (page) => {
    const head = page.locator('.cronjobs thead th', { hasText: 'CronJob' });
    await head.getByRole('button').click();
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    const names = await column(page, 'cronjobs', 2);
    assert.deepEqual(names, said.scan.items.map(name).sort());
    await head.getByRole('button').click();
    assert.equal(await head.getAttribute('aria-sort'), 'descending');
    assert.deepEqual(await column(page, 'cronjobs', 2), names.toReversed());
  }));

  test('with the keyboard; rows without a value are last', () => use(async (page) => {
    const head = page.locator('.cronjobs thead th', { hasText: 'Next run' });
    await head.getByRole('button').focus();
    const times = async () => shown(page, 'cronjobs').evaluateAll((rows) => rows.map((row) => row.cells[3].querySelector('time')?.dateTime ?? null));
    const known = said.scan.items.map((item) => item.nextRun).filter(Boolean).sort();
    const none = said.scan.items.filter((item) => item.nextRun === null).map(() => null);
    await page.keyboard.press('Enter');
    assert.deepEqual(await times(), [...known, ...none]);
    await page.keyboard.press('Space');
    assert.deepEqual(await times(), [...known.toReversed(), ...none]);
    const runs = page.locator('.timeline thead th', { hasText: 'Runs' });
    await runs.getByRole('button').focus();
    await page.keyboard.press('Enter');
    assert.equal(await runs.getAttribute('aria-sort'), 'descending');
    assert.deepEqual(await column(page, 'timeline', 2), said.timeline.items.map((item) => item.runs).sort((a, b) => b - a).map(grouped));
  }));

  test('an explanation stays with its CronJob', () => use(async (page) => {
    await unfold(page, 'ops/blocked');
    await page.locator('.cronjobs thead th', { hasText: 'CronJob' }).getByRole('button').click();
    const before = await page.locator('tr.detail').evaluate((row) => row.previousElementSibling.querySelector('.fold').textContent);
    assert.equal(before, 'ops/blocked');
    await page.keyboard.press('Tab');
    await shown(page, 'cronjobs').locator('.fold', { hasText: 'ops/blocked' }).focus();
    await page.keyboard.press('Enter');
    assert.equal(await page.locator('tr.detail').count(), 0);
  }));
});

describe('the page is accessible', () => {
  const looks = [
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['on a phone', { colorScheme: 'light', viewport: PHONE }],
    ['dark on a phone', { colorScheme: 'dark', viewport: PHONE }],
  ];
  for (const [look, options] of looks) {
    test(look, () => use(async (page) => {
      assert.equal(await overflow(page), 0);
      await page.getByText('8 kinds of findings').click();
      for (const explained of ['ops/failing', 'ops/blocked', 'shop/office', 'ops/leapday']) await unfold(page, explained);
      await page.locator('details').evaluateAll((all) => { for (const one of all) one.open = true; });
      assert.equal(await overflow(page), 0);
      const [paper, ink] = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color].map((color) => Number(/\d+/.exec(color)[0])));
      assert.equal(paper > ink, options.colorScheme === 'light');
      // Each color and each layout once, since it takes seconds.
      if ((options.viewport === PHONE) === (options.colorScheme === 'dark')) assert.deepEqual(await violations(page), []);
    }, options));
  }

  test('print includes explanations and hides controls', () => use(async (page) => {
    // The data is read shortly after the page is loaded.
    await page.locator('html[data-ready]').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await page.locator('.case').count(), 12);
    assert.equal(await page.locator('.filter').isVisible(), false);
    assert.equal(await page.locator('nav').isVisible(), false);
    assert.equal(await overflow(page), 0);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    assert.equal(await page.locator('.case').count(), 0);
    assert.ok((await page.pdf()).length > 10_000);
  }));

  test('without JavaScript', () => use(async (page) => {
    assert.equal(await shown(page, 'findings').locator('.found').count(), 8);
    assert.equal(await page.locator('.cronjobs > tbody > tr').count(), 12);
    assert.equal(await page.locator('.filter').isVisible(), false);
    assert.ok(await page.getByText('scripts are off').isVisible());
    assert.equal(await page.locator('.heat g').count(), 1440);
  }, { javaScriptEnabled: false }));

  test('the data can be saved', () => use(async (page) => {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the data as JSON' }).click();
    const stream = await (await download).createReadStream();
    let text = '';
    for await (const piece of stream) text += piece;
    assert.deepEqual(JSON.parse(text), said);
  }));
});
