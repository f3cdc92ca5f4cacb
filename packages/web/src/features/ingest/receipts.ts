import type { FoundTrace, RequestReceipt, RequestReceiptList } from '@touchstone/sdk'
import { pluralize } from '#lib/format.ts'

/** Why something of a request was not stored, in one sentence; '' when all of it was. */
export function describeProblem({ error, items }: Pick<RequestReceipt, 'error' | 'items'>): string {
  const first = items.find(({ outcome }) => outcome === 'rejected') ?? items[0]
  return first?.reason ?? error
}

/** The sentence of the banner of a project; undefined when nothing was rejected. */
export function describeRejected(list: RequestReceiptList | undefined): string | undefined {
  if (list === undefined || list.rejected_total === 0) return undefined
  const were = list.rejected_total === 1 ? 'was' : 'were'
  const [latest] = list.receipts
  const why = latest && describeProblem(latest)
  return `${pluralize(list.rejected_total, 'run')} ${were} rejected in the last hour${why ? `: ${why}` : ''}`
}

/** The sender of a request: its key or person, and its program. */
export function describeSender({ sender, short_key, sdk, user_agent }: RequestReceipt): string {
  const key = short_key === null || short_key === sender ? '' : ` (${short_key})`
  return [sender === null ? '' : `${sender}${key}`, sdk || user_agent].filter(Boolean).join(', ') || 'Unknown'
}

/** What a search by id found, and what to do. */
export function explainFound({ outcome, sampling_rates }: FoundTrace): { title: string; text: string } {
  if (outcome === 'stored') return { title: 'Stored', text: 'The run or trace is stored.' }
  if (outcome === 'rejected') {
    return { title: 'Rejected', text: 'It reached this server and was not stored. The requests below say why.' }
  }
  if (outcome === 'sampled_out') {
    return {
      title: 'Sampled out',
      text: `It was not sent: a client records a share of its traces (${sampling_rates.join(', ')}), and its rule leaves this one out.`,
    }
  }
  return {
    title: 'Unknown',
    text:
      'It is not stored, and no request of the last 24 hours names it. Tracing may be off, the program may have ended ' +
      'before it sent its traces, it may send to another server or workspace, or it was sampled out or deleted.',
  }
}
