import { ApiError, type CommitCreate } from '@touchstone/contract'
import type { Caller } from '../../../http/caller.ts'
import { splitMembers } from '../../../json/cut-json.ts'
import { assertStorableText, getOwnRepo, type RepoPath, type RepoRow } from '../index.ts'
import {
  appendCommit,
  assertParentIsLatest,
  changeHistory,
  emitPromptEvent,
  type HistoryDeps,
} from './change-history.ts'
import { assertManifestType, hashManifest } from './manifest.ts'
import type { CommitRow } from './store.ts'

/**
 * Commits a manifest; `bodyText` is the body that `body` was read from. The manifest is a raw payload: stored as the text that
 * came, looked at for its class and whether it says anything new, and never made into anything.
 *
 * @throws ApiError NOT_FOUND, FORBIDDEN; INVALID_REQUEST for a manifest of no known type; CONFLICT when it equals the
 *   newest commit's, or the parent is no longer the newest commit
 */
export async function commitPrompt(
  deps: HistoryDeps,
  caller: Caller,
  path: RepoPath,
  { body, bodyText }: { readonly body: CommitCreate; readonly bodyText: string },
): Promise<{ readonly commit: CommitRow; readonly manifest: string }> {
  const { row } = await getOwnRepo(deps, caller, path)
  checkKind(row, body)
  assertStorableText('description', body.description)
  const manifest = hashManifest(splitMembers(bodyText).get('manifest')!)

  const { repo, commit } = await changeHistory(deps, row, async (history) => {
    if (history.latest?.content_hash === manifest.contentHash) {
      throw new ApiError('CONFLICT', 'Nothing to commit: prompt has not changed since latest commit')
    }
    assertParentIsLatest(history, body.parent_commit)
    const words = { ...body, exampleRunIds: body.example_run_ids, author: caller.actorName }
    return { repo: history.repo, commit: await appendCommit(deps, history, manifest, words) }
  })
  const skipWebhooks = body.skip_webhooks ?? undefined
  await emitPromptEvent(deps, { tenantId: caller.tenantId, repo, commit, event: 'commit', skipWebhooks })
  return { commit, manifest: manifest.text }
}

/** A file may hold any object; the trees of agents and skills are changed path by path. */
function checkKind({ repo_type }: RepoRow, { manifest }: CommitCreate): void {
  if (repo_type === 'prompt') assertManifestType(manifest)
  else if (repo_type !== 'file') {
    throw new ApiError('INVALID_REQUEST', `Files are committed to this ${repo_type} at its directories.`)
  }
}
