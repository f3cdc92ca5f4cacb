import type { EvaluatorScore, RuleAction } from '@touchstone/contract'
import type { RuleClaimRow } from '../../../storage/relational/tables/rules.ts'
import { toStableId } from '../../model-jobs/index.ts'
import { type Act, type ActionDeps, done, failed } from './action.ts'

type Score = Pick<EvaluatorScore, 'key' | 'score' | 'value' | 'comment'>

/**
 * Stores feedback of a rule on a run. There is one for each rule, run and key: feedback of a later version replaces it.
 *
 * @param source  metadata of where the feedback comes from, beside the rule
 * @returns why feedback was refused
 */
export async function writeFeedback(
  deps: ActionDeps,
  claim: RuleClaimRow,
  scores: readonly Score[],
  source: Readonly<Record<string, unknown>> = {},
): Promise<string[]> {
  const { rule_id, rule_version } = claim
  const refused = await Promise.all(
    scores.map(({ key, score, value, comment }) => {
      const id = toStableId('rule', rule_id, claim.run_id, key)
      const record = {
        id,
        run_id: claim.run_id,
        trace_id: claim.trace_id,
        session_id: claim.session_id,
        start_time: claim.start_time,
        key,
        score,
        value,
        comment,
        feedback_source: { type: 'auto_eval', metadata: { rule_id, rule_version, ...source } },
      }
      return deps.shared.recordFeedback(claim.tenant_id, { id, text: JSON.stringify(record) })
    }),
  )
  return refused.flatMap((error) => (error === undefined ? [] : `A score could not be recorded: ${error}`))
}

/** Gives a run the feedback of the action. */
export const giveFeedback: Act<Extract<RuleAction, { kind: 'feedback' }>> = async (deps, claim, action) => {
  const { key, score = null, value = null, comment = null } = action
  const errors = await writeFeedback(deps, claim, [{ key, score, value, comment }])
  return errors.length > 0 ? failed(errors.join(' ')) : done(key)
}
