import { type QueryClient, queryOptions } from '@tanstack/react-query'
import * as routes from '@touchstone/contract/routes'
import type {
  Example,
  PlaygroundDraft,
  PlaygroundEvent,
  PlaygroundJob,
  PlaygroundJobDetail,
  PlaygroundJobWrite,
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
import type { RunRequest } from '#lib/playground/controller.ts'
import { connection } from './client.ts'
import { refreshPrompts } from './prompts.ts'

const client = clientOf(
  connection,
  PlaygroundCalls,
  PromptCalls,
  PromptCommitCalls,
  ExampleCalls,
  SavedEvaluatorCalls,
  ServerCalls,
)

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

export const draftQuery = {
  all: () => ['playground-drafts'] as const,
  /** The drafts that were changed last. */
  list: () =>
    queryOptions({
      queryKey: [...draftQuery.all(), 'list'],
      queryFn: ({ signal }) => client.listPlaygroundDrafts({ limit: 50 }, { signal }),
      meta: { quiet: true },
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

export type SavedDraft = Pick<PlaygroundDraft, 'id' | 'name' | 'version'>

/** Creates a draft, or changes one. @throws a conflict when another member has changed it since `version` */
export async function saveDraft(
  draft: SavedDraft | undefined,
  name: string,
  body: Record<string, unknown>,
): Promise<SavedDraft> {
  if (draft === undefined) return client.createPlaygroundDraft({ name, body })
  return client.updatePlaygroundDraft(draft.id, { name, body, expected_version: draft.version })
}

export const jobQuery = {
  one: (id: string) =>
    queryOptions({
      queryKey: ['playground-jobs', 'one', id],
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
      queryKey: ['playground-jobs', 'estimate', job],
      queryFn: ({ signal }) => client.estimatePlaygroundJob(job, { signal }),
      retry: false,
      staleTime: 60_000,
      meta: { quiet: true },
    }),
  /** The first example of a dataset, to show what variables get. */
  firstRow: (datasetId: string, asOf: string | undefined) =>
    queryOptions({
      queryKey: ['playground-jobs', 'first-row', datasetId, asOf],
      queryFn: async ({ signal }): Promise<Example | null> => {
        for await (const example of client.listExamples({ datasetId, asOf, limit: 1 }, { signal })) return example
        return null
      },
      staleTime: 30_000,
    }),
  /** Evaluators that can be attached, by name. */
  evaluators: () =>
    queryOptions({
      queryKey: ['playground-jobs', 'evaluators'],
      queryFn: async ({ signal }) => {
        const found: SavedEvaluator[] = []
        for await (const evaluator of client.listSavedEvaluators({ limit: 200 }, { signal })) found.push(evaluator)
        return found
      },
      staleTime: 30_000,
      meta: { quiet: true },
    }),
}

export const jobMutation = {
  create: () => ({ mutationFn: (job: PlaygroundJobWrite) => client.createPlaygroundJob(job) }),
  change: (queryClient: QueryClient, id: string) => ({
    mutationFn: (action: 'pause' | 'resume' | 'stop'): Promise<PlaygroundJob> => {
      if (action === 'pause') return client.pausePlaygroundJob(id)
      return action === 'stop' ? client.stopPlaygroundJob(id) : client.resumePlaygroundJob(id)
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: jobQuery.one(id).queryKey }),
  }),
}

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
