import type { StoredAttachment } from '../../attachments/index.ts'
import type { SourceRun } from '../schemas/index.ts'

/** One thing done to one example; what is JSON is its text as it came. */
export type ExampleChange = CreateExample | UpdateExample | DeleteExample

export interface CreateExample {
  readonly do: 'create'
  /** @default a new one */
  readonly id?: string | null | undefined
  readonly inputs: string
  readonly outputs?: string | null | undefined
  /** May carry `dataset_split`, which `split` overrules. */
  readonly metadata?: string | null | undefined
  readonly split?: string | readonly string[] | null | undefined
  /** @default the instant of the version */
  readonly createdAt?: string | null | undefined
  readonly sourceRunId?: string | null | undefined
  readonly attachments?: readonly StoredAttachment[] | undefined
  /** The run it is made from, for transformations that look at it. */
  readonly sourceRun?: SourceRun | undefined
  /** Replaces the example of this id, if there is one, instead of being refused. */
  readonly replaces?: boolean | undefined
}

/** Absent and null leave what there is. */
export interface UpdateExample {
  readonly do: 'update'
  readonly id: string
  readonly inputs?: string | null | undefined
  readonly outputs?: string | null | undefined
  readonly metadata?: string | null | undefined
  readonly split?: string | readonly string[] | null | undefined
  /** New ones; without operations they take the place of all that were there. */
  readonly attachments?: readonly StoredAttachment[] | undefined
  readonly operations?: AttachmentOperations | null | undefined
  /** Clears inputs, outputs and metadata that are not given. */
  readonly overwrite?: boolean | null | undefined
}

export interface DeleteExample {
  readonly do: 'delete'
  readonly id: string
}

export interface AttachmentOperations {
  /** Old name → new name. */
  readonly rename?: Readonly<Record<string, string>> | null | undefined
  readonly retain?: readonly string[] | null | undefined
}
