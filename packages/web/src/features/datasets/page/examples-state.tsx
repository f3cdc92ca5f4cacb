import type { Dataset } from '@touchstone/sdk'
import { Database, History, SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatAbsoluteTime, formatCount, zoneLabel } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { Snippet } from '#ui/snippet.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import type { Examples } from '../examples/use-examples.ts'
import type { ExamplesSearch } from '../search.ts'

interface ExamplesStateProps {
  dataset: Dataset | undefined
  search: ExamplesSearch
  examples: Examples
  onChange: (part: Partial<ExamplesSearch>) => void
}

/** What is shown above or instead of the table: loading, a failure, no examples yet, no match. */
export function ExamplesState({ dataset, search, examples, onChange }: ExamplesStateProps) {
  const { count, error, retry } = examples
  if (error !== undefined) {
    return (
      <ErrorState compact={count !== undefined} title="Could not load the examples" error={error} onRetry={retry} />
    )
  }
  if (count === undefined) return <SkeletonRows rows={16} label="Loading examples" />
  if (count > 0) return null
  const { q, filter, split } = search
  if (q !== undefined || filter !== undefined || split !== undefined) {
    return (
      <EmptyState
        icon={SearchX}
        title="No matching examples"
        actions={
          <>
            {q !== undefined && <Button onClick={() => onChange({ q: undefined })}>Clear search</Button>}
            {filter !== undefined && <Button onClick={() => onChange({ filter: undefined })}>Remove filter</Button>}
            {split !== undefined && <Button onClick={() => onChange({ split: undefined })}>All splits</Button>}
          </>
        }
      >
        {split === undefined ? 'No example' : `No example of the split ${split}`}
        {q === undefined ? '' : ` contains “${q}” in its inputs or outputs`}
        {filter === undefined ? '' : `${q === undefined ? '' : ' and'} satisfies ${filter}`}.
      </EmptyState>
    )
  }
  if (search.as_of !== undefined) return <EmptyState icon={Database} title="This version has no examples" />
  return (
    <EmptyState icon={Database} title="No examples yet">
      <p className="mb-3">
        Add an example here, import a file, or add runs from a project. Or create examples from a program:
      </p>
      {dataset && <Snippet label="Python" text={toSnippet(dataset.name)} />}
    </EmptyState>
  )
}

function toSnippet(dataset: string): string {
  return `from langsmith import Client

client = Client()
client.create_examples(
    dataset_name=${JSON.stringify(dataset)},
    examples=[{"inputs": {"question": "…"}, "outputs": {"answer": "…"}}],
)`
}

interface VersionBannerProps {
  asOf: string
  onLatest: () => void
  /** More actions. */
  children?: ReactNode
}

/** A note that an old version is shown, which cannot be edited. */
export function VersionBanner({ asOf, onLatest, children }: VersionBannerProps) {
  const isTime = !Number.isNaN(Date.parse(asOf)) && /^\d{4}-/.test(asOf)
  return (
    <div
      role="note"
      className="flex min-h-9 shrink-0 flex-wrap items-center gap-2 border-b border-border bg-selected px-3 py-1 text-row"
    >
      <History size={13} aria-hidden />
      <span className="min-w-0 break-words">
        Version {isTime ? `of ${formatAbsoluteTime(asOf)}` : <strong className="font-semibold">{asOf}</strong>}:
        read-only.
      </span>
      <Button onClick={onLatest}>Show the latest version</Button>
      {children}
    </div>
  )
}

/** The status bar of the list: how many examples it has, and how many are selected. */
export function ExamplesStatus(props: { examples: Examples; selected: number; search: ExamplesSearch }) {
  const { count } = props.examples
  if (count === undefined) return null
  const { q, filter, split } = props.search
  const isNarrowed = q !== undefined || filter !== undefined || split !== undefined
  return (
    <>
      <span role="status">
        {formatCount(count)} {isNarrowed ? 'matching ' : ''}
        {count === 1 ? 'example' : 'examples'}
        {props.selected > 0 && `, ${formatCount(props.selected)} selected`}
      </span>
      <span className="ml-auto hidden sm:inline">{zoneLabel('local')}</span>
    </>
  )
}
