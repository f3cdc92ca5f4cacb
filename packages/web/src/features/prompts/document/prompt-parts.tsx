import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, type LinkOptions } from '@tanstack/react-router'
import type { Prompt } from '@touchstone/sdk'
import { Globe, Heart, Lock, Tag } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMay } from '#features/accounts/me.ts'
import { cx } from '#lib/browser.ts'
import { formatCount } from '#lib/format.ts'
import { READ_ONLY } from '#lib/roles.ts'
import { toast } from '#ui/toast.tsx'
import { type PromptKey, shortHash, toPromptKey } from '../prompt-key.ts'
import { promptMutation } from '../queries.ts'
import type { PromptSearch } from '../search.ts'

/** The link of a prompt, or of one of its commits. */
export function promptLink(
  tenant: string,
  { owner, repo }: PromptKey,
  commit?: string,
  search?: Partial<PromptSearch>,
) {
  return {
    to: '/o/$tenant/prompts/$owner/$repo/{-$commit}',
    params: { tenant, owner, repo, commit },
    search: search ?? {},
  } as const satisfies LinkOptions
}

interface CommitLinkProps {
  tenant: string
  prompt: PromptKey
  hash: string
  className?: string
}

/** The first characters of a commit's hash, as a link. */
export function CommitLink({ tenant, prompt, hash, className }: CommitLinkProps) {
  return (
    <Link
      {...promptLink(tenant, prompt, shortHash(hash))}
      title={hash}
      className={cx('font-mono hover:underline', className)}
    >
      {shortHash(hash)}
    </Link>
  )
}

/** Commit tags. */
export function TagPills({ names, children }: { names: readonly string[]; children?: (name: string) => ReactNode }) {
  return names.map((name) => (
    <span
      key={name}
      className="inline-flex h-5 min-w-0 max-w-40 items-center gap-1 rounded-full border border-border bg-sunken px-1.5 font-mono text-meta text-fg coarse:h-7"
    >
      <Tag size={10} aria-hidden className="shrink-0 text-fg-subtle" />
      <span className="min-w-0 truncate" title={name}>
        {children ? children(name) : name}
      </span>
    </span>
  ))
}

/** Commit tags that have place in a row, and the number of the others. */
export function FewTagPills({ names }: { names: readonly string[] }) {
  const left = names.length - MAX_PILLS
  return (
    <span className="flex min-w-0 items-center gap-1 overflow-hidden">
      <TagPills names={names.slice(0, MAX_PILLS)} />
      {left > 0 && (
        <span className="shrink-0 text-meta text-fg-muted" title={names.slice(MAX_PILLS).join(', ')}>
          +{left}
          <span className="sr-only"> more: {names.slice(MAX_PILLS).join(', ')}</span>
        </span>
      )}
    </span>
  )
}

const MAX_PILLS = 2

/** Whether others can read the prompt. */
export function Visibility({ isPublic }: { isPublic: boolean }) {
  const Icon = isPublic ? Globe : Lock
  return (
    <span className="inline-flex items-center gap-1 text-fg-muted">
      <Icon size={12} aria-hidden className="shrink-0" />
      {isPublic ? 'Public' : 'Private'}
    </span>
  )
}

interface LikeButtonProps {
  prompt: Prompt
  className?: string | undefined
  tabIndex?: number
}

/** Likes of a prompt. A workspace likes it once. */
export function LikeButton({ prompt, className, tabIndex }: LikeButtonProps) {
  const mayLike = useMay('member')
  const like = useMutation(promptMutation.like(useQueryClient(), toPromptKey(prompt)))
  const isLiked = like.isPending ? like.variables : prompt.liked_by_auth_user === true
  const count = prompt.num_likes + Number(isLiked) - Number(prompt.liked_by_auth_user === true)
  return (
    <button
      type="button"
      tabIndex={tabIndex}
      aria-pressed={isLiked}
      aria-label={`Like ${prompt.repo_handle}, ${formatCount(count)} so far`}
      disabled={!mayLike}
      title={mayLike ? undefined : READ_ONLY}
      onClick={(event) => {
        event.stopPropagation()
        like.mutate(!isLiked, { onError: (cause) => toast.failure('Could not save the like', cause) })
      }}
      className={cx(
        'inline-flex h-6 items-center gap-1 rounded-control px-1 tabular-nums text-fg-muted hover:bg-hover hover:text-fg disabled:opacity-50 coarse:h-10',
        className,
      )}
    >
      <Heart size={12} aria-hidden className={isLiked ? 'fill-current text-err' : undefined} />
      {formatCount(count)}
    </button>
  )
}
