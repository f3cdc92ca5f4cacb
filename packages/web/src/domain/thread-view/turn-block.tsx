import { useQuery } from '@tanstack/react-query'
import type { Run } from '@touchstone/sdk'
import { ChevronRight, CircleX } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { threadQuery } from '#data/threads.ts'
import { Message } from '#domain/chat-view/chat-view.tsx'
import { StatusMark } from '#domain/status-mark.tsx'
import { cx } from '#lib/browser/cx.ts'
import {
  formatAbsoluteTime,
  formatBytes,
  formatCost,
  formatLatency,
  formatScore,
  formatTokenPair,
} from '#lib/format/format.ts'
import { msBetween } from '#lib/time/timestamps.ts'
import { type Cargo, readTurn, type TurnItem } from './read-turn.ts'
import { ToolLine, ToolRunLine } from './tool-line.tsx'

export interface TurnBlockProps {
  turn: Run
  /** The turn before, whose messages this one may repeat. */
  before: Run | undefined
  /** Counted from 1. */
  number: number
  isActive: boolean
  onActivate: () => void
  /** Opens the trace beside the conversation. */
  onOpen: () => void
}

/** More new messages than this are shown after a click: an agent's turn can be a book. */
const MOST_ITEMS = 60

/** A turn of a conversation: what it took, what was repeated in one line, and what is new. */
export function TurnBlock({ turn, before, number, isActive, onActivate, onOpen }: TurnBlockProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k walk the turns
    <article
      aria-label={`Turn ${number}`}
      aria-current={isActive ? 'true' : undefined}
      onClick={onActivate}
      className={cx('border-l-2 px-3 pb-4 pt-2', isActive ? 'border-accent bg-selected/40' : 'border-transparent')}
    >
      <TurnHead turn={turn} number={number} onOpen={onOpen} />
      <TurnBody turn={turn} before={before} onOpen={onOpen} />
      {turn.status === 'error' && (
        <p className="mt-2 flex items-start gap-1.5 rounded-card bg-del-bg px-3 py-2 text-row text-fg">
          <CircleX size={14} className="mt-px shrink-0 text-err" aria-hidden />
          <span className="min-w-0 whitespace-pre-wrap break-words">{turn.error_preview || 'The turn failed.'}</span>
        </p>
      )}
    </article>
  )
}

function TurnHead({ turn, number, onOpen }: { turn: Run; number: number; onOpen: () => void }) {
  const latency = msBetween(turn.start_time, turn.end_time)
  return (
    <header className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-0.5 pb-1 text-meta text-fg-muted">
      <h2 className="text-row font-semibold text-fg">Turn {number}</h2>
      <StatusMark status={turn.status} start_time={turn.start_time} end_time={turn.end_time} />
      <span title={turn.start_time}>{formatAbsoluteTime(turn.start_time)}</span>
      <span className="max-w-48 truncate">{turn.name}</span>
      <span className="tabular-nums">{latency === undefined ? 'running' : formatLatency(latency)}</span>
      {Boolean(turn.total_tokens) && (
        <span className="tabular-nums">{formatTokenPair(turn.prompt_tokens, turn.completion_tokens)} tokens</span>
      )}
      {turn.total_cost != null && <span className="tabular-nums">{formatCost(turn.total_cost)}</span>}
      {Object.entries(turn.feedback_stats ?? {}).map(([key, stat]) => (
        <span key={key} className="rounded-control bg-sunken px-1.5 text-fg">
          {key} {stat.avg === null ? `×${stat.n}` : formatScore(stat.avg)}
        </span>
      ))}
      <button type="button" onClick={onOpen} className="ml-auto h-6 text-accent hover:underline coarse:h-10">
        Open trace
      </button>
    </header>
  )
}

function TurnBody({ turn, before, onOpen }: Pick<TurnBlockProps, 'turn' | 'before' | 'onOpen'>) {
  const read = useQuery(threadQuery.payload(turn))
  const earlier = useQuery({ ...threadQuery.payload(before ?? turn), enabled: before !== undefined })
  const cargo = cargoOf(read.data)
  const history = before === undefined ? undefined : cargoOf(earlier.data)
  const isWaiting = read.isPending || (before !== undefined && earlier.isPending)
  const items = useMemo(() => (cargo && !isWaiting ? readTurn(cargo, history) : undefined), [cargo, history, isWaiting])
  if (items) return <Items turn={turn} items={items} />
  const size = read.data && 'size' in read.data ? read.data.size : undefined
  return (
    <div className="flex flex-col gap-2">
      <Preview label="input" text={turn.inputs_preview} />
      <Preview label="output" text={turn.outputs_preview} />
      {read.isError && (
        <p role="alert" className="text-row text-fg-muted">
          What was said could not be read.{' '}
          <button type="button" className="text-accent hover:underline" onClick={() => void read.refetch()}>
            Try again
          </button>
        </p>
      )}
      {size !== undefined && (
        <p className="text-row text-fg-muted">
          The payload has {formatBytes(size)}, so only its beginning is shown.{' '}
          <button type="button" className="text-accent hover:underline" onClick={onOpen}>
            Open the run
          </button>
        </p>
      )}
    </div>
  )
}

function Items({ turn, items }: { turn: Run; items: readonly TurnItem[] }) {
  const [whole, setWhole] = useState(false)
  const namesTools = items.some(({ kind }) => kind === 'call' || kind === 'result')
  const tools = useQuery({ ...threadQuery.tools(turn), enabled: !namesTools })
  const shown = whole ? items : items.slice(0, MOST_ITEMS)
  const firstAnswer = shown.findIndex((item) => item.kind === 'message' && item.isAnswer)
  const asked = firstAnswer < 0 ? shown.length : firstAnswer
  const runs = namesTools ? [] : (tools.data?.tools ?? [])
  return (
    <div className="flex flex-col gap-2">
      {shown.slice(0, asked).map(drawItem)}
      {runs.map((run) => (
        <ToolRunLine key={run.id} run={run} />
      ))}
      {tools.data?.more && <p className="text-row text-fg-muted">And more tool calls: the trace shows all of them.</p>}
      {shown.slice(asked).map((item, at) => drawItem(item, asked + at))}
      {items.length > shown.length && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="self-start text-row text-accent hover:underline"
        >
          Show {items.length - shown.length} more messages
        </button>
      )}
    </div>
  )
}

function drawItem(item: TurnItem, at: number): ReactNode {
  if (item.kind === 'repeated') return <Repeated key={at} messages={item.messages} />
  if (item.kind === 'message') return <Message key={at} message={item.message} isAnswer={item.isAnswer} />
  return <ToolLine key={at} item={item} />
}

function Repeated({ messages }: { messages: Extract<TurnItem, { kind: 'repeated' }>['messages'] }) {
  const [open, setOpen] = useState(false)
  const label = messages.length === 1 ? '1 earlier message repeated' : `${messages.length} earlier messages repeated`
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
          {messages.map((message, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids and never move
            <Message key={at} message={message} isAnswer={false} />
          ))}
        </div>
      )}
    </div>
  )
}

/** What stands here until the words are read, and where they cannot be. */
function Preview({ label, text }: { label: string; text: string | null | undefined }) {
  if (!text) return null
  return (
    <div className="rounded-card border border-border bg-surface px-3 py-2">
      <p className="text-meta text-fg-muted">{label}</p>
      <p className="whitespace-pre-wrap break-words text-form">{text}</p>
    </div>
  )
}

function cargoOf(data: Cargo | { size: number } | undefined): Cargo | undefined {
  return data && 'inputs' in data ? data : undefined
}
