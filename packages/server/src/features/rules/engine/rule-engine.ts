import { type RuleDefinition, timeOfEpochMs } from '@touchstone/contract'
import { and, eq, inArray, isNull, lt, or } from 'drizzle-orm'
import type { Changes } from '../../../storage/analytics/changes.ts'
import { type RuleClaimRow, type RuleRow, rules, ruleVersions } from '../../../storage/relational/tables/rules.ts'
import type { ActionDeps, RuleServices } from '../actions/index.ts'
import { noteDecisions } from '../ledger.ts'
import { readDefinition } from '../present.ts'
import { workOnBackfills } from './backfills.ts'
import { unblockForTry } from './block.ts'
import { deleteClaimsBefore, LEASE_MS, releaseClaims, selectLooking, takeClaims } from './claims.ts'
import { lookForRuns, type Seen } from './look.ts'
import { toRate } from './sampling.ts'
import { SharedWork } from './shared-work.ts'
import { workOnClaim } from './work.ts'

/** A claim is given back before its lease ends. */
const WORK_MS = LEASE_MS - 60_000
/** How often rules look for runs and for due work. */
const TICK_MS = 1_000
/** Claims under way in a process, and of one workspace. */
const AT_ONCE = 1_024
const AT_ONCE_OF_TENANT = 256
/** The same while many are under way, so that slow calls of some workspaces leave places for the others. */
const AT_ONCE_WHEN_BUSY = 16
/** Workspaces whose rules look at the same time: a slow filter of one does not hold up the others. */
const LOOKING_AT_ONCE = 4
/** What rules find new rows in. */
const WATCHED = ['runs', 'run_feedback']
/** How long a process looks alone for the runs of a rule. */
const LOOKER_MS = 30_000
const CLEAN_MS = 10 * 60_000
/** Decided claims are kept this long, so that a run is not acted on twice. */
const KEPT_MS = 7 * 86_400_000

/**
 * Looks for runs that match rules, and acts on them, until it is closed. Everything that it knows is stored: after a crash
 * the next process goes on. Several processes share the work by leases.
 */
export class RuleEngine {
  readonly #holder: string
  readonly #seen = new Map<string, Seen>()
  readonly #definitions = new Map<string, Promise<RuleDefinition>>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #looking = new Map<string, Promise<void>>()
  /** Workspaces whose rules have to look. */
  readonly #due = new Set<string>()
  readonly #ofTenants = new Map<string, number>()
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #turn: Promise<void> = Promise.resolve()
  #lookedAt: number | undefined
  #rules = ''
  #cleanedAt = 0
  #isTaking = false
  #hasBackfills = false
  #isReleased: boolean

  readonly deps: ActionDeps

  constructor(given: RuleServices) {
    const deps = { ...given, shared: new SharedWork(given) }
    this.deps = deps
    this.#holder = deps.ids()
    this.#isReleased = deps.relational.engine !== 'pglite'
  }

