import { useQuery } from '@tanstack/react-query'
import { type Ref, useImperativeHandle, useState } from 'react'
import { ChatTab } from '#features/runs/panel/chat-tab.tsx'
import { InOut } from '#features/runs/panel/in-out.tsx'
import { traceQuery } from '#features/traces/queries.ts'
import { Segmented } from '#ui/segmented.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import type { QueueItemRow } from '../queries.ts'
import { isSwapped } from './logic/pairs.ts'
import { Reference } from './reference.tsx'

type Mode = 'messages' | 'json'

interface PairItemProps {
  row: QueueItemRow
  partner: QueueItemRow
  ref?: Ref<PairItemHandle>
}

export interface PairItemHandle {
  /** Switches between messages and JSON. */
  toggleRaw: () => void
}

/** Two runs of the same example side by side, without the names of their experiments, above what they should have answered. */
export function PairItem({ row, partner, ref }: PairItemProps) {
  const [mode, setMode] = useState<Mode>('messages')
  useImperativeHandle(ref, () => ({ toggleRaw: () => setMode(mode === 'json' ? 'messages' : 'json') }))
  const sides = isSwapped(row.item.id) ? [partner, row] : [row, partner]
  return (
    <>
      <div className="flex min-h-9 shrink-0 items-center gap-2 border-b border-border bg-surface px-3 py-1 text-row">
        <Segmented
          label="Shown as"
          value={mode}
          onChange={setMode}
          options={[
            { value: 'messages', label: 'Messages' },
            { value: 'json', label: 'JSON' },
          ]}
        />
        <span className="text-fg-muted">Which output is better? The names of the experiments are hidden.</span>
      </div>
      <div className="grid min-h-0 flex-1 grid-cols-1 sm:grid-cols-2">
        {sides.map(({ item }, index) => (
          <section
            key={item.id}
            aria-label={SIDES[index]}
            className="flex min-h-64 min-w-0 flex-col border-border max-sm:border-b sm:border-r md:min-h-0 md:overflow-y-auto"
          >
            <h2 className="border-b border-border bg-sunken px-3 py-1 text-row font-semibold">{SIDES[index]}</h2>
            <Output runId={item.run_id ?? ''} mode={mode} onRaw={() => setMode('json')} />
          </section>
        ))}
      </div>
      {row.run?.reference_example_id && (
        <div className="max-h-[30vh] shrink-0 overflow-y-auto">
          <Reference exampleId={row.run.reference_example_id} />
        </div>
      )}
    </>
  )
}

const SIDES = ['First', 'Second']

function Output({ runId, mode, onRaw }: { runId: string; mode: Mode; onRaw: () => void }) {
  const read = useQuery(traceQuery.run(runId))
  if (read.isPending) return <SkeletonRows rows={6} label="Loading the run" />
  if (!read.data) {
    return <ErrorState title="Could not load the run" error={read.error} onRetry={() => void read.refetch()} />
  }
  if (mode === 'messages') return <ChatTab document={read.data} share={undefined} onRaw={onRaw} />
  return (
    <div className="flex h-[60vh] min-h-64 flex-col overflow-auto">
      <InOut document={read.data} path={undefined} onPath={() => undefined} />
    </div>
  )
}
