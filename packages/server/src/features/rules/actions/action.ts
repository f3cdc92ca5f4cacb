import type { RuleAction, RuleActionOutcome, RuleSpendLimit } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { RuleClaimRow } from '../../../storage/relational/tables/rules.ts'
import type { RunEvaluatorDeps } from '../../evaluators/index.ts'
import type { RecordRuns } from '../../model-jobs/index.ts'
import type { Block } from '../engine/block.ts'
import type { SharedWork } from '../engine/shared-work.ts'
import type { RuleNoticeDeps } from '../notices.ts'

/** What rules need of the server. */
export type RuleServices = RunEvaluatorDeps &
  Pick<Deps, 'relational' | 'analytics' | 'blobs' | 'clock' | 'ids' | 'config' | 'caches' | 'log'> & {
    readonly recordRuns: RecordRuns
  } & RuleNoticeDeps

export type ActionDeps = RuleServices & { readonly shared: SharedWork }

/** What one action did. */
export interface ActionResult {
  readonly outcome: Omit<RuleActionOutcome, 'kind'>
  /** The same action may succeed later. */
  readonly mayPass?: boolean
  /** The spend limit is reached: the action may be done from then on. */
  readonly limitedUntilMs?: number
  /** The rule cannot act on any run until a user changes something. */
  readonly block?: Block
}

/** What an action needs to know of its rule. */
export interface ActionContext {
  readonly signal: AbortSignal
  readonly spendLimit: RuleSpendLimit | null
}

/** Does an action for a run. It may be done again after a crash: ids are derived from rule and run. */
export type Act<Action extends RuleAction = RuleAction> = (
  deps: ActionDeps,
  claim: RuleClaimRow,
  action: Action,
  context: ActionContext,
) => Promise<ActionResult>

export const done = (detail: string, cost: number | null = null): ActionResult => ({
  outcome: { state: 'done', detail, cost },
})

export const failed = (
  detail: string,
  {
    cost = null,
    ...more
  }: Pick<ActionResult, 'mayPass' | 'block' | 'limitedUntilMs'> & { readonly cost?: number | null } = {},
): ActionResult => ({ outcome: { state: 'failed', detail, cost }, ...more })
