import { randomUUID } from 'node:crypto'
import { ApiError, parseUuid, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { insertShare, selectByRuns } from './store.ts'

export interface SharedRun {
  readonly id: string
  readonly trace_id: string
  readonly session_id: string
}

/**
 * The token of a run. A run that is shared keeps its first one, so that links handed out stay good. Otherwise the
 * proposed token is taken when it is a random UUID that nobody holds, and a new one made when it is not: the token is
 * all that stands between the public and the run, so it must not be guessable.
 */
export async function giveToken(
  { relational, clock }: Pick<Deps, 'relational' | 'clock'>,
  tenantId: string,
  run: SharedRun,
  proposed: string | null | undefined,
): Promise<string> {
  const { db } = relational
  for (const token of [randomToken(proposed) ?? randomUUID(), randomUUID(), randomUUID()]) {
    const [held] = await selectByRuns(db, tenantId, [run.id])
    if (held !== undefined) return held.share_token
    const inserted = await insertShare(db, {
      tenant_id: tenantId,
      run_id: run.id,
      trace_id: run.trace_id,
      session_id: run.session_id,
      share_token: token,
      created_at: timeOfEpochMs(clock()),
    })
    // Otherwise the token is taken, or somebody shared the run in between: look again.
    if (inserted !== undefined) return inserted.share_token
  }
  throw new ApiError('UNAVAILABLE', 'The run is shared and unshared faster than its token can be read.')
}

/** A UUID of version 4, or undefined: other versions are made of times and names. */
function randomToken(text: string | null | undefined): string | undefined {
  const token = parseUuid(text)
  return token !== undefined && /^.{14}4.{4}[89ab]/.test(token) ? token : undefined
}
