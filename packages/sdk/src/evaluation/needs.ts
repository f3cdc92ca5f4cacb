import { Client as BaseClient } from '../client.ts'
import type { ComparativeExperiment, Dataset, Example, ExperimentStatistics, KVMap } from '../schemas.ts'

export interface Client extends BaseClient {
  createDataset(name: string, options: { description?: string; metadata?: KVMap }): Promise<Dataset>
  readExample(id: string): Promise<Example>
  createExample(example: object): Promise<Example>
  updateExample(example: object): Promise<object>
  updateDatasetTag(params: { datasetId: string; asOf: string; tag: string }): Promise<void>
  readDataset(key: { datasetId?: string; datasetName?: string }): Promise<Dataset>
  getDatasetUrl(key: { datasetId?: string; datasetName?: string }): Promise<string>
  listExamples(query: {
    datasetId?: string
    datasetName?: string
    exampleIds?: string[]
    asOf?: string
    includeAttachments?: boolean
  }): AsyncIterable<Example>
  createComparativeExperiment(params: {
    id: string
    name: string
    experimentIds: string[]
    referenceDatasetId: string
    description?: string | undefined
    metadata?: KVMap | undefined
  }): Promise<ComparativeExperiment>
  compareExperiments(params: {
    datasetId: string
    baselineId: string
    experimentIds: string[]
  }): Promise<ExperimentStatistics>
}

export const Client = BaseClient as unknown as new () => Client
