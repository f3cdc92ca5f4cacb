import type { EvaluatorProblem, ModelProblemCode, RuleAction, RuleBlockReason } from '@touchstone/contract'
import type { RuleClaimRow } from '../../../storage/relational/tables/rules.ts'
import { type EvaluatorRow, estimateWith, judgeWith, type LoadedEvaluator } from '../../evaluators/index.ts'
import { MAY_COST } from '../../model-providers/index.ts'
import { reserveRuleSpend } from '../spend.ts'
import { type Act, type ActionContext, type ActionDeps, type ActionResult, done, failed } from './action.ts'
import { writeFeedback } from './feedback.ts'

type Evaluate = Extract<RuleAction, { kind: 'evaluate' }>

/** Runs an evaluator over a run, and stores its scores as feedback. */
export const evaluate: Act<Evaluate> = (deps, claim, action, context) =>
  deps.shared.withRow(claim, context.signal, async (row) =>
    row === undefined ? failed('The run was deleted.') : judge(deps, claim, action, { ...context, row }),
  )

async function judge(
  deps: ActionDeps,
  claim: RuleClaimRow,
  action: Evaluate,
  { row, ...context }: ActionContext & { readonly row: EvaluatorRow },
): Promise<ActionResult> {
  const { evaluator_id, version = null } = action
  const evaluator = await deps.shared.findEvaluator(claim.tenant_id, { evaluator_id, version })
  if (evaluator === undefined) {
    const message = 'The evaluator was deleted. Choose another one.'
    return failed(message, { block: { reason: 'evaluator_missing', message } })
  }
  const reserved = await reserve(deps, claim, evaluator, row, context)
  if ('outcome' in reserved) return reserved
  const { signal } = context
  const judged = await judgeWith(deps, evaluator, { tenantId: claim.tenant_id, row, signal })
  await reserved.settle(toSpent(judged))
  if (judged.problem !== null) return toFailure(judged.problem, judged.cost)
  const { suspected_instructions } = judged
  // A mark for readers: the score may be what the judged text asked for.
  const mark = suspected_instructions === null ? {} : { suspected_instructions }
  const source = { evaluator_id, evaluator_version: evaluator.version.version, ...mark }
  const errors = await writeFeedback(deps, claim, judged.scores, source)
  if (errors.length > 0) return failed(errors.join(' '), { cost: judged.cost })
  return done(printScores(judged.scores), judged.cost)
}

/** What an evaluator found, as the detail of an outcome. */
export function printScores(
  scores: readonly { readonly key: string; readonly score: number | null; readonly value: unknown }[],
): string {
  return scores.map(({ key, score, value }) => `${key}: ${score ?? JSON.stringify(value)}`).join(', ') || 'no score'
}

const NOTHING_RESERVED = { settle: () => Promise.resolve() }

/** Counts the call of a model against the limit of the rule; programs cost nothing. */
async function reserve(
  deps: ActionDeps,
  { rule_id: ruleId, tenant_id: tenantId }: RuleClaimRow,
  evaluator: LoadedEvaluator,
  row: EvaluatorRow,
  { spendLimit: limit }: ActionContext,
): Promise<ActionResult | typeof NOTHING_RESERVED | { settle(cost: number | null): Promise<void> }> {
  const estimate = await estimateWith(deps, tenantId, evaluator, [row])
  if (estimate === undefined || estimate.problem !== null) return NOTHING_RESERVED
  if (limit !== null && estimate.cost === null && !limit.allows_unpriced) {
    const message =
      `The model of the evaluator "${estimate.name}" has no price, so that the spend limit of the rule cannot hold. ` +
      'Give the model a price, or let the limit allow models without one.'
    return failed(message, { block: { reason: 'model_unpriced', message } })
  }
  const reserved = await reserveRuleSpend(deps, { ruleId, tenantId, limit, estimate: estimate.cost })
  if ('settle' in reserved) return reserved
  return failed(reserved.message, { limitedUntilMs: reserved.limitedUntilMs })
}

/** US dollars; null when it cost something unknown, so that its estimate holds. */
function toSpent({ problem, cost }: Pick<Awaited<ReturnType<typeof judgeWith>>, 'problem' | 'cost'>): number | null {
  if (cost !== null || problem === null) return cost
  const isUnknown = problem.code === 'cancelled' || MAY_COST.has(problem.model_problem?.code ?? '')
  return isUnknown ? null : 0
}

function toFailure(problem: EvaluatorProblem, cost: number | null) {
  const { code, message, model_problem } = problem
  if (code === 'cancelled') return failed(message, { cost, mayPass: true })
  const reason = code === 'model' && model_problem !== null ? BLOCKS[model_problem.code] : OWN_BLOCKS[code]
  if (reason !== undefined) return failed(message, { cost, block: { reason, message } })
  return failed(message, { cost, mayPass: model_problem?.retry === true })
}

/** Failures of a provider that are the same for all runs. */
const BLOCKS: Partial<Record<ModelProblemCode, RuleBlockReason>> = {
  unauthorized: 'provider_key_refused',
  forbidden: 'provider_key_refused',
  not_allowed: 'provider_missing',
  dns: 'provider_missing',
  wrong_path: 'provider_missing',
  unknown_model: 'model_unknown',
  spending_limit: 'spending_limit',
  no_credit: 'spending_limit',
}

const OWN_BLOCKS: Partial<Record<EvaluatorProblem['code'], RuleBlockReason>> = {
  missing_provider: 'provider_missing',
  missing_evaluator: 'evaluator_missing',
}
