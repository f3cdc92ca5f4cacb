import type { EvaluatorDefinition } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { ModelProviderRow } from '../../../storage/relational/tables/model-providers.ts'
import type { RuleRow } from '../../../storage/relational/tables/rules.ts'
import { type NewestVersion, selectNewestVersions } from '../../evaluators/index.ts'
import { selectProviders } from '../../model-providers/index.ts'
import { selectDecisionModelIds } from '../online-evaluators/records.ts'
import { readDefinition } from '../present.ts'
import { toStructured } from './judges.ts'
import type { KeptEvaluator, KeptFields } from './kept-fields.ts'
import { toCode } from './programs.ts'
import type { EvaluateAction, ShownEvaluator } from './save-evaluators.ts'

export interface NamedEvaluator extends ShownEvaluator {
  readonly name: string
}

/** Evaluators of rules as their clients read them, by the id of the rule; deleted ones are left out. */
export async function showEvaluators(
  { relational }: Pick<Deps, 'relational'>,
  tenantId: string,
  rules: readonly { readonly rule: RuleRow; readonly kept: KeptFields }[],
): Promise<Map<string, NamedEvaluator[]>> {
  const actions = rules.map(({ rule }) =>
    readDefinition(rule.definition).actions.filter((action) => action.kind === 'evaluate'),
  )
  const ids = [...new Set(actions.flat().map(({ evaluator_id }) => evaluator_id))]
  const newest = await selectNewestVersions(relational.db, tenantId, ids)
  if (newest.size === 0) return new Map()
  const providers = new Map((await selectProviders(relational.db, tenantId)).map((row) => [row.id, row]))
  const decisions = await selectDecisionModelIds(relational.db, tenantId)
  return new Map(
    rules.map(({ rule, kept }, at) => {
      const shown = (actions[at] ?? []).flatMap((action) => {
        const found = newest.get(action.evaluator_id)
        const isDecision = decisions.has(action.evaluator_id)
        return found === undefined
          ? []
          : [show(action, found, kept.evaluators[action.evaluator_id], providers, isDecision)]
      })
      return [rule.id, shown]
    }),
  )
}

function show(
  action: EvaluateAction,
  { evaluator, definition }: NewestVersion,
  kept: KeptEvaluator | undefined,
  providers: ReadonlyMap<string, ModelProviderRow>,
  isDecision: boolean,
): NamedEvaluator {
  const type = definition.kind === 'javascript' ? 'code' : isDecision ? 'decision_model' : 'llm'
  const isCurrent = kept !== undefined && kept.version === evaluator.version
  const shown = isCurrent ? kept.given : present(definition, providers)
  return { action, name: evaluator.name, version: evaluator.version, type, shown, isOwn: kept !== undefined }
}

function present(definition: EvaluatorDefinition, providers: ReadonlyMap<string, ModelProviderRow>) {
  return definition.kind === 'llm_judge'
    ? toStructured(definition, providers.get(definition.provider_id))
    : { code: toCode(definition.source), language: 'javascript', require_attachments: false }
}
