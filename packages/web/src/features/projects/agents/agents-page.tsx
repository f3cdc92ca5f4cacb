import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus, SearchX } from 'lucide-react'
import { useRef, useState } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { formatCount } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { Button } from '#ui/button.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { Select } from '#ui/select.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { type AgentDialogState, AgentDialogs } from './agent-dialogs.tsx'
import { AgentSetup } from './agent-setup.tsx'
import { AgentTable } from './agent-table.tsx'
import { listAgentProjectIds } from './agents.ts'
import { type AgentSort, agentQuery } from './queries.ts'

const SORTS: readonly { value: AgentSort; label: string }[] = [
  { value: 'last_run_start_time', label: 'Last trace' },
  { value: 'name', label: 'Name' },
  { value: 'created_at', label: 'Newest' },
]

export interface AgentsPageProps {
  tenant: string
  search: { q: string; sort: AgentSort }
}

/** Agents with their environments, linked to their traces. */
export function AgentsPage({ tenant, search }: AgentsPageProps) {
  const navigate = useNavigate({ from: '/o/$tenant/agents/' })
  const mayWrite = useMay('member')
  const list = useInfiniteQuery(agentQuery.list(search.q, search.sort))
  const agents = list.data?.pages.flatMap(({ items }) => items) ?? []
  const [layer, setLayer] = useState<AgentDialogState>()
  const field = useRef<HTMLInputElement>(null)
  const change = (to: Partial<AgentsPageProps['search']>) =>
    void navigate({ search: (kept) => ({ ...kept, ...to }), replace: true })
  useShortcuts('List', [
    { keys: '/', label: 'Search', run: () => field.current?.focus() },
    { keys: 'n', label: 'New agent', run: () => mayWrite && setLayer({ kind: 'create' }) },
  ])
  const isEmpty = list.isSuccess && agents.length === 0
  return (
    <PageFrame
      title="Agents"
      actions={
        <Button
          look="primary"
          disabled={!mayWrite}
          title={mayWrite ? undefined : 'Viewers cannot create agents.'}
          onClick={() => setLayer({ kind: 'create' })}
        >
          <Plus size={13} aria-hidden />
          New agent
        </Button>
      }
      toolbar={
        isEmpty && search.q === '' ? undefined : (
          <>
            <SearchField
              ref={field}
              label="Search agents"
              placeholder="Search by name or ID"
              maxLength={200}
              value={search.q}
              onChange={(q) => change({ q })}
            />
            <Select
              aria-label="Sort by"
              size="toolbar"
              value={search.sort}
              onChange={(sort) => change({ sort })}
              options={SORTS}
            />
          </>
        )
      }
      status={
        list.isSuccess && (
          <span role="status">
            {formatCount(agents.length)}
            {list.hasNextPage && '+'} {agents.length === 1 ? 'agent' : 'agents'}
          </span>
        )
      }
    >
      <div className="min-h-0 flex-1 overflow-auto">
        {list.isPending && <SkeletonRows rows={8} label="Loading agents" />}
        {list.isError && !list.data && (
          <ErrorState title="Could not load agents" error={list.error} onRetry={() => void list.refetch()} />
        )}
        {isEmpty && search.q !== '' && (
          <EmptyState
            icon={SearchX}
            title="No matching agents"
            actions={<Button onClick={() => change({ q: '' })}>Clear search</Button>}
          >
            No agent has “{search.q}” in its name or ID.
          </EmptyState>
        )}
        {isEmpty && search.q === '' && <AgentSetup isFirst agentId="customer-support" />}
        {agents.length > 0 && <Loaded tenant={tenant} list={list} agents={agents} onLayer={setLayer} />}
      </div>
      {layer && <AgentDialogs layer={layer} onLayer={setLayer} />}
    </PageFrame>
  )
}

interface LoadedProps {
  tenant: string
  agents: Parameters<typeof AgentTable>[0]['agents']
  list: {
    isError: boolean
    error: unknown
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage(): unknown
  }
  onLayer: (layer: AgentDialogState) => void
}

function Loaded({ tenant, agents, list, onLayer }: LoadedProps) {
  const mayWrite = useMay('member')
  const traces = useQuery(agentQuery.lastTraces(listAgentProjectIds(agents)))
  return (
    <>
      {traces.isError && (
        <ErrorState
          compact
          title="Could not load the last traces"
          error={traces.error}
          onRetry={() => void traces.refetch()}
        />
      )}
      {list.isError && (
        <ErrorState
          compact
          title="Could not load more agents"
          error={list.error}
          onRetry={() => void list.fetchNextPage()}
        />
      )}
      <AgentTable
        tenant={tenant}
        agents={agents}
        lastTraces={traces.data}
        hasFailed={traces.isError}
        onLayer={mayWrite ? onLayer : undefined}
      />
      {list.hasNextPage && (
        <div className="flex justify-center p-3">
          <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {list.isFetchingNextPage ? 'Loading…' : 'Load more'}
          </Button>
        </div>
      )}
    </>
  )
}
