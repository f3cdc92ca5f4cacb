import type { RunGrouping } from '@touchstone/contract'
import * as z from 'zod/mini'
import { RunsSearch } from './runs-search.ts'

/** What a link to the monitor carries: the runs as in their list, and how they are drawn. */
export const MonitorSearch = z.extend(
  z.pick(RunsSearch, { scope: true, t: true, filter: true, traceFilter: true, treeFilter: true }),
  {
    /** `model`, `name`, `tag`, `run_type`, or `metadata.` and a key. */
    group: z.catch(z.optional(z.string().check(z.regex(/^(model|name|tag|run_type|metadata\..+)$/))), undefined),
    /** Whether the period before is drawn, too: 1 or absent. */
    prev: z.catch(z.optional(z.literal('1')), undefined),
    /** Charts that are shown as tables, by id. */
    tables: z.catch(z.optional(z.string()), undefined),
    /** A saved dashboard in place of the charts that come with the product. */
    board: z.catch(z.optional(z.guid()), undefined),
  },
)
export type MonitorSearch = z.infer<typeof MonitorSearch>

/** The grouping that an address names. */
export function groupingOf(group: string | undefined): RunGrouping | undefined {
  if (group === undefined) return undefined
  if (group.startsWith('metadata.')) return { attribute: 'metadata', path: group.slice('metadata.'.length) }
  return { attribute: group as RunGrouping['attribute'] }
}

/** A grouping as an address names it. */
export function printGrouping({ attribute, path }: RunGrouping): string {
  return attribute === 'metadata' ? `metadata.${path}` : attribute
}
