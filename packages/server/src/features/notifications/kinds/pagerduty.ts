import { type Notice, toHeadline } from '../notice.ts'
import { SEND_MS, type Sender } from './kind.ts'
import { toResult, toResultOf } from './result.ts'

const EVENTS_API = 'https://events.pagerduty.com/v2/enqueue'

/** Sends an event of the Events API v2: it opens an incident, or resolves the one with the same key. */
export const sendToPagerDuty: Sender<'pagerduty'> = ({ outbound, clock }, { config }, { notice, signal }) =>
  toResultOf(
    () =>
      outbound.send({
        method: 'POST',
        url: config.endpoint ?? EVENTS_API,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ routing_key: config.routing_key, ...writePagerDutyEvent(notice) }),
        sameHost: true,
        timeoutMs: SEND_MS,
        signal,
      }),
    (answer) => toResult(answer, clock()),
  )

/** An event without its routing key. Only triggers have a payload. */
export function writePagerDutyEvent(notice: Notice): object {
  const { incident, isResolved, severity, title, text, facts, links, at } = notice
  if (isResolved) return { event_action: 'resolve', dedup_key: incident }
  return {
    event_action: 'trigger',
    dedup_key: incident,
    payload: {
      summary: toHeadline(notice),
      source: 'touchstone',
      severity,
      timestamp: at,
      class: notice.causeKind,
      custom_details: { title, text, ...Object.fromEntries(facts.map(({ label, value }) => [label, value])) },
    },
    links: links.map(({ label, url }) => ({ href: url, text: label })),
    client: 'Touchstone',
  }
}
