import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { TAG_NAME } from '../environments/index.ts'
import { type CommitRow, type RepoKey, selectCommitByTag, selectCommitsByHash, selectLatestCommit } from './store.ts'

const MIN_PREFIX = 8
const HASH_LENGTH = 64

/**
 * The commit that a reference stands for: `latest` or nothing, a hash, the beginning of one (8 characters or more), or
 * a tag. What is shorter can only be a tag, and a hash goes before a tag.
 *
 * @throws ApiError NOT_FOUND; its text says so when a beginning fits several commits
 */
export async function getCommit(
  { relational }: Pick<Deps, 'relational'>,
  repo: RepoKey,
  reference: string,
): Promise<CommitRow> {
  const { db } = relational
  if (reference === '' || reference === 'latest') return getFound(await selectLatestCommit(db, repo))
  const prefix = reference.toLowerCase()
  if (prefix.length >= MIN_PREFIX && prefix.length <= HASH_LENGTH && /^[0-9a-f]+$/.test(prefix)) {
    const found = await selectCommitsByHash(db, repo, prefix)
    if (found.length > 1) throw ambiguousError(reference, found)
    if (found[0] !== undefined) return found[0]
  }
  if (!TAG_NAME.test(reference)) return getFound(undefined)
  return getFound(await selectCommitByTag(db, repo, reference))
}

function getFound(commit: CommitRow | undefined): CommitRow {
  if (commit === undefined) throw new ApiError('NOT_FOUND', 'Commit not found')
  return commit
}

function ambiguousError(reference: string, found: readonly CommitRow[]): ApiError {
  const hashes = found.slice(0, 2).map((commit) => commit.commit_hash)
  return new ApiError(
    'NOT_FOUND',
    `Commit not found: ${reference} is ambiguous, among others it fits ${hashes.join(' and ')}`,
  )
}
