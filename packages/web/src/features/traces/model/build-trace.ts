import type { TraceColumns } from '@touchstone/contract'
import type { TraceRunArrays } from '@touchstone/contract/trace-columns'
import { bigintAt, floatAt, intAt } from '#lib/columns.ts'
import { drawnRunType } from '#lib/run-types.ts'
import { layOutFlame } from './flame-layout.ts'
import { foldSiblings, orderRuns } from './order-runs.ts'
import { computeSelfTimes } from './times.ts'
import { ERROR, ORPHAN, PENDING, packStrings, packWords, SKEWED, STATUSES, type Trace, type Words } from './trace.ts'

/** A run tree of the server with its columns decoded. */
export type RunTree = Omit<TraceColumns, 'runs'> & { runs: TraceRunArrays }

/** Builds the columns of the trace view. A pure function that handles orphans, rings and different clocks. */
export function buildTrace(tree: RunTree): Trace {
  const { runs } = tree
  const order = orderRuns(runs.parents, runs.starts)
  const { source, parent, depth, subtreeEnd, flags } = order
  const pickFloats = (column: Float64Array) => Float64Array.from(source, (run) => floatAt(column, run))
  const pickCounts = (column: Float64Array) => Float64Array.from(source, (run) => floatAt(column, run) || 0)
  const pickWords = ({ words, codes }: Words) => ({
    words,
    codes: Uint32Array.from(source, (run) => intAt(codes, run)),
  })

  const start = pickFloats(runs.starts)
  const recordedEnd = pickFloats(runs.ends)
  flagSkew(flags, parent, start, recordedEnd)
  // Nothing takes less than no time.
  const end = recordedEnd.map((micros, row) => Math.max(micros, floatAt(start, row)))

  const names = pickWords(runs.names)
  const types = pickWords(runs.runTypes)
  const status = pickStatuses(runs.statuses, source)
  const prompt = pickCounts(runs.promptTokens)
  const completion = pickCounts(runs.completionTokens)
  const reports = Uint8Array.from(source, (run) => (Number.isNaN(floatAt(runs.totalTokens, run)) ? 0 : 1))
  const llm = types.words.indexOf('llm')
  const isLlm = Uint8Array.from(types.codes, (code) => (code === llm ? 1 : 0))
  const costs = readCosts(runs, source)
  const sums = sumSubtrees(parent, { prompt, completion, status, reports, isLlm, ...costs })

  const lastKnown = latestOf(start, end)

  return {
    traceId: tree.trace_id,
    projectId: tree.session_id,
    version: tree.version,
    total: tree.total,
    size: runs.size,
    startMicros: runs.startMicros,
    duration: lastKnown,
    lastKnown,
    lostBefore: Number.NEGATIVE_INFINITY,
    ids: packStrings(Array.from(source, (run) => runs.ids[run] ?? '')),
    names,
    types,
    drawn: toDrawnTypes(types, names),
    models: pickWords(runs.models),
    errors: pickGiven(runs.errorPreviews, source),
    tags: pickGiven(runs.tags, source),
    status,
    flags,
    parent,
    depth,
    ...layOutFlame({ parent, subtreeEnd, start, end }),
    subtreeEnd,
    ...countSiblings(parent),
    start,
    end,
    firstToken: pickFloats(runs.firstTokens),
    selfTime: computeSelfTimes({ start, end, subtreeEnd }),
    promptTokens: prompt,
    completionTokens: completion,
    subtreePromptTokens: sums.prompt,
    subtreeCompletionTokens: sums.completion,
    subtreeCost: sums.cost,
    subtreeUnpriced: sums.unpriced,
    subtreeFees: sums.fees,
    subtreeReported: sums.reported,
    subtreeErrors: sums.errors,
    payloadBytes: Float64Array.from(source, (run) => floatAt(runs.inputsBytes, run) + floatAt(runs.outputsBytes, run)),
    folds: foldSiblings({ parent, subtreeEnd, names, types, start, end, status }),
    orphans: countFlag(flags, ORPHAN),
    skewed: countFlag(flags, SKEWED),
    pending: status.reduce((sum, one) => sum + (one === PENDING ? 1 : 0), 0),
  }
}

