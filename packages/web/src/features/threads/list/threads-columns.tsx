import type { ThreadSummary } from '@touchstone/sdk'
import { CircleX } from 'lucide-react'
import { type FeedbackFigures, formatFeedbackFigures } from '#features/feedback/feedback-values.ts'
import {
  formatAbsoluteTime,
  formatCount,
  formatLatency,
  formatRelativeTime,
  formatTokens,
  pluralize,
} from '#lib/format.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { CostText } from '#ui/cost-text.tsx'
import type { Column } from '#ui/grid-columns.tsx'
import { useNow } from '#ui/hooks.tsx'

/** Feedback keys with a column of their own; the others share one. */
const MAX_KEY_COLUMNS = 3

/** A thread in a row, from what it began with to what it cost and how it was scored. */
export function toThreadColumns(scoreKeys: readonly string[]): readonly Column<ThreadSummary>[] {
  const own = scoreKeys.slice(0, MAX_KEY_COLUMNS)
  const others = scoreKeys.slice(MAX_KEY_COLUMNS)
  return [...COLUMNS, ...own.map(toScoreColumn), ...(others.length === 0 ? [] : [toOthersColumn(others)]), LAST_ANSWER]
}

/** Keys of the feedback on threads, by the number of threads that have them. */
export function listScoreKeys(threads: readonly ThreadSummary[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { feedback_stats } of threads) {
    for (const key of Object.keys(feedback_stats)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([key]) => key)
}

const COLUMNS: readonly Column<ThreadSummary>[] = [
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
]

const LAST_ANSWER: Column<ThreadSummary> = {
  id: 'reply',
  header: 'Last answer',
  width: 'minmax(140px, 2fr)',
  cell: (thread) => inLine(thread.last_outputs) || '-',
}

/** The mean of the scores on the thread and its turns. */
function toScoreColumn(key: string): Column<ThreadSummary> {
  return {
    id: `feedback:${key}`,
    header: <span title={`Mean of ${key} on the thread and its turns`}>{key}</span>,
    width: '80px',
    align: 'end',
    cell: ({ feedback_stats }) => {
      const stat = getOwn(feedback_stats, key)
      return stat === undefined ? '-' : <span title={describeStat(key, stat)}>{formatFeedbackFigures(stat)}</span>
    },
  }
}

function toOthersColumn(keys: readonly string[]): Column<ThreadSummary> {
  return {
    id: 'feedback',
    header: 'Other feedback',
    width: 'minmax(110px, 1fr)',
    cell: ({ feedback_stats }) => feedbackOf(feedback_stats, keys) || '-',
  }
}

/** The same on phone widths. */
export function ThreadCard({ thread }: { thread: ThreadSummary }) {
  return (
    <div className="flex flex-col gap-1">
      <FirstMessage thread={thread} />
      <span className="flex min-w-0 items-center gap-3 text-meta text-fg-muted">
        <span className="whitespace-nowrap">{pluralize(thread.count, 'turn')}</span>
        <LastActivity thread={thread} />
        <Cost thread={thread} />
        <Failed thread={thread} />
        <span className="truncate">{feedbackOf(thread.feedback_stats, Object.keys(thread.feedback_stats))}</span>
      </span>
    </div>
  )
}

function FirstMessage({ thread }: { thread: ThreadSummary }) {
  const said = inLine(thread.first_inputs)
  return (
    <span className="block truncate" title={thread.thread_id}>
      {said ? (
        <span dir="auto" className="block truncate font-medium">
          {said}
        </span>
      ) : (
        <span className="font-mono">{thread.thread_id}</span>
      )}
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
  return <CostText total={cost} reported={thread.reported_cost} fees={thread.unpriced_fees} unknown={reason} />
}

type Stats = ThreadSummary['feedback_stats']

const getOwn = (stats: Stats, key: string): FeedbackFigures | undefined =>
  Object.hasOwn(stats, key) ? stats[key] : undefined

function describeStat(key: string, { n, contains_thread_feedback: isOnThread }: FeedbackFigures): string {
  return `${key}: ${pluralize(n, 'record')}${isOnThread ? ', also on the thread itself' : ''}`
}

function feedbackOf(stats: Stats, keys: readonly string[]): string {
  return keys
    .flatMap((key) => {
      const stat = getOwn(stats, key)
      return stat === undefined ? [] : `${key} ${formatFeedbackFigures(stat)}`
    })
    .join('  ')
}

/** From the first start to the last end; of a running conversation to the start of its last turn. */
function durationOf(thread: ThreadSummary): number | undefined {
  const end = thread.max_end_time ?? thread.max_start_time
  return msBetween(thread.min_start_time, end)
}

const ms = (seconds: number | null) => (seconds === null ? null : seconds * 1000)
const inLine = (text: string) => text.trim().replaceAll('\n', ' ⏎ ')
