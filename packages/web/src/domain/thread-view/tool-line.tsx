import type { Run } from '@touchstone/sdk'
import { ChevronRight, Wrench } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Call, Message } from '#domain/chat-view/chat-view.tsx'
import { cx } from '#lib/browser/cx.ts'
import { formatLatency } from '#lib/format/format.ts'
import { msBetween } from '#lib/time/timestamps.ts'
import type { TurnItem } from './read-turn.ts'

/** Longer arguments are cut in the line; unfolding shows all of them. */
const IN_LINE = 200

/** A tool call of a message, or a result whose call is not there, in one line that unfolds. */
export function ToolLine({ item }: { item: Extract<TurnItem, { kind: 'call' | 'result' }> }) {
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
    <Line name={call.name} note={args.slice(0, IN_LINE)} failed={call.result?.isError ?? false}>
      <Call call={call} />
    </Line>
  )
}

/** A tool that ran below the turn, of which its messages say nothing. */
export function ToolRunLine({ run }: { run: Run }) {
  const latency = msBetween(run.start_time, run.end_time)
  const texts = [
    { label: 'input', text: run.inputs_preview },
    { label: 'output', text: run.outputs_preview },
    { label: 'error', text: run.error_preview },
  ].filter(({ text }) => text)
  return (
    <Line
      name={run.name}
      note={(run.inputs_preview ?? '').slice(0, IN_LINE)}
      time={latency === undefined ? 'running' : formatLatency(latency)}
      failed={run.status === 'error'}
    >
      {texts.map(({ label, text }) => (
        <div key={label} className="mb-1">
          <p className="text-meta text-fg-muted">{label}</p>
          <p className="whitespace-pre-wrap break-words font-mono text-row">{text}</p>
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
