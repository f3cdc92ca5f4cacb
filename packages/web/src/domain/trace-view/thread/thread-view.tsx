import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { RunPayload, TraceExtras } from '#data/trace-extras.ts'
import { type Adapted, adaptConversation } from '#domain/chat-view/adapters.ts'
import { ChatView } from '#domain/chat-view/chat-view.tsx'
import { RunTypeIcon } from '#domain/run-type-icon.tsx'
import { StatusMark } from '#domain/status-mark.tsx'
import { cx } from '#lib/browser/cx.ts'
import { formatCount, formatLatency } from '#lib/format/format.ts'
import { floatAt, intAt, wordAt } from '#lib/trace-model/columns.ts'
import { drawnTypeAt } from '#lib/trace-model/filter-runs.ts'
import { timeAt } from '#lib/trace-model/times.ts'
import { findRow, idAt, nameAt, STATUSES, shownEndAt, type Trace } from '#lib/trace-model/trace.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { SkeletonRows } from '#ui/skeleton.tsx'
import type { VisualizationProps } from '../visualization.ts'
import { modelCalls, subAgentsOf, type Told, tellOnce } from './new-messages.ts'

/** Calls that are read at a time. */
const PAGE = 20

/** Px per agent that called another, up to a depth. */
const INDENT = 16
const DEEPEST_INDENT = 4

/** What was said in this trace, in order: every model call with the messages that are new in it. */
export default function ThreadView({ trace, extras, matches, selected, onSelect }: VisualizationProps) {
  const calls = useMemo(() => modelCalls(trace, matches), [trace, matches])
  const [start] = useState(() => Math.max(calls.indexOf(selected ?? -1), 0))
  const [pages, setPages] = useState({ from: Math.floor(start / PAGE), to: Math.floor(start / PAGE) + 1 })
  if (!extras) return <EmptyState title="The messages are not part of this page">Each run shows its own.</EmptyState>
  if (calls.length === 0)
    return <EmptyState title="No model call matches">Clear the filter to see them all.</EmptyState>

  const from = Math.min(pages.from * PAGE, Math.floor((calls.length - 1) / PAGE) * PAGE)
  const shown = calls.slice(from, pages.to * PAGE)
  const left = calls.length - from - shown.length
  return (
    <section
      aria-label="Messages of the trace"
      data-pane="tree"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keys
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
    >
      <p className="border-b border-border px-3 py-1 text-meta text-fg-muted">
        {formatCount(from + 1)} to {formatCount(from + shown.length)} of {formatCount(calls.length)} model calls
      </p>
      {from > 0 && (
        <p className="p-3 text-center">
          <Button onClick={() => setPages({ ...pages, from: pages.from - 1 })}>
            Show {formatCount(Math.min(PAGE, from))} earlier calls
          </Button>
        </p>
      )}
      <Calls {...{ trace, extras, selected, onSelect }} rows={shown} />
      {left > 0 && (
        <p className="p-3 text-center">
          <Button onClick={() => setPages({ ...pages, to: pages.to + 1 })}>
            Show {formatCount(Math.min(PAGE, left))} more of {formatCount(left)}
          </Button>
        </p>
      )}
    </section>
  )
}

interface CallsProps {
  trace: Trace
  extras: TraceExtras
  rows: readonly number[]
  selected: number | undefined
  onSelect: (row: number) => void
}

function Calls({ trace, extras, rows, selected, onSelect }: CallsProps) {
  const stretches = useMemo(
    () =>
      Array.from({ length: Math.ceil(rows.length / PAGE) }, (_, i) =>
        rows.slice(i * PAGE, (i + 1) * PAGE).map((row) => idAt(trace, row)),
      ),
    [trace, rows],
  )
  const { told, failed, isPending } = useQueries({
    queries: stretches.map((ids) => extras.payloads(ids)),
    combine: tellAll,
  })
  return (
    <>
      {told.map((one) => (
        <Call
          key={one.call.id}
          trace={trace}
          row={findRow(trace, one.call.id) ?? 0}
          told={one}
          isSelected={findRow(trace, one.call.id) === selected}
          onSelect={onSelect}
        />
      ))}
      {failed?.error ? (
        <ErrorState
          compact
          title="Messages could not be loaded"
          error={failed.error}
          onRetry={() => void failed.refetch()}
        />
      ) : (
        isPending && <SkeletonRows rows={6} height={48} label="Loading messages" />
      )}
    </>
  )
}

