import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { PromptCommitSummary } from '@touchstone/sdk'
import { ArrowRight, GitCommitVertical } from 'lucide-react'
import { useState } from 'react'
import { formatRelativeTime } from '#lib/format.ts'
import { Select } from '#ui/select.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { PromptDiff } from '../document/prompt-diff.tsx'
import { promptLink } from '../document/prompt-parts.tsx'
import { getOwnHandle, type PromptKey, shortHash } from '../prompt-key.ts'
import { promptUsageQuery } from '../prompt-usage.ts'
import { promptQuery } from '../queries.ts'
import { parseDiff } from '../search.ts'
import { CommitRows } from './commit-rows.tsx'
import type { PromptTabProps } from './prompt-page.tsx'
import { DeleteTagDialog, TagDialog } from './tag-dialogs.tsx'
import { TagHistoryDialog, TagList } from './tag-list.tsx'

export interface Compared {
  readonly from: string
  readonly to: string
}

/** The open dialog. */
export type TagDialogState =
  | { readonly kind: 'set'; readonly hash: string; readonly name?: string | undefined }
  | { readonly kind: 'history' | 'delete'; readonly name: string }

/** The history of a prompt: tags, commits with their usage, and the differences of any two. */
export function CommitsTab({ tenant, prompt, search, repo }: PromptTabProps) {
  const navigate = useNavigate()
  const history = useInfiniteQuery(promptQuery.history(prompt))
  const usage = useQuery(promptUsageQuery.byCommit({ ...prompt, handle: getOwnHandle(repo) }))
  const [dialog, setDialog] = useState<TagDialogState>()
  const commits = history.data?.pages.flatMap((page) => page.commits) ?? []
  const compared = parseDiff(search.diff) ?? compareNewest(commits)
  const compare = ({ from, to }: Compared) =>
    void navigate(promptLink(tenant, prompt, undefined, { tab: 'commits', diff: `${from}..${to}` }))
  if (history.isError && !history.data) {
    return (
      <div className="flex-1">
        <ErrorState title="Could not load the commits" error={history.error} onRetry={() => void history.refetch()} />
      </div>
    )
  }
  if (history.isPending) {
    return (
      <div className="flex-1">
        <SkeletonRows label="Loading commits" />
      </div>
    )
  }
  if (commits.length === 0) {
    return (
      <div className="flex-1">
        <EmptyState icon={GitCommitVertical} title="No commits yet">
          Every push that changes the prompt makes a commit.
        </EmptyState>
      </div>
    )
  }
  return (
    <div className="flex min-h-0 min-w-0 flex-1 max-lg:flex-col max-lg:overflow-y-auto">
      <div className="flex min-h-0 flex-col border-border max-lg:flex-none max-lg:border-b lg:w-[46%] lg:overflow-y-auto lg:border-r">
        <TagList tenant={tenant} prompt={prompt} repo={repo} onDialog={setDialog} />
        <CommitRows
          tenant={tenant}
          prompt={prompt}
          repo={repo}
          commits={commits}
          usage={usage}
          compared={compared}
          onCompare={compare}
          onDialog={setDialog}
          older={history}
        />
      </div>
      <section aria-label="Differences" className="flex min-h-0 min-w-0 flex-1 flex-col max-lg:flex-none">
        {compared === undefined ? (
          <EmptyState title="Nothing to compare">This is the only commit of the prompt.</EmptyState>
        ) : (
          <>
            <header className="flex flex-wrap items-center gap-2 border-b border-border bg-surface px-3 py-1.5 text-row">
              <CommitSelect
                label="From commit"
                value={compared.from}
                commits={commits}
                onChange={(from) => compare({ ...compared, from })}
              />
              <ArrowRight size={14} className="text-fg-subtle" aria-hidden />
              <CommitSelect
                label="To commit"
                value={compared.to}
                commits={commits}
                onChange={(to) => compare({ ...compared, to })}
              />
            </header>
            <div className="min-h-0 flex-1 p-3 lg:overflow-y-auto">
              <PromptDiff prompt={prompt} {...compared} />
            </div>
          </>
        )}
      </section>
      <Dialogs tenant={tenant} prompt={prompt} dialog={dialog} onClose={() => setDialog(undefined)} />
    </div>
  )
}

function Dialogs(props: {
  tenant: string
  prompt: PromptKey
  dialog: TagDialogState | undefined
  onClose: () => void
}) {
  const { dialog, ...rest } = props
  if (dialog === undefined) return null
  if (dialog.kind === 'set') return <TagDialog {...rest} hash={dialog.hash} name={dialog.name} />
  if (dialog.kind === 'history') return <TagHistoryDialog {...rest} name={dialog.name} />
  return <DeleteTagDialog {...rest} name={dialog.name} />
}

/** The newest commit against its parent. */
function compareNewest(commits: readonly PromptCommitSummary[]): Compared | undefined {
  const [newest] = commits
  if (newest?.parent_commit_hash == null) return undefined
  return { from: shortHash(newest.parent_commit_hash), to: shortHash(newest.commit_hash) }
}

interface CommitSelectProps {
  label: string
  value: string
  commits: readonly PromptCommitSummary[]
  onChange: (reference: string) => void
}

function CommitSelect({ label, value, commits, onChange }: CommitSelectProps) {
  const found = commits.find(({ commit_hash, tags }) => commit_hash.startsWith(value) || tags.includes(value))
  return (
    <Select
      aria-label={label}
      size="toolbar"
      value={found ? shortHash(found.commit_hash) : value}
      onChange={onChange}
      options={[
        ...(found ? [] : [{ value, label: value }]),
        ...commits.map(({ commit_hash, tags, description, created_at }) => ({
          value: shortHash(commit_hash),
          label: [shortHash(commit_hash), ...tags, description?.slice(0, 40) || formatRelativeTime(created_at)].join(
            ' · ',
          ),
        })),
      ]}
      className="max-w-44 xl:max-w-72"
    />
  )
}
