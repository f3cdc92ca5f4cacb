import type { ExperimentProgress, Project } from '@touchstone/contract'
import { addRawMembers } from '@touchstone/formats/write-object'
import type { ProjectRow } from '../../storage/relational/tables/projects.ts'
import type { ProjectStats } from './stats.ts'

/** A project as JSON text; `extra` keeps its raw JSON. */
export function presentProject(row: ProjectRow, stats: Partial<ProjectStats> | undefined = undefined): string {
  const project: Omit<Project, 'extra'> = {
    id: row.id,
    tenant_id: row.tenant_id,
    name: row.name,
    description: row.description,
    start_time: row.start_time,
    end_time: row.end_time,
    reference_dataset_id: row.reference_dataset_id,
    default_dataset_id: row.default_dataset_id,
    trace_tier: row.trace_tier,
    last_run_start_time_live: null,
    test_run_number: row.test_run_number,
    experiment_progress: stats ? toProgress(row, stats) : null,
    ...stats,
  }
  return addRawMembers(project, { extra: row.extra })
}

/** Progress of an experiment; null when it announced no number of examples, or when runs were not counted. */
function toProgress(row: ProjectRow, stats: Partial<ProjectStats>): ExperimentProgress | null {
  const { run_count, feedback_stats } = stats
  if (!row.num_examples || typeof run_count !== 'number' || !feedback_stats) return null
  const expected = row.num_examples * (row.num_repetitions ?? 1)
  const part = (count: number) => Math.min(1, count / expected)
  const keys = row.evaluator_keys === null ? [] : (JSON.parse(row.evaluator_keys) as string[])
  const scored = (key: string) => (Object.hasOwn(feedback_stats, key) ? (feedback_stats[key]?.n ?? 0) : 0)
  return {
    expected_run_count: expected,
    run_progress: part(run_count),
    evaluator_progress: Object.fromEntries(keys.map((key) => [key, part(scored(key))])),
  }
}
