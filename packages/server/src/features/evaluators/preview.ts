import type { EvaluatorPreview, EvaluatorPreviewAnswer, EvaluatorPreviewResult } from '@touchstone/contract'
import { ApiError } from '@touchstone/contract'
import { TemplateSteps } from '@touchstone/formats/templates'
import { toOutputSchema } from './judge.ts'
import { type RowDeps, type RunRow, readRunRows } from './read-rows.ts'
import { assertAnyCalled, type RunEvaluatorDeps, runEvaluator } from './run-evaluator.ts'

/** Milliseconds for the call of a model. */
const CALL_TIMEOUT_MS = 60_000

/**
 * Runs a definition over a few rows, all at once. Failures of a row are in its result.
 *
 * @throws ApiError NOT_FOUND for an unknown run, SPENDING_LIMIT when a monthly limit allows no call
 */
export async function previewEvaluator(
  deps: RunEvaluatorDeps & RowDeps,
  tenantId: string,
  { definition, rows, call_model: callsModel }: EvaluatorPreview,
  signal: AbortSignal,
): Promise<EvaluatorPreviewAnswer> {
  const runIds = rows.flatMap((row) => ('run_id' in row ? [row.run_id] : []))
  const runs = await readRunRows(deps, tenantId, runIds)
  const missing = runIds.find((id) => !runs.has(id))
  if (missing !== undefined) throw new ApiError('NOT_FOUND', `Run ${missing} not found`)
  const steps = TemplateSteps.ofRows()
  const results = rows.map(async (row): Promise<EvaluatorPreviewResult> => {
    const found = 'run_id' in row ? runs.get(row.run_id) : undefined
    const given = found ?? toRow(row)
    const options = { callsModel, timeoutMs: CALL_TIMEOUT_MS, signal, steps }
    const { scores, messages, cost: _cost, ...result } = await runEvaluator(deps, tenantId, definition, given, options)
    const { inputs, outputs, reference_outputs } = given
    const shown = { run_id: found?.runId ?? null, inputs, outputs, reference_outputs }
    return { ...result, scores: [...scores], messages: messages && [...messages], row: shown }
  })
  const judged = await Promise.all(results)
  assertAnyCalled(judged.map(({ problem }) => problem))
  return {
    rows: judged,
    output_schema: definition.kind === 'llm_judge' ? toOutputSchema(definition) : null,
  }
}

type GivenRow = Exclude<EvaluatorPreview['rows'][number], { run_id: string }>

function toRow(row: EvaluatorPreview['rows'][number]): Pick<RunRow, 'inputs' | 'outputs' | 'reference_outputs'> {
  const { inputs = null, outputs = null, reference_outputs = null } = row as GivenRow
  return { inputs, outputs, reference_outputs }
}
