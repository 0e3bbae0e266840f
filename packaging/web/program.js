// The program in a worker, which is ended if it takes too long.

/** How long an answer may take. */
export const LIMIT = 5000;

/** The name of the input in messages. */
export const NAME = 'input.yaml';

export class Program {
  #module;
  #worker;
  #last = 0;
  #waiting;
  #limit;

  constructor(module, limit = LIMIT) {
    this.#module = module;
    this.#limit = limit;
    this.#start();
  }

  /** A worker from a blob has the content security policy of the page: it cannot connect either. */
  #start() {
    const source = `import ${JSON.stringify(String(new URL('worker.js', import.meta.url)))};`;
    const url = URL.createObjectURL(new Blob([`${source}postMessage('ready');`], { type: 'text/javascript' }));
    this.#worker = new Worker(url, { type: 'module' });
    const worker = this.#worker;
    this.ready = new Promise((ready, fail) => {
      worker.onerror = () => { fail(new Error('The program cannot be started.')); this.#waiting?.({ failure: 'The program cannot be started.' }); };
      worker.onmessage = ({ data }) => {
        if (data === 'ready') {
          URL.revokeObjectURL(url);
          worker.postMessage({ module: this.#module });
          ready();
        } else if (data.id === this.#last) this.#waiting?.(data);
      };
    });
    this.ready.catch(() => {});
  }

  /**
   * The answer to a command about a text, or the bytes of a file, in lines of some columns: what it prints up to some bytes, its
   * exit code, and the text of the file afterwards. One call at a time.
   */
  async run(args, text, { columns = 80, most = 16 << 20 } = {}) {
    await this.ready;
    this.#last += 1;
    let timer;
    const answer = new Promise((resolve) => {
      this.#waiting = resolve;
      timer = setTimeout(() => {
        this.#worker.terminate();
        this.#start();
        resolve({ failure: `No answer within ${this.#limit / 1000} s: the program was stopped.` });
      }, this.#limit);
    });
    this.#worker.postMessage({ id: this.#last, args, name: NAME, text, columns, most });
    const result = await answer;
    clearTimeout(timer);
    return { code: 2, out: '', messages: '', text, ...result };
  }
}
