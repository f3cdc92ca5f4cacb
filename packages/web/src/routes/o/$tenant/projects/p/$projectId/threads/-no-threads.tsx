import { useQuery } from '@tanstack/react-query'
import { MessagesSquare } from 'lucide-react'
import { threadQuery } from '#data/threads.ts'
import { searchOf } from '#lib/runs-search.ts'
import { THREAD_PYTHON, THREAD_TYPESCRIPT } from '#lib/snippets.ts'
import type { ThreadsSearch } from '#lib/threads-search.ts'
import { labelOfTimeRange, widen } from '#lib/time-range.ts'
import { Button } from '#ui/button.tsx'
import { EmptyState } from '#ui/empty-state.tsx'
import { Snippet } from '#ui/snippet.tsx'

export interface NoThreadsProps {
  projectId: string
  search: ThreadsSearch
  onChange: (part: Partial<ThreadsSearch>) => void
}

/** No threads: what hides them, and how traces become a thread in the first place. */
export function NoThreads({ projectId, search, onChange }: NoThreadsProps) {
  const wider = widen(search.t)
  const keys = useQuery(threadQuery.likelyKeys(projectId))
  return (
    <div className="min-h-0 min-w-0 flex-1 overflow-y-auto">
      <EmptyState
        icon={MessagesSquare}
        title="No threads here"
        actions={
          <>
            {wider && <Button onClick={() => onChange({ t: wider })}>{labelOfTimeRange(wider)}</Button>}
            {search.errors && (
              <Button onClick={() => onChange({ errors: undefined })}>Not only with failed turns</Button>
            )}
            {(search.filter ?? search.traceFilter ?? search.treeFilter) && (
              <Button onClick={() => onChange(searchOf({}))}>Without the filter</Button>
            )}
          </>
        }
      >
        A thread is all traces that carry the same <Key>session_id</Key>, <Key>conversation_id</Key> or{' '}
        <Key>thread_id</Key> in their metadata; the first of the three that is set counts.
        {keys.data && keys.data.length > 0 && (
          <p className="mt-3">
            Traces of this project carry other keys that look like one:{' '}
            {keys.data.map((key) => (
              <Key key={key}>{key}</Key>
            ))}
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

function Key({ children }: { children: string }) {
  return <code className="rounded-control bg-sunken px-1 font-mono text-row">{children}</code>
}
