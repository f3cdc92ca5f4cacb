import { useQuery } from '@tanstack/react-query'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { DiffView } from '#ui/diff-view.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { type DiffSection, listDiffSections } from '../diff.ts'
import { type PromptKey, shortHash } from '../prompt-key.ts'
import { getDocument, promptQuery } from '../queries.ts'

interface PromptDiffProps {
  prompt: PromptKey
  /** Hashes, beginnings of hashes, or tags. */
  from: string
  to: string
}

/** What differs between two commits: messages, model, tools and schema, each on its own. */
export function PromptDiff({ prompt, from, to }: PromptDiffProps) {
  const before = useQuery(promptQuery.commit(prompt, from))
  const after = useQuery(promptQuery.commit(prompt, to))
  const error = before.error ?? after.error
  if (error !== null) {
    const retry = () => void Promise.all([before.refetch(), after.refetch()])
    return <ErrorState title="Could not load the commits" error={error} onRetry={retry} />
  }
  if (before.data === undefined || after.data === undefined) return <SkeletonRows rows={6} label="Comparing" />
  if (before.data.kind !== 'found') return <Missing reference={from} />
  if (after.data.kind !== 'found') return <Missing reference={to} />
  const [a, b] = [before.data.commit, after.data.commit]
  const sections = listDiffSections(
    { document: getDocument(a), manifest: a.manifest },
    { document: getDocument(b), manifest: b.manifest },
  )
  const [hashA, hashB] = [a.summary.commit_hash, b.summary.commit_hash]
  return (
    <PromptSections
      sections={sections}
      sides={[shortHash(hashA), shortHash(hashB)]}
      whenEqual={hashA === hashB ? 'This is the same commit.' : undefined}
    />
  )
}

interface PromptSectionsProps {
  sections: readonly DiffSection[]
  /** What the two are called. */
  sides: readonly [string, string]
  /** Shown when no part differs. @default they have the same content */
  whenEqual?: string | undefined
}

/** Parts of a prompt that differ, one below the other. */
export function PromptSections({
  sections,
  sides,
  whenEqual = 'The two commits have the same content.',
}: PromptSectionsProps) {
  return (
    <div className="flex flex-col gap-3">
      {sections.length === 0 && (
        <p role="status" className="text-row text-fg-muted">
          {whenEqual}
        </p>
      )}
      {sections.map((section) => (
        <Section key={`${sides.join(' ')} ${section.title}`} section={section} sides={sides} />
      ))}
    </div>
  )
}

function Missing({ reference }: { reference: string }) {
  return (
    <p role="alert" className="text-row text-fg-muted">
      No single commit is named <bdi className="font-mono text-fg">{reference}</bdi>. Choose another one.
    </p>
  )
}

function Section({ section: { title, request }, sides }: { section: DiffSection; sides: readonly [string, string] }) {
  const { data, error } = useQuery({
    queryKey: ['prompt-diff', sides, title, request],
    queryFn: ({ signal }) => askDiff(request, signal),
    staleTime: Number.POSITIVE_INFINITY,
    meta: { quiet: true },
  })
  return (
    <section
      aria-label={`Differences in ${title}`}
      className="overflow-hidden rounded-card border border-border bg-surface"
    >
      <h3 className="border-b border-border bg-sunken px-3 py-1 text-row font-medium">{title}</h3>
      {error !== null && <ErrorState compact title={`Could not compare ${title}`} error={error} />}
      {error === null && data === undefined && <SkeletonRows rows={3} label={`Comparing ${title}`} />}
      {data && <DiffView diff={data} sides={sides} />}
    </section>
  )
}
