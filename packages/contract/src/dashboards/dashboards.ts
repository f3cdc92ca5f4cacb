import { z } from 'zod'
import { FilterError, parseFilter, RUN_FILTERS } from '../filter/index.ts'
import * as routes from '../routes.ts'
import { RunGrouping } from '../runs/stats.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'
import { identifierText, repairedText } from '../wire/text.ts'
import { CHART_METRICS } from './chart-metrics.ts'

export const CHART_KINDS = ['line', 'bar', 'table'] as const
/** Width of a chart: one, two, or all columns of the page. */
export const CHART_SIZES = ['small', 'wide', 'full'] as const

const FilterText = repairedText(10_000).superRefine((text, context) => {
  try {
    parseFilter(text, RUN_FILTERS)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    context.addIssue({ code: 'custom', message: error.message })
  }
})

/** One chart: a metric of the matching runs, optionally by group. Its data is read when the chart is shown. */
export const DashboardChart = z
  .object({
    /** Unique in its dashboard; set by the caller. */
    id: repairedText(64).min(1),
    /** Absent: the UI generates a title. */
    title: repairedText(200).nullish(),
    metric: z.enum(CHART_METRICS),
    /** Feedback key whose mean `feedback` shows. */
    feedback_key: repairedText(180).nullish(),
    /** Root runs, or all runs. */
    scope: z.enum(['traces', 'runs']).default('traces'),
    /** Combined with the filter of the page. */
    filter: FilterText.nullish(),
    group_by: RunGrouping.refine(
      ({ path }) => identifierText(1000).nullish().safeParse(path).success,
      'cannot be stored',
    ).nullish(),
    kind: z.enum(CHART_KINDS).default('line'),
    size: z.enum(CHART_SIZES).default('small'),
  })
  .refine((chart) => chart.metric !== 'feedback' || Boolean(chart.feedback_key), {
    message: 'a chart of feedback needs feedback_key',
    path: ['feedback_key'],
  })
export type DashboardChart = z.output<typeof DashboardChart>

const Charts = z
  .array(DashboardChart)
  .max(60)
  .refine((charts) => new Set(charts.map((chart) => chart.id)).size === charts.length, {
    message: 'ids of charts repeat',
  })
const Name = repairedText(200).trim().min(1, 'is empty')

/** An ordered page of charts, of one project or of the whole workspace. */
export const Dashboard = z.object({
  id: z.string(),
  tenant_id: z.string(),
  /** Null: belongs to the workspace and is offered in every project. */
  session_id: z.string().nullable(),
  name: z.string(),
  charts: z.array(DashboardChart),
  created_at: z.string(),
  modified_at: z.string(),
})
export type Dashboard = z.infer<typeof Dashboard>

export const DashboardCreate = z.object({ name: Name, session_id: Uuid.nullish(), charts: Charts.default([]) })
export type DashboardCreate = z.output<typeof DashboardCreate>

/** Absent fields stay unchanged; `charts` replaces all charts. */
export const DashboardUpdate = z.object({
  name: Name.nullish(),
  charts: Charts.nullish(),
  /** The value that was read; after a later change by another caller the answer is 409. Absent: the last write wins. */
  modified_at: z.string().nullish(),
  /** What the change is based on, field by field: 409 when a field has another value by now; its problems name these fields. */
  expected: z.object({ name: z.string(), charts: Charts }).partial().nullish(),
})
export type DashboardUpdate = z.output<typeof DashboardUpdate>

const tag = 'dashboards'
const params = z.object({ dashboard_id: Uuid })

export const dashboardRoutes = describeRoutes(routes.dashboards, tag, {
  create: {
    extension: true,
    summary: 'Save charts under a name; 409 when the project or the workspace has one of that name',
    body: DashboardCreate,
    answer: Dashboard,
  },
  list: {
    extension: true,
    summary: 'Dashboards by name: of the workspace, and of a project when one is given',
    query: z.object({ session_id: Uuid.optional() }),
    answer: z.array(Dashboard),
  },
  read: {
    extension: true,
    summary: 'One dashboard',
    params,
    answer: Dashboard,
  },
  update: {
    extension: true,
    summary: 'Rename a dashboard, or replace its charts; 409 when it was changed since it was read',
    params,
    body: DashboardUpdate,
    answer: Dashboard,
  },
  delete: {
    extension: true,
    summary: 'Delete a dashboard; the runs that it showed stay',
    params,
    status: 204,
  },
})
