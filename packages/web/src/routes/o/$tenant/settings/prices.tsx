import { createFileRoute } from '@tanstack/react-router'
import { PricesPage } from '#features/models/prices/prices-page.tsx'
import { PricesSearch } from '#lib/page-search.ts'

export const Route = createFileRoute('/o/$tenant/settings/prices')({
  validateSearch: PricesSearch,
  component: PricesPage,
})
