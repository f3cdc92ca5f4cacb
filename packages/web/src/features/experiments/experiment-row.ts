import { MODEL_FIELDS, MODEL_METADATA } from '@touchstone/formats/models'
import type { TracerSessionResult as Project } from '@touchstone/sdk'

/** The mean score of one feedback key. */
export interface KeyMean {
  readonly mean: number
  /** Number of scores. */
  readonly count: number
  /** Half the width of its 95 % interval; undefined below two examples, and for a score of the whole experiment. */
  readonly margin: number | undefined
  /** Whether it is a score of the experiment as a whole, as summary evaluators give it. */
  readonly isOfExperiment: boolean
}

/** Figures of an experiment, or of a group of experiments. Unknown figures are undefined. */
export interface Figures {
  readonly runCount: number
  readonly latencyP50Ms: number | undefined
  readonly latencyP99Ms: number | undefined
  readonly tokens: number | undefined
  readonly cost: number | undefined
  /** The part of the cost that the client reported, because no price is known. */
  readonly reportedCost: number | undefined
  /** Calls whose cost is without their fees. */
  readonly unpricedFees: number | undefined
  /** 0 to 1. */
  readonly errorRate: number | undefined
  readonly feedback: ReadonlyMap<string, KeyMean>
}

export interface ExperimentRow {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly createdAt: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** Time of the dataset version that it ran over. */
  readonly version: string | undefined
  readonly model: string | undefined
  readonly prompt: string | undefined
  readonly repetitions: number
  readonly figures: Figures
  readonly progress: Progress
}

/** How far an experiment is. */
export interface Progress {
  /** `stopped`: nothing has arrived for ten minutes, and runs or scores are missing. */
  readonly state: 'running' | 'stopped' | 'done'
  readonly runCount: number
  /** Examples times repetitions; undefined when not known. */
  readonly expected: number | undefined
  /** Whether `expected` was computed from today's number of examples, because the client announced none. */
  readonly isEstimate: boolean
  /** Share of the scores that evaluators announced, 0 to 1; undefined when none was announced. */
  readonly scored: number | undefined
}

export interface RowContext {
  /** Epoch milliseconds. */
  readonly now: number
  /** Examples that the dataset has today. */
  readonly exampleCount: number | undefined
}

export function toExperimentRow(project: Project, context: RowContext): ExperimentRow {
  const metadata = readMetadata(project)
  const repetitions = readCount(metadata.num_repetitions) ?? 1
  return {
    id: project.id,
    name: project.name,
    description: project.description ?? null,
    createdAt: project.start_time,
    metadata,
    version: typeof metadata.dataset_version === 'string' ? metadata.dataset_version : undefined,
    model: findText(metadata, MODEL_KEYS),
    prompt: findPrompt(metadata),
    repetitions,
    figures: toFigures(project, repetitions),
    progress: findProgress(project, repetitions, context),
  }
}

function readMetadata({ extra }: Project): Readonly<Record<string, unknown>> {
  const metadata = extra?.metadata
  return typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>) : {}
}

function readCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}

/** Metadata keys that programs use for the model of an experiment. */
const MODEL_KEYS = ['model', 'models', ...MODEL_FIELDS, MODEL_METADATA, 'llm']
const PROMPT_KEYS = ['prompt', 'prompts', 'prompt_name', 'lc_hub_repo']
const COMMIT_KEYS = ['prompt_commit', 'prompt_version', 'lc_hub_commit_hash']

function findText(metadata: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = metadata[key]
    if (value !== undefined && value !== null && value !== '') return printMetadata(value)
  }
  return undefined
}

/** The name of the prompt with its commit. */
function findPrompt(metadata: Readonly<Record<string, unknown>>): string | undefined {
  const [name, commit] = [findText(metadata, PROMPT_KEYS), findText(metadata, COMMIT_KEYS)?.slice(0, 8)]
  return name !== undefined && commit !== undefined ? `${name}:${commit}` : (name ?? commit)
}

/** A value of metadata as text: strings as they are, lists of strings with commas, everything else as JSON. */
export function printMetadata(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ')
  return JSON.stringify(value)
}

