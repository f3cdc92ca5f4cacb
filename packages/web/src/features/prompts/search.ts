import { flag, oneOf, optional, type SearchOf, searchSchema, text, withDefault } from '#lib/search-schema.ts'

/** Columns that the server sorts by. */
export const PROMPT_SORTS = ['updated_at', 'num_likes', 'num_downloads', 'num_views'] as const
export type PromptSort = (typeof PROMPT_SORTS)[number]

export const PROMPTS_SEARCH_DEFAULTS = { view: 'mine', q: '', sort: '-updated_at' } as const

/** Search params of the list of prompts. */
export const PromptsSearch = searchSchema({
  /** Prompts of the workspace, or the public prompts of all workspaces. */
  view: withDefault(oneOf(['mine', 'hub']), PROMPTS_SEARCH_DEFAULTS.view),
  q: withDefault(text(), PROMPTS_SEARCH_DEFAULTS.q),
  /** Only prompts with this tag. */
  tag: optional(text()),
  /** One of `PROMPT_SORTS`, with `-` in front for descending. */
  sort: withDefault(text(/^-?[a-z_]+$/), PROMPTS_SEARCH_DEFAULTS.sort),
  /** Archived prompts instead. */
  archived: flag(),
})
export type PromptsSearch = SearchOf<typeof PromptsSearch>

/** A sort of the URL in the words of the API. Unknown columns sort by the last change. */
export function toPromptOrder(sort: string): { sortField: PromptSort; sortDirection: 'asc' | 'desc' } {
  const isDescending = sort.startsWith('-')
  const name = isDescending ? sort.slice(1) : sort
  const sortField = PROMPT_SORTS.find((one) => one === name)
  return sortField === undefined
    ? { sortField: 'updated_at', sortDirection: 'desc' }
    : { sortField, sortDirection: isDescending ? 'desc' : 'asc' }
}

export const PROMPT_TABS = ['prompt', 'commits', 'runs', 'readme', 'settings'] as const
export type PromptTab = (typeof PROMPT_TABS)[number]

export const PROMPT_SEARCH_DEFAULTS = { tab: 'prompt' } as const

/** Search params of a prompt. */
export const PromptSearch = searchSchema({
  tab: withDefault(oneOf(PROMPT_TABS), PROMPT_SEARCH_DEFAULTS.tab),
  /** Two commits, `from..to`: hashes, beginnings of hashes, or tags. */
  diff: optional(text(/^[^\s/]+\.\.[^\s/]+$/)),
  /** Whether the manifest is shown as it is stored. */
  raw: flag(),
})
export type PromptSearch = SearchOf<typeof PromptSearch>

/** Reads `from..to`. Tags may contain single dots. */
export function parseDiff(diff: string | undefined): { from: string; to: string } | undefined {
  const at = diff?.indexOf('..') ?? -1
  return diff === undefined || at < 1 ? undefined : { from: diff.slice(0, at), to: diff.slice(at + 2) }
}
