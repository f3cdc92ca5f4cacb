import type { CommitReadQuery } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { withModel } from './model-of-manifest.ts'
import { presentPulled, type Reader } from './present.ts'
import { readExamples } from './read-examples.ts'
import { type CommitRow, countReading, selectManifests } from './store.ts'

export type PullDeps = Pick<Deps, 'relational' | 'analytics' | 'log'>

export type PullWish = Pick<CommitReadQuery, 'include_model' | 'include' | 'get_examples' | 'is_view'>

/** Whether the model is wanted, by the older flag or the newer list. */
export const wantsModel = ({ include_model, include }: PullWish) =>
  include_model || (include?.includes('model') ?? false)

/** A commit as it is pulled, as JSON text. */
export async function pullCommit(deps: PullDeps, commit: CommitRow, wish: PullWish, reader: Reader): Promise<string> {
  const manifest = (await selectManifests(deps.relational.db, commit.tenant_id, [commit.id])).get(commit.id) ?? '{}'
  // Runs are the owner's, and publishing a prompt publishes none of them.
  const showsExamples = wish.get_examples && !reader.isForeign
  const examples = showsExamples ? await readExamples(deps, commit.tenant_id, commit.example_run_ids) : []
  return presentPulled(commit, withModel(manifest, wantsModel(wish)), examples, reader)
}

/** Counts that a commit was pulled, or viewed. A reading that cannot be counted is a reading all the same. */
export async function countPull(
  { relational, log }: Pick<PullDeps, 'relational' | 'log'>,
  commit: CommitRow,
  { is_view }: PullWish,
): Promise<void> {
  try {
    await countReading(relational.db, commit, is_view ? 'num_views' : 'num_downloads')
  } catch (error) {
    log.warn({ err: error, commit: commit.id }, 'a reading of a commit was not counted')
  }
}
