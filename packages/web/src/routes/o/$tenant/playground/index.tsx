import { createFileRoute } from '@tanstack/react-router'
import { useState } from 'react'
import { optional, type SearchOf, searchSchema, text } from '#lib/search-schema.ts'
import { PlaygroundPage } from './-playground-page.tsx'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

const PlaygroundSearch = searchSchema({
  /** A saved draft. */
  draft: optional(text(UUID)),
  /** The run whose messages, tools and parameters are opened. */
  run: optional(text(UUID)),
  /** The prompt that is opened: `owner/name/commit`. */
  prompt: optional(text(/^[^/]+\/[^/]+\/[^/]+$/)),
  /** A run over a dataset, whose progress is shown. */
  job: optional(text(UUID)),
})
export type PlaygroundSearch = SearchOf<typeof PlaygroundSearch>

export const Route = createFileRoute('/o/$tenant/playground/')({
  validateSearch: PlaygroundSearch,
  component: Playground,
})

function Playground() {
  const { tenant } = Route.useParams()
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  // The draft that the open page was saved as; its id comes into the address while the page stays.
  const [own, setOwn] = useState<{ id: string | undefined; start: number }>({ id: undefined, start: 0 })
  const { draft, run, prompt } = search
  const source = draft !== undefined && draft !== own.id ? draft : (run ?? prompt ?? `new ${own.start}`)
  return (
    <PlaygroundPage
      key={source}
      tenant={tenant}
      search={search}
      onCreated={(id) => {
        setOwn({ ...own, id })
        void navigate({ search: (kept) => ({ ...kept, draft: id }), replace: true })
      }}
      onJob={(job) => void navigate({ search: (kept) => ({ ...kept, job }), replace: true })}
      onNew={() => {
        setOwn({ id: undefined, start: own.start + 1 })
        void navigate({ search: {} })
      }}
    />
  )
}
