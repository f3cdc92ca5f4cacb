import { createHash } from 'node:crypto'
import { ApiError } from '@touchstone/contract'
import { canonicalJson } from '../../../json/canonical-json.ts'

const MAX_BYTES = 20 * 1024 * 1024

/** A manifest as it came, and what is compared and hashed of it. */
export interface HashedManifest {
  /** JSON text as it came. */
  readonly text: string
  readonly canonical: string
  /** Equal for manifests that say the same. */
  readonly contentHash: string
}

/**
 * @param text  JSON text of an object
 * @throws ApiError PAYLOAD_TOO_LARGE above 20 MiB, INVALID_REQUEST when it is nested deeper than 10,000 levels
 */
export function hashManifest(text: string): HashedManifest {
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw new ApiError('PAYLOAD_TOO_LARGE', `A manifest, or a tree of files, has at most ${MAX_BYTES} bytes.`)
  }
  const canonical = canonicalJson(text)
  const content = canonical.includes('"metadata":') ? canonicalJson(canonical, withoutOrigin) : canonical
  return { text, canonical, contentHash: sha256(content) }
}

/**
 * Hash of a commit: of its manifest and all that went before, and of nothing that differs between servers, so that a
 * history replayed elsewhere has the same hashes.
 *
 * @param parentHash  null for a first commit
 */
export function hashCommit({ canonical }: Pick<HashedManifest, 'canonical'>, parentHash: string | null): string {
  return sha256(`[${JSON.stringify(parentHash)},${canonical}]`)
}

/** Loaders note in a pulled prompt where it came from; pushing it back unchanged must not look like a change. */
function withoutOrigin(members: Map<string, string>, key: string | undefined, parentKey: string | undefined): boolean {
  if (key !== 'metadata' || parentKey !== 'kwargs') return true
  for (const name of ['lc_hub_owner', 'lc_hub_repo', 'lc_hub_commit_hash']) members.delete(name)
  return members.size > 0
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
