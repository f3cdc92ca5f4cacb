import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { type PromptDocument, type ReadManifest, readManifest } from '@touchstone/contract/prompt-manifest'
import { MIN_HASH_PREFIX } from '@touchstone/contract/prompt-tags'
import * as routes from '@touchstone/contract/routes'
import type {
  CommitTag,
  CommitTagTransition,
  CreatePromptParams,
  Prompt,
  PromptCommitSummary,
  PromptEnvironment,
  UpdatePromptParams,
} from '@touchstone/sdk'
import { clientOf, PromptCalls, PromptCommitCalls, PromptEnvironmentCalls, ServerCalls } from '@touchstone/sdk/api'
import { connection } from '#lib/api/client.ts'
import { openJson } from '#lib/json/json-host.ts'
import { type PromptKey, toIdentifier } from './prompt-key.ts'
import { type PromptsSearch, toPromptOrder } from './search.ts'

const client = clientOf(connection, PromptCalls, PromptCommitCalls, PromptEnvironmentCalls, ServerCalls)

const PAGE = 50

/** A commit with its manifest. */
export interface LoadedCommit {
  readonly summary: PromptCommitSummary
  /** The manifest with its model. */
  readonly manifest: unknown
  readonly read: ReadManifest
  /** The response, which has the manifest as it was committed. */
  readonly text: string
}

/** What a reference in an address leads to. */
export type FoundCommit =
  | { readonly kind: 'found'; readonly commit: LoadedCommit }
  /** Several commits that the reference may mean. */
  | { readonly kind: 'ambiguous'; readonly choices: readonly PromptCommitSummary[]; readonly total: number }
  | { readonly kind: 'unknown' }
  /** The prompt has no commits. */
  | { readonly kind: 'empty' }

type ListSearch = Pick<PromptsSearch, 'view' | 'q' | 'tag' | 'sort' | 'archived'>

const toConditions = ({ view, q, tag, archived }: Omit<ListSearch, 'sort'>) => ({
  query: q.trim() || undefined,
  tags: tag === undefined ? undefined : [tag],
  isPublic: view === 'hub' ? true : undefined,
  isArchived: view === 'mine' && archived === true,
})

