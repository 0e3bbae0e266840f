// Puts the page together: node packaging/web/build.mjs PROGRAM.wasm FOLDER

import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [wasm, to] = process.argv.slice(2);
const from = import.meta.dirname;
const project = join(from, '../..');
const text = (...path) => readFileSync(join(project, ...path), 'utf8');

/** The files of the WASI shim that are used. */
const SHIM = ['debug.js', 'fd.js', 'fs_mem.js', 'fs_opfs.js', 'index.js', 'strace.js', 'wasi.js', 'wasi_defs.js'];
const PAGE = ['index.html', 'style.css', 'page.js', 'program.js', 'worker.js', 'link.js', 'show.js'];

const examples = {};
const groups = {};
const add = (group, path) => {
  const yaml = text('examples', path);
  const header = (key) => new RegExp(`^# ${key}: (.*)$`, 'm').exec(yaml)?.[1];
  const name = path.replace(/(\/bad)?\.yaml$/, '');
  const title = basename(name).replaceAll('-', ' ');
  examples[name] = { title: title[0].toUpperCase() + title.slice(1), text: yaml, now: header('now'), kubernetes: header('kubernetes') };
  (groups[group] ??= []).push(name);
};
const yaml = (folder) => readdirSync(join(project, 'examples', folder)).filter((name) => name.endsWith('.yaml')).map((name) => `${folder}/${name}`);
for (const path of yaml('explain')) add('What the controller does', path);
for (const path of yaml('findings')) add('Findings', path);
for (const path of [...yaml('next-runs'), ...yaml('simulate'), ...yaml('history')]) add('Schedules, outages, past runs', path);
for (const rule of readdirSync(join(project, 'examples/lint'))) {
  try { add('Lint', `lint/${rule}/bad.yaml`); } catch { /* The rule has another kind of example. */ }
}
const [, newest] = /NEWEST: Release = Release \{\s*minor: (\d+)/.exec(text('crates/cronjob-controller/src/controller/release.rs'));

rmSync(to, { recursive: true, force: true });
mkdirSync(join(to, 'wasi'), { recursive: true });
for (const name of PAGE) cpSync(join(from, name), join(to, name));
cpSync(join(project, 'src/output/next_runs/calendar.css'), join(to, 'calendar.css'));
for (const name of SHIM) cpSync(join(from, 'node_modules/@bjorn3/browser_wasi_shim/dist', name), join(to, 'wasi', name));
for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) cpSync(join(from, 'node_modules/@bjorn3/browser_wasi_shim', name), join(to, 'wasi', name));
cpSync(wasm, join(to, 'program.wasm'));
writeFileSync(join(to, 'examples.json'), JSON.stringify({ examples, groups, newest: Number(newest), first: 'explain/no-run-found' }));
const files = [...PAGE, 'calendar.css', ...SHIM.map((name) => `wasi/${name}`), 'program.wasm', 'examples.json'];
const hash = createHash('sha256');
for (const name of files) hash.update(readFileSync(join(to, name)));
const head = `const VERSION = 'cronjob-doctor-${hash.digest('hex').slice(0, 16)}';\nconst FILES = ${JSON.stringify(['./', ...files])};\n`;
writeFileSync(join(to, 'service-worker.js'), head + readFileSync(join(from, 'service-worker.js'), 'utf8'));
