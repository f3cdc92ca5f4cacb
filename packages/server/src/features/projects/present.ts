import type { Project } from '@touchstone/contract'
import { addRawMembers } from '../../json/write-object.ts'
import type { ProjectRow } from '../../storage/relational/tables/projects.ts'
import { progressOf } from './progress.ts'
import type { ProjectStats } from './stats.ts'

/** A project as JSON text; `extra` is spliced in as it came. */
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
    experiment_progress: stats ? progressOf(row, stats) : null,
    ...stats,
  }
  return addRawMembers(project, { extra: row.extra })
}
