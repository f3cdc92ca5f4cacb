/** A prompt, agent or skill by what a person wrote. */
export interface PromptIdentifier {
  /** Handle of a workspace; `-` is the caller's own. */
  owner: string
  name: string
  /** Hash, beginning of a hash, tag, or `latest`. */
  commit: string
}

/**
 * Reads `name`, `owner/name`, `name:commit` or `owner/name:commit`; without an owner `-`, without a commit `latest`.
 *
 * @throws Error `Invalid prompt identifier format: …`
 */
export function parsePromptIdentifier(identifier: string): PromptIdentifier {
  // Callers without types pass what they have, and `undefined` reads like a name.
  const match = typeof identifier === 'string' ? GRAMMAR.exec(identifier) : null
  const [, owner = '-', name, commit] = match ?? []
  // A step of a path would lead the request to another address.
  if (name === undefined || [owner, name, commit].some((part) => part === '.' || part === '..')) {
    throw new Error(invalid(identifier))
  }
  return { owner, name, commit: commit || 'latest' }
}

/** At most one slash in all and one colon; owner and name are not empty, the commit may be. */
const GRAMMAR = /^(?:([^/:]+)\/)?([^/:]+)(?::([^/:]*))?$/

function invalid(identifier: string): string {
  return `Invalid prompt identifier format: "${identifier}". Expected one of:
  - "prompt-name" (for private prompts)
  - "owner/prompt-name" (for prompts with explicit owner)
  - "prompt-name:commit-hash" (with commit reference)
  - "owner/prompt-name:commit-hash" (with owner and commit)`
}

/** `owner/name` as a part of a path. */
export function repoPath({ owner, name }: Pick<PromptIdentifier, 'owner' | 'name'>): string {
  return `${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
}
