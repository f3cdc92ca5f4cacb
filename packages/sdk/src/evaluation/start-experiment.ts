import type { Client } from '../client.ts'
import { ConflictError } from '../errors.ts'
import { isUuid } from '../ids/uuid.ts'
import type { CreateProjectParams } from '../resources/projects.ts'
import type { TracerSession } from '../schemas.ts'
import { randomHex } from './random-name.ts'

const MAX_ATTEMPTS = 10

/**
 * Makes an experiment; a taken name gets another ending.
 *
 * @throws when that did not help ten times
 */
export async function startExperiment(client: Client, params: CreateProjectParams): Promise<TracerSession> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const projectName = attempt === 0 ? params.projectName : `${params.projectName}-${randomHex(6)}`
    try {
      return await client.createProject({ ...params, projectName })
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
    }
  }
  throw new Error(
    'Could not generate a unique experiment name within 10 attempts. Please try again with a different name.',
  )
}

/** @param experiment itself, its name or its id. @throws NotFoundError */
export async function findExperiment(client: Client, experiment: TracerSession | string): Promise<TracerSession> {
  if (typeof experiment !== 'string') return experiment
  return await client.readProject(isUuid(experiment) ? { projectId: experiment } : { projectName: experiment })
}

/** The page that shows experiments beside each other; `undefined` when it cannot be told. */
export async function comparisonUrl(
  client: Client,
  datasetId: string,
  experimentIds: readonly string[],
  comparativeExperimentId?: string,
): Promise<string | undefined> {
  try {
    return await client.getComparisonUrl({ datasetId, experimentIds: [...experimentIds], comparativeExperimentId })
  } catch {
    // A link is a courtesy: an experiment does not fail for want of one.
    return undefined
  }
}
