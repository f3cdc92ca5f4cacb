import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Ban } from 'lucide-react'
import { ruleQuery } from './queries.ts'
import { getBlock } from './state.ts'

/** Rules that do not act until someone mends the cause, as a card of the home page; nothing while there are none. */
export function BlockedRules({ tenant }: { tenant: string }) {
  const { data } = useQuery({ ...ruleQuery.list(), meta: { quiet: true } })
  const blocked = data?.flatMap(({ id, name, is_enabled, blocked }) =>
    is_enabled && blocked !== null ? [{ id, name, reason: blocked.reason }] : [],
  )
  if (blocked === undefined || blocked.length === 0) return null
  return (
    <section
      aria-label="Blocked rules"
      className="min-w-0 overflow-hidden rounded-card border border-err bg-surface text-row"
    >
      <h2 className="flex h-9 items-center border-b border-border px-3 font-semibold">Blocked rules</h2>
      <ul>
        {blocked.map(({ id, name, reason }) => (
          <li key={id} className="flex min-h-11 items-start gap-2 border-t border-border px-3 py-1 first:border-0">
            <Ban size={13} aria-hidden className="mt-0.5 shrink-0 text-err" />
            <span className="min-w-0 flex-1">
              <Link
                to="/o/$tenant/rules/$ruleId"
                params={{ tenant, ruleId: id }}
                data-line
                dir="auto"
                className="block truncate font-medium hover:underline"
              >
                {name}
              </Link>
              <span className="block text-fg-muted">{getBlock(reason).label}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
