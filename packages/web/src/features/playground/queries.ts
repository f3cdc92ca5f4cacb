import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import * as routes from '@touchstone/contract/routes'
import type {
  Example,
  PlaygroundDraft,
  PlaygroundEvent,
  PlaygroundJob,
  PlaygroundJobDetail,
  PlaygroundJobWrite,
  PlaygroundLimits,
  SavedEvaluator,
} from '@touchstone/sdk'
import {
  clientOf,
  ExampleCalls,
  PlaygroundCalls,
  PromptCalls,
  PromptCommitCalls,
  SavedEvaluatorCalls,
  ServerCalls,
} from '@touchstone/sdk/api'
import { refreshPrompts } from '#features/prompts/queries.ts'
import { client as baseClient, canOutlivePage, connection, savingConnection } from '#lib/api/client.ts'
import type { RunRequest } from './logic/controller.ts'
import type { RecordedRun } from './logic/tool-results.ts'

const client = clientOf(
  connection,
  PlaygroundCalls,
  PromptCalls,
  PromptCommitCalls,
  ExampleCalls,
  SavedEvaluatorCalls,
  ServerCalls,
)

const savingClient = clientOf(savingConnection, PlaygroundCalls)

/** A variant as the API takes it. */
export function toWireVariant({
  name,
  providerId,
  model,
  format,
  prompt,
  ...rest
}: Omit<RunRequest, 'values' | 'repeats'>) {
  const { messages, tools, tool_choice, output_schema, parameters, extra_body } = rest
  return {
    name,
    provider_id: providerId,
    model,
    template_format: format,
    messages: [...messages],
    tools: tools === null ? null : [...tools],
    tool_choice,
    output_schema,
    parameters,
    extra_body,
    prompt: prompt ?? null,
  }
}

/** Streams the answers of one variant. An abort cancels the calls. */
export async function streamPlaygroundRun(
  { values, repeats, ...variant }: RunRequest,
  onEvent: (event: PlaygroundEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const run = { variants: [toWireVariant(variant)], variables: values, repeats }
  for await (const event of client.runPlayground(run, { signal })) onEvent(event)
}

/** Drafts or runs over datasets that one request lists. */
const PAGE = 50

export const draftQuery = {
  all: () => ['playground-drafts'] as const,
  /** The drafts that were changed last. */
  list: () =>
    queryOptions({
      queryKey: [...draftQuery.all(), 'list'],
      queryFn: ({ signal }) => client.listPlaygroundDrafts({ limit: 50 }, { signal }),
      meta: { quiet: true },
    }),
  pages: () =>
    infiniteQueryOptions({
      queryKey: [...draftQuery.all(), 'pages'],
      queryFn: ({ pageParam: offset, signal }) => client.listPlaygroundDrafts({ offset, limit: PAGE }, { signal }),
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => (pages.length * PAGE < total ? pages.length * PAGE : undefined),
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: [...draftQuery.all(), 'one', id],
      queryFn: ({ signal }) => client.readPlaygroundDraft(id, { signal }),
      structuralSharing: false,
      // The page holds the newest state itself.
      staleTime: 0,
      gcTime: 0,
    }),
}

export const draftMutation = {
  delete: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => client.deletePlaygroundDraft(id),
    onSettled: () => queryClient.invalidateQueries({ queryKey: draftQuery.all() }),
  }),
}

export type SavedDraft = Pick<PlaygroundDraft, 'id' | 'name' | 'version'>

/** Creates a draft, or changes one. @throws a conflict when another member has changed it since `version` */
export async function saveDraft(
  draft: SavedDraft | undefined,
  name: string,
  body: Record<string, unknown>,
): Promise<SavedDraft> {
  if (draft === undefined) return savingClient.createPlaygroundDraft({ name, body })
  return savingClient.updatePlaygroundDraft(draft.id, { name, body, expected_version: draft.version })
}

/** Whether a draft that is being saved is saved although the page is closed meanwhile. */
export function isDraftSafe(name: string, body: Record<string, unknown>): boolean {
  // The version is added to the request.
  return canOutlivePage(JSON.stringify({ name, body, expected_version: 1_000_000_000 }))
}

