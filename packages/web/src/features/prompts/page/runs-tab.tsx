import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Run } from '@touchstone/sdk'
import { Activity, FileQuestion } from 'lucide-react'
import { formatAbsoluteTime, formatLatency, formatRelativeTime, formatTokens } from '#lib/format.ts'
import { msBetween } from '#lib/time/time-range.ts'
import { Button, buttonLook } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'
import { CostText } from '#ui/cost-text.tsx'
import { SnippetTabs } from '#ui/snippet.tsx'
import { EmptyState, ErrorState, Preview, SkeletonRows } from '#ui/states.tsx'
import { CommitLink, promptLink } from '../document/prompt-parts.tsx'
import { getOwnHandle, type PromptKey, shortHash } from '../prompt-key.ts'
import { COMMIT_KEY, promptRunsQuery } from '../prompt-usage.ts'
import { type FoundCommit, promptQuery } from '../queries.ts'
import { runMetadataSnippets } from '../snippets.ts'
import type { PromptTabProps } from './prompt-page.tsx'

/** Runs of all projects that name the prompt, or the commit of the address, in their metadata; newest first. */
export function RunsTab({ tenant, prompt, reference, repo }: PromptTabProps) {
  const ofAll = reference === 'latest'
  const found = useQuery({ ...promptQuery.commit(prompt, reference), enabled: !ofAll })
  const hash = found.data?.kind === 'found' ? found.data.commit.summary.commit_hash : undefined
  const used = { ...prompt, handle: getOwnHandle(repo) }
  const list = useInfiniteQuery({ ...promptRunsQuery(used, hash), enabled: ofAll || hash !== undefined })
  const runs = list.data?.pages.flatMap((page) => page.runs) ?? []
  if (found.isError) {
    return (
      <div className="flex-1">
        <ErrorState title="Could not load the commit" error={found.error} onRetry={() => void found.refetch()} />
      </div>
    )
  }
  if (found.data && hash === undefined) return <NoSingleCommit {...{ tenant, prompt, reference, found: found.data }} />
  return (
    <div className="min-h-0 min-w-0 flex-1 overflow-auto">
      {hash !== undefined && (
        <p className="flex items-center gap-2 border-b border-border px-3 py-1.5 text-row">
          Runs of commit <span className="font-mono">{shortHash(hash)}</span>
          <Link {...promptLink(tenant, prompt, undefined, { tab: 'runs' })} className={buttonLook()}>
            Show runs of all commits
          </Link>
        </p>
      )}
      {list.isPending && <SkeletonRows label="Loading runs" />}
      {list.isError && (
        <ErrorState title="Could not load the runs" error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.isSuccess && runs.length === 0 && <NoRuns prompt={prompt} hash={hash} />}
      {runs.length > 0 && (
        <CardTable
          label="Runs"
          isSticky
          columns={[
            'Run',
            'Commit',
            'Status',
            { title: 'Latency', isNumber: true },
            { title: 'Tokens', isNumber: true },
            { title: 'Cost', isNumber: true },
            'Started',
          ]}
        >
          {runs.map((run) => (
            <RunRow key={run.id} tenant={tenant} prompt={prompt} run={run} />
          ))}
        </CardTable>
      )}
      {list.hasNextPage && (
        <p className="p-3 text-center">
          <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show older runs
          </Button>
        </p>
      )}
    </div>
  )
}

function RunRow({ tenant, prompt, run }: Pick<PromptTabProps, 'tenant' | 'prompt'> & { run: Run }) {
  const hash: unknown = run.extra?.metadata?.[COMMIT_KEY]
  const latency = msBetween(run.start_time, run.end_time)
  return (
    <CardRow>
      <th scope="row" className="max-w-96 truncate px-3 font-normal max-sm:w-full max-sm:max-w-none max-sm:p-0">
        <Link
          to="/o/$tenant/projects/p/$projectId/r/$runId"
          params={{ tenant, projectId: run.session_id ?? '', runId: run.id }}
          dir="auto"
          className="font-medium hover:underline"
        >
          {run.name}
        </Link>
        {run.inputs_preview && (
          <span dir="auto" className="text-fg-muted">
            {' '}
            <Preview derived={run.derived_payloads} side="inputs">
              {run.inputs_preview}
            </Preview>
          </span>
        )}
      </th>
      <td className="px-3 max-sm:p-0">
        {typeof hash === 'string' && <CommitLink tenant={tenant} prompt={prompt} hash={hash} />}
      </td>
      <td className={run.status === 'error' ? 'px-3 text-err max-sm:p-0' : 'px-3 text-fg-muted max-sm:p-0'}>
        {run.status}
      </td>
      <td className="num px-3 max-sm:p-0">{formatLatency(latency)}</td>
      <td className="num px-3 max-sm:hidden">{formatTokens(run.total_tokens)}</td>
      <td className="num px-3 max-sm:p-0">
        <CostText total={run.total_cost} reported={run.reported_cost} fees={run.unpriced_fees} />
      </td>
      <td
        className="whitespace-nowrap px-3 text-fg-muted max-sm:ml-auto max-sm:p-0"
        title={formatAbsoluteTime(String(run.start_time))}
      >
        {formatRelativeTime(String(run.start_time)).replace(/\.\d{3}$/, '')}
      </td>
    </CardRow>
  )
}

type NoSingleCommitProps = Pick<PromptTabProps, 'tenant' | 'prompt' | 'reference'> & { found: FoundCommit }

/** Without a single commit there are no runs of one, and those of all commits would be taken for them. */
function NoSingleCommit({ tenant, prompt, reference, found }: NoSingleCommitProps) {
  const isAmbiguous = found.kind === 'ambiguous'
  return (
    <div className="flex-1">
      <EmptyState
        icon={FileQuestion}
        title={isAmbiguous ? 'Several commits have this name' : 'No such commit'}
        actions={
          <>
            <Link
              {...promptLink(tenant, prompt, isAmbiguous ? reference : undefined)}
              className={buttonLook('primary')}
            >
              {isAmbiguous ? 'Choose a commit' : 'Show the newest commit'}
            </Link>
            <Link {...promptLink(tenant, prompt, undefined, { tab: 'runs' })} className={buttonLook()}>
              Show runs of all commits
            </Link>
          </>
        }
      >
        {isAmbiguous ? 'More than one commit or tag' : 'No commit or tag'} of this prompt begins with{' '}
        <bdi className="break-all font-mono text-fg">{reference}</bdi>.
      </EmptyState>
    </div>
  )
}

function NoRuns({ prompt, hash }: { prompt: PromptKey; hash: string | undefined }) {
  return (
    <>
      <EmptyState icon={Activity} title="No runs">
        Runs that name the prompt in their metadata are listed here. LangChain does this for pulled prompts; other
        programs set the metadata themselves:
      </EmptyState>
      <div className="mx-auto max-w-2xl px-4 pb-10">
        <SnippetTabs
          snippets={runMetadataSnippets({ ...prompt, commit: hash === undefined ? 'latest' : shortHash(hash) })}
        />
      </div>
    </>
  )
}
