import type { RuleAction } from '@touchstone/contract'
import type { RuleClaimRow } from '../../../storage/relational/tables/rules.ts'
import type { ActionContext, ActionDeps, ActionResult } from './action.ts'
import { addToDataset, addToQueue } from './collect.ts'
import { evaluate } from './evaluate.ts'
import { giveFeedback } from './feedback.ts'
import { notify } from './notify.ts'
import { addTags } from './tag.ts'

export type { ActionContext, ActionDeps, ActionResult, RuleServices } from './action.ts'

/** Does one action of a rule for a run. */
export function act(
  deps: ActionDeps,
  claim: RuleClaimRow,
  action: RuleAction,
  context: ActionContext,
): Promise<ActionResult> {
  switch (action.kind) {
    case 'evaluate':
      return evaluate(deps, claim, action, context)
    case 'feedback':
      return giveFeedback(deps, claim, action, context)
    case 'tag':
      return addTags(deps, claim, action, context)
    case 'notify':
      return notify(deps, claim, action, context)
    case 'add_to_dataset':
      return addToDataset(deps, claim, action, context)
    case 'add_to_queue':
      return addToQueue(deps, claim, action, context)
  }
}
