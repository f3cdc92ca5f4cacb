import { env } from '../config/env.ts'
import type { Example, KVMap } from '../schemas.ts'
import { readGitInfo } from './git-info.ts'

/** What an experiment says about itself: the caller's metadata, the code, and the data it ran on. */
export async function experimentMetadata(
  given: KVMap | undefined,
  examples: readonly Example[],
  numRepetitions: number,
): Promise<KVMap> {
  const git = await readGitInfo()
  const revision_id = env('REVISION_ID')
  const splits = splitsOf(examples)
  return {
    ...(revision_id && { revision_id }),
    ...given,
    ...(git && { git }),
    num_repetitions: numRepetitions,
    ...versionOf(examples),
    ...(splits.length > 0 && { dataset_splits: splits }),
  }
}

/** The newest change among the examples: at that version, the dataset read as it did here. */
function versionOf(examples: readonly Example[]): { dataset_version?: string } {
  const newest = Math.max(...examples.map(({ modified_at }) => (modified_at ? Date.parse(modified_at) : Number.NaN)))
  return Number.isNaN(newest) ? {} : { dataset_version: new Date(newest).toISOString() }
}

function splitsOf(examples: readonly Example[]): string[] {
  const splits = examples.flatMap(({ metadata }) => metadata?.dataset_split ?? [])
  return [...new Set(splits.filter((split) => typeof split === 'string'))].sort()
}
