import type { RunGrouping } from '@touchstone/contract'
import * as z from 'zod/mini'
import { RunsSearch } from './runs-search.ts'
import { optional } from './search-schema.ts'

/** Search params of the monitor: which runs, and how to chart them. */
export const MonitorSearch = z.extend(
  z.pick(RunsSearch, { scope: true, t: true, filter: true, traceFilter: true, treeFilter: true }),
  {
    /** `model`, `name`, `tag`, `run_type`, or `metadata.` and a key. */
    group: optional(z.string().check(z.regex(/^(model|name|tag|run_type|metadata\..+)$/))),
    /** Whether the previous period is drawn too: 1 or absent. */
    prev: optional(z.literal('1')),
    /** Ids of charts that are shown as tables. */
    tables: optional(z.string()),
    /** A saved dashboard instead of the built-in charts. */
    board: optional(z.guid()),
  },
)
export type MonitorSearch = z.infer<typeof MonitorSearch>

/** The grouping of a `group` param. */
export function parseGrouping(group: string | undefined): RunGrouping | undefined {
  if (group === undefined) return undefined
  if (group.startsWith('metadata.')) return { attribute: 'metadata', path: group.slice('metadata.'.length) }
  return { attribute: group as RunGrouping['attribute'] }
}

/** The `group` param of a grouping. */
export function printGrouping({ attribute, path }: RunGrouping): string {
  return attribute === 'metadata' ? `metadata.${path}` : attribute
}
