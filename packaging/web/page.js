// The page: reads its fields, asks the program, and shows what it prints.

import { bytes, characters, fragment, state } from './link.js';
import { LIMIT, NAME, Program } from './program.js';
import { colored, copied, element, marked, picture } from './show.js';

const get = (id) => document.getElementById(id);
const FIELDS = ['text', 'kubernetes', 'now', 'zone', 'from', 'away', 'span', 'compare'];
const TABS = ['explain', 'next', 'lint', 'outage', 'versions'];
/** The largest input, and the most lines of it: a browser needs seconds for more. */
const MOST = 4 << 20;
const MOST_LINES = 200_000;
const TOO_LARGE = 'The input is larger than 4 MiB, or has more than 200,000 lines. Install the program for it.';
/** The most bytes of an answer that are shown, as text and otherwise. */
const MOST_TEXT = 300_000;
const MOST_PICTURE = 1 << 20;

let program;
let tab = 'explain';
let examples = {};
/** Why the link cannot be opened, until something else is asked. */
let refusal = '';
/** The bytes of a file whose text would hide how it is encoded, until the text is edited. */
let dropped;
/** What the example has set. */
let given = {};

const value = (id) => get(id).value.trim();
const flag = (name, text) => (text ? [`${name}=${text}`] : []);
/** The flags of all verbs about CronJobs. */
const basis = () => ['-f', NAME, '--color=always', ...flag('--kubernetes-version', value('kubernetes')), ...flag('--controller-time-zone', value('zone'))];
const now = () => flag('--now', value('now'));
const start = () => value('from') || value('now') || `${new Date().toISOString().slice(0, 16)}:00Z`;
const outage = () => ['simulate', ...basis(), ...flag('--from', value('now') || start()), ...flag('--for', value('span')), `--outage=${start()}/${value('away')}`];

/** The commands of each tab, with a heading if there are several, and flags to try one after the other if there are too many runs. */
const COMMANDS = {
  explain: () => [['', ['explain', ...basis(), ...now()]]],
  next: () => [['', ['next-runs', ...basis(), ...now(), '-o', 'html'], ['--until=7d', '--until=1d']], ['The next runs of each CronJob', ['next-runs', ...basis(), ...now(), '--count=10']]],
  lint: () => [['', ['lint', NAME, '--color=always', '--severity=info', ...flag('--kubernetes-version', value('kubernetes'))]]],
  outage: () => [['', [...outage(), '-o', 'svg']], ['', outage()]],
  versions: () => [
    ['The next sync', ['explain', ...basis(), ...now(), ...flag('--compare', value('compare'))]],
    ['The outage that the tab Outage describes', [...outage(), ...flag('--compare', value('compare'))]],
  ],
};

/** How many letters a line of the answer has room for. */
const columns = () => {
  // `clientWidth` would be rounded up.
  const width = (id) => get(id).getBoundingClientRect().width;
  return Math.floor((width('answer') * get('ruler').textContent.length) / width('ruler'));
};

async function answers(commands, text) {
  const shown = [];
  for (const [heading, args, shorter = []] of commands) {
    // What is wrong with the input is said once, by the text.
    const isText = !args.includes('-o');
    const limits = { columns: columns(), most: isText ? MOST_TEXT : MOST_PICTURE };
    const ask = (more = []) => program.run([args[0], ...more, ...args.slice(1)], text, limits);
    const hasTooMany = ({ messages }) => messages.includes('more than 1,000,000 runs');
    let answer = await ask();
    const isShorter = hasTooMany(answer);
    for (const until of shorter) if (hasTooMany(answer)) answer = await ask([until]);
    const { code, messages, failure, isCut } = answer;
    const out = isText || !isCut ? answer.out : '';
    if (heading && out) shown.push(element('h2', heading));
    if (failure) shown.push(element('p', failure, { className: 'notice' }));
    if (isCut) shown.push(element('p', isText ? 'Only the beginning of the answer is shown. Install the program for all of it.' : 'The picture is too large for this page.', { className: 'notice' }));
    const show = { svg: picture, html: copied }[args.at(-1)] ?? colored;
    if (out && isShorter) shown.push(element('p', 'The calendar ends early, because the coming weeks have more than 1,000,000 runs.', { className: 'hint' }));
    if (out) shown.push(show(out));
    if (messages && (isText || hasTooMany(answer))) shown.push(colored(messages, 'messages'));
    if (failure) break;
    if (!out && !messages && !isCut) shown.push(element('p', `Nothing was printed (exit code ${code}).`, { className: 'hint' }));
  }
  for (const pre of shown.filter((one) => one.tagName === 'PRE')) Object.assign(pre, { tabIndex: 0, role: 'group', ariaLabel: 'Output' });
  return shown;
}

