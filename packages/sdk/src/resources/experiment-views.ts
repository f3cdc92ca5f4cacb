import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { ColumnOverride, ExperimentViewOverride } from '../schemas.ts'
import { Calls } from './calls.ts'

/** How the columns of a comparison of experiments are shown; all calls of this file are extensions of ours. */
export class ExperimentViewCalls extends Calls {
  /** At most one per dataset. */
  async listExperimentViewOverrides(datasetId: string, options: CallOptions = {}): Promise<ExperimentViewOverride[]> {
    const path = pathOf(datasetId)
    return await this.transport.json({ method: 'GET', path, doing: `fetch ${path}`, ...options })
  }

  /** @throws ConflictError when the dataset has one */
  async createExperimentViewOverride(
    datasetId: string,
    columns: ColumnOverride[],
    options: CallOptions = {},
  ): Promise<ExperimentViewOverride> {
    const body = { column_overrides: columns }
    const doing = 'create experiment view override'
    return await this.transport.json({ method: 'POST', path: pathOf(datasetId), body, doing, ...options })
  }

  /** Replaces all columns. */
  async updateExperimentViewOverride(
    datasetId: string,
    overrideId: string,
    columns: ColumnOverride[],
    options: CallOptions = {},
  ): Promise<ExperimentViewOverride> {
    const body = { column_overrides: columns }
    const doing = 'update experiment view override'
    return await this.transport.json({ method: 'PATCH', path: pathOf(datasetId, overrideId), body, doing, ...options })
  }

  async deleteExperimentViewOverride(datasetId: string, overrideId: string, options: CallOptions = {}): Promise<void> {
    const path = pathOf(datasetId, overrideId)
    await this.transport.send({ method: 'DELETE', path, doing: `delete ${path}`, ...options })
  }
}

function pathOf(datasetId: string, overrideId?: string): string {
  assertUuid(datasetId, 'datasetId')
  if (overrideId !== undefined) assertUuid(overrideId, 'overrideId')
  return `/datasets/${datasetId}/experiment-view-overrides${overrideId === undefined ? '' : `/${overrideId}`}`
}
