import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { matchesPrompt, toPromptCacheKey } from '../prompts/cache-key.ts'
import { type CreateCommitParams, commitManifest, tagCommit } from '../prompts/commit-manifest.ts'
import { assertExists, type PromptIdentifier, parsePromptIdentifier, toRepoParams } from '../prompts/identifier.ts'
import { type PromptCache, promptCacheSingleton } from '../prompts/prompt-cache.ts'
import type { CommitTag, CommitTagTransition, ListedPromptCommit, PromptCommit, PromptHistory } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'

export interface PullPromptParams {
  /** The model's settings too, where the prompt was committed with a model. @default false */
  includeModel?: boolean | undefined
  /** Asks the server whatever is in the cache, and leaves the cache as it is. @default false */
  skipCache?: boolean | undefined
  /**
   * You have read the prompt of another workspace and trust it. Pulling a commit gives plain data, so it does not ask for
   * this; `_pullPrompt` does, because what calls it brings manifests to life.
   */
  dangerouslyPullPublicPrompt?: boolean | undefined
}

export interface ListCommitsParams {
  /** Only the commit that carries this tag. */
  tag?: string | undefined
  /** Caps the total. */
  limit?: number | undefined
}

export interface TagCommitOptions extends CallOptions {
  /**
   * Id of the commit that the tag points to as far as you know, null for a new tag. When the tag was changed since, it stays
   * as it is. Absent: the tag moves from wherever it is.
   */
  expectedCommitId?: string | null | undefined
}

export class PromptCommitCalls extends Calls {
  /** Commits of a prompt, newest first, fetched a page at a time; a commit in the identifier is ignored. */
  async *listCommits(
    promptIdentifier: string,
    { tag, limit }: ListCommitsParams = {},
    options: CallOptions = {},
  ): AsyncGenerator<ListedPromptCommit> {
    yield* pageCommits(this.transport, parsePromptIdentifier(promptIdentifier), { tag, limit }, options)
  }

  /**
   * Commits a manifest to a prompt that exists.
   *
   * @param object a manifest, or whatever becomes one as JSON, e.g. a prompt of LangChain
   * @returns the web page of the commit
   * @throws ConflictError when it equals the newest commit, or its parent is no longer the newest commit
   */
  async createCommit(
    promptIdentifier: string,
    object: unknown,
    params: CreateCommitParams = {},
    options: CallOptions = {},
  ): Promise<string> {
    const identifier = parsePromptIdentifier(promptIdentifier)
    await assertExists(this.transport, identifier, options)
    try {
      return await commitManifest(this.transport, identifier, object, params, options)
    } finally {
      // Also when it failed: the commit may stand, and only a tag was refused.
      forget(this.transport, identifier.name)
    }
  }

  /**
   * A commit as plain data, from the cache if possible. Review the manifest of another workspace before you revive it: it
   * may name classes, addresses and headers.
   *
   * @returns a copy that the caller may change
   */
  async pullPromptCommit(
    promptIdentifier: string,
    params: PullPromptParams = {},
    options: CallOptions = {},
  ): Promise<PromptCommit> {
    const { transport } = this
    const { includeModel = false, skipCache = false } = params
    parsePromptIdentifier(promptIdentifier)
    options.signal?.throwIfAborted()
    const cache = skipCache ? undefined : cacheOf(transport)
    if (!cache) return await fetchCommit(transport, promptIdentifier, includeModel, options)
    const key = await toPromptCacheKey(transport, promptIdentifier, includeModel)
    // Others may wait for the same answer, so one caller's abort ends that caller's waiting alone.
    const { signal, ...rest } = options
    const fetch = () => fetchCommit(transport, promptIdentifier, includeModel, rest)
    return structuredClone(await abortable(cache.getOrFetch(key, fetch), signal))
  }

  /**
   * The manifest as JSON text, for LangChain's hub.
   *
   * @throws for a prompt of another workspace unless `dangerouslyPullPublicPrompt` is true
   */
  async _pullPrompt(
    promptIdentifier: string,
    params: PullPromptParams = {},
    options: CallOptions = {},
  ): Promise<string> {
    const commit = await this.pullPromptCommit(promptIdentifier, params, options)
    const isForeign = commit.is_foreign ?? commit.owner !== '-'
    if (isForeign && params.dangerouslyPullPublicPrompt !== true) throw new Error(UNTRUSTED)
    return JSON.stringify(commit.manifest)
  }

  /**
   * One page of commits without their manifests, newest first, each with its tags. An extension of ours.
   *
   * @param startsWith  only commits whose hash starts with these hexadecimal digits
   */
  async readPromptHistory(
    promptIdentifier: string,
    { startsWith, limit, offset }: { startsWith?: string | undefined; limit?: number; offset?: number } = {},
    options: CallOptions = {},
  ): Promise<PromptHistory> {
    const params = toRepoParams(parsePromptIdentifier(promptIdentifier))
    const request = { params, query: { starts_with: startsWith, limit, offset }, doing: 'read prompt history' }
    return await this.transport.call(routes.promptCommits.history, { ...request, ...options })
  }

