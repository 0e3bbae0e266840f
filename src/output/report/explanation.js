
'use strict';
// What an explanation looks like. Texts go in as texts, never as markup.
const { element, number, explain } = (() => {
  // More slots than these are in the document alone.
  const CHARTED = 120;
  let data;
  const number = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

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

  // As kubectl shows durations: two units at most, and fewer the longer it is.
  function human(value) {
    const total = Math.abs(value);
    const [minutes, hours, days] = [60, 3600, 86400].map((size) => Math.floor(total / size));
    const two = (whole, unit, rest, small) => `${whole}${unit}${rest ? `${rest}${small}` : ''}`;
    if (total < 120) return `${total}s`;
    if (minutes < 10) return two(minutes, 'm', total % 60, 's');
    if (minutes < 180) return `${minutes}m`;
    if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
    if (hours < 48) return `${hours}h`;
    if (days < 8) return two(days, 'd', hours % 24, 'h');
    if (days < 730) return `${days}d`;
    const years = Math.floor(days / 365);
    return years < 8 ? two(years, 'y', days % 365, 'd') : `${years}y`;
  }
  const seconds = (moment) => Math.floor(Date.parse(moment) / 1000);
  const distance = (moment) => {
    const away = seconds(moment) - seconds(data.now);
    if (away === 0) return 'now';
    return away > 0 ? `in ${human(away)}` : `${human(away)} ago`;
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
    const columns = [['Slot', (run) => time(run.scheduledTime)], ['In', (run) => element('small', {}, distance(run.scheduledTime))]];
    // What says nothing new gets no room.
    if (nextRuns.some((run) => !/(Z|[+-]00:00)$/.test(run.localTime))) columns.push(['On its own clock', (run) => clock(run.localTime)]);
    if (nextRuns.some((run) => run.notes.length)) columns.push(['Note', (run) => run.notes.map((note) => paragraph(foreign(note)))]);
    const rows = nextRuns.map((run) => columns.map(([, cell]) => cell(run)));
    return section('Next slots', table('The next slots of the schedule', columns.map(([heading]) => heading), rows));
  }

  function pods({ pods }) {
    if (pods.length === 0) return null;
    const rows = pods.map((pod) => [foreign(pod.name), pod.phase, foreign([pod.reason, pod.message].filter(Boolean).join(': '))]);
    return section('Pods', table('Pods of its Jobs', ['Pod', 'Phase', 'Reason'], rows));
  }

  const remedy = (text) => (text.startsWith('kubectl ') ? element('code', {}, foreign(text)) : foreign(text));

  function found({ findings }) {
    if (findings.length === 0) return null;
    const items = findings.map((finding) => element('div', { class: 'found' },
      paragraph(badge(finding.severity), ' ', element('b', {}, finding.title), ' ', element('code', {}, finding.code)),
      paragraph(foreign(finding.detail)),
      finding.remedy ? element('p', { class: 'remedy' }, remedy(finding.remedy)) : null));
    return section('Findings', ...items);
  }

  // ---- What became of its past slots.

  function history_(past) {
    if (past.error) return section('History', paragraph(foreign(past.error)));
    const sums = past.summary;
    const counts = [[sums.onTime, 'on time'], [sums.late, 'late'], [sums.backfilled, 'backfilled'], [sums.running, 'running'], [sums.skipped, 'skipped'], [sums.unknown, 'unknown']]
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

  const length_ = (value) => (value === null ? '' : human(value));
  const word = (slot) => (slot.result === 'failed' ? 'failed' : slot.status);
  const words = { onTime: 'on time' };

  function numbers(slots) {
    return table('Past slots, the oldest first', ['Slot', 'Status', 'Delay', 'Duration', 'Result', 'Reason'],
      slots.map((slot) => [time(slot.scheduledTime), badge(slot.status, words[slot.status] ?? slot.status), length_(slot.delaySeconds),
        length_(slot.durationSeconds), slot.result ? badge(slot.result) : '', slot.reason ? foreign(slot.reason) : '']));
  }

  let charts = 0;
  function chart(title, slots, value) {
    // Letters are as large as elsewhere, so there is less beside them where there is less room.
    const [width, height, top, ground] = [innerWidth < 760 ? 320 : 560, 128, 30, 108];
    const id = `chart-${charts += 1}`;
    const known = slots.map(value).filter((one) => one !== null);
    const most = Math.max(1, ...known);
    const step = Math.min(40, (width - 8) / slots.length);
    const range = known.length ? `from ${human(Math.min(...known))} to ${human(Math.max(...known))}` : 'none is known';
    const picture = drawn('svg', { class: 'slots', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-labelledby': `${id}-t ${id}-d` },
      drawn('title', { id: `${id}-t` }, title), drawn('desc', { id: `${id}-d` }, `${slots.length} slots, ${range}. The numbers are in the table below.`));
    slots.forEach((slot, place) => {
      const one = value(slot);
      const x = 4 + place * step;
      const wide = Math.max(1, step * 0.8);
      const mark = drawn('g', { class: word(slot) }, drawn('title', {}, `${clock(slot.scheduledTime)}: ${words[word(slot)] ?? word(slot)}${one === null ? '' : `, ${human(one)}`}`));
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
      drawn('text', { x: 0, y: 10, class: 'faint' }, known.length ? `up to ${human(Math.max(...known))}` : 'none is known'),
      drawn('text', { x: 0, y: height - 6, class: 'faint' }, clock(slots[0].scheduledTime)),
      drawn('text', { x: width, y: height - 6, class: 'faint end' }, slots.length > 1 ? clock(slots.at(-1).scheduledTime) : ''));
    return element('figure', {}, element('figcaption', {}, title), picture);
  }

  return {
    element,
    number,
    explain(all, index) {
      data = all;
      return explanation(index);
    },
  };
})();
