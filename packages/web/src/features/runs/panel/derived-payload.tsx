import { useQuery } from '@tanstack/react-query'
import { CornerDownRight } from 'lucide-react'
import { useMemo } from 'react'
import { JsonView } from '#features/payloads/json/json-view.tsx'
import { type RunDocument, traceQuery } from '#features/traces/queries.ts'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { selectRoots } from './run-document.ts'

const LABELS = {
  inputs: { payload: 'input', call: 'first model call' },
  outputs: { payload: 'output', call: 'last model call' },
}

type Side = keyof typeof LABELS

/** What stands for the inputs and outputs that a root did not record: those of model calls below it, marked as such. */
export function DerivedPayloads({ document, share }: { document: RunDocument; share: string | undefined }) {
  const derived = document.run.derived_payloads
  return (['inputs', 'outputs'] as const).map((side) => {
    const id = derived?.[side]
    return id && <DerivedPayload key={side} side={side} runId={id} share={share} />
  })
}

function DerivedPayload({ side, runId, share }: { side: Side; runId: string; share: string | undefined }) {
  const { payload, call } = LABELS[side]
  const query = useQuery(traceQuery.run(runId, share))
  return (
    <section aria-label={`Derived ${payload}`} className="border-b border-border">
      <p className="flex items-center gap-1 px-3 py-1.5 text-meta text-fg-muted">
        <CornerDownRight size={12} aria-hidden />
        This run recorded no {payload}. From its {call}
        {query.data && <span className="truncate font-medium">{query.data.run.name}</span>}
      </p>
      {query.error ? (
        <ErrorState
          compact
          title={`Could not load the ${call}`}
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : query.data ? (
        <Payload document={query.data} side={side} />
      ) : (
        <SkeletonRows rows={3} label={`Loading ${payload}`} />
      )}
    </section>
  )
}

function Payload({ document, side }: { document: RunDocument; side: Side }) {
  const roots = useMemo(() => selectRoots(document.json, [side]), [document.json, side])
  return (
    <div className="h-64">
      <JsonView host={document.json} label={`derived ${side}`} roots={roots} />
    </div>
  )
}
