import { ApiError, isStorable } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { RawJson } from '../../http/serve.ts'
import { findThreadShare } from '../../storage/relational/public-links.ts'
import type { RunViewDeps } from '../runs/index.ts'
import { listThreadTraces, selectThreadStarts, type ThreadTracesQuery } from '../threads/index.ts'
import { deleteThreadShare, insertThreadShare, selectThreadToken, type ThreadKey } from './share-links.ts'

/**
 * Shares a thread with the public, including traces that are added later.
 *
 * @throws ApiError NOT_FOUND when the project has no such thread
 */
export async function shareThread(
  deps: RunViewDeps & Pick<Deps, 'clock'>,
  tenantId: string,
  key: ThreadKey,
): Promise<{ share_token: string }> {
  if (!(await existsThread(deps, tenantId, key))) throw new ApiError('NOT_FOUND', 'Thread not found')
  return { share_token: await insertThreadShare(deps, tenantId, key) }
}

/** The share token of a thread; an empty object when the thread is not shared. */
export async function readThreadToken(
  deps: RunViewDeps,
  tenantId: string,
  key: ThreadKey,
): Promise<{ share_token?: string }> {
  const token = isStorable(key.threadId) ? await selectThreadToken(deps.relational.db, tenantId, key) : undefined
  return token === undefined ? {} : { share_token: token }
}

/** Unshares a thread; does nothing when it is not shared. */
export async function unshareThread(deps: RunViewDeps, tenantId: string, key: ThreadKey): Promise<void> {
  if (isStorable(key.threadId)) await deleteThreadShare(deps.relational.db, tenantId, key)
}

/**
 * A page of the traces of a shared thread.
 *
 * @throws ApiError NOT_FOUND with the same message for an unknown token, a revoked token and a deleted thread
 */
export async function listSharedThread(
  deps: RunViewDeps,
  token: string,
  query: Pick<ThreadTracesQuery, 'selects' | 'page_size' | 'cursor'>,
): Promise<RawJson> {
  const share = await findThreadShare(deps.relational.db, token)
  if (share === undefined) throw new ApiError('NOT_FOUND', 'Share token not found')
  const key = { projectId: share.session_id, threadId: share.thread_id }
  if (!(await existsThread(deps, share.tenant_id, key))) throw new ApiError('NOT_FOUND', 'Share token not found')
  const { selects, page_size, cursor } = query
  const page = { project_id: key.projectId, selects, page_size, cursor }
  const { text } = await listThreadTraces(deps, share.tenant_id, key.threadId, page)
  return new RawJson(`{"thread_id":${JSON.stringify(key.threadId)},${String(text).slice(1)}`)
}

async function existsThread(deps: RunViewDeps, tenantId: string, { projectId, threadId }: ThreadKey): Promise<boolean> {
  if (threadId === '' || !isStorable(threadId)) return false
  return (await selectThreadStarts(deps, tenantId, projectId, [threadId])).has(threadId)
}
