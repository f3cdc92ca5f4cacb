import { BASE_SPLIT, isStorable, MAX_EXAMPLE_BYTES } from '@touchstone/contract'
import { splitMembers } from '@touchstone/formats/cut-json'
import { printObject } from '@touchstone/formats/write-object'
import { searchable } from '../../../storage/relational/like.ts'
import type { StoredAttachment } from '../../attachments/index.ts'
import type { Payloads, Prepare, SourceRun } from '../schemas/index.ts'
import type { ExampleProblems } from './problems.ts'

/** One change of one example, with raw JSON. */
export type ExampleChange = CreateExample | UpdateExample | DeleteExample | RestoreExample

export interface CreateExample {
  readonly do: 'create'
  /** @default a new id */
  readonly id?: string | null | undefined
  readonly inputs: string
  readonly outputs?: string | null | undefined
  /** May contain `dataset_split`, which `split` overrides. */
  readonly metadata?: string | null | undefined
  readonly split?: string | readonly string[] | null | undefined
  /** @default the instant of the version */
  readonly createdAt?: string | null | undefined
  readonly sourceRunId?: string | null | undefined
  readonly attachments?: readonly StoredAttachment[] | undefined
  /** The source run, for transformations that read it. */
  readonly sourceRun?: SourceRun | undefined
  /** Replaces an existing example with this id instead of rejecting it. */
  readonly replaces?: boolean | undefined
}

/** Absent and null fields keep their value. */
export interface UpdateExample {
  readonly do: 'update'
  readonly id: string
  readonly inputs?: string | null | undefined
  readonly outputs?: string | null | undefined
  readonly metadata?: string | null | undefined
  readonly split?: string | readonly string[] | null | undefined
  /** New attachments; without operations they replace all existing ones. */
  readonly attachments?: readonly StoredAttachment[] | undefined
  readonly operations?: AttachmentOperations | null | undefined
  /** Clears inputs, outputs and metadata that are not given. */
  readonly overwrite?: boolean | null | undefined
  /** `modified_at` of the example that the change is based on. */
  readonly expected?: string | null | undefined
}

export interface DeleteExample {
  readonly do: 'delete'
  readonly id: string
}

/** Gives an example the content that it had in an older version, also when it was deleted since. */
export interface RestoreExample {
  readonly do: 'restore'
  readonly id: string
  readonly version: Date
  /** Size of that content, which is read only when it is written: a version may be larger than the memory. */
  readonly bytes: number
}

export interface AttachmentOperations {
  /** Old name → new name. */
  readonly rename?: Readonly<Record<string, string>> | null | undefined
  readonly retain?: readonly string[] | null | undefined
}

/** The content of an example: raw JSON, metadata without `dataset_split`. */
export interface ExampleContent {
  readonly inputs: string
  readonly outputs: string | null
  readonly metadata: string
  readonly splits: readonly string[]
  readonly source_run_id: string | null
  readonly attachments: readonly StoredAttachment[]
}

interface Checks {
  readonly prepare: Prepare
  readonly problems: ExampleProblems
}

/** The content of a new example. Adds its problems to the list. */
export function newContent(id: string, change: CreateExample, checks: Checks): ExampleContent {
  const { metadata, splits } = readMetadata(id, change.metadata ?? '{}', change.split, [BASE_SPLIT], checks)
  const given = { inputs: change.inputs, outputs: change.outputs ?? null }
  const content = {
    ...checkPayloads(id, given, checks, change.sourceRun),
    metadata,
    splits,
    source_run_id: change.sourceRunId ?? null,
    attachments: uniqueByName(change.attachments ?? []),
  }
  checkSize(id, content, checks)
  return content
}

/**
 * The content of an older version, checked against the schemas of today. Adds its problems to the list.
 *
 * @param checks  without transformations, which would change what was stored
 */
export function restoredContent(id: string, content: ExampleContent, checks: Checks): ExampleContent {
  return { ...content, ...checkPayloads(id, content, checks) }
}

/** The content of an example after an update. Adds its problems to the list. */
export function updatedContent(before: ExampleContent, change: UpdateExample, checks: Checks): ExampleContent {
  const { id, overwrite } = change
  const given = {
    inputs: change.inputs ?? (overwrite ? '{}' : before.inputs),
    outputs: change.outputs ?? (overwrite ? null : before.outputs),
  }
  const text = change.metadata ?? (overwrite ? '{}' : before.metadata)
  const { metadata, splits } = readMetadata(id, text, change.split, before.splits, checks)
  const attachments = applyOperations(before.attachments, change.attachments, change.operations)
  if ('wrong' in attachments) {
    checks.problems.add('INVALID_REQUEST', [id, 'attachments_operations'], attachments.wrong)
  }
  const isSame = given.inputs === before.inputs && given.outputs === before.outputs
  const content = {
    ...(isSame ? given : checkPayloads(id, given, checks)),
    metadata,
    splits,
    source_run_id: before.source_run_id,
    attachments: 'wrong' in attachments ? [] : attachments,
  }
  checkSize(id, content, checks)
  return content
}

function checkPayloads(id: string, given: Payloads, { prepare, problems }: Checks, run?: SourceRun): Payloads {
  const { violations, ...payloads } = prepare(given, run)
  for (const { path, message } of violations) {
    problems.add('INVALID_REQUEST', [id, ...path.split('/').filter((step) => step !== '')], message)
  }
  return payloads
}

