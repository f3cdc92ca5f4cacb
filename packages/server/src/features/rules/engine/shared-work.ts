import type { Deps } from '../../../deps.ts'
import { RenderBudget, type RenderLimits } from '../../../models/render-budget.ts'
import { sql, uuid, uuids } from '../../../storage/analytics/sql.ts'
import type { RuleClaimRow } from '../../../storage/relational/tables/rules.ts'
import { columns, count, text } from '../../../storage/rows.ts'
import {
  type EvaluatorReference,
  type EvaluatorRow,
  type LoadedEvaluator,
  loadEvaluator,
  MAX_STEP_CHARACTERS,
  readRunRows,
} from '../../evaluators/index.ts'
import { isFinal, type RecordRuns, toCaller } from '../../model-jobs/index.ts'
import { readRow } from '../read-row.ts'
import { Batch } from './batch.ts'
import { forgetFailures } from './block.ts'
import { type ClaimChange, settleClaims } from './claims.ts'

type SharedDeps = Pick<Deps, 'relational' | 'analytics' | 'clock'> & { readonly recordRuns: RecordRuns }

/** A record of feedback as it is sent; the id is its own. */
export interface FeedbackText {
  readonly id: string
  readonly text: string
}

interface RunPlace {
  readonly runId: string
  readonly traceId: string
}

const MB = 1024 * 1024
/** Rows in memory while they are judged; parsed, a row takes a multiple of its text. */
const ROW_LIMITS: RenderLimits = {
  maxBytes: 64 * MB,
  maxWorkspaceBytes: 32 * MB,
  smallBytes: 64 * 1024,
  maxSmallBytes: 8 * MB,
  // Those of calls end with their call.
  silentMs: 2 ** 31 - 1,
}

/** How long reads and writes of claims wait for those of others. */
const WAIT_MS = 10
const MOST = 500
/** How long the newest version of an evaluator is known; versions themselves never change. */
const KNOWN_MS = 1_000
const MAX_KNOWN = 1_000

/** What the claims that are under way read and write, many in one statement. */
export class SharedWork {
  readonly #memory = new RenderBudget(ROW_LIMITS)
  readonly #sizes: Batch<readonly [tenantId: string, run: RunPlace], number>
  readonly #rows: Batch<readonly [tenantId: string, runId: string], EvaluatorRow | undefined>
  readonly #feedback: Batch<readonly [tenantId: string, feedback: FeedbackText], string | undefined>
  readonly #settled: Batch<readonly [claim: RuleClaimRow, change: ClaimChange], undefined>
  readonly #succeeded: Batch<string, undefined>
  readonly #evaluators = new Map<
    string,
    { readonly untilMs: number; readonly found: Promise<LoadedEvaluator | undefined> }
  >()