/** The places of findings in the editor, and whether some can be fixed. */
async function mark(input, text) {
  const { out } = await program.run(['lint', NAME, '-o', 'json', ...flag('--kubernetes-version', value('kubernetes'))], input);
  let findings = [];
  try {
    ({ findings } = JSON.parse(out));
  } catch {
    // What is wrong is shown in the tab.
  }
  get('marks').replaceChildren(...marked(text, findings));
  scroll();
  return findings.some((one) => one.fixable);
}

let isRunning = false;
let isWanted = false;

/** Asks again; what was typed in the meantime is asked about afterwards. */
async function update() {
  isWanted = true;
  if (isRunning || !program) return;
  isRunning = true;
  try {
    await answerAll();
  } catch (error) {
    get('answer').replaceChildren(element('p', `The answer cannot be shown: ${error.message}`, { className: 'notice' }));
  } finally {
    isRunning = false;
  }
}

async function answerAll() {
  while (isWanted) {
    isWanted = false;
    const began = performance.now();
    const [asked, text] = [tab, get('text').value];
    const input = dropped ?? text;
    if (text) refusal = isTooLarge(text) ? TOO_LARGE : '';
    const hint = refusal ? element('p', refusal, { className: 'notice' }) : element('p', 'Paste a CronJob, or choose an example.', { className: 'hint' });
    const shown = text.trim() && !refusal ? await answers(COMMANDS[asked](), input) : [hint];
    if (asked !== tab) continue;
    get('answer').replaceChildren(...shown);
    document.documentElement.dataset.ready ??= String(Math.round(performance.now()));
    get('status').textContent = `Answered in ${Math.round(performance.now() - began)} ms`;
    const isFixable = await (refusal ? mark('', '') : mark(input, text));
    get('fixes').hidden = tab !== 'lint' || !isFixable;
  }
}

function scroll() {
  const { scrollTop, scrollLeft } = get('text');
  Object.assign(get('marks'), { scrollTop, scrollLeft });
}

function choose(name) {
  tab = TABS.includes(name) ? name : 'explain';
  for (const id of TABS) {
    get(id).setAttribute('aria-selected', String(id === tab));
    get(id).tabIndex = id === tab ? 0 : -1;
  }
  get('answer').setAttribute('aria-labelledby', tab);
  get('answer').className = tab;
  get('period').hidden = tab !== 'outage';
  get('compared').hidden = tab !== 'versions';
  get('fixes').hidden = true;
  update();
}

function load(name) {
  const example = Object.hasOwn(examples, name) ? examples[name] : { text: '' };
  refusal = example.text || !name ? '' : 'This page has no such example. Choose one from the list.';
  dropped = undefined;
  for (const field of FIELDS) get(field).value = example[field] ?? get(field).defaultValue ?? '';
  get('text').scrollTop = 0;
  get('example').value = name;
  given = { ...example };
}

/** The time and the version of an example do not belong to other objects. */
function leaveExample() {
  for (const field of ['now', 'from', 'kubernetes']) if (get(field).value === given[field]) get(field).value = '';
  get('example').value = '';
}

const isTooLarge = (text) => text.length > MOST || text.split('\n').length > MOST_LINES;

/** Replaces the text, unless that would take the browser too long. */
function write(text) {
  refusal = text === undefined || isTooLarge(text) ? TOO_LARGE : '';
  get('text').value = refusal ? '' : text;
}

/** Shows the text of a file, whose bytes are kept if they are not those of the text. */
function open(file) {
  const encoding = { 'ff,fe': 'utf-16le', 'fe,ff': 'utf-16be' }[Array.from(file.slice(0, 2), (byte) => byte.toString(16)).join()];
  write(file.length > MOST ? undefined : new TextDecoder(encoding).decode(file));
  const text = new TextEncoder().encode(get('text').value);
  dropped = refusal || (text.length === file.length && text.every((byte, at) => byte === file[at])) ? undefined : file;
}

