// Runs the program once for each question, in a file system of its own that has one file.

import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI, WASIProcExit } from './wasi/index.js';

/** Collects what the program writes, and stops the program when that is too much. */
function collector(most) {
  const parts = [];
  let size = 0;
  return {
    fd: new ConsoleStdout((bytes) => {
      size += bytes.length;
      if (size > most) throw TOO_MUCH;
      parts.push(bytes.slice());
    }),
    async text() { return new Blob(parts).text(); },
  };
}

const TOO_MUCH = new Error();
let compiled;

addEventListener('message', async ({ data: { id, module, args, name, text, columns, most } }) => {
  if (module) {
    compiled = module;
    return;
  }
  const file = new File(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  const [out, messages] = [collector(most), collector(most)];
  const fds = [new OpenFile(new File([])), out.fd, messages.fd, new PreopenDirectory('.', new Map([[name, file]]))];
  const wasi = new WASI(['kubectl-cronjob_doctor', ...args], [`COLUMNS=${columns}`], fds, { debug: false });
  let code = 0;
  let failure;
  let isCut = false;
  try {
    const instance = new WebAssembly.Instance(compiled, { wasi_snapshot_preview1: wasi.wasiImport });
    code = wasi.start(instance);
  } catch (error) {
    if (error instanceof WASIProcExit) code = error.code;
    else if (error === TOO_MUCH) isCut = true;
    else failure = String(error.message ?? error);
  }
  postMessage({ id, code, failure, isCut, out: await out.text(), messages: await messages.text(), text: new TextDecoder().decode(file.data) });
});
