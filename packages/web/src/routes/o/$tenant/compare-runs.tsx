import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { optional } from '#lib/search-schema.ts'
import { CompareRunsPage } from './-compare-runs-page.tsx'

const CompareRunsSearch = z.object({
  a: optional(z.guid()),
  b: optional(z.guid()),
  /** The selected step: a run of either side. */
  run: optional(z.guid()),
  tab: optional(z.enum(['chat', 'json', 'text'])),
  only: optional(z.literal('1')),
})

export type CompareRunsSearch = z.infer<typeof CompareRunsSearch>

export const Route = createFileRoute('/o/$tenant/compare-runs')({
  validateSearch: CompareRunsSearch,
  component: Page,
})

function Page() {
  return <CompareRunsPage {...Route.useParams()} search={Route.useSearch()} navigate={Route.useNavigate()} />
}