/** `split` overrides `dataset_split`, which overrides the existing splits. */
function readMetadata(
  id: string,
  text: string,
  split: unknown,
  before: readonly string[],
  { problems }: Checks,
): { readonly metadata: string; readonly splits: readonly string[] } {
  const { text: metadata, split: inMetadata } = cutSplit(text)
  const wanted = split ?? inMetadata
  if (wanted === undefined) return { metadata, splits: before }
  const splits = readSplits(wanted)
  if (Array.isArray(splits)) return { metadata, splits }
  problems.add('INVALID_REQUEST', split == null ? [id, 'metadata', 'dataset_split'] : [id, 'split'], splits.wrong)
  return { metadata, splits: before }
}

function checkSize(id: string, { inputs, outputs, metadata }: ExampleContent, { problems }: Checks): void {
  const bytes = Buffer.byteLength(inputs) + Buffer.byteLength(outputs ?? '') + Buffer.byteLength(metadata)
  if (bytes <= MAX_EXAMPLE_BYTES) return
  problems.add('PAYLOAD_TOO_LARGE', [id], `has ${bytes} bytes of JSON, more than the limit of ${MAX_EXAMPLE_BYTES}`)
}

/**
 * The attachments of an example after an update. Without operations and new attachments they stay; new attachments
 * alone replace all. With operations, retained and renamed attachments stay, and a new one replaces a kept one with its
 * name.
 *
 * @returns a message when the operations contradict each other
 */
function applyOperations(
  before: readonly StoredAttachment[],
  added: readonly StoredAttachment[] | undefined,
  operations: AttachmentOperations | null | undefined,
): StoredAttachment[] | { readonly wrong: string } {
  if (operations == null) return added === undefined ? [...before] : uniqueByName(added)
  const retained = new Set(operations.retain ?? [])
  const renamed = new Map(Object.entries(operations.rename ?? {}))
  const wrong = findContradiction(retained, renamed)
  if (wrong !== undefined) return { wrong }
  const kept = before.flatMap((one) => {
    const name = renamed.get(one.name)
    if (name !== undefined) return [{ ...one, name }]
    return retained.has(one.name) ? [one] : []
  })
  return uniqueByName([...kept, ...(added ?? [])])
}

/** Each name once; the last one of equal names. */
function uniqueByName(attachments: readonly StoredAttachment[]): StoredAttachment[] {
  return [...new Map(attachments.map((one) => [one.name, one])).values()]
}

function findContradiction(retained: ReadonlySet<string>, renamed: ReadonlyMap<string, string>): string | undefined {
  const taken = new Set(retained)
  for (const [from, to] of renamed) {
    if (retained.has(from)) return `both retains and renames ${from}`
    if (taken.has(to)) return `renames ${from} to ${to}, a name that is taken`
    taken.add(to)
  }
  return undefined
}

const MAX_NAME = 500

/**
 * Distinct names of splits in the given order; `base` when there are none.
 *
 * @returns a message when they are invalid
 */
function readSplits(given: unknown): string[] | { readonly wrong: string } {
  const names: unknown[] = typeof given === 'string' ? [given] : Array.isArray(given) ? given : [given]
  for (const name of names) {
    if (typeof name !== 'string') return { wrong: 'is neither the name of a split nor a list of names' }
    if (name.length === 0 || name.length > MAX_NAME) {
      return { wrong: `has a name that does not have 1 to ${MAX_NAME} characters` }
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they part values on their way into the database
    if (!isStorable(name) || /[\u0000-\u001f]/.test(name)) {
      return { wrong: 'has a name with control characters or half a surrogate pair' }
    }
  }
  return names.length === 0 ? [BASE_SPLIT] : [...new Set(names as string[])]
}

/** Metadata, separated from its splits. */
interface GivenMetadata {
  /** JSON text of an object without `dataset_split`. */
  readonly text: string
  /** The value of `dataset_split`; undefined when absent or null. */
  readonly split: unknown
}

/** The key of the splits in the metadata of an example. */
export const SPLIT_KEY = 'dataset_split'

/** @param text  of a JSON object */
function cutSplit(text: string): GivenMetadata {
  const parsed = JSON.parse(text) as Record<string, unknown>
  if (!Object.hasOwn(parsed, SPLIT_KEY)) return { text, split: undefined }
  const members = splitMembers(text)
  members.delete(SPLIT_KEY)
  return { text: printObject(members), split: parsed[SPLIT_KEY] ?? undefined }
}

/** Metadata with its splits, as readers get it. */
export function withSplits(metadata: string, splits: readonly string[]): string {
  const split = `"${SPLIT_KEY}":${JSON.stringify(splits)}}`
  const open = metadata.slice(0, metadata.lastIndexOf('}')).trimEnd()
  return open.trim() === '{' ? `{${split}` : `${open},${split}`
}

/** The form of metadata that filters search, as JSON text that jsonb can store. */
export function metadataIndex(metadata: string, splits: readonly string[]): string {
  const parsed = metadata === '{}' ? {} : (JSON.parse(metadata) as Record<string, unknown>)
  return JSON.stringify({ ...(searchable(parsed) as object), [SPLIT_KEY]: splits })
}
