// The page that runs the program in the browser: PAGE is the folder that packaging/web/build.mjs wrote, DOCTOR the program.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { launch, overflow, violations } from './support/browser.mjs';
import { serve } from './support/page.mjs';

const folder = process.env.PAGE;
const TABS = ['explain', 'next', 'lint', 'outage', 'versions'];
const WIDE = { width: 1400, height: 900 };
const NARROW = { width: 390, height: 844 };

/** What must never become markup. */
const ATTACKS = [
  '<img src=x onerror=alert(1)>', '</script><script>alert(1)</script>', '"><svg onload=alert(1)>', "javascript:alert('1')",
  '</title><script>alert(1)</script>', '{{constructor.constructor("alert(1)")()}}', '\u202Eevil', '&lt;b&gt;', '<!--', ']]>',
];

const cronJob = (name, schedule = '*/5 * * * *') => JSON.stringify({
  apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name, namespace: name, labels: { [name]: name }, annotations: { [name]: name } },
  spec: { schedule, timeZone: name, concurrencyPolicy: name, jobTemplate: { spec: { template: { spec: { restartPolicy: name, containers: [{ name, image: name }] } } } } },
});

describe('the page', { skip: folder ? false : 'skipped' }, () => {
  let browser;
  let server;
  before(async () => {
    [browser, server] = [await launch(), await serve(folder)];
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  /** Opens the page; what it logs, and which other places it asks, is collected. */
  async function open(fragment = '', options = {}) {
    const context = await browser.newContext({ viewport: WIDE, ...options });
    const page = await context.newPage();
    const complaints = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    page.on('request', (request) => { if (!request.url().startsWith(server.url) && !/^(data|blob):/.test(request.url())) complaints.push(request.url()); });
    await page.goto(server.url + fragment);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    return {
      page,
      async end() {
        await context.close();
        assert.deepEqual(complaints, [], 'no messages, dialogs or other requests');
      },
    };
  }

  const settled = (page) => page.waitForFunction(() => /Answered/.test(document.getElementById('status').textContent));
  async function type(page, text) {
    await page.evaluate(() => { document.getElementById('status').textContent = ''; });
    // Large texts take long to be typed.
    await page.evaluate((text) => {
      const field = document.getElementById('text');
      field.value = text;
      field.dispatchEvent(new Event('input'));
    }, text);
    await settled(page);
  }

  test('answers as the native program, byte for byte', async () => {
    const { page, end } = await open();
    const { examples } = JSON.parse(readFileSync(join(folder, 'examples.json'), 'utf8'));
    const work = mkdtempSync(join(tmpdir(), 'page-'));
    const cases = Object.entries(examples).flatMap(([name, { text, now = '2026-03-10T06:30:00Z', kubernetes = '1.36' }]) => {
      const basis = ['-f', 'input.yaml', '--color=always', `--kubernetes-version=${kubernetes}`];
      const outage = ['--from', now, '--for=1d', `--outage=${now}/3h`];
      return [
        ['explain', ...basis, `--now=${now}`], ['explain', ...basis, `--now=${now}`, '-o', 'wide', '--compare=1.20,1.27.1'],
        ['explain', ...basis, `--now=${now}`, '-o', 'json'], ['next-runs', ...basis, `--now=${now}`, '--count=10'], ['next-runs', ...basis, `--now=${now}`, '-o', 'html'],
        ['lint', 'input.yaml', '--color=always', '--severity=info'], ['lint', 'input.yaml', '-o', 'json'], ['lint', '--fix', 'input.yaml'],
        ['simulate', ...basis, ...outage], ['simulate', ...basis, ...outage, '-o', 'svg'],
        ['history', ...basis, `--now=${now}`],
      ].map((args) => ({ name, text, args }));
    });
    // An odd number of commands: each is asked in both widths.
    for (const [index, one] of cases.entries()) one.columns = [80, 49][index % 2];
    const found = await page.evaluate(async (cases) => {
      const program = globalThis.cronjobDoctor.newProgram(60_000);
      const all = [];
      for (const { args, text, columns } of cases) all.push(await program.run(args, text, { columns }));
      return all;
    }, cases);
    for (const [index, { name, text, args, columns }] of cases.entries()) {
      const path = join(work, 'input.yaml');
      writeFileSync(path, text);
      const native = spawnSync(process.env.DOCTOR, [...args, '--tzdb=bundled'], { cwd: work, encoding: 'utf8', maxBuffer: 64 << 20, env: { HOME: '/nonexistent', COLUMNS: columns } });
      const { code, out, messages, text: left, failure } = found[index];
      assert.equal(failure, undefined, `${name}: ${args.join(' ')}`);
      assert.deepEqual([code, out, messages, left], [native.status, native.stdout, native.stderr, readFileSync(path, 'utf8')], `${name}: ${args.join(' ')}`);
    }
    rmSync(work, { recursive: true });
    await end();
    console.log(`${Object.keys(examples).length} examples, ${cases.length} answers`);
  });

  for (const colorScheme of ['light', 'dark']) {
    for (const viewport of [WIDE, NARROW]) {
      test(`has no violations: ${colorScheme}, ${viewport.width} px`, async () => {
        const { page, end } = await open('#example=lint/invalid-value', { colorScheme, viewport, bypassCSP: true });
        for (const tab of TABS) {
          await page.evaluate(() => { document.getElementById('status').textContent = ''; });
          await page.click(`#${tab}`);
          await settled(page);
          assert.deepEqual(await violations(page), [], tab);
          assert.ok(await overflow(page) <= 0, `${tab} is wider than the window`);
        }
        await end();
      });
    }
  }

  test('is used with the keyboard alone', async () => {
    const { page, end } = await open();
    await page.focus('#explain');
    for (const tab of [...TABS.slice(1), 'explain']) {
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.evaluate(() => document.activeElement.id), tab);
      assert.equal(await page.getAttribute(`#${tab}`, 'aria-selected'), 'true');
    }
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'answer');
    await page.focus('#text');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'link', 'Tab leaves the editor');
    await end();
  });

  test('underlines what lint finds, and fixes it', async () => {
    const { page, end } = await open('#example=lint/invalid-value&tab=lint');
    await settled(page);
    await page.locator('#fixes').waitFor();
    assert.deepEqual(await page.locator('#marks mark.error').allTextContents(), ['0 6 * * 7']);
    await page.click('#fix');
    await page.waitForFunction(() => /schedule: "?0 6 \* \* 0/.test(document.getElementById('text').value));
    await page.waitForFunction(() => document.querySelectorAll('#marks mark.error').length === 0);
    await end();
  });

  test('shows hostile text as text', async () => {
    const { page, end } = await open();
    for (const attack of ATTACKS) {
      for (const input of [cronJob(attack), cronJob('a', attack), attack, `# ${attack}\n${cronJob(attack)}`]) {
        for (const tab of input === cronJob(attack) ? TABS : ['lint']) {
          await page.evaluate((tab) => document.getElementById(tab).click(), tab);
          await type(page, input);
          const strange = await page.locator('#answer :not(pre, span, p, h2, h3, img, .page, section, ol, ul, li, time, bdi), #answer [onload], #answer [onerror], #answer [style], #answer img:not([src^="data:image/svg+xml"]), #marks :not(mark)').count();
          assert.equal(strange, 0, `${tab}: ${input}`);
        }
      }
    }
    for (const input of ['a: '.repeat(20_000), '['.repeat(100_000), `a: &a [${'*a,'.repeat(1000)}]`, '\u0000\uFFFE\uD800', `# ${'x'.repeat(1 << 20)}`, 'a: b\n'.repeat(200_000)]) await type(page, input);
    await end();
  });

  test('shows a calendar of the coming weeks', async () => {
    const { page, end } = await open('#example=next-runs/cronjobs&tab=next&now=2026-03-28T12:00:00Z');
    await settled(page);
    const day = page.locator('#answer li', { has: page.locator('[datetime="2026-03-29"]') });
    assert.match(await day.textContent(), /Clocks go forward to 03:00/);
    const columns = (name) => page.locator(`#answer .calendar > .${name}:not(.empty)`).evaluateAll((days) => [...new Set(days.map((one) => one.offsetLeft))]);
    const [monday, sunday] = [await columns('mon'), await columns('sun')];
    assert.equal(monday.length, 1, 'all Mondays are below each other');
    assert.ok(monday[0] < sunday[0]);
    await page.setViewportSize(NARROW);
    assert.deepEqual(await columns('mon'), await columns('sun'), 'a narrow window has a list');
    await end();
  });

  test('breaks no line that the program has wrapped', async () => {
    for (let width = 1280; width <= 1400; width += 20) {
      const { page, end } = await open('#example=findings/blocked-by-running-job&tab=explain', { viewport: { width, height: 900 } });
      await settled(page);
      const [shown, written] = await page.locator('#answer pre').first().evaluate((pre) => {
        const height = pre.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(pre).lineHeight);
        return [Math.round(height), pre.textContent.trimEnd().split('\n').length];
      });
      assert.equal(shown, written, `${width} px`);
      await end();
    }
  });

  test('gives the program the bytes of a dropped file', async () => {
    const { page, end } = await open('#example=explain/blocked&tab=lint');
    const work = mkdtempSync(join(tmpdir(), 'page-'));
    const yaml = (inside = '') => `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: "a${inside}"}\nspec: {schedule: "0 6 * * 7", timeZone: Europe/Berlin}\n`;
    const plain = (text) => Buffer.from(text, 'latin1');
    const wide = Buffer.from(yaml(ATTACKS[0]), 'utf16le');
    const columns = await page.evaluate(() => {
      const ruler = document.getElementById('ruler');
      return Math.floor(document.getElementById('answer').getBoundingClientRect().width / (ruler.getBoundingClientRect().width / ruler.textContent.length));
    });
    for (const [name, bytes, words] of [
      ['invalid UTF-8', plain(yaml(`${ATTACKS[0]}\xff\xfe\xc3(`)), /is not UTF-8/],
      ['Latin-1', plain(`# Gr\xf6\xdfe ${ATTACKS[1]}\n${yaml()}`), /is not UTF-8/],
      ['UTF-16, little endian', Buffer.concat([plain('\xff\xfe'), wide]), /the encoding is UTF-16/],
      ['UTF-16, big endian', Buffer.concat([plain('\xfe\xff'), Buffer.from(wide).swap16()]), /the encoding is UTF-16/],
      ['UTF-16 without a mark', wide, /the encoding is UTF-16/],
      ['NUL', plain(yaml(`${ATTACKS[0]}\0`)), /unexpected character/],
      ['a mark of UTF-8', plain(`\xef\xbb\xbf${yaml(ATTACKS[0])}`), /invalid-value/],
      ['carriage returns', plain(yaml().replaceAll('\n', '\r\n')), /invalid-value/],
      ['each byte', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), /No CronJobs found/],
    ]) {
      await page.evaluate((bytes) => {
        document.getElementById('status').textContent = '';
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([new Uint8Array(bytes)], 'any.yaml'));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      }, [...bytes]);
      await settled(page);
      writeFileSync(join(work, 'input.yaml'), bytes);
      const native = spawnSync(process.env.DOCTOR, ['lint', 'input.yaml', '--severity=info', '--tzdb=bundled'], { cwd: work, encoding: 'utf8', env: { HOME: '/nonexistent', COLUMNS: columns } });
      const shown = await page.locator('#answer pre').allTextContents();
      assert.deepEqual(shown, [native.stdout, native.stderr].filter(Boolean), name);
      assert.match(shown.join(''), words, name);
      assert.equal(await page.locator('#answer :not(pre, span), #marks :not(mark)').count(), 0, name);
      // A link gives the same answer as the file.
      await page.click('#link');
      await page.waitForFunction(() => document.getElementById('said').textContent);
      const linked = await open(new URL(page.url()).hash);
      assert.deepEqual(await linked.page.locator('#answer pre').allTextContents(), shown, name);
      await linked.end();
    }
    // What is typed replaces the file.
    await type(page, cronJob('typed', '0 6 * * *'));
    assert.match(await page.textContent('#answer'), /typed/);
    rmSync(work, { recursive: true });
    await end();
  });

  test('fills the width of the window, and nothing is cut', async () => {
    const { page, end } = await open('', { viewport: NARROW });
    const { examples } = JSON.parse(readFileSync(join(folder, 'examples.json'), 'utf8'));
    const wide = () => page.locator('#answer pre').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
    for (const name of Object.keys(examples).filter((one) => /^(explain|findings|simulate)/.test(one))) {
      for (const tab of ['explain', 'outage']) {
        await page.evaluate(() => { document.getElementById('status').textContent = ''; });
        await page.evaluate((hash) => { location.hash = hash; }, `#example=${name}&tab=${tab}`);
        await settled(page);
        assert.deepEqual(await wide(), [], `${name}: ${tab}`);
      }
    }
    await page.setViewportSize(WIDE);
    await page.evaluate(() => { location.hash = '#example=explain/blocked&tab=explain'; });
    const longest = () => page.evaluate(() => Math.max(...document.querySelector('#answer pre').textContent.split('\n').map((line) => (/kubectl/.test(line) ? 0 : line.length))));
    await page.waitForFunction(() => document.querySelector('#answer.explain pre')?.textContent.split('\n').some((line) => line.length > 70 && !/kubectl/.test(line)));
    assert.ok(await longest() <= 100);
    for (const id of ['now', 'from', 'away', 'span']) {
      await page.setViewportSize(NARROW);
      await page.evaluate(() => document.getElementById('outage').click());
      await page.fill(`#${id}`, /now|from/.test(id) ? '2026-03-10T06:30:05Z' : '112m');
      assert.ok(await page.locator(`#${id}`).evaluate((field) => field.scrollWidth <= field.clientWidth), id);
    }
    await end();
  });

  test('draws pictures whose texts are not cut', async () => {
    const { page, end } = await open();
    const name = (nth) => `${'analytics-'.repeat(nth)}team`;
    const list = [1, 2, 4, 6].map((nth) => cronJob(name(nth)).replaceAll(/"(timeZone|concurrencyPolicy|restartPolicy)":"[^"]*",?/g, '').replace('"*/5 * * * *"', '"7,17,27,37,47 8-18 * * 1-5","timeZone":"America/Argentina/ComodRivadavia"'));
    const svgs = await page.evaluate(async (inputs) => {
      const program = globalThis.cronjobDoctor.newProgram(60_000);
      const all = [];
      for (const text of inputs) for (const span of ['1d', '30d']) all.push((await program.run(['simulate', '-f', 'input.yaml', '--from=2026-03-26T09:00:00Z', `--for=${span}`, '--outage=2026-03-26T09:00:00Z/30h', '--compare=1.20,1.27.1', '-o', 'svg'], text)).out);
      return all;
    }, [...list, list.join('\n---\n'), list.slice(0, 2).join('\n---\n')]);
    await end();
    for (const width of [358, 700]) {
      const context = await browser.newContext({ viewport: { width, height: 900 } });
      const drawn = await context.newPage();
      for (const svg of svgs) {
        await drawn.setContent(`<style>body{margin:0}</style>${svg.slice(svg.indexOf('<svg'))}`);
        const cut = await drawn.locator('svg text').evaluateAll((all) => all.map((one) => [one.getBBox(), one.textContent]).filter(([{ x, width }]) => x < 0 || x + width > 700).map(([box, text]) => `${Math.round(box.x + box.width)}: ${text}`));
        assert.deepEqual(cut, [], `${width}`);
      }
      await context.close();
    }
  });

  test('shows fewer days if there are too many runs', async () => {
    const { page, end } = await open('#example=explain/blocked&tab=next');
    await type(page, cronJob('a', '@every 1s').replaceAll(/"(timeZone|concurrencyPolicy)":"a",/g, ''));
    assert.match(await page.textContent('#answer'), /The calendar ends early.*86,400 frequent runs/s);
    assert.equal(await page.locator('#answer .calendar').count(), 1);
    // Even a day of them has too many.
    await type(page, Array.from({ length: 700 }, (_, nth) => `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a${nth}}\nspec: {schedule: "* * * * *", jobTemplate: {}}\n`).join('---\n'));
    assert.match(await page.textContent('#answer'), /more than 1,000,000 runs/);
    await end();
  });

  test('the time and the version of an example are not kept for other objects', async () => {
    const { page, end } = await open('#example=simulate/every-minute&kubernetes=1.30&now=2026-03-02T08:00:00Z&from=2026-03-02T08:29:00Z');
    const fields = () => page.evaluate(() => ['now', 'from', 'kubernetes', 'example'].map((id) => document.getElementById(id).value));
    // An edit keeps them.
    await page.focus('#text');
    await page.keyboard.type('# ');
    assert.deepEqual(await fields(), ['2026-03-02T08:00:00Z', '2026-03-02T08:29:00Z', '1.30', '']);
    await page.keyboard.press('Control+A');
    await page.evaluate(() => document.getElementById('text').dispatchEvent(new ClipboardEvent('paste')));
    assert.deepEqual(await fields(), ['', '', '', '']);
    await page.fill('#now', '2026-05-01T00:00:00Z');
    await page.evaluate(() => document.getElementById('text').dispatchEvent(new ClipboardEvent('paste')));
    assert.deepEqual(await fields(), ['2026-05-01T00:00:00Z', '', '', ''], 'what was typed is kept');
    await page.selectOption('#example', 'explain/blocked');
    await page.fill('#text', '');
    assert.deepEqual(await fields(), ['', '', '', ''], 'an empty editor keeps nothing');
    await page.click('#outage');
    await page.fill('#from', '2026-05-01T00:00:00Z');
    await page.selectOption('#example', 'explain/blocked');
    assert.deepEqual(await fields(), ['2026-03-10T06:30:05Z', '', '1.36', 'explain/blocked']);
    await end();
  });

  test('refuses what would take too long, in words', async () => {
    const { page, end } = await open();
    const list = (count) => `{"apiVersion":"v1","kind":"List","items":[${Array.from({ length: count }, (_, nth) => cronJob(`a${nth}`, '0 6 * * 7'))}]}`;
    const longest = (act) => page.evaluate(async ([act, text]) => {
      let [longest, last] = [0, performance.now()];
      const timer = setInterval(() => { [longest, last] = [Math.max(longest, performance.now() - last), performance.now()]; }, 1);
      const field = document.getElementById('text');
      document.getElementById(act).click();
      document.getElementById('status').textContent = '';
      field.value = text;
      field.dispatchEvent(new Event('input'));
      while (!/Answered/.test(document.getElementById('status').textContent)) await new Promise((done) => { setTimeout(done, 10); });
      await new Promise((done) => { setTimeout(done, 500); });
      clearInterval(timer);
      return Math.round(longest);
    }, [act, list(3000)]);
    for (const tab of ['explain', 'lint']) {
      const blocked = await longest(tab);
      const { length } = await page.textContent('#answer');
      console.log(`${tab} of 3,000 CronJobs in one line: ${length} characters, the page waited for ${blocked} ms at most`);
      assert.ok(length < 3 * 300_000, `${tab}: ${length}`);
      assert.ok(blocked < 5000, `${tab}: ${blocked}`);
    }
    const hash = async (text) => page.evaluate(async (text) => {
      const { fragment } = await import('./link.js');
      return fragment({ text, tab: 'lint' }).catch((error) => error.message);
    }, text);
    for (const text of ['a\n'.repeat(1 << 20), 'x'.repeat((4 << 20) + 1)]) {
      const large = await open(`#${await hash(text)}`);
      assert.match(await large.page.textContent('#answer'), /The input is larger than 4 MiB, or has more than 200,000 lines/);
      assert.equal(await large.page.inputValue('#text'), '');
      await large.end();
    }
    const random = Buffer.from(Array.from({ length: 1 << 20 }, (_, nth) => (nth * 7919 * (nth % 8191)) >> 5)).toString('base64');
    assert.match(await hash(random), /too large for a link/);
    const none = await open('#example=no/such');
    assert.match(await none.page.textContent('#answer'), /no such example/);
    await none.end();
    await end();
  });

  test('ends a program that takes too long', async () => {
    const { page, end } = await open();
    const { slow, again } = await page.evaluate(async () => {
      const program = globalThis.cronjobDoctor.newProgram(300);
      const cronJob = (name) => `{"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "${name}"}, "spec": {"schedule": "* * * * *", "jobTemplate": {}}}`;
      const text = `{"apiVersion": "v1", "kind": "List", "items": [${Array.from({ length: 2000 }, (_, nth) => cronJob(`a${nth}`))}]}`;
      const slow = await program.run(['simulate', '-f', 'input.yaml', '--from=2026-01-01T00:00:00Z', '--for=16h'], text);
      const patient = globalThis.cronjobDoctor.newProgram(20_000);
      return { slow, again: await patient.run(['version', '--client'], '') };
    });
    assert.match(slow.failure, /^No answer within 0\.3 s/);
    assert.equal(again.code, 0);
    await end();
  });

  test('a link holds the input, and a newer one is refused', async () => {
    const { page, end } = await open();
    await type(page, cronJob('linked'));
    await page.click('#next');
    await page.click('#link');
    await page.waitForFunction(() => location.hash.startsWith('#v1.'));
    const { hash } = new URL(page.url());
    const other = await open(hash);
    assert.equal(await other.page.inputValue('#text'), cronJob('linked'));
    assert.equal(await other.page.getAttribute('#next', 'aria-selected'), 'true');
    await other.end();
    for (const [fragment, words] of [[hash.replace('#v1.', '#v2.'), /newer version/], ['#v1.AAAA', /damaged/]]) {
      const newer = await open(fragment);
      assert.match(await newer.page.textContent('#answer'), words);
      assert.equal(await newer.page.inputValue('#text'), '');
      await newer.end();
    }
    await end();
  });

  test('connects to nothing once it is loaded, and works offline', async () => {
    const context = await browser.newContext({ viewport: WIDE });
    const page = await context.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    const refused = await page.evaluate(() => fetch('examples.json').then(() => 'sent', () => 'refused'));
    assert.equal(refused, 'refused');
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
      for (let tries = 0; tries < 100 && !(await caches.match('./program.wasm')); tries += 1) await new Promise((done) => { setTimeout(done, 100); });
    });
    await context.setOffline(true);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    await type(page, cronJob('offline'));
    assert.match(await page.textContent('#answer'), /offline/);
    await context.close();
  });

  test('a worker made as that of the program connects to no server', async () => {
    let asked = 0;
    const other = createServer((request, response) => {
      asked += 1;
      response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'text/javascript' }).end('');
    });
    await new Promise((listening) => other.listen(0, '127.0.0.1', listening));
    const elsewhere = `127.0.0.1:${other.address().port}`;
    assert.equal((await fetch(`http://${elsewhere}/`)).status, 200);
    const context = await browser.newContext({ viewport: WIDE });
    const page = await context.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    const tried = await page.evaluate(async ([elsewhere, own]) => {
      const outcome = `const outcome = (run) => Promise.resolve().then(run).then(() => 'connected', () => 'refused');
        const socket = () => new Promise((open, fail) => { const one = new WebSocket('ws://${elsewhere}/'); one.onopen = open; one.onerror = fail; });`;
      const both = `fetch: await outcome(() => fetch('http://${elsewhere}/')), own: await outcome(() => fetch('${own}examples.json')), socket: await outcome(socket)`;
      const ask = (type, script) => new Promise((done, fail) => {
        const url = URL.createObjectURL(new Blob([`${outcome}(async () => postMessage({ ${both}, script: await outcome(() => ${script}('http://${elsewhere}/a.js')) }))();`], { type: 'text/javascript' }));
        const worker = new Worker(url, { type });
        worker.onmessage = ({ data }) => done(data);
        worker.onerror = () => fail(new Error('the worker cannot be started'));
      });
      return [await ask('module', 'import'), await ask('classic', 'importScripts')];
    }, [elsewhere, server.url]);
    for (const outcomes of tried) assert.deepEqual(outcomes, { fetch: 'refused', own: 'refused', socket: 'refused', script: 'refused' });
    assert.equal(asked, 1, 'the other server was asked by this test alone');
    await context.close();
    other.closeAllConnections();
    other.close();
  });

  test('works below a path, and from a server that does not know WebAssembly', async () => {
    const other = await serve(folder, { base: '/cronjob-doctor/try/', types: { '.wasm': 'application/octet-stream' } });
    const page = await browser.newPage();
    await page.goto(`${other.url}cronjob-doctor/try/#example=explain/blocked`);
    await page.waitForFunction(() => document.documentElement.dataset.ready);
    assert.match(await page.textContent('#answer'), /shop\/sync/);
    assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.ready).scope), `${other.url}cronjob-doctor/try/`);
    await page.close();
    other.close();
  });

  test('says what to do without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(server.url);
    assert.match(await page.locator('noscript').textContent(), /needs JavaScript/);
    await context.close();
  });

  test('has a program of at most 1.6 MB with gzip', () => {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !entry.name.startsWith('LICENSE'));
    const size = (entry) => gzipSync(readFileSync(join(entry.parentPath, entry.name)), { level: 9 }).length;
    const sizes = files.map(size);
    const sum = sizes.reduce((all, one) => all + one, 0);
    console.log(`${sum} bytes with gzip, of which the program has ${Math.max(...sizes)}`);
    assert.ok(Math.max(...sizes) < 1_600_000, `the program has ${Math.max(...sizes)} bytes with gzip`);
  });

  test('is ready soon, and answers within 100 ms', async () => {
    const { page, end } = await open();
    const ready = await page.evaluate(() => Number(document.documentElement.dataset.ready));
    await page.click('#explain');
    const times = [];
    for (let nth = 0; nth < 20; nth += 1) {
      await type(page, cronJob(`a${nth}`));
      times.push(Number(/\d+/.exec(await page.textContent('#status'))[0]));
    }
    times.sort((a, b) => a - b);
    console.log(`ready after ${ready} ms, answered in ${times[10]} ms (median)`);
    assert.ok(times[10] < 100, `${times}`);
    await end();
  });
});