  /** Names of commits of a prompt. An extension of ours, as are all below. */
  async listCommitTags(promptIdentifier: string, options: CallOptions = {}): Promise<CommitTag[]> {
    const params = toRepoParams(parsePromptIdentifier(promptIdentifier))
    return await this.transport.call(routes.promptCommits.listTags, { params, ...options })
  }

  /**
   * Names the commit of the identifier (`name:hash`, `name:tag`; without one the newest); a name that exists moves.
   *
   * @throws NotFoundError when there is no such commit; ConflictError when the tag is not at the expected commit
   */
  async tagCommit(promptIdentifier: string, tagName: string, options: TagCommitOptions = {}): Promise<CommitTag> {
    const { expectedCommitId: _, ...rest } = options
    const identifier = parsePromptIdentifier(promptIdentifier)
    const id = await findCommitId(this.transport, identifier, rest)
    const tag = await tagCommit(this.transport, identifier, tagName, id, options)
    forget(this.transport, identifier.name)
    return tag
  }

  /** The commit stays, and so does the tag's history. */
  async deleteCommitTag(promptIdentifier: string, tagName: string, options: CallOptions = {}): Promise<void> {
    const identifier = parsePromptIdentifier(promptIdentifier)
    const params = { ...toRepoParams(identifier), tag_name: tagName }
    await this.transport.call(routes.promptCommits.deleteTag, { params, doing: 'delete commit tag', ...options })
    forget(this.transport, identifier.name)
  }

  /** Who moved a tag from where to where, newest first, fetched a page at a time. */
  async *listCommitTagHistory(
    promptIdentifier: string,
    tagName: string,
    options: CallOptions = {},
  ): AsyncGenerator<CommitTagTransition> {
    const params = { ...toRepoParams(parsePromptIdentifier(promptIdentifier)), tag_name: tagName }
    const route = routes.promptCommits.tagHistory
    yield* offsetPages(this.transport, route, { params, ...options }, { key: 'transitions' })
  }
}

const UNTRUSTED =
  'Pulling a public prompt by owner/name is disabled by default because prompts may contain untrusted serialized ' +
  'LangChain objects. If you trust this prompt, set `dangerouslyPullPublicPrompt: true` to acknowledge the risk.'

/** The cache of a client: the shared one, unless it was given its own or does without. */
export function cacheOf({ connection: { promptCache } }: Transport): PromptCache | undefined {
  return promptCache === true ? promptCacheSingleton : promptCache || undefined
}

function forget(transport: Transport, name: string): void {
  cacheOf(transport)?.invalidateWhere(matchesPrompt(transport, name))
}

async function fetchCommit(
  transport: Transport,
  promptIdentifier: string,
  includeModel: boolean,
  options: CallOptions,
): Promise<PromptCommit> {
  const identifier = parsePromptIdentifier(promptIdentifier)
  const params = { ...toRepoParams(identifier), commit: identifier.commit }
  const query = { include_model: includeModel ? true : undefined }
  const request = { params, query, doing: 'pull prompt commit', ...options }
  const commit = await transport.call(routes.promptCommits.read, request)
  return {
    owner: identifier.owner,
    repo: identifier.name,
    commit_hash: commit.commit_hash,
    manifest: commit.manifest,
    examples: commit.examples,
    ...(commit.description != null && { description: commit.description }),
    hub_model_config: commit.model_config,
    hub_model_provider: commit.model_provider,
    ...(commit.is_foreign !== undefined && { is_foreign: commit.is_foreign }),
  }
}

/** Tags are given to ids. Neither manifests are read for that, nor does it count as a pull. */
async function findCommitId(transport: Transport, identifier: PromptIdentifier, options: CallOptions): Promise<string> {
  const { commit } = identifier
  const params = toRepoParams(identifier)
  const isLatest = commit === 'latest'
  if (isLatest || /^[0-9a-f]{8,64}$/i.test(commit)) {
    const query = isLatest ? { limit: 1 } : { starts_with: commit, limit: 2 }
    const request = { params, query, doing: 'find commit', ...options }
    const [found, ...others] = (await transport.call(routes.promptCommits.history, request)).commits
    if (found !== undefined && others.length === 0) return found.id
    // The server explains which commits an ambiguous hash may mean, or that there are none.
    if (isLatest || others.length > 0) {
      const path = { ...params, commit }
      await transport.call(routes.promptCommits.read, { params: path, query: {}, doing: 'find commit', ...options })
    }
  }
  const request = { params: { ...params, tag_name: commit }, doing: 'find commit', ...options }
  return (await transport.call(routes.promptCommits.readTag, request)).commit_id
}

function pageCommits(
  transport: Transport,
  identifier: PromptIdentifier,
  { tag, limit }: ListCommitsParams,
  options: CallOptions,
): AsyncGenerator<ListedPromptCommit> {
  const params = toRepoParams(identifier)
  const request = { params, query: { tag }, ...options }
  return offsetPages(transport, routes.promptCommits.list, request, { key: 'commits', limit })
}

/** Awaits a promise until the signal fires. The work itself continues for other callers. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return await work
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
