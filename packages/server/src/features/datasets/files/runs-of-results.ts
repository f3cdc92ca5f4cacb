import type { UploadedResult } from '@touchstone/contract'
import { isArrayText, splitElements, splitMembers } from '../../../json/cut-json.ts'
import { printObject } from '../../../json/write-object.ts'
import type { Recorded } from './upload-experiment.ts'

export interface Result {
  /** JSON text that `result` was read from. */
  readonly text: string
  readonly result: UploadedResult
  readonly exampleId: string
  readonly index: number
}

/** A run for each result, with its scores. */
export function runsOf(newId: () => string, projectId: string, results: readonly Result[]): Recorded {
  const runs: Recorded['runs'][number][] = []
  const feedback: Recorded['feedback'][number][] = []
  for (const given of results) {
    const id = newId()
    runs.push({ kind: 'post', main: runOf(id, projectId, given) })
    const about = { run_id: id, trace_id: id, session_id: projectId, start_time: given.result.start_time }
    const scores = scoresOf(splitMembers(given.text).get('evaluation_scores'), about)
    feedback.push(...scores.map((text) => ({ name: String(given.index), text })))
  }
  return { runs, feedback }
}

/** Scores on the experiment as a whole. */
export function summaryFeedback(projectId: string, scores: string | undefined): Recorded['feedback'] {
  return scoresOf(scores, { session_id: projectId }).map((text) => ({ name: 'summary_experiment_scores', text }))
}

function runOf(id: string, projectId: string, { text, result, exampleId }: Result): string {
  const members = splitMembers(text)
  const known = {
    id,
    trace_id: id,
    dotted_order: result.start_time.replaceAll(/[-:.]/g, '') + id,
    name: result.run_name || 'target',
    run_type: 'chain',
    session_id: projectId,
    reference_example_id: exampleId,
    start_time: result.start_time,
    end_time: result.end_time,
    error: result.error ?? null,
  }
  const run = splitMembers(JSON.stringify(known))
  run.set('inputs', members.get('inputs')!)
  if (result.actual_outputs != null) run.set('outputs', members.get('actual_outputs')!)
  if (result.run_metadata != null) run.set('extra', `{"metadata":${members.get('run_metadata')}}`)
  return printObject(run)
}

/** What a score may say; where it belongs is known already. */
const SAID = [
  'key',
  'score',
  'value',
  'comment',
  'correction',
  'feedback_source',
  'feedback_config',
  'extra',
  'error',
  'created_at',
]

function scoresOf(scores: string | undefined, about: object): string[] {
  if (scores === undefined || !isArrayText(scores)) return []
  return splitElements(scores).map((text) => {
    const said = [...splitMembers(text)].filter(([field]) => SAID.includes(field))
    return printObject(new Map([...said, ...splitMembers(JSON.stringify(about))]))
  })
}
