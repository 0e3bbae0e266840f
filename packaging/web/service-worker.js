// Keeps the page for use without a network. The build writes VERSION and FILES, in front of this.

/* global VERSION, FILES */

addEventListener('install', (event) => {
  // The browser may have kept a file of an older version, which does not fit the others.
  const files = FILES.map((name) => new Request(name, { cache: 'no-cache' }));
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(files)).then(() => skipWaiting()));
});

addEventListener('activate', (event) => {
  const old = (names) => names.filter((name) => name.startsWith('cronjob-doctor-') && name !== VERSION);
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name)))).then(() => clients.claim()));
});

addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  event.respondWith(caches.open(VERSION).then((cache) => cache.match(event.request, { ignoreSearch: true })).then((kept) => kept ?? fetch(event.request)));
});
