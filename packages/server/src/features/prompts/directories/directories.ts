import {
  ApiError,
  contract,
  type Directory,
  type DirectoryCommitCreate,
  type DirectoryEntry,
  REPO_HANDLE,
} from '@touchstone/contract'
import { getMemberText, splitMembers } from '@touchstone/formats/cut-json'
import { addRawMembers, printObject } from '@touchstone/formats/write-object'
import type { Deps } from '../../../deps.ts'
import { sendJsonWithEtag } from '../../../http/responses.ts'
import type { Caller } from '../../../http/serve.ts'
import { type App, serve } from '../../../http/serve.ts'
import { withTransaction } from '../../../storage/relational/port.ts'
import {
  appendCommit,
  assertParentIsLatest,
  type CommitRow,
  changeHistory,
  emitPromptEvent,
  getCommit,
  type HistoryDeps,
  hashManifest,
  type LockedHistory,
  readManifest,
} from '../commits/index.ts'
import { deleteRepos, getOwnRepo, getRepo, isForeign, type RepoPath, type RepoView } from '../index.ts'

/**
 * Applies changed files to the newest tree: null removes a path, and other paths remain. `body` was parsed from
 * `bodyText`; entries are stored as raw JSON.
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
  const changes = splitMembers(getMemberText(splitMembers(bodyText), 'files'))

  const { repo, commit, isNew } = await changeHistory(deps, row, async (history) => {
    assertParentIsLatest(history, body.parent_commit)
    const manifest = hashManifest(toManifest(applyChanges(changes, await readTree(deps, history))))
    const { repo, latest } = history
    if (latest?.content_hash === manifest.contentHash) return { repo, commit: latest, isNew: false }
    const details = { description: body.description, author: caller.actorName }
    return { repo, commit: await appendCommit(deps, history, manifest, details), isNew: true }
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
 * Programs write a tree to disk, so on every system a path must stay inside the target folder.
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

type RepoDeps = Pick<Deps, 'relational'>

/**
 * An agent or skill that the caller may read.
 *
 * @param type  @default both
 * @throws ApiError NOT_FOUND, also for a prompt with that name
 */
export async function getDirectory(
  deps: RepoDeps,
  caller: Caller | undefined,
  path: RepoPath,
  type?: 'agent' | 'skill',
): Promise<RepoView> {
  return assertDirectory(await getRepo(deps, caller, path), type)
}

/** @throws ApiError NOT_FOUND; FORBIDDEN for a public one of another workspace */
export async function getOwnDirectory(deps: RepoDeps, caller: Caller, path: RepoPath): Promise<RepoView> {
  return assertDirectory(await getOwnRepo(deps, caller, path))
}

function assertDirectory(view: RepoView, type?: 'agent' | 'skill'): RepoView {
  const { repo_type } = view.row
  const isMatch = type === undefined ? repo_type === 'agent' || repo_type === 'skill' : repo_type === type
  if (!isMatch) throw new ApiError('NOT_FOUND', 'Repository not found')
  return view
}

/** The manifest of a tree of files; both are JSON text. */
const toManifest = (files: string): string => `{"files":${files}}`

/** The files in a manifest, as the text of an object by path. */
export const readFiles = (manifest: string): string => splitMembers(manifest).get('files') ?? '{}'

export function hubDirectoryRoutes(app: App, deps: HistoryDeps & Pick<Deps, 'relational'>): void {
  const { hubDirectories } = contract

  serve(app, hubDirectories.read, async ({ caller, params, query, request, reply }) => {
    const view = await getDirectory(deps, caller, params, query.repo_type)
    const { id, commit_hash } = await getCommit(deps, view.row, query.commit)
    const is_foreign = isForeign(view, caller)
    return sendJsonWithEtag(request, reply, `${id}-files${is_foreign ? '-foreign' : ''}`, async () => {
      const manifest = await readManifest(deps, view.row.tenant_id, id)
      if (manifest === undefined) throw new ApiError('NOT_FOUND', 'Commit not found')
      const head: Omit<Directory, 'files'> = { commit_id: id, commit_hash, is_foreign }
      return addRawMembers(head, { files: readFiles(manifest) })
    })
  })

  serve(app, hubDirectories.commit, async ({ caller, params, body, bodyText }) => {
    const { id, commit_hash, created_at } = await commitFiles(deps, caller, params, { body, bodyText })
    return { commit: { id, commit_hash, created_at } }
  })

  serve(app, hubDirectories.delete, async ({ caller, params, reply }) => {
    const { row } = await getOwnDirectory(deps, caller, params)
    await deleteRepos(deps, caller, [row.id])
    return reply.code(204).send()
  })
}
