import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import { callAtPace, type Paces } from '../../models/pace-calls.ts'
import { aProblem } from '../../models/problems.ts'
import type { RenderBudget } from '../../models/render-budget.ts'
import type { ModelCallRow, ModelJobRow } from '../../storage/relational/tables/model-jobs.ts'
import { readExamples } from '../datasets/examples/index.ts'
import {
  aPause,
  type CallSignals,
  type JobTask,
  type MadeCall,
  type RecordedCall,
  recordCall,
  toStableId,
} from '../model-jobs/index.ts'
import { readProviderAccess } from '../model-providers/index.ts'
import { selectProjectsById } from '../projects/index.ts'
import { type CallDeps, callVariant } from './call-variant.ts'
import {
  type JobRequest,
  type JobSummary,
  listJobVariables,
  type RowValues,
  readRequest,
  readSummary,
  toPosition,
  toRowValues,
  toValues,
} from './job-request.ts'
import { type KeptAnswer, type RecordRunDeps, recordRun } from './record-run.ts'
import { limitSize, type RenderedCall, renderCall } from './render-call.ts'

export type VariantsTaskDeps = CallDeps &
  RecordRunDeps &
  Pick<Deps, 'relational' | 'log'> &
  Parameters<typeof readProviderAccess>[0] & { readonly paces: Paces; readonly renderBudget: RenderBudget }

/** Templates fail for single rows and cost nothing. */
const OF_ROW: ReadonlySet<string> = new Set(['missing_variable', 'invalid_template'])

/** Calls each variant for each row of a dataset, and records a run for each. */
export class VariantsTask implements JobTask<RowValues | undefined> {
  readonly #request: JobRequest
  readonly #summary: JobSummary
  readonly #names: string[]
  #current: { readonly row: number; readonly values: RowValues | undefined } | undefined
  readonly lanes: readonly string[]

  constructor(
    readonly deps: VariantsTaskDeps,
    readonly job: ModelJobRow,
  ) {
    this.#request = readRequest(job)
    this.#summary = readSummary(job)
    this.#names = listJobVariables(this.#request.variants).map(({ name }) => name)
    this.lanes = this.#summary.variants.map(({ name }) => `Variant "${name}"`)
  }

  get concurrency(): number {
    return this.#summary.concurrency
  }

  get isJudged(): boolean {
    return this.#summary.evaluators.length > 0
  }

  toLane(number: number): number {
    return toPosition(number, this.#summary).variant
  }

  async read(number: number): Promise<RowValues | undefined> {
    const { row } = toPosition(number, this.#summary)
    if (this.#current?.row === row) return this.#current.values
    const id = this.job.example_ids[row] ?? ''
    const as_of = timeOfEpochMs(this.job.dataset_version.getTime())
    const query = { dataset: this.job.dataset_id, as_of, id: [id], limit: 1 }
    const [example] = await readExamples(this.deps, this.job.tenant_id, query)
    this.#current = { row, values: example && toRowValues(example) }
    return this.#current.values
  }

  async call(number: number, values: RowValues | undefined, signals: CallSignals): Promise<MadeCall> {
    const { deps, job } = this
    const { tenant_id: tenantId } = job
    const position = toPosition(number, this.#summary)
    const variant = this.#request.variants[position.variant]
    const experiment = this.#summary.variants[position.variant]
    if (variant === undefined || experiment === undefined) throw new Error('The job has no such variant.')
    const exampleId = job.example_ids[position.row] ?? ''
    const runId = toStableId(job.id, position.variant, exampleId, position.repeat)
    const render = (): RenderedCall =>
      values === undefined
        ? { problem: aProblem('invalid_template', 'The example was deleted.'), variable: null }
        : renderCall(variant, toValues(this.#names, this.#request, values))
    const place = { session_id: experiment.experiment_id, reference_example_id: exampleId }
    const attempt = async () => {
      // Read for each try: a removed provider or key must not be called any longer.
      const access = await readProviderAccess(deps, tenantId, variant.provider_id)
      const planned = { tenantId, runId, variant, ...access, place }
      // Rendered for each try: a call that waits for its provider takes no memory.
      const ended = await deps.renderBudget.hold(
        { workspace: tenantId, signal: signals.halted },
        () => limitSize(render()),
        (held) => callVariant(deps, { ...planned, rendered: held.made }, { signal: signals.cancelled, held }),
      )
      return { ...ended, problem: ended.end.type === 'failed' ? ended.end.problem : null }
    }
    const pace = deps.paces.get(tenantId, variant.provider_id)
    const { end, run, problem } = await callAtPace(pace, signals.halted, attempt)
    const isJudged = problem === null && values !== undefined && this.isJudged
    return {
      runId,
      cost: end.cost,
      problem,
      isOfRow: problem !== null && OF_ROW.has(problem.code),
      answer: { run, ...(isJudged && { row: values }) },
    }
  }

  async record(call: ModelCallRow, signal: AbortSignal): Promise<RecordedCall> {
    const { evaluators, variants } = this.#summary
    // A job that does not run is not paused, and may never be resumed.
    const waitsForLimit = this.job.state === 'RUNNING'
    const options = { evaluators, signal, waitsForLimit }
    const record = (answer: unknown) => recordRun(this.deps, call, answer as KeptAnswer, options)
    const { isRefused, cost, overLimit } = await recordCall(this.deps, call, { record, signal })
    if (overLimit !== undefined) return { cost, end: aPause(overLimit) }
    const { experiment_id: id } = variants[call.variant] ?? {}
    if (!isRefused || id === undefined) return { cost }
    const found = await selectProjectsById(this.deps, this.job.tenant_id, [id])
    if (found.size > 0) return { cost }
    return { cost, end: { state: 'ERROR', reason: `${this.lanes[call.variant]}: its experiment was deleted.` } }
  }
}
