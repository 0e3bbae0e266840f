// Creates docs/pictures/report-light.png and report-dark.png from the recorded cluster.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { launch, open, shown } from './support/browser.mjs';
import { RECORDED, page as made, project } from './support/doctor.mjs';
import { small } from './support/png.mjs';

const folder = join(project, 'docs/pictures');
mkdirSync(folder, { recursive: true });
const { url } = made('screenshot', RECORDED);
const browser = await launch();
for (const colorScheme of ['light', 'dark']) {
  const { page, end } = await open(browser, url, { colorScheme, viewport: { width: 1180, height: 2000 } });
  // One severity, one explanation, and the timeline.
  await page.locator('#by-health').selectOption('error');
  await shown(page, 'cronjobs').locator('.fold', { hasText: 'ops/zero' }).click();
  await page.getByRole('group', { name: 'ops/zero', exact: true }).waitFor();
  await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
  const { y, height } = await page.locator('#timeline').boundingBox();
  const path = join(folder, `report-${colorScheme}.png`);
  const picture = small(await page.screenshot({ clip: { x: 0, y: 0, width: 1180, height: Math.ceil(y + height) } }));
  writeFileSync(path, picture);
  console.log(`${path}: ${Math.round(picture.length / 1000)} kB`);
  await end();
}
await browser.close();