export const promptQuery = {
  all: () => ['prompts'] as const,
  list: (search: ListSearch) =>
    infiniteQueryOptions({
      queryKey: [...promptQuery.all(), 'list', search],
      queryFn: ({ pageParam: offset, signal }) =>
        client.queryPrompts(
          { ...toConditions(search), ...toPromptOrder(search.sort), offset, limit: PAGE },
          { signal },
        ),
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => (pages.length * PAGE < total ? pages.length * PAGE : undefined),
      placeholderData: keepPreviousData,
    }),
  /** Tags of the prompts of a list, with counts. */
  tags: ({ view, archived }: Pick<ListSearch, 'view' | 'archived'>) =>
    queryOptions({
      queryKey: [...promptQuery.all(), 'tags', view, archived],
      queryFn: ({ signal }) => client.listPromptTags(toConditions({ view, archived, q: '' }), { signal }),
      meta: { quiet: true },
    }),
  /** The prompts of the workspace whose name or description contains the text, the best match first. */
  search: (text: string) =>
    queryOptions({
      queryKey: [...promptQuery.all(), 'search', text],
      queryFn: async ({ signal }) =>
        (await client.queryPrompts({ query: text, sortField: 'relevance', limit: 20 }, { signal })).repos,
    }),
  /** The prompts that match a text, the best match first, and their number; all for an empty text. */
  find: (text: string) =>
    queryOptions({
      queryKey: [...promptQuery.all(), 'find', text],
      queryFn: ({ signal }) => {
        const sortField = text === '' ? ('updated_at' as const) : ('relevance' as const)
        return client.queryPrompts({ query: text || undefined, sortField, limit: PAGE }, { signal })
      },
      placeholderData: keepPreviousData,
      meta: { quiet: true },
    }),
  /** Ids and names of the newest thousand prompts of the workspace. */
  names: () =>
    queryOptions({
      queryKey: [...promptQuery.all(), 'names'],
      queryFn: async ({ signal }): Promise<readonly { readonly id: string; readonly name: string }[]> => {
        const names = []
        for (let offset = 0; offset < 1000; offset += 100) {
          const { repos, total } = await client.queryPrompts({ offset, limit: 100 }, { signal })
          names.push(...repos.map(({ id, repo_handle }) => ({ id, name: repo_handle })))
          if (offset + 100 >= total) break
        }
        return names
      },
      staleTime: 30_000,
    }),
  one: (key: PromptKey) =>
    queryOptions({
      queryKey: [...promptQuery.all(), 'one', key],
      queryFn: async ({ signal }) => {
        const { repo } = await readRepo(key, signal)
        return repo
      },
      staleTime: 30_000,
    }),
  /** The commit that a reference of an address means: `latest`, a tag, or any beginning of a hash or tag. */
  commit: (key: PromptKey, reference: string) =>
    queryOptions({
      queryKey: [...promptQuery.history(key).queryKey, 'commit', reference],
      queryFn: ({ signal }) => findCommit(key, reference, signal),
      structuralSharing: false,
      staleTime: 30_000,
    }),
  /** Commits without manifests, newest first. */
  history: (key: PromptKey) =>
    infiniteQueryOptions({
      queryKey: [...promptQuery.all(), 'history', key],
      queryFn: ({ pageParam: offset, signal }) =>
        client.readPromptHistory(toIdentifier(key), { offset, limit: PAGE }, { signal }),
      initialPageParam: 0,
      getNextPageParam: ({ total }, pages) => (pages.length * PAGE < total ? pages.length * PAGE : undefined),
    }),
  /** Commit tags, by name. */
  commitTags: (key: PromptKey) =>
    queryOptions({
      queryKey: [...promptQuery.history(key).queryKey, 'tags'],
      queryFn: ({ signal }): Promise<CommitTag[]> => client.listCommitTags(toIdentifier(key), { signal }),
    }),
  tagHistory: (key: PromptKey, tag: string) =>
    queryOptions({
      queryKey: [...promptQuery.history(key).queryKey, 'moves', tag],
      queryFn: async ({ signal }) => {
        const params = { owner: key.owner, repo: key.repo, tag_name: tag }
        const response = await client.raw(routes.promptCommits.tagHistory, { params, query: { limit: 100 }, signal })
        return (await response.json()) as { transitions: CommitTagTransition[]; total: number }
      },
    }),
  /** Which roles may move which tags. */
  environments: () =>
    queryOptions({
      queryKey: ['prompt-environments'],
      queryFn: ({ signal }) => client.readPromptEnvironments({ signal }),
      staleTime: 60_000,
      meta: { quiet: true },
    }),
  /** The manifest of a commit as a document of any size. */
  raw: (key: PromptKey, { summary, text }: LoadedCommit) =>
    queryOptions({
      queryKey: [...promptQuery.history(key).queryKey, 'raw', summary.commit_hash],
      queryFn: () => openJson(new TextEncoder().encode(text).buffer),
      structuralSharing: false,
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),
}

async function readRepo({ owner, repo }: PromptKey, signal: AbortSignal): Promise<{ repo: Prompt }> {
  const response = await client.raw(routes.prompts.read, { params: { owner, repo }, signal })
  return (await response.json()) as { repo: Prompt }
}

async function findCommit(key: PromptKey, reference: string, signal: AbortSignal): Promise<FoundCommit> {
  const isLatest = reference === 'latest'
  const [byHash, tags] = await Promise.all([
    isLatest || /^[0-9a-f]{1,64}$/i.test(reference)
      ? client.readPromptHistory(toIdentifier(key), isLatest ? { limit: 1 } : { startsWith: reference, limit: 100 }, {
          signal,
        })
      : { commits: [], total: 0 },
    isLatest ? [] : client.listCommitTags(toIdentifier(key), { signal }),
  ])
  const { commits } = byHash
  if (isLatest && commits.length === 0) return { kind: 'empty' }
  if (commits.length > 0 && (isLatest || reference.length >= MIN_HASH_PREFIX)) {
    return chooseCommit(key, commits, isLatest ? 1 : byHash.total, signal)
  }
  const exact = tags.filter(({ tag_name }) => tag_name === reference)
  // Clients print the first 8 characters of a tag.
  const tagged = exact.length > 0 ? exact : tags.filter(({ tag_name }) => tag_name.startsWith(reference)).slice(0, 100)
  const listed = exact.length > 0 ? [] : commits
  const known = new Set(listed.map(({ commit_hash }) => commit_hash))
  const hashes = new Set(tagged.map(({ commit_hash }) => commit_hash).filter((hash) => !known.has(hash)))
  const byTag = (await Promise.all([...hashes].map((hash) => readSummary(key, hash, signal)))).filter(
    (one) => one !== undefined,
  )
  const total = (exact.length > 0 ? 0 : byHash.total) + byTag.length
  return chooseCommit(key, [...listed, ...byTag], total, signal)
}

/** The only choice with its manifest, or the choices. */
async function chooseCommit(
  key: PromptKey,
  choices: readonly PromptCommitSummary[],
  total: number,
  signal: AbortSignal,
): Promise<FoundCommit> {
  const [only, ...others] = choices
  if (only === undefined) return { kind: 'unknown' }
  if (others.length > 0) return { kind: 'ambiguous', choices, total }
  const response = await client.raw(routes.promptCommits.read, {
    params: { ...key, commit: only.commit_hash },
    query: { include_model: true, is_view: true },
    signal,
  })
  const text = await response.text()
  const { manifest } = JSON.parse(text) as { manifest: unknown }
  return { kind: 'found', commit: { summary: only, manifest, text, read: readManifest(manifest) } }
}

async function readSummary(
  key: PromptKey,
  hash: string,
  signal: AbortSignal,
): Promise<PromptCommitSummary | undefined> {
  const { commits } = await client.readPromptHistory(toIdentifier(key), { startsWith: hash, limit: 1 }, { signal })
  return commits[0]
}

/** The document of a commit, if its manifest could be read. */
export function getDocument({ read }: LoadedCommit): PromptDocument | undefined {
  return 'document' in read ? read.document : undefined
}

interface TagMove {
  readonly name: string
  readonly hash: string
  /** Id of the commit that the tag points to as far as the user saw; null for a new tag. */
  readonly expectedCommitId: string | null
}

const toEnvironmentParams = ({ name, least_role }: PromptEnvironment) => ({ name, leastRole: least_role })

export const promptMutation = {
  update: (queryClient: QueryClient, key: PromptKey) => ({
    mutationFn: (change: UpdatePromptParams) => client.updatePrompt(toIdentifier(key), change),
    onSuccess: ({ repo }: { repo: Prompt }) => {
      queryClient.setQueryData(promptQuery.one(key).queryKey, repo)
      return refreshPrompts(queryClient)
    },
    /** Others may have changed the prompt. */
    onError: () => refreshPrompts(queryClient),
  }),
  delete: (queryClient: QueryClient) => ({
    mutationFn: (key: PromptKey) => client.deletePrompt(toIdentifier(key)),
    onSettled: () => refreshPrompts(queryClient),
  }),
  fork: (queryClient: QueryClient, key: PromptKey) => ({
    mutationFn: (params: CreatePromptParams & { name: string }) => client.forkPrompt(toIdentifier(key), params),
    onSuccess: () => refreshPrompts(queryClient),
  }),
  like: (queryClient: QueryClient, key: PromptKey) => ({
    mutationFn: (isLiked: boolean) =>
      isLiked ? client.likePrompt(toIdentifier(key)) : client.unlikePrompt(toIdentifier(key)),
    onSettled: () => refreshPrompts(queryClient),
  }),
  /** Names a commit; a tag that exists moves. A refusal may mean that the tag was changed by others, so tags are read again. */
  tag: (queryClient: QueryClient, key: PromptKey) => ({
    mutationFn: ({ name, hash, expectedCommitId }: TagMove) =>
      client.tagCommit(`${toIdentifier(key)}:${hash}`, name, { expectedCommitId }),
    onSettled: () => refreshPrompts(queryClient),
  }),
  /** Replaces the tags that not everybody may move. */
  environments: (queryClient: QueryClient) => ({
    mutationFn: ({ tags, expected }: Readonly<Record<'tags' | 'expected', readonly PromptEnvironment[]>>) =>
      client.updatePromptEnvironments(tags.map(toEnvironmentParams), { expected: expected.map(toEnvironmentParams) }),
    /** After a refusal too: others may have changed them. */
    onSettled: () => queryClient.invalidateQueries({ queryKey: promptQuery.environments().queryKey }),
  }),
  deleteTag: (queryClient: QueryClient, key: PromptKey) => ({
    mutationFn: (name: string) => client.deleteCommitTag(toIdentifier(key), name),
    onSuccess: () => refreshPrompts(queryClient),
  }),
}

export function refreshPrompts(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: promptQuery.all() })
}
