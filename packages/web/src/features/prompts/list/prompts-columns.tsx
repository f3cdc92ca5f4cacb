import { Link } from '@tanstack/react-router'
import type { Prompt } from '@touchstone/sdk'
import { formatAbsoluteTime, formatCount, formatRelativeTime, pluralize } from '#lib/format.ts'
import { getSortDirection, nextSort } from '#lib/row-sort.ts'
import type { Column } from '#ui/grid-columns.tsx'
import { CommitLink, FewTagPills, LikeButton, promptLink, Visibility } from '../document/prompt-parts.tsx'
import { toPromptKey, toPromptName } from '../prompt-key.ts'
import type { PromptsSearch } from '../search.ts'

export interface ColumnsContext {
  tenant: string
  view: PromptsSearch['view']
  sort: string
  onSort: (sort: string) => void
  /** Filters the list by a tag. */
  onTag: (tag: string) => void
  /** Runs of the last 30 days by name of the prompt; undefined while loading or after a failure. */
  usage: ReadonlyMap<string, number> | undefined
}

export function promptColumns(context: ColumnsContext): Column<Prompt>[] {
  const { tenant, view, sort, onSort, usage } = context
  const sorted = (id: string) => ({ direction: getSortDirection(sort, id), onSort: () => onSort(nextSort(sort, id)) })
  const isHub = view === 'hub'
  return [
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(220px, 2.2fr)',
      cell: (prompt) => <NameLink prompt={prompt} tenant={tenant} />,
    },
    ...(isHub
      ? []
      : [
          {
            id: 'visibility',
            header: 'Visibility',
            width: '88px',
            cell: (prompt: Prompt) => <Visibility isPublic={prompt.is_public} />,
          },
        ]),
    {
      id: 'latest',
      header: 'Latest commit',
      width: '112px',
      cell: (prompt) =>
        prompt.last_commit_hash ? (
          <CommitLink tenant={tenant} prompt={toPromptKey(prompt)} hash={prompt.last_commit_hash} />
        ) : (
          <span className="text-fg-subtle">No commits</span>
        ),
    },
    {
      id: 'commit_tags',
      header: 'Commit tags',
      width: 'minmax(200px, 1.4fr)',
      cell: (prompt) => <FewTagPills names={prompt.commit_tags ?? []} />,
    },
    {
      id: 'tags',
      header: 'Tags',
      width: 'minmax(80px, 0.7fr)',
      cell: (prompt) => <Tags tags={prompt.tags} onTag={context.onTag} />,
    },
    {
      id: 'commits',
      header: 'Commits',
      width: '76px',
      align: 'end',
      cell: (prompt) => formatCount(prompt.num_commits),
    },
    isHub
      ? {
          id: 'num_downloads',
          header: 'Pulls',
          width: '76px',
          align: 'end' as const,
          sort: sorted('num_downloads'),
          cell: (prompt: Prompt) => formatCount(prompt.num_downloads),
        }
      : {
          id: 'runs',
          header: <span title="Runs of the last 30 days that name the prompt in their metadata">Runs 30 d</span>,
          width: '84px',
          align: 'end' as const,
          cell: (prompt: Prompt) => <Runs prompt={prompt} tenant={tenant} usage={usage} />,
        },
    {
      id: 'num_likes',
      header: 'Likes',
      width: '72px',
      align: 'end',
      sort: sorted('num_likes'),
      cell: (prompt) => <LikeButton prompt={prompt} tabIndex={-1} />,
    },
    {
      id: 'updated_at',
      header: 'Updated',
      width: '116px',
      sort: sorted('updated_at'),
      cell: (prompt) => <Time at={prompt.updated_at} />,
    },
  ]
}

/** A prompt in two lines, for phones. */
export function PromptCard({ prompt, tenant }: { prompt: Prompt; tenant: string }) {
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2 text-base">
        <NameLink prompt={prompt} tenant={tenant} />
        <span className="ml-auto shrink-0 text-row text-fg-muted">
          <Time at={prompt.updated_at} />
        </span>
      </div>
      <div className="flex min-w-0 items-center gap-3 overflow-hidden text-fg-muted">
        <Visibility isPublic={prompt.is_public} />
        <span className="shrink-0">{pluralize(prompt.num_commits, 'commit')}</span>
        <FewTagPills names={prompt.commit_tags ?? []} />
      </div>
    </div>
  )
}

function NameLink({ prompt, tenant }: { prompt: Prompt; tenant: string }) {
  const key = toPromptKey(prompt)
  return (
    <span className="flex min-w-0 items-baseline gap-2">
      <Link
        {...promptLink(tenant, key)}
        tabIndex={-1}
        title={prompt.description ? `${toPromptName(key)}\n${prompt.description}` : toPromptName(key)}
        className="min-w-0 shrink-0 truncate font-medium hover:underline [max-width:100%]"
      >
        {toPromptName(key)}
      </Link>
      {prompt.description && (
        <span dir="auto" className="min-w-0 truncate text-fg-muted max-sm:hidden">
          {prompt.description}
        </span>
      )}
    </span>
  )
}

function Tags({ tags, onTag }: { tags: readonly string[]; onTag: (tag: string) => void }) {
  return (
    <span className="flex min-w-0 gap-1.5 overflow-hidden">
      {tags.map((tag) => (
        <button
          key={tag}
          type="button"
          tabIndex={-1}
          dir="auto"
          title={`Only prompts with the tag ${tag}`}
          onClick={(event) => {
            event.stopPropagation()
            onTag(tag)
          }}
          className="max-w-32 truncate text-fg-muted hover:text-fg hover:underline"
        >
          {tag}
        </button>
      ))}
    </span>
  )
}

function Runs({ prompt, tenant, usage }: { prompt: Prompt; tenant: string; usage: ColumnsContext['usage'] }) {
  if (usage === undefined) return null
  const count = usage.get(prompt.repo_handle) ?? 0
  if (count === 0) return <span className="text-fg-subtle">0</span>
  return (
    <Link
      {...promptLink(tenant, toPromptKey(prompt), undefined, { tab: 'runs' })}
      tabIndex={-1}
      aria-label={`Runs of ${prompt.repo_handle}`}
      className="hover:underline"
    >
      {formatCount(count)}
    </Link>
  )
}

function Time({ at }: { at: string }) {
  return <span title={formatAbsoluteTime(at)}>{formatRelativeTime(at).replace(/(:\d\d)?\.\d{3}$/, '')}</span>
}
