import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { wasSetUp } from '../index.ts'
import { hashSecret } from './secret.ts'
import { type HeldKey, markUsed, selectKeyByHash } from './store.ts'

export type KeyringDeps = Pick<Deps, 'relational' | 'clock' | 'log'>

/** Another process may revoke a key: what is remembered here holds for five seconds at most. */
const REMEMBERED_MS = 5_000
const USE_WRITTEN_EVERY_MS = 60_000
const MAX_REMEMBERED = 10_000

/** Looks keys up, remembering them briefly so that an ingest request costs no query. */
export class Keyring {
  private readonly keys = new Map<string, { row: HeldKey | undefined; until: number }>()
  private readonly usedAt = new Map<string, number>()
  private closed: { is: boolean; until: number } = { is: false, until: 0 }

  constructor(private readonly deps: KeyringDeps) {}

  /** The valid key of this secret; notes its use. */
  async find(secret: string): Promise<HeldKey | undefined> {
    const now = this.deps.clock()
    const row = await this.lookUp(hashSecret(secret), now)
    if (row === undefined || (row.expires_at !== null && Date.parse(row.expires_at) <= now)) return undefined
    this.noteUse(row.id, now)
    return row
  }

  /** Whether a key or an account was ever made. From then on, for good, nobody is let in without one. */
  async isClosed(): Promise<boolean> {
    const now = this.deps.clock()
    if (!this.closed.is && this.closed.until <= now) {
      this.closed = { is: await wasSetUp(this.deps.relational.db), until: now + REMEMBERED_MS }
    }
    return this.closed.is
  }

  /** A key or an account was made, or a key revoked, in this process: it holds from now on. */
  forget(): void {
    this.keys.clear()
    this.closed = { ...this.closed, until: 0 }
  }

  private async lookUp(hash: string, now: number): Promise<HeldKey | undefined> {
    const remembered = this.keys.get(hash)
    if (remembered !== undefined && remembered.until > now) return remembered.row
    const row = await selectKeyByHash(this.deps.relational.db, hash)
    if (this.keys.size >= MAX_REMEMBERED) this.keys.clear() // wrong keys are remembered too, and can be invented at will
    this.keys.set(hash, { row, until: now + REMEMBERED_MS })
    return row
  }

  /** Written at most once a minute and key; nobody waits for it. */
  private noteUse(id: string, now: number): void {
    if (now - (this.usedAt.get(id) ?? 0) < USE_WRITTEN_EVERY_MS) return
    this.usedAt.set(id, now)
    markUsed(this.deps.relational.db, id, timeOfEpochMs(now)).catch((error) =>
      this.deps.log.warn({ err: error }, 'the last use of a key was not written'),
    )
  }
}
