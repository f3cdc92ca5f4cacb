import { useQuery } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import { ChevronRight, CircleX, Wrench } from 'lucide-react'
import { type ReactNode, Suspense, useMemo, useState } from 'react'
import { formatFeedbackFigures } from '#features/feedback/feedback-values.ts'
import { Call, Message } from '#features/payloads/chat/chat-view.tsx'
import { ProjectTextMode } from '#features/payloads/chat/text-mode.tsx'
import { cx } from '#lib/browser.ts'
import { formatAbsoluteTime, formatBytes, formatLatency, formatTokenPair, pluralize } from '#lib/format.ts'
import { stripTerminalCodes } from '#lib/terminal-text.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { CostText } from '#ui/cost-text.tsx'
import { lazyExtra } from '#ui/lazy.tsx'
import { StatusMark } from '#ui/run-icons.tsx'
import { TerminalText } from '#ui/terminal-text.tsx'
import { threadQuery } from './queries.ts'
import { getPreviewLabel, readTurn, type TurnContent, type TurnItem } from './read-turn.ts'

const TurnScoreForm = lazyExtra(() => import('./turn-score-form.tsx').then((module) => module.TurnScoreForm))

export interface TurnBlockProps {
  turn: Run
  /** The previous turn, whose messages this one may repeat. */
  before: Run | undefined
  /** Counted from 1. */
  number: number
  isActive: boolean
  onActivate: () => void
  /** Opens the trace beside the conversation, optionally at its feedback. */
  onOpen: (tab?: 'feedback') => void
  isScoring: boolean
  /** Opens or closes the score form; absent for users who may not score. */
  onScoring?: ((isOpen: boolean) => void) | undefined
}

/** Further items are shown on request, because the turn of an agent can be very long. */
const MAX_ITEMS = 60

/** A turn of a conversation: its figures, its new messages, and one line for repeated messages. */
export function TurnBlock(props: TurnBlockProps) {
  const { turn, before, number, isActive, onActivate, onOpen, isScoring, onScoring } = props
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys j and k activate turns
    <article
      aria-label={`Turn ${number}`}
      aria-current={isActive ? 'true' : undefined}
      onClick={onActivate}
      className={cx('border-l-2 px-3 pb-4 pt-2', isActive ? 'border-accent bg-selected/40' : 'border-transparent')}
    >
      <TurnHead turn={turn} number={number} onOpen={onOpen} onScoring={onScoring} />
      {isScoring && onScoring && (
        <Suspense>
          <TurnScoreForm turn={turn} onClose={() => onScoring(false)} />
        </Suspense>
      )}
      <TurnBody turn={turn} before={before} onOpen={() => onOpen()} />
      {turn.status === 'error' && (
        <p className="mt-2 flex items-start gap-1.5 rounded-card bg-del-bg px-3 py-2 text-row text-fg">
          <CircleX size={14} className="mt-px shrink-0 text-err" aria-hidden />
          <span className="min-w-0 whitespace-pre-wrap break-words">
            <TerminalText text={turn.error_preview || 'The turn failed.'} />
          </span>
        </p>
      )}
    </article>
  )
}

type TurnHeadProps = Pick<TurnBlockProps, 'turn' | 'number' | 'onOpen' | 'onScoring'>

function TurnHead({ turn, number, onOpen, onScoring }: TurnHeadProps) {
  const latency = msBetween(turn.start_time, turn.end_time)
  return (
    <header className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-0.5 pb-1 text-meta text-fg-muted">
      <h2 className="text-row font-semibold text-fg">Turn {number}</h2>
      <StatusMark status={turn.status} start_time={turn.start_time} end_time={turn.end_time} />
      <span title={turn.start_time}>{formatAbsoluteTime(turn.start_time)}</span>
      <span dir="auto" className="max-w-48 truncate">
        {turn.name}
      </span>
      <span className="tabular-nums">{latency === undefined ? 'running' : formatLatency(latency)}</span>
      {Boolean(turn.total_tokens) && (
        <span className="tabular-nums">{formatTokenPair(turn.prompt_tokens, turn.completion_tokens)} tokens</span>
      )}
      {turn.total_cost != null && (
        <span className="tabular-nums">
          <CostText total={turn.total_cost} reported={turn.reported_cost} fees={turn.unpriced_fees} />
        </span>
      )}
      {Object.entries(turn.feedback_stats ?? {}).map(([key, stat]) => (
        <button
          key={key}
          type="button"
          title={`Show the feedback ${key}`}
          onClick={() => onOpen('feedback')}
          className="h-6 max-w-48 truncate rounded-control bg-sunken px-1.5 text-fg hover:bg-hover coarse:h-10"
        >
          {key} {formatFeedbackFigures(stat)}
        </button>
      ))}
      {onScoring && (
        <button
          type="button"
          aria-label={`Score turn ${number}`}
          onClick={() => onScoring(true)}
          className="h-6 text-accent hover:underline coarse:h-10"
        >
          + Score
        </button>
      )}
      <button type="button" onClick={() => onOpen()} className="ml-auto h-6 text-accent hover:underline coarse:h-10">
        Open trace
      </button>
    </header>
  )
}

