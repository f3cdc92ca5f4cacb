import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Prompt } from '@touchstone/sdk'
import { useMemo, useRef, useState } from 'react'
import { workspaceQuery } from '#features/accounts/me.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { DataGrid, type GridHandle } from '#ui/data-grid.tsx'
import { useGridKeys } from '#ui/grid-row.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { Select } from '#ui/select.tsx'
import { useShortcuts } from '#ui/shortcuts.tsx'
import { useEntryMemory } from '#ui/use-entry-memory.tsx'
import { promptLink } from '../document/prompt-parts.tsx'
import { toPromptKey } from '../prompt-key.ts'
import { promptUsageQuery } from '../prompt-usage.ts'
import { promptQuery } from '../queries.ts'
import type { PromptsSearch } from '../search.ts'
import { PromptCard, promptColumns } from './prompts-columns.tsx'
import { PromptsState } from './prompts-state.tsx'

const getRowId = (prompt: Prompt) => prompt.id

const VIEWS = [
  { value: 'mine', label: 'Workspace', hint: 'Prompts of this workspace' },
  { value: 'hub', label: 'Public hub', hint: 'Public prompts of all workspaces of this server' },
] as const

const SORTS = [
  { value: '-updated_at', label: 'Last updated' },
  { value: '-num_likes', label: 'Most likes' },
  { value: '-num_downloads', label: 'Most pulls' },
  { value: '-num_views', label: 'Most views' },
]

interface PromptsPageProps {
  tenant: string
  search: PromptsSearch
}

/** The prompts of the workspace, or the public prompts of all workspaces. */
export function PromptsPage({ tenant, search }: PromptsPageProps) {
  const navigate = useNavigate({ from: '/o/$tenant/prompts/' })
  const list = useInfiniteQuery(promptQuery.list(search))
  const rows = useMemo(() => list.data?.pages.flatMap(({ repos }) => repos) ?? [], [list.data])
  const total = list.data?.pages[0]?.total
  const { recall, note } = useEntryMemory<{ offset: number; activeId: string }>('prompts')
  const [memory] = useState(recall)
  const [activeId, setActiveId] = useState(memory?.activeId)
  const grid = useRef<GridHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const change = (to: Partial<PromptsSearch>) =>
    void navigate({ search: (kept: PromptsSearch) => ({ ...kept, ...to }), replace: true })
  function setActive(id: string) {
    setActiveId(id)
    note({ activeId: id })
  }
  function open(id: string) {
    const prompt = rows.find((row) => row.id === id)
    if (prompt) void navigate(promptLink(tenant, toPromptKey(prompt)))
  }
  useGridKeys({ grid, ids: rows.map(getRowId), activeId, onActive: setActive, onOpen: open })
  useShortcuts('List', [
    { keys: '/', label: 'Search', run: () => field.current?.focus() },
    { keys: 'o', label: 'Open', run: () => activeId !== undefined && open(activeId) },
  ])
  const columns = usePromptColumns(tenant, search, change)
  return (
    <PageFrame
      title={search.view === 'hub' ? 'Public hub' : 'Prompts'}
      toolbar={<Toolbar search={search} fieldRef={field} onChange={change} />}
      status={
        total !== undefined && (
          <span role="status">
            {rows.length === total ? '' : `${formatCount(rows.length)} of `}
            {pluralize(total, 'prompt')}
          </span>
        )
      }
    >
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <PromptsState tenant={tenant} search={search} list={list} isEmpty={rows.length === 0} onChange={change} />
        {rows.length > 0 && (
          <DataGrid
            ref={grid}
            label="Prompts"
            columns={columns}
            rows={rows}
            rowId={getRowId}
            rowHeight={32}
            card={(prompt) => <PromptCard prompt={prompt} tenant={tenant} />}
            total={total}
            activeId={activeId}
            onRowClick={(prompt) => {
              setActive(prompt.id)
              open(prompt.id)
            }}
            onNearEnd={() => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()}
            initialOffset={memory?.offset}
            onScroll={(offset) => note({ offset })}
          />
        )}
      </div>
    </PageFrame>
  )
}

function usePromptColumns(tenant: string, { view, sort }: PromptsSearch, change: (to: Partial<PromptsSearch>) => void) {
  const workspace = useQuery(workspaceQuery.current()).data
  const usage = useQuery({
    ...promptUsageQuery.byPrompt(workspace?.tenant_handle ?? null),
    enabled: view === 'mine' && workspace !== undefined,
  }).data
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks do the same in every render
  return useMemo(
    () =>
      promptColumns({
        tenant,
        view,
        sort,
        usage,
        onSort: (next) => change({ sort: next }),
        onTag: (tag) => change({ tag }),
      }),
    [tenant, view, sort, usage],
  )
}

interface ToolbarProps {
  search: PromptsSearch
  fieldRef: React.Ref<HTMLInputElement>
  onChange: (to: Partial<PromptsSearch>) => void
}

function Toolbar({ search, fieldRef, onChange }: ToolbarProps) {
  const tags = useQuery(promptQuery.tags(search)).data ?? []
  const { view, q, tag, sort, archived } = search
  const isListed = tag === undefined || tags.some((one) => one.tag === tag)
  return (
    <>
      <Segmented
        label="Which prompts"
        value={view}
        onChange={(next) => onChange({ view: next, tag: undefined, archived: undefined })}
        options={VIEWS}
      />
      <SearchField
        ref={fieldRef}
        label="Search prompts"
        placeholder="Search by name or text"
        maxLength={200}
        value={q}
        onChange={(next) => onChange({ q: next })}
        className="w-56"
      />
      {(tags.length > 0 || tag !== undefined) && (
        <Select
          aria-label="Tag"
          size="toolbar"
          value={tag ?? ''}
          onChange={(next) => onChange({ tag: next === '' ? undefined : next })}
          options={[
            { value: '', label: 'All tags' },
            ...(isListed ? [] : [{ value: tag ?? '', label: tag ?? '' }]),
            ...tags.map((one) => ({ value: one.tag, label: `${one.tag} (${formatCount(one.count)})` })),
          ]}
        />
      )}
      <Select
        aria-label="Sort by"
        size="toolbar"
        value={sort}
        onChange={(next) => onChange({ sort: next })}
        options={SORTS}
      />
      {view === 'mine' && (
        <label className="flex shrink-0 items-center gap-1.5 whitespace-nowrap text-row text-fg-muted coarse:h-10">
          <input
            type="checkbox"
            checked={archived === true}
            onChange={(event) => onChange({ archived: event.target.checked || undefined })}
          />
          Archived
        </label>
      )}
    </>
  )
}
