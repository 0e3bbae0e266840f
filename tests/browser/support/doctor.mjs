// Runs the real binary, whose path is in DOCTOR, in an empty environment.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

export const project = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

const binary = process.env.DOCTOR ?? join(project, 'target/debug/kubectl-cronjob_doctor');

/** A directory for the files of a test, deleted when the process ends. */
export const folder = mkdtempSync(join(tmpdir(), 'report-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The output of `report`. */
export function report(args) {
  return execFileSync(binary, ['report', '--tzdb', 'bundled', '--quiet', ...args], {
    cwd: project,
    env: { HOME: '/nonexistent' },
    maxBuffer: 1 << 30,
    encoding: 'utf8',
  });
}

/** A page in a file. */
export function pageOnly(name, args) {
  const file = join(folder, `${name}.html`);
  const text = report(args);
  writeFileSync(file, text);
  return { file, url: `file://${file}`, text };
}

/** A page in a file, and its document. */
export function page(name, args) {
  return { ...pageOnly(name, args), document: JSON.parse(report([...args, '-o', 'json'])) };
}

/** The document in a page. */
export function contained(text) {
  const packed = /<script type="application\/gzip\+base64" id="data">([^<]*)<\/script>/.exec(text)[1];
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')));
}

/** A snapshot in a file. */
export function snapshot(name, items) {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  return file;
}

/** The recorded cluster at the time of the recording. */
export const RECORDED = ['-f', 'examples/cluster', '--now', '2026-11-21T02:13:08Z', '--kubernetes-version', '1.36'];