function TurnBody({ turn, before, onOpen }: Pick<TurnBlockProps, 'turn' | 'before'> & { onOpen: () => void }) {
  const read = useQuery(threadQuery.payload(turn))
  const earlier = useQuery({ ...threadQuery.payload(before ?? turn), enabled: before !== undefined })
  const content = toContent(read.data)
  const history = before === undefined ? undefined : toContent(earlier.data)
  const isWaiting = read.isPending || (before !== undefined && earlier.isPending)
  const items = useMemo(
    () => (content && !isWaiting ? readTurn(content, history) : undefined),
    [content, history, isWaiting],
  )
  if (items) {
    return (
      <ProjectTextMode projectId={turn.session_id}>
        <Items turn={turn} items={items} />
      </ProjectTextMode>
    )
  }
  const size = read.data && 'size' in read.data ? read.data.size : undefined
  return (
    <div className="flex flex-col gap-2">
      {(['inputs', 'outputs'] as const).map((side) => (
        <TurnPreview key={side} turn={turn} side={side} />
      ))}
      {read.isError && (
        <p role="alert" className="text-row text-fg-muted">
          Could not load the messages.{' '}
          <button type="button" className="text-accent hover:underline" onClick={() => void read.refetch()}>
            Retry
          </button>
        </p>
      )}
      {size !== undefined && (
        <p className="text-row text-fg-muted">
          Only the beginning is shown, because the payload is large ({formatBytes(size)}).{' '}
          <button type="button" className="text-accent hover:underline" onClick={onOpen}>
            Open the run
          </button>
        </p>
      )}
    </div>
  )
}

function Items({ turn, items }: { turn: Run; items: readonly TurnItem[] }) {
  const [showsAll, setShowsAll] = useState(false)
  const hasToolMessages = items.some(({ kind }) => kind === 'call' || kind === 'result')
  const tools = useQuery({ ...threadQuery.tools(turn), enabled: !hasToolMessages })
  const shown = showsAll ? items : items.slice(0, MAX_ITEMS)
  const firstAnswer = shown.findIndex((item) => item.kind === 'message' && item.isAnswer)
  const inputCount = firstAnswer < 0 ? shown.length : firstAnswer
  const runs = hasToolMessages ? [] : (tools.data?.tools ?? [])
  return (
    <div className="flex flex-col gap-2">
      {shown.slice(0, inputCount).map(drawItem)}
      {runs.map((run) => (
        <ToolRunLine key={run.id} run={run} />
      ))}
      {tools.data?.more && <p className="text-row text-fg-muted">More tool calls are in the trace.</p>}
      {shown.slice(inputCount).map((item, index) => drawItem(item, inputCount + index))}
      {items.length > shown.length && (
        <button
          type="button"
          onClick={() => setShowsAll(true)}
          className="self-start text-row text-accent hover:underline"
        >
          Show {pluralize(items.length - shown.length, 'more message')}
        </button>
      )}
    </div>
  )
}

function drawItem(item: TurnItem, index: number): ReactNode {
  if (item.kind === 'repeated') return <Repeated key={index} messages={item.messages} />
  if (item.kind === 'message') return <Message key={index} message={item.message} isAnswer={item.isAnswer} />
  return <ToolLine key={index} item={item} />
}

