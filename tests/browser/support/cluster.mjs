// Clusters that are made up.

const NOW = Date.parse('2026-11-21T02:13:08Z');
const iso = (ms) => new Date(ms).toISOString().replace('.000', '');

export const AT = ['--now', '2026-11-21T02:13:08Z', '--kubernetes-version', '1.36'];

/** A CronJob of the 1st of November. */
export function cronJob(namespace, name, schedule, spec = {}, status = {}, annotations = {}) {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { namespace, name, uid: `uid-of-${name}`, creationTimestamp: '2026-11-01T00:00:00Z', annotations },
    spec: {
      schedule,
      concurrencyPolicy: 'Forbid',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example.com/main:1.4' }] } } } },
      ...spec,
    },
    status,
  };
}

/** The Job that the controller made of it for a slot. */
export function job(namespace, name, slot, delay, duration, failed = false) {
  const begun = slot + delay * 1000;
  const ended = begun + duration * 1000;
  const condition = failed ? { type: 'Failed', reason: 'BackoffLimitExceeded' } : { type: 'Complete' };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace,
      name: `${name}-${slot / 60000}`,
      creationTimestamp: iso(begun),
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': iso(slot) },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name, uid: `uid-of-${name}`, controller: true, blockOwnerDeletion: true }],
    },
    spec: {},
    status: {
      startTime: iso(begun),
      completionTime: failed ? undefined : iso(ended),
      [failed ? 'failed' : 'succeeded']: 1,
      conditions: [{ ...condition, status: 'True', lastTransitionTime: iso(ended) }],
    },
  };
}

const SCHEDULES = ['0 * * * *', '*/5 * * * *', '30 2 * * *', '15 4 * * 1-5', '*/20 * * * *', '0 0 1 * *', '* * * * *', '7 */3 * * *'];
/** The distance of their slots in minutes, as far as it is needed: the last slots before now. */
const LAST = { '0 * * * *': [60, 0], '*/5 * * * *': [5, 0], '*/20 * * * *': [20, 0], '* * * * *': [1, 0], '30 2 * * *': [1440, 150], '7 */3 * * *': [180, 7] };

/** So many CronJobs in forty namespaces, with three Jobs each where they have run. */
export function many(count) {
  const items = [];
  for (let index = 0; index < count; index += 1) {
    const [namespace, name] = [`team-${String(index % 40).padStart(2, '0')}`, `job-${String(index).padStart(5, '0')}`];
    const schedule = SCHEDULES[index % SCHEDULES.length];
    const [every, offset] = LAST[schedule] ?? [];
    const slots = every ? [2, 1, 0].map((back) => {
      const minutes = Math.floor((NOW / 60000 - offset) / every) * every + offset - back * every;
      return minutes * 60000;
    }) : [];
    const suspend = index % 50 === 7;
    const last = slots.at(-1);
    const status = last ? { lastScheduleTime: iso(last), lastSuccessfulTime: iso(last + 20000) } : {};
    items.push(cronJob(namespace, name, schedule, { suspend, timeZone: index % 3 ? 'Etc/UTC' : undefined }, status));
    for (const [place, slot] of slots.entries()) {
      items.push(job(namespace, name, slot, index % 9, 1 + (index * 7) % 20, index % 11 === 0 && place === 2));
    }
  }
  return items;
}
