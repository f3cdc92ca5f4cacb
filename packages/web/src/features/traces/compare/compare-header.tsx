import { ArrowLeftRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { floatAt } from '#lib/columns.ts'
import { formatAbsoluteTime, formatCount, pluralize } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { RunTypeIcon, StatusMark } from '#ui/run-icons.tsx'
import { Tooltip } from '#ui/tooltip.tsx'
import { timeAt } from '../model/times.ts'
import { nameAt, statusAt, type Trace } from '../model/trace.ts'
import { drawnTypeAt } from '../model/visible-rows.ts'
import { DeltaText } from './compare-tree.tsx'
import {
  compareCost,
  compareLatency,
  compareTokens,
  type Delta,
  type FeedbackDelta,
  type MetadataChange,
} from './deltas.ts'
import { type ComparedTraces, countKinds } from './merged.ts'

export interface CompareHeaderProps {
  compared: ComparedTraces
  /** Links the name of a run to its trace. */
  linkTo: (side: 'a' | 'b', name: ReactNode) => ReactNode
  feedback: readonly FeedbackDelta[]
  metadata: readonly MetadataChange[]
  onSwap: () => void
}

/** Further scores are in a tooltip, because the tree below needs the space. */
const MAX_FEEDBACK = 12

/** Names of both runs, the differences of their totals and of their metadata. */
export function CompareHeader({ compared, linkTo, feedback, metadata, onSwap }: CompareHeaderProps) {
  const { a, rootA, b, rootB } = compared
  const sides = [a, rootA, b, rootB] as const
  const counts = countKinds(compared.merged)
  const kinds = (['changed', 'added', 'removed', 'moved', 'same'] as const).filter((kind) => counts[kind] > 0)
  return (
    <header className="flex shrink-0 flex-col gap-1 border-b border-border px-3 py-2 text-row">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="sr-only">Two runs compared</h1>
        <Side letter="A" trace={a} row={rootA} link={(name) => linkTo('a', name)} />
        <Tooltip label="Swap A and B" keys="shift+s">
          <Button look="quiet" aria-label="Swap A and B" onClick={onSwap}>
            <ArrowLeftRight size={13} aria-hidden />
          </Button>
        </Tooltip>
        <Side letter="B" trace={b} row={rootB} link={(name) => linkTo('b', name)} />
        <dl className="flex flex-wrap gap-x-4 gap-y-0.5 tabular-nums">
          <Total label="Latency" delta={compareLatency(...sides)} />
          <Total label="Tokens" delta={compareTokens(...sides)} />
          <Total label="Cost" delta={compareCost(...sides)} />
          {feedback.slice(0, MAX_FEEDBACK).map(({ key, delta }) => (
            <Total key={key} label={key} delta={delta} />
          ))}
          {feedback.length > MAX_FEEDBACK && (
            <div
              className="text-meta text-fg-muted"
              title={feedback.slice(MAX_FEEDBACK).map(formatFeedback).join('\n')}
            >
              and {pluralize(feedback.length - MAX_FEEDBACK, 'more score')}
            </div>
          )}
        </dl>
        <p role="status" className="ml-auto text-fg-muted">
          {kinds.map((kind) => `${formatCount(counts[kind])} ${kind}`).join(' · ')}
        </p>
      </div>
      {metadata.length > 0 && <Metadata changes={metadata} />}
    </header>
  )
}

interface SideProps {
  letter: string
  trace: Trace
  row: number
  link: (name: ReactNode) => ReactNode
}

function Side({ letter, trace, row, link }: SideProps) {
  const start = timeAt(trace.startMicros, floatAt(trace.start, row))
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="rounded-control bg-sunken px-1.5 font-mono text-meta">{letter}</span>
      <RunTypeIcon type={drawnTypeAt(trace, row)} />
      <span dir="auto" className="max-w-60 truncate font-medium">
        {link(nameAt(trace, row))}
      </span>
      <StatusMark status={statusAt(trace, row)} start_time={start} showSuccess />
      <span className="whitespace-nowrap text-meta text-fg-muted" title={start}>
        {formatAbsoluteTime(start)}
      </span>
    </span>
  )
}

function Total({ label, delta }: { label: string; delta: Delta }) {
  return (
    <div className="flex items-center gap-1.5 whitespace-nowrap">
      <dt className="text-fg-subtle">{label}</dt>
      <dd>
        {delta.a} → {delta.b} {delta.change !== '' && <DeltaText delta={delta} />}
      </dd>
    </div>
  )
}

function formatFeedback({ key, delta: { a, b } }: FeedbackDelta): string {
  return `${key} ${a} → ${b}`
}

function Metadata({ changes }: { changes: readonly MetadataChange[] }) {
  return (
    <Disclosure
      summary={
        <>
          {changes.length === 1 ? '1 metadata key differs' : `${formatCount(changes.length)} metadata keys differ`}:{' '}
          {changes.map(({ key }) => key).join(', ')}
        </>
      }
    >
      <div className="mt-1 max-h-40 overflow-y-auto">
        <table className="w-full table-fixed text-row">
          <thead className="text-left text-meta text-fg-subtle">
            <tr>
              <th scope="col" className="w-1/4 font-normal">
                Key
              </th>
              <th scope="col" className="font-normal">
                A
              </th>
              <th scope="col" className="font-normal">
                B
              </th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ key, a, b }) => (
              <tr key={key} className="border-t border-border align-top">
                <th scope="row" className="truncate py-0.5 text-left font-mono font-normal">
                  {key}
                </th>
                <td className="break-words py-0.5 pr-2 font-mono">{a ?? <Missing />}</td>
                <td className="break-words py-0.5 font-mono">{b ?? <Missing />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Disclosure>
  )
}

function Missing() {
  return <span className="font-sans text-fg-subtle">missing</span>
}
