import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { createMetrics } from '../../src/observe/metrics.ts';

const read = (path: string) => readFileSync(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string; readonly for?: string }[];
  }[];
}

test('the dashboard and the alerts use only metrics that exist', async () => {
  const metrics = createMetrics();
  metrics.add({ name: 'commit_queue_writes', help: 'Writes that wait', read: () => 0 });
  metrics.responded('createPlant', 200, 0.001);
  metrics.committed(1, 0.001);
  const declared = new Set([...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name]) => name));
  const dashboard: Dashboard = JSON.parse(read('grafana/plant-store.json'));
  const rules: Rules = parse(read('prometheus/alerts.yaml'));
  const queries = [
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...rules.groups.flatMap(({ rules: each }) => each.map(({ expr }) => expr)),
  ];
  assert.ok(queries.length > 15);
  for (const query of queries) {
    const names = [...query.matchAll(/\b(?:plantstore|process|nodejs)_\w+/g)].map(([name]) => name);
    for (const name of names) {
      const family = name.replace(/_(?:bucket|sum|count)$/, '');
      assert.ok(declared.has(name) || declared.has(family), `${name} of ${query}`);
    }
  }
});

test('the example of a configuration loads the alerts and has the job that they name', () => {
  const { rule_files: files, scrape_configs: jobs } = parse(read('prometheus/prometheus.yaml'));
  assert.deepEqual(files, ['alerts.yaml']);
  const named = new Set([...read('prometheus/alerts.yaml').matchAll(/\bjob="([^"]*)"/g)].map(([, job]) => job));
  assert.deepEqual(
    jobs.map(({ job_name: name }: { job_name: string }) => name),
    [...named],
  );
});

test('an alert with a waiting time does not fire for a single event: its window is not longer than that time', () => {
  const rules: Rules = parse(read('prometheus/alerts.yaml'));
  const lasting = rules.groups.flatMap((group) => group.rules).filter((rule) => rule.for !== undefined);
  assert.ok(lasting.length > 3);
  for (const { alert, expr, for: wait } of lasting) {
    const [, window] = /\[(\d+)m\]/.exec(expr) ?? [];
    assert.ok(window === undefined || Number(window) <= Number(wait?.replace('m', '')), alert);
  }
});