/** Sets the fields from the address: #v1.… is an input, #example=NAME&tab=TAB&now=… one of the gallery. */
async function read() {
  const hash = location.hash.slice(1);
  const named = new URLSearchParams(hash);
  if (named.has('example')) {
    load(named.get('example'));
    for (const field of FIELDS) if (named.has(field)) get(field).value = given[field] = named.get(field);
    choose(named.get('tab') ?? tab);
    return;
  }
  if (!/^v\d+\./.test(hash)) {
    choose(tab);
    return;
  }
  dropped = undefined;
  try {
    const known = await state(hash);
    for (const field of FIELDS) if (field in known && field !== 'text') get(field).value = known[field];
    write(known.text ?? '');
    if (known.file) open(bytes(known.file));
    get('example').value = '';
    choose(known.tab ?? tab);
  } catch (error) {
    refusal = error.message;
    get('text').value = '';
    leaveExample();
    choose(tab);
  }
}

async function copy() {
  const said = get('said');
  said.textContent = '';
  const fields = Object.fromEntries(FIELDS.map((field) => [field, get(field).value]));
  const file = dropped ? { text: '', file: characters(dropped) } : {};
  try {
    if (isTooLarge(fields.text)) throw new Error('The input is too large for a link.');
    history.replaceState(null, '', `#${await fragment({ ...fields, ...file, tab })}`);
  } catch (error) {
    said.textContent = error.message;
    return;
  }
  const isCopied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  said.textContent = `The link is ${isCopied ? 'copied' : 'in the address bar'}. It contains the input.`;
}

function listen() {
  let timer;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(update, 40);
  };
  for (const field of FIELDS) {
    get(field).addEventListener('input', () => {
      if (field === 'text') {
        dropped = undefined;
        get('example').value = '';
        get('marks').replaceChildren();
        if (!get('text').value) leaveExample();
      }
      later();
    });
  }
  get('text').addEventListener('scroll', scroll);
  get('text').addEventListener('paste', ({ target }) => {
    if (target.selectionEnd - target.selectionStart === target.value.length) leaveExample();
  });
  addEventListener('resize', later);
  get('example').addEventListener('change', () => { load(get('example').value); update(); });
  get('link').addEventListener('click', copy);
  get('fix').addEventListener('click', async () => {
    const old = get('text').value;
    const { text, failure } = await program.run(['lint', '--fix', NAME, ...flag('--kubernetes-version', value('kubernetes'))], dropped ?? old);
    if (!failure && get('text').value === old) [get('text').value, dropped] = [text, undefined];
    update();
  });
  for (const [index, name] of TABS.entries()) {
    get(name).addEventListener('click', () => choose(name));
    get(name).addEventListener('keydown', ({ key }) => {
      const to = { ArrowRight: index + 1, ArrowLeft: index + TABS.length - 1, Home: 0, End: TABS.length - 1 }[key];
      if (to === undefined) return;
      choose(TABS[to % TABS.length]);
      get(tab).focus();
    });
  }
  addEventListener('hashchange', read);
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', async (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    leaveExample();
    open(new Uint8Array(await file.slice(0, MOST + 1).arrayBuffer()));
    update();
  });
}

async function begin() {
  const [module, known] = await Promise.all([
    // Not every server names the type of the file.
    WebAssembly.compileStreaming(fetch('program.wasm')).catch(async () => WebAssembly.compile(await (await fetch('program.wasm')).arrayBuffer())),
    fetch('examples.json').then((response) => response.json()),
  ]);
  // Everything is loaded: from here on nothing may connect.
  document.head.append(element('meta', [], { httpEquiv: 'Content-Security-Policy', content: "connect-src 'none'" }));
  program = new Program(module, LIMIT);
  // For the tests, which ask it what the page does not.
  globalThis.cronjobDoctor = { newProgram: (limit) => new Program(module, limit) };
  examples = known.examples;
  for (const [group, names] of Object.entries(known.groups)) {
    get('example').append(element('optgroup', names.map((name) => new Option(examples[name].title, name)), { label: group }));
  }
  get('kubernetes').append(new Option('newest checked', ''));
  for (let minor = known.newest; minor >= 4; minor -= 1) get('kubernetes').append(new Option(`1.${minor}`));
  load(known.first);
  listen();
  document.querySelector('main').hidden = false;
  await read();
}

navigator.serviceWorker?.register('service-worker.js').catch(() => {});
begin().catch((error) => {
  document.querySelector('main').before(element('p', `The page cannot be started: ${error.message}`, { className: 'notice' }));
});
