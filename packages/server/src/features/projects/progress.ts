import type { ExperimentProgress } from '@touchstone/contract'
import type { ProjectRow } from '../../storage/relational/tables/projects.ts'
import type { ProjectStats } from './stats.ts'

/** How much of what an experiment announced has arrived; null where it announced no examples, or nothing was counted. */
export function progressOf(row: ProjectRow, stats: Partial<ProjectStats>): ExperimentProgress | null {
  const { run_count, feedback_stats } = stats
  if (!row.num_examples || typeof run_count !== 'number' || !feedback_stats) return null
  const expected = row.num_examples * (row.num_repetitions ?? 1)
  const part = (count: number) => Math.min(1, count / expected)
  const keys = row.evaluator_keys === null ? [] : (JSON.parse(row.evaluator_keys) as string[])
  const scored = (key: string) => (Object.hasOwn(feedback_stats, key) ? feedback_stats[key]!.n : 0)
  return {
    expected_run_count: expected,
    run_progress: part(run_count),
    evaluator_progress: Object.fromEntries(keys.map((key) => [key, part(scored(key))])),
  }
}
