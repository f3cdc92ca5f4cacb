import { createFileRoute, useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { PlaygroundPage } from '#features/playground/playground-page.tsx'
import { PlaygroundSearch } from '#features/playground/search.ts'

export const Route = createFileRoute('/o/$tenant/playground/')({
  validateSearch: PlaygroundSearch,
  component: Playground,
})

/** The draft that the open page was saved as; its id comes into the address while the page stays. */
interface OwnDraft {
  readonly id: string | undefined
  /** Whether the address has the id by now. */
  readonly isShown: boolean
  /** Counts the pages that began without a draft. */
  readonly start: number
}

const NO_DRAFT: OwnDraft = { id: undefined, isShown: false, start: 0 }
const startOver = ({ start }: OwnDraft): OwnDraft => ({ ...NO_DRAFT, start: start + 1 })

function Playground() {
  const { tenant } = Route.useParams()
  const search = Route.useSearch()
  const navigate = Route.useNavigate()
  const router = useRouter()
  const [own, setOwn] = useState<OwnDraft>(NO_DRAFT)
  const { draft, run, prompt } = search
  if (own.id !== undefined && own.id === draft && !own.isShown) setOwn({ ...own, isShown: true })
  // A link without the draft or to another one starts over; otherwise edits would go on into a draft that is not shown.
  if (own.isShown && own.id !== draft) setOwn(startOver)
  const source = draft !== undefined && draft !== own.id ? draft : (run ?? prompt ?? 'new')
  return (
    <PlaygroundPage
      key={`${own.start} ${source}`}
      tenant={tenant}
      search={search}
      onCreated={(id) => {
        // The address may be that of another page or draft already, which is still loading.
        if (router.latestLocation.href !== router.state.resolvedLocation?.href) return
        setOwn((before) => ({ ...before, id, isShown: false }))
        void navigate({ search: (kept) => ({ ...kept, draft: id }), replace: true })
      }}
      onJob={(job) => void navigate({ search: (kept) => ({ ...kept, job }), replace: true })}
      onNew={() => {
        if (source === 'new' && draft === undefined) setOwn(startOver)
        void navigate({ search: {} })
      }}
    />
  )
}
