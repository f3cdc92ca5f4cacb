import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { PlaygroundDraft, PlaygroundDraftDetail, PlaygroundEvent } from '@touchstone/contract'
import * as routes from '@touchstone/contract/routes'
import type { ApiRoute } from '@touchstone/sdk'
import { clientOf, PromptCalls, PromptCommitCalls, type RawRequest, ServerCalls } from '@touchstone/sdk/api'
import type { RunRequest } from '#lib/playground/controller.ts'
import { connection } from './client.ts'
import { refreshPrompts } from './prompts.ts'

const client = clientOf(connection, ServerCalls, PromptCalls, PromptCommitCalls)

async function call<Answer>(route: ApiRoute, request: RawRequest): Promise<Answer> {
  const response = await client.raw(route, request)
  const text = await response.text()
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}

/** Streams the answers of one variant. An abort cancels the calls. */
export async function streamPlaygroundRun(
  { name, providerId, model, format, prompt, values, repeats, ...sent }: RunRequest,
  onEvent: (event: PlaygroundEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const variant = { ...sent, name, provider_id: providerId, model, template_format: format, prompt: prompt ?? null }
  const response = await client.raw(routes.playground.run, {
    body: { variants: [variant], variables: values, repeats },
    doing: 'run the variant',
    signal,
    maxRetries: 0,
  })
  if (response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    const lines = (rest + (value ?? '')).split('\n')
    rest = done ? '' : (lines.pop() ?? '')
    for (const line of lines) {
      if (line.startsWith('data:')) onEvent(JSON.parse(line.slice('data:'.length)) as PlaygroundEvent)
    }
    if (done) return
  }
}

export const draftQuery = {
  all: () => ['playground-drafts'] as const,
  /** The drafts that were changed last. */
  list: () =>
    queryOptions({
      queryKey: [...draftQuery.all(), 'list'],
      queryFn: ({ signal }) =>
        call<{ drafts: PlaygroundDraft[]; total: number }>(routes.playgroundDrafts.list, {
          query: { limit: 50 },
          signal,
        }),
      meta: { quiet: true },
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: [...draftQuery.all(), 'one', id],
      queryFn: ({ signal }) =>
        call<PlaygroundDraftDetail>(routes.playgroundDrafts.read, { params: { draft_id: id }, signal }),
      structuralSharing: false,
      // The page holds the newest state itself.
      staleTime: 0,
      gcTime: 0,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    }),
}

export interface SavedDraft {
  readonly id: string
  readonly name: string
  readonly version: number
}

/** Creates a draft, or changes one. @throws a conflict when another member has changed it since `version` */
export async function saveDraft(
  draft: SavedDraft | undefined,
  name: string,
  body: Readonly<Record<string, unknown>>,
): Promise<SavedDraft> {
  if (draft === undefined) return call<PlaygroundDraft>(routes.playgroundDrafts.create, { body: { name, body } })
  return call<PlaygroundDraft>(routes.playgroundDrafts.update, {
    params: { draft_id: draft.id },
    body: { name, body, expected_version: draft.version },
  })
}

export const draftMutation = {
  delete: (queryClient: QueryClient) => ({
    mutationFn: (id: string) => call<void>(routes.playgroundDrafts.delete, { params: { draft_id: id } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: draftQuery.all() }),
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

export const commitMutation = {
  /** Commits to a prompt of the workspace, which is created if it is new. @returns the hash */
  create: (queryClient: QueryClient) => ({
    mutationFn: async ({ repo, isNew, manifest, parent, message, tag }: NewCommit): Promise<string> => {
      if (isNew) await client.createPrompt(repo)
      const { commit } = await call<{ commit: { commit_hash: string } }>(routes.promptCommits.create, {
        params: { owner: '-', repo },
        body: { manifest, parent_commit: parent ?? null, description: message || null },
      })
      if (tag !== '') await client.tagCommit(`-/${repo}:${commit.commit_hash}`, tag)
      return commit.commit_hash
    },
    onSettled: () => refreshPrompts(queryClient),
  }),
}
