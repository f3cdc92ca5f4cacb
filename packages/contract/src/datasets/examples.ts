import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { QueryFlag, queryList, queryTexts, strictPage } from '../wire/page.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { Time } from '../wire/time.ts'
import { datasetId } from './datasets.ts'
import { AsOf } from './versions.ts'

/** Bytes of the JSON of one example; attachments have their own limit. */
export const MAX_EXAMPLE_BYTES = 20 * 1024 * 1024

/** Prefix of an attachment's name in `attachment_urls`. */
export const ATTACHMENT_PREFIX = 'attachment.'

export const ExampleAttachmentUrl = z.object({
  /** Absolute URL for a plain GET; expires after a day. */
  presigned_url: z.string(),
  s3_url: z.string(),
  mime_type: z.string(),
})
export type ExampleAttachmentUrl = z.infer<typeof ExampleAttachmentUrl>

/** An example of a dataset at a version. */
export const Example = z.object({
  id: z.string(),
  dataset_id: z.string(),
  name: z.string(),
  inputs: JsonRecord,
  outputs: JsonRecord.nullable(),
  /** Always contains `dataset_split`, a list of names. */
  metadata: JsonRecord,
  created_at: z.string(),
  /** The version of its latest change. */
  modified_at: z.string(),
  source_run_id: z.string().nullable(),
  /** By `attachment.{name}`; present in single reads and where selected. */
  attachment_urls: z.record(z.string(), ExampleAttachmentUrl).optional(),
})
export type Example = z.infer<typeof Example>

/** One split or several. */
export const Splits = z.union([z.string().min(1), z.array(z.string().min(1))])

/** Content of an example without its dataset; inputs are required unless they come from the source run. */
export const exampleContent = {
  inputs: JsonRecord.nullish(),
  outputs: JsonRecord.nullish(),
  metadata: JsonRecord.nullish(),
  split: Splits.nullish(),
  source_run_id: Uuid.nullish(),
  /** Copies inputs, outputs and all attachments from the run. */
  use_source_run_io: z.boolean().nullish(),
  /** Names of the run's attachments to copy; unknown ones are ignored. */
  use_source_run_attachments: z.array(z.string()).nullish(),
  created_at: Time.nullish(),
}

export const ExampleCreate = z.object({ id: Uuid.nullish(), dataset_id: Uuid, ...exampleContent })
export type ExampleCreate = z.output<typeof ExampleCreate>

/** New names of attachments, and names to keep; all others are removed. */
export const AttachmentsOperations = z.object({
  rename: z.record(z.string(), z.string()).nullish(),
  retain: z.array(z.string()).nullish(),
})
export type AttachmentsOperations = z.output<typeof AttachmentsOperations>

/**
 * The version of an example that a change is based on. 409 when the example was changed since, so that no change is lost
 * unseen. An extension of ours.
 */
const ExpectedExample = z.object({ modified_at: Time })

/**
 * Absent and null fields stay unchanged; other fields are replaced completely, except that `dataset_split` survives new
 * metadata.
 */
export const ExampleUpdate = z.object({
  dataset_id: Uuid.nullish(),
  inputs: JsonRecord.nullish(),
  outputs: JsonRecord.nullish(),
  metadata: JsonRecord.nullish(),
  split: Splits.nullish(),
  attachments_operations: AttachmentsOperations.nullish(),
  /** Clears absent inputs, outputs and metadata instead of keeping them. */
  overwrite: z.boolean().nullish(),
  expected: ExpectedExample.nullish(),
})
export type ExampleUpdate = z.output<typeof ExampleUpdate>

export const ExampleBulkUpdate = ExampleUpdate.extend({ id: Uuid })
export type ExampleBulkUpdate = z.output<typeof ExampleBulkUpdate>

