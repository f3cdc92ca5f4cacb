import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { type Conversation, findRemainder, type Remainder, readConversation } from '@touchstone/formats/messages'
import { ChevronRight } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ChatView, JsonCard, Pre } from '#features/payloads/chat/chat-view.tsx'
import { ProjectTextMode } from '#features/payloads/chat/text-mode.tsx'
import { cx } from '#lib/browser.ts'
import { floatAt } from '#lib/columns.ts'
import { formatCount, formatLatency, pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { RunTypeIcon, StatusMark } from '#ui/run-icons.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { TerminalText } from '#ui/terminal-text.tsx'
import type { RunPayload, TraceExtras } from '../../extra-queries.ts'
import { timeAt } from '../../model/times.ts'
import { findRow, idAt, nameAt, shownEndAt, statusAt, type Trace, wordAt } from '../../model/trace.ts'
import { drawnTypeAt } from '../../model/visible-rows.ts'
import type { VisualizationProps } from '../visualization.ts'
import { findModelCalls, findSubAgents, type NewMessages, selectNewMessages } from './model-calls.ts'

/** Model calls per request. */
const PAGE = 20

/** Indent per level of sub-agents in px, up to a maximum depth. */
const INDENT = 16
const MAX_INDENT_DEPTH = 4

/** The messages of a trace: every model call, in order, with its new messages. */
export default function ThreadView({ trace, extras, matches, selected, onSelect }: Omit<VisualizationProps, 'plot'>) {
  const calls = useMemo(() => findModelCalls(trace, matches), [trace, matches])
  const [start] = useState(() => Math.max(calls.indexOf(selected ?? -1), 0))
  const [pages, setPages] = useState({ from: Math.floor(start / PAGE), to: Math.floor(start / PAGE) + 1 })
  if (!extras) return <EmptyState title="Messages are not available here">Select a run to see its messages.</EmptyState>
  if (calls.length === 0)
    return <EmptyState title="No model call matches">Clear the filter to see all model calls.</EmptyState>

  const from = Math.min(pages.from * PAGE, Math.floor((calls.length - 1) / PAGE) * PAGE)
  const shown = calls.slice(from, pages.to * PAGE)
  const remaining = calls.length - from - shown.length
  return (
    <section
      aria-label="Messages of the trace"
      data-pane="tree"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
    >
      <p className="border-b border-border px-3 py-1 text-meta text-fg-muted">
        {formatCount(from + 1)} to {formatCount(from + shown.length)} of {formatCount(calls.length)} model calls
      </p>
      {from > 0 && (
        <p className="p-3 text-center">
          <Button onClick={() => setPages({ ...pages, from: pages.from - 1 })}>
            Show {pluralize(Math.min(PAGE, from), 'earlier call')}
          </Button>
        </p>
      )}
      {/* Only the extras of a public link have no steps. */}
      <ProjectTextMode projectId={extras.steps && trace.projectId}>
        <Calls {...{ trace, extras, selected, onSelect }} rows={shown} />
      </ProjectTextMode>
      {remaining > 0 && (
        <p className="p-3 text-center">
          <Button onClick={() => setPages({ ...pages, to: pages.to + 1 })}>
            Show {formatCount(Math.min(PAGE, remaining))} more of {formatCount(remaining)}
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
  const pages = useMemo(
    () =>
      Array.from({ length: Math.ceil(rows.length / PAGE) }, (_, i) =>
        rows.slice(i * PAGE, (i + 1) * PAGE).map((row) => idAt(trace, row)),
      ),
    [trace, rows],
  )
  const { calls, failed, isPending } = useQueries({
    queries: pages.map((ids) => extras.payloads(ids)),
    combine: combinePages,
  })
  return (
    <>
      {calls.map((messages) => (
        <Call
          key={messages.call.id}
          trace={trace}
          row={findRow(trace, messages.call.id) ?? 0}
          messages={messages}
          isSelected={findRow(trace, messages.call.id) === selected}
          onSelect={onSelect}
        />
      ))}
      {failed?.error ? (
        <ErrorState
          compact
          title="Could not load messages"
          error={failed.error}
          onRetry={() => void failed.refetch()}
        />
      ) : (
        isPending && <SkeletonRows rows={6} height={48} label="Loading messages" />
      )}
    </>
  )
}

function combinePages(pages: readonly UseQueryResult<RunPayload[]>[]) {
  return {
    calls: selectNewMessages(pages.flatMap(({ data }) => data ?? []).map(readCall)),
    failed: pages.find(({ error }) => error),
    isPending: pages.some(({ isPending }) => isPending),
  }
}

interface ModelCall extends RunPayload {
  conversation: Conversation | undefined
}

function readCall(record: RunPayload) {
  const conversation = readConversation(record.inputs, record.outputs)
  const call: ModelCall = { ...record, conversation }
  return { call, input: conversation?.input ?? [], output: conversation?.output ?? [] }
}

interface CallProps {
  trace: Trace
  row: number
  messages: NewMessages<ModelCall>
  isSelected: boolean
  onSelect: (row: number) => void
}

function Call({ trace, row, messages, isSelected, onSelect }: CallProps) {
  const { call, input, output, repeated } = messages
  const [open, setOpen] = useState(false)
  const header = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isSelected) header.current?.scrollIntoView({ block: 'nearest' })
  }, [isSelected])
  const rest = call.conversation?.rest ?? {
    inputs: findRemainder(call.inputs, undefined),
    outputs: findRemainder(call.outputs, undefined),
  }
  const isEmpty = !call.conversation && !rest.inputs && !rest.outputs
  const agents = findSubAgents(trace, row)
  const [nearestAgent] = agents
  return (
    <article
      className={cx('border-b border-border', isSelected && 'bg-selected/40', agents.length > 0 && 'border-l-2')}
      style={
        agents.length > 0
          ? {
              marginLeft: Math.min(agents.length, MAX_INDENT_DEPTH) * INDENT,
              borderLeftColor: 'var(--type-agent-solid)',
            }
          : undefined
      }
    >
      {nearestAgent !== undefined && (
        <button
          type="button"
          onClick={() => onSelect(nearestAgent)}
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
          <span dir="auto" className="truncate">
            {nameAt(trace, row)}
          </span>
        </button>
        <StatusMark
          status={statusAt(trace, row)}
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
          {pluralize(repeated.length, 'earlier message')}
        </button>
      )}
      {isEmpty ? (
        <p className="px-3 py-2 text-row text-fg-muted">No inputs or outputs</p>
      ) : (
        <ChatView
          conversation={{ input: open ? [...repeated, ...input] : input, output, tools: [] }}
          inputRest={<WholeSide label="Input" value={call.inputs} rest={rest.inputs} />}
          outputRest={<WholeSide label="Output" value={call.outputs} rest={rest.outputs} />}
        />
      )}
      {call.error && (
        <p className="whitespace-pre-wrap break-words px-3 pb-2 text-row text-err">
          <TerminalText text={call.error.slice(0, 2_000)} />
        </p>
      )}
    </article>
  )
}

interface WholeSideProps {
  label: string
  value: unknown
  rest: Remainder | undefined
}

/** A side of a call without messages, as JSON. Other fields beside messages are in the Chat tab of the call. */
function WholeSide({ label, value, rest }: WholeSideProps) {
  const isShown = rest?.isWhole ?? false
  const text = useMemo(() => (isShown ? JSON.stringify(value, null, 2) : ''), [isShown, value])
  if (!isShown) return null
  return (
    <JsonCard label={label} text={text}>
      <Pre text={text} language="json" />
    </JsonCard>
  )
}
