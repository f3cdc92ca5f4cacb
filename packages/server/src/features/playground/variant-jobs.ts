import { ApiError, timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { JobKindDefinition, ListedJob } from '../model-jobs/index.ts'
import { forgetProjects, updateProjectByRequest } from '../projects/index.ts'
import { readSummary } from './job-request.ts'
import { VariantsTask, type VariantsTaskDeps } from './variants-task.ts'

type EndDeps = Parameters<typeof updateProjectByRequest>[0] & Pick<Deps, 'clock'>

/** Jobs that call variants for the rows of a dataset; the experiments that they made end with them. */
export function variantJobs(deps: VariantsTaskDeps & EndDeps): JobKindDefinition {
  return {
    notFound: 'Playground job not found',
    open: (job) => new VariantsTask(deps, job),
    ...endingExperiments(deps),
  }
}

/** The part of the definition that ends the experiments of a job with it, or neither. */
export function endingExperiments(deps: EndDeps): Pick<JobKindDefinition, 'endWith' | 'onEnded'> {
  return {
    endWith: (relational, job) => endExperiments({ ...deps, relational }, job),
    onEnded: () => forgetProjects(deps),
  }
}

/** Sets the end of the experiments that a job made; deleted ones are left out. */
async function endExperiments(deps: EndDeps, job: ListedJob): Promise<void> {
  const body = { end_time: timeOfEpochMs(deps.clock()) }
  for (const { experiment_id } of readSummary(job).variants) {
    await updateProjectByRequest(deps, job.tenant_id, experiment_id, { body, extraText: undefined }).catch(
      (error: unknown) => {
        if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) throw error
      },
    )
  }
}