/** The value of metadata at a path; undefined when there is none. */
export function readMetadataAt(row: ExperimentRow, path: readonly (string | number)[]): unknown {
  let value: unknown = row.metadata
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string | number, unknown>)[step]
  }
  return value
}

function toFigures(project: Project, repetitions: number): Figures {
  const cost = project.total_cost == null ? Number.NaN : Number(project.total_cost)
  return {
    runCount: project.run_count ?? 0,
    latencyP50Ms: toMs(project.latency_p50),
    latencyP99Ms: toMs(project.latency_p99),
    tokens: project.total_tokens ?? undefined,
    cost: Number.isNaN(cost) ? undefined : cost,
    reportedCost: project.reported_cost == null ? undefined : Number(project.reported_cost),
    unpricedFees: project.unpriced_fees ?? undefined,
    errorRate: project.error_rate ?? undefined,
    feedback: new Map([
      ...readMeans(project.session_feedback_stats, repetitions, true),
      ...readMeans(project.feedback_stats, repetitions, false),
    ]),
  }
}

function toMs(seconds: number | null | undefined): number | undefined {
  return seconds == null ? undefined : seconds * 1000
}

function readMeans(
  stats: Project['feedback_stats'],
  repetitions: number,
  isOfExperiment: boolean,
): [string, KeyMean][] {
  return Object.entries(stats ?? {}).flatMap(([key, { avg, n, stdev }]): [string, KeyMean][] => {
    if (avg == null) return []
    const margin = isOfExperiment ? undefined : computeMargin(stdev, n, repetitions)
    return [[key, { mean: avg, count: n, margin, isOfExperiment }]]
  })
}

const SILENT_AFTER_MS = 10 * 60_000

function findProgress(project: Project, repetitions: number, { now, exampleCount }: RowContext): Progress {
  const announced = project.experiment_progress
  const runCount = project.run_count ?? 0
  const hasEnded = project.end_time !== null && project.end_time !== undefined
  const estimate = hasEnded || !exampleCount ? undefined : exampleCount * repetitions
  const expected = announced?.expected_run_count ?? estimate
  const shares = Object.values(announced?.evaluator_progress ?? {})
  const hasAllRuns = expected !== undefined && runCount >= expected
  // An evaluator may score under another key than the announced one: then its own key stays without any score.
  const counted = hasAllRuns ? shares.filter((share) => share > 0) : shares
  const scored = counted.length === 0 ? undefined : Math.min(...counted)
  const isComplete = hasAllRuns && (scored ?? 1) >= 1
  const lastSign = Math.max(Date.parse(project.start_time), Date.parse(project.last_run_start_time ?? '') || 0)
  const isSilent = hasEnded || now - lastSign > SILENT_AFTER_MS
  // Without announced numbers it is not known whether a silent experiment is complete.
  const isMissingRuns = announced != null && !isComplete
  const state = isComplete ? 'done' : !isSilent ? 'running' : isMissingRuns ? 'stopped' : 'done'
  return { state, runCount, expected, isEstimate: announced == null && expected !== undefined, scored }
}

const Z = 1.959964
/** 97.5 % quantiles of Student's t for 1 to 5 degrees of freedom, where the expansion below is too coarse. */
const SMALL = [12.706, 4.303, 3.182, 2.776, 2.571]

/** The 97.5 % quantile of Student's t, to three digits (Cornish-Fisher expansion around the normal quantile). */
export function getT975(degrees: number): number {
  const exact = SMALL[degrees - 1]
  if (exact !== undefined) return exact
  const first = (Z ** 3 + Z) / 4
  const second = (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96
  const third = (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384
  return Z + first / degrees + second / degrees ** 2 + third / degrees ** 3
}

/**
 * Half the width of the 95 % interval of a mean. Repetitions of an example are not independent, so they count as one
 * observation: the interval is too wide rather than too narrow.
 *
 * @param count        number of scores
 * @param repetitions  scores per example
 * @returns undefined below two examples
 */
export function computeMargin(
  deviation: number | null | undefined,
  count: number,
  repetitions: number,
): number | undefined {
  const examples = Math.floor(count / Math.max(1, repetitions))
  if (deviation == null || examples < 2) return undefined
  return (getT975(examples - 1) * deviation) / Math.sqrt(examples)
}
