import type { DirectoryCommitCreate } from '@touchstone/contract'
import type { Caller } from '../../../http/caller.ts'
import { splitMembers } from '../../../json/cut-json.ts'
import { printObject } from '../../../json/write-object.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import {
  announce,
  appendCommit,
  type CommitRow,
  changeHistory,
  checkParent,
  type HistoryDeps,
  hashManifest,
  type LockedHistory,
  readManifest,
} from '../commits/index.ts'
import { checkText, type RepoPath } from '../index.ts'
import { checkFiles } from './check-files.ts'
import { findOwnDirectory } from './find-directory.ts'
import { filesOf, manifestOf } from './tree.ts'

/**
 * Lays changed files on top of the newest tree: null takes a path away, and paths that are not named stay.
 * `bodyText` is the body that `body` was read from; entries are stored as the text that came.
 *
 * @returns the new commit; the newest one when nothing changed
 * @throws ApiError NOT_FOUND, FORBIDDEN; CONFLICT when the parent is no longer the newest commit; INVALID_REQUEST
 */
export async function commitFiles(
  deps: HistoryDeps,
  caller: Caller,
  path: RepoPath,
  { body, bodyText }: { readonly body: DirectoryCommitCreate; readonly bodyText: string },
): Promise<CommitRow> {
  const { row } = await findOwnDirectory(deps, caller, path)
  checkFiles(body.files)
  checkText('description', body.description)
  const changes = splitMembers(splitMembers(bodyText).get('files')!)

  const { repo, commit, isNew } = await changeHistory(deps, row, async (history) => {
    checkParent(history, body.parent_commit)
    const manifest = hashManifest(manifestOf(apply(changes, await treeOf(deps, history))))
    const { repo, latest } = history
    if (latest?.content_hash === manifest.contentHash) return { repo, commit: latest, isNew: false }
    const words = { description: body.description, author: caller.actorName }
    return { repo, commit: await appendCommit(deps, history, manifest, words), isNew: true }
  })
  const skipWebhooks = body.skip_webhooks ?? undefined
  if (isNew) await announce(deps, { tenantId: caller.tenantId, repo, commit, event: 'commit', skipWebhooks })
  return commit
}

async function treeOf(deps: HistoryDeps, { tx, repo, latest }: LockedHistory): Promise<Map<string, string>> {
  if (latest === undefined) return new Map()
  const manifest = await readManifest({ relational: withTransaction(deps.relational, tx) }, repo.tenant_id, latest.id)
  return manifest === undefined ? new Map() : splitMembers(filesOf(manifest))
}

function apply(changes: ReadonlyMap<string, string>, tree: Map<string, string>): string {
  for (const [path, entry] of changes) {
    if (entry === 'null') tree.delete(path)
    else tree.set(path, entry)
  }
  return printObject(tree)
}
