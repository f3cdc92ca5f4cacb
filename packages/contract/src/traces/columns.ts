import { microsOf, timeOfMicros } from '../wire/parse-time.ts'
import type { TraceRun, TraceRunColumns } from './traces.ts'

/*
 * Runs of a trace as `TraceRunColumns`, without zod, so that clients can read them. `TraceRunArrays` is the same in
 * memory: rows are collected into it, printed from it, and read back to it.
 */

/** A run to be collected. Times are microseconds since a time that the caller chooses. */
export interface TraceRunRow extends Readonly<Omit<TraceRun, OtherForm>> {
  readonly tags: readonly string[]
  readonly start: number
  readonly end: number | null
  readonly first_token: number | null
}

type OtherForm = 'dotted_order' | 'session_id' | 'start_time' | 'end_time' | 'first_token_time' | 'tags'

/** A column of few distinct texts: `words[codes[row]]`. */
export interface WordColumn<Word extends string = string> {
  words: Word[]
  codes: Uint32Array
}

/** The runs of a trace as columns; the same index is the same run. Runs are in the order of the answer. */
export interface TraceRunArrays {
  size: number
  ids: string[]
  /** Row of the parent; -1 without a parent; `-2 - n` when the parent is `missingParentIds[n]`. */
  parents: Int32Array
  missingParentIds: string[]
  names: WordColumn
  runTypes: WordColumn<TraceRun['run_type']>
  statuses: WordColumn<TraceRun['status']>
  /** '' without a model. */
  models: WordColumn
  /** The earliest start, microseconds since 1970. */
  startMicros: bigint
  /** Microseconds since `startMicros`, as `ends` and `firstTokens`; `NaN` without a time. */
  starts: Float64Array
  ends: Float64Array
  firstTokens: Float64Array
  /** By row, of the runs that have one. */
  errorPreviews: Map<number, string>
  tags: Map<number, readonly string[]>
  /** `NaN` where a run reports none, as in the next two. */
  promptTokens: Float64Array
  completionTokens: Float64Array
  totalTokens: Float64Array
  /** By row, of the runs with a known cost. */
  totalCosts: Map<number, string>
  /** Rows whose cost was reported, because no price is known. */
  reportedCosts: Set<number>
  /** Rows whose cost is without fees for more than tokens. */
  unpricedFees: Set<number>
  inputsBytes: Float64Array
  outputsBytes: Float64Array
}

/** `parents` of a run without a parent. */
export const NO_PARENT = -1

/**
 * Collects runs into columns. Of runs with the same id, the last one is the parent of those that name it.
 *
 * @param zeroMicros  microseconds since 1970 of the time from which the times of the rows are counted
 */
export function collectTraceRuns(rows: readonly TraceRunRow[], zeroMicros: bigint): TraceRunArrays {
  const first = rows.reduce((least, { start }) => Math.min(least, start), rows[0]?.start ?? 0)
  const since = (time: number | null) => (time === null ? Number.NaN : time - first)
  const floats = (read: (row: TraceRunRow) => number | null) =>
    Float64Array.from(rows, (row) => read(row) ?? Number.NaN)
  return {
    size: rows.length,
    ids: rows.map(({ id }) => id),
    ...findParents(rows),
    names: packWords(rows.map(({ name }) => name)),
    runTypes: packWords(rows.map(({ run_type }) => run_type)),
    statuses: packWords(rows.map(({ status }) => status)),
    models: packWords(rows.map(({ model }) => model ?? '')),
    startMicros: zeroMicros + BigInt(first),
    starts: floats(({ start }) => since(start)),
    ends: floats(({ end }) => since(end)),
    firstTokens: floats(({ first_token }) => since(first_token)),
    errorPreviews: keepGiven(rows, ({ error_preview }) => error_preview),
    tags: keepGiven(rows, ({ tags }) => (tags.length === 0 ? null : tags)),
    promptTokens: floats(({ prompt_tokens }) => prompt_tokens),
    completionTokens: floats(({ completion_tokens }) => completion_tokens),
    totalTokens: floats(({ total_tokens }) => total_tokens),
    totalCosts: keepGiven(rows, ({ total_cost }) => total_cost),
    reportedCosts: new Set(keepGiven(rows, ({ reported_cost }) => reported_cost).keys()),
    unpricedFees: new Set(keepGiven(rows, ({ unpriced_fees }) => unpriced_fees).keys()),
    inputsBytes: floats(({ inputs_bytes }) => inputs_bytes),
    outputsBytes: floats(({ outputs_bytes }) => outputs_bytes),
  }
}