/** Body of the part `{example_id}` of a multipart request. */
export const ExamplePart = z.object({
  /** Required where the path contains no dataset. */
  dataset_id: Uuid.nullish(),
  metadata: JsonRecord.nullish(),
  split: Splits.nullish(),
  source_run_id: Uuid.nullish(),
  use_source_run_io: z.boolean().nullish(),
  use_source_run_attachments: z.array(z.string()).nullish(),
  created_at: Time.nullish(),
  /** Only of changes. */
  expected: ExpectedExample.nullish(),
})
export type ExamplePart = z.output<typeof ExamplePart>

/** `example_ids` are in the order of the request; `as_of` is the new version, absent when nothing changed. */
export const ExamplesChanged = z.object({
  count: z.int(),
  example_ids: z.array(z.string()),
  as_of: z.string().optional(),
})
export type ExamplesChanged = z.infer<typeof ExamplesChanged>

const MetadataKey = z
  .string()
  .min(1)
  .refine((key) => isWithin(key, 255), 'is longer than 255 bytes')
const isWithin = (text: string, maxBytes: number) => new TextEncoder().encode(text).length <= maxBytes

/**
 * One change of a metadata key. `set` replaces its value; `array_add` and `array_remove` change a list, which is empty
 * where the value is missing or not a list. `dataset_split` is the list of the example's splits.
 */
export const MetadataOperation = z
  .object({
    key: MetadataKey,
    operation: z
      .string()
      .toLowerCase()
      .pipe(z.enum(['set', 'array_add', 'array_remove'])),
    value: z
      .unknown()
      .optional()
      .refine(
        (value) => value === undefined || isWithin(JSON.stringify(value), 64 * 1024),
        'has more than 64 KB of JSON',
      ),
    values: z
      .array(z.string().refine((value) => isWithin(value, 255), 'is longer than 255 bytes'))
      .max(1000)
      .nullish(),
  })
  .refine(({ operation, values }) => operation === 'set' || values != null, {
    error: 'is needed to add to a list or remove from it',
    path: ['values'],
  })
export type MetadataOperation = z.output<typeof MetadataOperation>

export const ExamplesMetadataUpdate = z.object({
  example_ids: z.array(Uuid).min(1).max(10_000),
  operations: z
    .array(MetadataOperation)
    .min(1)
    .max(50)
    .refine((operations) => operations.filter(({ operation }) => operation !== 'set').length <= 10, {
      error: 'holds more than 10 changes of lists',
    }),
})
export type ExamplesMetadataUpdate = z.output<typeof ExamplesMetadataUpdate>

/** Conditions are combined with AND, the items of `id` and `splits` with OR. */
export const ExampleConditions = z.object({
  dataset: Uuid.optional(),
  /** Unknown ids are skipped. */
  id: queryList(Uuid),
  /** A time or a tag. */
  as_of: AsOf.optional(),
  splits: queryTexts(z.string()),
  /** A JSON object as text; matches examples whose metadata contains it. */
  metadata: z.string().optional(),
  /** Filter language over `EXAMPLE_FILTERS`. */
  filter: z.string().optional(),
  /** Each text must occur, case-insensitively, in the JSON text of inputs or outputs. */
  full_text_contains: queryTexts(z.string()),
  /** Runs from which examples were made. An extension of ours. */
  source_run: queryList(Uuid),
})
export type ExampleConditions = z.output<typeof ExampleConditions>

export const EXAMPLE_ORDERS = ['recent', 'recently_created', 'id', 'random'] as const

export const ExampleListQuery = ExampleConditions.extend({
  /** Fields to add, unless `exclude_default_fields`. `attachment_urls` is returned only when selected. */
  select: queryList(z.string().max(100)),
  /** Whether examples have only `id` and the fields of `select`. */
  exclude_default_fields: QueryFlag.default(false),
  inline_s3_urls: QueryFlag.optional(),
  order: z.enum(EXAMPLE_ORDERS).default('recent'),
  /** @default true for the orders by time, false for `id` */
  descending: QueryFlag.optional(),
  /** The same seed gives the same shuffle. */
  random_seed: z.coerce.number().optional(),
  ...strictPage,
})
export type ExampleListQuery = z.output<typeof ExampleListQuery>

