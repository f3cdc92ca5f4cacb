import { createFileRoute } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { traceQuery } from '#data/traces.ts'
import { COLOUR_BYS, TRACE_VIEWS } from '#lib/runs/trace-views.ts'
import { TracePage } from './-trace-page.tsx'

/** A route of its own shape: printed links carry `poll`, `trace_id` and `start_time`; the rest is how the trace is looked at. */
const TracePageSearch = z.object({
  v: optional(z.enum(TRACE_VIEWS)),
  tab: optional(z.string()),
  path: optional(z.string()),
  q: optional(z.string()),
  types: optional(z.string().check(z.regex(/^[\w-]+(,[\w-]+)*$/))),
  short: flag(),
  colour: optional(z.enum(COLOUR_BYS)),
  critical: flag(),
  squeeze: flag(),
  z: optional(z.string().check(z.regex(/^[\d.]+-[\d.]+$/))),
  poll: flag(),
  trace_id: optional(z.guid()),
  start_time: optional(z.string()),
})

export const Route = createFileRoute('/o/$tenant/projects/p/$projectId/r/$runId')({
  validateSearch: TracePageSearch,
  loaderDeps: ({ search }) => ({ traceId: search.trace_id }),
  // Started together and waited for by nobody: the page draws whichever arrives first.
  loader: ({ context: { queryClient }, params, deps }) => {
    void queryClient.prefetchQuery(traceQuery.run(params.runId))
    if (deps.traceId === undefined) void queryClient.prefetchQuery(traceQuery.place(params.runId))
    else void queryClient.prefetchQuery(traceQuery.spine(deps.traceId))
  },
  component: Page,
})

function Page() {
  return <TracePage {...Route.useParams()} search={Route.useSearch()} navigate={Route.useNavigate()} />
}

function optional<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.catch(z.optional(schema), undefined)
}

/** `1` or `true` in the URL, true in the code, absent when off. */
function flag() {
  return z.catch(
    z.optional(
      z.pipe(
        z.union([z.literal('1'), z.literal('true'), z.literal(true)]),
        z.transform(() => true as const),
      ),
    ),
    undefined,
  )
}
