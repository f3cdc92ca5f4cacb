import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid } from '../ids/uuid.ts'
import type { ColumnOverride, ExperimentViewOverride } from '../schemas.ts'
import { Calls } from './calls.ts'

/** How the columns of a comparison of experiments are shown; all calls of this file are extensions of ours. */
export class ExperimentViewCalls extends Calls {
  /** At most one per dataset. */
  async listExperimentViewOverrides(datasetId: string, options: CallOptions = {}): Promise<ExperimentViewOverride[]> {
    const params = toParams(datasetId)
    return await this.transport.call(routes.experiments.listOverrides, { params, ...options })
  }

  /** @throws ConflictError when the dataset has one */
  async createExperimentViewOverride(
    datasetId: string,
    columns: ColumnOverride[],
    options: CallOptions = {},
  ): Promise<ExperimentViewOverride> {
    const request = { params: toParams(datasetId), body: { column_overrides: columns } }
    const doing = 'create experiment view override'
    return await this.transport.call(routes.experiments.createOverride, { ...request, doing, ...options })
  }

  /** Replaces all columns. */
  async updateExperimentViewOverride(
    datasetId: string,
    overrideId: string,
    columns: ColumnOverride[],
    options: CallOptions = {},
  ): Promise<ExperimentViewOverride> {
    const request = { params: toOverrideParams(datasetId, overrideId), body: { column_overrides: columns } }
    const doing = 'update experiment view override'
    return await this.transport.call(routes.experiments.updateOverride, { ...request, doing, ...options })
  }

  async deleteExperimentViewOverride(datasetId: string, overrideId: string, options: CallOptions = {}): Promise<void> {
    const params = toOverrideParams(datasetId, overrideId)
    await this.transport.call(routes.experiments.deleteOverride, { params, ...options })
  }
}

function toParams(datasetId: string): { dataset_id: string } {
  assertUuid(datasetId, 'datasetId')
  return { dataset_id: datasetId }
}

function toOverrideParams(datasetId: string, overrideId: string) {
  const params = toParams(datasetId)
  assertUuid(overrideId, 'overrideId')
  return { ...params, override_id: overrideId }
}
