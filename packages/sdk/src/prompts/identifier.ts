import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { NotFoundError } from '../errors.ts'
import type { Prompt } from '../schemas.ts'
import type { Transport } from '../transport/transport.ts'
/** A parsed identifier of a prompt, agent or skill. */
export interface PromptIdentifier {
  /** Handle of a workspace; `-` means the caller's own. */
  owner: string
  name: string
  /** Hash, hash prefix, tag, or `latest`. */
  commit: string
}

/**
 * Parses `name`, `owner/name`, `name:commit` or `owner/name:commit`. The owner defaults to `-`, the commit to `latest`.
 *
 * @throws Error `Invalid prompt identifier format: …`
 */
export function parsePromptIdentifier(identifier: string): PromptIdentifier {
  // Untyped callers may pass `undefined`, which would otherwise match as a name.
  const match = typeof identifier === 'string' ? GRAMMAR.exec(identifier) : null
  const [, owner = '-', name, commit] = match ?? []
  // A `.` or `..` segment would change the path of the request.
  if (name === undefined || [owner, name, commit].some((part) => part === '.' || part === '..')) {
    throw new Error(invalid(identifier))
  }
  return { owner, name, commit: commit || 'latest' }
}

/** At most one slash and one colon; owner and name are not empty, the commit may be. */
const GRAMMAR = /^(?:([^/:]+)\/)?([^/:]+)(?::([^/:]*))?$/

function invalid(identifier: string): string {
  return `Invalid prompt identifier format: "${identifier}". Expected one of:
  - "prompt-name" (for private prompts)
  - "owner/prompt-name" (for prompts with explicit owner)
  - "prompt-name:commit-hash" (with commit reference)
  - "owner/prompt-name:commit-hash" (with owner and commit)`
}

/** The parameters of paths below one prompt. */
export function toRepoParams({ owner, name }: Pick<PromptIdentifier, 'owner' | 'name'>) {
  return { owner, repo: name }
}

/** Returns the prompt, agent or skill; null when there is none that the caller may read. */
export async function findPrompt(
  transport: Transport,
  identifier: PromptIdentifier,
  options: CallOptions,
  doing = 'get prompt',
): Promise<Prompt | null> {
  try {
    const request = { params: toRepoParams(identifier), doing, ...options }
    const answer = await transport.call(routes.prompts.read, request)
    return answer?.repo ?? null
  } catch (error) {
    if (error instanceof NotFoundError) return null
    throw error
  }
}

/** @throws Error `Prompt does not exist, you must create it first.` */
export async function assertExists(
  transport: Transport,
  identifier: PromptIdentifier,
  options: CallOptions,
): Promise<void> {
  if (await findPrompt(transport, identifier, options)) return
  throw new Error('Prompt does not exist, you must create it first.')
}
