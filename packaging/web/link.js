// The input in the fragment of the address: v1.BASE64URL of a compressed document.

const VERSION = 1;
/** The most bytes of a document that a link may contain: the largest input, all of it escaped. */
const MOST = 32 << 20;
/** The longest fragment. Firefox opens addresses of 1 MiB. */
const LONGEST = 1_000_000;

/** Bytes as a text of as many characters, and back. */
export function characters(bytes) {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
export const bytes = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));

async function through(stream, input) {
  const reader = new Blob([input]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    size += value.length;
    if (size > MOST) throw new Error('The link contains too much.');
    parts.push(value);
  }
}

/** The fragment for a state. */
export async function fragment(state) {
  const packed = await through(new CompressionStream('deflate-raw'), JSON.stringify(state));
  const text = btoa(characters(packed)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  if (text.length > LONGEST) throw new Error('The input is too large for a link. Send the file instead.');
  return `v${VERSION}.${text}`;
}

/** The state in a fragment; an error says in words why there is none. */
export async function state(text) {
  const found = /^#?v(\d{1,6})\.([A-Za-z0-9_-]*)$/.exec(text);
  if (!found) throw new Error('The link is damaged: it does not contain an input.');
  if (Number(found[1]) > VERSION) throw new Error('The link was made by a newer version of this page. Reload the page, or open the link where it was made.');
  try {
    const packed = bytes(atob(found[2].replaceAll('-', '+').replaceAll('_', '/')));
    const known = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await through(new DecompressionStream('deflate-raw'), packed)));
    return Object.fromEntries(Object.entries(known).filter(([, value]) => typeof value === 'string'));
  } catch (error) {
    throw new Error('The link is damaged: it does not contain an input.', { cause: error });
  }
}
