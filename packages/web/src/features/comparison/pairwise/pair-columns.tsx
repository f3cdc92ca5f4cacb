import { useQuery } from '@tanstack/react-query'
import { formatScore, pluralize } from '#lib/format.ts'
import type { Column } from '#ui/grid-columns.tsx'
import { Skeleton } from '#ui/states.tsx'
import { type ComparisonView, comparisonQuery } from '../queries.ts'
import { isFromPerson, type PairRow, type Preference } from './pairwise.ts'
import { labelSide, type Sides } from './win-bars.tsx'

export interface PairColumnsOptions {
  view: ComparisonView
  sides: Sides
  /** Feedback key of the preferences. */
  feedbackKey: string | undefined
}

/** A pair in a row: the input, both answers, who prefers which, and why. */
export function toPairColumns({ view, sides, feedbackKey }: PairColumnsOptions): readonly Column<PairRow>[] {
  const text = (part: TextPart) => (row: PairRow) => <PairText view={view} row={row} part={part} />
  return [
    { id: 'input', header: 'Input', width: 'minmax(160px, 2fr)', cell: text('input') },
    { id: 'a', header: labelSide(sides, 'a'), width: 'minmax(200px, 3fr)', cell: text('a') },
    { id: 'b', header: labelSide(sides, 'b'), width: 'minmax(200px, 3fr)', cell: text('b') },
    {
      id: 'prefers',
      header: 'Prefers',
      width: '176px',
      cell: (row) => <Preferences row={row} sides={sides} feedbackKey={feedbackKey} />,
    },
    {
      id: 'comment',
      header: 'Comment of the judge',
      width: 'minmax(160px, 2fr)',
      cell: (row) => <Clamped text={findComment(row, feedbackKey) ?? '-'} />,
    },
  ]
}

/** The same on phone widths. */
export function PairCard({ row, view, sides, feedbackKey }: PairColumnsOptions & { row: PairRow }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="h-5 overflow-hidden">
        <PairText view={view} row={row} part="input" />
      </span>
      <Preferences row={row} sides={sides} feedbackKey={feedbackKey} />
    </div>
  )
}

type TextPart = 'input' | 'a' | 'b'

function PairText({ view, row, part }: { view: ComparisonView; row: PairRow; part: TextPart }) {
  const { data, isPending, isError } = useQuery(comparisonQuery.texts(view, row.exampleId, `${row.runA} ${row.runB}`))
  if (isPending) return <Skeleton className="h-3 w-4/5" />
  if (isError) return <span className="text-err">Could not load</span>
  if (!data) return <span className="text-fg-subtle">Deleted example</span>
  if (part === 'input') return <Clamped text={data.input} />
  const run = data.runs.get(part === 'a' ? row.runA : row.runB)
  if (run?.error) return <Clamped text={run.error} isError />
  return <Clamped text={run?.output ?? ''} />
}

function Clamped({ text, isError = false }: { text: string; isError?: boolean }) {
  return (
    <span
      className={`line-clamp-4 whitespace-pre-wrap break-words ${isError ? 'text-err' : ''}`}
      title={text.length > 120 ? text.slice(0, 1000) : undefined}
    >
      {text || '-'}
    </span>
  )
}

interface PreferencesProps {
  row: PairRow
  sides: Sides
  feedbackKey: string | undefined
}

function Preferences({ row, sides, feedbackKey }: PreferencesProps) {
  const found = feedbackKey === undefined ? undefined : row.verdicts.get(feedbackKey)
  if (found === undefined) return <span className="text-fg-subtle">-</span>
  const { judges, people, voters } = found
  return (
    <span className="flex min-w-0 flex-col gap-0.5">
      {judges && (
        <span className="flex min-w-0 flex-col" title={`${formatScore(judges.a)} to ${formatScore(judges.b)}`}>
          <PreferenceChip
            by={people === undefined ? undefined : 'Judge'}
            preference={judges.preference}
            sides={sides}
          />
        </span>
      )}
      {people && <PreferenceChip by={pluralize(voters, 'person', 'people')} preference={people} sides={sides} />}
    </span>
  )
}

interface PreferenceChipProps {
  preference: Preference
  sides: Sides
  /** Who prefers it. */
  by?: string | undefined
}

/** The side that is preferred, by its name and color. */
function PreferenceChip({ preference, sides, by }: PreferenceChipProps) {
  const name = preference === 'tie' ? 'Tie' : labelSide(sides, preference)
  const color = preference === 'tie' ? 'var(--border-strong)' : `var(--${sides.colors[preference]})`
  return (
    <span className="inline-flex min-w-0 max-w-full items-center gap-1.5 text-row">
      {by !== undefined && <span className="shrink-0 text-meta text-fg-muted">{by}</span>}
      <span className="size-2 shrink-0 rounded-full" style={{ background: color }} aria-hidden />
      <span className="truncate" title={name}>
        {name}
      </span>
    </span>
  )
}

/** What a judge wrote on the pair; the comments on both sides are usually the same. */
export function findComment({ records }: PairRow, feedbackKey: string | undefined): string | undefined {
  const comments = records.flatMap((record) =>
    record.key === feedbackKey && !isFromPerson(record) && record.comment ? record.comment : [],
  )
  return [...new Set(comments)].join('\n') || undefined
}
