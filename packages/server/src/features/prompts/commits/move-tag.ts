import { ApiError, TAG_NAME, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import { assertCanMoveTags, assertTagName } from '../environments.ts'
import { getOwnRepo, type RepoPath } from '../index.ts'
import {
  changeHistory,
  emitPromptEvent,
  type HistoryDeps,
  type LockedHistory,
  type PromptEvent,
} from './change-history.ts'
import {
  type CommitRow,
  deleteTagRow,
  insertMove,
  insertTag,
  moveTagRow,
  type RepoKey,
  selectCommit,
  selectTag,
  type TagView,
} from './store.ts'

export interface TagRequest {
  readonly tagName: string
  readonly commitId: string
  readonly skipWebhooks?: boolean | readonly string[] | null | undefined
  /** The commit from which the tag moves, null for a new tag. @default any */
  readonly expectedCommitId?: string | null | undefined
  /** Whether the tag must already exist. @default false */
  readonly mustExist?: boolean
}

/**
 * Points a tag to a commit. An existing tag moves, because clients only have one call to set a tag, after their commit.
 * An unchanged tag emits no event.
 *
 * @throws ApiError NOT_FOUND for the repo, the commit, or with `mustExist` the tag; FORBIDDEN; INVALID_REQUEST for the
 * name; CONFLICT when the tag is not at the expected commit
 */
export async function setTag(deps: HistoryDeps, caller: Caller, path: RepoPath, request: TagRequest): Promise<TagView> {
  const { row } = await getOwnRepo(deps, caller, path)
  const known = await findTag(deps, row, request.tagName)
  if (request.mustExist) assertTag(known)
  // A tag from before the rule of names still moves.
  else if (known === undefined) assertTagName(request.tagName)
  const commit = await selectCommit(deps.relational.db, row, request.commitId)
  if (commit === undefined) throw new ApiError('NOT_FOUND', 'Commit not found')
  await assertCanMoveTags(deps, caller, [request.tagName])

  const { repo, event } = await changeHistory(deps, row, async (history) => {
    const before = await selectTag(history.tx, row, request.tagName)
    if (before === undefined && request.mustExist) throw new ApiError('NOT_FOUND', 'Tag not found')
    assertExpected(request, before)
    return { repo: history.repo, event: await writeTag(deps, caller, history, request.tagName, { before, commit }) }
  })
  if (event !== undefined) {
    const { tagName } = request
    const skipWebhooks = request.skipWebhooks ?? undefined
    await emitPromptEvent(deps, { tenantId: caller.tenantId, repo, commit, event, tagName, skipWebhooks })
  }
  return assertTag(await selectTag(deps.relational.db, row, request.tagName))
}

/**
 * Removes a tag. Its history remains.
 *
 * @throws ApiError NOT_FOUND, FORBIDDEN
 */
export async function removeTag(deps: HistoryDeps, caller: Caller, path: RepoPath, tagName: string): Promise<void> {
  const { row } = await getOwnRepo(deps, caller, path)
  assertTag(await findTag(deps, row, tagName))
  await assertCanMoveTags(deps, caller, [tagName])
  const { repo, commit } = await changeHistory(deps, row, async (history) => {
    const before = assertTag(await selectTag(history.tx, row, tagName))
    await deleteTagRow(history.tx, before.row.id)
    await insertTagMove(deps, caller, history, tagName, { before, commit: undefined })
    const commit = await selectCommit(history.tx, row, before.row.commit_id)
    if (commit === undefined) throw new ApiError('NOT_FOUND', 'Commit not found')
    return { repo: history.repo, commit }
  })
  await emitPromptEvent(deps, { tenantId: caller.tenantId, repo, commit, event: 'tag:delete', tagName })
}

/** A tag that is at the requested commit already is fine: the response of an earlier attempt may have been lost. */
function assertExpected({ tagName, commitId, expectedCommitId }: TagRequest, before: TagView | undefined): void {
  const current = before?.row.commit_id ?? null
  if (expectedCommitId === undefined || current === expectedCommitId || current === commitId) return
  const state = before === undefined ? 'does not exist any more' : `points to commit ${before.commitHash} now`
  throw new ApiError('CONFLICT', `The tag ${tagName} was changed meanwhile: it ${state}.`)
}

/** Finds a tag by any text. */
export function findTag({ relational }: Pick<Deps, 'relational'>, repo: RepoKey, name: string) {
  return TAG_NAME.test(name) ? selectTag(relational.db, repo, name) : Promise.resolve(undefined)
}

/** @throws ApiError NOT_FOUND */
export function assertTag(tag: TagView | undefined): TagView {
  if (tag === undefined) throw new ApiError('NOT_FOUND', 'Tag not found')
  return tag
}

interface TagMove {
  readonly before: TagView | undefined
  readonly commit: CommitRow | undefined
}

/** @returns the event; undefined when nothing changed */
async function writeTag(
  deps: HistoryDeps,
  caller: Caller,
  history: LockedHistory,
  tagName: string,
  { before, commit }: { readonly before: TagView | undefined; readonly commit: CommitRow },
): Promise<PromptEvent['event'] | undefined> {
  if (before?.row.commit_id === commit.id) return undefined
  const now = timeOfEpochMs(deps.clock())
  if (before === undefined) {
    await insertTag(history.tx, {
      id: deps.ids(),
      tenant_id: history.repo.tenant_id,
      repo_id: history.repo.id,
      tag_name: tagName,
      commit_id: commit.id,
      created_at: now,
      updated_at: now,
    })
  } else await moveTagRow(history.tx, before.row.id, commit.id, now)
  await insertTagMove(deps, caller, history, tagName, { before, commit })
  return before === undefined ? 'tag:create' : 'tag:update'
}

async function insertTagMove(
  { clock, ids }: HistoryDeps,
  caller: Caller,
  { tx, repo }: LockedHistory,
  tagName: string,
  { before, commit }: TagMove,
): Promise<void> {
  await insertMove(tx, {
    id: ids(),
    tenant_id: repo.tenant_id,
    repo_id: repo.id,
    tag_name: tagName,
    from_commit_id: before?.row.commit_id ?? null,
    from_commit_hash: before?.commitHash ?? null,
    to_commit_id: commit?.id ?? null,
    to_commit_hash: commit?.commit_hash ?? null,
    performed_by: caller.actorId ?? null,
    performed_by_name: caller.actorName ?? null,
    performed_by_role: caller.role,
    created_at: timeOfEpochMs(clock()),
  })
}
