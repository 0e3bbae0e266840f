
'use strict';
// The lists of the page, the filter, and the rows that unfold.
(async () => {
  const BLOCK = 100;
  const PRELOADED = 300;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const number = (n) => n.toLocaleString('en-US');

  function element(name, attributes = {}, ...content) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...content);
    return made;
  }

  // ---- The lists: sorted, filtered, and shown part by part.

  class List {
    constructor(table) {
      this.table = table;
      this.name = table.dataset.list;
      this.rows = all(':scope > tbody > tr', table);
      this.packed = table.parentElement.querySelector('script.rows');
      this.matching = this.rows;
      this.first = Number(table.dataset.first ?? BLOCK);
      this.limit = this.first;
      this.more = table.parentElement.insertAdjacentElement('afterend', document.createElement('div'));
      this.more.className = 'more';
      for (const button of all('thead .sort', table)) button.addEventListener('click', () => this.sort(button.closest('th')));
      if (!this.packed) this.drawMore();
    }

    // Long lists are packed, apart from their first rows.
    async unpack() {
      const body = document.createElement('tbody');
      body.className = 'later';
      body.innerHTML = await unpacked(this.packed);
      this.rows.push(...body.rows);
      this.table.append(body);
      this.packed.remove();
      this.drawMore();
    }

    show(matches) {
      this.matching = this.rows.filter(matches);
      this.limit = this.matching.length === this.rows.length ? this.first : BLOCK;
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
        // Rows without a value are last in both orders.
        if (a === null || b === null) return (a === null) - (b === null);
        const difference = typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b));
        return ascending ? difference : -difference;
      };
      this.rows.sort(order);
      this.limit = Math.max(this.limit, BLOCK);
      const shown = new Set(this.matching);
      this.matching = this.rows.filter((row) => shown.has(row));
      this.draw();
    }

    draw() {
      const first = document.createElement('tbody');
      const later = document.createElement('tbody');
      later.className = 'later';
      const shown = new Set(this.matching.slice(0, this.limit));
      for (const row of shown) {
        first.append(row, ...(row.detail ? [row.detail] : []));
        addCopyButtons(row);
      }
      for (const row of this.rows) if (!shown.has(row)) later.append(row, ...(row.detail ? [row.detail] : []));
      // An element that is moved loses the focus.
      const focused = document.activeElement;
      for (const body of [...this.table.tBodies]) body.remove();
      this.table.append(first, later);
      this.drawMore();
      if (focused !== document.activeElement && focused?.checkVisibility()) focused.focus({ preventScroll: true });
    }

    drawMore() {
      const left = this.matching.length - this.limit;
      this.more.replaceChildren();
      if (this.matching.length === 0) this.more.append('Nothing matches the filter.');
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
      this.more.append(`Showing ${number(this.limit)} of ${number(this.matching.length)}. `,
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

  async function unpacked(packed) {
    const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).text();
  }

  // ---- Commands can be copied, each alone.

  function addCopyButtons(from) {
    for (const code of all('.remedy code, .commands code', from)) {
      if (code.dataset.copied !== undefined) continue;
      code.replaceWith(...copied(code.textContent));
    }
  }

  function copied(command) {
    // Words are not broken at hyphens.
    const words = command.split(' ').flatMap((word) => [' ', element('span', {}, word)]).slice(1);
    const code = element('code', { 'data-copied': '' }, element('bdi', {}, ...words));
    const button = element('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${command}` }, 'Copy');
    button.addEventListener('click', () => copy(code, button));
    return [code, button];
  }

  async function copy(code, button) {
    let isCopied = true;
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      // Without the permission, the selected text can be copied.
      getSelection().selectAllChildren(code);
      isCopied = document.execCommand('copy');
    }
    button.textContent = isCopied ? 'Copied' : 'Press Ctrl+C';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  }

  const compare = new Intl.Collator('en', { numeric: true }).compare;
  const lists = all('table.list').map((table) => new List(table));
  const form = document.querySelector('.filter');
  for (const body of all('tbody:not(.later), .commands')) addCopyButtons(body);
  const long = lists.filter((list) => list.packed);
  if (long.length) {
    form.inert = true;
    form.querySelector('output').textContent = 'Loading…';
    // What is there is painted first.
    await new Promise((resolve) => { setTimeout(resolve); });
    for (const list of long) await list.unpack();
    form.inert = false;
  }

  // ---- The filter.

  const FIELDS = ['text', 'state', 'ns', 'code'];
  const counts = form.querySelector('output');
  const cronJobs = lists.find((list) => list.name === 'cronjobs');
  const cases = (cronJobs?.rows ?? []).map((row) => ({ row, found: [] }));
  const caseOf = (row) => cases[row.dataset.i];
  const findings = lists.filter((list) => list.name === 'findings');
  const found = [];
  for (const row of findings.flatMap((list) => list.rows)) {
    row.found = all('.found', row);
    found.push(...row.found);
    caseOf(row).found.push(...row.found);
  }
  for (const [name, values] of [['ns', cases.map((one) => one.row.dataset.ns)], ['code', found.map((one) => one.dataset.code)]]) {
    form.elements[name].append(...[...new Set(values)].sort(compare).map((value) => element('option', {}, value)));
  }

  const text = (one) => (one.lowered ??= one.textContent.toLowerCase());

  function applyFilter() {
    const [words, state, ns, code] = FIELDS.map((name) => form.elements[name].value);
    const wanted = words.trim().toLowerCase();
    const hasText = (one) => wanted === '' || text(one).includes(wanted);
    const hasCode = (one) => code === '' || one.dataset.code === code;
    for (const one of cases) {
      const { row } = one;
      const hasState = (other) => state === '' || (state === 'suspended' ? 'suspended' in row.dataset : other.dataset.state === state);
      one.isOfNamespace = ns === '' || row.dataset.ns === ns;
      one.matches = one.isOfNamespace && hasState(row) && (code === '' || one.found.some(hasCode))
        && (hasText(row) || one.found.some(hasText));
      for (const finding of one.found) {
        finding.hidden = !(one.isOfNamespace && hasState(finding) && hasCode(finding) && (hasText(finding) || hasText(finding.closest('tr').cells[0]) || hasText(row.cells[1])));
      }
    }
    for (const list of lists) {
      list.show(findings.includes(list) ? (row) => row.found.some((one) => !one.hidden) : (row) => caseOf(row)?.matches ?? true);
    }
    for (const rule of all('.rule')) {
      const left = all('.found', rule).filter((one) => !one.hidden).length;
      rule.hidden = left === 0;
      rule.open ||= rule.dataset.code === code;
      rule.querySelector('.count').textContent = left === 1 ? '1 finding' : `${number(left)} findings`;
    }
    count();
  }

  function count() {
    const of = (some, every, what) => (every.length ? [`${number(some.length)} of ${number(every.length)} ${what}`] : []);
    counts.textContent = [
      ...of(found.filter((one) => !one.hidden), found, 'findings'),
      ...(cronJobs ? of(cronJobs.matching, cronJobs.rows, 'CronJobs') : []),
    ].join(', ');
  }

  function set(values) {
    for (const name of FIELDS) form.elements[name].value = values[name] ?? '';
    applyFilter();
  }

  form.addEventListener('input', applyFilter);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.querySelector('.all').addEventListener('click', () => set({}));
  // When the user navigates back, the browser may restore the values of the form.
  if (FIELDS.some((name) => form.elements[name].value !== '')) applyFilter();
  else count();

  // What is wider than the window can be scrolled with the keyboard, too.
  function reachable() {
    for (const wide of all('.wide')) {
      const fits = wide.scrollWidth <= wide.clientWidth;
      wide.classList.toggle('fits', fits);
      if (!fits) {
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

  // ---- Explanations, of which some are packed together.

  const packs = all('script.details').map((packed) => ({ packed, each: Number(packed.dataset.each) }));
  const placeOf = (row) => {
    const [index, each] = [Number(row.dataset.i), packs[0].each];
    return [packs[Math.floor(index / each)], index % each];
  };
  async function unpack(pack) {
    const made = document.createElement('template');
    made.innerHTML = await unpacked(pack.packed);
    pack.cases ??= [...made.content.children];
  }

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
    row.detail = element('tr', { class: 'detail' }, element('td', { colspan: row.cells.length }, 'Loading…'));
    row.after(row.detail);
    try {
      const [pack] = placeOf(row);
      if (!pack.cases) await unpack(pack);
      fill(row);
    } catch (error) {
      row.detail?.cells[0].replaceChildren(`This browser cannot read the data of this page: ${error}`);
    }
  }

  function fill(row) {
    const [pack, place] = placeOf(row);
    const content = pack.cases[place];
    row.detail?.cells[0].replaceChildren(content);
    addCopyButtons(content);
    reachable();
  }

  async function reveal(index) {
    const row = cases[index]?.row;
    if (!row) return;
    if (!cronJobs.reveal(row)) {
      set({});
      cronJobs.reveal(row);
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
  // The index, or the name, which is all that a dashboard knows.
  const revealAddressed = () => {
    const wanted = location.hash.slice(1);
    const isWanted = (one) => one?.row.querySelector('.fold').textContent === wanted;
    reveal(/^c(\d+)$/.exec(wanted)?.[1] ?? cases.findIndex(isWanted));
  };
  addEventListener('hashchange', revealAddressed);
  revealAddressed();

  document.getElementById('save').addEventListener('click', async () => {
    const data = JSON.parse(await unpacked(document.getElementById('data')));
    const blob = new Blob([JSON.stringify(data, null, 4), '\n'], { type: 'application/json' });
    const link = element('a', { href: URL.createObjectURL(blob), download: 'report.json' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });

  // Paper cannot be unfolded: the rows that are shown are printed with their explanations.
  async function preload() {
    for (const pack of packs) await unpack(pack);
    document.documentElement.dataset.ready = '';
  }
  if (cases.length <= PRELOADED) addEventListener('load', () => setTimeout(preload, 200));
  let opened = [];
  let parts = [];
  addEventListener('beforeprint', () => {
    parts = all('#overview details:not([open]), #starts h3 ~ details:not([open])');
    for (const part of parts) part.open = true;
    if (document.documentElement.dataset.ready === undefined) return;
    opened = all('.cronjobs > tbody:not(.later) > tr:not(.open):not(.detail)');
    for (const row of opened) unfold(row);
  });
  addEventListener('afterprint', () => {
    for (const row of opened) unfold(row, false);
    for (const part of parts) part.open = false;
    [opened, parts] = [[], []];
  });
})();
