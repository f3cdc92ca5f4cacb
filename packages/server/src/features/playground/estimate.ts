import {
  type PlaygroundEstimate,
  type PlaygroundJobCreate,
  type PlaygroundMissing,
  type PlaygroundVariant,
  timeOfEpochMs,
} from '@touchstone/contract'
import { readValuePath, TemplateSteps } from '@touchstone/formats/templates'
import type { Deps } from '../../deps.ts'
import { estimateTokens } from '../../models/price-call.ts'
import { mapInSlices, TimeSlices } from '../../time-slices.ts'
import { findExamples, loadExamples } from '../datasets/examples/index.ts'
import { estimateEvaluator, type RunEvaluatorDeps } from '../evaluators/index.ts'
import { type ProviderAccess, readProviderAccess } from '../model-providers/index.ts'
import { findPath, listJobVariables, type RowValues, toRowValues, toValues } from './job-request.ts'
import { limitSize, renderCall } from './render-call.ts'
import { findJobRows, type JobRows } from './start-job.ts'

export type EstimateDeps = Pick<Deps, 'relational' | 'clock'> &
  Parameters<typeof readProviderAccess>[0] &
  RunEvaluatorDeps

const SAMPLE_ROWS = 5
const NAMED_ROWS = 5
/** Assumed length of an answer without a reference output. */
const ANSWER_TOKENS = 256

/**
 * What a job will need, and which variables have no value. No model is called.
 *
 * @throws ApiError like the start of a job
 */
export async function estimateJob(
  deps: EstimateDeps,
  tenantId: string,
  body: PlaygroundJobCreate,
): Promise<PlaygroundEstimate> {
  const access = await Promise.all(
    body.variants.map(({ provider_id }) => readProviderAccess(deps, tenantId, provider_id)),
  )
  const rows = await findJobRows(deps, tenantId, body)
  const variables = listJobVariables(body.variants)
  const names = variables.map(({ name }) => name)
  const missing = new MissingValues(
    variables.flatMap(({ name, isOptional }) => (isOptional ? [] : name)),
    body,
  )
  const sample: RowValues[] = []
  const slices = new TimeSlices()
  for await (const { id, values } of readRows(deps, tenantId, rows)) {
    if (slices.isUsedUp()) await slices.yieldToEventLoop()
    missing.count(id, values)
    if (sample.length < SAMPLE_ROWS) sample.push(values)
  }
  const calls = rows.exampleIds.length * body.repeats
  const steps = TemplateSteps.ofRows()
  const variants: PlaygroundEstimate['variants'] = []
  const problems: PlaygroundEstimate['problems'] = []
  for (const [at, variant] of body.variants.entries()) {
    const tokens = await mapInSlices(sample, (row) => countTokens(variant, toValues(names, body, row), row, steps))
    variants.push({ name: variant.name, ...toFigures(deps, tenantId, { variant, access: access[at], tokens, calls }) })
    const { made: rendered } = limitSize(renderCall(variant, toValues(names, body, sample[0] ?? NO_VALUES), steps))
    if ('problem' in rendered) problems.push({ variant: at, message: rendered.problem.message })
  }
  const sum = (pick: (figures: (typeof variants)[number]) => number) =>
    variants.reduce((all, one) => all + pick(one), 0)
  return {
    rows: rows.exampleIds.length,
    calls: sum((one) => one.calls),
    prompt_tokens: sum((one) => one.prompt_tokens),
    completion_tokens: sum((one) => one.completion_tokens),
    cost: variants.some(({ cost }) => cost === null) ? null : sum((one) => one.cost ?? 0),
    variants,
    judges: await estimateJudges(deps, tenantId, body, { sample, steps, calls: calls * body.variants.length }),
    sample_rows: sample.length,
    missing: missing.list(),
    problems,
  }
}

interface Sample {
  readonly sample: readonly RowValues[]
  readonly calls: number
  /** Of the templates of the whole estimate. */
  readonly steps: TemplateSteps
}