function Repeated({ messages }: { messages: Extract<TurnItem, { kind: 'repeated' }>['messages'] }) {
  const [open, setOpen] = useState(false)
  const label = `${pluralize(messages.length, 'earlier message')} repeated`
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex h-6 items-center gap-1 text-meta text-fg-muted hover:text-fg coarse:h-10"
      >
        <ChevronRight size={12} aria-hidden className={cx(open && 'rotate-90')} />
        {label}
      </button>
      {open && (
        <div className="mt-1 flex max-h-[60vh] flex-col gap-2 overflow-auto border-l border-border pl-3">
          {messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids and never move
            <Message key={index} message={message} isAnswer={false} />
          ))}
        </div>
      )}
    </div>
  )
}

/** Shown while the messages load, and instead of messages that cannot be loaded. */
function TurnPreview({ turn, side }: { turn: Run; side: 'inputs' | 'outputs' }) {
  const text = turn[`${side}_preview`]
  if (!text) return null
  return (
    <div className="rounded-card border border-border bg-surface px-3 py-2">
      <p className="text-meta text-fg-muted">{getPreviewLabel(turn, side)}</p>
      <p dir="auto" className="whitespace-pre-wrap break-words text-form">
        <TerminalText text={text} />
      </p>
    </div>
  )
}

function toContent(data: TurnContent | { size: number } | undefined): TurnContent | undefined {
  return data && 'inputs' in data ? data : undefined
}

/** Characters of the arguments in a collapsed line. */
const MAX_LINE_LENGTH = 200

/** A tool call, or a result without a call, as a line that expands. */
function ToolLine({ item }: { item: Extract<TurnItem, { kind: 'call' | 'result' }> }) {
  if (item.kind === 'result') {
    const { result } = item
    return (
      <Line name={result.name ?? 'result'} note="result" failed={result.isError ?? false}>
        <Message message={{ role: 'tool', parts: [result] }} isAnswer={false} />
      </Line>
    )
  }
  const { call } = item
  const args = typeof call.args === 'string' ? call.args : (JSON.stringify(call.args) ?? '')
  return (
    <Line name={call.name} note={args.slice(0, MAX_LINE_LENGTH)} failed={call.result?.isError ?? false}>
      <Call call={call} />
    </Line>
  )
}

/** A tool run of the turn that its messages do not mention. */
function ToolRunLine({ run }: { run: Run }) {
  const latency = msBetween(run.start_time, run.end_time)
  const texts = [
    { label: 'input', text: run.inputs_preview },
    { label: 'output', text: run.outputs_preview },
    { label: 'error', text: run.error_preview },
  ].filter(({ text }) => text)
  return (
    <Line
      name={run.name}
      note={stripTerminalCodes(run.inputs_preview ?? '').slice(0, MAX_LINE_LENGTH)}
      time={latency === undefined ? 'running' : formatLatency(latency)}
      failed={run.status === 'error'}
    >
      {texts.map(({ label, text }) => (
        <div key={label} className="mb-1">
          <p className="text-meta text-fg-muted">{label}</p>
          <p className="whitespace-pre-wrap break-words font-mono text-row">
            <TerminalText text={text ?? ''} />
          </p>
        </div>
      ))}
    </Line>
  )
}

interface LineProps {
  name: string
  note: string
  time?: string
  failed: boolean
  children: ReactNode
}

function Line({ name, note, time, failed, children }: LineProps) {
  const [open, setOpen] = useState(false)
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex h-6 w-full min-w-0 items-center gap-1.5 rounded-control px-1 text-left text-row text-fg-muted hover:bg-hover hover:text-fg coarse:h-10"
      >
        <ChevronRight size={12} aria-hidden className={cx('shrink-0', open && 'rotate-90')} />
        <Wrench size={13} aria-hidden className="shrink-0" style={{ color: 'var(--type-tool-ink)' }} />
        <span className="shrink-0 font-mono font-medium text-fg">{name}</span>
        {failed && <span className="shrink-0 text-err">failed</span>}
        <span className="min-w-0 truncate font-mono text-meta">{note}</span>
        {time !== undefined && <span className="ml-auto shrink-0 tabular-nums">{time}</span>}
      </button>
      {open && <div className="mt-1 pl-6">{children}</div>}
    </div>
  )
}
