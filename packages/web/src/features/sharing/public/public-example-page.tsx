import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Example, ExampleWithRuns } from '@touchstone/sdk'
import { Paperclip, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { Value } from '#features/comparison/focus-layout.tsx'
import { SplitTags } from '#features/datasets/examples/examples-columns.tsx'
import { readContent, readSplits } from '#features/datasets/examples/logic/columns.ts'
import { publicDatasetQuery } from '#features/datasets/sharing/public-datasets.ts'
import { formatLatency, formatScore } from '#lib/format.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { PublicDatasetFrame } from './public-dataset-frame.tsx'

interface PublicExampleProps {
  token: string
  exampleId: string
}

/** An example of a shared dataset, with what the shared experiments answered. */
export function PublicExamplePage({ token, exampleId }: PublicExampleProps) {
  return (
    <PublicDatasetFrame token={token} tab="examples">
      {() => <PublicExample token={token} exampleId={exampleId} />}
    </PublicDatasetFrame>
  )
}

function PublicExample({ token, exampleId }: PublicExampleProps) {
  const experiments = useQuery(publicDatasetQuery.experiments(token))
  const names = new Map(experiments.data?.map(({ id, name }) => [id, name]))
  const query = useQuery({
    ...publicDatasetQuery.example(token, exampleId, [...names.keys()]),
    enabled: !experiments.isPending,
  })
  if (query.isError && !query.data) {
    return <ErrorState title="Could not load the example" error={query.error} onRetry={() => void query.refetch()} />
  }
  if (query.isPending) return <SkeletonRows rows={8} label="Loading the example" />
  const all = (
    <Link to="/public/$token/d" params={{ token }} className="text-accent underline">
      All examples
    </Link>
  )
  if (query.data === null) {
    return (
      <EmptyState icon={SearchX} title="This example isn't available" actions={all}>
        It may have been deleted from the dataset.
      </EmptyState>
    )
  }
  const { example, runs } = query.data
  return (
    <section
      aria-label="Example"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto p-3 outline-offset-[-2px] sm:p-6"
    >
      <div className="mx-auto flex max-w-5xl flex-col gap-3">
        <p className="flex items-center gap-3 text-row text-fg-muted">
          {all}
          <SplitTags splits={readSplits(example)} />
        </p>
        <ExampleContent example={example} />
        {runs.length > 0 && <h2 className="mt-3 text-heading font-semibold">Answers of experiments</h2>}
        {runs.map((run) => (
          <RunCard key={run.id} run={run} name={names.get(run.session_id ?? '') ?? run.name} />
        ))}
      </div>
    </section>
  )
}

function ExampleContent({ example }: { example: Example }) {
  const metadata = readContent(example, { section: 'metadata', key: undefined })
  const hasMetadata = typeof metadata === 'object' && metadata !== null && Object.keys(metadata).length > 0
  const files = Object.entries(example.attachments ?? {})
  return (
    <>
      <div className="grid gap-3 md:grid-cols-2">
        <Card title="Input">
          <Value value={example.inputs} />
        </Card>
        <Card title="Reference">
          <Value value={example.outputs} />
        </Card>
      </div>
      {hasMetadata && (
        <Card title="Metadata">
          <Value value={metadata} />
        </Card>
      )}
      {files.length > 0 && (
        <Card title="Attachments">
          <ul className="flex flex-col gap-1">
            {files.map(([name, { presigned_url, mime_type }]) => (
              <li key={name} className="flex min-w-0 items-center gap-1.5 text-row">
                <Paperclip size={13} aria-hidden className="shrink-0 text-fg-subtle" />
                <a
                  href={presigned_url}
                  target="_blank"
                  rel="noopener noreferrer"
                  className="min-w-0 truncate text-accent underline"
                >
                  {name}
                </a>
                <span className="text-fg-muted">{mime_type}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

function RunCard({ run, name }: { run: ExampleWithRuns['runs'][number]; name: string }) {
  const latencyMs = msBetween(run.start_time, run.end_time)
  return (
    <Card title={name}>
      <p className="flex flex-wrap gap-x-3 gap-y-1 text-row text-fg-muted">
        {run.feedbacks.map(({ id, key, score, value, comment }) => (
          <span key={id} title={comment ?? undefined}>
            {key}{' '}
            <span className="tabular-nums text-fg">
              {typeof score === 'number' ? formatScore(score) : String(score ?? value ?? '')}
            </span>
          </span>
        ))}
        <span className="ml-auto">{formatLatency(latencyMs)}</span>
      </p>
      {run.error && <p className="whitespace-pre-wrap text-row text-err [overflow-wrap:anywhere]">{run.error}</p>}
      {!(run.error && run.outputs == null) && <Value value={run.outputs} />}
    </Card>
  )
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <article className="flex min-w-0 flex-col gap-2 rounded-card border border-border bg-surface p-3">
      <h3 dir="auto" className="truncate text-row font-medium">
        {title}
      </h3>
      {children}
    </article>
  )
}
