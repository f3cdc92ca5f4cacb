import type { Deps } from '../../deps.ts'
import type { Changes } from '../../storage/analytics/changes.ts'
import { AnswerCache } from '../../storage/analytics/changes.ts'
import {
  hasFeedbackBeforeRuns,
  type ReadHiddenScores,
  readProjectRunFeedbackStats,
  readSessionFeedbackStats,
} from '../feedback/index.ts'
import { type DayFigures, type DaySelection, readDays, sumRoots, sumUsage } from './day-figures.ts'
import { countRoots, type FoundFigures, selectFigures, selectUsageWithoutRepeated } from './figures.ts'

/** Root durations in the cache, over all projects: at most 16 bytes each. */
const MAX_ROOTS = 4_000_000
/** Larger projects are not cached, because one would take most of the cache. */
const MAX_ROOTS_OF_PROJECT = 2_000_000

interface CachedProject {
  /** The point in time up to which changes are included. */
  readonly at: number
  readonly days: ReadonlyMap<string, DayFigures>
  readonly roots: number
}

type ProjectFeedback = Awaited<ReturnType<typeof readProjectRunFeedbackStats>>

type CacheDeps = Pick<Deps, 'analytics'> & { readonly readHiddenScores: ReadHiddenScores }

/**
 * Caches figures of projects by the day their runs started, and reads the days again that were written to: over 2 million
 * runs the engine takes 60 ms for all days and 5 ms for one. Requires a store that reports changes; with any other store,
 * every request goes to the engine.
 */