  start(): void {
    if (this.#closing.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#turn = this.#tick().then(() => this.start())
    }, TICK_MS)
    this.#timer.unref()
  }

  /** Ends what is under way; what is not done is done by the next process. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    await this.#turn
    await Promise.allSettled([...this.#looking.values(), ...this.#underWay])
    await this.#note().catch(() => undefined)
  }

  async #tick(): Promise<void> {
    try {
      await this.#release()
      await this.#look()
      this.#hasBackfills = await workOnBackfills(this.deps)
      await this.#work()
      await this.#note()
      await this.#clean()
    } catch (error) {
      this.#lookedAt = undefined
      this.deps.log.warn({ err: error }, 'rules could not be worked on; they are tried again')
    }
  }

  async #release(): Promise<void> {
    if (this.#isReleased) return
    await releaseClaims(this.deps)
    this.#isReleased = true
  }

  /** Begins the looks that are due; the tick does not wait for them. */
  async #look(): Promise<void> {
    const looking = await selectLooking(this.deps.relational.db)
    for (const id of this.#seen.keys()) if (!looking.some((rule) => rule.id === id)) this.#seen.delete(id)
    if (looking.length > 0 && this.#isAnythingNew(looking)) {
      for (const { tenant_id } of looking) this.#due.add(tenant_id)
    }
    for (const tenantId of this.#due) {
      if (this.#looking.size >= LOOKING_AT_ONCE) return
      if (this.#looking.has(tenantId)) continue
      this.#due.delete(tenantId)
      const own = looking.filter(({ tenant_id }) => tenant_id === tenantId)
      const work = this.#lookOf(tenantId, own).finally(() => this.#looking.delete(tenantId))
      this.#looking.set(tenantId, work)
    }
  }

  /** The rules of a workspace look, one after the other. */
  async #lookOf(tenantId: string, own: readonly RuleRow[]): Promise<void> {
    try {
      for (const rule of own.length === 0 ? [] : await this.#lease(own)) {
        if (this.#closing.signal.aborted) return
        await this.#lookFor(rule).catch((error: unknown) => {
          // The other rules look on, and this one with the next tick.
          this.#due.add(tenantId)
          this.deps.log.warn({ err: error, rule: rule.id }, 'a rule could not look for runs; it is tried again')
        })
      }
    } catch (error) {
      this.#due.add(tenantId)
      this.deps.log.warn({ err: error, tenant: tenantId }, 'rules could not look for runs; they are tried again')
    }
    // What is claimed is worked on at once.
    void this.#work().catch(() => undefined)
  }

  async #lookFor(rule: RuleRow): Promise<void> {
    const seen = this.#seen.get(rule.id) ?? new Map<string, number>()
    this.#seen.set(rule.id, seen)
    let newest = rule
    while (await lookForRuns(this.deps, newest, seen)) {
      const [again] = await this.deps.relational.db.select().from(rules).where(eq(rules.id, rule.id))
      if (again === undefined || !again.is_enabled || this.#closing.signal.aborted) return
      newest = again
    }
  }

  /** Without other writers, nothing is new while no run was written and no rule was changed. */
  #isAnythingNew(looking: readonly RuleRow[]): boolean {
    const changes: Changes | undefined = this.deps.analytics.changes
    if (changes === undefined) return true
    const before = this.#lookedAt
    const known = this.#rules
    this.#lookedAt = changes.now
    this.#rules = JSON.stringify(looking.map(({ id, version }) => [id, version]))
    return before === undefined || known !== this.#rules || WATCHED.some((table) => changes.isChanged(table, before))
  }

  /** The rules for which no other process looks. */
  #lease(looking: readonly RuleRow[]): Promise<RuleRow[]> {
    const { relational, clock } = this.deps
    const now = timeOfEpochMs(clock())
    return relational.db
      .update(rules)
      .set({ looker: this.#holder, looker_until: timeOfEpochMs(clock() + LOOKER_MS) })
      .where(
        and(
          inArray(
            rules.id,
            looking.map(({ id }) => id),
          ),
          eq(rules.is_enabled, true),
          or(isNull(rules.looker), eq(rules.looker, this.#holder), lt(rules.looker_until, now)),
        ),
      )
      .returning()
  }

  /** Takes what is due, and more for a workspace when half of its claims are done. */
  async #work(): Promise<void> {
    if (this.#isTaking || this.#underWay.size >= AT_ONCE || this.#closing.signal.aborted) return
    this.#isTaking = true
    const share = {
      perTenant: this.#underWay.size > AT_ONCE / 2 ? AT_ONCE_WHEN_BUSY : AT_ONCE_OF_TENANT,
      underWay: this.#ofTenants,
      hasBackfills: this.#hasBackfills,
    }
    const taken = await takeClaims(this.deps, share).finally(() => {
      this.#isTaking = false
    })
    for (const claim of taken) {
      this.#count(claim, 1)
      const work = this.#workOn(claim).finally(() => {
        this.#underWay.delete(work)
        this.#count(claim, -1)
        if (this.#isHalfDone(claim)) void this.#work().catch(() => undefined)
      })
      this.#underWay.add(work)
    }
  }

  #isHalfDone({ tenant_id }: RuleClaimRow): boolean {
    return (this.#ofTenants.get(tenant_id) ?? 0) <= AT_ONCE_OF_TENANT / 2
  }

  #count({ tenant_id }: RuleClaimRow, change: 1 | -1): void {
    const count = (this.#ofTenants.get(tenant_id) ?? 0) + change
    if (count === 0) this.#ofTenants.delete(tenant_id)
    else this.#ofTenants.set(tenant_id, count)
  }

  async #workOn(claim: RuleClaimRow): Promise<void> {
    try {
      const definition = await this.#definition(claim)
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(WORK_MS)])
      await workOnClaim(this.deps, claim, definition, signal)
    } catch (error) {
      this.deps.log.warn({ err: error, rule: claim.rule_id, run: claim.run_id }, 'a decision could not be stored')
    }
  }

  /** Versions never change, so each is read once. */
  #definition({ rule_id, rule_version }: RuleClaimRow): Promise<RuleDefinition> {
    const key = `${rule_id} ${rule_version}`
    const known = this.#definitions.get(key)
    if (known !== undefined) return known
    const read = this.#readDefinition(rule_id, rule_version)
    this.#definitions.set(key, read)
    read.catch(() => this.#definitions.delete(key))
    if (this.#definitions.size > MAX_DEFINITIONS) this.#definitions.delete([...this.#definitions.keys()][0]!)
    return read
  }

  async #readDefinition(ruleId: string, version: number): Promise<RuleDefinition> {
    const [row] = await this.deps.relational.db
      .select({ definition: ruleVersions.definition })
      .from(ruleVersions)
      .where(and(eq(ruleVersions.rule_id, ruleId), eq(ruleVersions.version, version)))
    if (row === undefined) throw new Error(`Version ${version} of the rule ${ruleId} is not stored.`)
    return readDefinition(row.definition)
  }

  async #note(): Promise<void> {
    const readRate = async (claim: RuleClaimRow) => toRate(await this.#definition(claim))
    while (await noteDecisions(this.deps, readRate));
  }

  async #clean(): Promise<void> {
    const now = this.deps.clock()
    if (Math.abs(now - this.#cleanedAt) < CLEAN_MS) return
    this.#cleanedAt = now
    await unblockForTry(this.deps)
    await deleteClaimsBefore(this.deps.relational.db, timeOfEpochMs(now - KEPT_MS))
  }
}

const MAX_DEFINITIONS = 1_000
