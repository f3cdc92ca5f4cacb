import { parseExact } from '@touchstone/formats/edit-json'
import { findSyntaxProblem, indentJson, type JsonProblem, locateValue } from '@touchstone/formats/locate-json'
import { readProblems } from '#lib/errors.ts'
import type { StoredExample } from './stored-example.ts'

/** A file that is added with the next save. */
export interface NewFile {
  name: string
  mimeType: string
  data: Blob
}

/** The parts of an example that are JSON objects. */
export const PARTS = ['inputs', 'outputs', 'metadata'] as const
export type Part = (typeof PARTS)[number]

/** An example as it is edited: texts, which may be invalid for a while. */
export interface ExampleDraft extends Readonly<Record<Part, string>> {
  readonly splits: readonly string[]
  /** Names of stored attachments that stay. */
  readonly kept: readonly string[]
  readonly added: readonly NewFile[]
}

export function startDraft({ inputs, outputs, metadata, splits, files }: StoredExample): ExampleDraft {
  return { inputs, outputs, metadata, splits, kept: files.map(({ name }) => name), added: [] }
}

/**
 * The draft of a new example.
 *
 * @param template  an example of the same dataset, whose keys the new one gets with empty values
 */
export function startNewDraft(
  schemas: { inputs?: unknown; outputs?: unknown },
  template?: { inputs: object; outputs?: object | null | undefined },
): ExampleDraft {
  return {
    inputs: printSkeleton(schemas.inputs, template?.inputs),
    outputs: printSkeleton(schemas.outputs, template?.outputs ?? undefined),
    metadata: '{}',
    splits: [],
    kept: [],
    added: [],
  }
}

const EMPTY_VALUES: Readonly<Record<string, unknown>> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
}

/** The properties of a schema, or the keys of another example, with empty values. */
function printSkeleton(schema: unknown, template: object | undefined): string {
  const { properties, required } = (schema ?? {}) as { properties?: Record<string, unknown>; required?: unknown }
  if (typeof properties === 'object' && properties !== null) {
    const names = Array.isArray(required) && required.length > 0 ? required.map(String) : Object.keys(properties)
    return print(names.map((name) => [name, emptyOf(properties[name])]))
  }
  return print(Object.entries(template ?? {}).map(([key, value]) => [key, emptyLike(value)]))
}

function print(members: readonly (readonly [string, unknown])[]): string {
  return JSON.stringify(Object.fromEntries(members), null, 2)
}

function emptyOf(schema: unknown): unknown {
  const {
    type,
    enum: options,
    default: value,
  } = (schema ?? {}) as { type?: unknown; enum?: unknown; default?: unknown }
  if (value !== undefined) return value
  if (Array.isArray(options)) return options[0]
  const name = String(Array.isArray(type) ? type[0] : type)
  return Object.hasOwn(EMPTY_VALUES, name) ? EMPTY_VALUES[name] : null
}

function emptyLike(value: unknown): unknown {
  if (Array.isArray(value)) return []
  return value === null ? null : EMPTY_VALUES[typeof value]
}

const FIELDS = ['inputs', 'outputs', 'metadata', 'splits', 'kept', 'added'] as const satisfies (keyof ExampleDraft)[]

/** The parts of a draft that differ from the saved example. */
export function getChangedFields(draft: ExampleDraft, saved: ExampleDraft): (keyof ExampleDraft)[] {
  return FIELDS.filter((field) =>
    field === 'added' ? draft.added.length > 0 : JSON.stringify(draft[field]) !== JSON.stringify(saved[field]),
  )
}

/** The edited fields of an example. The others follow the saved example, which may change meanwhile. */
export type DraftChanges = Partial<ExampleDraft>

/** The fields that an edit changes; one that is as saved again is left out. */
export function pickChanges(draft: ExampleDraft, saved: ExampleDraft): DraftChanges {
  return pickFields(draft, getChangedFields(draft, saved))
}

/** Saved values of the edited fields, as they were when these were first edited. */
export type DraftBases = Partial<ExampleDraft>

