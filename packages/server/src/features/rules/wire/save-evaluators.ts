import { isDeepStrictEqual } from 'node:util'
import type { EvaluatorDefinition, RuleAction, RunRuleUpdate } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../http/serve.ts'
import { createVersion, deleteSavedEvaluator } from '../../evaluators/index.ts'
import type { RuleNoticeDeps } from '../notices.ts'
import { makeRunnable } from '../online-evaluators/make-runnable.ts'
import { toJudge } from './judges.ts'
import type { KeptEvaluator } from './kept-fields.ts'
import { toProgram } from './programs.ts'
import { saveUnderFreeName } from './save-under-free-name.ts'

export type WireDeps = Pick<Deps, 'relational' | 'analytics' | 'clock' | 'ids' | 'log'> & RuleNoticeDeps
export type EvaluateAction = Extract<RuleAction, { kind: 'evaluate' }>

/** An evaluator of a rule as the client reads it, in the order of the actions. */
export interface ShownEvaluator {
  readonly action: EvaluateAction
  readonly version: number
  readonly type: KeptEvaluator['type']
  readonly shown: Readonly<Record<string, unknown>>
  /** Whether it was made of an inline evaluator of this rule. */
  readonly isOwn: boolean
}

export interface SavedForRule {
  readonly actions: EvaluateAction[]
  readonly kept: Record<string, KeptEvaluator>
  /** Evaluators that did not exist before. */
  readonly made: string[]
}

type Given = Pick<RunRuleUpdate, 'evaluators' | 'code_evaluators' | 'evaluator_id'>
type Path = readonly (string | number)[]

interface Inline {
  readonly type: 'llm' | 'code'
  readonly given: Record<string, unknown>
  readonly path: Path
  toDefinition(): Promise<EvaluatorDefinition> | EvaluatorDefinition
}

/**
 * Makes evaluators of the workspace of the inline ones of a rule. One that is as it was shown stays; a changed one becomes the
 * next version of the evaluator that it was, if this rule made it.
 *
 * @param name  of new evaluators
 * @throws ApiError UNPROCESSABLE; what was made before is deleted
 */
export async function saveEvaluators(
  deps: WireDeps,
  caller: Caller,
  { name, given, before }: { readonly name: string; readonly given: Given; readonly before: readonly ShownEvaluator[] },
): Promise<SavedForRule> {
  const saved: SavedForRule = { actions: [], kept: {}, made: [] }
  try {
    for (const type of ['llm', 'code'] as const) {
      const shown = before.filter((one) => (one.type === 'code') === (type === 'code'))
      const inline = type === 'llm' ? listJudges(deps, caller, given) : listPrograms(given)
      if (inline === undefined) for (const one of shown) keepShown(saved, one)
      else
        for (const [at, one] of inline.entries()) await saveInline(deps, caller, saved, { one, name, shown: shown[at] })
    }
    const { evaluator_id: id } = given
    const isKnown = [...saved.actions, ...before.map(({ action }) => action)].some(
      ({ evaluator_id }) => evaluator_id === id,
    )
    if (id != null && !isKnown) {
      await makeRunnable(deps, caller, id)
      saved.actions.unshift({ kind: 'evaluate', evaluator_id: id })
    }
  } catch (error) {
    await removeMade(deps, caller, saved.made)
    throw error
  }
  return saved
}

/** @returns undefined when the field was not given */
function listJudges(deps: WireDeps, caller: Caller, { evaluators }: Given): Inline[] | undefined {
  if (evaluators === undefined) return undefined
  return (evaluators ?? []).map(({ structured }, at) => {
    const path = ['evaluators', at, 'structured']
    return { type: 'llm', given: structured, path, toDefinition: () => toJudge(deps, caller, structured, path) }
  })
}

function listPrograms({ code_evaluators: programs }: Given): Inline[] | undefined {
  if (programs === undefined) return undefined
  return (programs ?? []).map((program, at) => {
    const path = ['code_evaluators', at]
    return { type: 'code', given: program, path, toDefinition: () => toProgram(program, path) }
  })
}

function keepShown(saved: SavedForRule, { action, isOwn, version, type, shown }: ShownEvaluator): void {
  saved.actions.push(action)
  if (isOwn) saved.kept[action.evaluator_id] = { version, type, given: shown }
}

async function saveInline(
  deps: WireDeps,
  caller: Caller,
  saved: SavedForRule,
  { one, name, shown }: { readonly one: Inline; readonly name: string; readonly shown: ShownEvaluator | undefined },
): Promise<void> {
  if (shown !== undefined && isDeepStrictEqual(one.given, shown.shown)) return keepShown(saved, shown)
  const definition = await one.toDefinition()
  const { type, given } = one
  if (shown?.isOwn && shown.type !== 'decision_model') {
    const { evaluator_id: id } = shown.action
    const change = { definition, expected_version: shown.version, note: NOTE }
    const { version } = await createVersion(deps, caller, id, change)
    saved.actions.push({ kind: 'evaluate', evaluator_id: id })
    saved.kept[id] = { version, type, given }
    return
  }
  const id = await saveUnderFreeName(deps, caller, name, definition)
  saved.made.push(id)
  saved.actions.push({ kind: 'evaluate', evaluator_id: id })
  saved.kept[id] = { version: 1, type, given }
}

const NOTE = 'Changed by a client of rules.'
/** Deletes evaluators of a request that failed afterwards. */
export async function removeMade(
  { relational }: WireDeps,
  { tenantId }: Caller,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) await deleteSavedEvaluator(relational.db, tenantId, id)
}
