import { createFileRoute, redirect } from '@tanstack/react-router'
import { NotFoundPage } from '#features/projects/not-found-page.tsx'
import { client } from '#lib/api/client.ts'
import { describeFailure } from '#lib/errors.ts'

/** `/go/{id}`: resolves an id of any kind and redirects to its page. */
export const Route = createFileRoute('/go/$id')({
  loader: async ({ params, abortController }) => {
    const found = await resolve(params.id, abortController.signal)
    if (found) throw redirect({ href: found.app_path, replace: true })
  },
  component: () => <NotFoundPage what="Nothing here" id={Route.useParams().id} />,
})

async function resolve(id: string, signal: AbortSignal) {
  try {
    return await client.resolveId(id, { signal })
  } catch (cause) {
    const { status } = describeFailure(cause)
    if (status === 404 || status === 400) return undefined
    throw cause
  }
}
