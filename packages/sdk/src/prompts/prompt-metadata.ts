import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import type { Prompt } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
import { type PromptIdentifier, toRepoParams } from './identifier.ts'
import { assertOwner } from './ownership.ts'

export interface CreatePromptParams {
  description?: string | undefined
  /** Markdown. */
  readme?: string | undefined
  tags?: string[] | undefined
  /** Readable by everyone, without a key. Requires a workspace handle. @default false */
  isPublic?: boolean | undefined
}

export interface UpdatePromptParams extends CreatePromptParams {
  isArchived?: boolean | undefined
}

/** Converts the parameters to wire names; parameters that are not given are left out. */
export function metadataOf(params: UpdatePromptParams) {
  const { description, readme, tags, isPublic: is_public, isArchived: is_archived } = params
  const given = Object.entries({ description, readme, tags, is_public, is_archived })
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

/** Creates a prompt in the caller's workspace. Empty texts are left out, as in the public client. */
export async function createRepo(
  transport: Transport,
  { name }: PromptIdentifier,
  params: CreatePromptParams,
  options: CallOptions,
): Promise<Prompt> {
  const { description, readme, tags, isPublic = false } = params
  const body = {
    repo_handle: name,
    description: description || undefined,
    readme: readme || undefined,
    tags,
    is_public: isPublic,
  }
  return (await transport.call(routes.prompts.create, { body, doing: 'create prompt', ...options })).repo
}

/** @throws Error when the prompt belongs to another workspace, or when no parameter is given */
export async function updateRepo(
  transport: Transport,
  identifier: PromptIdentifier,
  params: UpdatePromptParams,
  options: CallOptions,
): Promise<{ repo: Prompt }> {
  await assertOwner(transport, identifier, 'update a prompt')
  const body = metadataOf(params)
  if (Object.keys(body).length === 0) throw new Error('No valid update options provided')
  const request = { params: toRepoParams(identifier), body, doing: 'update prompt', ...options }
  return await transport.call(routes.prompts.update, request)
}
