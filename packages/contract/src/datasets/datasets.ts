import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { QueryFlag, queryList, strictPage } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { Time } from '../wire/time.ts'

export const DATA_TYPES = ['kv', 'llm', 'chat'] as const
export const DataType = z.enum(DATA_TYPES)
export type DataType = z.infer<typeof DataType>

/** A change of an example before it is validated and stored. */
export const Transformation = z.looseObject({ path: z.array(z.string()), transformation_type: z.string() })
export type Transformation = z.infer<typeof Transformation>

/** A versioned set of examples. `example_count` is that of the newest version; `session_count` counts experiments. */
export const Dataset = z.object({
  id: z.string(),
  tenant_id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  created_at: z.string(),
  /** Changes with the dataset and with its examples. */
  modified_at: z.string(),
  data_type: DataType,
  inputs_schema_definition: JsonRecord.nullable(),
  outputs_schema_definition: JsonRecord.nullable(),
  transformations: z.array(Transformation).nullable(),
  externally_managed: z.boolean(),
  metadata: JsonRecord.nullable(),
  /** Null when excluded. */
  example_count: z.int().nullable(),
  session_count: z.int(),
  /** Start time of the newest experiment. */
  last_session_start_time: z.string().nullable(),
  /** The newest experiment. An extension of ours. */
  last_session_id: z.string().nullable(),
  baseline_experiment_id: z.string().nullable(),
})
export type Dataset = z.infer<typeof Dataset>

export const DatasetCreate = z.object({
  name: repairedText().min(1),
  id: Uuid.nullish(),
  description: repairedText().nullish(),
  data_type: DataType.nullish(),
  inputs_schema_definition: JsonRecord.nullish(),
  outputs_schema_definition: JsonRecord.nullish(),
  transformations: z.array(Transformation).nullish(),
  /** `extra.metadata` is the metadata of the dataset. */
  extra: JsonRecord.nullish(),
  /** The same at the top level; `extra.metadata` wins. */
  metadata: JsonRecord.nullish(),
  created_at: Time.nullish(),
  externally_managed: z.boolean().nullish(),
})
export type DatasetCreate = z.output<typeof DatasetCreate>

/** How generated clients send a field that they do not change. */
export const MISSING = { __missing__: '__missing__' } as const

const isMissing = (value: unknown) =>
  typeof value === 'object' && value !== null && '__missing__' in value && value.__missing__ === '__missing__'

/** A field that stays unchanged when absent or the sentinel, and is cleared by null. */
export function unlessMissing<Shape extends z.ZodType>(shape: Shape) {
  return z.preprocess((value) => (isMissing(value) ? undefined : value), shape.nullish())
}

/** Absent fields stay unchanged, as does the sentinel `{"__missing__": "__missing__"}`; null clears a field. */
export const DatasetUpdate = z.object({
  name: unlessMissing(repairedText().min(1)),
  description: unlessMissing(repairedText()),
  inputs_schema_definition: unlessMissing(JsonRecord),
  outputs_schema_definition: unlessMissing(JsonRecord),
  transformations: unlessMissing(z.array(Transformation)),
  metadata: unlessMissing(JsonRecord),
  baseline_experiment_id: unlessMissing(Uuid),
  /** Example id → its changes, as `PATCH /examples/{id}` accepts them; all in one version. */
  patch_examples: unlessMissing(z.record(z.string(), JsonRecord)),
  /**
   * What the change is based on, field by field. 409 when a field has another value by now; its problems name these
   * fields. An extension of ours.
   */
  expected: z
    .object({
      name: z.string(),
      description: z.string().nullable(),
      inputs_schema_definition: JsonRecord.nullable(),
      outputs_schema_definition: JsonRecord.nullable(),
      metadata: JsonRecord.nullable(),
    })
    .partial()
    .nullish(),
})
export type DatasetUpdate = z.output<typeof DatasetUpdate>

export const DATASET_SORTS = [
  'name',
  'created_at',
  'last_session_start_time',
  'example_count',
  'session_count',
  'modified_at',
] as const

export const DatasetListQuery = z.object({
  id: queryList(Uuid),
  /** Exact name. */
  name: z.string().optional(),
  /** Part of the name, case-insensitive. */
  name_contains: z.string().optional(),
  /** A JSON object as text; matches datasets whose metadata contains it. */
  metadata: z.string().optional(),
  data_type: queryList(DataType),
  /** Datasets without a value are last; then the newest first, then by id. */
  sort_by: z.enum(DATASET_SORTS).catch('last_session_start_time').default('last_session_start_time'),
  sort_by_desc: QueryFlag.default(true),
  /** Names of statistics to return as null. */
  exclude: queryList(z.string()),
  exclude_corrections_datasets: QueryFlag.default(false),
  ...strictPage,
})
export type DatasetListQuery = z.output<typeof DatasetListQuery>

/** Path parameter of all routes below one dataset. */
export const datasetId = z.object({ dataset_id: Uuid })
const tag = 'datasets'

export const datasetRoutes = describeRoutes(routes.datasets, tag, {
  create: {
    summary: 'Create a dataset; 409 when the name is taken',
    body: DatasetCreate,
    answer: Dataset,
  },
  list: {
    summary: 'Datasets of the workspace',
    query: DatasetListQuery,
    answer: z.array(Dataset),
  },
  read: {
    summary: 'One dataset',
    params: datasetId,
    answer: Dataset,
  },
  update: {
    summary: 'Change a dataset, and with a new schema the examples that it would not accept',
    params: datasetId,
    body: DatasetUpdate,
    answer: Dataset,
  },
  delete: {
    summary: 'Delete a dataset with its examples and versions; its experiments stay',
    params: datasetId,
    answer: z.null(),
  },
  deleteMany: {
    summary: 'Delete up to 100 datasets',
    query: z.object({ dataset_ids: queryList(Uuid) }),
    answer: z.null(),
  },
})
