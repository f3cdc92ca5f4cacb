import { csvHeader, csvLine } from '@touchstone/contract/csv-line'
import type { ModelUsage } from '@touchstone/sdk'
import type { MODEL_SORTS } from '#lib/page-search.ts'
import { type SortKey, sortRows } from '#lib/row-sort.ts'

type Figures = Omit<ModelUsage, 'model' | 'provider' | 'projects'>

export type ModelSort = (typeof MODEL_SORTS)[number]

const KEYS: Readonly<Record<ModelSort, SortKey<ModelUsage>>> = {
  name: (usage) => getModelName(usage).toLowerCase(),
  runs: (usage) => usage.run_count,
  prompt: (usage) => usage.prompt_tokens,
  completion: (usage) => usage.completion_tokens,
  tokens: (usage) => usage.total_tokens,
  cost: (usage) => (usage.total_cost === null ? null : Number(usage.total_cost)),
}

export const getModelName = ({ model }: Pick<ModelUsage, 'model'>) => model ?? 'No model'

/** @param sort  a column, with `-` in front for descending */
export function sortModels(models: readonly ModelUsage[], sort: string): ModelUsage[] {
  return sortRows(models, sort, KEYS, getModelName)
}

/** What stands before a cost: `≥ ` when the cost of some runs is not known. A cost without fees has this mark itself. */
export function getCostPrefix({ total_cost, unpriced_run_count, unpriced_fees }: Figures): string {
  return total_cost !== null && unpriced_run_count > 0 && !unpriced_fees ? '≥ ' : ''
}

/** The filter that finds the runs of a model. */
export function toModelFilter({ model }: Pick<ModelUsage, 'model'>): string {
  return `eq(model, ${JSON.stringify(model)})`
}

const HEADER = [
  'model',
  'provider',
  'project',
  'runs',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'cost_usd',
  'reported_cost_usd',
  'runs_without_cost',
  'calls_without_fees',
]

/** A line per model and project; an unknown cost is empty. */
export function printModelUsage(models: readonly ModelUsage[]): string[] {
  const lines = models.flatMap(({ model, provider, projects }) =>
    projects.map((of) => [
      model ?? '',
      provider ?? '',
      of.session_name,
      ...[of.run_count, of.prompt_tokens, of.completion_tokens, of.total_tokens].map(String),
      of.total_cost ?? '',
      of.reported_cost ?? '',
      String(of.unpriced_run_count),
      String(of.unpriced_fees ?? 0),
    ]),
  )
  return [csvHeader(HEADER, 'spreadsheet'), ...lines.map((line) => csvLine(line, 'spreadsheet'))]
}
