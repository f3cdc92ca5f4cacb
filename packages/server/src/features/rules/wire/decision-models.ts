import {
  type DecisionModelCreate,
  type DecisionQuestion,
  EvaluatorDefinition,
  type JudgeFeedback,
} from '@touchstone/contract'
import type { Caller } from '../../../http/serve.ts'
import { ensureRecord } from '../online-evaluators/records.ts'
import { createRunRule } from './change-rules.ts'
import { guessFormat, listUsed, readMessages, toMapping } from './judges.ts'
import { parseOwn, unprocessable } from './problems.ts'
import { resolveModel } from './providers.ts'
import { removeMade, type WireDeps } from './save-evaluators.ts'
import { saveUnderFreeName } from './save-under-free-name.ts'
import { toCategories } from './schemas.ts'

/**
 * Creates a rule with one judge that answers all questions. It runs on a configured provider, whatever that is called elsewhere.
 *
 * @returns the id of the rule
 * @throws ApiError UNPROCESSABLE when the workspace has no such provider
 */
export async function createDecisionModel(deps: WireDeps, caller: Caller, body: DecisionModelCreate): Promise<string> {
  const messages = readMessages(body.prompt, [])
  const template_format = body.template_format ?? guessFormat(messages)
  const judge = {
    kind: 'llm_judge',
    ...(await resolveProvider(deps, caller, body)),
    messages,
    template_format,
    mapping: toMapping(body.variable_mapping ?? {}, listUsed(messages, template_format), []),
    feedback: Object.entries(body.questions).map(([key, question]) => toFeedback(key, question)),
    reasoning: false,
  }
  const definition = parseOwn(EvaluatorDefinition, judge, [])
  const evaluator_id = await saveUnderFreeName(deps, caller, body.display_name, definition)
  try {
    await ensureRecord(deps, caller, { id: evaluator_id, name: body.display_name }, 'decision_model')
    return await createRunRule(deps, caller, { ...withoutJudge(body), evaluator_id })
  } catch (error) {
    await removeMade(deps, caller, [evaluator_id])
    throw error
  }
}

/** Fields of the judge are not kept with the rule. */
function withoutJudge({ prompt: _, template_format: __, variable_mapping: ___, ...rest }: DecisionModelCreate) {
  return rest
}

/** Providers of decision models, as ours are called; and the models that clients mean without a name. */
const PROVIDERS = {
  typesafe: { provider: 'typesafe', model: 'jev-latest' },
  typesafe_compatible: { provider: 'typesafe', model: undefined },
  openai_decisions: { provider: 'openai', model: 'gpt-6-luna' },
} as const

function resolveProvider(deps: WireDeps, { tenantId }: Caller, { provider, model, base_url }: DecisionModelCreate) {
  const baseUrl = base_url ?? undefined
  if (provider === 'typesafe_compatible' && baseUrl === undefined) {
    throw unprocessable(['base_url'], 'is required for typesafe_compatible')
  }
  if (provider == null) return resolveModel(deps, tenantId, { model: model ?? undefined, baseUrl }, ['provider'])
  const known = PROVIDERS[provider]
  const wanted = { provider: known.provider, model: model ?? known.model, baseUrl, isStrict: true }
  return resolveModel(deps, tenantId, wanted, ['provider'])
}

function toFeedback(key: string, question: DecisionQuestion): JudgeFeedback {
  const { type, instructions, yes, no, options, levels } = question
  if (type === 'noul') {
    const meanings = yes == null ? '' : ` Yes: ${yes} No: ${no}`
    return { key, type: 'boolean', description: instructions + meanings }
  }
  const described = Array.isArray(options) ? [] : Object.entries(options ?? {})
  const labels = type === 'score' ? (levels ?? []) : Array.isArray(options) ? options : described.map(([name]) => name)
  const words = type === 'score' ? [] : described.flatMap(([name, means]) => (means ? [` ${name}: ${means}`] : []))
  return {
    key,
    type: 'category',
    categories: toCategories(labels),
    description: (instructions + words.join('')).slice(0, 5000),
  }
}
