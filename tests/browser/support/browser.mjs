// A headless browser, and pages whose requests and errors are recorded.

import assert from 'node:assert/strict';

import axe from 'axe-core';
import { chromium } from 'playwright-core';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

export const launch = () => chromium.launch({
  executablePath,
  args: [
    '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync',
  ],
});

export const WIDE = { width: 1280, height: 900 };
export const PHONE = { width: 360, height: 740 };

/**
 * Opens a page. `end()` checks that it made no other requests and logged no errors.
 */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  const page = await context.newPage();
  // The time after the first frame with the whole page.
  await page.addInitScript(() => addEventListener('load', () => requestAnimationFrame(() => setTimeout(() => {
    globalThis.laidOutAfter = performance.now();
  }))));
  const requests = [];
  const complaints = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  await page.goto(url);
  return {
    page,
    async end() {
      assert.deepEqual(complaints, [], 'the console is empty');
      assert.deepEqual(requests, [url], 'no other requests');
      await context.close();
    },
  };
}

/** The violations that axe-core finds. */
export async function violations(page) {
  // Sections that are laid out lazily would move while they are measured.
  await page.locator('section').evaluateAll((all) => { for (const one of all) one.style.contentVisibility = 'visible'; });
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, {
    // A page in a frame is tested as a page of its own.
    iframes: false,
    resultTypes: ['violations'],
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }));
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

/** The number of pixels by which the page is wider than the window. */
export const overflow = (page) => page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - innerWidth);

/** The visible rows of a list. */
export const shown = (page, list) => page.locator(`table.${list} > tbody:not(.later) > tr:not(.detail)`);

/** The texts of one of its columns. */
export const column = (page, list, place) => shown(page, list).locator(`> :nth-child(${place})`).allTextContents();
