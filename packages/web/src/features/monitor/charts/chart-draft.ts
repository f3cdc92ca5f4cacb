import type { ChartMetric, DashboardChart, RunGrouping } from '@touchstone/contract'
import { CHART_METRICS } from '@touchstone/contract/chart-metrics'
import { FilterError, parseFilter } from '@touchstone/contract/filter'
import { parseGrouping } from '#lib/page-search.ts'
import { getChartLabel } from '../logic/metrics.ts'

type Option<Value extends string> = readonly [value: Value, label: string]

export const METRIC_OPTIONS: readonly Option<ChartMetric>[] = CHART_METRICS.map((metric) => [
  metric,
  metric === 'feedback' ? 'Feedback' : getChartLabel({ metric }),
])
export const SCOPE_OPTIONS: readonly Option<DashboardChart['scope']>[] = [
  ['traces', 'Traces (root runs)'],
  ['runs', 'All runs'],
]
export const KIND_OPTIONS: readonly Option<DashboardChart['kind']>[] = [
  ['line', 'Lines'],
  ['bar', 'Bars'],
  ['table', 'Table'],
]
export const SIZE_OPTIONS: readonly Option<DashboardChart['size']>[] = [
  ['small', 'One column'],
  ['wide', 'Two columns'],
  ['full', 'Full width'],
]
/** `none`: the grouping of the page. */
type GroupChoice = 'none' | RunGrouping['attribute']
export const GROUP_OPTIONS: readonly Option<GroupChoice>[] = [
  ['none', 'Page default'],
  ['model', 'Model'],
  ['name', 'Name'],
  ['tag', 'Tag'],
  ['run_type', 'Type'],
  ['metadata', 'Metadata'],
]

/** A chart while it is edited: text fields instead of null. */
export interface ChartDraft extends Pick<DashboardChart, 'id' | 'metric' | 'scope' | 'kind' | 'size'> {
  title: string
  filter: string
  feedbackKey: string
  group: GroupChoice
  metadataKey: string
}

export function toChartDraft(chart: DashboardChart): ChartDraft {
  const { id, metric, scope, kind, size, group_by: grouping } = chart
  return {
    id,
    metric,
    scope,
    kind,
    size,
    title: chart.title ?? '',
    filter: chart.filter ?? '',
    feedbackKey: chart.feedback_key ?? '',
    group: grouping?.attribute ?? 'none',
    metadataKey: grouping?.attribute === 'metadata' ? (grouping.path ?? '') : '',
  }
}

export function toChart(draft: ChartDraft): DashboardChart {
  const { id, metric, scope, kind, size } = draft
  return {
    id,
    metric,
    scope,
    kind: metric === 'errors' ? 'table' : kind,
    size,
    title: draft.title.trim() || null,
    filter: draft.filter.trim() || null,
    feedback_key: metric === 'feedback' ? draft.feedbackKey : null,
    group_by: toGrouping(draft),
  }
}

function toGrouping({ group, metadataKey }: ChartDraft): RunGrouping | null {
  if (group === 'none') return null
  return group === 'metadata' ? { attribute: 'metadata', path: metadataKey } : (parseGrouping(group) ?? null)
}

/** Why the filter is invalid, or undefined. */
export function findFilterProblem(filter: string): string | undefined {
  try {
    parseFilter(filter)
    return undefined
  } catch (error) {
    if (error instanceof FilterError) return error.message
    throw error
  }
}

export const needsFeedbackKey = (draft: ChartDraft) => draft.metric === 'feedback' && draft.feedbackKey === ''

/** Whether all required fields are set and the filter is valid. */
export function isCompleteChart(draft: ChartDraft): boolean {
  const needsMetadataKey = draft.group === 'metadata' && draft.metadataKey === ''
  return !needsFeedbackKey(draft) && !needsMetadataKey && findFilterProblem(draft.filter) === undefined
}

/** The settings of a chart in lines, to compare two versions of it. */
export function printChart(chart: DashboardChart | undefined): string {
  if (chart === undefined) return 'Removed'
  const { metric, scope, kind, size, title, filter, feedback_key: key, group_by: grouping } = chart
  const nameIn = <Value extends string>(options: readonly Option<Value>[], value: Value) =>
    options.find(([one]) => one === value)?.[1] ?? value
  return [
    `Metric: ${nameIn(METRIC_OPTIONS, metric)}${key ? ` of ${key}` : ''}`,
    `Scope: ${nameIn(SCOPE_OPTIONS, scope)}`,
    `Chart type: ${nameIn(KIND_OPTIONS, kind)}`,
    `Group by: ${nameIn(GROUP_OPTIONS, grouping?.attribute ?? 'none')}${grouping?.path ? ` ${grouping.path}` : ''}`,
    `Width: ${nameIn(SIZE_OPTIONS, size)}`,
    `Filter: ${filter ?? ''}`,
    `Title: ${title ?? ''}`,
  ].join('\n')
}
