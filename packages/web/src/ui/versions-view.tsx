import { ArrowRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { formatAbsoluteTime, formatRelativeTime } from '#lib/format.ts'
import { Button } from './button.tsx'
import { Select } from './select.tsx'
import { EmptyState } from './states.tsx'

interface VersionFacts {
  readonly version: number
  /** Absent where versions have no notes. */
  readonly note?: string
  readonly created_at: string
  readonly created_by: string | null
}

interface VersionsViewProps<Version extends VersionFacts> {
  /** Newest first. */
  versions: readonly Version[]
  /** Of what has the versions, for example `rule`. */
  noun: string
  /** The differences of two versions. */
  children: (a: Version, b: Version) => ReactNode
}

/** The versions of something, newest first, and the differences of any two. */
export function VersionsView<Version extends VersionFacts>({ versions, noun, children }: VersionsViewProps<Version>) {
  const [newest, parent] = versions
  // Until two are chosen, the newest ones, also when a version is added meanwhile.
  const [chosen, setChosen] = useState<{ from: number; to: number }>()
  const { from, to } = chosen ?? { from: parent?.version ?? 0, to: newest?.version ?? 0 }
  const find = (number: number) => versions.find(({ version }) => version === number)
  const [a, b] = [find(from), find(to)]
  const options = versions.map(({ version, note }) => ({
    value: String(version),
    label: `Version ${version}${note ? ` · ${note.slice(0, 40)}` : ''}`,
  }))
  return (
    <div className="flex min-h-full max-lg:flex-col">
      <ol aria-label="Versions" className="min-w-0 border-border max-lg:border-b lg:w-[38%] lg:border-r">
        {versions.map(({ version, note, created_at, created_by }, at) => (
          <li key={version} className="flex items-start gap-2 border-b border-border px-3 py-1.5 text-row">
            <div className="flex min-w-0 flex-1 flex-col">
              <span className="font-medium">Version {version}</span>
              {note !== undefined && (
                <span dir="auto" className="[overflow-wrap:anywhere]">
                  {note || <span className="text-fg-subtle">No note</span>}
                </span>
              )}
              <span className="text-meta text-fg-muted" title={formatAbsoluteTime(created_at)}>
                {formatRelativeTime(created_at).replace(/\.\d{3}$/, '')}
                {created_by && ` by ${created_by.slice(0, 60)}`}
              </span>
            </div>
            {at < versions.length - 1 && (
              <Button
                aria-label={`Compare version ${version} with the one before`}
                onClick={() => setChosen({ from: versions[at + 1]?.version ?? from, to: version })}
              >
                Compare
              </Button>
            )}
          </li>
        ))}
      </ol>
      <section aria-label="Differences" className="flex min-w-0 flex-1 flex-col gap-3 p-3">
        {a === undefined || b === undefined ? (
          <EmptyState title="Nothing to compare">This is the only version of the {noun}.</EmptyState>
        ) : (
          <>
            <div className="flex flex-wrap items-center gap-2">
              <Select
                aria-label="From version"
                size="toolbar"
                value={String(from)}
                onChange={(value) => setChosen({ from: Number(value), to })}
                options={options}
              />
              <ArrowRight size={14} className="text-fg-subtle" aria-hidden />
              <Select
                aria-label="To version"
                size="toolbar"
                value={String(to)}
                onChange={(value) => setChosen({ from, to: Number(value) })}
                options={options}
              />
            </div>
            {children(a, b)}
          </>
        )}
      </section>
    </div>
  )
}

/** What stands in place of differences when there are none. */
export function SameVersions({ isSame }: { isSame: boolean }) {
  return (
    <p role="status" className="text-row text-fg-muted">
      {isSame ? 'This is the same version.' : 'The two versions have the same definition.'}
    </p>
  )
}
