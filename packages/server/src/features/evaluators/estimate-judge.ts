import { ApiError, type EvaluatorProblem, type LlmJudgeDefinition, timeOfEpochMs } from '@touchstone/contract'
import { TemplateSteps } from '@touchstone/formats/templates'
import { estimateTokens } from '../../models/price-call.ts'
import { getVersion } from './evaluators.ts'
import { type EvaluatorRow, renderJudge, toOutputSchema } from './judge.ts'
import type { EvaluatorReference, LoadedEvaluator } from './judge-row.ts'
import type { RunEvaluatorDeps } from './run-evaluator.ts'

/** What a judge needs for one row, as the average of some. */
export interface JudgeEstimate {
  /** Of the evaluator. */
  readonly name: string
  /** Why the first row cannot be rendered. */
  readonly problem: EvaluatorProblem | null
  readonly prompt_tokens: number
  readonly completion_tokens: number
  /** US dollars; null without a price. */
  readonly cost: number | null
}

/**
 * Estimates what a judge needs for each of some rows. No model is called.
 *
 * @param steps  shared by the templates of a request. @default those of these rows
 * @returns undefined for an evaluator that calls no model
 * @throws ApiError NOT_FOUND
 */
export async function estimateEvaluator(
  deps: RunEvaluatorDeps,
  tenantId: string,
  { evaluator_id, version }: EvaluatorReference,
  rows: readonly EvaluatorRow[],
  steps: TemplateSteps = TemplateSteps.ofRows(),
): Promise<JudgeEstimate | undefined> {
  return estimateWith(deps, tenantId, await getVersion(deps, tenantId, evaluator_id, version ?? undefined), rows, steps)
}

/** The same of an evaluator that was loaded before. */
export async function estimateWith(
  deps: RunEvaluatorDeps,
  tenantId: string,
  { evaluator, version: { definition } }: LoadedEvaluator,
  rows: readonly EvaluatorRow[],
  steps: TemplateSteps = TemplateSteps.ofRows(),
): Promise<JudgeEstimate | undefined> {
  if (definition.kind === 'javascript') return undefined
  const tokens = estimateJudge(definition, rows, steps)
  const cost = await priceJudge(deps, tenantId, definition, tokens)
  return { name: evaluator.name, ...tokens, cost }
}

/** Assumed tokens of the answer of a judge for each feedback key, with and without reasoning. */
const KEY_TOKENS = { reasoned: 100, bare: 10 }

/** A row that cannot be rendered counts with its templates. */
function estimateJudge(definition: LlmJudgeDefinition, rows: readonly EvaluatorRow[], steps: TemplateSteps) {
  const schema = JSON.stringify(toOutputSchema(definition)).length
  let problem: EvaluatorProblem | null = null
  const lengths = rows.map((row) => {
    const rendered = renderJudge(definition, row, steps)
    if ('problem' in rendered) problem ??= rendered.problem
    return JSON.stringify('messages' in rendered ? rendered.messages : definition.messages).length + schema
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
  const answer = definition.feedback.length * (definition.reasoning ? KEY_TOKENS.reasoned : KEY_TOKENS.bare)
  const most = definition.parameters?.max_tokens ?? Number.POSITIVE_INFINITY
  return { prompt_tokens: estimateTokens(average), completion_tokens: Math.min(answer, most), problem }
}

/** US dollars; null without a price, and without the provider. */
async function priceJudge(
  deps: RunEvaluatorDeps,
  tenantId: string,
  { model, provider_id }: LlmJudgeDefinition,
  { prompt_tokens, completion_tokens }: Omit<ReturnType<typeof estimateJudge>, 'problem'>,
): Promise<number | null> {
  const access = await deps.connectProvider(tenantId, provider_id).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined
    throw error
  })
  if (access === undefined) return null
  const run = { tenantId, model, provider: access.provider ?? undefined, startTime: timeOfEpochMs(deps.clock()) }
  return deps.priceUsage(run, { input_tokens: prompt_tokens, output_tokens: completion_tokens })
}
