import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Prompt, PromptCommitSummary } from '@touchstone/sdk'
import { Ellipsis, Tag } from 'lucide-react'
import { useMay } from '#features/accounts/me.ts'
import { cx } from '#lib/browser.ts'
import { formatAbsoluteTime, formatCount, formatRelativeTime, formatScore, pluralize } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { copyText } from '#ui/copy-button.tsx'
import { CostText } from '#ui/cost-text.tsx'
import { Menu, MenuItem, MenuLine } from '#ui/menu.tsx'
import { Skeleton } from '#ui/states.tsx'
import { CommitLink, promptLink, TagPills } from '../document/prompt-parts.tsx'
import { type PromptKey, shortHash } from '../prompt-key.ts'
import type { CommitUsage } from '../prompt-usage.ts'
import type { Compared, TagDialogState } from './commits-tab.tsx'

interface CommitRowsProps {
  tenant: string
  prompt: PromptKey
  repo: Prompt
  commits: readonly PromptCommitSummary[]
  usage: UseQueryResult<ReadonlyMap<string, CommitUsage>>
  compared: Compared | undefined
  onCompare: (compared: Compared) => void
  onDialog: (dialog: TagDialogState) => void
  older: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** The commits, newest first, each with its message, author, tags and usage. */
export function CommitRows({ commits, older, ...props }: CommitRowsProps) {
  return (
    <section aria-label="Commits" className="flex flex-col">
      <h2 className="border-b border-border bg-sunken px-3 py-1 text-row font-medium">Commits</h2>
      {props.usage.isError && (
        <p role="alert" className="border-b border-border px-3 py-1 text-row text-fg-muted">
          The usage could not be loaded.{' '}
          <button type="button" className="text-accent underline" onClick={() => void props.usage.refetch()}>
            Retry
          </button>
        </p>
      )}
      <ol>
        {commits.map((commit) => (
          <CommitRow key={commit.commit_hash} commit={commit} {...props} />
        ))}
      </ol>
      {older.hasNextPage && (
        <p className="p-3 text-center">
          <Button disabled={older.isFetchingNextPage} onClick={() => void older.fetchNextPage()}>
            Show older commits
          </Button>
        </p>
      )}
    </section>
  )
}

type CommitRowProps = Omit<CommitRowsProps, 'commits' | 'older'> & { commit: PromptCommitSummary }

function CommitRow({ commit, usage, compared, ...props }: CommitRowProps) {
  const { tenant, prompt, onCompare } = props
  const { commit_hash: hash, parent_commit_hash: parent, tags, description, full_name: author, created_at } = commit
  const isShown = (reference: string | undefined) =>
    reference !== undefined && (hash.startsWith(reference) || tags.includes(reference))
  const [isFrom, isTo] = [isShown(compared?.from), isShown(compared?.to)]
  return (
    <li
      className={cx(
        'flex gap-2 border-b border-border px-3 py-1.5 text-row [content-visibility:auto]',
        (isFrom || isTo) && 'bg-selected',
      )}
    >
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <CommitLink tenant={tenant} prompt={prompt} hash={hash} className="font-medium" />
          <TagPills names={tags} />
          {isFrom && <span className="text-meta text-fg-muted">compared from</span>}
          {isTo && <span className="text-meta text-fg-muted">compared to</span>}
        </div>
        <p dir="auto" className="break-words [overflow-wrap:anywhere]">
          {description || <span className="text-fg-subtle">No message</span>}
        </p>
        <p className="flex flex-wrap gap-x-3 text-meta text-fg-muted">
          <span title={formatAbsoluteTime(created_at)}>
            {formatRelativeTime(created_at).replace(/(:\d\d)?\.\d{3}$/, '')}
            {author && ` by ${author.slice(0, 60)}`}
          </span>
          <span>{pluralize(commit.num_downloads, 'pull')}</span>
          <Usage tenant={tenant} prompt={prompt} hash={hash} usage={usage} />
        </p>
      </div>
      <CommitMenu
        commit={commit}
        compared={compared}
        onParent={parent === null ? undefined : () => onCompare({ from: shortHash(parent), to: shortHash(hash) })}
        {...props}
      />
    </li>
  )
}

type UsageProps = Pick<CommitRowProps, 'tenant' | 'prompt' | 'usage'> & { hash: string }

/** Runs, mean scores and cost of the runs that name the commit. */
function Usage({ tenant, prompt, hash, usage }: UsageProps) {
  if (usage.isPending) return <Skeleton className="mt-1 w-24" />
  if (usage.data === undefined) return null
  const one = usage.data.get(hash)
  if (one === undefined) return <span>No runs</span>
  return (
    <>
      <Link {...promptLink(tenant, prompt, shortHash(hash), { tab: 'runs' })} className="text-fg hover:underline">
        {pluralize(one.runs, 'run')}
      </Link>
      {one.cost !== null && <CostText total={one.cost} reported={one.reportedCost} fees={one.unpricedFees} />}
      {one.scores.slice(0, 3).map(({ key, mean, count }) => (
        <span key={key} title={`Mean of ${formatCount(count)}`}>
          <bdi className="inline-block max-w-32 truncate align-bottom">{key}</bdi> {formatScore(mean)}
        </span>
      ))}
      {one.scores.length > 3 && <span>and {one.scores.length - 3} more scores</span>}
    </>
  )
}

type CommitMenuProps = Omit<CommitRowProps, 'usage'> & { onParent: (() => void) | undefined }

function CommitMenu({ commit, repo, compared, onParent, onCompare, onDialog }: CommitMenuProps) {
  const mayWrite = useMay('member')
  const hash = commit.commit_hash
  const short = shortHash(hash)
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of commit ${short}`} />}>
      <MenuItem disabled={onParent === undefined} onSelect={() => onParent?.()}>
        Compare with its parent
      </MenuItem>
      <MenuItem
        disabled={compared === undefined}
        onSelect={() => compared && onCompare({ from: short, to: compared.to })}
      >
        Compare from this commit
      </MenuItem>
      <MenuItem
        disabled={compared === undefined}
        onSelect={() => compared && onCompare({ from: compared.from, to: short })}
      >
        Compare to this commit
      </MenuItem>
      <MenuLine />
      <MenuItem onSelect={() => void copyText(hash)}>Copy the hash</MenuItem>
      {!repo.is_foreign && (
        <MenuItem
          icon={<Tag size={13} aria-hidden />}
          disabled={!mayWrite}
          onSelect={() => onDialog({ kind: 'set', hash })}
        >
          {mayWrite ? 'Set a tag…' : `Set a tag. ${READ_ONLY}`}
        </MenuItem>
      )}
    </Menu>
  )
}
