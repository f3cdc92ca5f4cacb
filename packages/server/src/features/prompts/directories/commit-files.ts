import { ApiError, type DirectoryCommitCreate, type DirectoryEntry, REPO_HANDLE } from '@touchstone/contract'
import type { Caller } from '../../../http/caller.ts'
import { splitMembers } from '../../../json/cut-json.ts'
import { printObject } from '../../../json/write-object.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import {
  appendCommit,
  assertParentIsLatest,
  type CommitRow,
  changeHistory,
  emitPromptEvent,
  type HistoryDeps,
  hashManifest,
  type LockedHistory,
  readManifest,
} from '../commits/index.ts'
import { assertStorableText, type RepoPath } from '../index.ts'
import { getOwnDirectory, readFiles, toManifest } from './directory.ts'

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
  const { row } = await getOwnDirectory(deps, caller, path)
  assertFiles(body.files)
  assertStorableText('description', body.description)
  const changes = splitMembers(splitMembers(bodyText).get('files')!)

  const { repo, commit, isNew } = await changeHistory(deps, row, async (history) => {
    assertParentIsLatest(history, body.parent_commit)
    const manifest = hashManifest(toManifest(applyChanges(changes, await readTree(deps, history))))
    const { repo, latest } = history
    if (latest?.content_hash === manifest.contentHash) return { repo, commit: latest, isNew: false }
    const words = { description: body.description, author: caller.actorName }
    return { repo, commit: await appendCommit(deps, history, manifest, words), isNew: true }
  })
  const skipWebhooks = body.skip_webhooks ?? undefined
  if (isNew) await emitPromptEvent(deps, { tenantId: caller.tenantId, repo, commit, event: 'commit', skipWebhooks })
  return commit
}

async function readTree(deps: HistoryDeps, { tx, repo, latest }: LockedHistory): Promise<Map<string, string>> {
  if (latest === undefined) return new Map()
  const manifest = await readManifest({ relational: withTransaction(deps.relational, tx) }, repo.tenant_id, latest.id)
  return manifest === undefined ? new Map() : splitMembers(readFiles(manifest))
}

function applyChanges(changes: ReadonlyMap<string, string>, tree: Map<string, string>): string {
  for (const [path, entry] of changes) {
    if (entry === 'null') tree.delete(path)
    else tree.set(path, entry)
  }
  return printObject(tree)
}

const MAX_PATH = 1024
const MAX_PATHS = 10_000

/**
 * Programs write a tree to disk, so a path must not lead out of the folder it is written to, on any system.
 *
 * @throws ApiError INVALID_REQUEST naming the path
 */
function assertFiles(files: Readonly<Record<string, DirectoryEntry | null>>): void {
  const entries = Object.entries(files)
  if (entries.length > MAX_PATHS) throw new ApiError('INVALID_REQUEST', `A commit changes at most ${MAX_PATHS} paths.`)
  for (const [path, entry] of entries) {
    if (!isRelativePath(path)) {
      throw new ApiError(
        'INVALID_REQUEST',
        `Invalid path ${JSON.stringify(path.slice(0, 200))}: must be relative, without "..", "\\" and control characters.`,
      )
    }
    if (entry !== null && entry.type !== 'file' && !REPO_HANDLE.test(entry.repo_handle)) {
      throw new ApiError(
        'INVALID_REQUEST',
        `Invalid repo_handle "${entry.repo_handle.slice(0, 200).toWellFormed()}": must match /${REPO_HANDLE.source}/`,
      )
    }
  }
}

function isRelativePath(path: string): boolean {
  if (path.length > MAX_PATH || FORBIDDEN.test(path)) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\0-\x1f\x7f\\]|^[a-zA-Z]:|\p{Surrogate}/u
