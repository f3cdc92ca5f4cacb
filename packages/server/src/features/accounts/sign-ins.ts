import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { type FoundSignIn, markSeen, selectSignInByHash } from './store.ts'
import { hashOfToken } from './token.ts'

/** Another process may end a sign-in or change a role: what is remembered here holds for five seconds at most. */
const REMEMBERED_MS = 5_000
const USE_WRITTEN_EVERY_MS = 60_000
const MAX_REMEMBERED = 10_000

/** Looks sign-ins up, remembering them briefly so that a page of many requests costs one query. */
export class SignIns {
  private readonly known = new Map<string, { found: FoundSignIn | undefined; until: number }>()
  private readonly usedAt = new Map<string, number>()

  constructor(private readonly deps: Pick<Deps, 'relational' | 'clock' | 'log'>) {}

  /** The sign-in of this token, while it holds; notes its use. */
  async find(token: string): Promise<FoundSignIn | undefined> {
    const now = this.deps.clock()
    const found = await this.lookUp(hashOfToken(token), now)
    if (found === undefined || Date.parse(found.signIn.expires_at) <= now) return undefined
    this.noteUse(found, now)
    return found
  }

  /** A person or a sign-in changed in this process: it holds from now on. */
  forget(): void {
    this.known.clear()
  }

  private async lookUp(hash: string, now: number): Promise<FoundSignIn | undefined> {
    const remembered = this.known.get(hash)
    if (remembered !== undefined && remembered.until > now) return remembered.found
    const found = await selectSignInByHash(this.deps.relational.db, hash)
    if (this.known.size >= MAX_REMEMBERED) this.known.clear() // wrong tokens can be invented at will
    this.known.set(hash, { found, until: now + REMEMBERED_MS })
    return found
  }

  /** Written at most once a minute and sign-in; nobody waits for it. */
  private noteUse(found: FoundSignIn, now: number): void {
    const { id } = found.signIn
    if (now - (this.usedAt.get(id) ?? 0) < USE_WRITTEN_EVERY_MS) return
    if (this.usedAt.size >= MAX_REMEMBERED) this.usedAt.clear()
    this.usedAt.set(id, now)
    markSeen(this.deps.relational.db, found, timeOfEpochMs(now)).catch((error) =>
      this.deps.log.warn({ err: error }, 'when somebody was last seen was not written'),
    )
  }
}
