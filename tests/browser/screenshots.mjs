// Makes docs/images/report-light.png and report-dark.png of the recorded cluster.

import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { launch, open, shown } from './support/browser.mjs';
import { RECORDED, page as made, project } from './support/doctor.mjs';

const folder = join(project, 'docs/images');
mkdirSync(folder, { recursive: true });
const { url } = made('screenshot', RECORDED);
const browser = await launch();
for (const colorScheme of ['light', 'dark']) {
  const { page, end } = await open(browser, url, { colorScheme, viewport: { width: 1280, height: 1480 } });
  // One severity, one explanation, and the timeline below: everything at a glance.
  await page.getByLabel('Health', { exact: true }).selectOption('error');
  await shown(page, 'cronjobs').locator('.fold', { hasText: 'ops/failing' }).click();
  await page.getByRole('group', { name: 'ops/failing', exact: true }).waitFor();
  await page.getByRole('searchbox').focus();
  const path = join(folder, `report-${colorScheme}.png`);
  await page.screenshot({ path });
  console.log(`${path}: ${Math.round(statSync(path).size / 1000)} kB`);
  await end();
}
await browser.close();
