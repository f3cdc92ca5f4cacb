import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { MemberRow, SignInRow } from '../../storage/relational/tables/accounts.ts'
import { selectMemberships } from './memberships.ts'
import { markSeen, selectSignInByHash } from './store.ts'
import { hashOfToken } from './token.ts'

export interface FoundSignIn {
  readonly signIn: SignInRow
  /** The person in each of their workspaces; never empty. The first one is where a request without a choice goes. */
  readonly members: readonly MemberRow[]
}

/** Another process may end a sign-in or change a role: what is remembered here holds for five seconds at most. */
const REMEMBERED_MS = 5_000
const USE_WRITTEN_EVERY_MS = 60_000
const MAX_REMEMBERED = 10_000

/** Looks sign-ins up, remembering them briefly so that a page of many requests costs one query. */
export class SignIns {
  private readonly known = new Map<string, { found: FoundSignIn | undefined; until: number }>()
  private readonly used = new Map<string, { at: number; tenantId: string }>()

  constructor(private readonly deps: Pick<Deps, 'relational' | 'clock' | 'log'>) {}

  /** The sign-in of this token, while it holds. */
  async find(token: string): Promise<FoundSignIn | undefined> {
    const now = this.deps.clock()
    const found = await this.lookUp(hashOfToken(token), now)
    return found === undefined || Date.parse(found.signIn.expires_at) <= now ? undefined : found
  }

  /** A person, a membership or a sign-in changed in this process: it holds from now on. */
  forget(): void {
    this.known.clear()
  }

  /** Written at most once a minute, or every five seconds when the workspace changed; nobody waits for it. */
  noteUse({ signIn }: FoundSignIn, tenantId: string): void {
    const now = this.deps.clock()
    const last = this.used.get(signIn.id)
    if (last !== undefined) {
      const every = last.tenantId === tenantId ? USE_WRITTEN_EVERY_MS : REMEMBERED_MS
      if (now - last.at < every) return
    }
    if (this.used.size >= MAX_REMEMBERED) this.used.clear()
    this.used.set(signIn.id, { at: now, tenantId })
    markSeen(this.deps.relational.db, signIn, tenantId, timeOfEpochMs(now)).catch((error) =>
      this.deps.log.warn({ err: error }, 'when somebody was last seen was not written'),
    )
  }

  private async lookUp(hash: string, now: number): Promise<FoundSignIn | undefined> {
    const remembered = this.known.get(hash)
    if (remembered !== undefined && remembered.until > now) return remembered.found
    const found = await this.read(hash)
    if (this.known.size >= MAX_REMEMBERED) this.known.clear() // wrong tokens can be invented at will
    this.known.set(hash, { found, until: now + REMEMBERED_MS })
    return found
  }

  private async read(hash: string): Promise<FoundSignIn | undefined> {
    const { db } = this.deps.relational
    const signIn = await selectSignInByHash(db, hash)
    if (signIn === undefined) return undefined
    const members = await selectMemberships(db, signIn.person_id)
    if (members.length === 0) return undefined
    const lastUsed = members.filter(({ tenant_id }) => tenant_id === signIn.tenant_id)
    return { signIn, members: [...lastUsed, ...members.filter((member) => !lastUsed.includes(member))] }
  }
}
