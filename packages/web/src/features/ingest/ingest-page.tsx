import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import type { IngestSearch } from '#lib/page-search.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { ingestReceiptQuery } from './queries.ts'
import { ReceiptTable } from './receipt-table.tsx'
import { explainFound } from './receipts.ts'
import { RefusedNotice } from './refused-notice.tsx'

const route = getRouteApi('/o/$tenant/settings/ingest')

const OUTCOMES = [
  { value: 'all', label: 'All' },
  { value: 'rejected', label: 'Rejected only' },
] as const

/** What arrived in the last 24 hours, and where a run or trace is. */
export function IngestPage() {
  const { id, outcome, project } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <PageFrame
      title="Ingest"
      toolbar={
        <>
          <SearchField
            label="Find a run or trace by id"
            placeholder="Run or trace id"
            maxLength={200}
            value={id ?? ''}
            onChange={(text) =>
              void navigate({ search: (kept) => ({ ...kept, id: text.trim() || undefined }), replace: true })
            }
          />
          <Segmented
            label="Outcome"
            value={outcome ?? 'all'}
            onChange={(next) =>
              void navigate({ search: (kept) => ({ ...kept, outcome: next === 'all' ? undefined : next }) })
            }
            options={OUTCOMES}
          />
          {project !== undefined && (
            <Button onClick={() => void navigate({ search: (kept) => ({ ...kept, project: undefined }) })}>
              All projects
            </Button>
          )}
        </>
      }
      status={<span>Requests of the last 24 hours</span>}
    >
      <div className="min-h-0 flex-1 overflow-auto">
        <RefusedNotice />
        {id === undefined ? <Recent project={project} outcome={outcome} /> : <Found id={id} />}
      </div>
    </PageFrame>
  )
}

function Recent({ project, outcome }: Pick<IngestSearch, 'project' | 'outcome'>) {
  const list = useInfiniteQuery(ingestReceiptQuery.list({ project, outcome }))
  if (list.isPending) return <SkeletonRows rows={8} label="Loading ingest requests" />
  if (list.isError) {
    const retry = () => void list.refetch()
    return <ErrorState title="Could not load ingest requests" error={list.error} onRetry={retry} />
  }
  const receipts = list.data.pages.flatMap((page) => page.receipts)
  if (receipts.length === 0) {
    return (
      <EmptyState icon={Inbox} title={outcome === 'rejected' ? 'Nothing was rejected' : 'No requests'}>
        Requests that send runs appear here for 24 hours, with what was stored and what was rejected.
      </EmptyState>
    )
  }
  return (
    <>
      <ReceiptTable receipts={receipts} />
      {list.hasNextPage && (
        <Button className="m-3" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Load more
        </Button>
      )}
    </>
  )
}

function Found({ id }: { id: string }) {
  const { tenant } = route.useParams()
  const found = useQuery(ingestReceiptQuery.where(id))
  if (found.isPending) return <SkeletonRows rows={4} label="Loading the search" />
  if (found.isError) {
    return <ErrorState title="Could not search" error={found.error} onRetry={() => void found.refetch()} />
  }
  const { stored, receipts } = found.data
  const { title, text } = explainFound(found.data)
  return (
    <>
      <section aria-label="Result" className="border-b border-border p-3">
        <h2 className="text-form font-semibold">{title}</h2>
        <p className="max-w-2xl text-row text-fg-muted">{text}</p>
        {stored !== null && (
          <Link
            to="/o/$tenant/projects/p/$projectId"
            params={{ tenant, projectId: stored.session_id }}
            search={{ peek: stored.run_id, scope: 'runs' }}
            className="text-row text-accent hover:underline"
          >
            Open run
          </Link>
        )}
      </section>
      {receipts.length > 0 && <ReceiptTable receipts={receipts} />}
    </>
  )
}
