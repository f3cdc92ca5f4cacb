import type { EvaluatorProblem, ModelProblemCode, RuleAction, RuleBlockReason } from '@touchstone/contract'
import { findEvaluator, judgeRow, readRunRows } from '../../evaluators/index.ts'
import { type Act, done, failed } from './action.ts'
import { writeFeedback } from './feedback.ts'

/** Runs an evaluator over a run, and stores its scores as feedback. */
export const evaluate: Act<Extract<RuleAction, { kind: 'evaluate' }>> = async (deps, claim, action, signal) => {
  const row = (await readRunRows(deps, claim.tenant_id, [claim.target_id])).get(claim.target_id)
  if (row === undefined) return failed('The run was deleted.')
  const { evaluator_id } = action
  const version = action.version ?? (await findNewest(deps, claim.tenant_id, evaluator_id))
  if (version === undefined) {
    const message = 'The evaluator was deleted. Choose another one.'
    return failed(message, { block: { reason: 'evaluator_missing', message } })
  }
  const evaluator = { evaluator_id, version }
  const judged = await judgeRow(deps, { tenantId: claim.tenant_id, evaluator, row, signal })
  if (judged.problem !== null) return toFailure(judged.problem, judged.cost)
  const { suspected_instructions } = judged
  // A mark for readers: the score may be what the judged text asked for.
  const mark = suspected_instructions === null ? {} : { suspected_instructions }
  const source = { evaluator_id, evaluator_version: version, ...mark }
  const errors = await writeFeedback(deps, claim, judged.scores, source)
  if (errors.length > 0) return failed(errors.join(' '), { cost: judged.cost })
  const said = judged.scores.map(({ key, score, value }) => `${key}: ${score ?? JSON.stringify(value)}`)
  return done(said.join(', ') || 'no score', judged.cost)
}

async function findNewest(...[deps, tenantId, id]: [Parameters<typeof findEvaluator>[0], string, string]) {
  const found = await findEvaluator(deps, tenantId, id, undefined).catch(() => undefined)
  return found?.version
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
