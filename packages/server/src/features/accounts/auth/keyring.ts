import { timeOfEpochMs } from '@touchstone/contract'
import type { Clock, Deps } from '../../../deps.ts'
import { createSteadyClock } from '../../../steady-clock.ts'
import { wasSetUp } from '../index.ts'
import { hashToken } from '../secrets.ts'
import { type CurrentKey, markUsed, selectKeyByHash } from './store.ts'

export type KeyringDeps = Pick<Deps, 'relational' | 'clock' | 'log'>

/** Another process may revoke a key, so a cached key is valid for five seconds at most. */
const CACHED_MS = 5_000
const USE_WRITTEN_EVERY_MS = 60_000
const MAX_CACHED = 10_000

/** Finds keys, with a short cache so that an ingest request costs no query. */
export class Keyring {
  private readonly keys = new Map<string, { row: CurrentKey | undefined; until: number }>()
  private readonly usedAt = new Map<string, number>()
  private setUp: { is: boolean; until: number } = { is: false, until: 0 }

  private readonly steady: Clock

  constructor(private readonly deps: KeyringDeps) {
    this.steady = createSteadyClock(deps.clock)
  }

  /** Finds the valid key of this secret and records its use. */
  async find(secret: string): Promise<CurrentKey | undefined> {
    const now = this.deps.clock()
    const row = await this.lookUp(hashToken(secret))
    if (row === undefined || (row.expires_at !== null && Date.parse(row.expires_at) <= now)) return undefined
    this.recordUse(row.id, now)
    return row
  }

  /** Whether a key or an account was ever created. From then on, permanently, callers need credentials. */
  async isSetUp(): Promise<boolean> {
    const now = this.steady()
    if (!this.setUp.is && this.setUp.until <= now) {
      this.setUp = { is: await wasSetUp(this.deps.relational.db), until: now + CACHED_MS }
    }
    return this.setUp.is
  }

  /** Clears the cache after a key or an account was created or a key was revoked in this process. */
  forget(): void {
    this.keys.clear()
    this.setUp = { ...this.setUp, until: 0 }
  }

  private async lookUp(hash: string): Promise<CurrentKey | undefined> {
    const now = this.steady()
    const remembered = this.keys.get(hash)
    if (remembered !== undefined && remembered.until > now) return remembered.row
    const row = await selectKeyByHash(this.deps.relational.db, hash)
    if (this.keys.size >= MAX_CACHED) this.keys.clear() // wrong keys are cached too, and a caller can invent any number of them
    this.keys.set(hash, { row, until: now + CACHED_MS })
    return row
  }

  /** Writes the last use in the background, at most once a minute per key. */
  private recordUse(id: string, now: number): void {
    const at = this.steady()
    if (at - (this.usedAt.get(id) ?? 0) < USE_WRITTEN_EVERY_MS) return
    this.usedAt.set(id, at)
    markUsed(this.deps.relational.db, id, timeOfEpochMs(now)).catch((error) =>
      this.deps.log.warn({ err: error }, 'could not store the last use of a key'),
    )
  }
}
