import * as z from 'zod/mini'
import { flag, optional } from './search-schema.ts'

/** The visualizations of a trace, in the order of their keys, Shift 1 to 5. */
export const TRACE_VIEWS = ['tree', 'waterfall', 'flame', 'graph', 'thread'] as const
export type TraceViewName = (typeof TRACE_VIEWS)[number]

/** What the colors of a trace show. */
export const COLOR_BYS = ['type', 'latency', 'cost', 'model'] as const
export type ColorBy = (typeof COLOR_BYS)[number]

/** The view state of a trace in the URL, for signed-in and public pages. */
export const TraceSearch = z.object({
  v: optional(z.enum(TRACE_VIEWS)),
  tab: optional(z.string()),
  path: optional(z.string()),
  q: optional(z.string()),
  types: optional(z.string().check(z.regex(/^[\w-]+(,[\w-]+)*$/))),
  short: flag(),
  colour: optional(z.enum(COLOR_BYS)),
  critical: flag(),
  squeeze: flag(),
  z: optional(z.string().check(z.regex(/^[\d.]+-[\d.]+$/))),
})
export type TraceSearch = z.infer<typeof TraceSearch>
