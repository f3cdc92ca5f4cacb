import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { matchesPrompt } from '../prompts/cache-key.ts'
import { commitManifest } from '../prompts/commit-manifest.ts'
import {
  assertExists,
  findPrompt,
  type PromptIdentifier,
  parsePromptIdentifier,
  toRepoParams,
} from '../prompts/identifier.ts'
import {
  assertHandle,
  assertOwner,
  type CreatePromptParams,
  createRepo,
  metadataOf,
  promptLink,
  settingsOf,
  type UpdatePromptParams,
  updateRepo,
} from '../prompts/prompt-metadata.ts'
import type {
  LikePromptResponse,
  ListPromptsResponse,
  Prompt,
  PromptEnvironments,
  PromptSortField,
} from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'
import { cacheOf } from './prompt-commits.ts'

export interface ListPromptsParams {
  /** @default both */
  isPublic?: boolean | undefined
  /** Those in the archive instead. @default false */
  isArchived?: boolean | undefined
  /** Always the most first. @default updated_at */
  sortField?: PromptSortField | undefined
  /** Part of the name, description or readme, in any case. */
  query?: string | undefined
  /** Caps the total. An extension of ours. */
  limit?: number | undefined
}

/** What a list of prompts is narrowed by. */
export interface PromptConditions extends Pick<ListPromptsParams, 'isPublic' | 'isArchived' | 'query'> {
  /** Only prompts that have all of them. */
  tags?: readonly string[] | undefined
}

export interface QueryPromptsParams extends PromptConditions {
  /** @default updated_at */
  sortField?: PromptSortField | 'relevance' | undefined
  /** @default desc */
  sortDirection?: 'asc' | 'desc' | undefined
  /** 1 to 100. @default 20 */
  limit?: number | undefined
  offset?: number | undefined
}

export interface PushPromptParams extends CreatePromptParams {
  /** What is committed: a manifest, or whatever becomes one as JSON, e.g. a prompt of LangChain. */
  object?: unknown
  /** @default the newest commit */
  parentCommitHash?: string | undefined
  /** Commit tags that are moved to the new commit. */
  commitTags?: string | string[] | undefined
  commitDescription?: string | undefined
}

/** Prompts without their commits, which are in `prompt-commits.ts`. Identifiers: `name`, `owner/name`, either with `:commit`. */
export class PromptCalls extends Calls {
  async promptExists(promptIdentifier: string, options: CallOptions = {}): Promise<boolean> {
    return (await findPrompt(this.transport, parsePromptIdentifier(promptIdentifier), options)) !== null
  }

  /** Null where there is none, or none that the caller may see. */
  async getPrompt(promptIdentifier: string, options: CallOptions = {}): Promise<Prompt | null> {
    return await findPrompt(this.transport, parsePromptIdentifier(promptIdentifier), options)
  }

  /** Prompts of the workspace, and with `isPublic` everyone's public ones, fetched a page at a time. */
  async *listPrompts(params: ListPromptsParams = {}, options: CallOptions = {}): AsyncGenerator<Prompt> {
    const { isPublic, isArchived = false, sortField = 'updated_at', query, limit } = params
    const asked = {
      sort_field: sortField,
      sort_direction: 'desc',
      is_archived: Boolean(isArchived),
      is_public: isPublic,
      query: query || undefined,
    }
    const request = { query: asked, ...options }
    yield* offsetPages(this.transport, routes.prompts.list, request, { key: 'repos', limit })
  }

  /**
   * One page of prompts, with the number of all. With `isPublic`, public prompts of other workspaces too. An extension of
   * ours, as are `listPromptTags` and `forkPrompt`.
   */
  async queryPrompts(params: QueryPromptsParams = {}, options: CallOptions = {}): Promise<ListPromptsResponse> {
    const { sortField: sort_field, sortDirection: sort_direction, limit, offset } = params
    const query = { ...toConditions(params), sort_field, sort_direction, limit, offset }
    return await this.transport.call(routes.prompts.list, { query, doing: 'fetch /repos', ...options })
  }

  /** Tags of the prompts that such a list would have, the most frequent first. */
  async listPromptTags(
    conditions: PromptConditions = {},
    options: CallOptions = {},
  ): Promise<{ tag: string; count: number }[]> {
    const request = { query: toConditions(conditions), doing: 'list tags of prompts', ...options }
    return (await this.transport.call(routes.prompts.listTags, request)).tags
  }

  /**
   * Copies the newest commit of a prompt into the workspace of the client.
   *
   * @throws ConflictError when the workspace has a prompt with that name
   */
  async forkPrompt(
    promptIdentifier: string,
    { name, ...params }: CreatePromptParams & { name: string },
    options: CallOptions = {},
  ): Promise<Prompt> {
    const request = {
      params: toRepoParams(parsePromptIdentifier(promptIdentifier)),
      body: { repo_handle: name, ...metadataOf(params) },
      doing: 'fork prompt',
      ...options,
    }
    return (await this.transport.call(routes.prompts.fork, request)).repo
  }

  /** A workspace likes a prompt once. */
  async likePrompt(promptIdentifier: string, options: CallOptions = {}): Promise<LikePromptResponse> {
    return await like(this.transport, promptIdentifier, true, options)
  }

  async unlikePrompt(promptIdentifier: string, options: CallOptions = {}): Promise<LikePromptResponse> {
    return await like(this.transport, promptIdentifier, false, options)
  }

  /**
   * @throws when it is to be public and the workspace has no handle, and when the owner is another workspace
   * @throws ConflictError when the name is taken, also by something archived
   */
  async createPrompt(
    promptIdentifier: string,
    params: CreatePromptParams = {},
    options: CallOptions = {},
  ): Promise<Prompt> {
    return await create(this.transport, () => parsePromptIdentifier(promptIdentifier), params, options)
  }