/** The buffers of a trace, to transfer to another thread instead of copying them. */
export function listBuffers(trace: Trace): ArrayBuffer[] {
  const columns = [
    ...Object.values(trace),
    ...Object.values(trace.folds),
    trace.ids.ends,
    ...[trace.names, trace.types, trace.drawn, trace.models].map((words) => words.codes),
  ]
  return columns.filter((value) => ArrayBuffer.isView(value)).map((view) => view.buffer as ArrayBuffer)
}

/** A child may start slightly before its parent is recorded; a millisecond is not worth a warning. */
const SKEW_MICROS = 1_000

function flagSkew(flags: Uint8Array, parent: Int32Array, start: Float64Array, end: Float64Array) {
  for (let row = 0; row < flags.length; row++) {
    const above = intAt(parent, row)
    const early = above !== -1 && floatAt(start, row) < floatAt(start, above) - SKEW_MICROS
    if (early || floatAt(end, row) < floatAt(start, row)) flags[row] = intAt(flags, row) | SKEWED
  }
}

function countSiblings(parent: Int32Array) {
  const children = new Int32Array(parent.length)
  const position = new Int32Array(parent.length)
  let tops = 0
  for (let row = 0; row < parent.length; row++) {
    const above = intAt(parent, row)
    if (above === -1) position[row] = ++tops
    else position[row] = children[above] = intAt(children, above) + 1
  }
  return { children, position, tops }
}

function readCosts({ totalCosts, reportedCosts, unpricedFees }: TraceRunArrays, source: Int32Array) {
  const cost = new BigInt64Array(source.length)
  const reported = new BigInt64Array(source.length)
  const priced = new Uint8Array(source.length)
  const fees = Uint8Array.from(source, (run) => Number(unpricedFees.has(run)))
  for (const [row, text] of pickGiven(totalCosts, source)) {
    const value = parsePicodollars(text)
    if (value === undefined) continue
    cost[row] = value
    priced[row] = 1
    if (reportedCosts.has(intAt(source, row))) reported[row] = value
  }
  return { cost, reported, priced, fees }
}

function pickStatuses({ words, codes }: TraceRunArrays['statuses'], source: Int32Array): Uint8Array {
  const statuses = words.map((word) => STATUSES.indexOf(word))
  return Uint8Array.from(source, (run) => statuses[intAt(codes, run)] ?? PENDING)
}

/** The name of a run is examined once, however many runs have it. */
function toDrawnTypes(types: Words, names: Words): Words {
  const ofChains = names.words.map((name) => drawnRunType({ run_type: 'chain', name }))
  const chain = types.words.indexOf('chain')
  return packWords(
    Array.from(types.codes, (code, row) =>
      code === chain ? (ofChains[intAt(names.codes, row)] ?? 'chain') : (types.words[code] ?? ''),
    ),
  )
}

function latestOf(start: Float64Array, end: Float64Array): number {
  let latest = 0
  for (let row = 0; row < start.length; row++) {
    latest = Math.max(latest, floatAt(start, row), Number.isNaN(floatAt(end, row)) ? 0 : floatAt(end, row))
  }
  return latest
}

/** Values by row instead of by the index of their run. */
function pickGiven<Value>(values: ReadonlyMap<number, Value>, source: Int32Array): Map<number, Value> {
  const picked = new Map<number, Value>()
  if (values.size === 0) return picked
  for (const [row, run] of source.entries()) {
    const value = values.get(run)
    if (value !== undefined) picked.set(row, value)
  }
  return picked
}

function countFlag(flags: Uint8Array, flag: number): number {
  return flags.reduce((sum, one) => sum + (one & flag ? 1 : 0), 0)
}