  constructor(readonly deps: SharedDeps) {
    const options = { waitMs: WAIT_MS, most: MOST }
    this.#sizes = new Batch((asked) => byTenant(asked, (tenantId, runs) => this.#readSizes(tenantId, runs)), options)
    this.#rows = new Batch((asked) => byTenant(asked, (tenantId, ids) => this.#readRows(tenantId, ids)), options)
    this.#feedback = new Batch((given) => byTenant(given, (tenantId, texts) => this.#record(tenantId, texts)), options)
    this.#settled = new Batch(async (changes) => {
      await settleClaims(deps.relational.db, changes)
      return changes.map(() => undefined)
    }, options)
    this.#succeeded = new Batch(async (ruleIds) => {
      await forgetFailures(deps.relational.db, [...new Set(ruleIds)])
      return ruleIds.map(() => undefined)
    }, options)
  }

  /**
   * Reads a run as evaluators see it when there is memory for it, and uses it; undefined when it was deleted.
   *
   * @throws when the signal is aborted while it waits
   */
  async withRow<Result>(
    claim: RuleClaimRow,
    signal: AbortSignal,
    use: (row: EvaluatorRow | undefined) => Promise<Result>,
  ): Promise<Result> {
    const { tenant_id: workspace, run_id: runId, trace_id: traceId, target } = claim
    const own = await this.#sizes.add([workspace, { runId, traceId }])
    const bytes = own + (target === 'trace' || target === 'thread' ? MAX_STEP_CHARACTERS : 0)
    const read = () => readRow(this.deps, claim, (id) => this.#rows.add([workspace, id]))
    return this.#memory.hold(
      { workspace, signal },
      () => ({ made: undefined, bytes }),
      async () => use(await read()),
    )
  }

  /** Stores a record; returns why it was refused. */
  recordFeedback(tenantId: string, feedback: FeedbackText): Promise<string | undefined> {
    return this.#feedback.add([tenantId, feedback])
  }

  /** Stores what became of a claim, unless another process has taken it meanwhile. */
  async settle(claim: RuleClaimRow, change: ClaimChange): Promise<void> {
    await this.#settled.add([claim, change])
  }

  /** Notes that a rule does not fail again and again. */
  async countSuccess(ruleId: string): Promise<void> {
    await this.#succeeded.add(ruleId)
  }

  /** The version of an evaluator that is meant; undefined when it was deleted. */
  findEvaluator(tenantId: string, reference: EvaluatorReference): Promise<LoadedEvaluator | undefined> {
    const key = `${tenantId} ${reference.evaluator_id} ${reference.version}`
    const now = performance.now()
    const known = this.#evaluators.get(key)
    if (known !== undefined && known.untilMs > now) return known.found
    const found = loadEvaluator(this.deps, tenantId, reference)
    this.#evaluators.set(key, { untilMs: now + KNOWN_MS, found })
    found.catch(() => this.#evaluators.delete(key))
    if (this.#evaluators.size > MAX_KNOWN) this.#evaluators.delete([...this.#evaluators.keys()][0]!)
    return found
  }

  /** Characters of inputs and outputs; 0 for deleted runs. */
  async #readSizes(tenantId: string, runs: readonly RunPlace[]): Promise<number[]> {
    const rows = await this.deps.analytics.query(
      sql`
      select id, inputs_bytes + outputs_bytes as bytes
      from trace_runs final
      where tenant_id = ${uuid(tenantId)} and trace_id in ${uuids([...new Set(runs.map(({ traceId }) => traceId))])}
        and id in ${uuids([...new Set(runs.map(({ runId }) => runId))])}`,
      columns({ id: text, bytes: count }),
    )
    const sizes = new Map(rows.map(({ id, bytes }) => [id, bytes]))
    return runs.map(({ runId }) => sizes.get(runId) ?? 0)
  }

  async #readRows(tenantId: string, ids: readonly string[]): Promise<(EvaluatorRow | undefined)[]> {
    const rows = await readRunRows(this.deps, tenantId, [...new Set(ids)])
    return ids.map((id) => rows.get(id))
  }

  async #record(tenantId: string, feedback: readonly FeedbackText[]): Promise<(string | undefined)[]> {
    const texts = feedback.map(({ id, text }) => ({ name: id, text }))
    try {
      const { errors = [] } = await this.deps.recordRuns(toCaller(tenantId), { runs: [], feedback: texts })
      const byName = new Map(errors.map(({ run_id, error }) => [run_id, error]))
      return feedback.map(({ id }) => byName.get(id))
    } catch (error) {
      if (!isFinal(error)) throw error
      return feedback.map(() => error.message)
    }
  }
}

/** Runs the items of each workspace together; results are in the order of the items. */
async function byTenant<Item, Result>(
  items: readonly (readonly [tenantId: string, item: Item])[],
  run: (tenantId: string, items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length)
  const places = new Map<string, number[]>()
  for (const [at, [tenantId]] of items.entries()) places.set(tenantId, [...(places.get(tenantId) ?? []), at])
  for (const [tenantId, own] of places) {
    const found = await run(
      tenantId,
      own.map((at) => items[at]![1]),
    )
    for (const [index, at] of own.entries()) results[at] = found[index]!
  }
  return results
}
