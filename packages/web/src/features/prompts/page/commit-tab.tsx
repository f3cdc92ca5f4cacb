import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { FileQuestion, GitCommitVertical } from 'lucide-react'
import { formatAbsoluteTime, formatRelativeTime, pluralize } from '#lib/format.ts'
import { buttonLook } from '#ui/button.tsx'
import { CopyButton } from '#ui/copy-button.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { SnippetTabs } from '#ui/snippet.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { PromptDocumentView } from '../document/prompt-document.tsx'
import { CommitLink, promptLink, TagPills } from '../document/prompt-parts.tsx'
import { RawManifest } from '../document/raw-manifest.tsx'
import { shortHash } from '../prompt-key.ts'
import { type LoadedCommit, promptQuery } from '../queries.ts'
import { pullSnippets } from '../snippets.ts'
import type { PromptTabProps } from './prompt-page.tsx'

/** The prompt at the commit of the address. */
export function CommitTab(props: PromptTabProps) {
  const { tenant, prompt, reference, repo } = props
  const { data: found, error, refetch } = useQuery(promptQuery.commit(prompt, reference))
  if (error !== null && found === undefined) {
    return (
      <div className="flex-1">
        <ErrorState title="Could not load the commit" error={error} onRetry={() => void refetch()} />
      </div>
    )
  }
  if (found === undefined) {
    return (
      <div className="flex-1">
        <SkeletonRows label="Loading the commit" />
      </div>
    )
  }
  if (found.kind === 'found') return <Commit {...props} commit={found.commit} />
  if (found.kind === 'ambiguous') return <Choices {...props} choices={found.choices} total={found.total} />
  if (found.kind === 'empty' || repo.num_commits === 0) return <NoCommits {...props} />
  return (
    <div className="flex-1">
      <EmptyState
        icon={FileQuestion}
        title="No such commit"
        actions={
          <>
            <Link {...promptLink(tenant, prompt)} className={buttonLook('primary')}>
              Show the newest commit
            </Link>
            <Link {...promptLink(tenant, prompt, undefined, { tab: 'commits' })} className={buttonLook()}>
              Show all commits
            </Link>
          </>
        }
      >
        No commit or tag of this prompt begins with <bdi className="break-all font-mono text-fg">{reference}</bdi>.
      </EmptyState>
    </div>
  )
}

function Commit({ commit, ...props }: PromptTabProps & { commit: LoadedCommit }) {
  const { prompt, search, repo } = props
  const isRaw = search.raw === true
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <CommitHeader {...props} commit={commit} />
      <About repo={repo} />
      {repo.is_foreign && (
        <p className="border-b border-border bg-sunken px-3 py-1.5 text-row text-fg-muted">
          This prompt belongs to another workspace. Read its raw manifest before a program loads it, and pin it to a
          commit.
        </p>
      )}
      {isRaw ? (
        <div className="min-h-0 flex-1">
          <RawManifest key={commit.summary.commit_hash} prompt={prompt} commit={commit} />
        </div>
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto">
          {'problem' in commit.read ? (
            <>
              <p role="status" className="px-4 pt-3 text-row text-fg-muted">
                {commit.read.problem} This is the manifest as it was committed:
              </p>
              <div className="h-[70vh]">
                <RawManifest key={commit.summary.commit_hash} prompt={prompt} commit={commit} />
              </div>
            </>
          ) : (
            <PromptDocumentView document={commit.read.document} />
          )}
        </div>
      )}
    </div>
  )
}

/** What the API and the settings say about the prompt. */
function About({ repo: { description, tags } }: Pick<PromptTabProps, 'repo'>) {
  if (!description && tags.length === 0) return null
  return (
    <section
      aria-label="About the prompt"
      className="flex flex-wrap items-baseline gap-x-3 gap-y-1 border-b border-border px-3 py-1.5 text-row text-fg-muted"
    >
      {description && (
        <p dir="auto" title={description} className="line-clamp-2 min-w-0 [overflow-wrap:anywhere]">
          {description}
        </p>
      )}
      {tags.length > 0 && (
        <p className="min-w-0 truncate" title={tags.join(', ')}>
          Tags: {tags.join(', ')}
        </p>
      )}
    </section>
  )
}