const exampleId = z.object({ example_id: Uuid })
const tag = 'examples'

export const exampleRoutes = describeRoutes(routes.examples, tag, {
  upload: {
    maxBodyBytes: 'configured',
    summary: 'Create examples with their attachments, all or none, in one version',
    params: datasetId,
    bodyType: 'multipart/form-data',
    status: 201,
    answer: ExamplesChanged,
  },
  patch: {
    maxBodyBytes: 'configured',
    summary: 'Change examples and their attachments, all or none, in one version',
    params: datasetId,
    bodyType: 'multipart/form-data',
    status: 201,
    answer: ExamplesChanged,
  },
  updateMetadata: {
    summary: 'Change keys of the metadata, or the splits, of many examples in one version; unknown examples are named',
    params: datasetId,
    body: ExamplesMetadataUpdate,
    status: 207,
    answer: z.object({
      /** In the order of the request. */
      statuses: z.array(
        z.object({ id: z.string(), status: z.enum(['UPDATED', 'NOT_FOUND']), description: z.string().optional() }),
      ),
    }),
  },
  upsert: {
    maxBodyBytes: 'configured',
    summary: 'Create or replace examples; each names its dataset',
    bodyType: 'multipart/form-data',
    status: 201,
    answer: ExamplesChanged,
  },
  hardDelete: {
    summary: 'Erase examples from every version',
    body: z.object({ example_ids: z.array(Uuid).min(1).max(1000), hard_delete: z.boolean().nullish() }),
    answer: z.object({ count: z.int(), example_ids: z.array(z.string()) }),
  },
  create: {
    maxBodyBytes: BODY_LIMITS.record,
    summary: 'Create one example',
    body: ExampleCreate,
    answer: Example,
  },
  createMany: {
    maxBodyBytes: 'configured',
    summary: 'Create examples, or replace those that have the ids, all or none; one version in each dataset they name',
    body: z.array(ExampleCreate),
    answer: z.array(Example),
  },
  validate: {
    maxBodyBytes: BODY_LIMITS.record,
    summary: 'The example as it would be stored, or what is wrong with it',
    body: ExampleCreate,
    answer: Example,
  },
  validateMany: {
    maxBodyBytes: 'configured',
    summary: 'Examples as they would be stored, or what is wrong with them',
    body: z.array(ExampleCreate),
    answer: z.array(Example),
  },
  list: {
    summary: 'Examples of a dataset at a version, or of ids',
    query: ExampleListQuery,
    answer: z.array(Example),
  },
  count: {
    summary: 'How many examples a list would have',
    query: ExampleConditions,
    answer: z.int(),
  },
  updateMany: {
    maxBodyBytes: 'configured',
    summary: 'Change examples, all or none; one version in each of their datasets',
    body: z.array(ExampleBulkUpdate),
    answer: z.object({ message: z.string(), count: z.int() }),
  },
  read: {
    summary: 'One example with its attachments',
    params: exampleId,
    query: z.object({ as_of: AsOf.optional(), dataset: Uuid.optional() }),
    answer: Example,
  },
  update: {
    maxBodyBytes: BODY_LIMITS.record,
    summary: 'Change one example',
    params: exampleId,
    body: ExampleUpdate,
    answer: z.object({ message: z.string(), count: z.int() }),
  },
  delete: {
    summary: 'Delete one example; older versions keep it',
    params: exampleId,
    answer: z.null(),
  },
  deleteOfDataset: {
    summary: 'Delete one example of a dataset; older versions keep it. Without the example nothing happens',
    params: z.object({ ...datasetId.shape, ...exampleId.shape }),
    status: 204,
    answer: z.null(),
  },
  deleteMany: {
    summary: 'Delete examples; older versions keep them',
    query: z.object({ example_ids: queryList(Uuid) }),
    answer: z.null(),
  },
})
