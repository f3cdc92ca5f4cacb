import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { threadKeysOf } from '@touchstone/contract/thread-keys'
import { MessagesSquare } from 'lucide-react'
import { Fragment } from 'react'
import { useProject } from '#features/projects/project-frame.tsx'
import { type ThreadsSearch, toFilterSearch } from '#lib/page-search.ts'
import { THREAD_PYTHON, THREAD_TYPESCRIPT } from '#lib/snippets.ts'
import { formatTimeRange, widen } from '#lib/time/time-range.ts'
import { Button } from '#ui/button.tsx'
import { Snippet } from '#ui/snippet.tsx'
import { EmptyState } from '#ui/states.tsx'
import { threadQuery } from '../queries.ts'

export interface NoThreadsProps {
  tenant: string
  projectId: string
  search: ThreadsSearch
  onChange: (part: Partial<ThreadsSearch>) => void
}

/** Shown without threads: how to widen the search, and how to group traces into threads. */
export function NoThreads({ tenant, projectId, search, onChange }: NoThreadsProps) {
  const project = useProject(projectId)
  const wider = widen(search.t)
  const keys = threadKeysOf(project.data?.extra)
  const likely = useQuery(threadQuery.likelyKeys(projectId)).data?.filter((key) => !keys.includes(key)) ?? []
  return (
    <div className="min-h-0 min-w-0 flex-1 overflow-y-auto">
      <EmptyState
        icon={MessagesSquare}
        title="No threads found"
        actions={
          <>
            {wider && <Button onClick={() => onChange({ t: wider })}>{formatTimeRange(wider)}</Button>}
            {search.errors && (
              <Button onClick={() => onChange({ errors: undefined })}>Include threads without errors</Button>
            )}
            {search.threadFilter !== undefined && (
              <Button onClick={() => onChange({ threadFilter: undefined })}>Clear scores</Button>
            )}
            {(search.filter ?? search.traceFilter ?? search.treeFilter) && (
              <Button onClick={() => onChange(toFilterSearch({}))}>Clear filter</Button>
            )}
          </>
        }
      >
        A thread groups the traces with the same value of a metadata key: <Keys names={keys} />. The first key with a
        value is used.
        {likely.length > 0 && (
          <p className="mt-3">
            Traces of this project have other metadata keys that look like thread ids: <Keys names={likely} />. Change
            the keys in the{' '}
            <Link
              to="/o/$tenant/projects/p/$projectId/settings"
              params={{ tenant, projectId }}
              className="text-accent underline"
            >
              project settings
            </Link>
            .
          </p>
        )}
      </EmptyState>
      <div className="mx-auto grid max-w-4xl gap-3 px-4 pb-10 lg:grid-cols-2">
        <Snippet label="Python" text={THREAD_PYTHON} />
        <Snippet label="TypeScript" text={THREAD_TYPESCRIPT} />
      </div>
    </div>
  )
}

function Keys({ names }: { names: readonly string[] }) {
  return names.map((name, index) => (
    <Fragment key={name}>
      {index > 0 && (index === names.length - 1 ? ' or ' : ', ')}
      <code className="rounded-control bg-sunken px-1 font-mono text-row">{name}</code>
    </Fragment>
  ))
}