/** Edited fields that were saved elsewhere since they were first edited, with another value than the edited one. */
export function findOvertaken(changes: DraftChanges, bases: DraftBases, saved: ExampleDraft): (keyof ExampleDraft)[] {
  return FIELDS.filter((field) => {
    if (field === 'added' || !(field in changes) || !(field in bases)) return false
    const now = normalize(field, saved[field])
    return normalize(field, bases[field]) !== now && normalize(field, changes[field]) !== now
  })
}

/** The same for JSON that differs in its spaces only. */
function normalize(field: keyof ExampleDraft, value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  if (value.trim() === '') return field === 'outputs' ? '{}' : ''
  return findSyntaxProblem(value) === undefined ? indentJson(value) : value
}

/** A field as text, to compare it with another version. */
export function printField(field: keyof ExampleDraft, { [field]: value }: ExampleDraft): string {
  return typeof value === 'string' ? value : value.map((one) => (typeof one === 'string' ? one : one.name)).join('\n')
}

export const FIELD_LABELS: Readonly<Record<keyof ExampleDraft, string>> = {
  inputs: 'Inputs',
  outputs: 'Reference outputs',
  metadata: 'Metadata',
  splits: 'Splits',
  kept: 'Attachments',
  added: 'New attachments',
}

/** What is left of the changes after a draft was saved: fields that were edited again meanwhile. */
export function dropSaved(changes: DraftChanges, sent: ExampleDraft): DraftChanges {
  return pickFields(
    changes,
    FIELDS.filter((field) => field in changes && changes[field] !== sent[field]),
  )
}

export function getFields(changes: DraftChanges): (keyof ExampleDraft)[] {
  return FIELDS.filter((field) => field in changes)
}

export function omitFields(from: DraftChanges, fields: readonly (keyof ExampleDraft)[]): DraftChanges {
  return pickFields(
    from,
    FIELDS.filter((field) => !fields.includes(field)),
  )
}

export function pickFields(from: DraftChanges, fields: readonly (keyof ExampleDraft)[]): DraftChanges {
  const picked: { -readonly [Field in keyof DraftChanges]: DraftChanges[Field] } = { ...from }
  for (const field of FIELDS) if (!fields.includes(field)) delete picked[field]
  return picked
}

/** Why a part cannot be saved as it is; schemas are checked elsewhere. */
export function findPartProblem(part: Part, text: string): string | undefined {
  if (part !== 'inputs' && text.trim() === '') return undefined
  const problem = findSyntaxProblem(text)
  if (problem !== undefined) return problem.message
  return text.trim().startsWith('{') ? undefined : `${PART_LABELS[part]} must be a JSON object: { … }`
}

export const PART_LABELS: Readonly<Record<Part, string>> = FIELD_LABELS

/** The JSON parts of a draft to send, with numbers as they are written. An empty text is an empty object. */
export function toContent(draft: ExampleDraft, parts: readonly (keyof ExampleDraft)[]) {
  const read = (part: Part) => {
    if (!parts.includes(part)) return undefined
    return (draft[part].trim() === '' ? {} : parseExact(draft[part])) as Record<string, unknown>
  }
  return {
    inputs: read('inputs'),
    outputs: read('outputs'),
    metadata: read('metadata'),
    split: parts.includes('splits') ? [...draft.splits] : undefined,
  }
}

/** Values that the server refused. */
export interface SaveProblems {
  /** The draft that was refused; its problems say nothing about a text that has changed since. */
  draft: ExampleDraft
  parts: Readonly<Record<Part, readonly JsonProblem[]>>
}

/** Finds the places of what the server refused. The paths are `examples`, id or position, part, then steps. */
export function locateSaveProblems(error: unknown, draft: ExampleDraft): SaveProblems {
  const parts: Record<Part, JsonProblem[]> = { inputs: [], outputs: [], metadata: [] }
  for (const { loc, msg } of readProblems(error)) {
    const at = loc.findIndex((step) => step === 'inputs' || step === 'outputs' || step === 'metadata')
    const part = loc[at]
    if (part !== 'inputs' && part !== 'outputs' && part !== 'metadata') continue
    parts[part].push({ ...locateValue(draft[part], loc.slice(at + 1)), message: msg })
  }
  return { draft, parts }
}