  /**
   * Changes what is given; an empty text, an empty list and `false` count as given.
   *
   * @throws when the prompt does not exist, is another workspace's, or nothing is given
   */
  async updatePrompt(
    promptIdentifier: string,
    params: UpdatePromptParams,
    options: CallOptions = {},
  ): Promise<{ repo: Prompt }> {
    const identifier = parsePromptIdentifier(promptIdentifier)
    await assertExists(this.transport, identifier, options)
    return await updateRepo(this.transport, identifier, params ?? {}, options)
  }

  /** Deletes it with its commits. @throws when it does not exist, or is another workspace's */
  async deletePrompt(promptIdentifier: string, options: CallOptions = {}): Promise<void> {
    const identifier = parsePromptIdentifier(promptIdentifier)
    await assertExists(this.transport, identifier, options)
    await assertOwner(this.transport, identifier, 'delete a prompt')
    const request = { params: toRepoParams(identifier), doing: 'delete prompt', ...options }
    await this.transport.call(routes.prompts.delete, request)
    cacheOf(this.transport)?.invalidateWhere(matchesPrompt(this.transport, identifier.name))
  }

  /**
   * Creates the prompt, or changes what is said about it, then commits `object` if there is one.
   *
   * @returns the web page of the commit, or of the prompt
   * @throws ConflictError when `object` equals the newest commit, or its parent is no longer the newest commit
   */
  async pushPrompt(
    promptIdentifier: string,
    params: PushPromptParams = {},
    options: CallOptions = {},
  ): Promise<string> {
    const { transport } = this
    const identifier = parsePromptIdentifier(promptIdentifier)
    const { object, parentCommitHash, commitTags, commitDescription, ...metadata } = params
    const isThere = (await findPrompt(transport, identifier, options)) !== null
    if (!isThere) await create(transport, () => identifier, metadata, options)
    else if (hasMetadata(metadata)) await updateRepo(transport, identifier, metadata, options)
    if (!object) return await promptLink(transport, identifier)
    const commit = { parentCommitHash, tags: commitTags, description: commitDescription }
    try {
      return await commitManifest(transport, identifier, object, commit, options)
    } finally {
      // Also when it failed: the commit may stand, and only a tag was refused.
      cacheOf(transport)?.invalidateWhere(matchesPrompt(transport, identifier.name))
    }
  }
}

function toConditions({ query, isPublic: is_public, isArchived: is_archived, tags }: PromptConditions) {
  return { query: query || undefined, is_public, is_archived, tags: tags && [...tags] }
}

/** `isArchived` is no matter of a push. */
function hasMetadata({ description, readme, tags, isPublic }: CreatePromptParams): boolean {
  return Object.keys(metadataOf({ description, readme, tags, isPublic })).length > 0
}

/** The handle is looked at before the identifier is. */
async function create(
  transport: Transport,
  parse: () => PromptIdentifier,
  params: CreatePromptParams,
  options: CallOptions,
): Promise<Prompt> {
  if (params.isPublic) await assertHandle(transport)
  else await settingsOf(transport)
  const identifier = parse()
  await assertOwner(transport, identifier, 'create a prompt')
  return await createRepo(transport, identifier, params, options)
}

async function like(
  transport: Transport,
  promptIdentifier: string,
  isLiked: boolean,
  options: CallOptions,
): Promise<LikePromptResponse> {
  const params = toRepoParams(parsePromptIdentifier(promptIdentifier))
  const doing = isLiked ? 'like prompt' : 'unlike prompt'
  return await transport.call(routes.prompts.like, { params, body: { like: isLiked }, doing, ...options })
}

export interface PromptEnvironmentParams {
  /** Name of the tag, e.g. `staging`. */
  name: string
  /** The least role that may make, move or remove it. @default 'admin' */
  leastRole?: 'member' | 'admin' | undefined
}

/** Environments are tags that not everybody may move. Extensions of ours. */
export class PromptEnvironmentCalls extends Calls {
  /** Those of the workspace: `production`, which admins move, until others are set. */
  async readPromptEnvironments(options: CallOptions = {}): Promise<PromptEnvironments> {
    return await this.transport.call(routes.promptEnvironments.read, { doing: 'read prompt environments', ...options })
  }

  /**
   * Puts one to four environments in the place of those there are; tags and their history stay. For admins.
   *
   * @param options  `expected` are the environments that the change is based on
   * @throws PermissionDeniedError for anyone else, ConflictError when the environments are others than expected by now
   */
  async updatePromptEnvironments(
    environments: readonly PromptEnvironmentParams[],
    { expected, ...options }: CallOptions & { expected?: readonly PromptEnvironmentParams[] | undefined } = {},
  ): Promise<PromptEnvironments> {
    const toWire = (all: readonly PromptEnvironmentParams[]) =>
      all.map(({ name, leastRole }) => ({ name, least_role: leastRole }))
    const { id } = await this.readPromptEnvironments(options)
    return await this.transport.call(routes.promptEnvironments.update, {
      params: { id },
      body: {
        environments: toWire(environments),
        expected: expected && { environments: toWire(expected) },
      },
      doing: 'update prompt environments',
      ...options,
    })
  }

  /** Goes back to what every workspace begins with. For admins. */
  async resetPromptEnvironments(options: CallOptions = {}): Promise<PromptEnvironments> {
    const { id } = await this.readPromptEnvironments(options)
    return await this.transport.call(routes.promptEnvironments.delete, {
      params: { id },
      doing: 'reset prompt environments',
      ...options,
    })
  }
}
