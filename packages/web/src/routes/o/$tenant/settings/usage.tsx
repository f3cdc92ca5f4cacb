import { createFileRoute, stripSearchParams } from '@tanstack/react-router'
import { UsagePage } from '#features/projects/usage/usage-page.tsx'
import { USAGE_SEARCH_DEFAULTS, UsageSearch } from '#lib/page-search.ts'

export const Route = createFileRoute('/o/$tenant/settings/usage')({
  validateSearch: UsageSearch,
  search: { middlewares: [stripSearchParams(USAGE_SEARCH_DEFAULTS)] },
  component: UsagePage,
})
