import { createFileRoute } from '@tanstack/react-router'
import { IngestPage } from '#features/ingest/ingest-page.tsx'
import { IngestSearch } from '#lib/page-search.ts'

export const Route = createFileRoute('/o/$tenant/settings/ingest')({
  validateSearch: IngestSearch,
  component: IngestPage,
})
