// Pictures with at most 256 colors, which is enough for text and bars, and half the size.

import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLORS = 256;

function* chunks(png) {
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    yield { type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) };
    at += length + 12;
  }
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The predictors of the PNG filters: none, left, above, average, Paeth. */
const FILTERS = [
  () => 0, (left) => left, (left, above) => above, (left, above) => (left + above) >> 1,
  (left, above, corner) => {
    const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
    if (a <= b && a <= c) return left;
    return b <= c ? above : corner;
  },
];

/** The pixels of a picture of 8 bits for each of red, green, blue and perhaps opacity, as Chromium makes it. */
function pixels(png) {
  const parts = [...chunks(png)];
  const header = parts.find(({ type }) => type === 'IHDR').data;
  const [width, height, size] = [header.readUInt32BE(0), header.readUInt32BE(4), { 2: 3, 6: 4 }[header[9]]];
  if (header[8] !== 8 || !size || header[12] !== 0) throw new Error('not a picture as Chromium makes them');
  const packed = inflateSync(Buffer.concat(parts.filter(({ type }) => type === 'IDAT').map(({ data }) => data)));
  const stride = width * size;
  const bytes = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const predicted = FILTERS[packed[y * (stride + 1)]];
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x >= size ? bytes[at - size] : 0;
      const above = y > 0 ? bytes[at - stride] : 0;
      const corner = x >= size && y > 0 ? bytes[at - stride - size] : 0;
      bytes[at] = packed[y * (stride + 1) + 1 + x] + predicted(left, above, corner);
    }
  }
  const colors = new Uint32Array(width * height);
  for (let at = 0; at < colors.length; at += 1) colors[at] = bytes.readUIntBE(at * size, 3);
  return { width, height, colors };
}

const distance = (one, other) => [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);

/** The same picture in its most frequent colors. */
export function small(png) {
  const { width, height, colors } = pixels(png);
  const counts = new Map();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const palette = [...counts.keys()].sort((one, other) => counts.get(other) - counts.get(one)).slice(0, COLORS);
  const places = new Map(palette.map((color, place) => [color, place]));
  for (const color of counts.keys()) {
    if (places.has(color)) continue;
    const nearest = palette.reduce((best, one) => (distance(one, color) < distance(best, color) ? one : best));
    places.set(color, palette.indexOf(nearest));
  }
  const lines = Buffer.alloc((width + 1) * height);
  colors.forEach((color, at) => { lines[at + Math.floor(at / width) + 1] = places.get(color); });
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const table = Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]));
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('PLTE', table),
    chunk('IDAT', deflateSync(lines, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
