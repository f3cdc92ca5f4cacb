import { useQuery } from '@tanstack/react-query'
import type { CommitTag, Prompt, PromptEnvironment } from '@touchstone/sdk'
import { ArrowRight, Ellipsis, History, Lock, Trash2 } from 'lucide-react'
import { meQuery } from '#features/accounts/me.ts'
import { formatAbsoluteTime, formatRelativeTime } from '#lib/format.ts'
import { getRoleLabel, isAtLeast, READ_ONLY } from '#lib/roles.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import { CommitLink, TagPills } from '../document/prompt-parts.tsx'
import type { PromptKey } from '../prompt-key.ts'
import { promptQuery } from '../queries.ts'
import type { TagDialogState } from './commits-tab.tsx'

interface TagListProps {
  tenant: string
  prompt: PromptKey
  repo: Prompt
  onDialog: (dialog: TagDialogState) => void
}

/** The commit tags and where they point. Protected ones say who may move them. */
export function TagList({ tenant, prompt, repo, onDialog }: TagListProps) {
  const { data: tags, error, refetch } = useQuery(promptQuery.commitTags(prompt))
  const environments = useQuery({ ...promptQuery.environments(), enabled: !repo.is_foreign }).data?.environments ?? []
  if (error !== null && tags === undefined) {
    return <ErrorState compact title="Could not load the tags" error={error} onRetry={() => void refetch()} />
  }
  if (tags === undefined) return <SkeletonRows rows={2} label="Loading tags" />
  return (
    <section aria-label="Tags" className="flex flex-col">
      <h2 className="border-b border-border bg-sunken px-3 py-1 text-row font-medium">Tags</h2>
      {tags.length === 0 && (
        <p className="border-b border-border px-3 py-1.5 text-row text-fg-muted">
          No tags. A tag such as production names the commit that programs pull; set one in the menu of a commit.
        </p>
      )}
      <ul>
        {tags.map((tag) => (
          <TagRow
            key={tag.tag_name}
            tenant={tenant}
            prompt={prompt}
            tag={tag}
            environment={environments.find(({ name }) => name === tag.tag_name)}
            isForeign={repo.is_foreign === true}
            onDialog={onDialog}
          />
        ))}
      </ul>
    </section>
  )
}

interface TagRowProps {
  tenant: string
  prompt: PromptKey
  tag: CommitTag
  environment: PromptEnvironment | undefined
  isForeign: boolean
  onDialog: (dialog: TagDialogState) => void
}

function TagRow({ tenant, prompt, tag, environment, isForeign, onDialog }: TagRowProps) {
  const role = useQuery(meQuery.current()).data?.role
  const least = environment?.least_role ?? 'member'
  const mayMove = role === undefined || isAtLeast(role, least)
  const name = tag.tag_name
  const reason = least === 'admin' ? 'Only admins may move this tag.' : READ_ONLY
  return (
    <li className="flex min-h-9 items-center gap-2 border-b border-border px-3 py-1 text-row">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
        <TagPills names={[name]} />
        <ArrowRight size={12} aria-hidden className="text-fg-subtle" />
        <CommitLink tenant={tenant} prompt={prompt} hash={tag.commit_hash} />
        {environment !== undefined && (
          <span className="inline-flex items-center gap-1 text-meta text-fg-muted" title={`Protected: ${reason}`}>
            <Lock size={11} aria-hidden /> {getRoleLabel(environment.least_role)}s only
          </span>
        )}
        <span className="text-meta text-fg-muted" title={formatAbsoluteTime(tag.updated_at)}>
          {formatRelativeTime(tag.updated_at).replace(/(:\d\d)?\.\d{3}$/, '')}
        </span>
      </div>
      <span className="shrink-0">
        <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of tag ${name}`} />}>
          <MenuItem icon={<History size={13} aria-hidden />} onSelect={() => onDialog({ kind: 'history', name })}>
            History
          </MenuItem>
          {!isForeign && (
            <MenuItem
              icon={<Trash2 size={13} aria-hidden />}
              danger
              disabled={!mayMove}
              onSelect={() => onDialog({ kind: 'delete', name })}
            >
              {mayMove ? 'Delete tag…' : `Delete tag. ${reason}`}
            </MenuItem>
          )}
        </Menu>
      </span>
    </li>
  )
}

interface TagHistoryDialogProps {
  tenant: string
  prompt: PromptKey
  name: string
  onClose: () => void
}

/** Who moved a tag, when, and from where to where. */
export function TagHistoryDialog({ tenant, prompt, name, onClose }: TagHistoryDialogProps) {
  const { data, error, refetch } = useQuery(promptQuery.tagHistory(prompt, name))
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`History of ${name}`}
      width="max-w-2xl"
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      {error !== null && <ErrorState title="Could not load the history" error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows rows={4} label="Loading the history" />}
      <ol className="divide-y divide-border">
        {data?.transitions.map(
          ({ id, from_commit_hash: from, to_commit_hash: to, performed_by_name: by, created_at }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-2 gap-y-1 py-2 text-row">
              <span>{to === null ? 'Deleted' : from === null ? 'Created' : 'Moved'}</span>
              {from !== null && <CommitLink tenant={tenant} prompt={prompt} hash={from} />}
              {from !== null && to !== null && <ArrowRight size={12} aria-hidden className="text-fg-subtle" />}
              {to !== null && <CommitLink tenant={tenant} prompt={prompt} hash={to} />}
              <span className="ml-auto text-fg-muted">
                {formatAbsoluteTime(created_at).slice(0, -4)}
                {by && ` by ${by.slice(0, 60)}`}
              </span>
            </li>
          ),
        )}
      </ol>
      {data && data.total > data.transitions.length && (
        <p className="pt-2 text-row text-fg-muted">
          The newest {data.transitions.length} of {data.total} changes.
        </p>
      )}
    </Dialog>
  )
}
