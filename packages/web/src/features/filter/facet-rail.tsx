import type { FeedbackStat, RunFacets } from '@touchstone/sdk'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type MouseEvent, type ReactNode, useState } from 'react'
import { formatCount, formatRate, formatScore } from '#lib/format.ts'
import { SkeletonRows } from '#ui/states.tsx'

type Facet = RunFacets['facets'][number]

export interface FacetRailProps {
  facets: RunFacets | undefined
  feedback: Record<string, FeedbackStat> | undefined
  /** Metadata keys whose values are listed. */
  openKeys: readonly string[]
  onOpenKeys: (keys: readonly string[]) => void
  /** Filter of a value, in the filter language; Alt-click excludes it. */
  onPick: (filter: string, isExcluded: boolean) => void
  /** Shown instead of the facets when they could not be loaded. */
  failure?: ReactNode
}

/** Values of the listed runs with counts and error rates. A click adds a filter, Alt-click excludes the value. */
export function FacetRail({ facets, feedback, openKeys, onOpenKeys, onPick, failure }: FacetRailProps) {
  if (failure) return <Rail>{failure}</Rail>
  if (facets === undefined) {
    return (
      <Rail>
        <SkeletonRows rows={12} label="Loading facets" />
      </Rail>
    )
  }
  const plain = facets.facets.filter(({ key }) => LABELS[key] !== undefined && key !== 'metadata_key')
  const keys = facets.facets.find(({ key }) => key === 'metadata_key')
  const findValues = (key: string) => facets.facets.find((facet) => facet.key === `metadata.${key}`)
  const pick = (query: string) => (event: MouseEvent) => onPick(query, event.altKey)
  function toggle(key: string) {
    onOpenKeys(openKeys.includes(key) ? openKeys.filter((one) => one !== key) : [...openKeys, key])
  }
  return (
    <Rail>
      {plain
        .filter(({ values }) => values.length > 0)
        .map((facet) => (
          <Section key={facet.key} title={LABELS[facet.key] ?? facet.key}>
            <Values facet={facet} pick={pick} />
          </Section>
        ))}
      {keys !== undefined && keys.values.length > 0 && (
        <Section title="Metadata">
          {keys.values.map(({ value: key, n }) => {
            const values = findValues(key)
            const isOpen = openKeys.includes(key)
            const Chevron = isOpen ? ChevronDown : ChevronRight
            return (
              <li key={key}>
                <button type="button" aria-expanded={isOpen} onClick={() => toggle(key)} className={ROW}>
                  <Chevron size={12} aria-hidden className="shrink-0 text-fg-subtle" />
                  <span className="min-w-0 flex-1 truncate text-left">{key}</span>
                  <span className="num text-fg-muted">{formatCount(n)}</span>
                </button>
                {isOpen && (
                  <ul aria-label={`Values of ${key}`} className="pl-4">
                    {values === undefined ? <li className={NOTE}>Loading…</li> : <Values facet={values} pick={pick} />}
                  </ul>
                )}
              </li>
            )
          })}
          <HiddenCount facet={keys} />
        </Section>
      )}
      {feedback !== undefined && Object.keys(feedback).length > 0 && (
        <Section title="Feedback">
          {Object.entries(feedback).map(([key, { n, avg }]) => (
            <li key={key}>
              <button type="button" onClick={pick(`eq(feedback_key, ${JSON.stringify(key)})`)} className={ROW}>
                <span className="min-w-0 flex-1 truncate text-left">{key}</span>
                {avg !== null && <span className="num text-fg-subtle">{`avg ${formatScore(avg)}`}</span>}
                <span className="num text-fg-muted">{formatCount(n)}</span>
              </button>
            </li>
          ))}
        </Section>
      )}
      <p className={NOTE}>Click to add a filter, Alt-click to exclude. Red shows the error rate.</p>
    </Rail>
  )
}

function Rail({ children }: { children: ReactNode }) {
  return (
    <aside
      aria-label="Facets"
      data-pane="facets"
      className="w-46 shrink-0 xl:w-60 overflow-y-auto border-r border-border bg-surface py-1 max-lg:absolute max-lg:inset-y-0 max-lg:left-0 max-lg:z-20 max-lg:shadow-layer"
    >
      {children}
    </aside>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(true)
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <section aria-label={title} className="mb-1">
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="flex h-6 w-full items-center gap-1 px-2 text-meta font-medium text-fg-muted hover:bg-hover"
        >
          <Chevron size={12} aria-hidden />
          {title}
        </button>
      </h2>
      {isOpen && <ul>{children}</ul>}
    </section>
  )
}

function Values({ facet, pick }: { facet: Facet; pick: (query: string) => (event: MouseEvent) => void }) {
  return (
    <>
      {facet.values.map(({ value, query, n, errors }) => (
        <li key={value}>
          <button type="button" onClick={pick(query)} title={value} className={ROW}>
            <span className="min-w-0 flex-1 truncate text-left">{value === '' ? '(empty)' : value}</span>
            {errors > 0 && n > 0 && (
              <span title={`${formatCount(errors)} failed`} className="num text-err">
                {formatRate(errors / n)}
              </span>
            )}
            <span className="num text-fg-muted">{formatCount(n)}</span>
          </button>
        </li>
      ))}
      <HiddenCount facet={facet} />
    </>
  )
}

/** Number of values that are not listed. */
function HiddenCount({ facet }: { facet: Facet }) {
  const hidden = facet.total - facet.values.length
  return hidden > 0 ? <li className={NOTE}>{formatCount(hidden)} more. Type in the filter bar to find them.</li> : null
}

const LABELS: Readonly<Record<string, string>> = {
  run_type: 'Type',
  status: 'Status',
  name: 'Name',
  model: 'Model',
  tag: 'Tag',
  metadata_key: 'Metadata',
}

const ROW = 'flex h-6 w-full items-center gap-2 px-3 text-row hover:bg-hover coarse:h-10'
const NOTE = 'px-3 py-1 text-meta text-fg-subtle'
