import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid, isUuid } from '../ids/uuid.ts'
import type { Run, SharedEntity } from '../schemas.ts'
import { Calls } from './calls.ts'
import { hostOf } from './links.ts'
import { readable } from './runs.ts'

export class ShareCalls extends Calls {
  /**
   * Shares a run and all runs below it with everyone who has the link.
   *
   * @param shareId token to propose, a random UUID. A run that is shared already keeps the token it has
   * @returns the public web page
   */
  async shareRun(
    runId: string,
    { shareId }: { shareId?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<string> {
    assertUuid(runId)
    if (shareId !== undefined) assertUuid(shareId, 'shareId')
    const answer = await this.transport.call(routes.sharing.shareRun, {
      params: { run_id: runId },
      body: { run_id: runId, share_token: shareId ?? randomToken() },
      doing: `share run ${runId}`,
      ...options,
    })
    if (!answer?.share_token) throw new Error('Invalid response from server')
    return publicPage(hostOf(this.transport), answer.share_token)
  }

  /** Stops sharing a run: its link becomes invalid. Does nothing when the run is not shared. */
  async unshareRun(runId: string, options: CallOptions = {}): Promise<void> {
    assertUuid(runId)
    const doing = `unshare run ${runId}`
    await this.transport.send(routes.sharing.unshareRun, { params: { run_id: runId }, doing, ...options })
  }

  /** The public web page of a run; `undefined` while it is not shared. */
  async readRunSharedLink(runId: string, options: CallOptions = {}): Promise<string | undefined> {
    assertUuid(runId)
    const doing = `read the link of run ${runId}`
    const request = { params: { run_id: runId }, doing, ...options }
    const answer = await this.transport.call(routes.sharing.readRunShare, request)
    return answer?.share_token ? publicPage(hostOf(this.transport), answer.share_token) : undefined
  }

  /**
   * The shared run and all below it, oldest first; needs no key.
   *
   * @param shareToken the token, or the public page that holds it
   * @param runIds only these
   */
  async listSharedRuns(
    shareToken: string,
    { runIds }: { runIds?: string[] | undefined } = {},
    options: CallOptions = {},
  ): Promise<Run[]> {
    const token = tokenOf(shareToken)
    for (const [index, id] of (runIds ?? []).entries()) assertUuid(id, `runIds[${index}]`)
    const query = { id: runIds }
    const doing = 'list shared runs'
    const request = { params: { share_token: token }, query, doing, ...options }
    return (await this.transport.call(routes.sharing.publicRuns, request)).map(toRun)
  }

  /**
   * A shared run with its inputs and outputs; needs no key. An extension of ours.
   *
   * @param shareToken the token, or the public page that holds it
   * @param runId a run below the shared one. @default the shared run
   */
  async readSharedRun(
    shareToken: string,
    { runId }: { runId?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<Run> {
    const token = tokenOf(shareToken)
    if (runId !== undefined) assertUuid(runId)
    const request = { doing: 'read a shared run', ...options }
    const params = { share_token: token }
    if (runId === undefined) {
      return toRun(await this.transport.call(routes.sharing.publicRun, { params, ...request }))
    }
    const ofRun = { ...params, run_id: runId }
    return toRun(await this.transport.call(routes.sharing.publicRunById, { params: ofRun, ...request }))
  }

  /** Everything that the workspace shares publicly, newest first. An extension of ours. */
  async listShares(options: CallOptions = {}): Promise<SharedEntity[]> {
    const request = { doing: 'list what is shared', ...options }
    return (await this.transport.call(routes.sharing.listShared, request)).entities
  }

  /** Revokes some share links, or, with `'all'`, those of the whole workspace. An extension of ours. */
  async revokeShares(shareTokens: string[] | 'all', options: CallOptions = {}): Promise<void> {
    const isAll = shareTokens === 'all'
    await this.transport.send(routes.sharing.unshare, {
      body: { share_tokens: isAll ? [] : shareTokens.map((token) => tokenOf(token)), unshare_all: isAll },
      doing: 'revoke shares',
      ...options,
    })
  }
}

/** Public runs lack the project, which `Run` has. */
const toRun = (run: Parameters<typeof readable>[0]): Run => readable(run) as Run

const publicPage = (host: string, token: string) => `${host}/public/${token}/r`

/** All bits are random, because the token alone protects the run. */
function randomToken(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/**
 * The share token of a public page, which is the last but one of its path, or the token itself.
 *
 * @param otherwise what is said of anything else, before the thing itself
 */
export function tokenOf(tokenOrPage: string, otherwise = 'Invalid UUID'): string {
  const path = tokenOrPage.replace(/[?#].*$/s, '').split('/')
  const token = [tokenOrPage, path.at(-2)].find(isUuid)
  if (token !== undefined) return token
  throw new Error(`${otherwise}: ${tokenOrPage}`)
}
