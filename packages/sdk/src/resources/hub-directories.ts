import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { ConflictError } from '../errors.ts'
import { findPrompt, type PromptIdentifier, parsePromptIdentifier, toRepoParams } from '../prompts/identifier.ts'
import { assertOwner, type CreatePromptParams, metadataOf, settingsOf } from '../prompts/prompt-metadata.ts'
import type { AgentContext, Entry, HubRepoType, Prompt, SkillContext } from '../schemas.ts'
import { offsetPages } from '../transport/pages.ts'
import type { Transport } from '../transport/transport.ts'
import { Calls } from './calls.ts'
import { hostOf } from './links.ts'

export interface PushDirectoryParams extends CreatePromptParams {
  /** Path → what shall stand there, null for nothing; every other path stays as it is. */
  files: Record<string, Entry | null>
  /** Hash of the newest commit, or at least 8 characters of it. @default whichever that is */
  parentCommit?: string | undefined
}

export interface ListDirectoriesParams {
  /** @default both */
  isPublic?: boolean | undefined
  /** Those in the archive instead. @default false */
  isArchived?: boolean | undefined
  /** Part of the name, description or readme, in any case. */
  query?: string | undefined
}

interface PullDirectoryParams {
  /** Hash, beginning of a hash, or tag; before the one in the identifier. */
  version?: string | undefined
}

/** Agents and skills: trees of files with commits. Identifiers are those of prompts, with which they share names. */
export class HubDirectoryCalls extends Calls {
  async agentExists(identifier: string, options: CallOptions = {}): Promise<boolean> {
    return await exists(this.transport, parsePromptIdentifier(identifier), options)
  }

  async skillExists(identifier: string, options: CallOptions = {}): Promise<boolean> {
    return await exists(this.transport, parsePromptIdentifier(identifier), options)
  }

  /** Every file of an agent at one commit. */
  async pullAgent(
    identifier: string,
    params: PullDirectoryParams = {},
    options: CallOptions = {},
  ): Promise<AgentContext> {
    return await pull(this.transport, identifier, 'agent', params, options)
  }

  async pullSkill(
    identifier: string,
    params: PullDirectoryParams = {},
    options: CallOptions = {},
  ): Promise<SkillContext> {
    return await pull(this.transport, identifier, 'skill', params, options)
  }

  /**
   * Creates the agent, or changes what is said about it, then commits the files.
   *
   * @returns the web page of the commit
   * @throws ConflictError when the parent is no longer the newest commit
   */
  async pushAgent(identifier: string, params: PushDirectoryParams, options: CallOptions = {}): Promise<string> {
    return await push(this.transport, identifier, 'agent', params, options)
  }

  async pushSkill(identifier: string, params: PushDirectoryParams, options: CallOptions = {}): Promise<string> {
    return await push(this.transport, identifier, 'skill', params, options)
  }

  /** Deletes it with its commits and the files that it owns. */
  async deleteAgent(identifier: string, options: CallOptions = {}): Promise<void> {
    await remove(this.transport, identifier, options)
  }

  async deleteSkill(identifier: string, options: CallOptions = {}): Promise<void> {
    await remove(this.transport, identifier, options)
  }

  /** Agents of the workspace, fetched a page at a time. */
  async *listAgents(params: ListDirectoriesParams = {}, options: CallOptions = {}): AsyncGenerator<Prompt> {
    yield* list(this.transport, 'agent', params, options)
  }

  async *listSkills(params: ListDirectoriesParams = {}, options: CallOptions = {}): AsyncGenerator<Prompt> {
    yield* list(this.transport, 'skill', params, options)
  }
}

const REPO_HANDLE = /^[a-z][a-z0-9-_]*$/

async function exists(transport: Transport, identifier: PromptIdentifier, options: CallOptions): Promise<boolean> {
  return (await findPrompt(transport, identifier, options, 'check repo exists')) !== null
}

async function pull(
  transport: Transport,
  identifier: string,
  repo_type: HubRepoType,
  { version }: PullDirectoryParams,
  options: CallOptions,
): Promise<AgentContext> {
  const parsed = parsePromptIdentifier(identifier)
  const commit = version ?? (parsed.commit === 'latest' ? undefined : parsed.commit)
  const query = { repo_type, commit: commit || undefined }
  const request = { params: toRepoParams(parsed), query, doing: 'pull directory', ...options }
  // Entries are checked when they are committed.
  return (await transport.call(routes.hubDirectories.read, request)) as unknown as AgentContext
}

async function push(
  transport: Transport,
  identifier: string,
  type: HubRepoType,
  params: PushDirectoryParams,
  options: CallOptions,
): Promise<string> {
  const { files, parentCommit } = params
  if (parentCommit !== undefined && (parentCommit.length < 8 || parentCommit.length > 64)) {
    throw new Error('parent_commit must be 8-64 characters')
  }
  const parsed = parsePromptIdentifier(identifier)
  await assertOwner(transport, parsed, `push ${type}`)
  if (await exists(transport, parsed, options)) await updateMetadata(transport, parsed, params, options)
  else await create(transport, parsed, type, params, options)
  const answer = await transport.call(routes.hubDirectories.commit, {
    params: toRepoParams(parsed),
    body: { files, parent_commit: parentCommit },
    doing: `push ${type}`,
    ...options,
  })
  const { id } = await settingsOf(transport)
  const page = `${encodeURIComponent(parsed.name)}/${answer.commit.commit_hash.slice(0, 8)}`
  return `${hostOf(transport)}/context/${page}?organizationId=${id}`
}

async function updateMetadata(
  transport: Transport,
  identifier: PromptIdentifier,
  { description, readme, tags, isPublic }: CreatePromptParams,
  options: CallOptions,
): Promise<void> {
  const body = metadataOf({ description, readme, tags, isPublic })
  if (Object.keys(body).length === 0) return
  const request = { params: toRepoParams(identifier), body, doing: 'update repo metadata', ...options }
  await transport.call(routes.prompts.update, request)
}

async function create(
  transport: Transport,
  { name }: PromptIdentifier,
  type: HubRepoType,
  { description, readme, tags, isPublic = false }: CreatePromptParams,
  options: CallOptions,
): Promise<void> {
  if (!REPO_HANDLE.test(name)) {
    throw new Error(`Invalid repo_handle ${JSON.stringify(name)}: must match ${REPO_HANDLE}`)
  }
  const metadata = metadataOf({ description, readme, tags })
  const body = { repo_handle: name, repo_type: type, is_public: isPublic, ...metadata }
  try {
    await transport.call(routes.prompts.create, { body, doing: `create ${type}`, ...options })
  } catch (error) {
    // Another caller or an earlier attempt created it.
    if (!(error instanceof ConflictError)) throw error
  }
}

async function remove(transport: Transport, identifier: string, options: CallOptions): Promise<void> {
  const parsed = parsePromptIdentifier(identifier)
  await assertOwner(transport, parsed, 'delete')
  const request = { params: toRepoParams(parsed), doing: 'delete directory', ...options }
  await transport.call(routes.hubDirectories.delete, request)
}

function list(
  transport: Transport,
  repo_type: HubRepoType,
  { isPublic, isArchived = false, query }: ListDirectoriesParams,
  options: CallOptions,
): AsyncGenerator<Prompt> {
  const asked = { repo_type, is_archived: Boolean(isArchived), is_public: isPublic, query: query || undefined }
  const request = { query: asked, ...options }
  return offsetPages(transport, routes.prompts.list, request, { key: 'repos' })
}