interface OwnUsage {
  prompt: Float64Array
  completion: Float64Array
  /** Picodollars; valid where `priced` is 1. */
  cost: BigInt64Array
  reported: BigInt64Array
  priced: Uint8Array
  /** 1 if the cost is without fees. */
  fees: Uint8Array
  /** 1 if the run reports usage. */
  reports: Uint8Array
  isLlm: Uint8Array
  status: Uint8Array
}

interface SubtreeUsage {
  prompt: Float64Array
  completion: Float64Array
  cost: BigInt64Array
  reported: BigInt64Array
  unpriced: Int32Array
  fees: Int32Array
  errors: Int32Array
}

/**
 * Adds tokens, costs and errors up the tree, by the same rule as the server: an llm run whose direct child reports
 * usage only repeats that usage and is not counted.
 *
 * @param parent  row of the parent, or -1; always smaller than the row itself
 */
function sumSubtrees(parent: Int32Array, own: OwnUsage): SubtreeUsage {
  const size = parent.length
  const sums: SubtreeUsage = {
    prompt: new Float64Array(size),
    completion: new Float64Array(size),
    cost: new BigInt64Array(size),
    reported: new BigInt64Array(size),
    unpriced: new Int32Array(size),
    fees: new Int32Array(size),
    errors: new Int32Array(size),
  }
  const repeats = new Uint8Array(size)
  // Children follow their parent, so walking backwards visits every child before its parent.
  for (let row = size - 1; row >= 0; row--) {
    addOwn(sums, own, row, repeats[row] === 1)
    const above = intAt(parent, row)
    if (above === -1) continue
    if (own.reports[row] && own.isLlm[above]) repeats[above] = 1
    sums.prompt[above] = floatAt(sums.prompt, above) + floatAt(sums.prompt, row)
    sums.completion[above] = floatAt(sums.completion, above) + floatAt(sums.completion, row)
    sums.cost[above] = bigintAt(sums.cost, above) + bigintAt(sums.cost, row)
    sums.reported[above] = bigintAt(sums.reported, above) + bigintAt(sums.reported, row)
    sums.unpriced[above] = intAt(sums.unpriced, above) + intAt(sums.unpriced, row)
    sums.fees[above] = intAt(sums.fees, above) + intAt(sums.fees, row)
    sums.errors[above] = intAt(sums.errors, above) + intAt(sums.errors, row)
  }
  return sums
}

function addOwn(sums: SubtreeUsage, own: OwnUsage, row: number, isRepetition: boolean) {
  if (own.status[row] === ERROR) sums.errors[row] = intAt(sums.errors, row) + 1
  if (isRepetition) return
  sums.prompt[row] = floatAt(sums.prompt, row) + floatAt(own.prompt, row)
  sums.completion[row] = floatAt(sums.completion, row) + floatAt(own.completion, row)
  sums.reported[row] = bigintAt(sums.reported, row) + bigintAt(own.reported, row)
  sums.fees[row] = intAt(sums.fees, row) + (own.fees[row] ?? 0)
  if (own.priced[row]) sums.cost[row] = bigintAt(sums.cost, row) + bigintAt(own.cost, row)
  else if (floatAt(own.prompt, row) + floatAt(own.completion, row) > 0)
    sums.unpriced[row] = intAt(sums.unpriced, row) + 1
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

/**
 * Parses a decimal string to picodollars without a float. Digits beyond the twelfth are rounded half up; the finest
 * public prices per token need ten.
 *
 * @returns undefined when the text is not a decimal
 */
export function parsePicodollars(cost: string): bigint | undefined {
  const match = DECIMAL.exec(cost.trim())
  if (!match || (!match[2] && !match[3])) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const shift = 12 + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : roundedDivision(digits, 10n ** BigInt(-shift))
  return sign === '-' ? -value : value
}

function roundedDivision(value: bigint, by: bigint): bigint {
  return (value + by / 2n) / by
}
