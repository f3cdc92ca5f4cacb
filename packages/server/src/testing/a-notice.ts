import type { Notice } from '../features/notifications/index.ts'

/** A notice of an alert. */
export function aNotice(given: Partial<Notice> = {}): Notice {
  return {
    causeKind: 'alert',
    causeId: '00000000-0000-4000-8000-0000000000aa',
    key: 'alert aa 1 critical',
    incident: 'touchstone:alert:aa:1',
    severity: 'critical',
    isResolved: false,
    title: 'Error rate is 12 %',
    text: 'It was above 5 % for 10 minutes.',
    facts: [{ label: 'Runs', value: '40' }],
    links: [{ label: 'View runs', url: 'https://touchstone.example/runs?a=1&b=2' }],
    body: { alert_rule_name: 'Errors', triggered_metric_value: 0.12 },
    at: '2026-11-28T05:00:00.000000Z',
    ...given,
  }
}
