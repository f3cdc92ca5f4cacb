import type { ThreadSummary } from '@touchstone/sdk'
import { CircleX } from 'lucide-react'
import {
  formatAbsoluteTime,
  formatCost,
  formatCount,
  formatLatency,
  formatRelativeTime,
  formatScore,
  formatTokens,
} from '#lib/format.ts'
import { msBetween } from '#lib/time/time-range.ts'
import type { Column } from '#ui/grid-columns.tsx'
import { useNow } from '#ui/hooks.tsx'

/** A thread in a row, from what it began with to what it cost. */
export const threadColumns: readonly Column<ThreadSummary>[] = [
  {
    id: 'first',
    header: 'First message',
    width: 'minmax(220px, 3fr)',
    cell: (thread) => <FirstMessage thread={thread} />,
  },
  { id: 'turns', header: 'Turns', width: '64px', align: 'end', cell: ({ count }) => formatCount(count) },
  { id: 'last', header: 'Last activity', width: '152px', cell: (thread) => <LastActivity thread={thread} /> },
  {
    id: 'duration',
    header: 'Duration',
    width: '88px',
    align: 'end',
    cell: (thread) => formatLatency(durationOf(thread)),
  },
  {
    id: 'latency',
    header: 'Turn p50',
    width: '84px',
    align: 'end',
    cell: (thread) => formatLatency(ms(thread.latency_p50)),
  },
  { id: 'errors', header: 'Failed', width: '64px', align: 'end', cell: (thread) => <Failed thread={thread} /> },
  {
    id: 'tokens',
    header: 'Tokens',
    width: '80px',
    align: 'end',
    cell: ({ total_tokens }) => formatTokens(total_tokens || null),
  },
  { id: 'cost', header: 'Cost', width: '80px', align: 'end', cell: (thread) => <Cost thread={thread} /> },
  { id: 'feedback', header: 'Feedback', width: 'minmax(110px, 1fr)', cell: (thread) => feedbackOf(thread) || '-' },
  {
    id: 'reply',
    header: 'Last answer',
    width: 'minmax(140px, 2fr)',
    cell: (thread) => inLine(thread.last_outputs) || '-',
  },
]

/** The same on phone widths. */
export function ThreadCard({ thread }: { thread: ThreadSummary }) {
  return (
    <div className="flex flex-col gap-1">
      <FirstMessage thread={thread} />
      <span className="flex min-w-0 items-center gap-3 text-meta text-fg-muted">
        <span className="whitespace-nowrap">
          {formatCount(thread.count)} {thread.count === 1 ? 'turn' : 'turns'}
        </span>
        <LastActivity thread={thread} />
        <Cost thread={thread} />
        <Failed thread={thread} />
      </span>
    </div>
  )
}

function FirstMessage({ thread }: { thread: ThreadSummary }) {
  const said = inLine(thread.first_inputs)
  return (
    <span className="block truncate" title={thread.thread_id}>
      {said ? <span className="font-medium">{said}</span> : <span className="font-mono">{thread.thread_id}</span>}
    </span>
  )
}

function LastActivity({ thread }: { thread: ThreadSummary }) {
  const now = useNow(10_000)
  return (
    <span
      className="whitespace-nowrap"
      title={`${formatAbsoluteTime(thread.max_start_time)} · ${thread.max_start_time}`}
    >
      {formatRelativeTime(thread.max_start_time, now)}
    </span>
  )
}

function Failed({ thread }: { thread: ThreadSummary }) {
  if (thread.num_errored_turns === 0) return null
  return (
    <span className="inline-flex items-center justify-end gap-1 align-bottom text-err" title={thread.last_error}>
      <CircleX size={13} aria-hidden />
      {formatCount(thread.num_errored_turns)}
      <span className="sr-only">failed</span>
    </span>
  )
}

function Cost({ thread }: { thread: ThreadSummary }) {
  const cost = thread.total_cost
  const reason = thread.total_tokens > 0 ? 'No price is known for the model' : 'No tokens were recorded'
  return <span title={cost === null ? reason : `$${cost}`}>{formatCost(cost === null ? null : String(cost))}</span>
}

function feedbackOf(thread: ThreadSummary): string {
  return Object.entries(thread.feedback_stats)
    .map(([key, stat]) => `${key} ${stat.avg === null ? `×${stat.n}` : formatScore(stat.avg)}`)
    .join('  ')
}

/** From the first start to the last end; of a running conversation to the start of its last turn. */
function durationOf(thread: ThreadSummary): number | undefined {
  const end = thread.max_end_time ?? thread.max_start_time
  return msBetween(thread.min_start_time, end)
}

const ms = (seconds: number | null) => (seconds === null ? null : seconds * 1000)
const inLine = (text: string) => text.trim().replaceAll('\n', ' ⏎ ')