/** A column of texts of which many are equal. */
export function packWords<Word extends string>(values: readonly Word[]): WordColumn<Word> {
  const codeOf = new Map<Word, number>()
  const codes = new Uint32Array(values.length)
  for (const [row, value] of values.entries()) {
    let code = codeOf.get(value)
    if (code === undefined) {
      code = codeOf.size
      codeOf.set(value, code)
    }
    codes[row] = code
  }
  return { words: [...codeOf.keys()], codes }
}

/** @param runs  with ids that are UUIDs in lower case */
export function encodeTraceRuns(runs: TraceRunArrays): TraceRunColumns {
  const { starts, errorPreviews, tags } = runs
  const tokens = [runs.promptTokens, runs.completionTokens, runs.totalTokens]
  const withToken = listRows(runs.size, (row) => !Number.isNaN(at(runs.firstTokens, row)))
  const withUsage = listRows(
    runs.size,
    (row) => runs.totalCosts.has(row) || tokens.some((column) => !Number.isNaN(at(column, row))),
  )
  const pickUsage = (column: Float64Array) => withUsage.map((row) => numberOrNull(at(column, row)))
  const previews = packWords([...errorPreviews.values()])
  return {
    ids: toBase64(splitIds(runs.ids)),
    parents: [...runs.parents],
    missing_parent_ids: runs.missingParentIds,
    names: listCodes(runs.names),
    run_types: listCodes(runs.runTypes),
    statuses: listCodes(runs.statuses),
    models: listCodes(runs.models),
    start_time: timeOfMicros(runs.startMicros),
    start_gaps: toGaps(starts),
    durations: Array.from(runs.ends, (end, row) => numberOrNull(end - at(starts, row))),
    first_tokens: {
      gaps: toGaps(withToken),
      values: withToken.map((row) => at(runs.firstTokens, row) - at(starts, row)),
    },
    error_previews: { gaps: toGaps([...errorPreviews.keys()]), ...listCodes(previews) },
    tags: { gaps: toGaps([...tags.keys()]), values: Array.from(tags.values(), (list) => [...list]) },
    usage: {
      gaps: toGaps(withUsage),
      prompt_tokens: pickUsage(runs.promptTokens),
      completion_tokens: pickUsage(runs.completionTokens),
      other_tokens: pickUsage(runs.totalTokens.map((total, row) => total - countParts(runs, row))),
      total_costs: withUsage.map((row) => runs.totalCosts.get(row) ?? null),
    },
    reported_costs: toGaps([...runs.reportedCosts]),
    unpriced_fees: toGaps([...runs.unpricedFees]),
    inputs_bytes: [...runs.inputsBytes],
    outputs_bytes: [...runs.outputsBytes],
  }
}

/** Reads the columns of an answer. */
export function decodeTraceRuns(columns: TraceRunColumns): TraceRunArrays {
  const { first_tokens, error_previews, tags, usage } = columns
  const size = columns.parents.length
  const starts = addUp(columns.start_gaps)
  const rowsWithUsage = addUp(usage.gaps)
  const spread = (rows: Float64Array, values: readonly (number | null)[]) => {
    const column = new Float64Array(size).fill(Number.NaN)
    for (const [index, row] of rows.entries()) column[row] = values[index] ?? Number.NaN
    return column
  }
  const toMap = <Value>(rows: Float64Array, read: (index: number) => Value | null | undefined) => {
    const values = new Map<number, Value>()
    for (const [index, row] of rows.entries()) {
      const value = read(index)
      if (value !== null && value !== undefined) values.set(row, value)
    }
    return values
  }
  const promptTokens = spread(rowsWithUsage, usage.prompt_tokens)
  const completionTokens = spread(rowsWithUsage, usage.completion_tokens)
  const otherTokens = spread(rowsWithUsage, usage.other_tokens)
  return {
    size,
    ids: joinIds(fromBase64(columns.ids)),
    parents: Int32Array.from(columns.parents),
    missingParentIds: columns.missing_parent_ids,
    names: readCodes(columns.names),
    runTypes: readCodes(columns.run_types),
    statuses: readCodes(columns.statuses),
    models: readCodes(columns.models),
    startMicros: microsOf(columns.start_time),
    starts,
    ends: Float64Array.from(columns.durations, (duration, row) => (duration ?? Number.NaN) + at(starts, row)),
    firstTokens: spread(addUp(first_tokens.gaps), first_tokens.values).map((value, row) => value + at(starts, row)),
    errorPreviews: toMap(
      addUp(error_previews.gaps),
      (index) => error_previews.words[error_previews.codes[index] ?? -1],
    ),
    tags: toMap(addUp(tags.gaps), (index) => tags.values[index]),
    promptTokens,
    completionTokens,
    totalTokens: otherTokens.map((other, row) => other + countParts({ promptTokens, completionTokens }, row)),
    totalCosts: toMap(rowsWithUsage, (index) => usage.total_costs[index]),
    reportedCosts: new Set(addUp(columns.reported_costs)),
    unpricedFees: new Set(addUp(columns.unpriced_fees)),
    inputsBytes: Float64Array.from(columns.inputs_bytes),
    outputsBytes: Float64Array.from(columns.outputs_bytes),
  }
}

