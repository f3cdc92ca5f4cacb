import { ApiError, type EvaluatorProblem, type EvaluatorScore } from '@touchstone/contract'
import { getVersion, listKeys } from './evaluators.ts'
import { aProblem, type EvaluatorRow } from './judge.ts'
import { type RunEvaluatorDeps, runEvaluator } from './run-evaluator.ts'

/** A saved evaluator at a version; null for the newest. */
export interface EvaluatorReference {
  readonly evaluator_id: string
  readonly version: number | null
}

/** What an evaluator found about a row. */
export interface Judgement {
  /** Of the evaluator. */
  readonly name: string
  readonly scores: readonly EvaluatorScore[]
  readonly problem: EvaluatorProblem | null
  /** A passage of the judged values that reads like an instruction for the judge. */
  readonly suspected_instructions: string | null
  /** US dollars; null without a call of a model, and without a price. */
  readonly cost: number | null
}

export interface FoundEvaluator {
  readonly name: string
  readonly version: number
  /** Feedback keys, as far as they are known. */
  readonly keys: readonly string[]
}

/**
 * Finds the version that is meant.
 *
 * @param version  @default the newest
 * @throws ApiError NOT_FOUND
 */
export async function findEvaluator(
  deps: Pick<RunEvaluatorDeps, 'relational'>,
  tenantId: string,
  id: string,
  version: number | undefined,
): Promise<FoundEvaluator> {
  const found = await getVersion(deps, tenantId, id, version)
  const { version: number, definition } = found.version
  return { name: found.evaluator.name, version: number, keys: listKeys(definition) }
}

/** A version of an evaluator, as it is stored. */
export type LoadedEvaluator = Awaited<ReturnType<typeof getVersion>>

/** The version that is meant; undefined when it does not exist any more. */
export async function loadEvaluator(
  deps: Pick<RunEvaluatorDeps, 'relational'>,
  tenantId: string,
  { evaluator_id, version }: EvaluatorReference,
): Promise<LoadedEvaluator | undefined> {
  try {
    return await getVersion(deps, tenantId, evaluator_id, version ?? undefined)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

interface Judging {
  readonly tenantId: string
  readonly row: EvaluatorRow
  readonly signal: AbortSignal
  /** Ends the waiting for the pace of the provider. @default signal */
  readonly waitSignal?: AbortSignal
}

export interface RowToJudge extends Judging {
  readonly evaluator: EvaluatorReference
}

/** Judges one row with a saved evaluator, at the pace of its provider. What fails is in the result and not thrown. */
export async function judgeRow(deps: RunEvaluatorDeps, { evaluator, ...judging }: RowToJudge): Promise<Judgement> {
  const found = await loadEvaluator(deps, judging.tenantId, evaluator)
  if (found === undefined) {
    const problem = aProblem('missing_evaluator', 'The evaluator does not exist any more.')
    return { name: evaluator.evaluator_id, scores: [], cost: null, problem, suspected_instructions: null }
  }
  return judgeWith(deps, found, judging)
}

/** The same with an evaluator that was loaded before. */
export async function judgeWith(
  deps: RunEvaluatorDeps,
  { evaluator: { name }, version: { definition } }: LoadedEvaluator,
  { tenantId, row, signal, waitSignal }: Judging,
): Promise<Judgement> {
  const options = { signal, waitSignal, isPatient: true, defaultKey: name.slice(0, MAX_KEY) }
  const judged = await runEvaluator(deps, tenantId, definition, row, options)
  const { scores, cost, problem, suspected_instructions } = judged
  return { name, scores, cost, problem, suspected_instructions }
}

/** Characters of a feedback key. */
const MAX_KEY = 180
