import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { hostOf } from '../resources/links.ts'
import type { Prompt, WorkspaceSettings } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
import { type PromptIdentifier, toRepoParams } from './identifier.ts'

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
  /** What the change is based on: a ConflictError when a field has another value by now. An extension of ours. */
  expected?: Pick<CreatePromptParams, 'description' | 'readme' | 'tags'> | undefined
}

/** Converts the parameters to wire names; parameters that are not given are left out. */
export function metadataOf(params: UpdatePromptParams) {
  const { description, readme, tags, isPublic: is_public, isArchived: is_archived, expected } = params
  const given = Object.entries({ description, readme, tags, is_public, is_archived, expected })
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

const known = new WeakMap<Transport, Promise<WorkspaceSettings>>()

/**
 * Settings of the caller's workspace, cached per client; failures are not cached. A workspace gets its handle once and
 * for good, so the settings are read again only if the cached ones lack a handle and do not suffice.
 */
export async function settingsOf(
  transport: Transport,
  suffices: (settings: WorkspaceSettings) => boolean = () => true,
): Promise<WorkspaceSettings> {
  const before = known.get(transport)
  const settings = await (before ?? ask(transport))
  return before && !settings.tenant_handle && !suffices(settings) ? await ask(transport) : settings
}

function ask(transport: Transport): Promise<WorkspaceSettings> {
  const request = { doing: 'read the settings' }
  const asked = transport.call(routes.workspaces.settings, request)
  known.set(transport, asked)
  asked.catch(() => known.get(transport) === asked && known.delete(transport))
  return asked
}

const isOwner = (owner: string) => (settings: WorkspaceSettings) => owner === '-' || settings.tenant_handle === owner

/** @throws Error when the prompt belongs to another workspace; `action` follows "Cannot" in the message */
export async function assertOwner(transport: Transport, { owner }: PromptIdentifier, action: string): Promise<void> {
  const owns = isOwner(owner)
  const settings = await settingsOf(transport, owns)
  if (owns(settings)) return
  throw new Error(
    `Cannot ${action} for another tenant.\n\n      Current tenant: ${settings.tenant_handle}\n\n      Requested tenant: ${owner}`,
  )
}

/** @throws Error while the workspace has no handle, which is the public owner name of its prompts */
export async function assertHandle(transport: Transport): Promise<void> {
  const settings = await settingsOf(transport, ({ tenant_handle }) => Boolean(tenant_handle))
  if (settings.tenant_handle) return
  throw new Error(
    'Cannot create a public prompt without first\n\n        creating a LangChain Hub handle.\n' +
      `        You can add a handle by creating a public prompt at:\n\n        ${hostOf(transport)}/prompts`,
  )
}

/** Web page of a prompt or of one of its commits. */
export async function promptLink(transport: Transport, { owner, name, commit }: PromptIdentifier): Promise<string> {
  const owns = isOwner(owner)
  const settings = await settingsOf(transport, owns)
  const [repo, version] = [name, commit.slice(0, 8)].map(encodeURIComponent)
  const page = commit === 'latest' ? repo : `${repo}/${version}`
  return owns(settings)
    ? `${hostOf(transport)}/prompts/${page}?organizationId=${settings.id}`
    : `${hostOf(transport)}/hub/${encodeURIComponent(owner)}/${page}`
}
