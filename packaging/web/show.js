// Shows what the program prints. Everything becomes text nodes: nothing is ever parsed as markup.

/** The classes of the colors that the program uses. */
const STYLES = { 1: 'bold', 2: 'dim', 31: 'red', 32: 'green', 33: 'yellow', 34: 'blue', 35: 'magenta', 36: 'cyan', 91: 'red', 92: 'green', 93: 'yellow', 94: 'blue', 95: 'magenta', 96: 'cyan' };

export function element(name, content = [], properties = {}) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...[content].flat());
  return made;
}

/** Text with the program's colors. */
export function colored(text, className = '') {
  const shown = element('pre', [], { className });
  let styles = [];
  let last;
  for (const part of text.split(/(\u001b\[[0-9;]*m)/)) {
    const codes = /^\u001b\[([0-9;]*)m$/.exec(part);
    if (codes) {
      for (const code of codes[1].split(';')) {
        if (Number(code) === 0) styles = [];
        else if (STYLES[code]) styles.push(STYLES[code]);
      }
    } else if (part) {
      // The program does not wrap commands, so that they can be pasted. A soft wrap does not change what is copied.
      const names = last === '->' ? ['command', ...styles] : styles;
      shown.append(names.length ? element('span', part, { className: names.join(' ') }) : part);
      last = part;
    }
  }
  return shown;
}

/** A picture that the program draws. In an image nothing of it can run or be loaded. */
export function picture(svg) {
  const title = /<title[^>]*>([^<]*)<\/title>/.exec(svg)?.[1] ?? '';
  const desc = /<desc[^>]*>([^<]*)<\/desc>/.exec(svg)?.[1] ?? '';
  const alt = new DOMParser().parseFromString(`<p>${title}. ${desc}</p>`, 'text/html').body.textContent;
  return element('img', [], { src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt });
}

/** What a page of the program may contain; everything else of it is left out. */
const ELEMENTS = ['section', 'h2', 'h3', 'p', 'ol', 'ul', 'li', 'time', 'bdi'];

/** The main part of a page that the program writes, copied element by element. */
export function copied(html) {
  const copy = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (!ELEMENTS.includes(node.localName)) return '';
    const [className, dateTime] = [node.className, node.dateTime];
    return element(node.localName, [...node.childNodes].map(copy), dateTime ? { className, dateTime } : { className });
  };
  // Its style is not allowed here, and not needed.
  const main = html.slice(html.indexOf('<main>'));
  const { childNodes } = new DOMParser().parseFromString(main, 'text/html').querySelector('main');
  return element('div', [...childNodes].map(copy), { className: 'page' });
}

/** The most marks that are shown. */
const MOST_MARKS = 1000;

/** The text with the places of findings marked, the most severe on top. */
export function marked(text, findings) {
  // Where each character and each line begins: columns count characters, not UTF-16 units.
  const characters = new Uint32Array(text.length + 1);
  const lines = [0];
  let count = 0;
  for (let at = 0; at < text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) {
    characters[count] = at;
    count += 1;
    if (text[at] === '\n') lines.push(count);
  }
  characters[count] = text.length;
  const place = (line, column) => characters[Math.min(lines[Math.min(line, lines.length) - 1] + column - 1, count)];
  const rank = ['error', 'warning', 'info'];
  const marks = findings.filter((one) => one.line).map((one) => ({
    from: place(one.line, one.column),
    to: place(one.endLine ?? one.line, one.endColumn ?? one.column + 1),
    severity: rank.includes(one.severity) ? one.severity : 'info',
  }));
  marks.sort((a, b) => rank.indexOf(a.severity) - rank.indexOf(b.severity));
  const kept = [];
  for (const mark of marks.slice(0, MOST_MARKS)) if (mark.to > mark.from && !kept.some((other) => mark.from < other.to && other.from < mark.to)) kept.push(mark);
  kept.sort((a, b) => a.from - b.from);
  const parts = [];
  let at = 0;
  for (const { from, to, severity } of kept) {
    parts.push(text.slice(at, from), element('mark', text.slice(from, to), { className: severity }));
    at = to;
  }
  if (kept.length === 0) return [];
  // A text that ends with a line break has one more line in a textarea.
  return [...parts, `${text.slice(at)}\n`];
}