function CommitHeader({ tenant, prompt, search, commit, reference }: PromptTabProps & { commit: LoadedCommit }) {
  const navigate = useNavigate()
  const { summary } = commit
  const { commit_hash: hash, parent_commit_hash: parent, description, full_name: author, created_at, tags } = summary
  const diff = parent && `${shortHash(parent)}..${shortHash(hash)}`
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-border bg-surface px-3 py-1.5 text-row">
      <span className="flex items-center gap-0.5">
        <CommitLink tenant={tenant} prompt={prompt} hash={hash} className="font-medium" />
        <CopyButton text={hash} label="Copy the hash of the commit" iconOnly />
      </span>
      {description && (
        <span dir="auto" title={description} className="min-w-0 max-w-[40ch] truncate">
          {description}
        </span>
      )}
      <span className="text-fg-muted" title={formatAbsoluteTime(created_at)}>
        {formatRelativeTime(created_at).replace(/(:\d\d)?\.\d{3}$/, '')}
        {author && ` by ${author.slice(0, 60)}`}
      </span>
      <span className="flex flex-wrap gap-1">
        <TagPills names={reference === 'latest' ? ['latest', ...tags] : tags} />
      </span>
      <span className="ml-auto flex items-center gap-2">
        {diff && (
          <Link {...promptLink(tenant, prompt, undefined, { tab: 'commits', diff })} className={buttonLook()}>
            Compare with parent
          </Link>
        )}
        <Segmented
          label="Form of the prompt"
          value={search.raw ? 'raw' : 'messages'}
          onChange={(form) =>
            void navigate({
              ...promptLink(tenant, prompt, reference === 'latest' ? undefined : reference, {
                raw: form === 'raw' ? true : undefined,
              }),
              replace: true,
            })
          }
          options={[
            { value: 'messages', label: 'Messages' },
            { value: 'raw', label: 'Raw manifest' },
          ]}
        />
      </span>
    </header>
  )
}

type ChoicesProps = PromptTabProps & { choices: readonly LoadedCommit['summary'][]; total: number }

/** The commits that an ambiguous reference may mean. */
function Choices({ tenant, prompt, reference, choices, total }: ChoicesProps) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-4">
      <h2 className="text-heading font-semibold">
        {pluralize(total, 'commit')} {total === 1 ? 'begins' : 'begin'} with{' '}
        <bdi className="break-all font-mono">{reference}</bdi>
      </h2>
      <p className="pb-3 text-row text-fg-muted">Choose one, or use more characters of the hash.</p>
      <ul className="max-w-3xl divide-y divide-border rounded-card border border-border bg-surface">
        {choices.map(({ commit_hash: hash, description, created_at, tags }) => (
          <li key={hash} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-row">
            <Link {...promptLink(tenant, prompt, hash)} className="break-all font-mono text-accent hover:underline">
              {hash.slice(0, 16)}
            </Link>
            <TagPills names={tags} />
            {description && (
              <span dir="auto" className="min-w-0 truncate">
                {description}
              </span>
            )}
            <span className="ml-auto text-fg-muted">{formatRelativeTime(created_at)}</span>
          </li>
        ))}
      </ul>
      {total > choices.length && <p className="pt-2 text-row text-fg-muted">The first {choices.length} are shown.</p>}
    </div>
  )
}

function NoCommits({ prompt }: PromptTabProps) {
  const snippets = pullSnippets({
    origin: location.origin,
    ...prompt,
    commit: 'latest',
    hasModel: false,
  })
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <EmptyState icon={GitCommitVertical} title="No commits yet">
        Push a template to this prompt. Programs can then pull it:
      </EmptyState>
      <div className="mx-auto max-w-2xl px-4 pb-10">
        <SnippetTabs snippets={snippets} />
      </div>
    </div>
  )
}
