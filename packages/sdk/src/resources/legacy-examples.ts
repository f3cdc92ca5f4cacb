import type { Attachments, ExampleCreate, KVMap } from '../schemas.ts'
import { checkDatasetKey, type DatasetKey, NEITHER } from './dataset-key.ts'

/** An example apart from its inputs and outputs. Exactly one of `datasetId` and `datasetName`. */
export interface CreateExampleOptions extends DatasetKey {
  /** @default now */
  createdAt?: Date | undefined
  exampleId?: string | undefined
  metadata?: KVMap | undefined
  split?: string | string[] | undefined
  sourceRunId?: string | undefined
  useSourceRunIO?: boolean | undefined
  useSourceRunAttachments?: string[] | undefined
  attachments?: Attachments | undefined
}

/** Examples as columns: the nth entry of each belongs to the nth example. */
export interface LegacyExamples extends DatasetKey {
  inputs?: KVMap[] | undefined
  outputs?: (KVMap | null | undefined)[] | undefined
  /** Another name of `outputs`. */
  referenceOutputs?: (KVMap | null | undefined)[] | undefined
  metadata?: (KVMap | null | undefined)[] | undefined
  splits?: (string | string[] | undefined)[] | undefined
  sourceRunIds?: (string | undefined)[] | undefined
  useSourceRunIOs?: (boolean | undefined)[] | undefined
  useSourceRunAttachments?: (string[] | undefined)[] | undefined
  attachments?: (Attachments | undefined)[] | undefined
  exampleIds?: (string | undefined)[] | undefined
}

/** Whether it is an example rather than inputs: it names a dataset. */
export function isExampleCreate(given: KVMap | ExampleCreate): given is ExampleCreate {
  return 'dataset_id' in given || 'dataset_name' in given
}

export function exampleOf(
  inputs: KVMap,
  outputs: KVMap | null | undefined,
  options: CreateExampleOptions = {},
): ExampleCreate {
  checkDatasetKey(options, NEITHER)
  return {
    inputs,
    outputs,
    dataset_id: options.datasetId,
    dataset_name: options.datasetName,
    id: options.exampleId,
    created_at: (options.createdAt ?? new Date()).toISOString(),
    metadata: options.metadata,
    split: options.split,
    source_run_id: options.sourceRunId,
    use_source_run_io: options.useSourceRunIO,
    use_source_run_attachments: options.useSourceRunAttachments,
    attachments: options.attachments,
  }
}

export function examplesOf(columns: LegacyExamples): ExampleCreate[] {
  if (columns.inputs === undefined) throw new Error('Must provide inputs when using legacy parameters')
  checkDatasetKey(columns, NEITHER)
  return columns.inputs.map((inputs, at) => ({
    inputs,
    outputs: columns.outputs?.[at],
    reference_outputs: columns.referenceOutputs?.[at],
    dataset_id: columns.datasetId,
    dataset_name: columns.datasetName,
    id: columns.exampleIds?.[at],
    metadata: columns.metadata?.[at],
    split: columns.splits?.[at],
    source_run_id: columns.sourceRunIds?.[at],
    use_source_run_io: columns.useSourceRunIOs?.[at],
    use_source_run_attachments: columns.useSourceRunAttachments?.[at],
    attachments: columns.attachments?.[at],
  }))
}
