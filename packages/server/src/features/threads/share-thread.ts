import { ApiError } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { RawJson } from '../../http/raw-json.ts'
import { joinObjects } from '../../json/write-object.ts'
import { isStorable } from '../../storage/relational/columns.ts'
import type { LookUpDeps } from '../runs/index.ts'
import { findThreadShare, shareThread, type ThreadKey, threadTokenOf, unshareThread } from '../sharing/tokens/index.ts'
import { findThreads } from './find-threads.ts'
import { listThreadTraces, type ThreadTracesQuery } from './thread-traces.ts'

/**
 * Opens a thread to readers without a key: the traces that it has, and those that it gets later.
 *
 * @throws ApiError NOT_FOUND when the project has no such thread
 */
export async function openThread(
  deps: LookUpDeps & Pick<Deps, 'clock'>,
  tenantId: string,
  key: ThreadKey,
): Promise<{ share_token: string }> {
  if (!(await existsThread(deps, tenantId, key))) throw new ApiError('NOT_FOUND', 'Thread not found')
  return { share_token: await shareThread(deps, tenantId, key) }
}

/** The token of a thread; without one, nothing. */
export async function readThreadToken(
  deps: LookUpDeps,
  tenantId: string,
  key: ThreadKey,
): Promise<{ share_token?: string }> {
  const token = isStorable(key.threadId) ? await threadTokenOf(deps, tenantId, key) : undefined
  return token === undefined ? {} : { share_token: token }
}

/** Closes a thread; one that is not open stays so. */
export async function closeThread(deps: LookUpDeps, tenantId: string, key: ThreadKey): Promise<void> {
  if (isStorable(key.threadId)) await unshareThread(deps, tenantId, key)
}

/**
 * A page of the thread that a token opens.
 *
 * @throws ApiError NOT_FOUND, in the same words whether the token never was, was revoked, or outlived its thread
 */
export async function listSharedThread(
  deps: LookUpDeps,
  token: string,
  query: Pick<ThreadTracesQuery, 'selects' | 'page_size' | 'cursor'>,
): Promise<RawJson> {
  const share = await findThreadShare(deps, token)
  const key = share && { projectId: share.session_id, threadId: share.thread_id }
  if (key === undefined || !(await existsThread(deps, share!.tenant_id, key))) {
    throw new ApiError('NOT_FOUND', 'Share token not found')
  }
  const { selects, page_size, cursor } = query
  const page = { project_id: key.projectId, selects, page_size, cursor }
  const { text } = await listThreadTraces(deps, share!.tenant_id, key.threadId, page)
  return new RawJson(joinObjects(JSON.stringify({ thread_id: key.threadId }), String(text)))
}

async function existsThread(deps: LookUpDeps, tenantId: string, { projectId, threadId }: ThreadKey): Promise<boolean> {
  if (threadId === '' || !isStorable(threadId)) return false
  return (await findThreads(deps, tenantId, projectId, [threadId])).has(threadId)
}
