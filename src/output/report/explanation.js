
'use strict';
// Explanations of CronJobs. Text is inserted as text, never as markup.
const { element, number, explain } = (() => {
  // The most past runs in charts and tables. The document has all.
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

  // As kubectl shows durations.
  function human(seconds) {
    const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
    const [days, years] = [Math.floor(hours / 24), Math.floor(hours / 24 / 365)];
    const two = (whole, unit, rest, smaller) => (rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${smaller}`);
    if (seconds < 120) return `${seconds}s`;
    if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
    if (minutes < 180) return `${minutes}m`;
    if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
    if (hours < 48) return `${hours}h`;
    if (days < 8) return two(days, 'd', hours % 24, 'h');
    if (days < 2 * 365) return `${days}d`;
    if (days < 8 * 365) return two(years, 'y', days % 365, 'd');
    return `${years}y`;
  }
  const seconds = (moment) => Math.floor(Date.parse(moment) / 1000);
  const distance = (moment) => {
    const away = seconds(moment) - seconds(data.now);
    if (away === 0) return 'now';
    return away > 0 ? `in ${human(away)}` : `${human(-away)} ago`;
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
    const [explained, history] = [data.explanations.items[index], data.history.items[index]];
    const parts = [nextSync(explained), missed(explained), nextRuns(explained), pods(explained)].filter(Boolean);
    return element('div', { class: 'case', role: 'group', 'aria-label': `${explained.namespace}/${explained.name}` },
      paragraph(foreign(explained.verdict)), ...expected(explained), element('div', { class: 'columns' }, ...parts), findings(explained), pastRuns(history));
  }

  function nextSync({ decision }) {
    const items = decision.steps.map((step) => element('li', {}, badge(step.verdict),
      element('span', {}, step.check), foreign(step.detail)));
    const events = decision.events.map((event) => paragraph(`will record ${event.type} ${event.reason}: `, foreign(event.message)));
    const never = decision.error ? 'fails; the controller retries with back-off' : 'does not sync again until the object changes';
    const wakes = decision.wakesAt ? ['syncs again at ', ...withDistance(decision.wakesAt)] : [never];
    const status = decision.statusAfter;
    const active = status.active.length ? [paragraph('status.active afterwards: ', foreign(status.active.join(', ')))] : [];
    const error = decision.error ? [paragraph('error: ', foreign(decision.error))] : [];
    return section('Next sync', element('ol', { class: 'steps' }, ...items), ...error, ...events, ...active, paragraph(...wakes));
  }

  function missed({ missed }) {
    if (!missed || missed.count === 0) return null;
    const span = (cause) => (cause.count === 1 ? [time(cause.first)] : [time(cause.first), ' to ', time(cause.last)]);
    const causes = missed.causes.map((cause) => element('li', {}, `${number(cause.count)} ${cause.cause}: `, foreign(cause.evidence), ' (', ...span(cause), ')'));
    const limit = missed.crossesLimitAt && seconds(missed.crossesLimitAt) > seconds(data.now)
      ? [paragraph(`The count will exceed ${missed.limit} at `, ...withDistance(missed.crossesLimitAt), ' unless a run starts.')] : [];
    return section('Missed runs', paragraph(`${number(missed.count)} missed ${runs(missed.count)} since `, time(missed.since),
      missed.controllerEstimate === null ? '' : `; the controller estimates ${number(missed.controllerEstimate)}`, '.'), element('ul', {}, ...causes), ...limit);
  }

  function nextRuns({ nextRuns }) {
    if (nextRuns.length === 0) return null;
    const columns = [['Scheduled time', (run) => time(run.scheduledTime)], ['In', (run) => element('small', {}, distance(run.scheduledTime))]];
    // Columns without information are left out.
    if (nextRuns.some((run) => !/(Z|[+-]00:00)$/.test(run.localTime))) columns.push(['Local time', (run) => clock(run.localTime)]);
    if (nextRuns.some((run) => run.notes.length)) columns.push(['Note', (run) => run.notes.map((note) => paragraph(foreign(note)))]);
    const rows = nextRuns.map((run) => columns.map(([, cell]) => cell(run)));
    return section('Next runs', table('Next runs of the schedule', columns.map(([heading]) => heading), rows));
  }

  function pods({ pods }) {
    if (pods.length === 0) return null;
    const rows = pods.map((pod) => [foreign(pod.name), pod.phase, foreign([pod.reason, pod.message].filter(Boolean).join(': '))]);
    return section('Pods', table('Pods of its Jobs', ['Pod', 'Phase', 'Reason'], rows));
  }

  // How long runs take, what is expected of them, and the runbook.
  function expected({ usualDuration: usual, expectations, successDue }) {
    const lines = [];
    if (usual) lines.push(`Usual duration: ${human(usual.p50Seconds)} (95% within ${human(usual.p95Seconds)}, ${usual.runs} runs).`);
    if (expectations?.maxDurationSeconds) lines.push(`Expected: a run takes at most ${human(expectations.maxDurationSeconds)}.`);
    if (expectations?.successWithinSeconds) lines.push(`Expected: the last success is at most ${human(expectations.successWithinSeconds)} old.`);
    const shown = lines.map((line) => paragraph(line));
    if (successDue && seconds(successDue) < seconds(data.now)) shown.unshift(paragraph('Success due: ', ...withDistance(successDue)));
    if (expectations?.runbook) shown.push(paragraph('Runbook: ', runbook(expectations.runbook)));
    return shown;
  }
  // Only these schemes are safe to follow.
  const runbook = (text) => (/^https?:\/\/[^\s\p{C}]+$/u.test(text) ? element('a', { href: text, rel: 'noopener noreferrer' }, foreign(text)) : foreign(text));

  const code = (command) => element('code', {}, foreign(command));
  const note = ({ text, command }) => element('span', { class: 'note' }, foreign(text), ...(command ? [': ', code(command)] : []));
  const remedy = ({ command, notes, text }) => (command ? [code(command), ...notes.map(note)] : [foreign(text)]);

  function findings({ findings }) {
    if (findings.length === 0) return null;
    const items = findings.map((finding) => element('div', { class: 'found' },
      paragraph(badge(finding.severity), ' ', element('b', {}, finding.title), ' ', element('code', {}, finding.code)),
      paragraph(foreign(finding.detail)),
      finding.remedy ? element('p', { class: 'remedy' }, ...remedy(finding.remedy)) : null));
    return section('Findings', ...items);
  }

  // ---- Past runs.

  const runs = (count) => (count === 1 ? 'run' : 'runs');

  function pastRuns(history) {
    if (history.error) return section('History', paragraph(foreign(history.error)));
    const sums = history.summary;
    const counts = [[sums.onTime, 'on time'], [sums.late, 'late'], [sums.backfilled, 'backfilled'], [sums.running, 'running'], [sums.skipped, 'skipped'], [sums.unknown, 'unknown']]
      .filter(([n]) => n > 0).map(([n, word]) => `${number(n)} ${word}`).join(', ');
    const content = [paragraph(`${number(sums.runs)} ${runs(sums.runs)} from `, time(history.since), ' to ', time(history.until), `${counts && ': '}${counts}.`)];
    const shown = history.runs.slice(-CHARTED);
    if (shown.length < history.runs.length) content.push(paragraph(`Showing the last ${CHARTED}.`));
    if (shown.length) {
      content.push(element('div', { class: 'columns' },
        chart('Durations', shown, (run) => run.durationSeconds), chart('Delays', shown, (run) => run.delaySeconds)));
      content.push(element('details', { class: 'numbers' }, element('summary', {}, 'Past runs as a table'), numbers(shown)));
    }
    for (const [title, jobs] of [['Runs outside the schedule', history.offSchedule], ['Manually created Jobs', history.manual]]) {
      if (jobs.length) content.push(element('h4', {}, title), table(title, ['Job', 'Started (UTC)', 'Duration', 'Result'],
        jobs.map((job) => [foreign(job.jobName), job.startedAt ? time(job.startedAt) : '', duration(job.durationSeconds), job.result ? badge(job.result) : ''])));
    }
    content.push(...history.notes.map((note) => paragraph(foreign(note))));
    return section('History', ...content);
  }

  const duration = (value) => (value === null ? '' : human(value));
  const status = (run) => (run.result === 'failed' ? 'failed' : run.status);
  const words = { onTime: 'on time' };

  function numbers(shown) {
    return table('Past runs, oldest first', ['Scheduled time', 'Status', 'Delay', 'Duration', 'Result', 'Reason'],
      shown.map((run) => [time(run.scheduledTime), badge(run.status, words[run.status] ?? run.status), duration(run.delaySeconds),
        duration(run.durationSeconds), run.result ? badge(run.result) : '', run.reason ? foreign(run.reason) : '']));
  }

  let charts = 0;
  function chart(title, shown, value) {
    // Text has the same size in all windows, so that a narrow chart needs fewer units.
    const [width, height, top, ground] = [innerWidth < 760 ? 320 : 560, 128, 30, 108];
    const id = `chart-${charts += 1}`;
    const known = shown.map(value).filter((one) => one !== null);
    const greatest = Math.max(1, ...known);
    const step = Math.min(40, (width - 8) / shown.length);
    const range = known.length ? `from ${human(Math.min(...known))} to ${human(Math.max(...known))}` : 'no data';
    const picture = drawn('svg', { class: 'runs', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-labelledby': `${id}-t ${id}-d` },
      drawn('title', { id: `${id}-t` }, title), drawn('desc', { id: `${id}-d` }, `${shown.length} ${runs(shown.length)}, ${range}. The numbers are in the table below.`));
    shown.forEach((run, place) => {
      const one = value(run);
      const x = 4 + place * step;
      const wide = Math.max(1, step * 0.8);
      const mark = drawn('g', { class: status(run) }, drawn('title', {}, `${clock(run.scheduledTime)}: ${words[status(run)] ?? status(run)}${one === null ? '' : `, ${human(one)}`}`));
      if (one === null) {
        mark.append(run.status === 'running' ? drawn('rect', { x, y: ground - 20, width: wide, height: 20 }) : drawn('path', { d: `M${x} ${ground - 3}h${wide}` }));
      } else {
        const high = Math.max(2, (ground - top) * one / greatest);
        mark.dataset.seconds = one;
        mark.append(drawn('rect', { x, y: ground - high, width: wide, height: high }));
        if (run.result === 'failed') {
          const [middle, y] = [x + wide / 2, ground - high - 6];
          mark.append(drawn('path', { d: `M${middle - 3} ${y - 3}l6 6m0 -6l-6 6` }));
        }
      }
      picture.append(mark);
    });
    picture.append(drawn('path', { class: 'ground', d: `M0 ${ground}h${width}` }),
      drawn('text', { x: 0, y: 10, class: 'faint' }, known.length ? `up to ${human(Math.max(...known))}` : 'no data'),
      drawn('text', { x: 0, y: height - 6, class: 'faint' }, clock(shown[0].scheduledTime)),
      drawn('text', { x: width, y: height - 6, class: 'faint end' }, shown.length > 1 ? clock(shown.at(-1).scheduledTime) : ''));
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
