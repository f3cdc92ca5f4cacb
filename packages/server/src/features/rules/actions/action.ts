import type { RuleAction, RuleActionOutcome } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { RuleClaimRow } from '../../../storage/relational/tables/rules.ts'
import type { RunEvaluatorDeps } from '../../evaluators/index.ts'
import type { RecordRuns } from '../../model-jobs/index.ts'
import type { Block } from '../engine/block.ts'

export type ActionDeps = RunEvaluatorDeps &
  Pick<Deps, 'relational' | 'analytics' | 'blobs' | 'clock' | 'ids' | 'config' | 'caches' | 'log'> & {
    readonly recordRuns: RecordRuns
  }

/** What one action did. */
export interface ActionResult {
  readonly outcome: Omit<RuleActionOutcome, 'kind'>
  /** The same action may succeed later. */
  readonly mayPass?: boolean
  /** The rule cannot act on any run until a user changes something. */
  readonly block?: Block
}

/** Does an action for a run. It may be done again after a crash: ids are derived from rule and run. */
export type Act<Action extends RuleAction = RuleAction> = (
  deps: ActionDeps,
  claim: RuleClaimRow,
  action: Action,
  signal: AbortSignal,
) => Promise<ActionResult>

export const done = (detail: string, cost: number | null = null): ActionResult => ({
  outcome: { state: 'done', detail, cost },
})

export const failed = (
  detail: string,
  { cost = null, ...more }: Pick<ActionResult, 'mayPass' | 'block'> & { readonly cost?: number | null } = {},
): ActionResult => ({ outcome: { state: 'failed', detail, cost }, ...more })
