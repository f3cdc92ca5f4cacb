import type { Run } from '@touchstone/contract'
import { findRemainder, readConversation } from '@touchstone/formats/messages'
import { ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { RunDocument } from '#features/traces/queries.ts'
import { cx } from '#lib/browser.ts'
import { formatBytes, formatCount, formatLatency, pluralize } from '#lib/format.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { Button } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { EmptyState } from '#ui/states.tsx'
import { TerminalText } from '#ui/terminal-text.tsx'
import { RunConversation } from './chat-tab.tsx'
import { type FrameGroup, foldStack } from './fold-stack.ts'
import { PayloadRest } from './payload-rest.tsx'

export interface ErrorTabProps {
  document: RunDocument
  /** Token of the public link, on public pages. */
  share: string | undefined
  /** Shows the inputs and outputs in their own tab. */
  onInOut: () => void
}

/** The error of a run with its stack trace, what the run was given, and its events. */
export function ErrorTab(props: ErrorTabProps) {
  const { run } = props.document
  const events = run.events ?? []
  if (!run.error && events.length === 0)
    return <EmptyState title="No errors or events">The run reported neither an error nor events.</EmptyState>
  return (
    <div className="flex flex-col">
      {run.error && (
        <>
          <div className="p-3 pb-0">
            <ErrorCard error={run.error} />
          </div>
          <FailedPayload {...props} />
        </>
      )}
      {events.length > 0 && (
        <div className="p-3">
          <Events run={run} events={events} />
        </div>
      )}
    </div>
  )
}

/** Inputs of a failed run and what it returned before, as messages or as JSON. */
function FailedPayload({ document, share, onInOut }: ErrorTabProps) {
  const { payload, json } = document
  const conversation = useMemo(() => payload && readConversation(payload.inputs, payload.outputs), [payload])
  if (!payload) {
    return (
      <p className="flex flex-wrap items-center gap-2 p-3 text-row text-fg-muted">
        Its payload is large ({formatBytes(json.bytes)}). <Button onClick={onInOut}>Show inputs and outputs</Button>
      </p>
    )
  }
  if (conversation) return <RunConversation document={document} share={share} conversation={conversation} />
  return (
    <div className="flex flex-col gap-2 p-3">
      <PayloadRest document={document} side="inputs" rest={findRemainder(payload.inputs, undefined)} isOpen />
      <PayloadRest document={document} side="outputs" rest={findRemainder(payload.outputs, undefined)} isOpen />
    </div>
  )
}

function ErrorCard({ error }: { error: string }) {
  const { message, groups } = foldStack(error)
  return (
    <section aria-label="Error" className="rounded-card border border-border bg-surface">
      <header className="flex items-center gap-2 rounded-card bg-del-bg px-3 py-1.5">
        <p className="min-w-0 flex-1 whitespace-pre-wrap break-words font-mono text-row font-medium text-fg">
          <TerminalText text={message} />
        </p>
        <CopyButton iconOnly text={error} label="Copy error" />
      </header>
      {groups.length > 0 && (
        <div className="overflow-x-auto py-1 font-mono text-row">
          {groups.map((group, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: frames have no ids and never move
            <Frames key={index} group={group} />
          ))}
        </div>
      )}
    </section>
  )
}

function Frames({ group }: { group: FrameGroup }) {
  const [open, setOpen] = useState(!group.isLibrary)
  const text = group.lines.join('\n')
  if (!group.isLibrary)
    return (
      <pre className="whitespace-pre-wrap break-words px-3">
        <TerminalText text={text} />
      </pre>
    )
  return (
    <div className="text-fg-muted">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex items-center gap-1 px-2 text-meta hover:text-fg"
      >
        <ChevronRight size={12} aria-hidden className={cx(open && 'rotate-90')} />
        {pluralize(group.lines.length, 'line')} in libraries
      </button>
      {open && (
        <pre className="whitespace-pre-wrap break-words px-3">
          <TerminalText text={text} />
        </pre>
      )}
    </div>
  )
}

const BIN_COUNT = 80
const MAX_EVENTS = 500

function Events({ run, events }: { run: Run; events: readonly Record<string, unknown>[] }) {
  const tokens = events.filter((event) => event.name === 'new_token')
  const others = events.filter((event) => event.name !== 'new_token')
  return (
    <section aria-label="Events" className="flex flex-col gap-2">
      <h3 className="text-row text-fg-muted">{pluralize(events.length, 'event')}</h3>
      {tokens.length > 0 && <TokenStrip run={run} tokens={tokens} />}
      <ol className="flex flex-col">
        {others.slice(0, MAX_EVENTS).map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no ids and never move
          <li key={index} className="flex gap-3 border-b border-border py-1 text-row">
            <span className="w-16 shrink-0 text-right tabular-nums text-fg-muted">
              {formatLatency(computeOffsetMs(run, event))}
            </span>
            <span className="shrink-0 font-medium">{String(event.name)}</span>
            <span className="min-w-0 break-words text-fg-muted">{String(event.message ?? '')}</span>
          </li>
        ))}
      </ol>
      {others.length > MAX_EVENTS && (
        <p className="text-row text-fg-muted">{formatCount(others.length - MAX_EVENTS)} more events in the Raw tab</p>
      )}
    </section>
  )
}

/** Number of tokens over the duration of the run, as a strip. */
function TokenStrip({ run, tokens }: { run: Run; tokens: readonly Record<string, unknown>[] }) {
  const offsets = tokens.map((event) => computeOffsetMs(run, event) ?? 0)
  const length = Math.max(msBetween(run.start_time, run.end_time) ?? 0, ...offsets.slice(-1), 1)
  const bins = new Array<number>(BIN_COUNT).fill(0)
  for (const offset of offsets) {
    const bin = Math.min(Math.max(Math.floor((offset / length) * BIN_COUNT), 0), BIN_COUNT - 1)
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  const most = Math.max(...bins)
  return (
    <figure>
      <div
        role="img"
        aria-label={`${tokens.length} tokens, the first after ${formatLatency(offsets[0])}, the last after ${formatLatency(offsets.at(-1))}`}
        className="flex h-8 items-end gap-px border-b border-border"
      >
        {bins.map((count, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
            key={index}
            className="flex-1"
            style={{ height: `${(count / most) * 100}%`, background: 'var(--type-llm-solid)' }}
          />
        ))}
      </div>
      <figcaption className="flex justify-between text-meta tabular-nums text-fg-muted">
        <span>{formatCount(tokens.length)} tokens</span>
        <span>
          {formatLatency(offsets[0])} to {formatLatency(offsets.at(-1))}
        </span>
      </figcaption>
    </figure>
  )
}

function computeOffsetMs(run: Run, event: Record<string, unknown>): number | undefined {
  const time = typeof event.time === 'string' ? event.time : undefined
  if (time === undefined) return undefined
  const at = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(time) ? time : `${time}Z`)
  return Number.isNaN(at) ? undefined : at - Date.parse(run.start_time)
}
