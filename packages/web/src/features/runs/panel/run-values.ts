import type { Run } from '@touchstone/contract'
import type { Filter } from '@touchstone/contract/filter'
import { findModelName } from '@touchstone/formats/models'
import { readRequestFees, readRunUsage } from '@touchstone/formats/usage'
import { parsePicodollars } from '#features/traces/model/build-trace.ts'
import { formatPicodollars } from '#features/traces/model/trace.ts'
import { formatCost, formatTokenPair, pluralize, UNKNOWN } from '#lib/format.ts'

/** A class of tokens with its price and cost. */
export interface UsageRow {
  label: string
  tokens: number | undefined
  /** Decimal dollars; undefined without a known price. */
  cost: string | undefined
  /** Belongs to the row above. */
  isPart: boolean
  /** Sum of tokens with different prices, so it has no price. */
  isSum: boolean
}

const CLASS_LABELS: ReadonlyMap<string, string> = new Map([
  ['cache_read', 'cached'],
  ['cache_creation', 'cache writes'],
  ['ephemeral_5m_input_tokens', 'cache writes, 5 min'],
  ['ephemeral_1h_input_tokens', 'cache writes, 1 h'],
  ['ephemeral_1hr_input_tokens', 'cache writes, 1 h'],
])

/** Tokens and costs of a run by class; empty if it reports neither. */
export function buildUsageRows(run: Run): UsageRow[] {
  const total = toUsageRow('Total', run.total_tokens, run.total_cost)
  if (!total.tokens && total.cost === undefined) return []
  return [
    ...buildSideRows(
      toUsageRow('Prompt', run.prompt_tokens, run.prompt_cost),
      run.prompt_token_details,
      run.prompt_cost_details,
    ),
    ...buildSideRows(
      toUsageRow('Completion', run.completion_tokens, run.completion_cost),
      run.completion_token_details,
      run.completion_cost_details,
    ),
    { ...total, isSum: true },
  ]
}

const MOST_DECIMALS = 12

/**
 * The costs of the rows as text, all with the same decimals: at least four and two digits of the smallest cost, and the
 * fewest from there with which the printed lines add up to the printed sums. Zeros at the end of all are left out.
 *
 * @returns by row; `-` where the cost is unknown
 */
export function formatRowCosts(rows: readonly UsageRow[]): string[] {
  const smallest = Math.min(...rows.map(({ cost }) => Math.abs(Number(cost ?? 0)) || 1))
  const least = Math.min(Math.max(4, 1 - Math.floor(Math.log10(smallest))), MOST_DECIMALS)
  let decimals = least
  while (decimals < MOST_DECIMALS && !addsUp(rows, decimals)) decimals++
  // Costs that were reported, not computed, may not add up at all.
  if (!addsUp(rows, decimals)) decimals = least
  const texts = rows.map(({ cost }) => (cost === undefined ? UNKNOWN : `$${Number(cost).toFixed(decimals)}`))
  const zeros = Math.min(...texts.map((text) => (text === UNKNOWN ? decimals : (/0*$/.exec(text)?.[0].length ?? 0))))
  const dropped = Math.min(zeros, decimals - 2)
  return texts.map((text) => (text === UNKNOWN || dropped === 0 ? text : text.slice(0, -dropped)))
}

/** Whether prompt and completion add up to the total, and their classes to each of them, as they are printed. */
function addsUp(rows: readonly UsageRow[], decimals: number): boolean {
  const printed = ({ cost = '0' }: UsageRow) => parsePicodollars(Number(cost).toFixed(decimals)) ?? 0n
  const sum = (lines: readonly UsageRow[]) => lines.reduce((total, line) => total + printed(line), 0n)
  const sides = rows.slice(0, -1).filter(({ isPart }) => !isPart)
  const isKnown = sides.every(({ cost }) => cost !== undefined)
  const isTotal = !isKnown || rows.slice(-1).every((row) => sum(sides) === printed(row))
  return isTotal && sides.every((side) => !side.isSum || sum(listParts(rows, side)) === printed(side))
}

/** The rows between one side and the next. */
function listParts(rows: readonly UsageRow[], side: UsageRow): UsageRow[] {
  const from = rows.indexOf(side) + 1
  return rows.slice(from, from + rows.slice(from).findIndex(({ isPart }) => !isPart))
}

