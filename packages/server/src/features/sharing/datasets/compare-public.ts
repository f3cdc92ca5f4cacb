import {
  ApiError,
  type ExperimentRunsQuery,
  type FeedbackDeltas,
  PublicExperimentRun,
  type RunDeltasQuery,
} from '@touchstone/contract'
import { splitElements, splitMembers } from '../../../json/cut-json.ts'
import { printObject } from '../../../json/write-object.ts'
import { cutDeltas, readDeltas, readRunsPage } from '../../experiments/index.ts'
import type { RunViewDeps } from '../../runs/index.ts'
import { type OpenDataset, openExperiments } from './dataset-share.ts'

/** Fields of a compared run that a public reader sees. */
const SHOWN = new Set([...Object.keys(PublicExperimentRun.shape), 'feedbacks'])

/**
 * Examples with their runs in shared experiments, as JSON texts, some at a time.
 *
 * @throws ApiError NOT_FOUND for a session that is not shared
 */
export async function* readPublicExampleRuns(
  deps: RunViewDeps,
  share: OpenDataset,
  query: ExperimentRunsQuery,
): AsyncGenerator<string[]> {
  await refuseClosed(deps, share, [...query.session_ids, ...Object.keys(query.filters ?? {})])
  const link = { kind: 'dataset', token: share.token } as const
  for await (const texts of readRunsPage(deps, share.tenantId, share.dataset.id, query, link)) {
    yield texts.map(presentPublicly)
  }
}

/** Examples on which shared experiments are better or worse than one of them. */
export async function readPublicDeltas(
  deps: RunViewDeps,
  share: OpenDataset,
  query: RunDeltasQuery,
): Promise<FeedbackDeltas> {
  const { baseline_session_id, comparison_session_ids, filters, feedback_key } = query
  await refuseClosed(deps, share, [baseline_session_id, ...comparison_session_ids, ...Object.keys(filters ?? {})])
  for await (const { deltas } of readDeltas(deps, share.tenantId, share.dataset.id, query, [feedback_key])) {
    return cutDeltas(deltas, query)
  }
  return {}
}

/** In the same words whether a session is elsewhere, not shared, or nowhere. */
async function refuseClosed(deps: RunViewDeps, share: OpenDataset, sessions: readonly string[]): Promise<void> {
  const open = new Set(await openExperiments(deps, share))
  const closed = sessions.find((id) => !open.has(id))
  if (closed !== undefined) throw new ApiError('NOT_FOUND', `Session not found: ${closed}`)
}

function presentPublicly(text: string): string {
  const example = splitMembers(text)
  example.delete('source_run_id')
  const runs = splitElements(example.get('runs')!).map((run) => {
    return printObject(new Map([...splitMembers(run)].filter(([field]) => SHOWN.has(field))))
  })
  return printObject(example.set('runs', `[${runs.join(',')}]`))
}
