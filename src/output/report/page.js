
'use strict';
(() => {
  const BLOCK = 100;
  const PRELOADED = 300;
  const CHARTED = 120;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const number = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

  // ---- The lists: sorted, filtered, and shown bit by bit.

  class List {
    constructor(table) {
      this.table = table;
      this.name = table.dataset.list;
      this.rows = all(':scope > tbody > tr', table);
      this.matching = this.rows;
      this.limit = BLOCK;
      this.more = table.parentElement.insertAdjacentElement('afterend', document.createElement('div'));
      this.more.className = 'more';
      for (const button of all('thead .sort', table)) button.addEventListener('click', () => this.sort(button.closest('th')));
      this.tell();
    }

    show(matches) {
      this.matching = this.rows.filter(matches);
      this.limit = BLOCK;
      this.draw();
    }

    sort(th) {
      const ascending = th.getAttribute('aria-sort')
        ? th.getAttribute('aria-sort') === 'descending'
        : th.dataset.first === 'up';
      for (const other of th.parentElement.children) other.removeAttribute('aria-sort');
      th.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
      const column = th.cellIndex;
      const key = (row) => {
        const cell = row.cells[column];
        if (!cell) return null;
        if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
        return cell.querySelector('.none') ? null : cell.textContent;
      };
      const keys = new Map(this.rows.map((row) => [row, key(row)]));
      const order = (one, other) => {
        const [a, b] = [keys.get(one), keys.get(other)];
        // What is not there comes last, whichever way it goes.
        if (a === null || b === null) return (a === null) - (b === null);
        const difference = typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b));
        return ascending ? difference : -difference;
      };
      this.rows.sort(order);
      const shown = new Set(this.matching);
      this.matching = this.rows.filter((row) => shown.has(row));
      this.draw();
    }

    draw() {
      const first = document.createElement('tbody');
      const later = document.createElement('tbody');
      later.className = 'later';
      const shown = new Set(this.matching.slice(0, this.limit));
      for (const row of this.matching) if (shown.has(row)) first.append(row, ...(row.detail ? [row.detail] : []));
      for (const row of this.rows) if (!shown.has(row)) later.append(row, ...(row.detail ? [row.detail] : []));
      // What is moved loses the focus.
      const focused = document.activeElement;
      for (const body of [...this.table.tBodies]) body.remove();
      this.table.append(first, later);
      this.tell();
      if (focused !== document.activeElement && focused?.checkVisibility()) focused.focus({ preventScroll: true });
    }

    tell() {
      const left = this.matching.length - this.limit;
      this.more.replaceChildren();
      if (this.matching.length === 0) this.more.append('None of them matches the filter.');
      if (left <= 0) return;
      const step = (text, limit) => {
        const button = element('button', { type: 'button' }, text);
        button.addEventListener('click', () => {
          const next = this.matching[this.limit];
          this.limit = limit;
          this.draw();
          next.querySelector('a, button').focus({ preventScroll: true });
        });
        return button;
      };
      const some = Math.min(left, BLOCK);
      this.more.append(`${number(this.limit)} of ${number(this.matching.length)} are shown. `,
        step(`Show ${some} more`, this.limit + some), step('Show all', this.matching.length));
    }

    reveal(row) {
      const place = this.matching.indexOf(row);
      if (place < 0) return false;
      if (place >= this.limit) {
        this.limit = Math.ceil((place + 1) / BLOCK) * BLOCK;
        this.draw();
      }
      return true;
    }
  }

  const compare = new Intl.Collator('en', { numeric: true }).compare;
  const lists = Object.fromEntries(all('table.list').map((table) => [table.dataset.list, new List(table)]));

  // ---- The filter.

  const form = document.querySelector('.filter');
  const FIELDS = ['text', 'state', 'ns', 'code'];
  const told = form.querySelector('output');
  const cases = (lists.cronjobs?.rows ?? []).map((row) => ({ row, findings: [] }));
  const caseOf = (row) => cases[row.dataset.i];
  const findings = [...(lists.findings?.rows ?? [])];
  for (const row of findings) caseOf(row).findings.push(row);
  for (const [name, values] of [['ns', cases.map((one) => one.row.dataset.ns)], ['code', findings.map((row) => row.dataset.code)]]) {
    form.elements[name].append(...[...new Set(values)].sort(compare).map((value) => element('option', {}, value)));
  }

  const text = (row) => (row.lowered ??= row.textContent.toLowerCase());

  function narrow() {
    const [words, state, ns, code] = FIELDS.map((name) => form.elements[name].value);
    const wanted = words.trim().toLowerCase();
    const says = (row) => wanted === '' || text(row).includes(wanted);
    const isIn = (row) => ns === '' || row.dataset.ns === ns;
    const isSo = (row) => state === '' || (state === 'suspended' ? 'suspended' in caseOf(row).row.dataset : row.dataset.state === state);
    const isCalled = (row) => code === '' || row.dataset.code === code;
    for (const one of cases) {
      one.matches = isIn(one.row) && isSo(one.row) && (code === '' || one.findings.some(isCalled))
        && (says(one.row) || one.findings.some(says));
    }
    for (const list of Object.values(lists)) {
      list.show(list.name === 'findings'
        ? (row) => isIn(row) && isSo(row) && isCalled(row) && says(row)
        : (row) => caseOf(row).matches);
    }
    count();
  }

  function count() {
    const of = (list, what) => (list ? [`${number(list.matching.length)} of ${number(list.rows.length)} ${what}`] : []);
    told.textContent = [...of(lists.findings, 'findings'), ...of(lists.cronjobs, 'CronJobs')].join(', ');
  }

  function set(values) {
    for (const name of FIELDS) form.elements[name].value = values[name] ?? '';
    narrow();
  }

  form.addEventListener('input', narrow);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.querySelector('.all').addEventListener('click', () => set({}));
  // A page that is gone back to may have kept what was chosen.
  if (FIELDS.some((name) => form.elements[name].value !== '')) narrow();
  else count();

  // What is wider than there is room can be moved with the keyboard, too.
  function reachable() {
    for (const wide of all('.wide')) {
      if (wide.scrollWidth > wide.clientWidth) {
        wide.tabIndex = 0;
        wide.setAttribute('role', 'group');
        wide.ariaLabel ??= wide.querySelector('caption')?.textContent ?? '';
      } else {
        wide.removeAttribute('tabindex');
      }
    }
  }
  document.addEventListener('toggle', reachable, true);
  addEventListener('resize', reachable);
  addEventListener('load', reachable);

  // ---- The data, which nobody needs before an explanation is unfolded.

  let loading;
  let data;
  function load() {
    loading ??= (async () => {
      const bytes = Uint8Array.from(atob(document.getElementById('data').textContent), (letter) => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
      data = await new Response(stream).json();
      document.documentElement.dataset.ready = '';
      return data;
    })();
    return loading;
  }

  // ---- Explanations.

  async function unfold(row, open = true) {
    const button = row.querySelector('.fold');
    button.setAttribute('aria-expanded', String(open));
    row.classList.toggle('open', open);
    if (!open) {
      row.detail?.remove();
      row.detail = undefined;
      return;
    }
    if (row.detail) return;
    row.detail = element('tr', { class: 'detail' }, element('td', { colspan: row.cells.length }, 'One moment …'));
    row.after(row.detail);
    try {
      if (!data) await load();
      fill(row);
    } catch (error) {
      row.detail?.cells[0].replaceChildren(`The data of this page cannot be read by this browser (${error}).`);
    }
  }

  function fill(row) {
    const content = explanation(Number(row.dataset.i));
    row.detail?.cells[0].replaceChildren(content);
    reachable();
  }

  async function reveal(index) {
    const row = cases[index]?.row;
    if (!row) return;
    if (!lists.cronjobs.reveal(row)) {
      set({});
      lists.cronjobs.reveal(row);
    }
    const done = unfold(row);
    row.querySelector('.fold').focus({ preventScroll: true });
    row.scrollIntoView({ block: 'start' });
    await done;
  }

  document.addEventListener('click', (event) => {
    const fold = event.target.closest('.fold');
    if (fold) {
      unfold(fold.closest('tr'), fold.getAttribute('aria-expanded') !== 'true');
      return;
    }
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    if (link.dataset.state) set({ state: link.dataset.state });
    if (link.dataset.code) set({ code: link.dataset.code });
    const index = /^#c(\d+)$/.exec(link.hash)?.[1];
    if (index !== undefined) {
      event.preventDefault();
      history.pushState(null, '', link.hash);
      reveal(index);
    }
  });
  const asked = () => {
    const index = /^#c(\d+)$/.exec(location.hash)?.[1];
    if (index !== undefined) reveal(index);
  };
  addEventListener('hashchange', asked);
  asked();

  document.getElementById('save').addEventListener('click', async () => {
    const blob = new Blob([JSON.stringify(await load(), null, 4), '\n'], { type: 'application/json' });
    const link = element('a', { href: URL.createObjectURL(blob), download: 'report.json' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });

  // On paper nothing can be unfolded: what is shown is printed with its explanation.
  if (cases.length <= PRELOADED) addEventListener('load', () => setTimeout(load, 200));
  let opened = [];
  addEventListener('beforeprint', () => {
    if (!data || cases.length > PRELOADED) return;
    opened = all('.cronjobs > tbody:not(.later) > tr:not(.open):not(.detail)');
    for (const row of opened) unfold(row);
  });
  addEventListener('afterprint', () => {
    for (const row of opened) unfold(row, false);
    opened = [];
  });

  // ---- From here on: what an explanation looks like. Texts go in as texts, never as markup.

  function element(name, attributes = {}, ...content) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content.filter((one) => one !== null && one !== undefined));
    return made;
  }
  function drawn(name, attributes = {}, ...content) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content);
    return made;
  }
  const foreign = (value) => element('bdi', {}, value);
  const paragraph = (...content) => element('p', {}, ...content);
  const badge = (word, label = word) => element('span', { class: `badge ${word}` }, label);

  function long(seconds) {
    let rest = Math.abs(seconds);
    let shown = '';
    for (const [size, unit] of [[86400, 'd'], [3600, 'h'], [60, 'm'], [1, 's']]) {
      if (rest >= size) shown += Math.floor(rest / size) + unit;
      rest %= size;
    }
    return shown || '0s';
  }
  // As people say it: its two greatest units.
  const about = (value) => /^(\d+\D\d*\D?)/.exec(long(value))[1];
  const seconds = (moment) => Math.floor(Date.parse(moment) / 1000);
  const distance = (moment) => {
    const away = seconds(moment) - seconds(data.now);
    if (away === 0) return 'now';
    return away > 0 ? `in ${about(away)}` : `${about(away)} ago`;
  };
  const clock = (moment) => moment.replace('T', ' ').replace(/:00(?=Z|[+-])/, '').replace(/Z$/, ' UTC').replace(/(\d)([+-]\d\d:\d\d)$/, '$1 $2');
  const time = (moment) => element('time', { datetime: moment }, clock(moment));
  const withDistance = (moment) => [time(moment), ' ', element('small', {}, distance(moment))];

  function section(title, ...content) {
    return element('div', {}, element('h3', {}, title), ...content);
  }
  function table(caption, headings, rows) {
    const head = headings.map((heading) => element('th', { scope: 'col' }, heading));
    const body = rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, ...[cell].flat().filter((one) => one !== null)))));
    return element('div', { class: 'wide' }, element('table', {}, element('caption', {}, caption),
      element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body)));
  }

  function explanation(index) {
    const [told, past] = [data.explanations.items[index], data.history.items[index]];
    const parts = [steps(told), missed(told), upcoming(told), pods(told)].filter(Boolean);
    return element('div', { class: 'case', role: 'group', 'aria-label': `${told.namespace}/${told.name}` },
      paragraph(foreign(told.verdict)), element('div', { class: 'columns' }, ...parts), found(told), history_(past));
  }

  function steps({ decision }) {
    const items = decision.steps.map((step) => element('li', {}, badge(step.verdict, step.verdict === 'stop' ? 'STOP' : step.verdict),
      element('span', {}, step.check), foreign(step.detail)));
    const events = decision.events.map((event) => paragraph(`event ${event.type} ${event.reason}: `, foreign(event.message)));
    const wakes = decision.wakesAt ? ['looks again at ', ...withDistance(decision.wakesAt)] : ['does not look again by itself'];
    const status = decision.statusAfter;
    const active = status.active.length ? [paragraph('active afterwards: ', foreign(status.active.join(', ')))] : [];
    const error = decision.error ? [paragraph('error: ', foreign(decision.error))] : [];
    return section('What the controller does when it looks now', element('ol', { class: 'steps' }, ...items), ...error, ...events, ...active, paragraph(...wakes));
  }

  function missed({ missed }) {
    if (!missed || missed.count === 0) return null;
    const slots = missed.count === 1 ? 'slot' : 'slots';
    const span = (cause) => (cause.count === 1 ? [time(cause.first)] : [time(cause.first), ' to ', time(cause.last)]);
    const causes = missed.causes.map((cause) => element('li', {}, `${number(cause.count)} ${cause.cause}: `, foreign(cause.evidence), ' (', ...span(cause), ')'));
    const limit = missed.crossesLimitAt && seconds(missed.crossesLimitAt) > seconds(data.now)
      ? [paragraph(`If nothing starts, it will be above ${missed.limit} from `, ...withDistance(missed.crossesLimitAt), ' on.')] : [];
    return section('Missed', paragraph(`${number(missed.count)} ${slots} since `, time(missed.since),
      missed.controllerEstimate === null ? '' : `; the controller reckons ${number(missed.controllerEstimate)}`, '.'), element('ul', {}, ...causes), ...limit);
  }

  function upcoming({ nextRuns }) {
    if (nextRuns.length === 0) return null;
    const rows = nextRuns.map((run) => [time(run.scheduledTime), distance(run.scheduledTime), clock(run.localTime), run.notes.map(paragraph)]);
    return section('Next slots', table('The next slots of the schedule', ['Slot', 'In', 'On its own clock', 'Note'], rows));
  }

  function pods({ pods }) {
    if (pods.length === 0) return null;
    const rows = pods.map((pod) => [foreign(pod.name), pod.phase, foreign([pod.reason, pod.message].filter(Boolean).join(': '))]);
    return section('Pods', table('Pods of its Jobs', ['Pod', 'Phase', 'Reason'], rows));
  }

  function found({ findings }) {
    if (findings.length === 0) return null;
    const items = findings.map((finding) => element('div', { class: 'found' },
      paragraph(badge(finding.severity), ' ', element('b', {}, finding.title), ' ', element('code', {}, finding.code)),
      paragraph(foreign(finding.detail)),
      finding.remedy ? element('p', { class: 'remedy' }, element('span', {}, foreign(finding.remedy))) : null));
    return section('Findings', ...items);
  }

  // ---- What became of its past slots.

  function history_(past) {
    if (past.error) return section('History', paragraph(foreign(past.error)));
    const sums = past.summary;
    const counts = [[sums.onTime, 'on time'], [sums.late, 'late'], [sums.running, 'running'], [sums.skipped, 'skipped'], [sums.unknown, 'unknown']]
      .filter(([n]) => n > 0).map(([n, word]) => `${number(n)} ${word}`).join(', ');
    const content = [paragraph(`${number(sums.slots)} ${sums.slots === 1 ? 'slot' : 'slots'}${counts && ': '}${counts}, from `, time(past.since), ' to ', time(past.until), '.')];
    const slots = past.slots.slice(-CHARTED);
    if (slots.length < past.slots.length) content.push(paragraph(`The last ${CHARTED} are shown.`));
    if (slots.length) {
      content.push(element('div', { class: 'columns' },
        chart('Durations', slots, (slot) => slot.durationSeconds), chart('Delays', slots, (slot) => slot.delaySeconds)));
      content.push(element('details', { class: 'numbers' }, element('summary', {}, 'Slots in numbers'), numbers(slots)));
    }
    for (const [title, runs] of [['Started for times that are no slots', past.offSchedule], ['Made by hand', past.manual]]) {
      if (runs.length) content.push(element('h4', {}, title), table(title, ['Job', 'Started (UTC)', 'Duration', 'Result'],
        runs.map((run) => [foreign(run.jobName), run.startedAt ? time(run.startedAt) : '', length_(run.durationSeconds), run.result ? badge(run.result) : ''])));
    }
    content.push(...past.notes.map((note) => paragraph(foreign(note))));
    return section('History', ...content);
  }

  const length_ = (value) => (value === null ? '' : long(value));
  const word = (slot) => (slot.result === 'failed' ? 'failed' : slot.status);
  const words = { onTime: 'on time' };

  function numbers(slots) {
    return table('Past slots, the oldest first', ['Slot', 'Status', 'Delay', 'Duration', 'Result', 'Reason'],
      slots.map((slot) => [time(slot.scheduledTime), badge(slot.status, words[slot.status] ?? slot.status), length_(slot.delaySeconds),
        length_(slot.durationSeconds), slot.result ? badge(slot.result) : '', slot.reason ? foreign(slot.reason) : '']));
  }

  let charts = 0;
  function chart(title, slots, value) {
    const [width, height, top, ground] = [640, 116, 18, 96];
    const id = `chart-${charts += 1}`;
    const known = slots.map(value).filter((one) => one !== null);
    const most = Math.max(1, ...known);
    const step = Math.min(40, (width - 8) / slots.length);
    const range = known.length ? `from ${long(Math.min(...known))} to ${long(Math.max(...known))}` : 'none is known';
    const picture = drawn('svg', { class: 'slots', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-labelledby': `${id}-t ${id}-d` },
      drawn('title', { id: `${id}-t` }, title), drawn('desc', { id: `${id}-d` }, `${slots.length} slots, ${range}. The numbers are in the table below.`));
    slots.forEach((slot, place) => {
      const one = value(slot);
      const x = 4 + place * step;
      const wide = Math.max(1, step * 0.8);
      const mark = drawn('g', { class: word(slot) }, drawn('title', {}, `${clock(slot.scheduledTime)}: ${words[word(slot)] ?? word(slot)}${one === null ? '' : `, ${long(one)}`}`));
      if (one === null) {
        mark.append(slot.status === 'running' ? drawn('rect', { x, y: ground - 20, width: wide, height: 20 }) : drawn('path', { d: `M${x} ${ground - 3}h${wide}` }));
      } else {
        const high = Math.max(2, (ground - top) * one / most);
        mark.dataset.seconds = one;
        mark.append(drawn('rect', { x, y: ground - high, width: wide, height: high }));
        if (slot.result === 'failed') {
          const [middle, y] = [x + wide / 2, ground - high - 6];
          mark.append(drawn('path', { d: `M${middle - 3} ${y - 3}l6 6m0 -6l-6 6` }));
        }
      }
      picture.append(mark);
    });
    picture.append(drawn('path', { class: 'ground', d: `M0 ${ground}h${width}` }),
      drawn('text', { x: 0, y: 10, class: 'faint' }, known.length ? `up to ${long(Math.max(...known))}` : 'none is known'),
      drawn('text', { x: 0, y: height - 6, class: 'faint' }, clock(slots[0].scheduledTime)),
      drawn('text', { x: width, y: height - 6, class: 'faint end' }, slots.length > 1 ? clock(slots.at(-1).scheduledTime) : ''));
    return element('figure', {}, element('figcaption', {}, title), picture);
  }
})();