export class FigureCache {
  readonly #deps: CacheDeps
  /** By tenant and project, the least recently used first. */
  readonly #projects = new Map<string, CachedProject>()
  readonly #feedback: AnswerCache<ProjectFeedback>
  #roots = 0
  /** Serializes updates: concurrent requests usually want the same projects, and the second finds what the first read. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(deps: CacheDeps) {
    this.#deps = deps
    this.#feedback = new AnswerCache(deps.analytics.changes)
  }

  /** @param since  only runs that started at this time or later, in the contract's printed form */
  async figures(tenantId: string, projectIds: readonly string[], since?: string): Promise<FoundFigures> {
    const { changes } = this.#deps.analytics
    if (changes === undefined) return selectFigures(this.#deps, tenantId, projectIds, since)
    await this.#deps.analytics.settled?.(tenantId)
    const turn = this.#turn.then(() => this.#bringUpToDate(changes, tenantId, projectIds))
    this.#turn = turn.catch(() => {})
    const days = await turn
    const kept = [...days.keys()]
    const others = projectIds.filter((id) => !days.has(id))
    const [edges, answered] = await Promise.all([
      this.#readEdges(tenantId, kept, since),
      others.length > 0 ? selectFigures(this.#deps, tenantId, others, since) : NO_FIGURES,
    ])
    const roots = new Map(answered.roots)
    const usage = new Map(answered.usage)
    const repeating: string[] = []
    for (const [id, daysOfProject] of days) {
      const wanted = [...findDaysAfter(daysOfProject, since), ...(edges.get(id)?.values() ?? [])]
      const ofRoots = sumRoots(id, wanted)
      if (ofRoots) roots.set(id, ofRoots)
      const ofUsage = sumUsage(id, wanted)
      if (ofUsage?.mayRepeat) repeating.push(id)
      else if (ofUsage) usage.set(id, ofUsage.usage)
    }
    const corrected = await selectUsageWithoutRepeated(this.#deps, tenantId, repeating, since)
    for (const row of corrected) usage.set(row.session_id, row)
    return { roots, usage }
  }

  /** Cached `readProjectRunFeedbackStats`. */
  async feedback(tenantId: string, projectIds: readonly string[], since?: string): Promise<ProjectFeedback> {
    await this.#deps.analytics.settled?.(tenantId)
    if (await this.#hidesScores()) return readProjectRunFeedbackStats(this.#deps, tenantId, projectIds, since)
    return this.#feedback.get(['on runs', tenantId, since, ...projectIds].join(' '), async () => ({
      value: await readProjectRunFeedbackStats(this.#deps, tenantId, projectIds, since),
      // Feedback that arrived before its run belongs to a project as soon as the run arrives.
      tables: (await hasFeedbackBeforeRuns(this.#deps, tenantId)) ? ['run_feedback', 'runs'] : ['run_feedback'],
    }))
  }

  /** Cached `readSessionFeedbackStats`. */
  async feedbackOnProjects(tenantId: string, projectIds: readonly string[]): Promise<ProjectFeedback> {
    if (await this.#hidesScores()) return readSessionFeedbackStats(this.#deps, tenantId, projectIds)
    return this.#feedback.get(['on projects', tenantId, ...projectIds].join(' '), async () => ({
      value: await readSessionFeedbackStats(this.#deps, tenantId, projectIds),
      tables: ['run_feedback'],
    }))
  }

  /** Figures without hidden scores are different for each caller. */
  async #hidesScores(): Promise<boolean> {
    return (await this.#deps.readHiddenScores()) !== undefined
  }

  /** @returns days by project; a project that is too large to keep is absent */
  async #bringUpToDate(
    changes: Changes,
    tenantId: string,
    projectIds: readonly string[],
  ): Promise<Map<string, ReadonlyMap<string, DayFigures>>> {
    const at = changes.now
    const wanted = await this.#whatIsMissing(changes, tenantId, projectIds)
    const read = await readDays(this.#deps, tenantId, wanted)
    const whole = new Set(wanted.whole)
    const found = new Map<string, ReadonlyMap<string, DayFigures>>()
    for (const id of projectIds) {
      const known = whole.has(id) ? undefined : this.#projects.get(`${tenantId} ${id}`)
      if (known === undefined && !whole.has(id)) continue
      const days = new Map(known?.days)
      for (const { projectId, day } of wanted.days) if (projectId === id) days.delete(day)
      for (const [day, figures] of read.get(id) ?? []) days.set(day, figures)
      found.set(id, days)
      this.#keep(`${tenantId} ${id}`, days, at)
    }
    return found
  }

  async #whatIsMissing(changes: Changes, tenantId: string, projectIds: readonly string[]): Promise<DaySelection> {
    const unknown: string[] = []
    const days: { projectId: string; day: string }[] = []
    for (const projectId of projectIds) {
      const known = this.#projects.get(`${tenantId} ${projectId}`)
      const changed = known && changes.runDays(tenantId, projectId, known.at)
      if (changed === undefined) unknown.push(projectId)
      else days.push(...changed.map((day) => ({ projectId, day })))
    }
    const sizes = await countRoots(this.#deps, tenantId, unknown)
    return { whole: unknown.filter((id) => (sizes.get(id) ?? 0) <= MAX_ROOTS_OF_PROJECT), days }
  }

  #keep(key: string, days: ReadonlyMap<string, DayFigures>, at: number): void {
    this.#forget(key)
    const roots = [...days.values()].reduce((sum, day) => sum + (day.roots?.run_count ?? 0), 0)
    this.#projects.set(key, { at, days, roots })
    this.#roots += roots
    for (const oldest of this.#projects.keys()) {
      if (this.#roots <= MAX_ROOTS || this.#projects.size <= 1) break
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#roots -= this.#projects.get(key)?.roots ?? 0
    this.#projects.delete(key)
  }

  /** Reads the part of the first day after `since`. */
  async #readEdges(tenantId: string, projectIds: readonly string[], since: string | undefined) {
    if (since === undefined) return new Map<string, Map<string, DayFigures>>()
    const days = projectIds.map((projectId) => ({ projectId, day: since.slice(0, 10) }))
    return readDays(this.#deps, tenantId, { whole: [], days }, since)
  }
}

const NO_FIGURES: FoundFigures = { roots: new Map(), usage: new Map() }

function findDaysAfter(days: ReadonlyMap<string, DayFigures>, since: string | undefined): DayFigures[] {
  const all = [...days]
  const wanted = since === undefined ? all : all.filter(([day]) => day > since.slice(0, 10))
  return wanted.map(([, figures]) => figures)
}
