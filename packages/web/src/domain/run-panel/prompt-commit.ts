import type { Run } from '@touchstone/contract'
import type { Filter } from '@touchstone/contract/filter'

/** The commit of a prompt that a run was made with, as clients write it into the metadata when they pull one. */
export interface PromptCommit {
  /** `owner/name`, or the name alone where the owner is the workspace itself. */
  prompt: string
  /** Whole. */
  hash: string
  /** Finds the runs made with the same commit. */
  filter: Filter
}

/** @returns undefined for a run that names no prompt, or no commit of it */
export function findPromptCommit(run: Run): PromptCommit | undefined {
  const metadata = (run.extra?.metadata ?? {}) as Record<string, unknown>
  const { lc_hub_owner: owner, lc_hub_repo: repo, lc_hub_commit_hash: hash } = metadata
  if (typeof repo !== 'string' || typeof hash !== 'string' || repo === '' || hash === '') return undefined
  const isOwn = typeof owner !== 'string' || owner === '' || owner === '-'
  return { prompt: isOwn ? repo : `${owner}/${repo}`, hash, filter: toCommitFilter(hash) }
}

function toCommitFilter(hash: string): Filter {
  return {
    op: 'and',
    args: [
      { op: 'eq', field: 'metadata_key', value: 'lc_hub_commit_hash' },
      { op: 'eq', field: 'metadata_value', value: hash },
    ],
  }
}
