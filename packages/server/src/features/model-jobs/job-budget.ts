import type { ModelJobRow } from '../../storage/relational/tables/model-jobs.ts'

/** How a job ends. */
export type JobEnd = Pick<ModelJobRow, 'state' | 'reason'>

/** The pause of a job that a monthly limit does not allow to go on. */
export const aPause = (limit: string): JobEnd => ({ state: 'PAUSED', reason: `${limit} Resume the job then.` })

/** Why a call failed; kept as JSON with all its fields. */
export interface CallProblem {
  readonly code: string
  readonly message: string
}

/** Equal failures of a variant in a row that end a job. */
const MAX_EQUAL_FAILURES = 5

/** The money of a job: what its calls and their judges cost, and what calls under way may cost. */
export class JobBudget {
  #spent = 0
  #calls = 0
  readonly #variants: { highest: number | undefined; highestJudged: number | undefined; underWay: number }[]

  constructor(
    readonly maxCost: number | null,
    variants: number,
    isJudged = false,
  ) {
    const highestJudged = isJudged ? undefined : 0
    this.#variants = Array.from({ length: variants }, () => ({ highest: undefined, highestJudged, underWay: 0 }))
  }

  begin(variant: number): void {
    this.#calls++
    this.#get(variant).underWay++
  }

  end(variant: number): void {
    this.#calls--
    this.#get(variant).underWay--
  }

  /** Costs of calls of an earlier turn. */
  addSpent(cost: number): void {
    this.#spent += toSpent(cost)
  }

  /** @param cost  0 without a price; undefined when a failed call tells nothing about the cost of the next one */
  add(variant: number, cost: number | undefined): void {
    if (cost === undefined) return
    this.#spent += toSpent(cost)
    const state = this.#get(variant)
    state.highest = Math.max(state.highest ?? 0, toSpent(cost))
  }

  /** The judges of an answer have ended. */
  addJudged(variant: number, cost: number): void {
    this.#spent += toSpent(cost)
    const state = this.#get(variant)
    state.highestJudged = Math.max(state.highestJudged ?? 0, toSpent(cost))
  }

  findLimit(): JobEnd | undefined {
    if (this.maxCost === null || this.#spent < this.maxCost) return undefined
    return { state: 'STOPPED', reason: `The limit of ${this.maxCost} US dollars is reached.` }
  }

  /**
   * Whether the calls under way leave money for another one. They are assumed to cost as much as the most expensive one of
   * their variant so far; until the cost of a variant is known, its call runs alone. Without a call under way, `findLimit`
   * decides, so that the limit is exceeded by one call at most.
   */
  isAffordable(variant: number): boolean {
    if (this.maxCost === null || this.#calls === 0) return true
    const costs = this.#variants.map(toCost)
    const isUnknown = this.#variants.some(({ underWay }, at) => costs[at] === undefined && underWay > 0)
    if (isUnknown || costs[variant] === undefined) return false
    const reserved = this.#variants.reduce((sum, { underWay }, at) => sum + underWay * (costs[at] ?? 0), 0)
    return this.#spent + reserved < this.maxCost
  }

  #get(variant: number) {
    const state = this.#variants[variant]
    if (state === undefined) throw new Error('The job has no such variant.')
    return state
  }
}

/** A negative cost must not allow further calls, whatever it comes from. */
const toSpent = (cost: number) => (cost > 0 ? cost : 0)

/** What a call of a variant and its judges may cost; undefined when one of them is not known. */
const toCost = ({ highest, highestJudged }: Readonly<Record<'highest' | 'highestJudged', number | undefined>>) =>
  highest === undefined || highestJudged === undefined ? undefined : highest + highestJudged

/** Ends a job whose provider fails in the same way again and again. */
export class FailureStreaks {
  readonly #last = new Map<string, { readonly text: string; readonly count: number }>()

  /** @param lane  what fails, as the reason names it @returns how the job ends, when it does */
  count(lane: string, problem: CallProblem | null): JobEnd | undefined {
    if (problem === null) {
      this.#last.delete(lane)
      return undefined
    }
    const text = `${problem.code} ${problem.message}`
    const last = this.#last.get(lane)
    const count = last?.text === text ? last.count + 1 : 1
    this.#last.set(lane, { text, count })
    if (count < MAX_EQUAL_FAILURES) return undefined
    return { state: 'ERROR', reason: `${lane} failed ${count} times in a row: ${problem.message}` }
  }
}
