import type { FoundTrace, RequestReceipt } from '@touchstone/sdk'
import { command } from '../command.ts'
import { UnknownIdError } from '../exit-codes.ts'
import { formatTime, removeControlCharacters } from '../output.ts'

export const findTrace = command({
  summary: 'Find out where a run or trace is: stored, rejected and why, sampled out, or unknown',
  positionals: ['id'],
  flags: {},
  notes: ['Looks into stored runs and the ingest requests of the last 24 hours. Exit code 3 when the id is unknown.'],
  async run({ client, output, positionals }) {
    const [id = ''] = positionals
    const found = await client.findTrace(id)
    output.data(found, explainTrace)
    if (found.outcome === 'stored' || found.outcome === 'rejected') return
    throw new UnknownIdError('')
  },
})

/** The answer in plain sentences. */
export function explainTrace(found: FoundTrace): string {
  const { id, stored, receipts } = found
  const lines = {
    stored: () => [
      `${id} is stored: run ${stored?.run_id} of trace ${stored?.trace_id}, project ${stored?.session_id}, started ${formatTime(stored?.start_time)}.`,
    ],
    rejected: () => [`${id} reached this server and was rejected. It is not stored.`],
    sampled_out: () => [
      `${id} was not sent: a client of this workspace records a share of its traces (${found.sampling_rates.join(', ')}), and its rule leaves this trace out.`,
      'Raise LANGSMITH_TRACING_SAMPLING_RATE to record more.',
    ],
    unknown: () => [
      `${id} is unknown: it is not stored, and no request of the last 24 hours names it. Possible reasons:`,
      '- tracing is off in the program (LANGSMITH_TRACING), or it ended before its traces were sent; call flush() at its end',
      '- it sends to another server or workspace (LANGSMITH_ENDPOINT, LANGSMITH_API_KEY), or its key was refused with 401',
      '- the client sampled it out (LANGSMITH_TRACING_SAMPLING_RATE)',
      '- it was deleted, or was rejected more than 24 hours ago',
    ],
  }[found.outcome]()
  return [...lines, ...receipts.flatMap((receipt) => describeReceipt(receipt, id))]
    .map(removeControlCharacters)
    .join('\n')
}

/** The same for every form of an id: receipts name a span by its 16 digits behind 16 zeros. */
const toDigits = (id: string) => id.toLowerCase().replaceAll('-', '').padStart(32, '0')

function describeReceipt(receipt: RequestReceipt, id: string): string[] {
  const { sender, short_key, sdk, user_agent } = receipt
  const key = short_key === null || short_key === sender ? '' : ` (${short_key})`
  const from = [sender === null ? '' : `key or person ${sender}${key}`, sdk, user_agent].filter(Boolean).join(', ')
  const items = receipt.items.filter((item) => toDigits(item.id) === toDigits(id))
  return [
    '',
    `${formatTime(receipt.received_at)}  ${receipt.route}  status ${receipt.status}`,
    `  from ${from || 'an unnamed client'}`,
    `  ${receipt.accepted} accepted, ${receipt.rejected} rejected, ${receipt.warnings} with warnings`,
    ...(receipt.error === '' ? [] : [`  refused: ${receipt.error}`]),
    ...items.map(({ outcome, reason }) => `  ${outcome}: ${reason}`),
  ]
}
