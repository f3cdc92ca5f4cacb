import type { Prompt } from '@touchstone/sdk'

/** A prompt in addresses: `-` as owner is the workspace that is open. */
export interface PromptKey {
  readonly owner: string
  readonly repo: string
}

/** `owner/repo` as the SDK takes it. */
export function toIdentifier({ owner, repo }: PromptKey): string {
  return `${owner}/${repo}`
}

/** The address of a prompt of a list. */
export function toPromptKey({ is_foreign, owner, repo_handle }: Prompt): PromptKey {
  return { owner: is_foreign && owner ? owner : '-', repo: repo_handle }
}

/** The public handle by which programs may name the open workspace; null for prompts of others and without a handle. */
export function getOwnHandle({ is_foreign, owner }: Prompt): string | null {
  return is_foreign ? null : (owner ?? null)
}

/** `owner/name` for prompts of other workspaces, `name` for own ones. */
export function toPromptName({ owner, repo }: PromptKey): string {
  return owner === '-' ? repo : `${owner}/${repo}`
}

/** The first characters of a hash, as clients print it. */
export function shortHash(hash: string): string {
  return hash.slice(0, 8)
}

/**
 * The path below a workspace of an address that a client prints: `/prompts/{repo}[/{commit}]`, `/hub/{owner}/{repo}[/{commit}]`
 * and `/hub/{owner}/{repo}:{commit}`; `/context/…` is the same for agents and skills.
 *
 * @param pathname  with percent-encoding
 */
export function toPromptPath(pathname: string): string {
  const [, area = '', ...rest] = pathname.replace(/\/+$/, '').split('/')
  const parts = rest.map(decodePart)
  const [owner, ...names] = area === 'hub' ? parts : ['-', ...parts]
  if (owner === undefined || names[0] === undefined) return area === 'hub' ? '/prompts?view=hub' : '/prompts'
  const [repo = '', commit = names[1]] = names[0].split(':', 2)
  const path = [owner, repo, ...(commit ? [commit] : [])].map(encodeURIComponent).join('/')
  return `/prompts/${path}`
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
