import * as routes from '@touchstone/contract/routes'
import { hostOf } from '../resources/links.ts'
import type { WorkspaceSettings } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
import type { PromptIdentifier } from './identifier.ts'

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
