import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Prompt } from '@touchstone/sdk'
import { FileQuestion } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { describeFailure } from '#lib/errors.ts'
import { formatCount, pluralize } from '#lib/format.ts'
import { addRecent } from '#lib/preferences.ts'
import { PageFrame } from '#shell/frame/page-frame.tsx'
import { PageTabs } from '#shell/frame/page-tabs.tsx'
import { buttonLook } from '#ui/button.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '#ui/states.tsx'
import { promptLink } from '../document/prompt-parts.tsx'
import { type PromptKey, toPromptName } from '../prompt-key.ts'
import { promptQuery } from '../queries.ts'
import type { PromptSearch, PromptTab } from '../search.ts'
import { CommitTab } from './commit-tab.tsx'
import { CommitsTab } from './commits-tab.tsx'
import { PromptActions } from './prompt-actions.tsx'
import { ReadmeTab } from './readme-tab.tsx'
import { RunsTab } from './runs-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'

export interface PromptPageProps {
  tenant: string
  prompt: PromptKey
  /** Commit of the address: `latest`, a tag, or any beginning of a hash or tag. */
  reference: string
  search: PromptSearch
}

export interface PromptTabProps extends PromptPageProps {
  repo: Prompt
}

const LABELS: Readonly<Record<PromptTab, string>> = {
  prompt: 'Prompt',
  commits: 'Commits',
  runs: 'Runs',
  readme: 'Readme',
  settings: 'Settings',
}

/** A prompt: its messages at a commit, its history, runs, readme and settings. */
export function PromptPage({ tenant, prompt, reference, search }: PromptPageProps) {
  const { data: repo, error, refetch } = useQuery(promptQuery.one(prompt))
  const name = toPromptName(prompt)
  useEffect(() => {
    if (repo) addRecent({ kind: 'prompt', label: name, href: `/o/${tenant}/prompts/${prompt.owner}/${prompt.repo}` })
  }, [tenant, repo, name, prompt.owner, prompt.repo])
  if (describeFailure(error).status === 404) return <PromptNotFound tenant={tenant} prompt={prompt} />
  const commit = reference === 'latest' ? undefined : reference
  const tabs = (Object.keys(LABELS) as PromptTab[])
    .filter((tab) => tab !== 'settings' || !repo?.is_foreign)
    .map((tab) => ({
      id: tab,
      label: tab === 'commits' && repo ? `Commits ${formatCount(repo.num_commits)}` : LABELS[tab],
      link: promptLink(tenant, prompt, commit, { tab }),
    }))
  return (
    <PageFrame
      title={name}
      tabs={<PageTabs label="Prompt" current={search.tab} tabs={tabs} />}
      actions={repo && <PromptActions tenant={tenant} prompt={prompt} repo={repo} reference={reference} />}
      status={repo && <Status repo={repo} />}
    >
      {error !== null && repo === undefined ? (
        <div className="flex-1">
          <ErrorState title="Could not load the prompt" error={error} onRetry={() => void refetch()} />
        </div>
      ) : repo === undefined ? (
        <div className="flex-1">
          <SkeletonRows label="Loading the prompt" />
        </div>
      ) : (
        renderTab({ tenant, prompt, reference, search, repo })
      )}
    </PageFrame>
  )
}

function renderTab(props: PromptTabProps): ReactNode {
  switch (props.search.tab) {
    case 'prompt':
      return <CommitTab {...props} />
    case 'commits':
      return <CommitsTab {...props} />
    case 'runs':
      return <RunsTab {...props} />
    case 'readme':
      return <ReadmeTab {...props} />
    case 'settings':
      return <SettingsTab {...props} />
  }
}

function Status({ repo }: { repo: Prompt }) {
  return (
    <>
      <span>{repo.is_public ? 'Public' : 'Private'}</span>
      {repo.is_archived && <span>Archived</span>}
      <span>{pluralize(repo.num_downloads, 'pull')}</span>
      <span>{pluralize(repo.num_views, 'view')}</span>
      {repo.upstream_repo_full_name && <span className="truncate">Fork of {repo.upstream_repo_full_name}</span>}
    </>
  )
}

function PromptNotFound({ tenant, prompt }: { tenant: string; prompt: PromptKey }) {
  return (
    <PageFrame title="Not found">
      <div className="flex-1">
        <EmptyState
          icon={FileQuestion}
          title="This prompt was not found"
          actions={
            <>
              <Link to="/o/$tenant/prompts" params={{ tenant }} className={buttonLook('primary')}>
                Show prompts
              </Link>
              <Link to="/o/$tenant/prompts" params={{ tenant }} search={{ view: 'hub' }} className={buttonLook()}>
                Show the public hub
              </Link>
            </>
          }
        >
          <p className="break-all font-mono text-row">{toPromptName(prompt)}</p>
          <p className="mt-2">
            {prompt.owner === '-'
              ? 'It may have been deleted, or belong to another workspace.'
              : 'It may have been deleted, or may not be public.'}
          </p>
        </EmptyState>
      </div>
    </PageFrame>
  )
}