async function estimateJudges(
  deps: EstimateDeps,
  tenantId: string,
  body: PlaygroundJobCreate,
  { sample, calls, steps }: Sample,
): Promise<NonNullable<PlaygroundEstimate['judges']>> {
  const rows = sample.map(({ inputs, outputs }) => {
    const content = outputs === null ? 'x'.repeat(ANSWER_TOKENS * 4) : JSON.stringify(outputs)
    const answer = { choices: [{ index: 0, message: { role: 'assistant', content } }] }
    return { inputs, outputs: answer, reference_outputs: outputs }
  })
  const found = await Promise.all(
    body.evaluators.map(({ evaluator_id, version }) =>
      estimateEvaluator(deps, tenantId, { evaluator_id, version: version ?? null }, rows, steps),
    ),
  )
  return found.flatMap((judge) => {
    if (judge === undefined) return []
    const { name, prompt_tokens, completion_tokens, cost } = judge
    return {
      name,
      calls,
      prompt_tokens: prompt_tokens * calls,
      completion_tokens: completion_tokens * calls,
      cost: cost === null ? null : cost * calls,
    }
  })
}

const NO_VALUES: RowValues = { inputs: {}, outputs: null, metadata: {} }

async function* readRows(deps: Pick<Deps, 'relational'>, tenantId: string, rows: JobRows) {
  const as_of = timeOfEpochMs(rows.version.getTime())
  const query = { dataset: rows.datasetId, as_of, id: [...rows.exampleIds], limit: rows.exampleIds.length }
  const page = await findExamples(deps, tenantId, query)
  for await (const examples of loadExamples(deps, tenantId, page)) {
    for (const example of examples) yield { id: example.id, values: toRowValues(example) }
  }
}

/** Counts rows in which a variable has no value. */
class MissingValues {
  readonly #paths: readonly { readonly variable: string; readonly path: string }[]
  readonly #found = new Map<string, PlaygroundMissing>()

  constructor(names: readonly string[], request: Pick<PlaygroundJobCreate, 'mapping' | 'variables'>) {
    this.#paths = names.flatMap((variable) => {
      const path = findPath(variable, request)
      return path === undefined ? [] : [{ variable, path }]
    })
  }

  count(exampleId: string, row: RowValues): void {
    for (const { variable, path } of this.#paths) {
      const read = readValuePath(row, path)
      if ('value' in read) continue
      const before = this.#found.get(variable)
      this.#found.set(variable, {
        variable,
        path,
        rows: (before?.rows ?? 0) + 1,
        reason: before?.reason ?? read.problem,
        example_ids: [...(before?.example_ids ?? []), exampleId].slice(0, NAMED_ROWS),
      })
    }
  }

  list(): PlaygroundMissing[] {
    return [...this.#found.values()]
  }
}

interface Tokens {
  readonly prompt: number
  readonly completion: number
}

/** A row that cannot be rendered counts with its templates. */
function countTokens(
  variant: PlaygroundVariant,
  values: Readonly<Record<string, unknown>>,
  row: RowValues,
  steps: TemplateSteps,
): Tokens {
  const rendered = renderCall(variant, values, steps)
  const messages = 'call' in rendered ? rendered.call.messages : variant.messages
  const sent = JSON.stringify([messages, variant.tools ?? [], variant.output_schema ?? null])
  const answer = row.outputs === null ? ANSWER_TOKENS : estimateTokens(JSON.stringify(row.outputs).length)
  return {
    prompt: estimateTokens(sent.length),
    completion: Math.min(answer, variant.parameters?.max_tokens ?? Number.POSITIVE_INFINITY),
  }
}

function toFigures(
  { clock, priceUsage }: EstimateDeps,
  tenantId: string,
  given: {
    readonly variant: PlaygroundVariant
    readonly access: ProviderAccess | undefined
    readonly tokens: readonly Tokens[]
    readonly calls: number
  },
) {
  const { variant, access, tokens, calls } = given
  const average = (pick: (one: Tokens) => number) =>
    Math.round(tokens.reduce((sum, one) => sum + pick(one), 0) / Math.max(1, tokens.length))
  const [prompt, completion] = [average((one) => one.prompt), average((one) => one.completion)]
  const run = {
    tenantId,
    model: variant.model,
    provider: access?.provider ?? undefined,
    startTime: timeOfEpochMs(clock()),
  }
  const cost = priceUsage(run, { input_tokens: prompt, output_tokens: completion })
  return {
    calls,
    prompt_tokens: prompt * calls,
    completion_tokens: completion * calls,
    cost: cost === null ? null : cost * calls,
  }
}
