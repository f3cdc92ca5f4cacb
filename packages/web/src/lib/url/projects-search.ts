import * as z from 'zod/mini'
import { flag, timeRange, withDefault } from './search-schema.ts'

export const PROJECTS_SEARCH_DEFAULTS = { q: '', t: '24h', sort: '-last_run' } as const

/** Search params of the list of projects. */
export const ProjectsSearch = z.object({
  q: withDefault(z.string(), PROJECTS_SEARCH_DEFAULTS.q),
  t: timeRange(PROJECTS_SEARCH_DEFAULTS.t),
  /** A column's id, with `-` in front for descending. */
  sort: withDefault(z.string().check(z.regex(/^-?[a-z0-9_]+$/)), PROJECTS_SEARCH_DEFAULTS.sort),
  experiments: flag(),
})
export type ProjectsSearch = z.infer<typeof ProjectsSearch>
