// The page that runs the program, served from the folder in PAGE.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.json': 'application/json' };

/** Serves a folder below a path. */
export async function serve(folder, { base = '/', types = {} } = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const path = normalize(pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    try {
      if (!path.startsWith(base)) throw new Error(path);
      const body = readFileSync(join(folder, path.slice(base.length)));
      response.writeHead(200, { 'Content-Type': types[extname(path)] ?? TYPES[extname(path)] ?? 'text/plain' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => { server.closeAllConnections(); server.close(); } };
}
