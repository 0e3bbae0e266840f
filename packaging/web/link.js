// The input in the fragment of the address: v1.BASE64URL of a compressed document.

const VERSION = 1;
/** The most bytes of a document that a link may contain. */
const MOST = 4 << 20;

async function through(stream, bytes) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
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
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const packed = await through(new CompressionStream('deflate-raw'), bytes);
  let text = '';
  for (const byte of packed) text += String.fromCharCode(byte);
  return `v${VERSION}.${btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** The state in a fragment; an error says in words why there is none. */
export async function state(text) {
  const found = /^#?v(\d{1,6})\.([A-Za-z0-9_-]*)$/.exec(text);
  if (!found) throw new Error('The link is damaged: it does not contain an input.');
  if (Number(found[1]) > VERSION) throw new Error('The link was made by a newer version of this page. Reload the page, or open the link where it was made.');
  try {
    const packed = Uint8Array.from(atob(found[2].replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
    const known = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await through(new DecompressionStream('deflate-raw'), packed)));
    return Object.fromEntries(Object.entries(known).filter(([, value]) => typeof value === 'string'));
  } catch (error) {
    throw new Error('The link is damaged: it does not contain an input.', { cause: error });
  }
}