export const jobQuery = {
  all: () => ['playground-jobs'] as const,
  /** Runs over datasets, newest first; read again while one works. */
  list: () =>
    infiniteQueryOptions({
      queryKey: [...jobQuery.all(), 'list'],
      queryFn: ({ pageParam: offset, signal }) => client.listPlaygroundJobs({ offset, limit: PAGE }, { signal }),
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => (pages.length * PAGE < total ? pages.length * PAGE : undefined),
      refetchInterval: ({ state }) =>
        state.data?.pages.some(({ jobs }) => jobs.some((job) => job.state === 'RUNNING')) ? 3_000 : false,
      meta: { quiet: true },
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: [...jobQuery.all(), 'one', id],
      queryFn: ({ signal }): Promise<PlaygroundJobDetail> => client.readPlaygroundJob(id, { signal }),
      // Without data the first request runs or has failed, and only Retry asks again.
      refetchInterval: ({ state }) => {
        if (state.data?.state !== 'RUNNING') return false
        return state.status === 'error' ? 10_000 : 1_000
      },
      meta: { quiet: true },
    }),
  /** What a job will need. Calls no model. */
  estimate: (job: PlaygroundJobWrite) =>
    queryOptions({
      queryKey: [...jobQuery.all(), 'estimate', job],
      queryFn: ({ signal }) => client.estimatePlaygroundJob(job, { signal }),
      retry: false,
      staleTime: 60_000,
      meta: { quiet: true },
    }),
  /** One example of a dataset, to show what variables get; null after the last. */
  row: (datasetId: string, asOf: string | undefined, splits: readonly string[], at: number) =>
    queryOptions({
      queryKey: [...jobQuery.all(), 'row', datasetId, asOf, splits, at],
      queryFn: async ({ signal }): Promise<Example | null> => {
        const conditions = { as_of: asOf, splits: splits.length > 0 ? [...splits] : undefined }
        const query = { dataset: datasetId, ...conditions, offset: at, limit: 1 }
        return (await client.queryExamples(query, { signal }))[0] ?? null
      },
      staleTime: 30_000,
    }),
  /** Evaluators that can be attached, by name. */
  evaluators: () =>
    queryOptions({
      queryKey: [...jobQuery.all(), 'evaluators'],
      queryFn: async ({ signal }) => {
        const found: SavedEvaluator[] = []
        for await (const evaluator of client.listSavedEvaluators({ limit: 200 }, { signal })) found.push(evaluator)
        return found
      },
      staleTime: 30_000,
      meta: { quiet: true },
    }),
}

interface JobChange {
  readonly action: 'pause' | 'resume' | 'stop'
  /** Replace those of the job when it is resumed. @default unchanged */
  readonly limits?: PlaygroundLimits | undefined
}

export const jobMutation = {
  create: () => ({ mutationFn: (job: PlaygroundJobWrite) => client.createPlaygroundJob(job) }),
  change: (queryClient: QueryClient, id: string) => ({
    mutationFn: ({ action, limits }: JobChange): Promise<PlaygroundJob> => {
      if (action === 'pause') return client.pausePlaygroundJob(id)
      return action === 'stop' ? client.stopPlaygroundJob(id) : client.resumePlaygroundJob(id, limits)
    },
    onSettled: () =>
      Promise.all(
        [jobQuery.one(id), jobQuery.list()].map(({ queryKey }) => queryClient.invalidateQueries({ queryKey })),
      ),
  }),
}

/** What tools have answered: in the trace of a run, and in a row of a dataset. */
export const recordedQuery = {
  /** The runs of tools and models in the trace of a run, oldest first; the run alone when it has no others. */
  trace: (runId: string) =>
    queryOptions({
      queryKey: ['playground-recorded', 'trace', runId],
      queryFn: async ({ signal }): Promise<readonly RecordedRun[]> => {
        const { runs: found } = await baseClient.queryRuns({ id: [runId], select: ['trace_id'], limit: 1 }, { signal })
        const trace = found[0]?.trace_id
        if (trace === undefined) return []
        const select = ['name', 'run_type', 'inputs', 'outputs', 'error']
        const of = (run_type: 'tool' | 'llm') =>
          baseClient.queryRuns({ trace, run_type, select, order: 'asc', limit: MAX_RECORDED }, { signal })
        const [tools, models] = await Promise.all([of('tool'), of('llm')])
        return [...tools.runs, ...models.runs]
      },
      staleTime: 60_000,
      structuralSharing: false,
      meta: { quiet: true },
    }),
  example: (exampleId: string) =>
    queryOptions({
      queryKey: ['playground-recorded', 'example', exampleId],
      queryFn: ({ signal }) => client.readExample(exampleId, { signal }),
      staleTime: 60_000,
      meta: { quiet: true },
    }),
}

/** Runs of each type whose answers are read. */
const MAX_RECORDED = 100

export interface NewCommit {
  /** Name of a prompt of the workspace. */
  readonly repo: string
  readonly isNew: boolean
  readonly manifest: unknown
  /** Hash that the commit follows; absent for the first commit. */
  readonly parent: string | undefined
  readonly message: string
  /** Tag that shall point to the commit; empty for none. */
  readonly tag: string
}

interface Committed {
  readonly hash: string
  readonly tagError?: unknown
}

export const commitMutation = {
  /** Commits to a prompt of the workspace, which is created if it is new. @returns the hash, and why the tag stayed */
  create: (queryClient: QueryClient) => ({
    mutationFn: async ({ repo, isNew, manifest, parent, message, tag }: NewCommit): Promise<Committed> => {
      if (isNew) await client.createPrompt(repo)
      const response = await client.raw(routes.promptCommits.create, {
        params: { owner: '-', repo },
        body: { manifest, parent_commit: parent ?? null, description: message || null },
        doing: `commit to ${repo}`,
      })
      const { commit } = (await response.json()) as { commit: { commit_hash: string } }
      const hash = commit.commit_hash
      if (tag === '') return { hash }
      // The commit exists by now: a failure here must not look as if it did not.
      return client.tagCommit(`-/${repo}:${hash}`, tag).then(
        () => ({ hash }),
        (tagError: unknown) => ({ hash, tagError }),
      )
    },
    onSettled: () => refreshPrompts(queryClient),
  }),
}
