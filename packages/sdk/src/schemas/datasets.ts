import type { Attachments, KVMap } from '../schemas.ts'

export type DataType = 'kv' | 'llm' | 'chat'

/** What is done to an example before it is checked and stored. */
export interface DatasetTransformation {
  /** Keys from `inputs` or `outputs` on. */
  path: string[]
  transformation_type: string
}

/** What everyone may see of a dataset who holds its share token. */
export interface PublicDataset {
  id: string
  name: string
  description: string | null
  created_at: string
  data_type?: DataType | undefined
  /** JSON Schemas. */
  inputs_schema_definition?: KVMap | null | undefined
  outputs_schema_definition?: KVMap | null | undefined
  transformations?: DatasetTransformation[] | null | undefined
  externally_managed?: boolean | undefined
  /** At the newest version; null when it was excluded. */
  example_count?: number | null | undefined
  baseline_experiment_id?: string | null | undefined
}

/** A versioned set of examples. */
export interface Dataset extends PublicDataset {
  tenant_id: string
  /** Moves with the dataset and with its examples. */
  modified_at: string
  metadata?: KVMap | null | undefined
  /** Experiments. */
  session_count?: number | undefined
  last_session_start_time?: string | null | undefined
}

export type DatasetSort =
  | 'name'
  | 'created_at'
  | 'last_session_start_time'
  | 'example_count'
  | 'session_count'
  | 'modified_at'

/** Query of `GET /datasets`. */
export interface DatasetQuery {
  id?: string[] | undefined
  name?: string | undefined
  name_contains?: string | undefined
  /** Datasets whose metadata contains it. */
  metadata?: KVMap | undefined
  data_type?: DataType[] | undefined
  sort_by?: DatasetSort | undefined
  sort_by_desc?: boolean | undefined
  exclude?: string[] | undefined
  exclude_corrections_datasets?: boolean | undefined
  offset?: number | undefined
  /** At most 100. */
  limit?: number | undefined
}

/** `url` is the public web page. */
export interface DatasetShareSchema {
  dataset_id: string
  share_token: string
  url: string
}

/** A change of the dataset's examples, named by its moment. */
export interface DatasetVersion {
  as_of: string
  tags?: string[] | null | undefined
}

/** Ids of the examples that two versions do not share. */
export interface DatasetDiffInfo {
  examples_modified: string[]
  examples_added: string[]
  examples_removed: string[]
}

/** An attachment as it is read: a link that needs no key and holds for a day. */
export interface AttachmentInfo {
  presigned_url: string
  mime_type?: string | undefined
}

/** One row of a dataset, as it stood at some version. */
export interface Example {
  id: string
  dataset_id: string
  name?: string | undefined
  inputs: KVMap
  outputs?: KVMap | null | undefined
  /** Always has `dataset_split`, a list of names. */
  metadata?: KVMap | undefined
  source_run_id?: string | null | undefined
  created_at: string
  /** The version that changed it last. */
  modified_at?: string | undefined
  /** By name; present on single reads and where they were asked for. */
  attachments?: Record<string, AttachmentInfo> | undefined
}

/** An example as a search found it. */
export interface ExampleSearch {
  id: string
  inputs: KVMap
  outputs?: KVMap | null | undefined
  metadata?: KVMap | null | undefined
}

/** Exactly one of `dataset_id` and `dataset_name`. */
export interface ExampleCreate {
  /** @default a new one */
  id?: string | undefined
  dataset_id?: string | undefined
  dataset_name?: string | undefined
  /** Needed unless they come from the source run. */
  inputs?: KVMap | undefined
  outputs?: KVMap | null | undefined
  /** Another name of `outputs`, which the server knows by that one. */
  reference_outputs?: KVMap | null | undefined
  metadata?: KVMap | null | undefined
  /** @default "base" */
  split?: string | string[] | null | undefined
  attachments?: Attachments | undefined
  /** @default now */
  created_at?: string | undefined
  source_run_id?: string | undefined
  /** Takes inputs, outputs and all attachments from the run. */
  use_source_run_io?: boolean | undefined
  /** Names of the run's attachments to copy. */
  use_source_run_attachments?: string[] | undefined
}

/** New names of attachments, and which to keep under their own; all others are dropped. */
export interface AttachmentsOperations {
  rename?: Record<string, string> | undefined
  retain?: string[] | undefined
}

/** What is absent stays as it is; what is given is replaced whole, except that the split survives new metadata. */
export interface ExampleUpdate {
  id: string
  dataset_id?: string | undefined
  inputs?: KVMap | undefined
  outputs?: KVMap | null | undefined
  /** Another name of `outputs`, which the server knows by that one. */
  reference_outputs?: KVMap | null | undefined
  metadata?: KVMap | null | undefined
  split?: string | string[] | null | undefined
  /** Without operations these replace all there are. */
  attachments?: Attachments | undefined
  attachments_operations?: AttachmentsOperations | undefined
}

/** `example_ids` in the order given; `as_of` is the version made, absent when nothing changed. */
export interface ExamplesChanged {
  count: number
  example_ids: string[]
  as_of?: string | undefined
}

/** Query of `GET /examples/count`. */
export interface ExampleConditions {
  dataset?: string | undefined
  id?: string[] | undefined
  /** Timestamp or tag. */
  as_of?: string | undefined
  splits?: string[] | undefined
  /** Examples whose metadata contains it. */
  metadata?: KVMap | undefined
  filter?: string | undefined
  /** Each occurs, in any case, in the JSON text of inputs or outputs. */
  full_text_contains?: string[] | undefined
}

/** Query of `GET /examples`. */
export interface ExampleQuery extends ExampleConditions {
  /** Only adds: `attachment_urls`. */
  select?: string[] | undefined
  order?: 'recent' | 'recently_created' | 'id' | 'random' | undefined
  descending?: boolean | undefined
  /** The same seed gives the same shuffle. */
  random_seed?: number | undefined
  offset?: number | undefined
  /** At most 100. */
  limit?: number | undefined
}