/** Dollars per million tokens, as a decimal. */
export function pricePerMillion({ tokens, cost }: UsageRow): string | undefined {
  if (!tokens || cost === undefined) return undefined
  return String(Number(((Number(cost) / tokens) * 1e6).toPrecision(6)))
}

/** Why a run has no cost; undefined if it has one. */
export function unknownCostReason(run: Run): string | undefined {
  if (run.total_cost !== null && run.total_cost !== undefined) return undefined
  if (!run.total_tokens) return 'no tokens were reported'
  const model = findRunModel(run)
  if (model === undefined && run.run_type !== 'llm' && run.run_type !== 'embedding')
    return 'no price for the models below it'
  return model === undefined ? 'the run has no model name' : `no price for model ${model}`
}

/**
 * Whether the cost of a run is what the program or its provider reported: given with its usage, or where no price is known. The
 * cost of a run includes the runs below, so a run without a price of its own may still have a computed cost.
 */
export function hasReportedCost(run: Run): boolean {
  if (run.price_model_id || run.total_cost === null || run.total_cost === undefined) return false
  const usage = readRunUsage(run.extra, run.outputs)
  if (usage === undefined) return false
  const { input, output, total } = usage.given
  if ([input, output, total].some((cost) => cost !== undefined && cost !== null)) return true
  return usage.reportedCost !== undefined && Number(usage.reportedCost) === Number(run.total_cost)
}

/** The mark of a cost that was reported in whole or in part, such as ` ($0.50 reported)`; '' for one that was computed. */
export function formatReportedMark(run: Run): string {
  if (hasReportedCost(run)) return ' (cost reported)'
  const { total_cost: total, reported_cost: reported } = run
  if (total == null || reported == null || Number(reported) === 0) return ''
  return Number(reported) === Number(total) ? ' (cost reported)' : ` (${formatCost(reported)} reported)`
}

const FEE_NAMES: Readonly<Record<string, readonly [one: string, more: string]>> = {
  web_searches: ['web search', 'web searches'],
  file_searches: ['file search', 'file searches'],
  search_sources: ['search source', 'search sources'],
  grounded_requests: ['search for grounding', 'searches for grounding'],
  code_interpreter_calls: ['code interpreter call', 'code interpreter calls'],
  generated_images: ['generated image', 'generated images'],
  citation_tokens: ['citation token', 'citation tokens'],
  requests: ['request fee', 'request fees'],
}

/**
 * What a model call was charged for beside its tokens and its cost does not contain, such as `2 web searches`, or how many calls
 * below a run have such fees; undefined when the cost is complete as far as is known.
 */
export function formatUnpricedFees(run: Run): string | undefined {
  if (run.total_cost == null || hasReportedCost(run)) return undefined
  const fees = Object.entries(readRequestFees(run.extra, run.outputs)).map(([name, count]) => {
    const [one, more] = FEE_NAMES[name] ?? [name.replaceAll('_', ' '), name.replaceAll('_', ' ')]
    return `${count.toLocaleString('en-US')} ${count === 1 ? one : more}`
  })
  if (fees.length > 0) return fees.join(', ')
  return run.unpriced_fees ? `fees of ${pluralize(run.unpriced_fees, 'call')}` : undefined
}

/** A reported cost that differs by more from the computed one is a hint at a wrong price or wrong tokens. */
const LIKELY_DIFFERENCE = 0.05

/**
 * What the program reported and no total contains: tokens that sum up other calls, a cost that was computed here.
 *
 * @returns such as `113 → 11 tokens · $0.25, 12% more than computed`; undefined if it reported neither
 */
export function formatReportedUsage(run: Run): string | undefined {
  const otel = run.extra?.otel as { aggregate_usage?: unknown } | null | undefined
  const input = readNumber(otel?.aggregate_usage, 'input_tokens')
  const output = readNumber(otel?.aggregate_usage, 'output_tokens')
  const tokens = input === undefined && output === undefined ? [] : [`${formatTokenPair(input, output)} tokens`]
  return [...tokens, ...formatReportedCost(run)].join(' · ') || undefined
}

/** Why the tokens that a run reports are in no sum, for its mark; undefined when they count. */
export function explainRepeat({ repeats_usage: repeats }: Pick<Run, 'repeats_usage'>): string | undefined {
  if (repeats === 'below') return 'Runs below this one report the same tokens and cost. They count there, once.'
  if (repeats === 'beside')
    return 'Another run of this trace reports the same call. Its tokens and cost count there, once.'
  return undefined
}

