// Runs the program once for each question, in a file system of its own that has one file.

import { ConsoleStdout, File, OpenFile, PreopenDirectory, WASI, WASIProcExit } from './wasi/index.js';

/** The most bytes of an answer. */
const MOST = 16 << 20;

function collector() {
  const parts = [];
  let size = 0;
  return {
    fd: new ConsoleStdout((bytes) => {
      size += bytes.length;
      if (size > MOST) throw new Error('The answer is larger than 16 MiB.');
      parts.push(bytes.slice());
    }),
    async text() { return new Blob(parts).text(); },
  };
}

let compiled;

addEventListener('message', async ({ data: { id, module, args, name, text } }) => {
  if (module) {
    compiled = module;
    return;
  }
  const file = new File(typeof text === 'string' ? new TextEncoder().encode(text) : text);
  const [out, messages] = [collector(), collector()];
  const fds = [new OpenFile(new File([])), out.fd, messages.fd, new PreopenDirectory('.', new Map([[name, file]]))];
  const wasi = new WASI(['kubectl-cronjob_doctor', ...args], [], fds, { debug: false });
  let code = 0;
  let failure;
  try {
    const instance = new WebAssembly.Instance(compiled, { wasi_snapshot_preview1: wasi.wasiImport });
    code = wasi.start(instance);
  } catch (error) {
    if (error instanceof WASIProcExit) code = error.code;
    else failure = String(error.message ?? error);
  }
  postMessage({ id, code, failure, out: await out.text(), messages: await messages.text(), text: new TextDecoder().decode(file.data) });
});