function tellAll(read: readonly UseQueryResult<RunPayload[]>[]) {
  return {
    told: tellOnce(read.flatMap(({ data }) => data ?? []).map(readCall)),
    failed: read.find(({ error }) => error),
    isPending: read.some(({ isPending }) => isPending),
  }
}

interface SpokenCall extends RunPayload {
  conversation: Adapted | undefined
}

function readCall(record: RunPayload) {
  const conversation = adaptConversation(record.inputs, record.outputs)
  const call: SpokenCall = { ...record, conversation }
  return { call, input: conversation?.input ?? [], output: conversation?.output ?? [] }
}

interface CallProps {
  trace: Trace
  row: number
  told: Told<SpokenCall>
  isSelected: boolean
  onSelect: (row: number) => void
}

function Call({ trace, row, told, isSelected, onSelect }: CallProps) {
  const { call, input, output, repeated } = told
  const [open, setOpen] = useState(false)
  const header = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isSelected) header.current?.scrollIntoView({ block: 'nearest' })
  }, [isSelected])
  const adapter = call.conversation?.adapter
  const agents = subAgentsOf(trace, row)
  return (
    <article
      className={cx('border-b border-border', isSelected && 'bg-selected/40', agents.length > 0 && 'border-l-2')}
      style={
        agents.length > 0
          ? { marginLeft: Math.min(agents.length, DEEPEST_INDENT) * INDENT, borderLeftColor: 'var(--type-agent-solid)' }
          : undefined
      }
    >
      {agents[0] !== undefined && (
        <button
          type="button"
          onClick={() => onSelect(agents[0]!)}
          className="flex h-6 max-w-full min-w-0 items-center gap-1 px-3 text-meta text-fg-muted hover:text-fg hover:underline coarse:h-10"
        >
          <RunTypeIcon type="agent" size={12} />
          <span className="truncate">
            {agents
              .map((agent) => nameAt(trace, agent))
              .reverse()
              .join(' › ')}
          </span>
        </button>
      )}
      <header ref={header} className="flex min-w-0 items-center gap-2 px-3 pt-2 text-row">
        <button
          type="button"
          aria-pressed={isSelected}
          onClick={() => onSelect(row)}
          className="flex min-w-0 items-center gap-1.5 font-medium hover:underline"
        >
          <RunTypeIcon type={drawnTypeAt(trace, row)} size={13} />
          <span className="truncate">{nameAt(trace, row)}</span>
        </button>
        <StatusMark
          status={STATUSES[intAt(trace.status, row)]!}
          start_time={timeAt(trace.startMicros, floatAt(trace.start, row))}
          size={13}
        />
        <span className="truncate text-fg-subtle">{wordAt(trace.models, row)}</span>
        <span className="ml-auto whitespace-nowrap text-meta tabular-nums text-fg-muted">
          at {formatLatency(floatAt(trace.start, row) / 1000)} ·{' '}
          {formatLatency((shownEndAt(trace, row) - floatAt(trace.start, row)) / 1000)}
        </span>
      </header>
      {repeated.length > 0 && (
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="mx-3 mt-1 flex items-center gap-1 text-meta text-fg-muted hover:text-fg hover:underline"
        >
          <ChevronRight size={13} aria-hidden className={cx(open && 'rotate-90')} />
          {formatCount(repeated.length)} {repeated.length === 1 ? 'message' : 'messages'} from before
        </button>
      )}
      {adapter && (
        <ChatView conversation={{ adapter, input: open ? [...repeated, ...input] : input, output, tools: [] }} />
      )}
      {!adapter && <p className="px-3 py-2 text-row text-fg-muted">No messages in a shape we know.</p>}
      {call.error && (
        <p className="whitespace-pre-wrap break-words px-3 pb-2 text-row text-err">{call.error.slice(0, 2_000)}</p>
      )}
    </article>
  )
}