function formatReportedCost(run: Run): string[] {
  const otel = run.extra?.otel as { reported_cost?: unknown } | null | undefined
  // The sum of an agent is not read as its cost, and is shown.
  const cost = readNumber(otel?.reported_cost, 'total') ?? toCost(readRunUsage(run.extra, run.outputs)?.reportedCost)
  if (cost === undefined || hasReportedCost(run)) return []
  const computed = Number(run.total_cost ?? 0)
  const difference = computed > 0 ? cost / computed - 1 : 0
  if (Math.abs(difference) <= LIKELY_DIFFERENCE) return [formatCost(String(cost))]
  const percent = Math.round(Math.abs(difference) * 100)
  return [`${formatCost(String(cost))}, ${percent}% ${difference > 0 ? 'more' : 'less'} than computed`]
}

/** Of a number or decimal text. */
function toCost(amount: unknown): number | undefined {
  const cost = typeof amount === 'string' && amount !== '' ? Number(amount) : amount
  return typeof cost === 'number' && cost >= 0 ? cost : undefined
}

function readNumber(object: unknown, key: string): number | undefined {
  const value = (object as Record<string, unknown> | null | undefined)?.[key]
  return typeof value === 'number' && value >= 0 ? value : undefined
}

/** The model that a run is priced by. The inputs of a call of a model may be its request, which names it. */
export function findRunModel(run: Pick<Run, 'extra' | 'run_type'> & { readonly inputs?: unknown }): string | undefined {
  const isModelCall = run.run_type === 'llm' || run.run_type === 'embedding'
  return findModelName({ extra: run.extra, inputs: isModelCall ? run.inputs : undefined })
}

type Amounts<Value> = Record<string, Value> | null | undefined

/**
 * Rows for prompt or completion: the sum, its classes and, if a class has its own price, the rest at the base price.
 */
function buildSideRows(sum: UsageRow, tokens: Amounts<number>, costs: Amounts<string>): UsageRow[] {
  const keys = [...new Set([...Object.keys(tokens ?? {}), ...Object.keys(costs ?? {})])]
  const parts = keys.map((key) => ({
    ...toUsageRow(CLASS_LABELS.get(key) ?? key.replaceAll('_', ' '), tokens?.[key], costs?.[key]),
    isPart: true,
  }))
  const priced = parts.flatMap(({ tokens, cost }) => (cost === undefined ? [] : [{ tokens, cost }]))
  if (priced.length === 0 || sum.cost === undefined) return [sum, ...parts]
  const restTokens = (sum.tokens ?? 0) - priced.reduce((count, part) => count + (part.tokens ?? 0), 0)
  const restCost = priced.reduce(
    (cost, part) => cost - (parsePicodollars(part.cost) ?? 0n),
    parsePicodollars(sum.cost) ?? 0n,
  )
  const rest = { ...toUsageRow('at the base price', restTokens, formatPicodollars(restCost)), isPart: true }
  return [{ ...sum, isSum: true }, ...parts, rest]
}

function toUsageRow(label: string, tokens: number | null | undefined, cost: string | null | undefined): UsageRow {
  return { label, tokens: tokens ?? undefined, cost: cost ?? undefined, isPart: false, isSum: false }
}

/** The prompt commit used by a run. Clients write it into the metadata when they pull a prompt. */
export interface PromptCommit {
  /** `owner/name`, or only the name if the workspace owns the prompt. */
  prompt: string
  /** Full hash. */
  hash: string
  /** Matches the runs of the same commit. */
  filter: Filter
}

/** @returns undefined if the run has no prompt or no commit hash */
export function findPromptCommit(run: Run): PromptCommit | undefined {
  const metadata = (run.extra?.metadata ?? {}) as Record<string, unknown>
  const { lc_hub_owner: owner, lc_hub_repo: repo, lc_hub_commit_hash: hash } = metadata
  if (typeof repo !== 'string' || typeof hash !== 'string' || repo === '' || hash === '') return undefined
  const isOwn = typeof owner !== 'string' || owner === '' || owner === '-'
  return { prompt: isOwn ? repo : `${owner}/${repo}`, hash, filter: toCommitFilter(hash) }
}

function toCommitFilter(hash: string): Filter {
  return {
    op: 'and',
    args: [
      { op: 'eq', field: 'metadata_key', value: 'lc_hub_commit_hash' },
      { op: 'eq', field: 'metadata_value', value: hash },
    ],
  }
}
