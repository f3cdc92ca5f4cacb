import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { askDiff } from '#lib/diff/ask-diff.ts'
import { describeFailure } from '#lib/errors.ts'
import { formatAbsoluteTime } from '#lib/format.ts'
import { Button } from '#ui/button.tsx'
import { DiffView } from '#ui/diff-view.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { toast } from '#ui/toast.tsx'
import { startDraft } from './logic/example-draft.ts'
import { printForDiff, type StoredExample } from './logic/stored-example.ts'
import { exampleQuery, MAX_HISTORY, refreshExamples, saveExample } from './queries.ts'

interface ExampleHistoryProps {
  datasetId: string
  exampleId: string
  /** The newest state, which another version can replace; absent where nothing can be changed. */
  current: StoredExample | undefined
}

/** The versions of an example, newest first, each with what it changed. */
export function ExampleHistory({ datasetId, exampleId, current }: ExampleHistoryProps) {
  const history = useQuery(exampleQuery.history(datasetId, exampleId))
  const [opened, setOpened] = useState<string>()
  if (history.error) {
    return (
      <ErrorState title="Could not load the history" error={history.error} onRetry={() => void history.refetch()} />
    )
  }
  if (history.data === undefined) return <SkeletonRows rows={4} label="Loading the history" />
  const shown = opened ?? history.data[0]?.as_of
  // The oldest of a history that was cut off is not the first.
  const count = history.data.length < MAX_HISTORY ? history.data.length : Number.POSITIVE_INFINITY
  return (
    <ol className="min-h-0 flex-1 overflow-y-auto" aria-label="Versions of the example">
      {history.data.map(({ as_of, tags }, index) => {
        const isOpen = as_of === shown
        return (
          <li key={as_of} className="border-b border-border">
            <h3 className="flex items-center gap-2 px-3 text-row">
              <button
                type="button"
                aria-expanded={isOpen}
                onClick={() => setOpened(isOpen ? '' : as_of)}
                className="flex h-9 min-w-0 flex-1 items-center gap-2 text-left hover:text-accent coarse:h-12"
              >
                <span className="tabular-nums">{formatAbsoluteTime(as_of)}</span>
                {index === count - 1 ? (
                  <span className="text-fg-muted">created</span>
                ) : (
                  index === 0 && <span className="text-fg-muted">latest change</span>
                )}
                {tags.map((tag) => (
                  <span key={tag} className="truncate rounded-control bg-sunken px-1.5 text-meta text-fg-muted">
                    {tag}
                  </span>
                ))}
              </button>
              {current !== undefined && index > 0 && isOpen && <RestoreButton current={current} asOf={as_of} />}
            </h3>
            {isOpen && (
              <VersionDiff
                datasetId={datasetId}
                exampleId={exampleId}
                asOf={as_of}
                before={history.data?.[index + 1]?.as_of}
              />
            )}
          </li>
        )
      })}
      {history.data.length >= MAX_HISTORY && (
        <li className="p-3 text-row text-fg-muted">Only the latest {MAX_HISTORY} versions are shown.</li>
      )}
    </ol>
  )
}

interface VersionDiffProps {
  datasetId: string
  exampleId: string
  asOf: string
  /** The version before; absent for the first. */
  before: string | undefined
}

function VersionDiff({ datasetId, exampleId, asOf, before }: VersionDiffProps) {
  const after = useQuery(exampleQuery.one(datasetId, exampleId, asOf))
  const earlier = useQuery({ ...exampleQuery.one(datasetId, exampleId, before), enabled: before !== undefined })
  // Without a version before, the query has what is cached of the latest one.
  const [a, b] = [before === undefined ? undefined : readState(earlier), readState(after)]
  const diff = useQuery({
    queryKey: ['example-diff', exampleId, before, asOf],
    queryFn: ({ signal }) => askDiff({ kind: 'json', a: a?.text ?? '{}', b: b?.text ?? '{}' }, signal),
    enabled: b !== undefined && (before === undefined || a !== undefined),
    structuralSharing: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  const error = a?.error ?? b?.error ?? diff.error
  if (error) return <ErrorState compact title="Could not load the versions" error={error} />
  if (diff.data === undefined) return <SkeletonRows rows={4} height={20} label="Comparing the versions" />
  if (b?.text === undefined) return <p className="px-3 pb-2 text-row text-fg-muted">The example was deleted.</p>
  return <DiffView diff={diff.data} />
}

/** The state of an example at a version; without a text if it was deleted then. */
function readState({ data, error }: { data: StoredExample | undefined; error: Error | null }) {
  if (data !== undefined) return { text: printForDiff(data), error: undefined }
  if (error === null) return undefined
  return describeFailure(error).status === 404 ? { text: undefined, error: undefined } : { text: undefined, error }
}

function RestoreButton({ current, asOf }: { current: StoredExample; asOf: string }) {
  const queryClient = useQueryClient()
  const restore = useMutation({
    mutationFn: async () => {
      const old = await queryClient.fetchQuery(exampleQuery.one(current.datasetId, current.id, asOf))
      // Attachments stay as they are: those of old versions may have been erased.
      const { kept, added } = startDraft(current)
      await saveExample(queryClient, current, { ...startDraft(old), kept, added })
    },
    onSuccess: () => toast.done('Version restored'),
    onError: (error) => {
      toast.failure('Could not restore the version', error)
      // It may have been changed since it was read.
      void refreshExamples(queryClient, current.datasetId)
    },
  })
  return (
    <Button disabled={restore.isPending} onClick={() => restore.mutate()}>
      Restore
    </Button>
  )
}