function findParents(rows: readonly TraceRunRow[]): Pick<TraceRunArrays, 'parents' | 'missingParentIds'> {
  const rowOf = new Map<string, number>()
  for (const [row, { id }] of rows.entries()) rowOf.set(id, row)
  const missing = new Map<string, number>()
  const parents = Int32Array.from(rows, ({ parent_run_id: id }) => {
    if (id === null) return NO_PARENT
    const row = rowOf.get(id)
    if (row !== undefined) return row
    const known = missing.get(id) ?? missing.size
    missing.set(id, known)
    return NO_PARENT - 1 - known
  })
  return { parents, missingParentIds: [...missing.keys()] }
}

function keepGiven<Value>(rows: readonly TraceRunRow[], read: (row: TraceRunRow) => Value | null): Map<number, Value> {
  const values = new Map<number, Value>()
  for (const [row, run] of rows.entries()) {
    const value = read(run)
    if (value !== null) values.set(row, value)
  }
  return values
}

function listRows(size: number, isWanted: (row: number) => boolean): number[] {
  const rows: number[] = []
  for (let row = 0; row < size; row++) if (isWanted(row)) rows.push(row)
  return rows
}

function listCodes<Word extends string>({ words, codes }: WordColumn<Word>) {
  return { words, codes: [...codes] }
}

function readCodes<Word extends string>({ words, codes }: { words: Word[]; codes: number[] }): WordColumn<Word> {
  return { words, codes: Uint32Array.from(codes) }
}

function toGaps(values: ArrayLike<number>): number[] {
  let last = 0
  return Array.from(values, (value) => {
    const gap = value - last
    last = value
    return gap
  })
}

function addUp(gaps: readonly number[]): Float64Array {
  let sum = 0
  return Float64Array.from(gaps, (gap) => {
    sum += gap
    return sum
  })
}

/** Prompt and completion tokens of a run. */
function countParts(
  { promptTokens, completionTokens }: Pick<TraceRunArrays, 'promptTokens' | 'completionTokens'>,
  row: number,
): number {
  return (promptTokens[row] || 0) + (completionTokens[row] || 0)
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}

function at(column: Float64Array, row: number): number {
  return column[row] ?? Number.NaN
}

const ID_BYTES = 16
const ID_CHARACTERS = 36
/** Position of each byte of an id in its text. */
const BYTE_POSITIONS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

/**
 * The bytes of ids by position. Ids of one trace begin with almost the same time (UUIDv7), so equal bytes come
 * together.
 */
function splitIds(ids: readonly string[]): Uint8Array {
  const bytes = new Uint8Array(ids.length * ID_BYTES)
  for (const [row, id] of ids.entries()) {
    for (let byte = 0; byte < ID_BYTES; byte++) {
      const position = BYTE_POSITIONS[byte] ?? 0
      bytes[byte * ids.length + row] = (hexDigit(id.charCodeAt(position)) << 4) | hexDigit(id.charCodeAt(position + 1))
    }
  }
  return bytes
}

/** All ids are written as one text, which is much faster than a text per id. */
function joinIds(bytes: Uint8Array): string[] {
  const size = bytes.length / ID_BYTES
  const characters = new Uint8Array(size * ID_CHARACTERS).fill(HYPHEN)
  for (let byte = 0; byte < ID_BYTES; byte++) {
    const position = BYTE_POSITIONS[byte] ?? 0
    for (let row = 0; row < size; row++) {
      const value = bytes[byte * size + row] ?? 0
      const target = row * ID_CHARACTERS + position
      characters[target] = HEX_DIGITS.charCodeAt(value >> 4)
      characters[target + 1] = HEX_DIGITS.charCodeAt(value & 15)
    }
  }
  const text = new TextDecoder().decode(characters)
  return Array.from({ length: size }, (_, row) => text.slice(row * ID_CHARACTERS, (row + 1) * ID_CHARACTERS))
}

const HEX_DIGITS = '0123456789abcdef'
const HYPHEN = 45

/** The value of a hexadecimal digit in lower case. */
function hexDigit(code: number): number {
  return code <= 57 ? code - 48 : code - 87
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let from = 0; from < bytes.length; from += MAX_ARGUMENTS) {
    text += String.fromCharCode(...bytes.subarray(from, from + MAX_ARGUMENTS))
  }
  return btoa(text)
}

/** A call takes its arguments from the stack. */
const MAX_ARGUMENTS = 8192

function fromBase64(base64: string): Uint8Array {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index)
  return bytes
}
