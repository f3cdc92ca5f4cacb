import * as z from 'zod/mini'
import { COLOUR_BYS, TRACE_VIEWS } from '#lib/runs/trace-views.ts'

/** What a link to a shared run carries: how the trace is looked at, as on the pages behind the login. */
export const PublicRunSearch = z.object({
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
})
export type PublicRunSearch = z.infer<typeof PublicRunSearch>

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
